"""What the agent check finds, and how somebody says that one of the findings is meant to be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from orrery_knowledge.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Bypass:
    """A way in which text could reach the model past the guard.

    Attributes:
        where: the place, from the root on: ``root > helper > tool google_search``.
        kind: what it is, as one word; see `docs/guides/agents.md`.
        reason: how the text gets past.
        fix: what to do about it.
    """

    where: str
    kind: str
    reason: str
    fix: str

    @property
    def id(self) -> str:
        """What a waiver names: the place and the kind."""
        return f"{self.where}: {self.kind}"

    def __str__(self) -> str:
        return f"{self.id}: {self.reason}; {self.fix}"


def waive(found: Iterable[Bypass], waivers: Mapping[str, str]) -> list[Bypass]:
    """Leave out what is waived; a waiver that fits nothing is a finding of its own.

    Args:
        found: what the check found.
        waivers: the reason by the id of a finding, ``{"root > tool notes: request_text": "..."}``.

    Raises:
        ConfigurationError: a waiver gives no reason.
    """
    for name, reason in waivers.items():
        if not isinstance(reason, str) or not reason.strip():
            raise ConfigurationError(f"waiver {name!r} gives no reason; say why the way is safe")
    left = {bypass.id: bypass for bypass in found}
    unused = [name for name in waivers if name not in left]
    kept = [bypass for name, bypass in left.items() if name not in waivers]
    return kept + [
        Bypass(
            name,
            "unused_waiver",
            "the waiver fits no finding",
            "take it out, or name a finding by its id",
        )
        for name in unused
    ]
