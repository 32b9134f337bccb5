"""Which sections an alert names: by its ``runbook_url``, or because they are called like it.

Neither is a guess. A URL resolves when exactly one document fits it; whatever fits two is no match.
A name matches when a heading, title or file name is that name, letter for letter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal
from urllib.parse import unquote, urlsplit

import re2

from orrery_knowledge.alerts.payload import NAMELESS, Alert
from orrery_knowledge.identifiers import analyse
from orrery_knowledge.models import Named, OutlinedChunk

MatchedBy = Literal["runbook_url", "alert_name", "search"]

SHORTEST_NAME = 5
"""Letters and digits from which equal names are hardly chance."""

MAX_DOCUMENTS = 5
"""Documents that may bear one alert's name; more of them say that it is no name."""

MAX_URL = 2_000
"""Characters of a longer address say nothing that a page has."""

_LINKS = ("runbook_url", "runbook", "runbookurl", "runbook_link", "runbook_uri")
_PAGES = ("index", "_index", "readme")
_ENDING = re2.compile(r"(?i)\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|html?)$")
_SOURCE = re2.compile(r"(?i)\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt)$")
_FOLDED = re2.compile(r"[^\pL\pN]+")


class Runbooks:
    """What an index holds, to be found by address or name.

    Args:
        outline: of the active load.
    """

    def __init__(self, outline: Iterable[OutlinedChunk]) -> None:
        self._documents: dict[int, list[OutlinedChunk]] = defaultdict(list)
        for one in outline:
            self._documents[one.document].append(one)
        self._by_stem: dict[str, list[int]] = defaultdict(list)
        self._by_uri: dict[str, list[int]] = defaultdict(list)
        self._by_name: dict[str, dict[int, None]] = defaultdict(dict)
        for document, chunks in self._documents.items():
            first = chunks[0]
            self._by_uri[_plain_uri(first.uri)].append(document)
            segments = _segments(first.path)
            if segments:
                self._by_stem[segments[-1]].append(document)
                self._by_name[letters(segments[-1])][document] = None
            for title in {first.title, *(t for one in chunks for t in one.heading_path)}:
                self._by_name[letters(title)][document] = None
                for whole in analyse(title).wholes:
                    self._by_name[letters(whole)][document] = None

    def find(self, alert: Alert) -> Named | None:
        """What an alert names, by the strongest evidence that there is; None for nothing.

        A name that is one plain word (``Overview``) may be a heading by chance: it is not certain.
        """
        for label in runbook_links(alert):
            if found := self.by_url(alert.annotations[label], alert.name):
                return Named("runbook_url", found, True)
        if found := self.by_name(alert.name):
            return Named("alert_name", found, bool(analyse(alert.name).wholes))
        return None

    def by_url(self, url: str, name: str = "") -> tuple[OutlinedChunk, ...]:
        """The section that an address leads to; empty unless exactly one document fits.

        Args:
            url: of a file in a repository, or of a page made of it.
            name: of the alert; it chooses the section where the address names none.
        """
        try:
            parts = urlsplit(url.strip()[:MAX_URL])
        except ValueError:
            return ()
        if parts.scheme.casefold() not in ("http", "https", "file", ""):
            return ()
        document = self._document(url, unquote(parts.path), letters(name))
        if document is None:
            return ()
        chunks = self._documents[document]
        wanted = unquote(parts.fragment).removeprefix("user-content-").casefold()
        if wanted and (found := _below(chunks, _anchored(chunks, wanted))):
            return found
        return self._sections(document, letters(name)) or tuple(chunks)

    def by_name(self, name: str) -> tuple[OutlinedChunk, ...]:
        """The sections that are called so: of each document the most specific ones."""
        folded = letters(name)
        if name == NAMELESS or len(folded) < SHORTEST_NAME:
            return ()
        documents = self._by_name.get(folded, {})
        if len(documents) > MAX_DOCUMENTS:
            return ()
        found: list[OutlinedChunk] = []
        for document in documents:
            chunks = self._documents[document]
            found.extend(self._sections(document, folded) or chunks)
        return tuple(found)

    def _document(self, url: str, path: str, name: str) -> int | None:
        if len(same := self._by_uri.get(_plain_uri(url), [])) == 1:
            return same[0]
        segments = _segments(path)
        if not segments:
            return None
        best: list[int] = []
        longest = 0
        for document in self._by_stem.get(segments[-1], []):
            own = _segments(self._documents[document][0].path)
            shared = _shared(own, segments)
            # The address of a source file holds all of its path below the folder that we read.
            if _SOURCE.search(path) and shared < len(own):
                continue
            if shared > longest:
                best, longest = [document], shared
            elif shared == longest:
                best.append(document)
        if len(best) != 1:
            return None
        # One plain word in common (`overview`, `faq`) may be any page of the web.
        last = segments[-1]
        telling = longest > 1 or letters(last) == name or _JOINED.search(last)
        if not (telling or _SOURCE.search(path)):
            return None
        return None if _elsewhere(url, self._documents[best[0]][0].uri) else best[0]

    def _sections(self, document: int, name: str) -> tuple[OutlinedChunk, ...]:
        """Chunks below the headings of a document that are a name, or hold it as an identifier."""
        if len(name) < SHORTEST_NAME:
            return ()
        chunks = self._documents[document]
        for is_it in (_is_name, _holds_name):
            paths = {
                one.heading_path[: depth + 1]
                for one in chunks
                for depth, title in enumerate(one.heading_path)
                if is_it(title, name)
            }
            if found := _below(chunks, paths):
                return found
        return ()


def runbook_links(alert: Alert) -> list[str]:
    """Names of the annotations that lead to its runbook; nobody writes more than a few."""
    return [label for label in alert.annotations if label.casefold() in _LINKS][: len(_LINKS)]


_JOINED = re2.compile(r"[^\W_][-_.][^\W_]")


def letters(name: str) -> str:
    """A name without what writers disagree on: case, spaces, hyphens, underscores."""
    return str(_FOLDED.sub("", name)).casefold()


def _is_name(title: str, name: str) -> bool:
    return letters(title) == name


def _holds_name(title: str, name: str) -> bool:
    return any(letters(whole) == name for whole in analyse(title).wholes)


def _below(
    chunks: Sequence[OutlinedChunk], paths: Iterable[tuple[str, ...]]
) -> tuple[OutlinedChunk, ...]:
    """Chunks under the deepest of some headings."""
    deepest = max(map(len, paths := list(paths)), default=0)
    wanted = {path for path in paths if len(path) == deepest}
    return tuple(one for one in chunks if deepest and one.heading_path[:deepest] in wanted)


def _anchored(chunks: Iterable[OutlinedChunk], wanted: str) -> set[tuple[str, ...]]:
    exact = {one.heading_path for one in chunks if one.anchor and one.anchor.casefold() == wanted}
    return exact or {
        one.heading_path
        for one in chunks
        if one.heading_path and letters(one.heading_path[-1]) == letters(wanted)
    }


def _segments(path: str) -> list[str]:
    """Of a path: without its ending, and without the name of a folder's own page."""
    folded = [part.casefold() for part in path.split("/") if part not in ("", ".")]
    if folded:
        folded[-1] = str(_ENDING.sub("", folded[-1]))
        if folded[-1] in _PAGES:
            folded.pop()
    return folded


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        count += 1
    return count


def _elsewhere(url: str, uri: str) -> bool:
    """Whether two addresses on one host are of different repositories."""
    one, other = urlsplit(url.strip()), urlsplit(uri)
    if one.hostname is None or one.hostname != other.hostname:
        return False
    return one.path.split("/")[1:3] != other.path.split("/")[1:3]


def _plain_uri(uri: str) -> str:
    return uri.strip().partition("#")[0].rstrip("/")
