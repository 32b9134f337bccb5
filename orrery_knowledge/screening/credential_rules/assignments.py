"""Names with values: configuration, code, XML, options, query parameters, structured output.

The rules are about syntax (where does a value begin and end?) and about names (is it the name of a
secret?); `placeholders` says what is no secret in spite of its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from orrery_knowledge.screening.credential_rules import names
from orrery_knowledge.screening.credential_rules.names import KEYWORD
from orrery_knowledge.screening.credential_rules.secrecy import is_argument, is_secret
from orrery_knowledge.screening.credential_rules.shapes import is_chosen
from orrery_knowledge.screening.findings import named_span
from orrery_knowledge.screening.patterns import compiled
from orrery_knowledge.screening.placeholders import (
    is_placeholder,
    looks_random,
)
from orrery_knowledge.screening.sieve import Sieve

Found = Iterator[tuple[str, int, int]]
"""Rule, start and end of each secret."""

_QUOTE = r"(?:\\{0,15}[\"'])"
"""A quote; inside of a string of JSON (inside of a string ...) it stands behind backslashes."""
_ESCAPED = r"\\{1,15}\"[^\"\n]*?\\{1,15}\"|\\{1,15}'[^'\n]*?\\{1,15}'"
_QUOTED = (
    rf"\"\"\"[^\"\n]{{1,400}}\"\"\"|{_ESCAPED}|&quot;[^\n]{{1,200}}?&quot;"
    r"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`"
)
_KEY = (
    r"(?P<key>[\w$.@/-]{0,60}?"
    + KEYWORD
    + r"(?:[_.-][\w.-]{1,30}|Key|Value|Hash|Text|(?-i:[A-Z][a-z]{1,15})|[0-9]{1,2})?)"
)
_CLOSE = r"(?P<close>(?:\\{0,15}[\"'\]})]){0,3})"
_TYPE = r":[ \t]?[A-Za-z][\w.\[\]<>?*| ]{0,30}?[ \t]?=[ \t]?"
_ASSIGNMENT = compiled(
    rf"(?i){_KEY}{_CLOSE}"
    rf"(?P<sep>[ \t]{{0,24}}(?:=>|:=|\?=|\+=|==?|::?|：)[ \t]{{0,24}}(?:!!str[ \t]|!!binary[ \t]"
    rf"|!unsafe[ \t])?|{_TYPE}"
    rf"|[ \t]string[ \t]=[ \t]"
    rf"|{_QUOTE}[ \t]{{0,24}},[ \t]{{0,24}}|>)"
    rf"(?P<value>[frbuLN@$]?(?:{_QUOTED})|[^\s\"'`,;<>][^\s\"'`,;<>]*)"
)
_WITHIN = compiled(
    rf"(?i){_KEY}(?P<close>{_QUOTE}?)"
    rf"(?P<sep>[ \t]{{0,4}}[:=][ \t]{{0,4}}(?:\{{\s{{0,40}}|\n[ \t]{{1,40}}))"
    rf"(?P<beside>(?:{_QUOTE}?\w{{1,30}}{_QUOTE}?[ \t]{{0,4}}[:=][ \t]{{0,4}}"
    rf"(?:\"[^\"\n]{{0,60}}\"|'[^'\n]{{0,60}}'|[\w./-]{{1,60}})"
    rf"(?:,\s{{0,40}}|\n[ \t]{{1,40}})){{0,3}}?)"
    rf"{_QUOTE}?(?:plain|plain_?text|clear_?text|value|text|raw|current|decoded|string){_QUOTE}?"
    rf"[ \t]{{0,4}}[:=][ \t]{{0,4}}(?P<value>{_QUOTED}|[^\s\"'`,;<>{{}}]+)"
)
"""A value one level below its name: ``"password": {"plain": "..."}``."""
_INNER = ("plain", "value", "text", "raw", "current", "decoded", "string")
"""One of these stands in whatever `_WITHIN` matches."""
_OTHER = compiled(
    r"(?i)(?:name|key|field|type)\W{1,12}(?:user|login|account|host|url|uri|port|database|db_?(?:name"
    r"|user|host)|email|region|id\b)"
)
"""What stands beside such a value says that it is something else: ``{"name": "user", ...}``."""
_REVERSED = compiled(
    rf"(?i)\bvalue{_QUOTE}?[ \t]*(?P<sep>[:=])[ \t]*"
    rf"(?P<value>{_ESCAPED}|\"[^\"\n]*\"|'[^'\n]*'|[^\s\"',<>]+)(?P<close>)"
    rf"[ \t]*,?\s{{1,40}}{_QUOTE}?(?:name|key|id|property){_QUOTE}?[ \t]*[:=][ \t]*{_QUOTE}?"
    rf"(?P<key>[\w.-]{{0,60}}{KEYWORD}[\w.-]{{0,20}}?)(?:[\s\"',}}/\\]|$)"
)
_REVERSED_ELEMENTS = compiled(
    rf"(?i)<value>(?P<value>[^<\n]+)</value>\s{{0,40}}<(?:name|key)>(?P<key>[\w.-]{{0,60}}"
    rf"{KEYWORD}[\w.-]{{0,20}})</"
)
"""A pair whose value comes first: ``value: ...``, and below it ``name: DB_PASSWORD``."""
_VARIABLE = compiled(
    r"(?i)\bvariable\s+\"(?P<key>[\w-]{0,60}"
    + KEYWORD
    + r"[\w-]{0,20})\"\s*\{[^{}]{0,300}?\bdefault(?P<sep>\s*=\s*)(?P<value>\"[^\"\n]*\")(?P<close>)"
)
"""HCL: ``variable "db_password" { default = "..." }``."""
_CALLED = compiled(
    rf"(?i)(?P<key>\b(?:set|with|add|use)?[A-Za-z_.]{{0,30}}{KEYWORD})(?P<close>)"
    rf"(?P<sep>[ \t]?\([ \t\n]{{0,8}}|[ \t]+)(?P<value>{_QUOTED})"
)
"""A call or a directive with a quoted value: ``setPassword("...")``, ``psk "..."``."""
_NAMED = compiled(
    rf"(?i)\b(?:name|key){_QUOTE}?\s*[:=]\s*{_QUOTE}?(?P<key>[\w.-]{{0,60}}"
    + KEYWORD
    + rf"[\w.-]{{0,20}}){_QUOTE}?,?\s*\n?\s*"
    rf"(?:{_QUOTE}?\w{{1,30}}{_QUOTE}?\s*:\s*(?:true|false|null|\d+"
    rf"|\"[^\"\n]{{0,60}}\"),?\s*){{0,3}}"
    rf"{_QUOTE}?value{_QUOTE}?\s*[:=](?P<sep>\s*)"
    rf"(?P<value>{_ESCAPED}|\"[^\"\n]*\"|'[^'\n]*'|[^\s\"',]+)(?P<close>)"
)
_ENVIRONMENT = compiled(
    rf"(?im)^[ \t>]*(?:ENV|ARG|setenv|SetEnv|fastcgi_param|uwsgi_param|passenv|env)[ \t]+{_KEY}"
    rf"(?P<close>)(?P<sep>[ \t]+)(?P<value>{_QUOTED}|[^\s\"'`;]+)"
)
"""A line that sets a variable without an equals sign: Dockerfile, csh, Apache, nginx."""
_INPUT = compiled(
    rf"(?i)<[^<>\n]{{0,120}}\s(?:type|name|id)=[\"']?(?P<key>[\w.-]{{0,60}}{KEYWORD}[\w.-]{{0,20}})"
    rf"(?P<close>[\"']?)[^<>\n]{{0,120}}?\svalue(?P<sep>=)(?P<value>\"[^\"\n]*\"|'[^'\n]*')"
)
_BLOCK = compiled(
    rf"(?im)^(?P<lead>[ \t>#-]*)[\"']?{_KEY}[\"']?(?P<close>)(?P<sep>[ \t]*[:=][ \t]*"
    r"(?:(?:[|>][+-]?\d?[ \t]*|\"\"\"|''')?\n[ \t>]+"
    r"|<<[-~]?['\"]?\w+['\"]?\n[ \t]*))(?P<value>[^\n]+)"
)
"""A value on the line below its name: block scalars, heredocs, broken lines."""
_NAME = rf"[\w.-]{{0,60}}{KEYWORD}[\w.-]{{0,20}}"
_ELEMENT = compiled(
    rf"(?i)(?:(?:key|name|property|id)=[\"'](?P<key>{_NAME})[\"'][^<>\n]{{0,80}}>"
    rf"|<(?:key|name)>(?P<key2>{_NAME})</(?:key|name)>\s{{0,20}}<(?:string|value)>"
    rf"|<(?P<key3>{_NAME})(?:\s[^<>\n]{{1,80}}>|>\s{{0,20}}<value>)"
    rf"|<t[dh]>(?P<key4>{_NAME}):?</t[dh]>\s{{0,20}}<td>)"
    r"(?P<value>[^<\n]+)</"
)
"""An element with a value, whose name stands in an attribute, in its own or the one before it."""
_ENCODED = compiled(
    rf"(?i){_KEY}(?P<close>(?:%22)?)(?P<sep>(?:%3D|%3A)(?:%20|\+)?(?:%22)?)"
    r"(?P<value>[^\s&\"'%]{4,}(?:%(?:2[013-57-9A-F]|[3-7][0-9A-F])[^\s&\"'%]*)*)"
)
"""In a query or JSON that is percent-encoded."""
_FLAG = compiled(
    r"(?i)(?:^|[\s\[(,\"'])(?P<key>(?:--?|/)[\w-]{0,40}(?:password|passwd|passphrase|passcode"
    r"|pass|pwd"
    r"|psk|secret|token|api-?key|apikey|access-?key|secret-?key|auth-?key|private-?key"
    r"|encryption-?key|account-?key|auth|credentials?|license-?key|community|cookie|passin"
    r"|passout))"
    rf"{_QUOTE}?(?P<sep>[ \t]*,[ \t]*|[ \t]+(?:\\\n[ \t]*)?|:)"
    rf"(?P<value>{_QUOTED}|[^\s\"'|;&<>]+)(?P<close>)"
)
_DIRECTIVE = compiled(
    rf"(?i)(?:^|[^\w])(?P<key>[\w.-]{{0,40}}(?:{KEYWORD}|requirepass|masterauth))(?P<close>)"
    r"(?P<sep>(?:[ \t]+|[ \t]*(?:\||->|→|~)[ \t]*)(?:[0-9][ \t]+)?)(?P<value>[^\s\"'`,;<>|]{6,})"
)
"""A name and a value with nothing but space between: only for values that are no words."""
_CONTINUED = compiled(r"^[,;]?(?:\s|$|[\"']?[A-Za-z_][\w.-]*[\"']?\s?[=:])")
_KEY_END = compiled(r"\\*[\"']\s*(?::|=>)")
_QUERY = compiled(r"&[\w.\[\]-]{1,40}=")
_WORTH = compiled(rf"(?i){KEYWORD}|requirepass|masterauth|passin|passout")
_BELOW = 12
"""Lines of a block that belong to the name above them."""
_NESTED = compiled(r"^(?:- |[\w\"'.-]+\s*[:=](?:\s|$))")
_WINDOW = 300
_ANY_REVERSED = Sieve([_REVERSED, _REVERSED_ELEMENTS])
_RARE = (_NAMED, _VARIABLE, _FLAG, _BLOCK, _ENVIRONMENT, _INPUT, _ELEMENT)
_ANY_RARE = Sieve(_RARE)
"""The others of `_assigned` are frequent, or too large to be part of a choice."""


def assigned(text: str) -> Found:
    """Every secret that stands behind its name."""
    for offset, lines in _named_lines(text):
        for rule, start, end in _assigned(lines):
            yield rule, offset + start, offset + end
    matches = _ANY_REVERSED.over(text)
    for match in chain(matches(_REVERSED), matches(_REVERSED_ELEMENTS)):
        value = match.group("value")
        quoted = value[:1] in "\\\"'"
        bare = value.strip("\\\"'")
        if is_secret(match.group("key"), "=", bare, "", quoted=quoted):
            start = named_span(match, "value")[0] + value.index(bare)
            yield _rule(match.group("key")), start, start + len(bare)


def _named_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that hold a name of a secret, with those below them.

    The patterns are slow on text without any name, and most text has none.
    """
    begin = end = -1
    for match in _WORTH.finditer(text):
        if match.start() < end:
            continue
        start = text.rfind("\n", 0, match.start()) + 1
        stop = start
        for _ in range(_BELOW):
            stop = text.find("\n", stop) + 1
            if stop == 0:
                stop = len(text)
                break
        if start > end:
            if end >= 0:
                yield begin, text[begin:end]
            begin = start
        end = max(end, stop)
    if end >= 0:
        yield begin, text[begin:end]


def _assigned(text: str) -> Found:
    rarely = _ANY_RARE.over(text)
    folded = text.casefold()
    within = any(word in folded for word in _INNER)
    for pattern in (
        _ASSIGNMENT,
        _NAMED,
        _WITHIN,
        _VARIABLE,
        _FLAG,
        _CALLED,
        _DIRECTIVE,
        _BLOCK,
        _ENCODED,
        _ENVIRONMENT,
        _INPUT,
    ):
        if (pattern is _WITHIN and not within) or (pattern is _ENCODED and "%3" not in text):
            continue
        for match in rarely(pattern) if pattern in _RARE else pattern.finditer(text):
            key, close, sep = match.group("key"), match.group("close"), match.group("sep")
            start, end = named_span(match, "value")
            value = match.group("value")
            if value[:1] in "frbuLN@$" and value[1:2] in ("'", '"') and value[-1:] == value[1]:
                start, value = start + 1, value[1:]
            if value.startswith("&quot;"):
                start, end, value = start + 5, end - 5, '"' + value[6:-6] + '"'
            if value.startswith("\\") and value[-1] in "\"'":
                # Without the backslashes before its quotes it is quoted like any other.
                bare = value.lstrip("\\")
                start, value = end - len(bare), bare[:-1].rstrip("\\") + bare[-1]
                end = start + len(value)
            if pattern is _WITHIN and _OTHER.search(match.group("beside")):
                continue
            quoted = len(value) >= 2 and value[0] in "\"'`" and value[-1] == value[0]
            if (
                quoted
                and pattern not in (_NAMED, _WITHIN, _INPUT, _VARIABLE, _BLOCK)
                and value[0] == text[match.start() - 1 : match.start()]
                and value[0] not in close + sep
            ):
                # The quote before the key is still open: what follows ends that string.
                continue
            if value in ("{", "[") and text[end : end + 1] in ("", " ", "\n", "\t", '"', "'", "}"):
                # A dict or a list begins: what is in it has names of its own.
                continue
            if pattern is _BLOCK:
                if names.is_setting(key) or not _is_block(key, sep, value):
                    continue
                end = _block_end(text, start, len(match.group("lead")), sep)
                yield _rule(key), start, end
                continue
            if quoted:
                while len(value) >= 2 and value[0] in "\"'`" and value[-1] == value[0]:
                    start, end, value = start + 1, end - 1, value[1:-1]
            else:
                if pattern is _ASSIGNMENT and names.is_password(key):
                    end = _bare_end(text, match.start(), start, end, sep)
                    value = text[start:end]
                bare = value.rstrip(").]}\\") if pattern is not _FLAG else value
                value, end = bare, start + len(bare)
            rest = text[end : end + 60].split("\n", 1)[0]
            before = text[max(0, match.start() - 8) : max(0, match.start() - 1)]
            if "," in sep and not (
                quoted and (is_chosen(value) or before.rstrip()[-1:] in ("(", "["))
            ):
                # A list of names has the same form as a pair of arguments.
                continue
            if sep == ">" and not text.startswith("<", end):
                # `<password>` as a placeholder, and no element with a value.
                continue
            if "," in sep and _KEY_END.match(rest):
                # {"name": "DB_PASSWORD", "note": ...}: what follows is the next key.
                continue
            if pattern in (_CALLED, _DIRECTIVE):
                hit = is_argument(key, sep, value, pattern is _CALLED)
            elif (
                pattern is _FLAG
                and not quoted
                and ((value.startswith("-") and value[1:2].islower()) or value.startswith("--"))
            ):
                hit = False
            else:
                hit = is_secret(
                    key, "=" if pattern is _ENVIRONMENT else sep, value, rest, quoted=quoted
                )
            if hit:
                yield _rule(key), start, end

    for match in rarely(_ELEMENT):
        key = next(
            match.group(name) for name in ("key", "key2", "key3", "key4") if match.group(name)
        )
        value = match.group("value")
        if is_secret(key, "=", value, "", quoted=True):
            yield _rule(key), *named_span(match, "value")


def _rule(key: str) -> str:
    return "password" if names.is_password(key) else "secret"


def _bare_end(text: str, begin: int, start: int, end: int, sep: str) -> int:
    """Where an unquoted password ends: it may hold quotes, commas and brackets."""
    # A window, so that a line of any length is read in linear time.
    line = text[end : end + _WINDOW].split("\n", 1)[0]
    head = text[max(0, begin - _WINDOW) : start].rpartition("\n")[2]
    option = text[max(0, begin) : start].lstrip(" \t[(,\"'").startswith("--")
    opened = {quote for quote in "\"'`" if head.count(quote) % 2}
    close = line.find("}")
    if (
        sep.strip() == "="
        and text[start] == "{"
        and close >= 0
        and line[close + 1 : close + 2] in ("", ";", '"', "'")
    ):
        # ODBC: braces round a value that holds anything.
        return end + close
    query = "?" in head or "&" in head
    for offset, char in enumerate(line):
        if char.isspace() or char in opened:
            return _trim(text, start, end + offset)
        if char in ",;" and not option and _CONTINUED.match(line[offset : offset + 60]):
            return _trim(text, start, end + offset)
        if char == "<" and (
            line[offset + 1 : offset + 2] in ("/", "!") or line[offset : offset + 4] == "<br>"
        ):
            return _trim(text, start, end + offset)
        if char == ">" and "<" in head:
            return _trim(text, start, end + offset)
        if char == "&" and query and _QUERY.match(line[offset : offset + 50]):
            return _trim(text, start, end + offset)
    return _trim(text, start, end + len(line))


def _trim(text: str, start: int, end: int) -> int:
    value = text[start:end]
    if value[-1:] in "\"'`" and value.count(value[-1]) == 1:
        return end - 1
    return end


def _is_block(key: str, separator: str, value: str) -> bool:
    """Whether the line below a name is its value and not a nested mapping or a list."""
    bare = value.strip().strip("\"'`,")
    if len(bare) < 4 or is_placeholder(bare):
        return False
    if separator.strip(" \t\n>=:"):
        # A block scalar or a heredoc: nothing but the value can stand there.
        return names.is_password(key) or is_chosen(bare) or looks_random(bare)
    if _NESTED.search(value.strip()):
        return False
    return looks_random(bare) or (" " not in bare and value.strip()[0] in "\"'" and is_chosen(bare))


def _block_end(text: str, start: int, indent: int, separator: str) -> int:
    """Behind the last line that stands deeper than the name; of a plain value, its own line."""
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    if not separator.strip(" \t\n>=:"):
        return start + len(text[start:end].rstrip(" \t\"',;"))
    while end < len(text):
        stop = text.find("\n", end + 1)
        stop = len(text) if stop < 0 else stop
        line = text[end + 1 : stop]
        if not line.strip() or len(line) - len(line.lstrip(" \t>")) <= indent:
            break
        end = stop
    return end
