"""The isolation that `tests/conftest.py` promises is real."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import pytest
from pytest_socket import SocketBlockedError


@pytest.mark.filterwarnings("ignore:A test tried to use socket")
def test_a_unit_test_opens_no_socket() -> None:
    with pytest.raises(SocketBlockedError):
        socket.socket(socket.AF_INET, socket.SOCK_STREAM)


async def test_an_event_loop_still_runs() -> None:
    reader, writer = socket.socketpair()
    reader.close()
    writer.close()


def test_no_setting_of_ours_is_inherited() -> None:
    ours = [name for name in os.environ if name.startswith("ORRERY_")]
    assert [name for name in ours if not name.startswith("ORRERY_TEST_")] == []


def test_the_home_is_empty_and_temporary() -> None:
    assert Path.home().name.startswith("orrery-home-")


def test_git_reads_no_configuration_of_the_machine() -> None:
    done = subprocess.run(
        ["git", "config", "--global", "--list"], capture_output=True, text=True, check=False
    )
    assert done.stdout == ""
