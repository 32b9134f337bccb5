"""What a screening stage reports, and the one place where a text is changed.

A finding names a rule and a place. It never holds the bytes that it found: reports, logs and
spans show findings, and must not become a second copy of a secret or of a hostile instruction.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

Kind = Literal["injection", "credential", "personal", "hidden"]

_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")

MAX_ROUNDS = 6
"""How often a stage looks at its own output before it gives up and withholds everything."""

UNSTABLE = "[withheld: text that changes its meaning when screened]"


class Finding(BaseModel):
    """One thing that was found.

    Attributes:
        kind: what was found; ``injection`` and ``hidden`` taint a document.
        rule: name of the rule, stable across versions where its meaning is.
        line: line in the screened raw text, from 1.
        start: offset of the first character in the raw text.
        end: offset behind the last character.
        preview: for people; names the rule and the length, never what was found.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind
    rule: str
    line: int
    start: int
    end: int
    preview: str


class Screened(BaseModel):
    """A text after a stage, with what the stage found in the text before it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    findings: tuple[Finding, ...] = ()

    @property
    def tainted(self) -> bool:
        """Whether the text tried to instruct an agent, or hid something from its readers."""
        return any(finding.kind in ("injection", "hidden") for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace ``text[start:end]``; `found` is where the cause lies, and None for a silent edit."""

    start: int
    end: int
    replacement: str
    kind: Kind
    rule: str
    found: tuple[int, int] | None = None


Stage = Callable[[str], Sequence[Edit]]
"""Looks at a text and says what to change; no edit means that the text is clean."""


class _Shift:
    """Maps offsets of an edited text back to the text before the edits."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._starts: list[int] = []
        self._edits = edits
        grown = 0
        self._after: list[int] = []
        for edit in edits:
            self._starts.append(edit.start + grown)
            grown += len(edit.replacement) - (edit.end - edit.start)
            self._after.append(grown)

    def back(self, offset: int, *, end: bool) -> int:
        index = bisect_right(self._starts, offset - 1 if end else offset) - 1
        if index < 0:
            return offset
        edit = self._edits[index]
        if offset - self._starts[index] < len(edit.replacement) + (1 if end else 0):
            return edit.end if end else edit.start
        return offset - self._after[index]


def _apply(text: str, edits: Sequence[Edit]) -> tuple[str, list[Edit]]:
    """Apply edits; where two overlap, the one that begins first wins and grows over the other."""
    merged: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if merged and edit.start < merged[-1].end:
            last = merged[-1]
            if edit.end > last.end:
                merged[-1] = Edit(
                    last.start, edit.end, last.replacement, last.kind, last.rule, last.found
                )
            continue
        merged.append(edit)
    pieces: list[str] = []
    position = 0
    for edit in merged:
        pieces += (text[position : edit.start], edit.replacement)
        position = edit.end
    pieces.append(text[position:])
    return "".join(pieces), merged


def run(text: str, *stages: Stage) -> Screened:
    """Run stages in order until none of them changes anything.

    The result is a fixed point, so that screening it again changes nothing: a guard screens what
    retrieval has screened already. A text that is still changing after `MAX_ROUNDS` is withheld.
    """
    line_starts: list[int] = []
    found: dict[tuple[str, str, int, int], Finding] = {}
    shifts: list[_Shift] = []
    current = text
    for _ in range(MAX_ROUNDS):
        before = current
        for stage in stages:
            edits = stage(current)
            if not edits:
                continue
            for edit in edits:
                if edit.found is None:
                    continue
                start, end = edit.found
                for shift in reversed(shifts):
                    start, end = shift.back(start, end=False), shift.back(end, end=True)
                line_starts = line_starts or _line_starts(text)
                key = (edit.kind, edit.rule, start, end)
                found.setdefault(
                    key,
                    Finding(
                        kind=edit.kind,
                        rule=edit.rule,
                        line=bisect_right(line_starts, start),
                        start=start,
                        end=end,
                        preview=f"{edit.rule}: {end - start} characters",
                    ),
                )
            current, merged = _apply(current, edits)
            shifts.append(_Shift(merged))
        if current == before:
            break
    else:
        current = UNSTABLE
        if not any(finding.kind in ("injection", "hidden") for finding in found.values()):
            found["hidden", "unstable", 0, len(text)] = Finding(
                kind="hidden",
                rule="unstable",
                line=1,
                start=0,
                end=len(text),
                preview=f"unstable: {len(text)} characters",
            )
    ordered = sorted(found.values(), key=lambda f: (f.start, f.end, f.kind, f.rule))
    return Screened(text=current, findings=tuple(ordered))


def _line_starts(text: str) -> list[int]:
    starts = [0]
    position = text.find("\n")
    while position >= 0:
        starts.append(position + 1)
        position = text.find("\n", position + 1)
    return starts


def searchable(text: str) -> str:
    """The same text, character for character, in a form that UTF-8 can carry.

    Lone surrogates can't be encoded; the pattern engine works on UTF-8. They become U+FFFD, one
    for one, so that offsets stay what they are.
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.translate(_SURROGATES)
    return text


def named_span(match: Any, name: str) -> tuple[int, int]:
    """The span of a named group; re2's own `span` takes numbers only."""
    start, end = match.span(_number(match.re, name))
    return start, end


@lru_cache(maxsize=1024)
def _number(pattern: Any, name: str) -> int:
    return int(pattern.groupindex[name])


def word_set(text: str) -> frozenset[str]:
    """A table of words, written as a text so that it stays readable."""
    return frozenset(text.split())
