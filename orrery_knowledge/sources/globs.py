"""Globs over paths: which files a source lists, and which folders it need not enter.

A glob is matched segment by segment against a POSIX path below the source's root:

* ``*`` and ``?`` match within one segment, ``[abc]`` and ``[!abc]`` one character of it;
* ``**`` is a segment of its own and stands for any number of folders, none included; at the end
  it stands for everything below;
* matching is case-sensitive;
* a wildcard never matches the dot that a hidden name begins with: write it out
  (``.github/**/*.md``). In an exclusion it does, and an exclusion that matches a folder leaves
  out all that is in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import re2

_ANY_DEPTH = "**"
_State = tuple[int, int]


def parse_glob(glob: str) -> tuple[str, ...]:
    """Split a glob into its segments.

    Raises:
        ValueError: the glob could never match, or would not mean what it looks like.
    """
    if not glob or "\x00" in glob:
        raise ValueError("a glob must not be empty")
    if glob.startswith("/") or "\\" in glob:
        raise ValueError(f"glob {glob!r}: write it relative to the source, with /")
    if glob.startswith("!"):
        raise ValueError(f"glob {glob!r}: list what to leave out under exclude")
    if "{" in glob:
        raise ValueError(f"glob {glob!r}: braces are not supported; list two globs")
    segments = [segment for segment in glob.split("/") if segment not in ("", ".")]
    if not segments or ".." in segments:
        raise ValueError(f"glob {glob!r}: must stay inside the source")
    if glob.endswith("/"):
        segments.append(_ANY_DEPTH)
    for segment in segments:
        if _ANY_DEPTH in segment and segment != _ANY_DEPTH:
            raise ValueError(f"glob {glob!r}: ** must stand alone between slashes")
        if segment != _ANY_DEPTH:
            _compile_segment(segment)
    return tuple(segments)


def _compile_segment(segment: str) -> Any:
    """Compile one segment to a linear-time pattern."""
    parts: list[str] = []
    position = 0
    while position < len(segment):
        character = segment[position]
        position += 1
        if character == "*":
            parts.append("[^/]*")
        elif character == "?":
            parts.append("[^/]")
        elif character == "[":
            # A closing bracket right after the opening one (or its !) is a member of the class.
            first = position + 1 if segment[position : position + 1] == "!" else position
            end = segment.find("]", first + 1)
            if end < 0:
                raise ValueError(f"glob segment {segment!r}: [ is never closed")
            members = segment[first:end].replace("\\", "\\\\").replace("[", "\\[")
            members = members.replace("]", "\\]").replace("^", "\\^")
            negated = first > position
            parts.append(f"[^{members}/]" if negated else f"[{members}]")
            position = end + 1
        else:
            parts.append(re2.escape(character))
    try:
        return re2.compile("".join(parts))
    except re2.error as error:
        raise ValueError(f"glob segment {segment!r}: not a valid pattern") from error


@dataclass(frozen=True)
class _Automaton:
    """Several globs, walked together one path segment at a time."""

    globs: tuple[tuple[str, ...], ...]
    hidden: bool
    patterns: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, globs: Sequence[str], *, hidden: bool) -> _Automaton:
        parsed = tuple(parse_glob(glob) for glob in globs)
        segments = {segment for glob in parsed for segment in glob} - {_ANY_DEPTH}
        return cls(parsed, hidden, {segment: _compile_segment(segment) for segment in segments})

    def start(self) -> frozenset[_State]:
        return self._closed((glob, 0) for glob in range(len(self.globs)))

    def step(self, states: Iterable[_State], name: str) -> frozenset[_State]:
        reached: set[_State] = set()
        for glob, position in states:
            segments = self.globs[glob]
            if position == len(segments):
                continue
            segment = segments[position]
            if segment == _ANY_DEPTH:
                if self.hidden or not name.startswith("."):
                    reached.add((glob, position))
                    if position == len(segments) - 1:
                        reached.add((glob, len(segments)))
            elif (
                self.hidden or not name.startswith(".") or segment.startswith(".")
            ) and self.patterns[segment].fullmatch(name):
                reached.add((glob, position + 1))
        return self._closed(reached)

    def _closed(self, states: Iterable[_State]) -> frozenset[_State]:
        """Add what a ``**`` reaches by standing for no folder at all."""
        closed: set[_State] = set()
        for glob, start in states:
            position = start
            segments = self.globs[glob]
            closed.add((glob, position))
            while position < len(segments) - 1 and segments[position] == _ANY_DEPTH:
                position += 1
                closed.add((glob, position))
        return frozenset(closed)

    def accepts(self, states: Iterable[_State]) -> bool:
        return any(position == len(self.globs[glob]) for glob, position in states)

    def can_go_on(self, states: Iterable[_State]) -> bool:
        return any(position < len(self.globs[glob]) for glob, position in states)

    def takes_everything_below(self, states: Iterable[_State]) -> bool:
        return any(self.globs[glob][position:] == (_ANY_DEPTH,) for glob, position in states)


class PathFilter:
    """Decides by name alone what a source lists.

    Args:
        paths: globs of what to list.
        exclude: globs of what to leave out.

    Raises:
        ValueError: a glob is not valid; see `parse_glob`.
    """

    def __init__(self, paths: Sequence[str], exclude: Sequence[str] = ()) -> None:
        self._wanted = _Automaton.of(paths, hidden=False)
        self._unwanted = _Automaton.of(exclude, hidden=True)
        # What is known of a folder: None when nothing in it can be listed.
        self._folders: dict[str, tuple[frozenset[_State], frozenset[_State]] | None] = {
            "": None
            if self._unwanted.takes_everything_below(self._unwanted.start())
            else (self._wanted.start(), self._unwanted.start())
        }

    def matches(self, path: str) -> bool:
        """Whether a file of this path is listed."""
        parent, _, name = path.rpartition("/")
        folder = self._folder(parent)
        if folder is None:
            return False
        wanted, unwanted = folder
        return self._wanted.accepts(self._wanted.step(wanted, name)) and not (
            self._unwanted.accepts(self._unwanted.step(unwanted, name))
        )

    def may_contain(self, folder: str) -> bool:
        """Whether a folder of this path could hold a listed file; False means don't enter it."""
        return self._folder(folder) is not None

    def _folder(self, path: str) -> tuple[frozenset[_State], frozenset[_State]] | None:
        missing: list[str] = []
        while path not in self._folders:
            missing.append(path)
            path = path.rpartition("/")[0]
        known = self._folders[path]
        for folder in reversed(missing):
            known = None if known is None else self._enter(known, folder.rpartition("/")[2])
            self._folders[folder] = known
        return known

    def _enter(
        self, parent: tuple[frozenset[_State], frozenset[_State]], name: str
    ) -> tuple[frozenset[_State], frozenset[_State]] | None:
        wanted = self._wanted.step(parent[0], name)
        unwanted = self._unwanted.step(parent[1], name)
        if not self._wanted.can_go_on(wanted):
            return None
        if self._unwanted.accepts(unwanted) or self._unwanted.takes_everything_below(unwanted):
            return None
        return wanted, unwanted
