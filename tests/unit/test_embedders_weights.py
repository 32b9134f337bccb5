from __future__ import annotations

import os
import struct
from pathlib import Path

import numpy as np
import pytest

from orrery_knowledge.embedders import weights
from orrery_knowledge.errors import ConfigurationError

# SHA-256 of "abc", from FIPS 180-2, appendix B.1.
ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_the_right_file_is_mapped(tmp_path: Path) -> None:
    (tmp_path / "abc").write_bytes(b"abc")
    assert weights.checked(tmp_path / "abc", ABC, "fix").tobytes() == b"abc"


def test_another_file_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "abc").write_bytes(b"abd")
    with pytest.raises(ConfigurationError, match=r"abc is not the file .* not ba7816bf8f01; do X"):
        weights.checked(tmp_path / "abc", ABC, "do X")


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "abc").touch()
    with pytest.raises(ConfigurationError, match="e3b0c44298fc"):
        weights.checked(tmp_path / "abc", ABC, "do X")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="abc does not exist; do X"):
        weights.checked(tmp_path / "abc", ABC, "do X")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"cannot be read: .*; do X"):
        weights.checked(tmp_path, ABC, "do X")


def test_a_checked_file_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "abc").write_bytes(b"abc")
    first = weights.checked(tmp_path / "abc", ABC, "fix")
    assert weights.checked(tmp_path / "abc", ABC, "fix") is first


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "abc"
    file.write_bytes(b"abc")
    weights.checked(file, ABC, "fix")
    (tmp_path / "new").write_bytes(b"abd")
    os.replace(tmp_path / "new", file)
    with pytest.raises(ConfigurationError, match="is not the file"):
        weights.checked(file, ABC, "fix")


def test_a_replaced_file_does_not_reach_what_was_checked(tmp_path: Path) -> None:
    file = tmp_path / "abc"
    file.write_bytes(b"abc")
    data = weights.checked(file, ABC, "fix")
    (tmp_path / "new").write_bytes(b"xyz")
    os.replace(tmp_path / "new", file)
    assert data.tobytes() == b"abc"


def test_a_distribution_is_found_by_its_records(tmp_path: Path) -> None:
    folder = weights.package_folder("numpy", "numpy/_core")
    assert folder is not None
    assert (folder / "__init__.py").is_file()
    assert weights.package_folder("no-such-distribution-here", "x") is None


def test_tensors_are_views_of_the_values() -> None:
    # Two floats, then an int64 that is none of our business, then four floats.
    header = (
        b'{"__metadata__":{"format":"pt"},'
        b'"b":{"dtype":"F32","shape":[2,2],"data_offsets":[16,32]},'
        b'"n":{"dtype":"I64","shape":[1],"data_offsets":[8,16]},'
        b'"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
    )
    header += b" " * (-len(header) % 8)
    body = struct.pack("<ffqffff", 1, 2, 99, 3, 4, 5, 6)
    data = np.frombuffer(struct.pack("<Q", len(header)) + header + body, np.uint8)
    found = weights.tensors(data)
    assert sorted(found) == ["a", "b"]
    np.testing.assert_array_equal(found["a"], [1, 2])
    np.testing.assert_array_equal(found["b"], [[3, 4], [5, 6]])
    assert np.shares_memory(found["b"], data)
