"""Running the git command line: the environment, child processes, and what its errors mean.

The command line and not a library: it is the reference implementation, it reads every repository
format that its own version writes (worktrees, alternates, commit graphs, SHA-256), and it brings
the user's credential helpers and SSH set-up along.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orrery_knowledge.errors import ConfigurationError, SourceError
from orrery_knowledge.sources.git_urls import ALLOWED_SCHEMES, GitLocation, redact

CHUNK = 256 * 1024
_STDERR_KEPT = 8192
# A caller's GIT_DIR (set inside hooks) would point git at another repository, GIT_TRACE writes
# secrets to a log: only what is about reaching and trusting a remote is passed on.
_KEPT = ("GIT_ASKPASS", "GIT_CONFIG_", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH")
_KEPT_PREFIXES = (*_KEPT, "GIT_HTTP_", "GIT_PROXY_", "GIT_SSH", "GIT_SSL_")
_DROPPED = frozenset({"GIT_CONFIG_PARAMETERS", "SSH_ASKPASS"})

# Settings that a repository or user may have made and that would run programs or change what git
# prints. They win over every file.
_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.quotePath": "false",
    "gc.autoDetach": "false",
    "log.follow": "false",
    "log.showRoot": "true",
    "log.showSignature": "false",
    "maintenance.autoDetach": "false",
    "protocol.ext.allow": "never",
}

_EXPLANATIONS = (
    ("dubious ownership", "the repository belongs to another user; to trust it run: "
     "git config --global --add safe.directory <its folder>"),
    ("not a git repository", "is not a git repository; check the source's url"),
    ("could not read Username", "authentication failed; set up a git credential helper"),
    ("could not read Password", "authentication failed; set up a git credential helper"),
    ("terminal prompts disabled", "authentication failed; set up a git credential helper"),
    ("Authentication failed", "authentication failed; check the credentials"),
    ("Permission denied (publickey", "authentication failed; check the SSH key of this user"),
    ("Host key verification failed", "the host key is not known; add it to known_hosts"),
    ("promisor", "the clone is partial; use a full one (git clone without --filter)"),
)  # fmt: skip


# What a server says when it doesn't have (or doesn't hand out) what was asked for by name.
_ABSENT = ("couldn't find remote ref", "not our ref", "unadvertised object", "no such remote ref")


class GitFailed(SourceError):
    """A git command exited with an error; the message is for people.

    Args:
        message: one line, without credentials.
        absent: whether the remote answered and has no such ref.
    """

    def __init__(self, message: str, *, absent: bool = False) -> None:
        super().__init__(message)
        self.absent = absent


class Stalled(GitFailed):
    """A git command made no progress for too long and was stopped."""


def environment(settings: Mapping[str, str], *, network: bool) -> dict[str, str]:
    """The environment of every git process.

    Args:
        settings: git settings that hold for this process alone (a URL with its token, say): they
            are in no file and on no command line.
        network: whether git may reach for a remote at all. Without it a partial clone can't fetch
            what it lacks into a repository that isn't ours.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in _DROPPED and (not name.startswith("GIT_") or name.startswith(_KEPT_PREFIXES))
    }
    kept |= {
        "GIT_ALLOW_PROTOCOL": ":".join(ALLOWED_SCHEMES) if network else "none",
        "GIT_GRAFT_FILE": os.devnull,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
        "LANGUAGE": "C",
    }
    number = int(count) if (count := kept.get("GIT_CONFIG_COUNT", "")).isdecimal() else 0
    for name, value in {**_SETTINGS, **settings}.items():
        kept[f"GIT_CONFIG_KEY_{number}"] = name
        kept[f"GIT_CONFIG_VALUE_{number}"] = value
        number += 1
    kept["GIT_CONFIG_COUNT"] = str(number)
    return kept


class GitProcess:
    """One running git process, in a session of its own: no terminal, and killed as a whole.

    Args:
        process: with its three pipes.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._stderr = bytearray()
        self._heard = asyncio.Event()
        self._listener = asyncio.create_task(self._listen())

    @property
    def alive(self) -> bool:
        """Whether it has not exited yet, as far as is known."""
        return self._process.returncode is None

    @property
    def stderr(self) -> str:
        """The last of what it said on its standard error."""
        return self._stderr.decode("utf-8", "replace")

    @property
    def stdin(self) -> asyncio.StreamWriter:
        """Its standard input."""
        assert self._process.stdin is not None  # noqa: S101 - opened as a pipe in `Git.start`
        return self._process.stdin

    @property
    def stdout(self) -> asyncio.StreamReader:
        """Its standard output."""
        assert self._process.stdout is not None  # noqa: S101 - opened as a pipe in `Git.start`
        return self._process.stdout

    async def finish(self) -> int:
        """Wait for its end; returns the exit code."""
        await self._listener
        return await self._process.wait()

    async def progress(self, seconds: float) -> None:
        """Return when it says nothing on standard error for so long."""
        while True:
            self._heard.clear()
            try:
                async with asyncio.timeout(seconds):
                    await self._heard.wait()
            except TimeoutError:
                return

    async def kill(self) -> None:
        """End it and its helpers (``git-remote-https``, ``ssh``, ``index-pack``) at once."""
        if self.alive:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._process.wait()
        self._listener.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._listener

    async def _listen(self) -> None:
        stream = self._process.stderr
        while stream is not None and (chunk := await stream.read(4096)):
            self._heard.set()
            self._stderr += chunk
            del self._stderr[:-_STDERR_KEPT]


@dataclass(frozen=True)
class Git:
    """Git on one repository.

    Attributes:
        directory: the git directory; None to let git find one from `cwd`.
        cwd: where commands run.
        location: for messages.
        settings: extra settings of every process.
        network: whether remotes may be reached.
    """

    directory: Path | None
    cwd: Path
    location: GitLocation
    settings: Mapping[str, str] = field(default_factory=dict, repr=False)
    network: bool = False

    async def start(self, *arguments: str | bytes, stdin: bool = False) -> GitProcess:
        """Start a command.

        Raises:
            ConfigurationError: git is not installed.
            SourceError: it can't be started.
        """
        where = [] if self.directory is None else [f"--git-dir={self.directory}"]
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                "git",
                "--no-pager",
                "--literal-pathspecs",
                *where,
                *arguments,
                cwd=self.cwd,
                env=environment(self.settings, network=self.network),
                stdin=pipe if stdin else asyncio.subprocess.DEVNULL,
                stdout=pipe,
                stderr=pipe,
                start_new_session=True,
            )
        except FileNotFoundError:
            if not self.cwd.is_dir():
                raise SourceError(f"{self.location.shown}: the repository is gone") from None
            raise ConfigurationError(
                "git is not installed or not on PATH; install git 2.34 or later"
            ) from None
        except OSError as error:
            reason = (error.strerror or "unknown error").lower()
            raise SourceError(f"git can't be started: {reason}") from None
        return GitProcess(process)

    @contextlib.asynccontextmanager
    async def running(
        self, *arguments: str | bytes, stdin: bool = False
    ) -> AsyncIterator[GitProcess]:
        """A command that is killed when the block is left before its end, however it is left."""
        process = await self.start(*arguments, stdin=stdin)
        try:
            yield process
        finally:
            await process.kill()

    async def run(
        self,
        *arguments: str | bytes,
        stdin: bytes | None = None,
        patience: float | None = None,
    ) -> bytes:
        """Run a command to its end and return its standard output.

        Args:
            arguments: without the leading ``git``.
            stdin: what it reads.
            patience: seconds without a word of progress after which it is stopped.

        Raises:
            GitFailed: it exited with an error.
            Stalled: it made no progress.
        """
        async with self.running(*arguments, stdin=stdin is not None) as process:
            output = asyncio.create_task(_communicate(process, stdin))
            watched: set[asyncio.Task[object]] = {output}
            if patience is not None:
                watched.add(asyncio.create_task(process.progress(patience)))
            try:
                await asyncio.wait(watched, return_when=asyncio.FIRST_COMPLETED)
                if not output.done():
                    raise Stalled(
                        f"{self.location.shown}: git made no progress for {patience:g} seconds"
                    )
                code, data = output.result()
            finally:
                for task in watched:
                    task.cancel()
                await asyncio.gather(*watched, return_exceptions=True)
            if code != 0:
                raise self.failure(process)
            return data

    def failure(self, process: GitProcess) -> GitFailed:
        """The error of a command that exited with one."""
        stderr = process.stderr
        return GitFailed(
            f"{self.location.shown}: {explain(stderr, self.location)}",
            absent=any(words in stderr for words in _ABSENT),
        )


def explain(stderr: str, location: GitLocation) -> str:
    """What git's error output means, with the fix where it is known."""
    for words, explanation in _EXPLANATIONS:
        if words in stderr:
            return explanation
    lines = [line for line in stderr.replace("\r", "\n").splitlines() if line.strip()]
    told = [line for line in lines if line.startswith(("fatal:", "error:", "ssh:", "remote:"))]
    line = (told or lines or ["git failed without saying why"])[0]
    return redact(line, location)[:300]


async def resolve_commit(git: Git, name: str) -> str:
    """The commit that a name means; raises `GitFailed` when it means none."""
    peeled = f"{name}^{{commit}}"
    output = await git.run("rev-parse", "--verify", "--quiet", "--end-of-options", peeled)
    return output.decode().strip()


async def _communicate(process: GitProcess, stdin: bytes | None) -> tuple[int, bytes]:
    async def feed() -> None:
        if stdin is not None:
            with contextlib.suppress(ConnectionError):
                process.stdin.write(stdin)
                await process.stdin.drain()
            process.stdin.close()

    _, data = await asyncio.gather(feed(), process.stdout.read())
    return await process.finish(), data


def split_nul(buffer: bytearray, chunk: bytes) -> Sequence[bytes]:
    """Add a chunk to a buffer and take the NUL-terminated fields off its front."""
    buffer += chunk
    *fields, rest = bytes(buffer).split(b"\0")
    buffer[:] = rest
    return fields
