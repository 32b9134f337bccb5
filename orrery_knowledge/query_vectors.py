"""Remembers the vectors of queries, each for its own investigation, model and text only."""

from __future__ import annotations

from collections import OrderedDict

from orrery_knowledge.protocols import Embedder, Vectors

KEPT = 256
"""Vectors kept, of all investigations together: about 400 kB with 384 dimensions."""


class QueryVectors:
    """Embeds queries; one that an investigation asks again costs no model.

    Nothing passes from one investigation to another, not even how long a query takes to embed.

    Args:
        kept: how many vectors are remembered; the one that was used longest ago goes first.
    """

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._vectors: OrderedDict[tuple[str, str, str], Vectors] = OrderedDict()

    async def embed(self, embedder: Embedder, text: str, investigation: str | None) -> Vectors:
        """The vector of a query.

        Args:
            embedder: asked unless it has embedded this very text in this investigation.
            text: the query as it is embedded.
            investigation: None remembers nothing.

        Raises:
            EmbedderError: it can't be embedded; that is not remembered.
        """
        if investigation is None:
            return await embedder.embed_query(text)
        key = (investigation, embedder.fingerprint, text)
        if (known := self._vectors.get(key)) is not None:
            self._vectors.move_to_end(key)
            return known
        vector = await embedder.embed_query(text)
        vector.flags.writeable = False  # several searches hold it from now on
        self._vectors[key] = vector
        while len(self._vectors) > self._kept:
            self._vectors.popitem(last=False)
        return vector
