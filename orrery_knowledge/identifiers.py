"""One normaliser of words and ops identifiers, for the index side and the query side alike.

An incident is described in names: ``CrashLoopBackOff``, ``kube-apiserver``, ``--max-cost``,
``java.lang.OutOfMemoryError``, ``CVE-2024-3094``. Each is kept whole and split into its parts, so
that the exact name can outrank its parts and the parts still find it::

    >>> analyse("CrashLoopBackOff").wholes
    ('crashloopbackoff',)
    >>> analyse("egress/ingress").words
    ('egressingress', 'egress', 'ingress')

Case folds, NFKC applies, English words are stemmed (Snowball "english"). Whatever changes the
output must change `IDENTIFIERS_VERSION`: it is part of every document's processing key.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import Stemmer

IDENTIFIERS_VERSION = "1"

MAX_WORD = 64
"""Longer runs (base64, minified code) are cut to this many characters: nobody types them whole."""

MAX_PARTS = 12
"""An identifier of more parts (a long URL, say) keeps its first ones and its whole form."""

MAX_WHOLE = 192
"""No whole form is longer than this many characters."""

MAX_QUERY = 16_000
"""A longer query (a pasted log) is searched for by its two ends of half as many characters each:
its first lines say what broke, its last ones why."""

_JOINERS = r"._/:@\-"
# Alternating runs of two disjoint classes: the match is deterministic, its time linear.
_RAW = re.compile(rf"(?<![^\W_])(?:--?)?[^\W_]+(?:[{_JOINERS}]+[^\W_]+)*")
_BLANK = re.compile(r"[ \n]")
_SEGMENT = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_STEMMER = Stemmer.Stemmer("english")

PLAIN_WEIGHT = 0.5
"""Weight of a plain query word where a document has an identifier of just that form."""

FRAGMENT_WEIGHT = 0.4
"""Weight of a piece of a longer identifier."""

STOP_WORDS = frozenset(
    # One string, because the list would take a page.
    "a an and are as at be been but by can could do does for from had has have how i if in is it "  # noqa: SIM905
    "its me my of on or our please should so that the their them then there these they this to "
    "was we were what when where which who why will with would you your".split()
)
"""Left out of queries (never of the index) unless a query has nothing else."""


class Analysis(NamedTuple):
    """What a text is made of.

    Attributes:
        words: every searchable word in order, repeats included: stems of plain words; for an
            identifier its whole form without joiners, its parts, and neighbouring parts joined.
        wholes: identifiers in their exact folded form, once each, in order of appearance.
        fragments: identifier-like pieces inside longer identifiers (``outofmemoryerror`` of
            ``java.lang.OutOfMemoryError``, ``np-7604ni`` of ``np-7604ni-e1/4p``), once each.
        length: how many words a reader would count; what length normalisation uses.
    """

    words: tuple[str, ...]
    wholes: tuple[str, ...]
    fragments: tuple[str, ...]
    length: int


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The Snowball stem of a folded word; words with digits or of under four letters stay."""
    if len(word) < 4 or not word.isalpha() or not word.isascii():
        return word
    return str(_STEMMER.stemWord(word))


_STOP_STEMS = frozenset(map(stem, STOP_WORDS))


class _Token(NamedTuple):
    words: tuple[str, ...]
    whole: str | None
    fragments: tuple[str, ...]


def analyse(text: str) -> Analysis:
    """Split a text into words and identifiers.

    Args:
        text: any string; it is never interpreted, so quotes and operators are harmless.
    """
    words: list[str] = []
    wholes: dict[str, None] = {}
    fragments: dict[str, None] = {}
    length = 0
    for match in _RAW.finditer(unicodedata.normalize("NFKC", text)):
        token = _token(match.group()[:MAX_WHOLE])
        length += 1
        words.extend(token.words)
        if token.whole is not None:
            wholes[token.whole] = None
            fragments.update(dict.fromkeys(token.fragments))
    return Analysis(
        tuple(words), tuple(wholes), tuple(f for f in fragments if f not in wholes), length
    )


class QueryTerms(NamedTuple):
    """What to look for.

    Attributes:
        words: word -> how often it was asked for; stop words left out unless there is nothing else.
        names: words of each identifier, whole form first, so that a document that holds the whole
            can be put above those that hold the parts.
        identifiers: exact form -> weight: 1 for an identifier as it stands, less for a plain word
            that may be one (``crashloopbackoff``) and for pieces of a longer identifier.
    """

    words: dict[str, float]
    names: tuple[tuple[str, ...], ...]
    identifiers: dict[str, float]


def query_terms(text: str) -> QueryTerms:
    """Split a query; the same analysis as `analyse`, so that both sides meet.

    Args:
        text: bounded here (`bounded_query`): every distinct word is a look-up in the index.
    """
    words: dict[str, float] = {}
    names: dict[tuple[str, ...], None] = {}
    identifiers: dict[str, float] = {}
    for match in _RAW.finditer(bounded_query(unicodedata.normalize("NFKC", bounded_query(text)))):
        raw = match.group()[:MAX_WHOLE]
        token = _token(raw)
        for word in token.words:
            words[word] = words.get(word, 0.0) + 1.0
        if token.whole is None:
            folded = raw.lstrip("-").casefold()[:MAX_WORD]
            if folded not in STOP_WORDS:
                identifiers.setdefault(folded, PLAIN_WEIGHT)
            continue
        if len(token.words) > 1:
            names[token.words] = None
        identifiers[token.whole] = 1.0
        for fragment in token.fragments:
            identifiers.setdefault(fragment, FRAGMENT_WEIGHT)
    useful = {word: count for word, count in words.items() if word not in _STOP_STEMS}
    return QueryTerms(useful or words, tuple(names), identifiers)


def spoken(text: str) -> str:
    """A query for an embedder, which knows words and not names.

    ``EdgeCacheHitRatioLow`` and ``queue_time_high`` lie nearer to texts on their subject as
    "Edge Cache Hit Ratio Low" and "queue time high". Everything else stays as it stands.
    """
    return _HUMP.sub(" ", text).replace("_", " ")


def bounded_query(text: str) -> str:
    """What is searched for of a query: all of it up to `MAX_QUERY` characters, else its ends."""
    if len(text) <= MAX_QUERY:
        return text
    half = MAX_QUERY // 2
    # Half a word is no word, so what the cut went through goes.
    first, last = text[: half - 1], text[-half:]
    first = first[: max(first.rfind(" "), first.rfind("\n"))] if _BLANK.search(first) else first
    start = _BLANK.search(last)
    return f"{first}\n{last[start.end() :] if start else last}"


@lru_cache(maxsize=200_000)
def _token(raw: str) -> _Token:
    """Analyse one run without white space; cached, because vocabularies are small."""
    segments = _SEGMENT.findall(raw)
    if len(segments) == 1 and not raw.startswith("--"):
        pieces = _split_camel(segments[0])
        folded = segments[0].casefold()[:MAX_WORD]
        if len(pieces) == 1:
            # An all-capitals word (OOM, ENOSPC) is a name as well as a word.
            shout = segments[0].isupper() and len(segments[0]) > 2
            return _Token((stem(folded),), folded if shout else None, ())
        return _Token(tuple(_unique(_camel_words(segments[0], pieces))), folded, ())
    whole = raw.casefold()[:MAX_WHOLE]
    segments = segments[:MAX_PARTS]
    words = [stem("".join(segments).casefold()[:MAX_WORD])]
    fragments: list[str] = []
    for segment in segments:
        pieces = _split_camel(segment)
        words.extend(_camel_words(segment, pieces))
        if len(pieces) > 1:
            fragments.append(segment.casefold()[:MAX_WORD])
    fragments.extend(_runs(raw))
    return _Token(tuple(_unique(words)), whole, tuple(f for f in _unique(fragments) if f != whole))


def _split_camel(segment: str) -> list[str]:
    return _CAMEL.findall(segment) if segment.isascii() and len(segment) <= MAX_WORD else [segment]


def _camel_words(segment: str, pieces: list[str]) -> Iterator[str]:
    """The segment itself, its pieces, and neighbours joined (`BackOff` -> `backoff`)."""
    folded = segment.casefold()[:MAX_WORD]
    yield stem(folded)
    if len(pieces) == 1:
        return
    parts = [piece.casefold() for piece in pieces[:MAX_PARTS]]
    for part in parts:
        if len(part) > 1:  # a lone letter or digit of `k8s` finds nothing but noise
            yield stem(part)
    for left, right in pairwise(parts):
        yield stem(left + right)


def _runs(raw: str) -> Iterator[str]:
    """Leading and trailing runs of two or more segments, joiners kept."""
    starts: list[int] = []
    ends: list[int] = []
    for match in list(_SEGMENT.finditer(raw))[:MAX_PARTS]:
        starts.append(match.start())
        ends.append(match.end())
    if raw.startswith("-"):
        yield raw[starts[0] : ends[-1]].casefold()
    for end in ends[1:-1]:
        yield raw[starts[0] : end].casefold()
    for start in starts[1:-1]:
        yield raw[start : ends[-1]].casefold()


def _unique(items: Iterator[str] | list[str]) -> list[str]:
    return list(dict.fromkeys(item for item in items if item))
