"""`GitSource`: the files of one commit, with the commit that last touched each of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import re2
from pydantic import Field, field_validator

from orrery_knowledge.errors import DocumentError, NoText, SourceError
from orrery_knowledge.models import Document, Provenance, SourceEntry
from orrery_knowledge.sources.config import SourceConfig
from orrery_knowledge.sources.decoding import (
    LFS_POINTER_LIMIT,
    SNIFFED_BYTES,
    decode,
    is_lfs_pointer,
    looks_binary,
)
from orrery_knowledge.sources.git_commands import Git, GitFailed, resolve_commit
from orrery_knowledge.sources.git_history import History, Touch
from orrery_knowledge.sources.git_mirror import Mirror
from orrery_knowledge.sources.git_objects import ObjectReader, Target, resolve_links
from orrery_knowledge.sources.git_tree import TreeFile, list_tree
from orrery_knowledge.sources.git_urls import document_uri, parse_location, shown_url
from orrery_knowledge.sources.globs import PathFilter

# Small files are asked for in groups, to find the Git LFS pointers among them.
_GROUP = 256
_LINKS: dict[Target, str] = {
    "file": "symlink",
    "folder": "symlink",
    "outside": "symlink_outside",
    "broken": "symlink_broken",
}
# The characters that git forbids in ref names, and what would make a ref an expression or refspec.
_REF = re2.compile(r"[^-+\x00-\x20\x7f~^:?*\[\\][^\x00-\x20\x7f~^:?*\[\\]*")


class GitSourceConfig(SourceConfig):
    """Settings of a git source.

    Attributes:
        url: a path of this machine (a relative one counts from the folder of ``orrery.yaml``; any
            folder of a repository stands for the whole repository), which is read where it is; or
            a remote (https, http, ssh, git, file, ``host:path``), which is mirrored. Prefer a git
            credential helper to a token in the URL.
        ref: branch, tag or commit; HEAD by default.
        timeout: seconds without progress after which a fetch is given up. Default 120.
    """

    type: Literal["git"] = "git"
    url: str = Field(default=".", repr=False)
    ref: str | None = Field(default=None, examples=["main"])
    timeout: float = Field(default=120.0, gt=0)

    @field_validator("url")
    @classmethod
    def _url_is_safe(cls, url: str) -> str:
        parse_location(url)
        return url

    @field_validator("ref")
    @classmethod
    def _ref_is_a_name(cls, ref: str | None) -> str | None:
        if ref is not None and (not _REF.fullmatch(ref) or ".." in ref or "@{" in ref):
            raise ValueError("ref must be the name of a branch or tag, or the sha of a commit")
        return ref


@dataclass(frozen=True)
class _Handle:
    """What reading an entry takes: the file, and the commit that it was listed from."""

    commit: str
    file: TreeFile


@dataclass(frozen=True)
class _View:
    """One commit of one repository, pinned for the length of a listing and the reads after it."""

    git: Git
    commit: str
    shown: str
    boundary: frozenset[str]
    history: History


class GitSource:
    """Lists and reads the committed files of a ref, without a checkout.

    A listing pins the commit that the ref means then; reads come from it, whatever happens to the
    branch meanwhile. A local repository is only ever read, its working tree not even that. The
    revision of a file is its blob id; its commit and date are those of the last commit that touched
    it. One source belongs to one event loop.

    Skipped entries: ``"symlink"`` (inside the tree; the target is listed under its own name),
    ``"symlink_outside"``, ``"symlink_broken"``, ``"submodule"``, ``"lfs_pointer"``,
    ``"too_large"``.

    Args:
        config: what to list.
        root: the folder of ``orrery.yaml``.
        state: the ``.orrery`` folder; mirrors of remotes are kept in ``git/`` below it.
    """

    Config = GitSourceConfig

    def __init__(self, config: GitSourceConfig, *, root: Path, state: Path) -> None:
        self.config = config
        self.id = config.id
        self.corpus = config.corpus
        self.trust = config.trust
        self._location = parse_location(config.url)
        self._root = root
        self._mirrors = state / "git"
        self._objects = ObjectReader()
        self._view: _View | None = None
        self._turn = asyncio.Lock()

    @property
    def settings_key(self) -> str:
        """Names the settings that shape documents: corpus and service."""
        return self.config.settings_key("git")

    async def check(self) -> None:
        """Say now what the first listing would say; fetches nothing.

        Raises:
            ConfigurationError: git is not installed.
            SourceError: the repository or ref is not there.
        """
        if self._location.remote:
            await Mirror(self._location, self._mirrors, self.config.timeout).check(self.config.ref)
        else:
            await self._pin_local()

    async def entries(self) -> AsyncIterator[SourceEntry]:
        """List the files of the ref's commit, sorted by path.

        Raises:
            ConfigurationError: git is not installed.
            SourceError: the repository, remote or ref is not there or can't be read.
        """
        git, commit = await self._pin()
        wanted = PathFilter(self.config.paths, self.config.exclude)
        files = await list_tree(git, commit, wanted)
        links = [file.raw for file in files if file.kind == "link"]
        targets = await resolve_links(git, commit, links)
        await self._show(git, commit, files)
        for start in range(0, len(files), _GROUP):
            group = files[start : start + _GROUP]
            pointers = await self._pointers(group)
            for file in group:
                skipped = None
                if file.kind == "submodule":
                    skipped = "submodule"
                elif file.kind == "link":
                    target = targets[file.raw]
                    if target in ("file", "broken") and not wanted.matches(file.path):
                        continue
                    skipped = _LINKS[target]
                elif file.size > self.config.max_bytes:
                    skipped = "too_large"
                elif file.blob in pointers:
                    skipped = "lfs_pointer"
                yield SourceEntry(
                    path=file.path,
                    revision=file.blob,
                    skipped=skipped,
                    handle=_Handle(commit, file),
                )

    async def read(self, entry: SourceEntry) -> Document:
        """Read a listed file from the commit that it was listed from.

        Raises:
            DocumentError: it was not listed by this source, is missing from the repository, binary
                or too large.
            SourceError: the repository can't be read any more.
        """
        _, handle = self._listed(entry)
        file = handle.file
        if file.size > self.config.max_bytes:
            raise DocumentError(
                f"{entry.path}: larger than {self.config.max_bytes} bytes (max_bytes)"
            )
        data = await self._objects.read(file.blob)
        if data is None:
            raise DocumentError(f"{entry.path}: its content is missing from the repository")
        if looks_binary(data[:SNIFFED_BYTES]):
            raise NoText(f"{entry.path}: looks binary; add it to the source's exclude")
        decoded = decode(data)
        origin = await self.provenance(entry)
        warnings = decoded.warnings
        if origin.commit is None:
            warnings += ("the clone is shallow: last commit and date are not known",)
        return Document(
            corpus=self.corpus,
            source=self.id,
            path=entry.path,
            uri=origin.uri,
            text=decoded.text,
            revision=file.blob,
            commit=origin.commit,
            modified_at=origin.modified_at,
            metadata=self.config.metadata(),
            warnings=warnings,
        )

    async def provenance(self, entry: SourceEntry) -> Provenance:
        """The last commit that touched a listed file; all files share one pass over the history.

        Raises:
            DocumentError: it was not listed by this source.
            SourceError: the history can't be read.
        """
        view, handle = self._listed(entry)
        touch = await self._touch(view, handle)
        return Provenance(
            path=entry.path,
            revision=handle.file.blob,
            uri=document_uri(view.shown, touch.commit if touch else handle.commit, handle.file.raw),
            commit=touch.commit if touch else None,
            modified_at=_moment(touch.seconds) if touch else None,
        )

    async def close(self) -> None:
        """Stop the git processes; safe to call twice."""
        async with self._turn:
            await self._objects.close()
            if self._view is not None:
                await self._view.history.close()

    def _listed(self, entry: SourceEntry) -> tuple[_View, _Handle]:
        """The listing that an entry comes from, and what is kept of it there."""
        handle = entry.handle
        if not isinstance(handle, _Handle) or handle.file.kind != "file":
            raise DocumentError(f"{entry.path}: not listed by source {self.id}")
        if self._view is None:
            raise SourceError(f"source {self.id}: list it before reading from it")
        return self._view, handle

    async def _pin(self) -> tuple[Git, str]:
        if self._location.remote:
            mirror = Mirror(self._location, self._mirrors, self.config.timeout)
            return await mirror.fetch(self.config.ref)
        return await self._pin_local()

    async def _pin_local(self) -> tuple[Git, str]:
        shown = self._location.shown
        folder = self._root / self.config.url
        if not folder.is_dir():
            raise SourceError(f"source {self.id}: {shown} is not a folder; check the source's url")
        found = await Git(None, folder, self._location).run("rev-parse", "--absolute-git-dir")
        directory = Path(found.decode("utf-8", "surrogateescape").rstrip("\n"))
        git = Git(directory, directory, self._location)
        try:
            return git, await resolve_commit(git, self.config.ref or "HEAD")
        except GitFailed:
            if self.config.ref is None:
                problem = "has no commits yet"
            else:
                problem = (
                    f"has no branch, tag or commit {self.config.ref!r}; check the source's ref"
                )
            raise SourceError(f"source {self.id}: {shown} {problem}") from None

    async def _show(self, git: Git, commit: str, files: Sequence[TreeFile]) -> None:
        """Make a commit the one that is read from."""
        view = _View(
            git,
            commit,
            self._location.shown if self._location.remote else await self._origin(git),
            await _boundary(git),
            History(
                git,
                commit,
                {
                    file.raw: (file.mode.encode(), file.blob.encode())
                    for file in files
                    if file.kind == "file"
                },
            ),
        )
        async with self._turn:
            former, self._view = self._view, view
            await self._objects.use(git)
            if former is not None:
                await former.history.close()

    async def _origin(self, git: Git) -> str:
        """Where a local repository came from, for people; itself when it came from nowhere."""
        try:
            output = await git.run("config", "--get", "remote.origin.url")
        except GitFailed:
            return self.config.url
        return shown_url(output.decode("utf-8", "replace").strip()) or self.config.url

    async def _pointers(self, files: Sequence[TreeFile]) -> set[str]:
        small = sorted(
            {file.blob for file in files if file.kind == "file" and file.size < LFS_POINTER_LIMIT}
        )
        contents = await self._objects.read_many(small)
        return {
            blob
            for blob, content in zip(small, contents, strict=True)
            if content is not None and is_lfs_pointer(content)
        }

    async def _touch(self, view: _View, handle: _Handle) -> Touch | None:
        """The last commit of a file; None when a shallow clone doesn't reach back to it."""
        history = view.history
        if handle.commit != view.commit:
            # Listed before the latest listing: asked for alone.
            history = History(view.git, handle.commit, {})
        touch = await history.last_touch(handle.file.raw)
        # A commit without its parents seems to touch every file.
        return None if touch is None or touch.commit in view.boundary else touch


async def _boundary(git: Git) -> frozenset[str]:
    """The commits whose parents a shallow clone left out."""
    name = (await git.run("rev-parse", "--git-path", "shallow")).decode("utf-8", "surrogateescape")
    try:
        text = await asyncio.to_thread((git.cwd / name.rstrip("\n")).read_text)
    except OSError:
        return frozenset()
    return frozenset(text.split())


def _moment(seconds: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None
