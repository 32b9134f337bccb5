"""Files and lines in which a user and a password stand side by side without any name for them."""

from __future__ import annotations

from orrery_knowledge.screening.credential_rules.assignments import Found
from orrery_knowledge.screening.credential_rules.shapes import is_chosen, is_mixed
from orrery_knowledge.screening.findings import named_span
from orrery_knowledge.screening.patterns import compiled
from orrery_knowledge.screening.sieve import Sieve

_LINES = tuple(
    compiled(pattern)
    for pattern in (
        # Postfix: host, user, password.
        r"(?m)^(?:\[[\w.-]{1,80}\]"
        r"|[\w-]{1,40}(?:\.[\w-]{1,40}){1,6})(?::\d{2,5})?[ \t]+[\w.@+-]{2,60}:(?P<v>\S{6,200})$",
        # PgBouncer, chap-secrets.
        r"(?m)^\"[^\"\n]{1,60}\"[ \t]+(?:\*[ \t]+)?\"(?P<v>[^\"\n]{6,200})\"(?:[ \t]+\*)?$",
        r"(?m)^[\w.@-]{1,60}[ \t]+\*[ \t]+\"?(?P<v>[^\s\"]{6,200})\"?[ \t]+\*",
        # Redis ACL, HAProxy.
        r"(?m)^(?:ACL SETUSER|user) \S{1,60} (?:[^\n]{0,80} )?>(?P<v>\S{6,200})",
        r"\bauth [\w.-]{1,60}:(?P<v>\S{6,200})$",
        # A note: `root / ...`.
        r"(?im)(?:^|[\s*(-])(?:root|admin|administrator|sa|sysadmin|user|ubuntu|oracle|postgres|pi)"
        r"(?:[ \t]?/[ \t]?|:)(?P<v>[^\s/\"'`]{6,100}?)[.,;)]?(?:\s|$)",
        # The same in short: `u: admin p: ...`.
        r"(?i)\b(?:u|usr|user|username|login)[ \t]?[:=][ \t]?\S{1,60}?[ \t,;|/]{1,4}"
        r"(?:p|pw)[ \t]?[:=][ \t]?(?P<v>[^\s\"'`]{6,100}?)[.,;)]?(?:\s|$)",
        # cloud-init.
        r"chpasswd:[^\n]*\n(?:[^\n]*\n)?[ \t]+(?:- )?[\w-]{1,40}:(?P<v>\S{6,200})",
        # Erlang terms.
        r"\{\w{0,30}(?:pass|secret|token|cookie)\w{0,10},\s?(?:<<)?\"(?P<v>[^\"\n]{6,200})\"",
        # How a device says in which form its secret stands.
        r"(?i)(?:password|passwd|key|neighbor|rootpw|secret)[^\n]{0,60}?\s(?:md5|--?plaintext"
        r"|plaintext|enc|ascii)[ \t]+(?P<v>[^\s\"';]{6,200})",
    )
)
_SNMP_USER = compiled(r"(?i)\b(?:createUser|snmp-server user|usm-user)\b[^\n]{0,300}")
_SNMP_SECRET = compiled(
    r"(?i)\s(?:md5|sha(?:-?\d{3})?|aes|3?des|auth|priv)[ \t]+(?:(?:128|192|256)[ \t]+)?"
    r"\"?(?P<v>[^\s\"]{6,64})"
)
_ANY = Sieve([*_LINES, _SNMP_USER])


def in_accounts(text: str) -> Found:
    """Every password that looks like one in the place of such a line where one stands."""
    matches = _ANY.over(text)
    for pattern in _LINES:
        for match in matches(pattern):
            value = match.group("v")
            if is_chosen(value) and is_mixed(value):
                yield "account-password", *named_span(match, "v")
    for line in matches(_SNMP_USER):
        for match in _SNMP_SECRET.finditer(line.group()):
            if is_chosen(match.group("v")):
                start, end = named_span(match, "v")
                yield "account-password", line.start() + start, line.start() + end
