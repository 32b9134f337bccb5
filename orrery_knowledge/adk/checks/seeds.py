"""Canaries: what is planted where text could come from, to see whether it reaches the request."""

from __future__ import annotations

from typing import Any

from google.adk.artifacts import InMemoryArtifactService
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions import Session
from google.genai import types
from typing_extensions import override

MEMORY = "orrery-canary-memory"
ARTIFACT = "orrery-canary-artifact"
STATE = "orrery-canary-state"
ARTIFACT_NAME = "canary.txt"
_SCOPES = frozenset({"", "app", "user", "temp"})


class SeededMemory(BaseMemoryService):
    """Remembers the canary, whatever is asked."""

    @override
    async def add_session_to_memory(self, session: Session) -> None:
        """Keep nothing."""

    @override
    async def search_memory(
        self, *, app_name: str, user_id: str, query: str
    ) -> SearchMemoryResponse:
        """Find the canary."""
        content = types.Content(role="user", parts=[types.Part(text=MEMORY)])
        return SearchMemoryResponse(memories=[MemoryEntry(content=content, author="user")])


class SeededArtifacts(InMemoryArtifactService):
    """Holds the canary under every name."""

    @override
    async def load_artifact(self, **asked: Any) -> types.Part | None:
        """Load the canary."""
        return types.Part(text=ARTIFACT)

    @override
    async def list_artifact_keys(self, **asked: Any) -> list[str]:
        """List one artifact."""
        return [ARTIFACT_NAME]


class SeededState(dict[str, Any]):
    """A session's state in which every key that somebody may have written holds the canary.

    ADK's own keys stay what they are.
    """

    @override
    def __contains__(self, key: object) -> bool:
        return super().__contains__(key) or _written(key)

    def __missing__(self, key: str) -> str:
        if _written(key):
            return STATE
        raise KeyError(key)

    @override
    def get(self, key: str, default: Any = None) -> Any:
        try:
            return self[key]
        except KeyError:
            return default


def _written(key: object) -> bool:
    # A tool may write any name; what ADK keeps for itself looks otherwise (``temp:x:y``, ``_adk``).
    name = key.rpartition(":")[2] if isinstance(key, str) else ""
    scope = str(key)[: -len(name) - 1]
    return name.isidentifier() and not name.startswith(("_", "adk")) and scope in _SCOPES
