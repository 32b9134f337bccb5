"""One lexical scorer for every backend: engines find candidates, this orders them.

BM25F (Robertson, Zaragoza and Taylor 2004) over two fields, the header (title, file name, heading
path) and the body, with the document frequencies of the active load. One rule is ours: a chunk
that holds an identifier whole counts as holding each of its parts as often as can be, so that
``kube-apiserver`` ranks above any number of separate "kube" and "apiserver".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping

from orrery_knowledge.identifiers import QueryTerms

K1 = 1.2
"""Saturation of term frequency; the usual value of the literature."""

B = 0.6
"""How much the body's length matters, in [0, 1]."""

HEADER_WEIGHT = 3.0
"""How many occurrences in the body one in the header is worth."""

SMALL = 200
"""In an index of fewer chunks every word looks common; coverage is judged as if it had as many."""

REPEAT_EXPONENT = 0.5
"""A word asked for n times weighs n ** this: a pasted log repeats itself without meaning more."""


def idf(frequency: int, chunks: int) -> float:
    """Inverse document frequency, never negative: ln(1 + (N - n + 0.5) / (n + 0.5))."""
    return math.log(1.0 + (chunks - frequency + 0.5) / (frequency + 0.5))


def _repeated(count: float) -> float:
    return float(count**REPEAT_EXPONENT)


def pack(words: tuple[str, ...]) -> str:
    """Words as one string in which each stands between two spaces of its own (`LexicalScorer`)."""
    return "".join(f" {word} " for word in words)


class LexicalScorer:
    """Scores chunks against one query.

    Args:
        terms: the query.
        frequencies: word -> number of searchable chunks that hold it; 0 or absent: nowhere.
        chunks: number of searchable chunks.
        average_length: their mean length in words.
    """

    def __init__(
        self,
        terms: QueryTerms,
        frequencies: Mapping[str, int],
        chunks: int,
        average_length: float,
    ) -> None:
        self._idf = {
            word: idf(frequencies[word], chunks) * _repeated(count)
            for word, count in terms.words.items()
            if frequencies.get(word, 0) > 0
        }
        self._average = max(average_length, 1.0)
        self._names = [
            (name[0], tuple(part for part in name[1:] if part in self._idf))
            for name in terms.names
            if name[0] in self._idf
        ]
        self._information = {
            word: idf(frequencies.get(word, 0), max(chunks, SMALL)) * _repeated(count)
            for word, count in terms.words.items()
        }
        self._total = math.fsum(self._information.values())

    def score(self, header: str, body: str, length: int) -> float:
        """BM25F of one chunk.

        Args:
            header: packed words (`pack`) of the header.
            body: packed words of the body.
            length: the chunk's length in words.
        """
        norm = 1.0 - B + B * length / self._average
        frequency = self._counts(header, body)
        scores: dict[str, float] = {}
        for word in frequency.held(self._idf):
            in_header, in_body = frequency(word)
            if in_header or in_body:
                tf = HEADER_WEIGHT * in_header + in_body / norm
                scores[word] = self._idf[word] * tf * (K1 + 1.0) / (tf + K1)
        for whole, parts in self._names:
            if whole in scores:
                for part in parts:
                    scores[part] = self._idf[part] * (K1 + 1.0)
        return math.fsum(scores.values())

    def coverage(self, header: str, body: str) -> float:
        """Share of the query's information that the chunk holds, in [0, 1]."""
        if not self._total:
            return 0.0
        frequency = self._counts(header, body)
        words = frequency.held(self._idf)
        held = (self._information[word] for word in words if any(frequency(word)))
        return math.fsum(held) / self._total

    def _counts(self, header: str, body: str) -> _Counts:
        return _Split(header, body) if len(self._idf) > 15 else _Scan(header, body)


class _Scan:
    """Counts by substring search: cheapest for a short query."""

    def __init__(self, header: str, body: str) -> None:
        self._header, self._body = header, body

    def held(self, words: Collection[str]) -> Collection[str]:
        """Those of some words that may be here."""
        return words

    def __call__(self, word: str) -> tuple[int, int]:
        packed = f" {word} "
        return self._header.count(packed), self._body.count(packed)


class _Split:
    """Counts by a table made once: cheapest for a pasted log."""

    def __init__(self, header: str, body: str) -> None:
        self._header, self._body = Counter(header.split()), Counter(body.split())

    def held(self, words: Collection[str]) -> Collection[str]:
        """Those of some words that are here; a log asks for hundreds, and few of them are."""
        return {word for counts in (self._header, self._body) for word in counts if word in words}

    def __call__(self, word: str) -> tuple[int, int]:
        return self._header[word], self._body[word]


_Counts = _Scan | _Split
