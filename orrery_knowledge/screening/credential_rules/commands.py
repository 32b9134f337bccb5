"""Passwords on command lines, in statements and in the configuration of network devices."""

from __future__ import annotations

from orrery_knowledge.screening.credential_rules.assignments import Found
from orrery_knowledge.screening.credential_rules.programs import BY_NAME, PROGRAM
from orrery_knowledge.screening.credential_rules.shapes import is_chosen, is_mixed
from orrery_knowledge.screening.findings import named_span
from orrery_knowledge.screening.patterns import compiled
from orrery_knowledge.screening.placeholders import is_placeholder, looks_random
from orrery_knowledge.screening.sieve import Sieve

_PIPED = compiled(
    r"\b(?:echo|printf|Write-Output)\s+(?:-[neE]+\s+)?(?:[\"']?%s(?:\\n)?[\"']?\s+)?"
    r"(?P<q>[\"'])?(?P<v>[^\n|\"']{3,200}?)(?:\\n)?[\"']?\s*\|\s*(?:sudo\s+)?"
    r"(?P<to>[\w./ =:@-]{0,80}?(?:chpasswd|passwd|--password-stdin|--stdin|sudo -S|-S\b|kinit"
    r"|smbpasswd|cryptsetup|gpg|with-token|docker login|openssl|su\b))"
)
_HERE = compiled(
    r"(?:passwd|--with-token|-stdin|--stdin|sudo -S|kinit"
    r"|\blogin)\b[^\n<]{0,80}<<<[ \t]*[\"']?(?:[\w.-]+:)?(?P<v>[^\s\"']{4,200})"
)
_ECHOED = compiled(
    r"(?i)(?:pass\w*|token|secret)-(?:command|file)[ =][\"'<(]{0,3}(?:echo"
    r"|printf) [\"']?(?P<v>[^\s\"')]{4,200})"
)
_EXPECTED = compiled(
    r"(?i)(?:assword|assphrase)[^\n]{0,20}\n[^\n]{0,24}send(?:line)?[ (]{1,3}(?:-- )?[\"'](?P<v>"
    r"[^\"'\n\\]{3,200})"
)
_REDIS = compiled(r"(?m)^(?:[\w.:-]{1,60}> ?)?AUTH (?:[\w.-]+ )?(?P<v>\S{6,200})$")
_PAIR = compiled(
    r"(?i)(?:auth|login|connect|connection|credentials?|logon|sign_?in"
    r"|account)\w{0,20}[\"']?\s?(?:(?:=>?|:)\s?)?[(\[]"
    r"[^()\n]{0,120}?(?:\b[\w.]+"
    r"|[\"'][^\"'\n]{1,60}[\"'])\s?,\s?(?P<q>[\"'])(?P<v>[^\"'\n/]{6,100})[\"']\s?[,)\]]"
)
"""A call or a list with a user and a password: ``auth=("svc", "...")``."""
_USER_FLAG = compiled(
    r"(?i)\s--?(?:u|user|creds?|credentials?|auth|login|account|[a-z]+-(?:user|auth"
    r"|creds?))[= ][\"']?[\w.@\\-]{1,60}:(?P<v>[^\s\"']{6,200})"
)
_REMOTE = compiled(
    r"(?:^|[\s\"'`(=])(?://)?[a-z_][\w.-]{1,30}:(?P<v>[^\s:@/\"'`]{6,100})@(?P<host>[a-zA-Z0-9][\w.-]+)"
    r"(?:[\s:/\"'`]|$)"
)
"""``user:password@host`` without a scheme."""
_DIGEST = compiled(r"[0-9a-f]{7,64}|sha256|sha512")
"""What stands behind the ``@`` of a citation, a commit or an image, and is no host."""
_STATEMENTS = compiled(
    r"(?i)\b(?:identified\s+(?:with\s+\S+\s+)?(?:by|as)(?:\s+password)?|with\s+(?:encrypted\s+"
    r"|unencrypted\s+)?password\s*=?"
    r"|encrypted\s+password|\bset\s+password(?:\s+for\s+\S+)?\s*(?:=|to)\s*(?:password\s*\()?"
    r"|(?:create|alter)\s+(?:user|role|login)\s+\S+\s+password"
    r"|old_password\s*\(|requirepass|masterauth|securestring(?:\s+-string)?|-asplaintext"
    r"|set\s+requirepass|networkcredential\([^,\n]{1,80},|pscredential\([^,\n]{1,80},)"
    r"\s*N?(?P<q>[\"'])(?P<v>[^\"'\n]{3,200}|(?:[^\n']|'')*?|[^\n]{3,200}?)(?:\"|')"
)
_ARGUMENTS = compiled(
    r"(?i)(?:connect\w{0,20}|login|log_?on|bind|auth\w{0,20}|credentials?|\bPDO|sign_?in)\s?"
    r"(?:\(|\s[\"'])"
)
"""A call that opens a connection: a literal behind its first argument is a password."""
_CALL_END = compiled(r"^(?:\"[^\"\n]*\"|'[^'\n]*'|[^()\"'\n])*")
_CALL_WINDOW = 400
_LITERAL = compiled(r",\s*(?:\"(?P<d>[^\"\n]{6,100})\"|'(?P<s>[^'\n]{6,100})')")
_CONNECT = compiled(
    r"(?im)^[ \t]*(?:SQL>[ \t]*)?conn(?:ect)?[ \t]+[\w$]+/"
    r"(?P<v>\"[^\"\n]{3,100}\"|[^\s@/\"';]{3,100})(?:@|;|[ \t]+as[ \t]|[ \t]*$)"
)
"""SQL*Plus: ``CONNECT user/password@service``."""
_AFTER_OBJECT = compiled(
    r"(?m)^[ \t]*(?:[a-z][\w-]{1,20}[ \t]+){0,3}[\w-]{0,20}(?:pass|password|passwd|secret"
    r"|passphrase)[ \t]+[\w.-]{1,40}[ \t]+(?P<v>\S{8,100})[ \t]*$"
)
"""A line that sets the secret of something: ``sentinel auth-pass <master> <password>``."""
_DEVICES = compiled(
    r"(?im)(?:^|[\s>#])(?:(?:enable|username[ \t]+\S+"
    r"|user[ \t]+\S+)(?:[ \t]+privilege[ \t]+\d+)?[ \t]+(?:secret|password)"
    r"|(?:isakmp|ikev2|tacacs-server|radius-server|server-private[ \t]+\S+|tacacs|radius"
    r"|ntp[ \t]+authentication-key[ \t]+\d+|ospf|eigrp"
    r"|message-digest-key[ \t]+\d+|key-chain|pre-shared-key|authentication-key|shared-secret)"
    r"(?:[ \t]+(?:host[ \t]+\S+|address[ \t]+\S+|key|local|remote|ascii-text|ascii|md5|hex"
    r"|secret|crypto|encrypted|auth-key))*"
    r"|snmp-server[ \t]+community|set[ \t]+snmp[ \t]+community|set[ \t]+community|rocommunity6?"
    r"|rwcommunity6?|community"
    r"|key-string|neighbor[ \t]+\S+[ \t]+password|authentication[ \t]+(?:text|mode[ \t]+md5"
    r"|key-string)|standby[ \t]+\d+[ \t]+authentication"
    r"|ppp[ \t]+chap[ \t]+password|wpa-psk[ \t]+ascii|wpa_passphrase|wpa-passphrase|psk|secret"
    r"|passphrase|password"
    r"|plaintext-password|encrypted-password|plain-text-password-value|requirepass|masterauth"
    r"|masterpass|sasl_passwd)"
    r"[ \t]+(?:[0-9]{1,2}[ \t]+)?(?P<v>\"[^\"\n]{3,120}\"|'[^'\n]{3,120}'|[^\s\"'`,;<>"
    r"|(){}\[\]]{4,120})(?:[\s;,]|$)"
)
_ANY_OTHER = Sieve(
    [
        *(_PIPED, _HERE, _ECHOED, _EXPECTED, _REDIS, _PAIR, _USER_FLAG, _REMOTE, _STATEMENTS),
        *(_CONNECT, _AFTER_OBJECT, _ARGUMENTS, _DEVICES),
    ]
)


def command_passwords(text: str) -> Found:
    """Every password in a command, a statement or the configuration of a network device."""
    for match in PROGRAM.finditer(text):
        line = match.group("line")
        base = named_span(match, "line")[0]
        for command in BY_NAME[match.group("v")]:
            for argument in command.argument.finditer(line):
                start, end = named_span(argument, "v")
                found = _literal(line, start, end, weak=command.weak)
                if found:
                    yield "command-password", base + found[0], base + found[1]
    yield from _without_program(text)


def _without_program(text: str) -> Found:
    matches = _ANY_OTHER.over(text)
    for match in matches(_PIPED):
        start, end = named_span(match, "v")
        if "chpasswd" in match.group("to") and ":" in match.group("v"):
            start += match.group("v").index(":") + 1
        value = text[start:end].strip()
        if value and not is_placeholder(value) and not value.startswith("-"):
            yield "command-password", start, start + len(text[start:end].rstrip())
    for pattern in (_HERE, _ECHOED, _EXPECTED, _REDIS, _PAIR, _USER_FLAG, _REMOTE):
        for match in matches(pattern):
            value = match.group("v")
            if pattern is _REMOTE and (
                not is_mixed(value) or _DIGEST.fullmatch(match.group("host"))
            ):
                continue
            if is_chosen(value):
                yield "command-password", *named_span(match, "v")
    for match in matches(_STATEMENTS):
        start, end = named_span(match, "v")
        if match.group()[:10] == "identified" and match.group("v").isalpha():
            # "identified by 'name'" in a sentence; a statement of SQL has capitals or a password.
            continue
        quote = match.group("q")
        # The value ends at the quote that it began with; the other kind may stand inside.
        stop = text.find("\n", start)
        close = text.find(quote, start, stop if stop >= 0 else len(text))
        end = close if close >= 0 else end
        if end - start >= 3 and not is_placeholder(text[start:end]):
            yield "command-password", start, end
    for match in matches(_CONNECT):
        start, end = named_span(match, "v")
        found = _literal(text, start, end, weak=match.group("v")[0] != '"')
        if found:
            yield "command-password", *found
    for match in matches(_AFTER_OBJECT):
        if _stands_out(match.group("v")):
            yield "command-password", *named_span(match, "v")
    for match in matches(_ARGUMENTS):
        # The quote that stands for a bracket belongs to the first argument.
        base = match.end() - (match.group()[-1] != "(")
        arguments = _CALL_END.match(text[base : base + _CALL_WINDOW]).group()
        for literal in _LITERAL.finditer(arguments):
            kind = "d" if literal.group("d") is not None else "s"
            if _stands_out(literal.group(kind)):
                start, end = named_span(literal, kind)
                yield "command-password", base + start, base + end
    for match in matches(_DEVICES):
        start, end = named_span(match, "v")
        found = _literal(text, start, end, weak=True)
        if found:
            yield "command-password", *found


_INVOKED = compiled(r"^\$?[A-Za-z_][\w.:]*\([^!#%^~?@|]*$|^\$?[A-Za-z_][\w.:]*\([^!#%^~?@|)]*\)")


def _stands_out(value: str) -> bool:
    """Whether a value is a password even where a name of something could stand."""
    return (
        is_chosen(value)
        and is_mixed(value)
        and not any(char.isspace() for char in value)
        and (
            any(char in "!#$^*~+" for char in value)
            or ("/" not in value and (looks_random(value) or any(char in "%&?" for char in value)))
        )
    )


def _literal(text: str, start: int, end: int, *, weak: bool) -> tuple[int, int] | None:
    """The span of a value without its quotes; None for what stands in its place."""
    value = text[start:end]
    if len(value) >= 2 and value[0] in "\"'" and value[-1] == value[0]:
        start, end, value = start + 1, end - 1, value[1:-1]
    else:
        value = value.rstrip("`)\"'")
        end = start + len(value)
    if len(value) < 3 or is_placeholder(value) or value.startswith("--"):
        return None
    if all(char.isdigit() or char in ":./,-" for char in value) and not (
        value.isdigit() and len(value) >= 6
    ):
        return None
    if _INVOKED.match(value):
        return None
    return None if weak and not is_chosen(value) else (start, end)
