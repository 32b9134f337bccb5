from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from orrery_knowledge.errors import ConfigurationError, EmbedderError
from orrery_knowledge.evaluation.vectors import StoredVectors
from orrery_knowledge.testing import HashingEmbedder
from orrery_knowledge.testing.embedders import EmbedderContract


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "vectors.npz"


class TestContract(EmbedderContract):
    """One that computes what it lacks is an embedder like any other, but for half precision."""

    tolerance = 1e-3

    @pytest.fixture
    def embedder(self, file: Path) -> StoredVectors:
        return StoredVectors(file, HashingEmbedder())


async def test_a_run_over_stored_vectors_asks_no_model(file: Path) -> None:
    model = HashingEmbedder()
    first = StoredVectors(file, model)
    documents = await first.embed_documents(["zebra crossing", "walrus"])
    query = await first.embed_query("zebra")
    assert first.computed == 3
    first.save()
    stored = StoredVectors(file)
    assert (stored.fingerprint, stored.dimensions) == (model.fingerprint, 64)
    assert np.array_equal(
        await stored.embed_documents(["walrus", "zebra crossing"]), documents[::-1]
    )
    assert np.array_equal(await stored.embed_query("zebra"), query)
    assert stored.computed == 0
    # Half precision moves no cosine far.
    exact = await model.embed_query("zebra")
    assert float(query @ exact) == pytest.approx(1, abs=1e-6)


async def test_a_text_that_is_missing_is_an_error_that_says_what_to_do(file: Path) -> None:
    first = StoredVectors(file, HashingEmbedder())
    await first.embed_documents(["zebra"])
    first.save()
    stored = StoredVectors(file)
    with pytest.raises(EmbedderError, match=r"lacks 2 vectors .* --update-vectors"):
        await stored.embed_documents(["zebra", "zebra ", "walrus"])
    # A document's vector is never a query's: models may treat the two differently.
    with pytest.raises(EmbedderError, match="lacks 1 vectors"):
        await stored.embed_query("zebra")


async def test_only_what_is_missing_is_computed_and_what_nobody_asked_for_goes(file: Path) -> None:
    first = StoredVectors(file, HashingEmbedder())
    await first.embed_documents(["zebra", "walrus"])
    first.save()
    model = HashingEmbedder()
    second = StoredVectors(file, model)
    await second.embed_documents(["zebra", "lion"])
    assert (model.embedded, second.computed) == (["lion"], 1)
    second.save()
    with pytest.raises(EmbedderError, match="lacks 1"):
        await StoredVectors(file).embed_documents(["zebra", "lion", "walrus"])


async def test_vectors_of_another_model_are_never_mixed(file: Path) -> None:
    first = StoredVectors(file, HashingEmbedder())
    await first.embed_documents(["zebra"])
    first.save()
    other = HashingEmbedder(fingerprint="another")
    second = StoredVectors(file, other)
    assert second.fingerprint == "another"
    await second.embed_documents(["zebra"])
    assert other.embedded == ["zebra"]


async def test_the_same_vectors_give_the_same_bytes(file: Path) -> None:
    for texts in (["a", "b"], ["b", "a", "b"]):
        made = StoredVectors(file, HashingEmbedder())
        await made.embed_documents(texts)
        made.save()
        digest = file.read_bytes()
        file.rename(file.with_suffix(".before")) if texts[0] == "a" else None
    assert file.with_suffix(".before").read_bytes() == digest


def test_without_file_and_embedder_there_is_nothing(file: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such file"):
        StoredVectors(file)


def archive(**parts: Any) -> bytes:
    held = io.BytesIO()
    np.savez(held, **parts)
    return held.getvalue()


KEYS = np.zeros((1, 16), np.uint8)
NAME = np.frombuffer(b"model", np.uint8)
HALF = np.ones((1, 4), np.float16)


def huge() -> bytes:
    """Claims vectors of 800 TB in a few hundred bytes."""
    vectors = io.BytesIO()
    shape = {"descr": "<f2", "fortran_order": False, "shape": (10**12, 400)}
    np.lib.format.write_array_header_1_0(vectors, shape)
    held = io.BytesIO(archive(fingerprint=NAME, keys=KEYS))
    with zipfile.ZipFile(held, "a") as added:
        added.writestr("vectors.npy", vectors.getvalue())
    return held.getvalue()


def compressed_with(method: int) -> bytes:
    """A good file that names a method of compression, in both of its headers."""
    data = bytearray(archive(fingerprint=NAME, keys=KEYS, vectors=HALF))
    for header, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = data.find(header)
        while at >= 0:
            data[at + place : at + place + 2] = method.to_bytes(2, "little")
            at = data.find(header, at + 4)
    return bytes(data)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not an archive",
        b"PK\x03\x04 cut",
        archive(keys=KEYS),
        archive(fingerprint=NAME, keys=KEYS, vectors=HALF.astype(np.float64)),
        archive(fingerprint=NAME, keys=KEYS, vectors=HALF[:, :0]),
        archive(fingerprint=NAME, keys=KEYS, vectors=HALF * np.float16(np.nan)),
        archive(fingerprint=NAME, keys=KEYS, vectors=HALF * np.float16(0)),
        archive(fingerprint=NAME, keys=KEYS[:, :8], vectors=HALF),
        archive(fingerprint=np.array([255], np.uint8), keys=KEYS, vectors=HALF),
        archive(fingerprint=NAME, keys=KEYS, vectors=np.array([[object()]])),
        huge(),
        compressed_with(zipfile.ZIP_DEFLATED),  # which it is not
        compressed_with(98),  # nobody here knows it
    ],
)
def test_a_file_of_something_else_is_refused(file: Path, content: bytes) -> None:
    """Pickled objects are never loaded."""
    file.write_bytes(content)
    with pytest.raises(ConfigurationError, match="no stored vectors"):
        StoredVectors(file)


def test_a_good_file_of_the_same_shape_is_read(file: Path) -> None:
    """So that the ones above fail for their one fault."""
    file.write_bytes(archive(fingerprint=NAME, keys=KEYS, vectors=HALF))
    assert StoredVectors(file).fingerprint == "model"
    with zipfile.ZipFile(file) as held:
        assert len(held.namelist()) == 3
