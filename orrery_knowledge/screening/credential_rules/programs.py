"""Programs, and how each takes its password on a command line."""

from __future__ import annotations

from typing import Any, NamedTuple

import re2

from orrery_knowledge.screening.patterns import compiled

_VALUE = r"(?P<v>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s\"'|;&<>-][^\s\"'|;<>]{2,200})"
_ATTACHED = r"(?P<v>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s\"'-][^\s\"']{2,200})"


class Command(NamedTuple):
    """How a program takes a password; `weak` values must look like one, whatever stands there."""

    programs: str
    argument: Any
    weak: bool = False


def _command(programs: str, argument: str, *, weak: bool = False) -> Command:
    return Command(programs, compiled(argument), weak)


_USER = (
    r"(?:^|\s)(?:-u|--user|--proxy-user|-U|-a|--auth|--creds|--src-creds"
    r"|--dest-creds)[ =]?[\"']?[^\s:\"'/]{1,80}"
    r"[:%](?P<v>[^\s\"']{3,200})"
)
_COMMANDS = (
    _command("curl wget http https xh httpie skopeo podman buildah crane aria2c lftp", _USER),
    _command("smbclient rpcclient net smbget smbmap crackmapexec nxc wmic winexe", _USER),
    _command("lftp", r"\s-u ?[^\s,]{1,80},(?P<v>[^\s\"']{3,200})"),
    _command(
        "mysql mysqldump mysqladmin mysqlimport mysqlcheck mariadb mariadb-dump mysqlsh "
        "mydumper xtrabackup innobackupex mytop",
        rf"\s-p{_ATTACHED}",
    ),
    _command("7z 7za 7zr rar unrar", rf"\s-h?p{_ATTACHED}"),
    _command(
        "influx snowsql "
        "ftp smbclient impacket-psexec evil-winrm crackmapexec nxc xfreerdp vsql presto "
        "jfrog argocd kinit mosquitto_pub tsh ldapmodify nexus cf ibmcloud useradd usermod "
        "wpscan hydra",
        rf"\s-p[ =]?{_VALUE}",
        weak=True,
    ),
    _command("docker podman helm oc nerdctl az buildah", rf"\blogin\b[^\n]*?\s-p[ =]?{_VALUE}"),
    _command("sshpass", rf"\s-p ?{_VALUE}"),
    _command(
        "mongo mongosh mongodump mongorestore mongoexport mongoimport rabbitmqadmin cqlsh",
        rf"\s-p {_VALUE}",
    ),
    _command("redis-cli valkey-cli keydb-cli", rf"\s-a {_VALUE}"),
    _command(
        "redis-cli valkey-cli",
        rf"(?i)\s(?:auth|requirepass|masterauth)(?: \w+)? {_VALUE}",
        weak=True,
    ),
    _command(
        "ldapsearch ldapadd ldapmodify ldapdelete ldappasswd ldapwhoami ldapcompare",
        rf"\s-[was] {_VALUE}",
    ),
    _command(
        "ipmitool sqlcmd bcp isql tsql osql mosquitto_pub mosquitto_sub unzip zip bsqldb fisql "
        "racadm iscsiadm",
        rf"\s-P ?{_VALUE}",
    ),
    _command("racadm bmcweb", rf"\s-p {_VALUE}"),
    _command(
        "snmpwalk snmpget snmpset snmpbulkwalk snmptrap snmpbulkget snmptable snmpgetnext",
        rf"\s-[AX] {_VALUE}",
    ),
    _command(
        "snmpwalk snmpget snmpset snmpbulkwalk snmptrap snmpbulkget snmptable snmpgetnext",
        rf"\s-c ?{_VALUE}",
        weak=True,
    ),
    _command(
        "htpasswd htdigest", rf"\s-[a-zA-Z0-9]*b[a-zA-Z0-9]*(?: -\w+)* (?:\S*[/.]\S* )?\S+ {_VALUE}"
    ),
    _command("plink pscp psftp pscp.exe plink.exe putty", rf"\s-pw {_VALUE}"),
    _command("rdesktop", rf"\s-p {_VALUE}"),
    _command(
        "xfreerdp wfreerdp net cmdkey schtasks runas mstsc psexec",
        rf"(?i)\s/(?:p|pass|password|rp):{_VALUE}",
    ),
    _command(
        "signtool psexec schtasks wmic certutil",
        rf"(?i)\s[-/](?:p|rp|password:?) {_VALUE}",
        weak=True,
    ),
    _command("net", rf"(?i)\buse\s+(?:\S:\s+)?\\\\\S+(?:\s+/\S+)*\s+{_VALUE}", weak=True),
    _command("net", rf"(?i)\buser\s+\S+\s+{_VALUE}", weak=True),
    _command("wpa_passphrase", rf"^\s*(?:\"[^\"]+\"|\S+) {_VALUE}"),
    _command("rabbitmqctl", rf"\b(?:add_user|change_password|authenticate_user) \S+ {_VALUE}"),
    _command("rclone", rf"\b(?:obscure|pass|password) {_VALUE}", weak=True),
    _command("ncftpput ncftpget ncftp curlftpfs", rf"\s-p {_VALUE}"),
    _command("smbclient", rf"^\s+//\S+ {_VALUE}", weak=True),
    _command("radtest", rf"^\s+\S+ {_VALUE}"),
    _command("openssl", rf"\s-(?:pass|passin|passout|password) [\"']?pass:{_ATTACHED}"),
    _command("openssl", rf"\s-k {_VALUE}"),
    _command("openssl", rf"\spasswd (?:-\w+ (?:\w{{1,16}} )?)*{_VALUE}", weak=True),
    _command(
        "keytool jarsigner keychain apksigner",
        rf"\s-(?:store|key|dest\w*|src\w*|new)pass(?:word)?[ =]{_VALUE}",
    ),
    _command(
        "vault bw op doppler gh glab pulumi railway fly flyctl wrangler",
        rf"\s(?:login|unlock|auth) {_VALUE}",
        weak=True,
    ),
    _command(
        "doctl gh hcloud linode-cli fastly sentry-cli snyk sonar-scanner vercel netlify",
        rf"\s-[tT] {_VALUE}",
        weak=True,
    ),
    _command("mc mcli", rf"\b(?:alias|config host) (?:set|add) \S+ \S+ \S+ {_VALUE}"),
    _command("aws", r"\bconfigure set \S*(?:secret|token|key)\S* (?P<v>[^\s\"']{12,})"),
    _command("npm yarn pnpm", r"(?:_authToken|_password|_auth)[ =](?P<v>[^\s\"']{6,})"),
    _command(
        "git composer bundle poetry gem pip conan",
        r"\bconfig\b[^\n]{0,120}?\s\S*(?:token|pass|auth|http-basic|extraheader"
        r"|pypi-token)\S*(?: \S+)?[ =](?P<v>[^\s\"']{8,200})",
        weak=True,
    ),
    _command("nmcli", rf"\bpassword {_VALUE}"),
    _command("conan", rf"\s-p {_VALUE}"),
    _command(
        "psql sqlplus sqlldr expdp impdp rman exp imp",
        r"(?:^|\s)[\"']?[\w$]+/(?P<v>\\?\"[^\"\n]{3,100}\"|[^\s@/\"']{3,100})@",
    ),
    _command("cryptsetup gpg gpg2", rf"\s--passphrase[ =]{_VALUE}"),
    _command("fetchmail getmail msmtp swaks", rf"\s(?:-ap|--auth-password)[ =]{_VALUE}"),
    _command("swaks sendemail", rf"\s-xp {_VALUE}"),
    _command("vncpasswd x11vnc", rf"\s-passwd {_VALUE}"),
    _command("mount mount.cifs mount.davfs", r"\bpass(?:word)?=(?P<v>[^\s,\"']{3,100})"),
    _command("svn hg", rf"\s--password[ =]{_VALUE}"),
    _command("dsconf dsidm db2 kadmin kadmin.local samba-tool", rf"\s(?:-w|-pw|using) {_VALUE}"),
    _command(
        "samba-tool",
        rf"\buser (?:create|setpassword|add) \S+ (?:--newpassword=)?{_VALUE}",
        weak=True,
    ),
    _command("az", rf"\s(?:--password|--account-key|--sas-token|--admin-password|-p) {_VALUE}"),
)
BY_NAME: dict[str, list[Command]] = {}
for _entry in _COMMANDS:
    for _name in _entry.programs.split():
        BY_NAME.setdefault(_name, []).append(_entry)

PROGRAM = compiled(
    r"(?:^|[\s`'\"$(/\\|;&])(?P<v>"
    + "|".join(sorted((re2.escape(name) for name in BY_NAME), key=len, reverse=True))
    + r")(?:\.exe)?(?P<line>\s(?:\"[^\"\n]*\"|'[^'\n]*'|\\\n|&[^&\s]|[^\n|;&])*)"
)
"""A program with the rest of its line."""
