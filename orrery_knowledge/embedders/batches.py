"""Embed many texts although some of them cannot be embedded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from orrery_knowledge.errors import EmbedderError
from orrery_knowledge.protocols import Embedder, Vectors

BATCH = 64
# A provider may compute in half precision, whose rounding shows in the fourth digit.
TOLERANCE = 1e-3
# Any embedder can do this one; if it fails too, the texts are not to blame.
PROBE = "ok"


@dataclass(frozen=True)
class EmbedFailure:
    """A text that could not be embedded.

    Attributes:
        index: its position among the texts.
        reason: what the embedder said; no text of a document.
    """

    index: int
    reason: str


async def embed_all(
    embedder: Embedder, texts: Sequence[str], *, batch: int = BATCH
) -> tuple[Vectors, tuple[EmbedFailure, ...]]:
    """Embed texts in batches; of a batch that fails, find the texts that fail alone.

    A failing batch is halved until single texts are left, so one bad text among n costs about
    2 log2(n) more calls. Each call has fewer texts than the one that failed, so this ends.

    Returns:
        Vectors of shape (len(texts), dimensions), where the row of a failed text is NaN, so that
        it can never be stored by accident; and the failures in order of their index.

    Raises:
        EmbedderError: the embedder fails whatever the text; or it failed in a way that may pass
            (`retryable`), which says nothing about the text.
    """
    vectors = np.full((len(texts), embedder.dimensions), np.nan, np.float32)
    failures: list[EmbedFailure] = []
    # A stack of ranges; the first range is on top.
    todo = [(start, min(start + batch, len(texts))) for start in range(0, len(texts), batch)][::-1]
    while todo:
        start, end = todo.pop()
        try:
            vectors[start:end] = await checked(embedder, texts[start:end])
        except EmbedderError as error:
            if error.retryable:
                raise
            if end - start > 1:
                middle = (start + end) // 2
                todo += [(middle, end), (start, middle)]
                continue
            await checked(embedder, [PROBE])
            failures.append(EmbedFailure(start, str(error)))
    return vectors, tuple(failures)


async def checked(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Embed texts in one call, and believe nothing about what comes back.

    Raises:
        EmbedderError: not one finite vector of unit length and the right size for each text.
    """
    vectors = np.asarray(await embedder.embed_documents(texts))
    expected = (len(texts), embedder.dimensions)
    if vectors.shape != expected:
        raise EmbedderError(f"the embedder returned shape {vectors.shape} instead of {expected}")
    if not np.isfinite(vectors).all():
        raise EmbedderError("the embedder returned a vector that is not finite")
    lengths = np.linalg.norm(vectors, axis=1)
    if (np.abs(lengths - 1) > TOLERANCE).any():
        raise EmbedderError("the embedder returned a vector whose length is not 1")
    return vectors.astype(np.float32, copy=False)
