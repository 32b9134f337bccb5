from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from orrery_knowledge.embedders.batches import EmbedFailure, checked, embed_all
from orrery_knowledge.errors import EmbedderError
from orrery_knowledge.protocols import Vectors
from orrery_knowledge.testing.embedders import HashingEmbedder


class Limited(HashingEmbedder):
    """Refuses a whole batch when one text in it has more than `limit` characters."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit
        self.calls = 0

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        if any(len(text) > self.limit for text in texts):
            raise EmbedderError("an input has too many tokens")
        return await super().embed_documents(texts)


class TestIsolation:
    async def test_one_bad_text_of_a_hundred(self) -> None:
        """K093: item 37 is too long; 99 are embedded."""
        texts = [f"text {number}" for number in range(100)]
        texts[37] = "x" * 500
        embedder = Limited(100)
        vectors, failures = await embed_all(embedder, texts, batch=100)
        assert failures == (EmbedFailure(37, "an input has too many tokens"),)
        good = [text for number, text in enumerate(texts) if number != 37]
        np.testing.assert_array_equal(
            np.delete(vectors, 37, axis=0), await HashingEmbedder().embed_documents(good)
        )
        assert np.isnan(vectors[37]).all()
        # 100 → 50 → 25 → 12/13 → 6/7 → 3/4 → 1/2 → 1: two calls a step and the probe at most.
        assert embedder.calls <= 1 + 2 * 7 + 1

    async def test_dense_chunks_do_not_hold_up_the_rest(self) -> None:
        """K091: 7,900 characters of JSON and CJK; the sync goes on without them."""
        texts = ["fine", '{"a":[0,1]},' * 658, "also fine", "磁盘" * 3950]
        vectors, failures = await embed_all(Limited(1000), texts)
        assert [failure.index for failure in failures] == [1, 3]
        assert np.isfinite(vectors[[0, 2]]).all()
        assert np.isnan(vectors[[1, 3]]).all()

    async def test_every_text_is_bad(self) -> None:
        """All are reported: the embedder still answers a harmless text."""
        _, failures = await embed_all(Limited(2), ["aaa", "bbb", "ccc"])
        assert [failure.index for failure in failures] == [0, 1, 2]

    async def test_a_bad_text_per_batch(self) -> None:
        texts = ["xxxx" if number % 10 == 9 else "ab" for number in range(30)]
        _, failures = await embed_all(Limited(3), texts, batch=10)
        assert [failure.index for failure in failures] == [9, 19, 29]

    async def test_the_same_bad_text_twice(self) -> None:
        _, failures = await embed_all(Limited(3), ["xxxx", "ab", "xxxx"])
        assert [failure.index for failure in failures] == [0, 2]

    async def test_nothing_to_do(self) -> None:
        vectors, failures = await embed_all(HashingEmbedder(8), [])
        assert vectors.shape == (0, 8)
        assert failures == ()


class TestBatches:
    async def test_batches_are_bounded_and_in_order(self) -> None:
        sizes = []

        class Recording(HashingEmbedder):
            async def embed_documents(self, texts: Sequence[str]) -> Vectors:
                sizes.append(len(texts))
                return await super().embed_documents(texts)

        embedder = Recording()
        texts = [f"text {number}" for number in range(7)]
        vectors, _ = await embed_all(embedder, texts, batch=3)
        assert sizes == [3, 3, 1]
        assert embedder.embedded == texts
        np.testing.assert_array_equal(vectors, await HashingEmbedder().embed_documents(texts))


class TestBrokenEmbedder:
    async def test_no_text_is_blamed_when_the_embedder_is_broken(self) -> None:
        embedder = Limited(-1)
        with pytest.raises(EmbedderError, match="too many tokens"):
            await embed_all(embedder, ["a"] * 1000, batch=64)
        # 64, 32, 16, 8, 4, 2, 1 and the probe: it does not work through the other 999.
        assert embedder.calls == 8

    async def test_what_may_pass_is_not_isolated(self) -> None:
        class Busy(EmbedderError):
            retryable = True

        class Overloaded(HashingEmbedder):
            calls = 0

            async def embed_documents(self, texts: Sequence[str]) -> Vectors:
                self.calls += 1
                raise Busy("429")

        embedder = Overloaded()
        with pytest.raises(Busy):
            await embed_all(embedder, ["a", "b"])
        assert embedder.calls == 1

    async def test_an_error_of_another_kind_is_not_hidden(self) -> None:
        class Buggy(HashingEmbedder):
            async def embed_documents(self, texts: Sequence[str]) -> Vectors:
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await embed_all(Buggy(), ["a", "b"])

    @pytest.mark.parametrize(
        ("returned", "message"),
        [
            (np.ones((1, 4), np.float32) / 2, r"shape \(1, 4\) instead of \(2, 4\)"),
            (np.ones((3, 4), np.float32) / 2, r"shape \(3, 4\)"),
            (np.ones((2, 5), np.float32), r"shape \(2, 5\)"),
            (np.ones(4, np.float32) / 2, r"shape \(4,\)"),
            (np.full((2, 4), np.nan, np.float32), "not finite"),
            (np.full((2, 4), np.inf, np.float32), "not finite"),
            (np.zeros((2, 4), np.float32), "length is not 1"),
            (np.full((2, 4), 0.6, np.float32), "length is not 1"),
        ],
    )
    async def test_answers_are_checked(self, returned: Vectors, message: str) -> None:
        class Fixed(HashingEmbedder):
            async def embed_documents(self, texts: Sequence[str]) -> Vectors:
                return returned

        with pytest.raises(EmbedderError, match=message):
            await checked(Fixed(4), ["a", "b"])

    async def test_half_precision_is_close_enough(self) -> None:
        class Half(HashingEmbedder):
            async def embed_documents(self, texts: Sequence[str]) -> Vectors:
                vectors = await super().embed_documents(texts)
                return vectors.astype(np.float16).astype(np.float32)

        assert (await checked(Half(), ["disk is full now"])).dtype == np.float32

    async def test_one_vector_for_a_list_is_refused(self) -> None:
        """A service that joins a list into one input; each text is embedded alone instead."""

        class Joins(HashingEmbedder):
            async def embed_documents(self, texts: Sequence[str]) -> Vectors:
                return await super().embed_documents([" ".join(texts)])

        vectors, failures = await embed_all(Joins(), ["disk full", "pod lost"])
        assert failures == ()
        expected = await HashingEmbedder().embed_documents(["disk full", "pod lost"])
        np.testing.assert_array_equal(vectors, expected)
