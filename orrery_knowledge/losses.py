"""What a sync would take away, and what it must be told before it does."""

from __future__ import annotations

from dataclasses import dataclass

MASS_DELETE_FLOOR = 2
"""Fewer removals than this are never a mass deletion, whatever their share."""


@dataclass(frozen=True)
class Losses:
    """How much goes, and what the user has said to that.

    Attributes:
        max_share: of documents that may go without a word, in [0, 1].
        allow_mass_delete: the user has said so.
        allow_empty: the user has said so.
        gone: documents that are gone from their sources.
        known: documents that the index held of these sources.
        nothing_left: no document would be left.
    """

    max_share: float
    allow_mass_delete: bool
    allow_empty: bool
    gone: int = 0
    known: int = 0
    nothing_left: bool = False

    @property
    def many_go(self) -> bool:
        """Whether it is a mass deletion."""
        return self.gone >= MASS_DELETE_FLOOR and self.gone / self.known > self.max_share

    @property
    def are_allowed(self) -> bool:
        """Whether nothing is lost but what the user agreed to."""
        return (self.allow_mass_delete or not self.many_go) and (
            self.allow_empty or not self.nothing_left
        )

    def refusal(self, nothing: str, *, check_paths: bool = False) -> str:
        """Why nothing may be activated, with every option that it takes, given or not.

        One option at a time would send people round in a circle.

        Args:
            nothing: what to say where only the emptiness is in the way.
            check_paths: whether it looks like a slip in the configuration.
        """
        many = self.many_go and not self.allow_mass_delete
        share = f"(over {self.max_share:.0%})"
        why = f"{self.gone} of {self.known} documents are gone from their sources {share}"
        wanted = {"--allow-mass-delete": self.many_go, "--allow-empty": self.nothing_left}
        options = " ".join(option for option, is_wanted in wanted.items() if is_wanted)
        begin = "Check their paths; if" if check_paths else "If"
        return (
            f"{why if many else nothing}; nothing was activated. {begin} that is meant, run "
            f"sync {options}"
        )
