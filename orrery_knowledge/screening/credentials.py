"""Takes credentials out of a text: provider formats, keys with values, URLs, known files.

A value goes, what names it stays: an operator still sees that a password was there. Nothing is
ever checked with a provider.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import re2

from orrery_knowledge.screening.fencing import screen_inside
from orrery_knowledge.screening.findings import Edit, Screened, named_span, searchable, word_set
from orrery_knowledge.screening.placeholders import (
    is_code,
    is_name,
    is_placeholder,
    is_uuid,
    looks_random,
)
from orrery_knowledge.screening.providers import FORMATS

KEYWORD = (
    r"(?:passw(?:or)?ds?|passwd|passphrase|passcode|pwd|pass|secrets?|tokens?"
    r"|api[_.-]?keys?"
    r"|access[_.-]?keys?|private[_.-]?keys?|auth[_.-]?keys?|(?:encryption|signing|master|license"
    r"|ingest|account|storage|deploy|service|webhook|client|app|consumer)[_.-]?keys?"
    r"|credentials?|creds?|auth|apikey|login|keys?)"
)
_QUOTE = r"(?:\\{0,15}[\"'])"
"""A quote; inside of a string of JSON (inside of a string ...) it stands behind backslashes."""
_ESCAPED = r"\\{1,15}\"[^\"\n]*?\\{1,15}\"|\\{1,15}'[^'\n]*?\\{1,15}'"
_ASSIGNMENT = re2.compile(
    r"(?i)(?P<key>[\w$.@/-]{0,60}?" + KEYWORD + r"(?:[_.-][\w.-]{1,30}|Key|Value|Hash|[0-9]{1,2})?)"
    r"(?P<close>(?:\\{0,15}[\"'\]})]){0,3})"
    rf"(?P<sep>[ \t]{{0,4}}(?:=>|:=|==?|:)[ \t]{{0,4}}|{_QUOTE}[ \t]{{0,2}},[ \t]{{0,2}}|>)"
    rf"(?P<value>{_ESCAPED}"
    r"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`|[^\s\"'`,;<>][^\s\"'`,;<>]*)"
)
_NAMED = re2.compile(
    rf"(?i)\b(?:name|key){_QUOTE}?\s*[:=]\s*{_QUOTE}?(?P<key>[\w.-]{{0,60}}"
    + KEYWORD
    + rf"[\w.-]{{0,20}}){_QUOTE}?,?\s*\n?\s*"
    rf"{_QUOTE}?value{_QUOTE}?\s*[:=](?P<sep>\s*)"
    rf"(?P<value>{_ESCAPED}|\"[^\"\n]*\"|'[^'\n]*'|[^\s\"',]+)(?P<close>)"
)
_KEY_END = re2.compile(r"\\*[\"']\s*(?::|=>)")
_FLAG = re2.compile(
    r"(?i)\s(?P<key>--?[\w-]{0,40}(?:password|passwd|passphrase|pass|pwd|secret|token|api-?key"
    r"|access-?key|secret-?key|auth|credential))(?P<sep>[ \t]+)"
    r"(?P<value>\"[^\"\n]+\"|'[^'\n]+'|[^\s\"'|;&<>]+)(?P<close>)"
)
_LOGIN = re2.compile(
    r"\b(?:curl|wget|http|https|xh|docker login|podman login|helm registry login|oc login"
    r"|mysql|mysqldump|mysqladmin|mongo|mongosh|mongodump|redis-cli|sshpass|psql|ldapsearch"
    r"|rabbitmqadmin|htpasswd|smbclient|az login|ftp|mc alias set)\b"
    r"[^\n]*"
)
_LOGIN_FLAG = re2.compile(
    r"\s(?:-u|--user|--proxy-user|-U)[ =]?(?P<q>[\"']?)[^\s:\"']{1,80}:(?P<v1>[^\s\"']{3,})"
)
_SHORT_FLAG = re2.compile(
    r"\s(?:-p|-a|-w|-P)(?P<gap> ?)(?P<v>\"[^\"\n]+\"|'[^'\n]+'|[^\s\"'-][^\s\"']{3,})"
)
_URL = re2.compile(
    r"(?i)\b(?P<scheme>[a-z][a-z0-9+.-]{1,30})://(?P<user>[^\s/@:\"'<>`]{0,100}):"
    r"(?P<v>[^\s\"'<>`]{1,200})@(?P<host>[\[\w$.{-])"
)
_NETRC = re2.compile(r"(?i)\b(?:machine\s+\S+|default)\s+login\s+\S+\s+password\s+(?P<v>\S+)")
_PGPASS = re2.compile(
    r"(?m)^[ \t>]*(?:[\w*-]+(?:\.[\w-]+)*|\[[0-9a-fA-F:]+\]):(?:\d{4,5}"
    r"|\*):[\w*-]+:[\w.*@-]+:(?P<v>\S{4,})[ \t]*$"
)
_KUBERNETES_SECRET = re2.compile(r"(?m)^[ \t>]*[\"']?kind[\"']?:\s*[\"']?Secret[\"']?,?\s*$")
_DATA_BLOCK = re2.compile(
    r"(?m)^[ \t>]*[\"']?(?:stringData|data)[\"']?:[ \t]*\{?[ \t]*\n((?:[ \t>]+[^\n]*\n?)+)"
)
_DATA_ENTRY = re2.compile(
    r"(?m)^[ \t>]+[\"']?[\w.-]+[\"']?:[ \t]*[\"']?(?P<v>[^\s\"',{}|>][^\s\"',]{3,})[\"']?,?[ \t]*$"
)

_NOT_SECRET = word_set(
    """
    name names file files path paths dir ref refs reference url uri urls endpoint policy
    policies length len size ttl expiry expires expiration expired lifetime age count counts
    type types id ids env field fields prompt rotation rotate enabled enable disable manager
    store provider providers class mode version format algorithm alg hint reset resets
    change changed changes error errors failed failure missing invalid valid validation
    authentication auth authenticator rule rules required interval timeout limit limits
    header headers template request requests review pair pairs code label annotation
    annotations namespace volume mount usage info status state management lookup scope
    scopes source engine backend method methods account issuer audience server host port
    """
)
_PUBLIC_KEY = word_set(
    """
    public pub primary foreign partition cache sort routing idempotency dedup map row index
    object trace span group hash config composite natural unique label sort lookup registry
    ssh host known hot soft turn arrow topology event message record json yaml dict search
    column shard range storage host_key_checking signing-key key-id start end lock locks region
    regions first last min max lower upper
    """
)
_WEAK_KEYS = frozenset(
    {"key", "keys", "auth", "login", "cred", "creds", "credential", "credentials"}
)
_PASSWORD = re2.compile(
    r"(?i)(?:passw(?:or)?d|passwd|passphrase|passcode|pwd|(?:^|[_.-])pass)s?\d?$"
)


def redact_credentials(text: str) -> Screened:
    """Replace each secret value by ``[REDACTED:<rule>]``; everything round it stays."""
    return screen_inside(text, edits)


def edits(text: str) -> Sequence[Edit]:
    """The stage: what to change in a text."""
    raw = searchable(text)
    found: list[Edit] = []
    for rule, start, end in (*_formats(raw), *_structure(raw), *_assignments(raw)):
        value = raw[start:end]
        if "[REDACTED:" in value or "[withheld:" in value:
            continue
        found.append(Edit(start, end, f"[REDACTED:{rule}]", "credential", rule, (start, end)))
    return found


def _formats(text: str) -> Iterator[tuple[str, int, int]]:
    low = text.lower()
    for form in FORMATS:
        if not any(hint in low for hint in form.hints):
            continue
        group = "v" if "v" in form.pattern.groupindex else 0
        for match in form.pattern.finditer(text):
            value = match.group(group)
            if value is None or (form.rule != "private-key" and is_placeholder(value)):
                continue
            if form.rule in ("authorization-header", "presigned-url") and is_name(value):
                continue
            if form.rule == "aws-access-key" and "EXAMPLE" in value:
                continue
            yield form.rule, *(named_span(match, "v") if group else match.span())


def _structure(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _URL.finditer(text):
        start, end = named_span(match, "v")
        value = match.group("v")
        # A second "@" belongs to the password; a path between them means that it doesn't.
        if not is_placeholder(value) and not ("/" in value and "@" not in value and "?" in value):
            yield "url-password", start, end
    for match in _NETRC.finditer(text):
        if not is_placeholder(match.group("v")):
            yield "netrc-password", *named_span(match, "v")
    for match in _PGPASS.finditer(text):
        if not is_placeholder(match.group("v")):
            yield "pgpass-password", *named_span(match, "v")
    if _KUBERNETES_SECRET.search(text):
        for block in _DATA_BLOCK.finditer(text):
            base = block.start(1)
            for match in _DATA_ENTRY.finditer(block.group(1)):
                if not is_placeholder(match.group("v")):
                    start, end = named_span(match, "v")
                    yield "kubernetes-secret", base + start, base + end
    for line in _LOGIN.finditer(text):
        command = line.group()
        for match in _LOGIN_FLAG.finditer(command):
            if not is_placeholder(match.group("v1")):
                start, end = named_span(match, "v1")
                yield "command-password", line.start() + start, line.start() + end
        if command.startswith(("curl", "wget", "http", "xh", "psql")):
            continue
        for match in _SHORT_FLAG.finditer(command):
            value = match.group("v").strip("\"'")
            attached = command.startswith("mysql") and not match.group("gap")
            if is_placeholder(match.group("v")) or (_digits(value) and not attached):
                continue
            if command.startswith("mysql") and not attached:
                continue
            start, end = named_span(match, "v")
            yield "command-password", line.start() + start, line.start() + end


def _assignments(text: str) -> Iterator[tuple[str, int, int]]:
    for pattern in (_ASSIGNMENT, _NAMED, _FLAG):
        for match in pattern.finditer(text):
            start, end = named_span(match, "value")
            value = match.group("value")
            if value.startswith("\\") and value[-1] in "\"'":
                # Without the backslashes before its quotes it is quoted like any other.
                bare = value.lstrip("\\")
                start, value = end - len(bare), bare[:-1].rstrip("\\") + bare[-1]
                end = start + len(value)
            quoted = len(value) >= 2 and value[0] in "\"'`" and value[-1] == value[0]
            if (
                quoted
                and pattern is not _NAMED
                and value[0] == text[match.start() - 1 : match.start()]
                and value[0] not in match.group("close") + match.group("sep")
            ):
                # The quote before the key is still open: what follows ends that string.
                continue
            if quoted:
                start, end, value = start + 1, end - 1, value[1:-1]
            else:
                bare = value.rstrip(").]}\\")
                value, end = bare, start + len(bare)
            rest = text[end : end + 60].split("\n", 1)[0]
            if "," in match.group("sep") and _KEY_END.match(rest):
                # {"name": "DB_PASSWORD", "note": ...}: what follows is the next key.
                continue
            if _is_secret(match.group("key"), match.group("sep"), value, rest, quoted=quoted):
                yield "password" if _PASSWORD.search(match.group("key")) else "secret", start, end


def _is_secret(key: str, separator: str, value: str, rest: str, *, quoted: bool) -> bool:
    if len(value) < 4 or is_placeholder(value) or (not quoted and is_code(value)):
        return False
    if "://" in value and not looks_random(value.rpartition("/")[2]):
        return False
    parts = _parts(key)
    if is_setting(key) or (quoted and " " in value and not _PASSWORD.search(key)):
        return False
    random = looks_random(value)
    if _PASSWORD.search(key):
        return random or quoted or separator.strip() != ":" or not _is_prose(value, rest)
    if parts[-1] in _WEAK_KEYS:
        if len(parts) >= 2 and parts[-2] in _PUBLIC_KEY:
            return False
        strong = (
            parts[-1] in ("key", "keys")
            and len(parts) >= 2
            and parts[-2]
            in (
                "api",
                "access",
                "private",
                "secret",
                "auth",
                "encryption",
                "signing",
                "master",
                "license",
            )
        )
        named = len(parts) >= 2 and (random or _opaque(value))
        return (strong and (random or (len(value) >= 16 and not is_name(value)))) or (
            named and len(value) >= 14
        )
    if random or _opaque(value):
        return True
    words = value.count("-") + value.count("_")
    return (
        not is_uuid(value)
        and len(value) >= 12
        and words >= 2
        and (quoted or separator.strip() == "=")
    )


def is_setting(key: str) -> bool:
    """Whether a name is that of a setting about secrets: a length, a policy, a reference."""
    parts = _parts(key)
    return not parts or parts[-1] in _NOT_SECRET


def _parts(key: str) -> list[str]:
    return [part for part in re2.split(r"[^a-z0-9]+", _snake(key)) if part]


def _is_prose(value: str, rest: str) -> bool:
    """Whether an unquoted value is the first word of a sentence."""
    following = rest.split()
    if not following or "=" in following[0]:
        return False
    return all(char.isalpha() or char in ".,'-/" for char in value)


def _opaque(value: str) -> bool:
    """Long, of one part, and of digits or mixed characters: what nobody would write by hand."""
    return len(value) >= 16 and not is_name(value) and any(char.isdigit() for char in value)


def _digits(value: str) -> bool:
    return all(char.isdigit() or char in ":./" for char in value)


def _snake(key: str) -> str:
    return str(re2.sub(r"([a-z0-9])([A-Z])", r"\1_\2", key)).lower()
