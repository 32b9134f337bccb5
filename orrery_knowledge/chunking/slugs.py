"""GitHub's heading anchors.

GitHub lower-cases a heading's text, drops every character that is neither a word character, a
hyphen nor a space, and turns each space into a hyphen (nothing is trimmed or collapsed). Word
characters are Unicode's letters, marks, decimal digits, letter numbers and connectors such as the
underscore; so CJK letters stay, emoji go, and the variation selector after an emoji stays.
Source of the rule: the table-of-contents filter of GitHub's html-pipeline.
"""

from __future__ import annotations

import unicodedata

_WORD_CATEGORIES = frozenset(["Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"])


def _kept(character: str) -> bool:
    if character in "- ":
        return True
    if unicodedata.category(character) in _WORD_CATEGORIES:
        return True
    # Circled letters are symbols by category and still alphabetic, hence word characters.
    return "\u24b6" <= character <= "\u24e9"


def slug(text: str) -> str:
    """The anchor of a heading's rendered text, before duplicates are numbered.

    Args:
        text: rendered inline text, without emphasis marks, URLs and tags.
    """
    return "".join(c for c in text.lower() if _kept(c)).replace(" ", "-")


class Slugger:
    """Numbers the duplicates of one document: ``x``, ``x-1``, ``x-2``.

    Every anchor that it hands out is new. The empty one is taken from the start, because it names
    the text before the first heading; a heading without any word character becomes ``-1``.
    """

    def __init__(self) -> None:
        self._next: dict[str, int] = {"": 1}

    def add(self, text: str) -> str:
        """The anchor of the document's next heading with this rendered text."""
        base = slug(text)
        anchor, number = base, self._next.get(base, 0)
        while anchor in self._next:
            anchor = f"{base}-{number}"
            number += 1
        self._next[base] = max(number, 1)
        self._next.setdefault(anchor, 1)
        return anchor
