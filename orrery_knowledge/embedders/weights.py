"""Files of a pinned model: found without importing their package, checked, mapped into memory.

The safetensors layout is eight bytes with the header's length (little-endian), the header in JSON
(name to dtype, shape and offsets), then the values, row by row.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from orrery_knowledge.errors import ConfigurationError

Bytes = NDArray[np.uint8]


def package_folder(distribution: str, folder: str) -> Path | None:
    """Where an installed distribution keeps a folder; None when it isn't installed.

    Reads the installer's records only: the distribution's own code is never run.
    """
    try:
        found = importlib.metadata.distribution(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None
    return Path(str(found.locate_file(folder)))


def checked(path: Path, digest: str, fix: str) -> Bytes:
    """Map a file into memory after comparing its SHA-256.

    What was checked is what is used: the mapping stays on the same file when another one takes its
    place. A file is read for this once a process, and again only when it has changed.

    Args:
        path: the file.
        digest: the SHA-256 that it must have, in hex.
        fix: what the user should do about a missing or different file.

    Raises:
        ConfigurationError: the file is missing, unreadable or another one.
    """
    try:
        state = path.stat()
        data, found = _mapped(path, state.st_ino, state.st_mtime_ns, state.st_size)
    except FileNotFoundError:
        raise ConfigurationError(f"{path} does not exist; {fix}") from None
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}; {fix}") from error
    if found != digest:
        raise ConfigurationError(
            f"{path} is not the file that was pinned: its SHA-256 begins {found[:12]}, "
            f"not {digest[:12]}; {fix}"
        )
    return data


@functools.lru_cache(maxsize=8)
def _mapped(path: Path, inode: int, mtime_ns: int, size: int) -> tuple[Bytes, str]:
    """The file and its SHA-256; the other arguments make a changed file a new question."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        # An empty file cannot be mapped.
        data = np.memmap(file, np.uint8, "r") if size else np.empty(0, np.uint8)
    return data, digest


def tensors(data: Bytes) -> dict[str, NDArray[np.float32]]:
    """The float32 tensors of a checked safetensors file, as views: nothing is copied."""
    start = 8 + int.from_bytes(data[:8].tobytes(), "little")
    header = json.loads(data[8:start].tobytes())
    header.pop("__metadata__", None)
    found = {}
    for name, entry in header.items():
        if entry["dtype"] == "F32":
            first, last = entry["data_offsets"]
            values = data[start + first : start + last].view(np.dtype("<f4"))
            found[name] = values.reshape(entry["shape"])
    return found
