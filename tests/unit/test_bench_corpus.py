from __future__ import annotations

from itertools import islice
from random import Random

import numpy as np

from bench.corpus import (
    DIMENSIONS,
    batches,
    documents,
    make_document,
    read_samples,
    vector_of,
)
from bench.words import SHIFT, coin, draw_rank, vary


def test_the_same_seed_gives_the_same_documents_and_another_seed_others():
    first, again, other = (
        [document.model_dump() for document in islice(documents(seed), 3)] for seed in (7, 7, 8)
    )
    assert first == again
    assert first[0]["digest"] != other[0]["digest"]


def test_a_larger_corpus_begins_with_the_smaller_one():
    small = [doc.digest for batch in batches(7, 100) for doc in batch.documents]
    large = [doc.digest for batch in batches(7, 400) for doc in batch.documents]
    assert large[: len(small)] == small
    assert len(large) > len(small)


def test_a_corpus_has_as_many_chunks_as_asked_for_and_no_whole_document_more():
    found = list(batches(7, 300))
    total = sum(batch.chunks for batch in found)
    assert total >= 300
    assert total - len(found[-1].documents[-1].chunks) < 300


def test_every_chunk_has_a_unit_vector_in_order():
    [batch] = batches(7, 100)
    keys = [item.vector_key for document in batch.documents for item in document.chunks]
    assert list(batch.keys) == keys
    assert batch.vectors.shape == (len(keys), DIMENSIONS)
    np.testing.assert_allclose(np.linalg.norm(batch.vectors, axis=1), 1.0, atol=1e-5)


def test_vectors_of_one_topic_are_closer_than_those_of_two():
    one, same = vector_of("a", "alert"), vector_of("b", "alert")
    other = vector_of("a text of something else", "backup")
    assert np.array_equal(one, vector_of("a", "alert"))
    assert one @ same > one @ other


def test_some_documents_are_not_eligible():
    samples = read_samples()
    made = [make_document(samples, 7, number) for number in range(120)]
    lowered = [document for document in made if document is not None and not document.eligible]
    assert 0 < len(lowered) < 30


def test_words_of_two_ranks_differ_and_have_two_syllables_at_least():
    # 14 consonants and 5 vowels: 70 syllables, 4900 words of two of them.
    assert coin(0) == "baba"
    assert coin(1) == "babe"
    assert coin(4899) == "zuzu"
    assert coin(4900) == "bababa"
    assert len({coin(rank) for rank in range(20_000)}) == 20_000


def test_a_rank_is_what_the_distribution_says():
    class Half(Random):
        def random(self) -> float:
            return 0.5

    # (1 - 0.5) ** (-1 / (2 - 1)) = 2, so the shift times 2 - 1.
    assert draw_rank(Half(), exponent=2.0) == SHIFT


def test_numbers_keep_their_length_and_services_are_renamed():
    text = "payments failed 30 times at PT-1234, `max_wal_size` stays"
    found = vary(text, Random(1), service="baba-api", known=["payments"])
    words = found.split()
    assert words[0].endswith(("-api", "-worker", "-gateway", "-store"))
    assert len(words[2]) == 2
    assert words[2].isdigit()
    assert len(words[5].removesuffix(",").partition("-")[2]) == 4
    assert words[6].count("_") == 2


def test_structure_survives():
    text = "| a | b |\n| --- | --- |\n| `x` | 1 |\n\n```bash\nkubectl get pods\n```\n"
    found = vary(text, Random(3), service="baba-api", known=[])
    assert [line[:1] for line in found.splitlines()] == [line[:1] for line in text.splitlines()]
    assert found.count("|") == text.count("|")
    assert found.count("```") == 2
