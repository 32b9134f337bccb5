"""Places that hold secrets by their form: URLs, cookies, known files, Kubernetes Secrets."""

from __future__ import annotations

from orrery_knowledge.screening.credential_rules.assignments import Found
from orrery_knowledge.screening.credential_rules.shapes import is_chosen, jumbled
from orrery_knowledge.screening.findings import named_span
from orrery_knowledge.screening.patterns import compiled
from orrery_knowledge.screening.placeholders import is_placeholder, is_uuid, looks_random
from orrery_knowledge.screening.sieve import Matches, Sieve

_URL = compiled(
    r"(?i)\b(?P<scheme>[a-z][a-z0-9+.-]{1,30})://(?P<user>[^\s/@:\"'<>`]{0,100}):"
    r"(?P<v>[^\s\"'<>`]{1,200})@(?P<host>[\[\w$.{-])"
)
_URL_ODD = compiled(
    r"(?i)\b[a-z][a-z0-9+.-]{1,30}://[^\s/@:\"'<>`]{0,100}:(?P<v>[^\s@/]{1,100})@[\w.\[-]"
)
"""The same with quotes or angle brackets in the password; no slash, or it could be a path."""
_URL_TOKEN = compiled(r"(?i)\b[a-z][a-z0-9+.-]{1,30}://(?P<v>[^\s/@:\"'<>`?#]{16,200})@[\w\[]")
_JDBC_ORACLE = compiled(r"(?i)jdbc:oracle:\w+:(?P<user>[\w$]+)/(?P<v>[^\s@/\"']{3,100})@")
_NETRC = compiled(
    r"(?i)\b(?:machine\s+\S+|default)\s+(?:(?:login|account)\s+\S+\s+){1,2}password\s+(?P<v>\S+)"
)
_PGPASS = compiled(
    r"(?m)^[ \t>]*(?:[\w*-]+(?:\.[\w-]+)*|\[[0-9a-fA-F:]+\]):(?:\d{4,5}"
    r"|\*):[\w*-]+:[\w.*@-]+:(?P<v>\S{4,})[ \t]*$"
)
_WIFI = compiled(
    r"\bWIFI:(?:[A-OQ-Z]:(?:[^;\\\n]|\\.){0,80};){1,4}P:(?P<v>(?:[^;\\\n]|\\.){4,80});"
)
"""What the code says that a telephone scans to join a network."""
_KUBERNETES_SECRET = compiled(
    r"(?m)^[ \t>]*[\"']?kind[\"']?:\s*[\"']?Secret[\"']?,?\s*$|\"kind\\*\"\s*:\s*\\*\"Secret\\*\""
)
_DATA_BLOCK = compiled(
    r"(?m)^[ \t>]*[\"']?(?:stringData|data)[\"']?:[ \t]*\{?[ \t]*\n((?:[ \t>]+[^\n]*\n?)+)"
)
_DATA_ENTRY = compiled(
    r"(?m)^[ \t>]+[\"']?[\w.-]+[\"']?:[ \t]*[\"']?(?P<v>[^\s\"',{}|>][^\s\"',]{3,})[\"']?,?[ \t]*$"
)
_DATA_SCALAR = compiled(
    r"(?m)^[ \t>]+[\"']?[\w.-]+[\"']?:[ \t]*[|>][+-]?\d?[ \t]*\n(?P<v>(?:[ \t>]{4,}[^\n]+\n?)+)"
)
_DATA_FLOW = compiled(r"\"(?:stringData|data)\\*\"\s*:\s*\{([^{}]*)\}")
_FLOW_ENTRY = compiled(r":\s*\\*\"(?P<v>[^\"\\]{4,})\\*\"")
_COOKIE = compiled(
    r"(?i)\b(?:set-)?cookies?[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?P<v>[^\n]+?)(?:[\"']\s*[,}\])]|\\r"
    r"|\n|$)"
)
_COOKIE_FLAG = compiled(
    r"\b(?:curl|http|wget|xh|httpie)\b[^\n]*?\s(?:-b"
    r"|--cookie)[ =]?[\"'](?P<v>[^\"'\n]{6,1000})[\"']"
)
_COOKIE_PAIR = compiled(r"(?P<name>[\w.%$-]{1,60})=\"?(?P<v>[^;\s\",']{8,})")
_SESSION = compiled(
    r"(?i)\b(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|connect\.sid|sessionid|session_token"
    r"|laravel_session"
    r"|_session|csrftoken|XSRF-TOKEN|sid|ASPXAUTH|grafana_session"
    r"|remember_token)\s?=\s?\"?(?P<v>[A-Za-z0-9%._~+/=:-]{16,})"
)
_SESSION_NAME = compiled(
    r"(?i)sess|sid$|token|auth|csrf|xsrf|jwt|login|remember|credential|secret|passw|aspx|identity"
)
_ACCOUNT = compiled(
    r"(?i)\b(?:login|log(?:ged)? ?in|sign(?:ed)? ?in|credentials?|creds|account|wi-?fi|wlan|vpn"
    r"|ipmi|idrac|ilo|bmc|ssh|rdp|vnc|default user|logins|zugang(?:sdaten)?"
    r"|anmeld\w+|identifiants?|credenciales|credenziali|dostęp|inloggegevens)"
    r"(?P<words>(?:[ \t]+[\w.'-]{1,20}){0,8}?)[ \t]*(?:[:=(]|[ \t](?:is|are|with|as|using|by|use"
    r"|via|mit|avec|con|als|met))?[ \t]*[\"'`(]?"
    r"(?P<user>[\w.@\\-]{2,60})(?:[ \t]?[/|][ \t]?|:)(?P<v>[^\s/\"'`][^\s\"'`]{4,100})"
)
_ANY = Sieve(
    [
        *(_URL, _URL_ODD, _URL_TOKEN, _NETRC, _PGPASS, _JDBC_ORACLE, _WIFI, _KUBERNETES_SECRET),
        *(_COOKIE, _COOKIE_FLAG, _SESSION, _ACCOUNT),
    ]
)


def carried(text: str) -> Found:
    """Every secret in a place that is made for secrets."""
    matches = _ANY.over(text)
    yield from _urls(text, matches)
    for pattern, rule in (
        (_NETRC, "netrc-password"),
        (_PGPASS, "pgpass-password"),
        (_JDBC_ORACLE, "url-password"),
        (_WIFI, "wifi-password"),
    ):
        for match in matches(pattern):
            if not is_placeholder(match.group("v")):
                yield rule, *named_span(match, "v")
    if next(matches(_KUBERNETES_SECRET), None):
        yield from _kubernetes(text)
    yield from _cookies(matches)
    for match in matches(_ACCOUNT):
        start, _ = named_span(match, "v")
        value = match.group("v").rstrip(".,;:!?)]}>\"'`")
        if is_chosen(value):
            yield "account-password", start, start + len(value)


def _urls(text: str, matches: Matches) -> Found:
    if "://" not in text:
        return
    for match in matches(_URL):
        start, end = named_span(match, "v")
        value = match.group("v")
        # A second "@" belongs to the password; a path between them means that it doesn't.
        if not is_placeholder(value) and not ("/" in value and "@" not in value and "?" in value):
            yield "url-password", start, end
    for match in matches(_URL_ODD):
        if not is_placeholder(match.group("v")) and is_chosen(match.group("v")):
            yield "url-password", *named_span(match, "v")
    for match in matches(_URL_TOKEN):
        value = match.group("v")
        if not is_placeholder(value) and (looks_random(value) or jumbled(value)):
            yield "url-password", *named_span(match, "v")


def _kubernetes(text: str) -> Found:
    for block, entries in (
        (_DATA_BLOCK, (_DATA_ENTRY, _DATA_SCALAR)),
        (_DATA_FLOW, (_FLOW_ENTRY,)),
    ):
        for found in block.finditer(text):
            base = found.start(1)
            for entry in entries:
                for match in entry.finditer(found.group(1)):
                    if not is_placeholder(match.group("v").strip()):
                        start, end = named_span(match, "v")
                        start += len(match.group("v")) - len(match.group("v").lstrip())
                        end = base + start + len(match.group("v").strip())
                        yield "kubernetes-secret", base + start, end


def _cookies(matches: Matches) -> Found:
    for pattern in (_COOKIE, _COOKIE_FLAG):
        for header in matches(pattern):
            base = named_span(header, "v")[0]
            for match in _COOKIE_PAIR.finditer(header.group("v")):
                value = match.group("v")
                if is_placeholder(value):
                    continue
                named = bool(_SESSION_NAME.search(match.group("name"))) and not value.isalpha()
                if named or (len(value) >= 20 and looks_random(value)):
                    start, end = named_span(match, "v")
                    yield "session-cookie", base + start, base + end
    for match in matches(_SESSION):
        value = match.group("v")
        if (
            not is_placeholder(value)
            and not is_uuid(value)
            and (looks_random(value) or jumbled(value))
        ):
            yield "session-cookie", *named_span(match, "v")
