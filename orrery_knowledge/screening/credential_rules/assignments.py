"""Names with values: configuration, code, XML, options, query parameters, structured output.

The rules are about syntax (where does a value begin and end?) and about names (is it the name of a
secret?); `placeholders` says what is no secret in spite of its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from orrery_knowledge.screening.credential_rules import names
from orrery_knowledge.screening.credential_rules.assignment_forms import (
    ASSIGNMENT,
    BLOCK,
    CALLED,
    DIRECTIVE,
    ELEMENT,
    ENCODED,
    ENVIRONMENT,
    FLAG,
    INNER,
    INPUT,
    NAMED,
    OTHER,
    REVERSED,
    REVERSED_ELEMENTS,
    VARIABLE,
    WITHIN,
)
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

_CONTINUED = compiled(r"^[,;]?(?:\s|$|[\"']?[A-Za-z_][\w.-]*[\"']?\s?[=:])")
_KEY_END = compiled(r"\\*[\"']\s*(?::|=>)")
_QUERY = compiled(r"&[\w.\[\]-]{1,40}=")
_WORTH = compiled(rf"(?i){KEYWORD}|requirepass|masterauth|passin|passout")
_BELOW = 12
"""Lines of a block that belong to the name above them."""
_NESTED = compiled(r"^(?:- |[\w\"'.-]+\s*[:=](?:\s|$))")
_WINDOW = 300
_ANY_REVERSED = Sieve([REVERSED, REVERSED_ELEMENTS])
_RARE = (NAMED, VARIABLE, FLAG, BLOCK, ENVIRONMENT, INPUT, ELEMENT)
_ANY_RARE = Sieve(_RARE)
"""The others of `_assigned` are frequent, or too large to be part of a choice."""


def assigned(text: str) -> Found:
    """Every secret that stands behind its name."""
    for offset, lines in _named_lines(text):
        for rule, start, end in _assigned(lines):
            yield rule, offset + start, offset + end
    matches = _ANY_REVERSED.over(text)
    for match in chain(matches(REVERSED), matches(REVERSED_ELEMENTS)):
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
    within = any(word in folded for word in INNER)
    for pattern in (
        ASSIGNMENT,
        NAMED,
        WITHIN,
        VARIABLE,
        FLAG,
        CALLED,
        DIRECTIVE,
        BLOCK,
        ENCODED,
        ENVIRONMENT,
        INPUT,
    ):
        if (pattern is WITHIN and not within) or (pattern is ENCODED and "%3" not in text):
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
            if pattern is WITHIN and OTHER.search(match.group("beside")):
                continue
            quoted = len(value) >= 2 and value[0] in "\"'`" and value[-1] == value[0]
            if (
                quoted
                and pattern not in (NAMED, WITHIN, INPUT, VARIABLE, BLOCK)
                and value[0] == text[match.start() - 1 : match.start()]
                and value[0] not in close + sep
            ):
                # The quote before the key is still open: what follows ends that string.
                continue
            if value in ("{", "[") and text[end : end + 1] in ("", " ", "\n", "\t", '"', "'", "}"):
                # A dict or a list begins: what is in it has names of its own.
                continue
            if pattern is BLOCK:
                if names.is_setting(key) or not _is_block(key, sep, value):
                    continue
                end = _block_end(text, start, len(match.group("lead")), sep)
                yield _rule(key), start, end
                continue
            if quoted:
                while len(value) >= 2 and value[0] in "\"'`" and value[-1] == value[0]:
                    start, end, value = start + 1, end - 1, value[1:-1]
            else:
                if pattern is ASSIGNMENT and names.is_password(key):
                    end = _bare_end(text, match.start(), start, end, sep)
                    value = text[start:end]
                bare = value.rstrip(").]}\\") if pattern is not FLAG else value
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
            if pattern in (CALLED, DIRECTIVE):
                hit = is_argument(key, sep, value, pattern is CALLED)
            elif (
                pattern is FLAG
                and not quoted
                and ((value.startswith("-") and value[1:2].islower()) or value.startswith("--"))
            ):
                hit = False
            else:
                hit = is_secret(
                    key, "=" if pattern is ENVIRONMENT else sep, value, rest, quoted=quoted
                )
            if hit:
                yield _rule(key), start, end

    for match in rarely(ELEMENT):
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
