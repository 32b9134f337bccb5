"""Patterns that a text seldom matches, asked all at once: one pass instead of one a pattern.

The automaton takes the same time for a choice of patterns as for one of them, as long as it only
has to say whether any matches. Nothing is estimated: no match of the choice is no match of any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from orrery_knowledge.screening.patterns import compiled

MEMORY = 32 << 20
"""Bytes that an automaton may take: with the default, large choices fall back to a way that is
many times slower."""
WORTH = 20_000
"""Characters after which a choice is made: it costs more to compile than short texts cost."""
_NAMED_GROUP = compiled(r"\(\?P<\w+>")

Matches = Callable[[Any], Iterator[Any]]
"""What one of the patterns of a sieve matches in a text."""


class Sieve:
    """Tells texts that match none of several patterns from those that may match some.

    Args:
        patterns: compiled, with no option but that of their memory.
    """

    def __init__(self, patterns: Iterable[Any]) -> None:
        self._patterns = tuple(patterns)
        self._read = 0

    def over(self, text: str) -> Matches:
        """The ``finditer`` over a text of each of the patterns: nothing where none can match.

        Asked for another pattern it raises LookupError: what the choice doesn't hold, the choice
        would hide.
        """
        worth = self.may_match(text)

        def matches(pattern: Any) -> Iterator[Any]:
            if pattern not in self._patterns:
                raise LookupError(f"no pattern of this sieve: {pattern.pattern}")
            found: Iterator[Any] = pattern.finditer(text) if worth else iter(())
            return found

        return matches

    def may_match(self, text: str) -> bool:
        """Whether the patterns are worth a look; linear in the length of the text.

        It is always True for the first texts of a process.
        """
        if self._read < WORTH:
            self._read += len(text)
            return True
        return self._choice.search(text) is not None

    @cached_property
    def _choice(self) -> Any:
        # Groups are what takes time, and two patterns may use the same name for one.
        bare = (_NAMED_GROUP.sub("(?:", pattern.pattern) for pattern in self._patterns)
        choice = "|".join(f"(?:{pattern})" for pattern in bare)
        return compiled(choice, memory=MEMORY, capture=False)
