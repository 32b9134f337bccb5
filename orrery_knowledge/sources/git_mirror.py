"""A bare copy of a remote repository below the state folder, fetched at each listing."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

import re2
from filelock import FileLock, Timeout

from orrery_knowledge.errors import SourceError
from orrery_knowledge.sources.git_commands import Git, GitFailed, resolve_commit
from orrery_knowledge.sources.git_urls import GitLocation

_REMOTE = "orrery"
_FULL_SHA = re2.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SHORT_SHA = re2.compile(r"[0-9a-f]{4,64}")
_LOCK_WAIT_SECONDS = 900.0
_LOCK_POLL_SECONDS = 0.1
_FETCH = (
    "fetch",
    "--progress",
    "--no-tags",
    "--no-recurse-submodules",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
)


class Mirror:
    """Brings one remote's history to this machine.

    The mirror is made under another name and renamed when complete, so a kill leaves no half of
    one. Its location is handed to git in the environment: no file and no command line of ours holds
    its credentials.

    Args:
        location: the remote.
        folder: where mirrors are kept.
        patience: seconds without progress after which a fetch is given up.
    """

    def __init__(self, location: GitLocation, folder: Path, patience: float) -> None:
        self._location = location
        self._folder = folder
        self._patience = patience
        self.path = folder / location.mirror_name

    async def fetch(self, ref: str | None) -> tuple[Git, str]:
        """Fetch what a ref names now; its remote's HEAD by default.

        Returns:
            git on the mirror, and the commit.

        Raises:
            SourceError: the remote doesn't answer, or has no such ref. The mirror's older state
                is never taken for an answer.
        """
        async with self._locked():
            git = self._git(self.path)
            commit = await (self._fetch(git, ref) if self.path.is_dir() else self._create(ref))
            with contextlib.suppress(GitFailed):
                await git.run("gc", "--auto", "--quiet")
        # From here on nothing may be fetched behind the caller's back.
        return Git(self.path, self.path, self._location), commit

    async def check(self, ref: str | None) -> None:
        """Ask the remote for a ref without fetching anything; raises as `fetch` does."""
        with tempfile.TemporaryDirectory() as nowhere:
            git = self._git(None, Path(nowhere))
            output = await git.run("ls-remote", _REMOTE, patience=self._patience)
        names = [line.split("\t", 1)[1] for line in output.decode().splitlines() if "\t" in line]
        if not names:
            raise SourceError(f"{self._location.shown}: has no commits yet")
        wanted = {ref, f"refs/{ref}", f"refs/heads/{ref}", f"refs/tags/{ref}"}
        if ref and not wanted.intersection(names) and not _SHORT_SHA.fullmatch(ref):
            raise self._unknown(ref)

    async def _create(self, ref: str | None) -> str:
        # Under the lock: whatever has this prefix was left behind by a kill.
        prefix = f"{self.path.name}.new-"
        for left in self._folder.glob(f"{prefix}*"):
            await asyncio.to_thread(shutil.rmtree, left, ignore_errors=True)
        new = Path(tempfile.mkdtemp(prefix=prefix, dir=self._folder))
        try:
            git = self._git(None, new)
            await git.run("init", "--quiet", "--bare", "--template=", ".")
            commit = await self._fetch(self._git(new), ref)
            os.rename(new, self.path)
        except BaseException:
            shutil.rmtree(new, ignore_errors=True)
            raise
        return commit

    async def _fetch(self, git: Git, ref: str | None) -> str:
        if ref is not None and _FULL_SHA.fullmatch(ref):
            # A commit never changes: one that is here needs no remote.
            with contextlib.suppress(GitFailed):
                return await resolve_commit(git, ref)
        # One name for each ref, so that sources with different refs share a mirror.
        kept = f"refs/orrery/{hashlib.sha256((ref or 'HEAD').encode()).hexdigest()[:16]}"
        try:
            await self._pull(git, f"+{ref or 'HEAD'}:{kept}")
        except GitFailed as error:
            if not error.absent:
                raise
            if ref is None:
                raise SourceError(f"{self._location.shown}: has no commits yet") from None
            if not _SHORT_SHA.fullmatch(ref):
                raise self._unknown(ref) from None
            # A commit that the server doesn't hand out by name may be in some branch or tag.
            await self._pull(
                git, "+refs/heads/*:refs/orrery/heads/*", "+refs/tags/*:refs/orrery/tags/*"
            )
            kept = ref
        try:
            return await resolve_commit(git, kept)
        except GitFailed:
            if kept == ref:
                raise self._unknown(ref) from None
            raise SourceError(f"{self._location.shown}: {ref} names no commit") from None

    async def _pull(self, git: Git, *refspecs: str) -> None:
        await git.run(*_FETCH, "--update-shallow", _REMOTE, *refspecs, patience=self._patience)
        if (await git.run("rev-parse", "--is-shallow-repository")).strip() == b"true":
            # A remote that is shallow itself gives what it has, and this changes nothing.
            await git.run(
                *_FETCH,
                "--update-shallow",
                "--unshallow",
                _REMOTE,
                *refspecs,
                patience=self._patience,
            )

    def _git(self, directory: Path | None, cwd: Path | None = None) -> Git:
        return Git(
            directory,
            cwd or directory or self._folder,
            self._location,
            {f"remote.{_REMOTE}.url": self._location.url},
            network=True,
        )

    def _unknown(self, ref: str) -> SourceError:
        return SourceError(
            f"{self._location.shown}: has no branch, tag or commit {ref!r}; check the source's ref"
        )

    @contextlib.asynccontextmanager
    async def _locked(self) -> AsyncIterator[None]:
        """Keep other processes out; a lock of a process that died is free."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            reason = (error.strerror or "unknown error").lower()
            raise SourceError(f"the state folder can't be written ({reason})") from None
        lock = FileLock(f"{self.path}.lock", thread_local=False)
        until = time.monotonic() + _LOCK_WAIT_SECONDS
        while True:
            try:
                lock.acquire(timeout=0)
                break
            except Timeout:
                if time.monotonic() > until:
                    raise SourceError(
                        f"{self._location.shown}: another process has been fetching it for "
                        f"{_LOCK_WAIT_SECONDS:g} seconds"
                    ) from None
                await asyncio.sleep(_LOCK_POLL_SECONDS)
        try:
            yield
        finally:
            lock.release()
