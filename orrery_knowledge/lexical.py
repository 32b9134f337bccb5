"""One lexical scorer for every backend: engines find candidates, this orders them.

BM25F (Robertson, Zaragoza and Taylor 2004) over two fields, the header (title, file name, heading
path) and the body, with the document frequencies of the active load. One rule is ours: a chunk
that holds an identifier whole counts as holding each of its parts as often as can be, so that
``kube-apiserver`` ranks above any number of separate "kube" and "apiserver". And a section that is
named after an identifier ranks above those that mention it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from orrery_knowledge.identifiers import QueryTerms

K1 = 1.2
"""Saturation of term frequency; the usual value of the literature."""

B = 0.75
"""How much the body's length matters, in [0, 1]; the usual value of the literature."""

HEADER_WEIGHT = 3.0
"""How many occurrences in the body one in the header is worth."""

NAMED = 1.0
"""A heading that ends with an identifier of the query counts as so many more words like it."""

SMALL = 200
"""In an index of fewer chunks every word looks common; coverage is judged as if it had as many."""

REPEAT_EXPONENT = 0.5
"""A word asked for n times weighs n ** this: a pasted log repeats itself without meaning more."""

CELLS = 1_000_000
"""Chunks are scored in blocks of at most so many counts, so that no query takes much memory."""

_SPACE = 32
_LOOKS = 1 + np.iinfo(np.uint16).max


def idf(frequency: int, chunks: int) -> float:
    """Inverse document frequency, never negative: ln(1 + (N - n + 0.5) / (n + 0.5))."""
    return math.log(1.0 + (chunks - frequency + 0.5) / (frequency + 0.5))


def _repeated(count: float) -> float:
    return float(count**REPEAT_EXPONENT)


def pack(words: tuple[str, ...]) -> str:
    """Words as one string in which each stands between two spaces of its own (`LexicalScorer`)."""
    return f" {'  '.join(words)} " if words else ""


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
        words = [word for word in terms.words if frequencies.get(word, 0) > 0]
        column = {word: number for number, word in enumerate(words)}
        self._columns = {word.encode(): number for word, number in column.items()}
        self._likely = np.zeros(_LOOKS, dtype=np.bool_)
        self._likely[_looks(*_words(pack(tuple(words)).encode()))] = True
        self._idf = np.array(
            [idf(frequencies[word], chunks) * _repeated(terms.words[word]) for word in words]
        )
        self._average = max(average_length, 1.0)
        self._names = [
            (
                column[name[0]],
                np.array([column[part] for part in name[1:] if part in column], dtype=np.intp),
                pack(name),
            )
            for name in terms.names
            if name[0] in column
        ]
        information = {
            word: idf(frequencies.get(word, 0), max(chunks, SMALL)) * _repeated(count)
            for word, count in terms.words.items()
        }
        self._total = math.fsum(information.values())
        self._information = [information[word] for word in words]

    def scores(
        self, headers: Sequence[str], bodies: Sequence[str], lengths: Sequence[int]
    ) -> list[float]:
        """BM25F of some chunks, in order.

        All at once, because a search scores a hundred and more, which an array does at the price
        of a few. A chunk's score doesn't depend on the others, and its sum is exact.

        Args:
            headers: packed words (`pack`) of each header.
            bodies: packed words of each body.
            lengths: each chunk's length in words.
        """
        if not self._columns:
            return [0.0] * len(headers)
        step = max(1, CELLS // len(self._columns))
        parts = (slice(first, first + step) for first in range(0, len(headers), step))
        return [
            score
            for part in parts
            for score in self._block(headers[part], bodies[part], lengths[part])
        ]

    def score(self, header: str, body: str, length: int) -> float:
        """BM25F of one chunk; see `scores`."""
        return self.scores([header], [body], [length])[0]

    def coverage(self, header: str, body: str) -> float:
        """Share of the query's information that the chunk holds, in [0, 1]."""
        if not self._total:
            return 0.0
        columns = np.flatnonzero(self._counts([header, body]).sum(axis=0)).tolist()
        return math.fsum(self._information[column] for column in columns) / self._total

    def _block(
        self, headers: Sequence[str], bodies: Sequence[str], lengths: Sequence[int]
    ) -> Iterator[float]:
        norm = 1.0 - B + B * np.array(lengths, dtype=np.float64) / self._average
        counts = self._counts([*headers, *bodies])
        in_header, in_body = counts[: len(headers)], counts[len(headers) :]
        tf = HEADER_WEIGHT * in_header + in_body / norm[:, np.newaxis]
        scores = self._idf * tf * (K1 + 1.0) / (tf + K1)
        held = tf > 0.0
        for whole, parts, name in self._names:
            # The innermost heading stands last in a header.
            rows = np.flatnonzero(held[:, whole])
            named = [row for row in rows.tolist() if headers[row].endswith(name)]
            if named:
                scores[named, whole] += NAMED * self._idf[whole] * (K1 + 1.0)
            if len(rows) and len(parts):
                scores[np.ix_(rows, parts)] = self._idf[parts] * (K1 + 1.0)
                held[np.ix_(rows, parts)] = True
        # Most chunks hold few of a log's words: only those are added up.
        ends = np.cumsum(np.count_nonzero(held, axis=1)).tolist()
        values = scores[held].tolist()
        return (
            math.fsum(values[start:end])
            for start, end in zip(chain((0,), ends), ends, strict=False)
        )

    def _counts(self, packed: Sequence[str]) -> NDArray[np.int64]:
        """How often each text holds each word, shape (texts, words).

        Most words of a text aren't asked for. Those that could be are told by a few of their bytes,
        which an array does for all texts at once; only these are looked up.
        """
        texts = [text.encode() for text in packed]
        joined = b"".join(texts)
        codes, starts, ends = _words(joined)
        likely = np.flatnonzero(self._likely[_looks(codes, starts, ends)])
        starts, ends = starts[likely], ends[likely]
        others = len(self._columns)
        found = [
            self._columns.get(joined[start:end], others)
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        ]
        bounds = np.cumsum([len(text) for text in texts])
        rows = np.searchsorted(bounds, starts, side="right")
        cells = rows * (others + 1) + np.array(found, dtype=np.intp)
        counts = np.bincount(cells, minlength=len(texts) * (others + 1))
        return counts.reshape(len(texts), others + 1)[:, :others]


def _words(packed: bytes) -> tuple[NDArray[np.uint8], NDArray[np.intp], NDArray[np.intp]]:
    """Packed words as numbers, with where each word starts and ends."""
    codes = np.frombuffer(packed, dtype=np.uint8)
    spaces = np.flatnonzero(codes == _SPACE)
    return codes, spaces[0::2] + 1, spaces[1::2]


def _looks(
    codes: NDArray[np.uint8], starts: NDArray[np.intp], ends: NDArray[np.intp]
) -> NDArray[np.uint16]:
    """A number of each word, of its first two bytes, its last one and its length; it may overflow.

    The second byte of a word of one is the space behind it.
    """
    looks = codes.take(starts).astype(np.uint16)
    for more in (codes.take(starts + 1), codes.take(ends - 1), (ends - starts).astype(np.uint16)):
        looks *= np.uint16(31)
        looks += more
    return looks
