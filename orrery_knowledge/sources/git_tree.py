"""The files of a commit, as `git ls-tree` lists them."""

from __future__ import annotations

from typing import Literal, NamedTuple

from orrery_knowledge.sources.git_commands import CHUNK, Git, split_nul
from orrery_knowledge.sources.globs import PathFilter
from orrery_knowledge.sources.paths import printable_path

Kind = Literal["file", "link", "submodule"]
_KINDS: dict[str, Kind] = {"120000": "link", "160000": "submodule"}


class TreeFile(NamedTuple):
    """One entry of a tree.

    Attributes:
        raw: its path, as git stores it.
        path: the same as text; see `paths`.
        mode: for example ``"100644"``.
        blob: object id.
        size: in bytes; 0 for a submodule.
        kind: a link and a submodule have no text of their own.
    """

    raw: bytes
    path: str
    mode: str
    blob: str
    size: int
    kind: Kind


async def list_tree(git: Git, commit: str, wanted: PathFilter) -> list[TreeFile]:
    """What a commit holds of the wanted paths, sorted by path.

    Links and submodules are listed as well where they could stand for a folder of wanted files.

    Raises:
        SourceError: the tree can't be read.
    """
    files: list[TreeFile] = []
    buffer = bytearray()
    arguments = ("ls-tree", "-r", "-z", "--full-tree", "--long", commit)
    async with git.running(*arguments) as process:
        while chunk := await process.stdout.read(CHUNK):
            for record in split_nul(buffer, chunk):
                about, _, raw = record.partition(b"\t")
                mode, _, blob, size = about.decode().split()
                path = printable_path(raw)
                kind: Kind = _KINDS.get(mode, "file")
                if wanted.matches(path) or (kind != "file" and wanted.may_contain(path)):
                    length = int(size) if size.isdecimal() else 0
                    files.append(TreeFile(raw, path, mode, blob, length, kind))
        if await process.finish() != 0:
            raise git.failure(process)
    return files
