"""What the searches of every engine have in common: engines find candidates, this ranks them.

An engine says how often words and identifiers occur, which chunks match, and what a candidate
holds. Which words it looks for, what a match is worth and what comes out is decided here, so that
two engines with the same documents give the same order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from orrery_knowledge.identifiers import QueryTerms
from orrery_knowledge.lexical import LexicalScorer, idf
from orrery_knowledge.models import Candidate, Rankings

FRAGMENT_MATCH = 0.6
"""What matching a piece of a document's identifier is worth against matching it whole."""

COMMON = 10
"""A rarest word that exceeds the budget this many times over is joined to the next by AND."""

WIDER = 4
"""Each further step of a filtered search may match this many times more than the one before."""


class Step(NamedTuple):
    """One look into the full-text index: chunks with any of `words`, or with all of them."""

    words: tuple[str, ...]
    together: bool = False


class ScoredChunk(NamedTuple):
    """What the lexical scorer reads of a candidate; `header` and `words` are packed."""

    chunk: int
    header: str
    words: str
    length: int


def budget(chunks: int) -> int:
    """How many matches the rare-word gate admits: 2 % of all chunks, from 500 to 5,000."""
    return max(500, min(5000, chunks // 50))


def steps(frequencies: Mapping[str, int], chunks: int) -> Iterator[Step]:
    """Which words to look for, from the rarest up.

    The first step is the gate: the rarest words while their summed document frequency stays within
    the budget. An AND of every word would find nothing as soon as one filler word is added; an OR
    of every word would match most of the corpus. Where even the rarest word is common, it is first
    joined to the next one by AND. The caller takes further steps while it has found too few.

    Args:
        frequencies: word -> number of searchable chunks that hold it.
        chunks: number of searchable chunks.
    """
    by_rarity = sorted((count, word) for word, count in frequencies.items() if count)
    allowed = budget(chunks)
    if len(by_rarity) > 1 and by_rarity[0][0] > COMMON * allowed:
        yield Step((by_rarity[0][1], by_rarity[1][1]), together=True)
    words: list[str] = []
    admitted = 0
    for frequency, word in by_rarity:
        if words and admitted + frequency > allowed:
            yield Step(tuple(words))
            words, admitted = [], 0
            allowed *= WIDER
        words.append(word)
        admitted += frequency
    if words:
        yield Step(tuple(words))


def chosen_identifiers(
    terms: QueryTerms, frequencies: Mapping[str, int], chunks: int
) -> dict[str, float]:
    """Identifiers to look for -> what a match is worth: weight * idf.

    One that is common is left out once another one is looked for.
    """
    chosen: dict[str, float] = {}
    for name, weight in terms.identifiers.items():
        frequency = frequencies.get(name, 0)
        if frequency and not (frequency > budget(chunks) and chosen):
            chosen[name] = weight * idf(frequency, chunks)
    return chosen


def identifier_value(value: float, whole: bool) -> float:
    """What one match adds: less for a piece of a document's longer identifier."""
    return value * (1.0 if whole else FRAGMENT_MATCH)


def score_lexically(
    scorer: LexicalScorer, rows: Iterable[ScoredChunk]
) -> tuple[dict[int, float], float]:
    """Lexical score of every candidate that has one, and the best one's coverage of the query."""
    candidates = list(rows)
    values = scorer.scores(
        [row.header for row in candidates],
        [row.words for row in candidates],
        [row.length for row in candidates],
    )
    best = max(zip(values, candidates, strict=True), key=itemgetter(0), default=None)
    if best is None or best[0] <= 0.0:
        return {}, 0.0
    scores = {
        row.chunk: score for row, score in zip(candidates, values, strict=True) if score > 0.0
    }
    return scores, scorer.coverage(best[1].header, best[1].words)


def top(scores: Mapping[int, float], pool: int) -> tuple[int, ...]:
    """The best chunks, best first, ties by id."""
    return tuple(sorted(scores, key=lambda chunk: (-scores[chunk], chunk))[:pool])


def assemble(
    load: int,
    rankings: dict[str, tuple[int, ...]],
    *,
    lexical: Mapping[int, float],
    identifiers: Mapping[int, float],
    details: Callable[[Sequence[int]], Iterable[tuple[int, float | None]]],
    coverage: float,
) -> Rankings:
    """Every chunk of any ranking with its score on each scale.

    Args:
        load: where it all was read.
        rankings: name -> chunk ids, best first.
        lexical: scores of `score_lexically`.
        identifiers: sums of `identifier_value`.
        details: (document id, cosine) of chunk ids, in order; NaN counts as no cosine.
        coverage: of the best lexical candidate.
    """
    found = sorted(set().union(*rankings.values()))
    candidates = {
        chunk: Candidate(
            chunk,
            document,
            lexical.get(chunk, 0.0),
            identifiers.get(chunk, 0.0),
            cosine if cosine is not None and math.isfinite(cosine) else None,
        )
        for chunk, (document, cosine) in zip(found, details(found), strict=True)
    }
    # Not validated: it was all made here, and going through every candidate again takes time.
    return Rankings.model_construct(
        load=load, rankings=rankings, candidates=candidates, coverage=coverage
    )
