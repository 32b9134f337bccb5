"""Contract classes that every source, backend and embedder must pass, also a third party's.

Needs pytest and pytest-asyncio; nothing else of the library imports this package.
"""

from __future__ import annotations

from orrery_knowledge.testing.backends import BackendContract
from orrery_knowledge.testing.embedders import EmbedderContract, HashingEmbedder
from orrery_knowledge.testing.sources import SourceContract

__all__ = ["BackendContract", "EmbedderContract", "HashingEmbedder", "SourceContract"]
