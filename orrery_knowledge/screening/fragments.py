"""Instructions in pieces: labelled parts that an agent is told to join, words cut between lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import re2

from orrery_knowledge.screening.canonical import Canonical
from orrery_knowledge.screening.patterns import compiled
from orrery_knowledge.screening.sieve import Matches, Sieve
from orrery_knowledge.screening.variants import VOCABULARY

_JOIN = compiled(
    r"\b(?:concatenate|join|combine|assemble|stitch|glue|append|merge|piece|chain|string"
    r"|put|read|take|decode|reassemble|rebuild|reconstruct|collect|add)\b[^\n]{0,80}\b(?:together"
    r"|in (?:this |that |the )?(?:order|sequence)|as one|and (?:\w+ ){0,2}(?:follow|execute|obey"
    r"|act"
    r"|carry|run|do|comply|treat)|one (?:order|instruction|command|sentence|message|task|request)"
    r"|result|the sentence|into one)\b"
    r"|\b(?:are|is|make|makes|form|forms|give|gives|spell|spells)(?: up| out| together)?"
    r" (?:one|a single|the same|your) (?:sentence|order|instruction|command|message|text|request"
    r"|task)"
    r"|\b(?:do|follow|execute|run|obey|perform|apply)(?:,? (?:and )?[a-z0-9]\b){2,}"
    r"|\bthe (?:first|last|second|initial) (?:word|letter|character)s? of (?:each|every|all|the)\b"
)
_WHOM = compiled(
    r"\b(?:assistants?|agents?|ai|llms?|(?:language )?models?|bots?|chatbots?|copilot)\b"
    r"|\bmeant for you\b|\byour (?:order|task|instruction)s?\b"
)
_PART = compiled(r"[\"'`(]?\b([a-z]{0,12}[._-]?[0-9]{1,2}|[a-z]|[a-z]{1,12}[._][a-z0-9]{1,8})\b")
_FEWEST = 2
"""Labels in an order to join pieces."""
_AT_ONCE = 1_000
"""Labels in one pattern: the engine takes no pattern of any size."""
_REACH = 20
"""How many lines away from the order the pieces lie, at most."""
_CUT = frozenset(word for word in VOCABULARY if len(word) >= 8 and word != "passwords")
_CUT_OFF = compiled(
    r"\b("
    + "|".join(
        sorted({word[:size] for word in _CUT for size in range(4, len(word) - 1)} - VOCABULARY)
    )
    + r")-?[\"' \t,;|)\]}\\]{0,6}\n"
)
_HEADS = compiled(r"(?:^|[:=|\"'\])>,-])\s{0,3}[\"']?([a-z]{1,14})\b")
_BETWEEN = 3
"""Among how many lines the rest of a cut word is looked for."""
ANY = Sieve([_JOIN, _CUT_OFF])
"""What `pieces` and `cut_words` need over the view that they look at."""


@dataclass(frozen=True, slots=True)
class Joined:
    """Two lines of a view with a key word cut between them.

    Attributes:
        text: both, joined where the word was cut.
        lines: their spans.
    """

    text: str
    lines: tuple[tuple[int, int], tuple[int, int]]


def pieces(view: Canonical, matches: Matches) -> Iterator[tuple[int, int]]:
    """Spans of an order to an agent to join pieces, and of the pieces."""
    text = view.text
    lines: list[tuple[int, int]] = []
    place = low = 0
    high = -1
    for match in matches(_JOIN):
        if match.start() < high:
            continue  # The line was read from its first order on.
        before, low = low, text.rfind("\n", 0, match.start()) + 1
        place += text.count("\n", before, low)
        stop = text.find("\n", match.end())
        high = len(text) if stop < 0 else stop
        if not _WHOM.search(text[low:high]):
            continue
        lines = lines or list(_lines(text))
        yield low, high
        near = lines[max(0, place - _REACH) : place + _REACH + 1]
        yield from _labelled(text, near, text[match.start() : high], (low, high))


def cut_words(view: Canonical, matches: Matches) -> Iterator[Joined]:
    """Pairs of lines between which a key word was cut."""
    text = view.text
    for tail in matches(_CUT_OFF):
        low = text.rfind("\n", 0, tail.start()) + 1
        start = tail.end()
        for _ in range(_BETWEEN):
            stop = text.find("\n", start)
            end = len(text) if stop < 0 else stop
            line = text[start:end]
            for head in _HEADS.finditer(line[:200]):
                if tail.group(1) + head.group(1) in _CUT:
                    joined = text[low : tail.end(1)] + line[head.start(1) :]
                    yield Joined(joined, ((low, tail.end() - 1), (start, end)))
                    break
            start = min(end + 1, len(text))


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


def _labelled(
    text: str, lines: list[tuple[int, int]], order: str, own: tuple[int, int]
) -> Iterator[tuple[int, int]]:
    labels = {match.group(1) for match in _PART.finditer(order)}
    labels = {label for label in labels if not label.isdigit()}
    if len(labels) < _FEWEST:
        return
    words = sorted(labels)
    keys = [
        _keys("|".join(map(re2.escape, words[first : first + _AT_ONCE])))
        for first in range(0, len(words), _AT_ONCE)
    ]
    for start, end in lines:
        if (start, end) != own and any(key.search(text[start:end]) for key in keys):
            yield start, end


def _keys(labels: str) -> Any:
    return compiled(rf"(?:^|[\s\"'\[({{|,;</])(?:{labels})[\"'`\])}}>]?\s?[:=|)\].>/]")
