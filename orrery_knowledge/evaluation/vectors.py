"""Vectors of labelled sets in a file, so that runs over them need no model.

Each lies by the digest of its kind (document or query) and text, under the fingerprint of the
embedder that computed it. Half precision: it moves a cosine by about 1e-4, and halves the file.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orrery_knowledge.errors import ConfigurationError, EmbedderError
from orrery_knowledge.protocols import Embedder, Vectors

_KEY_BYTES = 16
_PARTS = {"fingerprint", "keys", "vectors"}

Stored = Mapping[bytes, NDArray[np.float16]]


class StoredVectors:
    """An embedder that answers from a file, and asks a real one only for what is missing there.

    Args:
        file: read when this is made; `save` writes it.
        embedder: computes what is missing; None makes a missing text an error.

    Raises:
        ConfigurationError: the file can't be read, or there is neither file nor embedder.
    """

    def __init__(self, file: Path, embedder: Embedder | None = None) -> None:
        self._file = file
        self._embedder = embedder
        found = _read(file)
        if found is None and embedder is None:
            raise ConfigurationError(f"{file}: there is no such file")
        fingerprint, stored = found or ("", {})
        if embedder is not None and embedder.fingerprint != fingerprint:
            # Vectors of another model are of no use beside those that this one computes.
            fingerprint, stored = embedder.fingerprint, {}
        self._fingerprint = fingerprint
        self._stored = dict(stored)
        self._used: dict[bytes, NDArray[np.float16]] = {}
        self.computed = 0

    @property
    def fingerprint(self) -> str:
        """Of the embedder that computed the vectors."""
        return self._fingerprint

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        if self._embedder is not None:
            return self._embedder.dimensions
        return len(next(iter(self._stored.values())))

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (len(texts), dimensions), float32, each of length 1.

        Raises:
            EmbedderError: the file lacks a text, and there is no embedder, or it fails.
        """
        keys = [_key("document", text) for text in texts]
        missing = [number for number, key in enumerate(keys) if key not in self._stored]
        if missing:
            embedder = self._computing(len(missing))
            vectors = await embedder.embed_documents([texts[number] for number in missing])
            for number, vector in zip(missing, vectors, strict=True):
                self._stored[keys[number]] = vector.astype(np.float16)
        if not keys:
            return np.empty((0, self.dimensions), np.float32)
        return np.stack([self._vector(key) for key in keys])

    async def embed_query(self, text: str) -> Vectors:
        """One vector of shape (dimensions,), float32, of length 1.

        Raises:
            EmbedderError: the file lacks it, and there is no embedder, or it fails.
        """
        key = _key("query", text)
        if key not in self._stored:
            vector = await self._computing(1).embed_query(text)
            self._stored[key] = vector.astype(np.float16)
        return self._vector(key)

    def save(self) -> None:
        """Write the vectors that were asked for, whole or not at all; all others are left out.

        In the order of their keys, so that the same vectors give the same bytes.
        """
        keys = sorted(self._used)
        parts: dict[str, NDArray[Any]] = {
            "fingerprint": np.frombuffer(self._fingerprint.encode(), np.uint8),
            "keys": np.frombuffer(b"".join(keys), np.uint8).reshape(-1, _KEY_BYTES),
            "vectors": np.array([self._used[key] for key in keys], np.float16).reshape(
                len(keys), self.dimensions
            ),
        }
        unfinished = self._file.with_name(f"{self._file.name}.unfinished")
        with zipfile.ZipFile(unfinished, "w") as archive:
            for name, part in parts.items():
                array = io.BytesIO()
                np.lib.format.write_array(array, part, allow_pickle=False)
                # A ZipInfo of its own has no time of writing.
                archive.writestr(zipfile.ZipInfo(f"{name}.npy"), array.getvalue())
        unfinished.replace(self._file)

    def _computing(self, count: int) -> Embedder:
        if self._embedder is None:
            raise EmbedderError(
                f"{self._file} lacks {count} vectors of texts that changed; run with an embedder "
                "and --update-vectors"
            )
        self.computed += count
        return self._embedder

    def _vector(self, key: bytes) -> Vectors:
        half = self._used[key] = self._stored[key]
        vector = half.astype(np.float32)
        unit: Vectors = vector / np.linalg.norm(vector)
        return unit


def _key(kind: str, text: str) -> bytes:
    digest = hashlib.sha256(f"{kind}\0{text}".encode("utf-8", "surrogatepass"))
    return digest.digest()[:_KEY_BYTES]


def _read(file: Path) -> tuple[str, Stored] | None:
    try:
        with np.load(file, allow_pickle=False) as found:
            if not isinstance(found, np.lib.npyio.NpzFile) or set(found.files) != _PARTS:
                raise ValueError
            fingerprint = found["fingerprint"].tobytes().decode()
            keys, vectors = found["keys"], found["vectors"]
        if (
            keys.dtype != np.uint8
            or vectors.dtype != np.float16
            or vectors.ndim != 2
            or not vectors.size
            or keys.shape != (len(vectors), _KEY_BYTES)
            or not np.isfinite(vectors).all()
            or not np.any(vectors, axis=1).all()
        ):
            raise ValueError
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigurationError(f"{file}: {error.strerror or 'it can not be read'}") from None
    except Exception:  # zipfile and numpy raise about everything at bytes that are none of ours
        raise ConfigurationError(f"{file}: these are no stored vectors") from None
    return fingerprint, {key.tobytes(): vector for key, vector in zip(keys, vectors, strict=True)}
