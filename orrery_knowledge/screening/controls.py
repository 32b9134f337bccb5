"""Characters that steer a terminal or show nothing: what leaves screening holds none of them.

Passages are printed by people's terminals and read by models. A sequence goes whole, so that a
pasted coloured log keeps its words. Sequences that colour text, and single stray characters, are
removed without a word; those that retitle, link, write the clipboard, move the cursor or print
one text over another are findings, because a reader was to see something else than what is there.

The sequences are those of ECMA-48 (CSI, OSC, DCS, SOS, PM, APC; 7-bit and 8-bit forms).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from orrery_knowledge.screening.findings import Edit, Finding, run, searchable
from orrery_knowledge.screening.patterns import compiled

SEQUENCE = (
    r"\x1b\[[0-?]*[ -/]*[@-~]"
    # A string without its end would swallow what follows: then only its beginning is removed.
    r"|\x1b[\]PX^_][^\x00-\x08\x0a-\x1f\x7f-\x{9f}]*(?:\x07|\x1b\\|\x{9c})"
    r"|\x1b[ -/]*[0-~]"
    # With parameters only: alone, these two are mostly what is left of a wrong decoding.
    r"|\x{9b}[0-?]+[ -/]*[@-~]"
    r"|\x{9d}[0-9]{1,5};[^\x00-\x08\x0a-\x1f\x7f-\x{9f}]*(?:\x07|\x1b\\|\x{9c})"
)
"""One whole terminal sequence."""

# Runs of a sort are one match each: on a text of nothing else, matches are what takes time.
_STEERING = compiled(
    rf"(?:{SEQUENCE})+|(?:\r+\n?)+|\x08+|[\x0b\x0c\x{{85}}]+|\x1b+"
    r"|[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f-\x{84}\x{86}-\x{9f}]+"
)
_SEQUENCES = compiled(rf"(?:{SEQUENCE})+")
_UNSEEN = compiled(
    r"[\x{ad}\x{34f}\x{61c}\x{115f}\x{1160}\x{17b4}\x{17b5}\x{180b}-\x{180f}\x{200b}\x{200e}"
    r"\x{200f}\x{202a}-\x{202e}\x{2060}-\x{206f}\x{3164}\x{feff}\x{ffa0}\x{fff9}-\x{fffb}"
    r"\x{1d173}-\x{1d17a}\x{e0080}-\x{e00ff}\x{e01f0}-\x{e0fff}]+"
)
_JOINERS = compiled(r"[\x{200c}\x{200d}\x{fe00}-\x{fe0f}\x{e0100}-\x{e01ef}]+")
_MAX_JOINERS = 2
"""A variation selector and a joiner, as between two emoji."""
_JOINED_ASCII = frozenset("0123456789#*")
"""The ASCII characters that Unicode makes emoji of."""
_HARMLESS = compiled(
    r"(?:(?:\x1b\[|\x{9b})(?:[0-9;:]*m|[0-2]?K|\?(?:25|2004)[hl])|\x1b[()][0-9A-Z]|\x1b[=>78])+"
)
"""Colours, erased rests of lines, a hidden cursor, marked pastes, character sets."""
_ORDINARY = b"\t\n" + bytes(range(0x20, 0x7F))


def edits(text: str) -> Sequence[Edit]:
    """The stage: what to remove from a text. Linear in its length."""
    if text.isascii() and not text.encode().translate(None, _ORDINARY):
        return ()
    raw = searchable(text)
    found = [_steering(match.group(), *match.span()) for match in _STEERING.finditer(raw)]
    if not raw.isascii():
        found += [
            _silent(match.start(), match.end(), "invisible-character")
            for match in _UNSEEN.finditer(raw)
        ]
        for match in _JOINERS.finditer(raw):
            start, end = match.span()
            before = raw[start - 1 : start]
            if before and (not before.isascii() or before in _JOINED_ASCII):
                start = min(start + _MAX_JOINERS, end)
            if start < end:
                found.append(_silent(start, end, "invisible-character"))
    return found


def noticed(text: str) -> list[Finding]:
    """What is removed without a finding: the first place of each sort, as a warning to an author.

    Line ends of two characters and a byte order mark in front are nobody's mistake.
    """
    firsts: dict[str, Edit] = {}
    for edit in sorted(edits(text), key=lambda edit: edit.start):
        ordinary = not text[edit.start : edit.end].replace("\r\n", "") or (
            edit.start == 0 and text[: edit.end] == "\ufeff"
        )
        if edit.found is None and not ordinary:
            firsts.setdefault(edit.rule, edit)
    breaks = [place for place, char in enumerate(text) if char == "\n"] if firsts else []
    return [
        Finding(
            kind=edit.kind,
            rule=rule,
            line=bisect_right(breaks, edit.start - 1) + 1,
            start=edit.start,
            end=edit.end,
            preview=f"{rule}: {edit.end - edit.start} characters",
        )
        for rule, edit in firsts.items()
    ]


def label_text(text: str) -> str:
    """A text for a label or a title: no control or invisible character, and no line break."""
    return run(text, edits).text.replace("\n", " ").replace("\t", " ")


def _steering(found: str, start: int, end: int) -> Edit:
    first = found[0]
    if first in "\r\x0b\x0c\x85":
        rule = "carriage-return" if first == "\r" else "control-character"
        return _silent(start, end, rule, _line_ends(found))
    if first == "\x08":
        return Edit(start, end, "", "hidden", "overprinting", (start, end))
    if _HARMLESS.fullmatch(found):
        return _silent(start, end, "terminal-colour")
    if _SEQUENCES.fullmatch(found):
        return Edit(start, end, "", "hidden", "terminal-sequence", (start, end))
    return _silent(start, end, "control-character")


def _line_ends(run_of_ends: str) -> str:
    if run_of_ends[0] != "\r":
        return "\n" * len(run_of_ends)
    while "\r\r" in run_of_ends:
        run_of_ends = run_of_ends.replace("\r\r", "\r")
    return run_of_ends.replace("\r\n", "\n").replace("\r", "\n")


def _silent(start: int, end: int, rule: str, replacement: str = "") -> Edit:
    return Edit(start, end, replacement, "hidden", rule)
