"""The launcher of the test server keeps to itself and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import postgres_server
import psycopg
import pytest
from postgres_server import PostgresServer

pytest_plugins = ["postgres_fixtures"]
pytestmark = pytest.mark.services

TESTS = Path(postgres_server.__file__).parent
HOLD = """
import sys, time
from postgres_server import PostgresServer
server = PostgresServer()
print(server.pid, server.folder, flush=True)
time.sleep(600)
"""


def gone(pid: int, folder: Path) -> bool:
    return not folder.exists() and not Path(f"/proc/{pid}").exists()


def wait_until_gone(pid: int, folder: Path) -> None:
    for _ in range(600):
        if gone(pid, folder):
            return
        time.sleep(0.05)
    raise AssertionError("the server is still there")


def test_it_has_what_we_need_and_only_we_can_reach_it(own_server):
    with psycopg.connect(own_server.url()) as connection:
        [(version,)] = connection.execute("SHOW server_version_num").fetchall()
        [(extension,)] = connection.execute(
            "SELECT default_version FROM pg_available_extensions WHERE name = 'vector'"
        ).fetchall()
        [(addresses,)] = connection.execute("SHOW listen_addresses").fetchall()
    assert int(version) >= 150000
    assert tuple(map(int, extension.split("."))) >= (0, 8, 4)
    assert addresses == ""
    for folder in (own_server.folder, own_server.folder / "socket", own_server.folder / "data"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    wrong = own_server.url().replace("orrery:", "orrery:not-")
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(wrong)


def test_it_never_runs_as_root(own_server):
    owner = Path(f"/proc/{own_server.pid}").stat().st_uid
    assert owner != 0
    assert own_server.folder.stat().st_uid == owner


def test_stopping_removes_everything():
    server = PostgresServer()
    pid = server.pid
    server.stop()
    server.stop()
    wait_until_gone(pid, server.folder)


def test_it_can_be_stopped_while_it_hangs():
    server = PostgresServer()
    pid = server.pid
    server.signal(signal.SIGSTOP)
    server.stop()
    wait_until_gone(pid, server.folder)


def test_what_was_committed_is_there_after_a_restart(own_server):
    with psycopg.connect(own_server.url(), autocommit=True) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    own_server.halt()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(own_server.url())
    own_server.start()
    with psycopg.connect(own_server.url()) as connection:
        assert connection.execute("SELECT answer FROM kept").fetchall() == [(42,)]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_it_goes_with_the_tests_however_they_end(how):
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD], cwd=TESTS, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    pid, folder = holder.stdout.readline().decode().split()
    os.kill(holder.pid, how)
    holder.wait(60)
    holder.stdout.close()
    wait_until_gone(int(pid), Path(folder))


def test_a_long_temporary_folder_is_not_used(tmp_path, monkeypatch):
    deep = tmp_path / ("deep" * 20)
    deep.mkdir()
    monkeypatch.setattr(postgres_server.tempfile, "tempdir", str(deep))
    server = PostgresServer()
    try:
        assert len(str(server.folder)) < 30
        with psycopg.connect(server.url()) as connection:
            assert connection.execute("SELECT 1").fetchall() == [(1,)]
    finally:
        server.stop()
    assert list(deep.iterdir()) == []


def test_binaries_where_the_server_cannot_enter_are_copied(tmp_path, monkeypatch):
    spec = postgres_server.find_spec(postgres_server.PACKAGE)
    installed = Path(spec.submodule_search_locations[0])
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    for name in (postgres_server.PACKAGE, f"{postgres_server.PACKAGE}.libs"):
        (closed / name).symlink_to(installed.parent / name)
    before = stat.S_IMODE(closed.stat().st_mode)
    spec.submodule_search_locations[:] = [str(closed / postgres_server.PACKAGE)]
    monkeypatch.setattr(postgres_server, "find_spec", lambda name: spec)
    server = PostgresServer()
    try:
        # Whoever isn't root runs the server under the same name, and can enter.
        copied = (server.folder / "wheel").exists()
        assert copied == (os.geteuid() == 0)
        with psycopg.connect(server.url()) as connection:
            assert connection.execute("SELECT 1").fetchall() == [(1,)]
    finally:
        server.stop()
    assert stat.S_IMODE(closed.stat().st_mode) == before
