from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from orrery_knowledge.errors import DocumentError, SourceError
from orrery_knowledge.models import SourceEntry
from orrery_knowledge.sources.filesystem import FilesystemSource, FilesystemSourceConfig

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 90405\n"


@pytest.fixture
def wiki(tmp_path: Path) -> Path:
    folder = tmp_path / "wiki"
    folder.mkdir()
    return folder


def source(base: Path, **settings: Any) -> FilesystemSource:
    config = FilesystemSourceConfig.model_validate(
        {"id": "wiki", "corpus": "runbooks", "trust": "review", "path": "wiki", **settings}
    )
    return FilesystemSource(config, root=base, state=base / ".orrery")


async def entries(files: FilesystemSource) -> list[SourceEntry]:
    return [entry async for entry in files.entries()]


async def exhaust(listing: AsyncIterator[SourceEntry], found: list[SourceEntry]) -> None:
    """Keep what was listed before an error."""
    async for entry in listing:
        found.append(entry)


async def outcome(files: FilesystemSource) -> dict[str, str | None]:
    return {entry.path: entry.skipped for entry in await entries(files)}


def write(folder: Path, *names: str, data: bytes = b"# x\n") -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


async def test_the_order_is_that_of_the_paths(wiki: Path, tmp_path: Path) -> None:
    # "a-b" sorts before "a/b" although the folder "a" sorts before the file "a-b.md".
    write(wiki, "a/z.md", "a-b.md", "a.md", "B.md", "ä.md", "a/a/a.md")
    paths = [entry.path for entry in await entries(source(tmp_path))]
    assert paths == ["B.md", "a-b.md", "a.md", "a/a/a.md", "a/z.md", "ä.md"]


async def test_revision_date_and_uri(wiki: Path, tmp_path: Path) -> None:
    write(wiki, "a b.md", data=b"# Hello\n")
    os.utime(wiki / "a b.md", (1_700_000_000, 1_700_000_000))
    files = source(tmp_path, service="payments")
    (entry,) = await entries(files)
    document = await files.read(entry)
    assert entry.revision == hashlib.sha256(b"# Hello\n").hexdigest()
    assert document.modified_at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    assert document.uri == "file:wiki/a%20b.md"
    assert document.commit is None
    assert document.metadata == {"service": "payments"}


async def test_a_folder_outside_of_the_configuration_s(wiki: Path, tmp_path: Path) -> None:
    write(wiki, "a.md")
    (tmp_path / "conf").mkdir()
    files = source(tmp_path / "conf", path="../wiki")
    (entry,) = await entries(files)
    assert (await files.read(entry)).uri == f"file://{wiki}/a.md"


async def test_hidden_and_own_folders_are_not_entered(wiki: Path, tmp_path: Path) -> None:
    write(wiki, "a.md", ".git/b.md", ".orrery/c.md", ".x/d.md", ".e.md", ".github/f.md")
    write(wiki, "kept/state/g.md", "state/h.md")
    config = FilesystemSourceConfig(
        id="wiki",
        corpus="c",
        trust="review",
        paths=("**/*.md", ".github/*.md", ".git/*.md", ".orrery/*.md"),
    )
    files = FilesystemSource(config, root=wiki, state=wiki / "state")
    assert list(await outcome(files)) == [".github/f.md", "a.md", "kept/state/g.md"]


async def test_one_bad_file_stops_no_other(wiki: Path, tmp_path: Path) -> None:
    write(wiki, *(f"good-{n}.md" for n in range(10)))
    write(wiki, "latin.md", data="# Prüfen\n".encode("latin-1"))
    write(wiki, "wide.md", data="# Prüfen\n".encode("utf-16"))
    files = source(tmp_path)
    read = {entry.path: await files.read(entry) for entry in await entries(files)}
    assert len(read) == 12
    assert read["latin.md"].text == "# Pr\ufffdfen\n"
    assert read["latin.md"].warnings == ("1 bytes replaced: not UTF-8",)
    assert read["wide.md"].text == "# Prüfen\n"
    assert read["wide.md"].warnings == ()


async def test_links_are_never_followed(wiki: Path, tmp_path: Path) -> None:
    write(tmp_path, "outside/secret.md", "wiki/v2/a.md", "wiki/b.md")
    (wiki / "current").symlink_to("v2")
    (wiki / "same.md").symlink_to("b.md")
    (wiki / "evil.md").symlink_to("/etc/passwd")
    (wiki / "out").symlink_to("../outside")
    (wiki / "out.md").symlink_to("../outside/secret.md")
    (wiki / "broken.md").symlink_to("nowhere.md")
    (wiki / "self.md").symlink_to("self.md")
    (wiki / "up").symlink_to(".")
    (wiki / "v2" / "loop").symlink_to("..")
    (wiki / "picture.png").symlink_to("b.md")
    assert await outcome(source(tmp_path)) == {
        "b.md": None,
        "broken.md": "symlink_broken",
        "current": "symlink",
        "evil.md": "symlink_outside",
        "out": "symlink_outside",
        "out.md": "symlink_outside",
        "same.md": "symlink",
        "self.md": "symlink_broken",
        "up": "symlink",
        "v2/a.md": None,
        "v2/loop": "symlink",
    }


async def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    write(tmp_path, "real/a.md")
    (tmp_path / "wiki").symlink_to("real")
    (tmp_path / "real" / "b.md").symlink_to("a.md")
    assert await outcome(source(tmp_path)) == {"a.md": None, "b.md": "symlink"}


async def test_special_files_are_never_opened(wiki: Path, tmp_path: Path) -> None:
    write(wiki, "a.md")
    os.mkfifo(wiki / "pipe.md")
    async with asyncio.timeout(20):
        assert await outcome(source(tmp_path)) == {"a.md": None, "pipe.md": "not_a_file"}


async def test_reasons_for_skipping(wiki: Path, tmp_path: Path) -> None:
    write(wiki, "fits.md", data=b"x" * 2000)
    write(wiki, "large.md", data=b"x" * 2001)
    write(wiki, "pointer.md", data=POINTER)
    write(wiki, "program.md", data=b"\x7fELF" + b"\x00" * 500)
    assert await outcome(source(tmp_path, max_bytes=2000)) == {
        "fits.md": None,
        "large.md": "too_large",
        "pointer.md": "lfs_pointer",
        "program.md": "binary",
    }


async def test_odd_names(wiki: Path, tmp_path: Path) -> None:
    write(wiki, 'two\nlines "and" tab\t.md', "sp ace.md", data=b"# odd\n")
    raw = os.fsencode(wiki) + b"/caf\xe9.md"
    Path(os.fsdecode(raw)).write_bytes(b"# raw\n")
    write(wiki, "caf%E9.md", data=b"# percent\n")
    files = source(tmp_path)
    read = {entry.path: (await files.read(entry)) for entry in await entries(files)}
    assert {path: document.text for path, document in read.items()} == {
        "caf%25E9.md": "# percent\n",
        "caf%E9.md": "# raw\n",
        "sp ace.md": "# odd\n",
        'two%0Alines "and" tab%09.md': "# odd\n",
    }
    # The URI is percent-encoded from the real bytes.
    assert read["caf%E9.md"].uri == "file:wiki/caf%E9.md"
    assert read["caf%25E9.md"].uri == "file:wiki/caf%25E9.md"


@pytest.mark.parametrize(
    ("prepare", "says"),
    [
        (lambda wiki: wiki.rmdir(), "wiki does not exist"),
        (lambda wiki: (wiki.rmdir(), wiki.write_text("x")), "wiki is not a folder"),
        (lambda wiki: (wiki.rmdir(), wiki.symlink_to("wiki")), "can't be opened"),
    ],
)
async def test_a_folder_that_is_none(wiki: Path, tmp_path: Path, prepare: Any, says: str) -> None:
    prepare(wiki)
    files = source(tmp_path)
    with pytest.raises(SourceError, match=says):
        await entries(files)
    with pytest.raises(SourceError, match=says):
        await files.check()


async def test_a_folder_swapped_for_a_link_leads_nowhere(wiki: Path, tmp_path: Path) -> None:
    write(tmp_path, "outside/a.md", data=b"secret\n")
    write(wiki, "docs/a.md")
    files = source(tmp_path)
    (entry,) = await entries(files)
    shutil.rmtree(wiki / "docs")
    (wiki / "docs").symlink_to("../outside")
    with pytest.raises(DocumentError, match=r"docs/a\.md: can't be read"):
        await files.read(entry)


@pytest.mark.parametrize("kind", ["link", "fifo", "folder", "binary", "large"])
async def test_a_file_swapped_for_something_else(wiki: Path, tmp_path: Path, kind: str) -> None:
    write(tmp_path, "outside.md", data=b"secret\n")
    write(wiki, "a.md")
    files = source(tmp_path, max_bytes=1000)
    (entry,) = await entries(files)
    (wiki / "a.md").unlink()
    match kind:
        case "link":
            (wiki / "a.md").symlink_to("../outside.md")
        case "fifo":
            os.mkfifo(wiki / "a.md")
        case "folder":
            (wiki / "a.md").mkdir()
        case "binary":
            (wiki / "a.md").write_bytes(b"\x00\x01" * 100)
        case "large":
            (wiki / "a.md").write_bytes(b"x" * 1001)
    async with asyncio.timeout(20):
        with pytest.raises(DocumentError, match=r"^a\.md: "):
            await files.read(entry)


@pytest.mark.parametrize(
    "handle", [None, "a.md", (), ("..", "secret.md"), ("a/../../secret.md",), ("",), (1,), ["a.md"]]
)
async def test_a_forged_handle_opens_nothing(wiki: Path, tmp_path: Path, handle: Any) -> None:
    write(tmp_path, "secret.md", "wiki/a.md")
    with pytest.raises(DocumentError, match="not listed by source wiki"):
        await source(tmp_path).read(SourceEntry(path="a.md", revision="0", handle=handle))


async def test_a_file_that_changed_since_the_listing(wiki: Path, tmp_path: Path) -> None:
    write(wiki, "a.md", data=b"old\n")
    files = source(tmp_path)
    (entry,) = await entries(files)
    write(wiki, "a.md", data=b"new\n")
    document = await files.read(entry)
    assert document.text == "new\n"
    assert document.revision == hashlib.sha256(b"new\n").hexdigest()


async def test_a_root_that_disappears_meanwhile_is_no_empty_folder(
    wiki: Path, tmp_path: Path
) -> None:
    write(wiki, *(f"d{n}/a.md" for n in range(300)))
    files = source(tmp_path)
    listing = files.entries()
    assert (await anext(listing)).path == "d0/a.md"
    wiki.rename(tmp_path / "elsewhere")
    with pytest.raises(SourceError, match="can't list wiki"):
        await exhaust(listing, [])


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that an ordinary user can reach, while the tests run as one."""
    base = Path(tempfile.mkdtemp())
    base.chmod(0o755)
    (base / "wiki").mkdir()
    yield base
    shutil.rmtree(base)


@pytest.fixture
def abyss(shared: Path) -> Iterator[Path]:
    """Deeper than the interpreter's recursion limit and longer than a path may be."""
    descriptor = os.open(shared / "wiki", os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("deep", dir_fd=descriptor)
        below = os.open("deep", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    file = os.open("a.md", os.O_CREAT | os.O_WRONLY, dir_fd=descriptor)
    os.write(file, b"# deep\n")
    os.close(file)
    os.close(descriptor)
    yield shared
    # Python's own rmtree can't take away what is that deep.
    subprocess.run(["rm", "-rf", str(shared / "wiki")], check=True)


async def test_a_very_deep_tree(abyss: Path) -> None:
    files = source(abyss)
    (entry,) = await entries(files)
    assert entry.path == "deep/" * 1100 + "a.md"
    assert (await files.read(entry)).text == "# deep\n"


@pytest.fixture
def ordinary_user(shared: Path) -> Iterator[None]:
    """Root may read everything: be nobody for a while."""
    root = os.geteuid() == 0
    write(shared, "wiki/a.md", "wiki/b.md", "wiki/closed/c.md", "wiki/d.md")
    (shared / "wiki" / "b.md").chmod(0)
    (shared / "wiki" / "closed").chmod(0)
    if root:
        os.seteuid(65534)
    yield
    if root:
        os.seteuid(0)
    (shared / "wiki" / "closed").chmod(0o755)


@pytest.mark.usefixtures("ordinary_user")
async def test_what_may_not_be_read_is_never_taken_for_gone(shared: Path) -> None:
    files = source(shared)
    found: list[SourceEntry] = []
    with pytest.raises(SourceError, match=r"can't list closed \(permission denied\)"):
        await exhaust(files.entries(), found)
    assert [(entry.path, entry.skipped) for entry in found] == [
        ("a.md", None),
        ("b.md", None),
        ("d.md", None),
    ]
    with pytest.raises(DocumentError, match=r"b\.md: can't be read \(permission denied\)"):
        await files.read(found[1])
