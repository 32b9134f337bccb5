from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from orrery_knowledge.embedders.minilm import MiniLMEmbedder
from orrery_knowledge.protocols import Embedder, Vectors
from orrery_knowledge.testing.embedders import EmbedderContract, HashingEmbedder


class TestHashing(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return HashingEmbedder()


@pytest.fixture(scope="module")
def minilm() -> MiniLMEmbedder:
    """Loaded once: it is bound to no event loop."""
    return MiniLMEmbedder()


class TestMiniLM(EmbedderContract):
    @pytest.fixture
    def embedder(self, minilm: MiniLMEmbedder) -> Embedder:
        return minilm


class Unscaled(HashingEmbedder):
    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return 2 * await super().embed_documents(texts)


class OneForAll(HashingEmbedder):
    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return (await super().embed_documents(texts))[:1]


class Sorted(HashingEmbedder):
    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return await super().embed_documents(sorted(texts, key=len))


class Centred(HashingEmbedder):
    """Takes its neighbours into account, as a batch normalisation would."""

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        vectors = await super().embed_documents(texts)
        shifted: Vectors = vectors + vectors.mean(axis=0)
        shifted /= np.linalg.norm(shifted, axis=1, keepdims=True)
        return shifted


class Undefined(HashingEmbedder):
    """Divides by the number of words."""

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        vectors = await super().embed_documents(texts)
        vectors[[not text.split() for text in texts]] = np.nan
        return vectors


class Constant(HashingEmbedder):
    def _vector(self, text: str) -> Vectors:
        return super()._vector("")


class Short(HashingEmbedder):
    """Has a limit, as a service has, and refuses instead of cutting."""

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if any(len(text) > 512 for text in texts):
            raise ValueError("too many tokens")
        return await super().embed_documents(texts)


# Each breaks one promise; the contract must notice, or it promises nothing.
SABOTEURS = [
    (Unscaled, "test_one_unit_vector_per_text"),
    (OneForAll, "test_one_unit_vector_per_text"),
    (Sorted, "test_order_is_kept"),
    (Centred, "test_same_text_same_vector"),
    (Constant, "test_close_texts_are_closer"),
]


@pytest.mark.parametrize(("saboteur", "promise"), SABOTEURS)
def test_contract_notices(saboteur: type[HashingEmbedder], promise: str) -> None:
    check = getattr(EmbedderContract(), promise)
    with pytest.raises(AssertionError):
        asyncio.run(check(saboteur()))


@pytest.mark.parametrize(
    ("saboteur", "promise", "text", "error"),
    [
        (Undefined, "test_odd_text", "", AssertionError),
        (Short, "test_dense_text", "x" * 7900, ValueError),
    ],
)
def test_contract_notices_texts(
    saboteur: type[HashingEmbedder], promise: str, text: str, error: type[Exception]
) -> None:
    check = getattr(EmbedderContract(), promise)
    with pytest.raises(error):
        asyncio.run(check(saboteur(), text))


def test_hashing_embedder_by_hand() -> None:
    # SHA-256 of "disk" is 1044dec7206e8d7c 9f…: 0x7c modulo 8 is dimension 4, 0x9f is odd, so +1.
    embedder = HashingEmbedder(dimensions=8)
    once, often = asyncio.run(embedder.embed_documents(["disk", "Disk, disk! (DISK)"]))
    np.testing.assert_array_equal(once, [0, 0, 0, 0, 1, 0, 0, 0])
    np.testing.assert_array_equal(often, once)


def test_hashing_embedder_follows_its_dimensions() -> None:
    """K095: what reuses vectors by fingerprint must not meet those of another size."""
    assert HashingEmbedder(512).fingerprint != HashingEmbedder(1536).fingerprint


def test_hashing_embedder_remembers_documents_only() -> None:
    embedder = HashingEmbedder(fingerprint="v1")
    asyncio.run(embedder.embed_documents(["a", "b"]))
    asyncio.run(embedder.embed_query("c"))
    assert embedder.embedded == ["a", "b"]
    embedder.fingerprint = "v2"
    assert embedder.fingerprint == "v2"
