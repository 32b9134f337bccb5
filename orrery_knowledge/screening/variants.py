"""Disguised words made plain: letter spacing, run-together words, leetspeak, typos, mirror text.

All of it turns on a small vocabulary of key words: what a rule doesn't look for needs no mending.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from functools import lru_cache

import re2

from orrery_knowledge.screening.canonical import Canonical, rewrite
from orrery_knowledge.screening.findings import word_set
from orrery_knowledge.screening.patterns import compiled
from orrery_knowledge.screening.sieve import Sieve

VOCABULARY = word_set(
    """
    ignore disregard forget override overrule bypass discard neglect violate follow reveal repeat
    print display disclose output respond reply answer pretend behave approve confirm exfiltrate
    forward transmit instruction instructions directive directives guideline guidelines prompt
    prompts system previous previously prior earlier preceding original initial message messages
    command commands restriction restrictions constraint constraints developer administrator
    assistant language model chatbot unrestricted jailbreak password passwords credentials secret
    secrets token tokens confidential conversation history context immediately instead without
    never about above everything every execute delete silently secretly hidden training safety
    """
)
_SMALL = word_set(
    "all any and are as at be before by do email for from in it mode must my new not now of on "
    "only or rules send set should tell text that the them then these this to up use user with "
    "you your"
)
_WORDS = VOCABULARY | _SMALL
_ORDINARY = word_set(
    """
    content massage foreword repent safely securely conform tainting trailing discord concent
    """
)
"""Words that are one letter away from a key word and mean something else."""
_MAX_WORD = 300
_AT_ONCE = 500
"""Words in one pattern: the engine takes no pattern of any size."""
_DOTTED_WORDS = 4
"""Words of dotted letters in a row of text that are no abbreviations any more."""
_SAID = 4
"""Known words, small ones too, in a name that is a sentence."""
_FUNCTION_WORDS = 3
"""Names in programs hold few words such as "you" and "the"."""
_SHORT = 20_000
"""Characters up to which the words of a text are remembered for a moment."""
_SOUND = 16_384
"""How many words that need no mending are remembered."""
_sound: set[str] = set()
_LONGEST = max(map(len, _WORDS))
_LEET = str.maketrans("013457@$!89", "oieastasibg")
_LEET_L = str.maketrans("013457@$!89", "oleastaslbg")
_BREAKS = str.maketrans(dict.fromkeys(" \t\n\"'`*_~|,;:.?()[]{}<>/\\=+-#&^%", " "))
_SPACED = compiled(r"\b[a-z0-9@$!](?:[ \t._*|/~-]{1,3}(?:[,:;]?[ \t]{1,3})?[a-z0-9@$!]){6,}\b")
_SNAKE = compiled(r"\b[a-z]{1,20}(?:[_.-]{1,2}[a-z0-9]{1,20}){4,}\b")
_SLUG = compiled(
    r"(?:^|[\s\"'`,;|])([A-Za-z0-9]{1,20}(?:[_.-]{1,2}[A-Za-z0-9]{1,20}){5,})(?:[\s\"'`,;|]|$)"
)
_GAP = compiled(r"[ \t]{0,2}[,:;][ \t]{1,3}|[ \t]{2,3}|[ \t][._*|/~-][ \t]|[._*|/~-]{2,3}")
_MIXED = compiled(
    r"[A-Za-z]{0,12}(?:[A-Za-z][\x{370}-\x{3ff}\x{400}-\x{52f}\x{13a0}-\x{13ff}]"
    r"|[\x{370}-\x{3ff}\x{400}-\x{52f}\x{13a0}-\x{13ff}][A-Za-z])[\w\x{370}-\x{52f}]{2,30}"
    r"|[\x{1d400}-\x{1d7cb}]{4,}|[\x{24b6}-\x{24e9}]{4,}|[\x{ff21}-\x{ff5a}]{4,}"
    r"|[\x{13a0}-\x{13ff}]{4,}"
    r"|[\x{1f130}-\x{1f189}]{4,}"
)
_INTERLEAVED = compiled(r"(?:[A-Za-z][\x{ad}\x{200b}-\x{200d}\x{2060}-\x{2064}\x{feff}]){4,}")
"""An invisible character behind each letter."""
_MIRRORED = frozenset(word[::-1] for word in VOCABULARY if len(word) >= 6)
_MIRRORED_SMALL = _MIRRORED | frozenset(
    word[::-1]
    for word in word_set(
        "this the and for you your all with from that agent model bot before into every order "
        "next send give write delete are not have when then order limit customer"
    )
)
_COMPOUND = compiled(r"\b(?:[A-Z][a-z]{0,14}){6,}\b")
_PIECE = compiled(r"[A-Z][a-z]*")
_DOTTED = compiled(r"\b[a-z](?:[._*|~-][a-z])+\b")
_ANY_APART = Sieve([_DOTTED, _SPACED])
_ROTATED = frozenset(
    codecs.encode(word, "rot13")
    for word in (*(word for word in VOCABULARY if len(word) >= 6), "the", "and", "you", "your")
)


def _deletions(word: str) -> Iterator[str]:
    return (word[:place] + word[place + 1 :] for place in range(len(word)))


_NEAR: dict[str, str] = {}
_SCRAMBLED: dict[str, str] = {}
for _word in sorted(VOCABULARY):
    if len(_word) >= 6:
        _NEAR.setdefault(_word, _word)
        for _shorter in _deletions(_word):
            _NEAR.setdefault(_shorter, _word)
    if len(_word) >= 5:
        _SCRAMBLED[_word[0] + "".join(sorted(_word[1:-1])) + _word[-1]] = _word


def plain(view: Canonical) -> Canonical:
    """The view with disguised key words put right; the same object when there are none."""
    view = _unspaced(view)
    mended = {word: mend for word in words(view.text) - _sound if (mend := _mended(word)) != word}
    if not mended:
        return view
    found = sorted(mended, key=_order)
    edits = []
    for first in range(0, len(found), _AT_ONCE):
        pattern = compiled("|".join(map(re2.escape, found[first : first + _AT_ONCE])))
        for match in pattern.finditer(view.text):
            start, end = match.span()
            if not (view.text[start - 1 : start].isalnum() or view.text[end : end + 1].isalnum()):
                edits.append((start, end, mended[match.group()]))
    return rewrite(view, _apart(edits))


def _mended(word: str) -> str:
    """See `_mend`; remembers the words that are what they look like, which most are."""
    mend = _mend(word)
    if mend == word and len(word) <= _MAX_WORD:
        if len(_sound) >= _SOUND:
            _sound.clear()
        _sound.add(word)
    return mend


def _apart(edits: list[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """Without those that lie in another one, of another pattern."""
    position = 0
    for start, end, word in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if start >= position:
            yield start, end, word
            position = end


def disguises(view: Canonical, raw: str) -> list[int]:
    """Where a view has a word that was disguised in the raw text: mended, or of mixed letters."""
    places = list(view.mended())
    if raw and not raw.isascii():
        mixed = [match.span() for match in _MIXED.finditer(raw)]
        places += [view.view_offset(start) for start, _ in mixed]
        for match in _INTERLEAVED.finditer(raw):
            places += [view.view_offset(match.start()), view.view_offset(match.end() - 1)]
    return sorted(places)


def words(text: str) -> frozenset[str]:
    """The distinct words of a view."""
    spaced = text.translate(_BREAKS)
    # A text is asked for its words when it is mended, when it is turned round, and once a seam.
    return _split(spaced) if len(spaced) <= _SHORT else frozenset(spaced.split())


@lru_cache(maxsize=8)
def _split(spaced: str) -> frozenset[str]:
    return frozenset(spaced.split())


def turned(view: Canonical) -> Iterator[tuple[str, tuple[int, int]]]:
    """Lines that make sense backwards or with their letters rotated, with their span."""
    distinct = words(view.text)
    # "Rof" and "dna" happen: small words need one more.
    backwards = max(len(distinct & _MIRRORED), len(distinct & _MIRRORED_SMALL) - 1)
    ways = (
        (backwards, _MIRRORED_SMALL, lambda line: line[::-1]),
        (len(distinct & _ROTATED), _ROTATED, lambda line: codecs.encode(line, "rot13")),
    )
    for known, keys, turn in ways:
        if known < 2:
            continue
        start = 0
        for line in view.text.split("\n"):
            if len(words(line) & keys) >= 2:
                yield turn(line), (start, start + len(line))
                if keys is not _ROTATED:
                    yield _each_mirrored(line), (start, start + len(line))
            start += len(line) + 1


def compounds(raw: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Sentences written as one word in CamelCase, with their span in the raw text."""
    for match in _COMPOUND.finditer(raw):
        if match.group().isupper():
            continue  # no word has one letter only
        parts = _PIECE.findall(match.group())
        if sum(part.lower() in _SMALL for part in parts) >= _FUNCTION_WORDS:
            yield " ".join(parts), match.span()


def slugs(raw: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Sentences with hyphens for spaces, but in addresses and paths, where titles look so."""
    for match in _SLUG.finditer(raw):
        parts = match.group(1).lower().translate(_BREAKS).split()
        if sum(part in _WORDS for part in parts) >= _SAID:
            yield " ".join(parts), match.span(1)


def _each_mirrored(line: str) -> str:
    return " ".join(word[::-1] for word in line.split())


def _order(word: str) -> tuple[int, str]:
    return (-len(word), word)


@lru_cache(maxsize=16384)
def _mend(word: str) -> str:
    """The key word that `word` stands for, or `word` itself."""
    if len(word) > _MAX_WORD:
        return word
    if len(word) >= 18 and word.isascii() and word.isalpha():
        parts = _segment(word)
        known = [part for part in parts if part in VOCABULARY]
        return " ".join(parts) if len(known) >= 2 and len(parts) <= len(word) // 3 else word
    if len(word) < 5 or word in _WORDS or word in _ORDINARY or word.startswith(tuple(VOCABULARY)):
        return word
    if not word.isalpha():
        if any(char.isalpha() for char in word):
            for table in (_LEET, _LEET_L):
                if (unleet := word.translate(table)) in VOCABULARY:
                    return unleet
        return word
    if not word.isascii():
        return word
    if scrambled := _SCRAMBLED.get(word[0] + "".join(sorted(word[1:-1])) + word[-1]):
        return scrambled
    if len(word) < 6:
        return word
    for candidate in (word, *_deletions(word)):
        near = _NEAR.get(candidate)
        # Inflections ("ignored", "overrides") are words of their own, not misspelt ones.
        if near and near[0] == word[0] and near[-1] == word[-1] and abs(len(near) - len(word)) <= 1:
            return near
    return word


def _unspaced(view: Canonical) -> Canonical:
    edits = []
    for match in _SNAKE.finditer(view.text):
        parts = match.group().replace("_", " ").replace("-", " ").replace(".", " ")
        if sum(part in VOCABULARY for part in parts.split()) >= 2:
            edits.append((*match.span(), parts))
    if edits:
        view, edits = rewrite(view, edits), []
    if not _ANY_APART.may_match(view.text):
        return view
    for match in _DOTTED.finditer(view.text):
        # Each word is known by its letters' separator: no vocabulary is needed.
        edits.append((*match.span(), "".join(char for char in match.group() if char.isalpha())))
    if len(edits) >= _DOTTED_WORDS:
        view, edits = rewrite(view, edits), []
    edits = []
    for match in _SPACED.finditer(view.text):
        found = match.group()
        joined = " ".join(
            " ".join(_segment("".join(char for char in part if char.isalnum() or char in "@$!")))
            for part in _GAP.sub("\n", found).split("\n")
        )
        # Wider gaps between words tell where they end.
        apart = [part for part in re2.split(r"[ \t]{2,}", found) if len(part) >= 3]
        if len(apart) >= _DOTTED_WORDS:
            joined = " ".join("".join(c for c in part if c.isalnum()) for part in _GAP.split(found))
        if len(apart) >= _DOTTED_WORDS or sum(word in VOCABULARY for word in joined.split()):
            edits.append((*match.span(), joined))
    return rewrite(view, edits) if edits else view


def _segment(run: str) -> list[str]:
    """Cut a run of letters into known words, longest first; unknown letters stay together."""
    parts: list[str] = []
    unknown = ""
    place = 0
    while place < len(run):
        for size in range(min(_LONGEST, len(run) - place), 1, -1):
            piece = run[place : place + size]
            if piece in _WORDS and (size > 2 or not unknown):
                if unknown:
                    parts.append(unknown)
                    unknown = ""
                parts.append(piece)
                place += size
                break
        else:
            unknown += run[place]
            place += 1
    if unknown:
        parts.append(unknown)
    return parts
