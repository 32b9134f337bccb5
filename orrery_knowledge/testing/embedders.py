"""What every embedder must do, as a pytest class; and a small embedder for tests.

A third party runs the contract on its own embedder by overriding one fixture::

    class TestMine(EmbedderContract):
        @pytest.fixture
        def embedder(self):
            return MyEmbedder(...)

`pytest` and `pytest-asyncio` must be installed.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Sequence

import numpy as np
import pytest

from orrery_knowledge.embedders.batches import TOLERANCE
from orrery_knowledge.protocols import Embedder, Vectors

_WORD = re.compile(r"\w+")


class HashingEmbedder:
    """A bag of words, each hashed to a signed dimension (feature hashing, Weinberger et al., 2009).

    Deterministic, instant and without a model: texts that share words are close. For tests.

    Args:
        dimensions: length of a vector.
        fingerprint: what to claim; by default it follows from the dimensions.

    Attributes:
        fingerprint: may be changed, to play a changed model.
        embedded: every document text that was embedded, in order: what a cache should have saved.
    """

    fingerprint: str

    def __init__(self, dimensions: int = 64, fingerprint: str | None = None) -> None:
        self.dimensions = dimensions
        self.fingerprint = fingerprint or f"hashing-{dimensions}"
        self.embedded: list[str] = []

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (len(texts), dimensions), float32, each of length 1."""
        self.embedded.extend(texts)
        return np.array([self._vector(text) for text in texts], np.float32).reshape(
            len(texts), self.dimensions
        )

    async def embed_query(self, text: str) -> Vectors:
        """One vector of shape (dimensions,), float32, of length 1."""
        return self._vector(text)

    def _vector(self, text: str) -> Vectors:
        sums = np.zeros(self.dimensions)
        for word in _WORD.findall(text.lower()):
            digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
            place = int.from_bytes(digest[:8], "big") % self.dimensions
            sums[place] += 1 if digest[8] % 2 else -1
        if not sums.any():  # no words, or words that cancel each other
            sums[0] = 1
        vector: Vectors = (sums / np.linalg.norm(sums)).astype(np.float32)
        return vector


@pytest.mark.asyncio
class EmbedderContract:
    """Override the fixture `embedder`; see the module's docstring.

    Attributes:
        tolerance: how much two vectors of one text may differ in a component. Raise it for a
            service that computes in half precision.
    """

    tolerance = 1e-5

    @pytest.fixture
    def embedder(self) -> Embedder:
        """The embedder under test."""
        raise NotImplementedError("override the fixture `embedder`")

    async def test_one_unit_vector_per_text(self, embedder: Embedder) -> None:
        """Shape, type and length are what the protocol says."""
        vectors = await embedder.embed_documents(["disk is full", "pod restarts", "replica lags"])
        assert vectors.shape == (3, embedder.dimensions)
        assert vectors.dtype == np.float32
        self.check_unit(vectors)

    async def test_no_text_gives_no_vector(self, embedder: Embedder) -> None:
        """An empty batch is not an error, and its shape is still two-dimensional."""
        assert (await embedder.embed_documents([])).shape == (0, embedder.dimensions)

    async def test_query_has_the_documents_size(self, embedder: Embedder) -> None:
        """A query vector can be compared with document vectors."""
        vector = await embedder.embed_query("disk is full")
        assert vector.shape == (embedder.dimensions,)
        assert vector.dtype == np.float32
        self.check_unit(vector[None])

    async def test_order_is_kept(self, embedder: Embedder) -> None:
        """Texts of different lengths come back in the order in which they went in."""
        texts = [f"alert {number} " * (1 + 7 * number % 23) for number in range(12)]
        together = await embedder.embed_documents(texts)
        for text, vector in zip(texts, together, strict=True):
            alone = (await embedder.embed_documents([text]))[0]
            np.testing.assert_allclose(vector, alone, atol=self.tolerance)
        assert len({vector.tobytes() for vector in together}) == len(texts)

    async def test_same_text_same_vector(self, embedder: Embedder) -> None:
        """A text's vector depends neither on its neighbours nor on the call."""
        text = "The etcd leader changed three times in an hour."
        first = await embedder.embed_documents([text])
        again = await embedder.embed_documents(["a", text, "long neighbour " * 100, text])
        np.testing.assert_allclose(again[1], first[0], atol=self.tolerance)
        np.testing.assert_allclose(again[3], first[0], atol=self.tolerance)

    async def test_close_texts_are_closer(self, embedder: Embedder) -> None:
        """The passage that answers is nearer to the query than an unrelated one."""
        query = await embedder.embed_query("database disk is full")
        near, far = await embedder.embed_documents(
            ["What to do when the disk of the database is full", "Booking a table for lunch"]
        )
        assert float(query @ near) > float(query @ far) + 0.1

    @pytest.mark.parametrize(
        "text",
        [
            "",
            " \n\t ",
            "\0",
            "a\0b",
            "lone \ud800 surrogate \udfff",
            "\ufeff\u200b\u202e",
            "[CLS] [SEP] [MASK] <|endoftext|>",
            "🚨" * 50,
        ],
        ids=["empty", "blank", "nul", "inner-nul", "surrogate", "invisible", "special", "emoji"],
    )
    async def test_odd_text(self, embedder: Embedder, text: str) -> None:
        """Whatever a document holds, it gets a vector, as a document and as a query."""
        self.check_unit(await embedder.embed_documents([text, "ordinary"]))
        self.check_unit((await embedder.embed_query(text))[None])

    @pytest.mark.parametrize(
        "text",
        [
            '{"a":[0,1],"b":{"c":"d/e"}},' * 282,
            "QUJD+/" * 1316,
            "磁盘已满请清理日志" * 877,
            "x" * 7900,
        ],
        ids=["json", "base64", "cjk", "one-word"],
    )
    async def test_dense_text(self, embedder: Embedder, text: str) -> None:
        """7,900 characters may be 7,900 tokens: a limit in characters is none in tokens."""
        self.check_unit(await embedder.embed_documents([text[:7900], "ordinary"]))

    async def test_calls_at_the_same_time(self, embedder: Embedder) -> None:
        """Concurrent calls don't mix their vectors."""
        texts = [f"service {number} is down" for number in range(6)]
        expected = await embedder.embed_documents(texts)
        found = await asyncio.gather(*(embedder.embed_documents([text]) for text in texts))
        np.testing.assert_allclose(np.concatenate(found), expected, atol=self.tolerance)

    async def test_cancelled_call_leaves_it_usable(self, embedder: Embedder) -> None:
        """After Ctrl-C on one call the next one works."""
        call = asyncio.create_task(embedder.embed_documents(["some words " * 50] * 100))
        await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        self.check_unit(await embedder.embed_documents(["after"]))

    async def test_fingerprint_is_stable(self, embedder: Embedder) -> None:
        """It is one short printable word, the same before and after use."""
        before = embedder.fingerprint
        await embedder.embed_documents(["text"])
        assert embedder.fingerprint == before
        assert re.fullmatch(r"[\x21-\x7e]{1,120}", before)

    @staticmethod
    def check_unit(vectors: Vectors) -> None:
        """Assert that all vectors are finite and of length 1."""
        assert np.isfinite(vectors).all()
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=TOLERANCE)
