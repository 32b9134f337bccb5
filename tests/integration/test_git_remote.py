"""Remotes: mirrored, fetched at each listing, and never answered from an old state."""

from __future__ import annotations

import asyncio
import base64
import functools
import http.server
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock
from git_support import ENVIRONMENT, Repository, documents, git_source, outcome

from orrery_knowledge.errors import SourceError
from orrery_knowledge.sources.git_urls import parse_location

SECRET = "s3cr3t-t0k3n"


@pytest.fixture
def remote(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "remote")


def mirrors(base: Path) -> list[str]:
    return sorted(path.name for path in (base / ".orrery" / "git").iterdir() if path.is_dir())


async def texts(base: Path, url: str, **settings: object) -> dict[str, str]:
    source = git_source(base, url=url, **settings)
    found = {path: document.text for path, document in (await documents(source)).items()}
    await source.close()
    return found


async def test_new_commits_arrive(remote: Repository, tmp_path: Path) -> None:
    first = remote.put("a.md", "# one\n")
    url = remote.folder.as_uri()
    source = git_source(tmp_path, url=url)
    document = (await documents(source))["a.md"]
    assert document.commit == first
    assert document.uri == f"git+{url}@{first}#a.md"
    second = remote.put("a.md", "# two\n")
    remote.put("b.md")
    found = await documents(source)
    await source.close()
    assert found["a.md"].text == "# two\n"
    assert found["a.md"].commit == second
    assert sorted(found) == ["a.md", "b.md"]
    assert len(mirrors(tmp_path)) == 1


async def test_a_force_push_is_followed(remote: Repository, tmp_path: Path) -> None:
    start = remote.put("a.md", "# start\n")
    remote.put("a.md", "# wrong\n")
    remote.put("gone.md")
    url = remote.folder.as_uri()
    assert await texts(tmp_path, url) == {"a.md": "# wrong\n", "gone.md": "# x\n"}
    remote.git("reset", "-q", "--hard", start)
    rewritten = remote.put("a.md", "# right\n")
    source = git_source(tmp_path, url=url)
    found = await documents(source)
    await source.close()
    assert {path: (d.text, d.commit) for path, d in found.items()} == {
        "a.md": ("# right\n", rewritten)
    }


async def test_two_refs_share_a_mirror_without_mixing(remote: Repository, tmp_path: Path) -> None:
    remote.put("a.md", "# main\n")
    remote.git("checkout", "-q", "-b", "next")
    remote.put("a.md", "# next\n")
    remote.git("checkout", "-q", "main")
    url = remote.folder.as_uri()
    main, following = git_source(tmp_path, url=url), git_source(tmp_path, url=url, ref="next")
    # At the same time, as two processes would.
    found = await asyncio.gather(documents(main), documents(following))
    await main.close()
    await following.close()
    assert [documents["a.md"].text for documents in found] == ["# main\n", "# next\n"]
    assert len(mirrors(tmp_path)) == 1


async def test_refs_of_every_kind(remote: Repository, tmp_path: Path) -> None:
    first = remote.put("a.md", "# one\n")
    remote.git("tag", "light")
    remote.git("tag", "-a", "v1", "-m", "release")
    # A branch with the name of a file and of an abbreviated commit's shape.
    remote.git("branch", "deadbeef")
    remote.put("a.md", "# two\n")
    url = remote.folder.as_uri()
    for ref in ("light", "v1", "deadbeef", "refs/heads/deadbeef", first, first[:10]):
        assert await texts(tmp_path, url, ref=ref) == {"a.md": "# one\n"}, ref
    for ref in (None, "HEAD", "main"):
        assert await texts(tmp_path, url, ref=ref) == {"a.md": "# two\n"}, ref


async def test_the_default_is_the_head_of_the_remote(remote: Repository, tmp_path: Path) -> None:
    remote.put("a.md", "# main\n")
    remote.git("checkout", "-q", "-b", "trunk")
    remote.put("a.md", "# trunk\n")
    assert await texts(tmp_path, remote.folder.as_uri()) == {"a.md": "# trunk\n"}


@pytest.mark.parametrize(
    ("ref", "says"),
    [
        ("nope", "no branch, tag or commit 'nope'"),
        ("f" * 40, "no branch, tag or commit"),
        ("abcdef1", "no branch, tag or commit"),
        ("tree", "names no commit"),
    ],
)
async def test_an_unknown_ref(remote: Repository, tmp_path: Path, ref: str, says: str) -> None:
    remote.put("a.md")
    remote.git("tag", "tree", "HEAD^{tree}")
    url = remote.folder.as_uri()
    for _ in range(2):
        with pytest.raises(SourceError, match=says) as caught:
            await outcome(git_source(tmp_path, url=url, ref=ref))
        assert "\n" not in str(caught.value)
    assert mirrors(tmp_path) == []


async def test_check_asks_and_fetches_nothing(remote: Repository, tmp_path: Path) -> None:
    url = remote.folder.as_uri()
    with pytest.raises(SourceError, match="has no commits yet"):
        await git_source(tmp_path, url=url).check()
    remote.put("a.md")
    await git_source(tmp_path, url=url).check()
    await git_source(tmp_path, url=url, ref="main").check()
    with pytest.raises(SourceError, match="no branch, tag or commit 'nope'"):
        await git_source(tmp_path, url=url, ref="nope").check()
    assert not (tmp_path / ".orrery").exists()


async def test_an_empty_remote_and_none_at_all(remote: Repository, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="has no commits yet"):
        await outcome(git_source(tmp_path, url=remote.folder.as_uri()))
    with pytest.raises(SourceError, match="does not appear to be a git repository"):
        await outcome(git_source(tmp_path, url=(tmp_path / "nowhere").as_uri()))
    assert mirrors(tmp_path) == []


async def test_a_remote_that_is_gone_is_not_answered_from_the_mirror(
    remote: Repository, tmp_path: Path
) -> None:
    sha = remote.put("a.md")
    url = remote.folder.as_uri()
    assert await texts(tmp_path, url) == {"a.md": "# x\n"}
    remote.folder.rename(tmp_path / "moved")
    with pytest.raises(SourceError):
        await texts(tmp_path, url)
    # A commit never changes, so the mirror may answer for one.
    assert await texts(tmp_path, url, ref=sha) == {"a.md": "# x\n"}


async def test_a_shallow_remote(remote: Repository, tmp_path: Path) -> None:
    remote.put("old.md")
    remote.put("middle.md")
    new = remote.put("new.md")
    full, shallow = remote.folder, tmp_path / "shallow"
    remote.git("clone", "-q", "--depth", "2", full.as_uri(), str(shallow))
    source = git_source(tmp_path, url=shallow.as_uri())
    found = await documents(source)
    assert {path: d.commit for path, d in found.items()} == {
        "old.md": None,
        "middle.md": None,
        "new.md": new,
    }
    # When the remote has its whole history, so has the mirror after the next listing.
    Repository(shallow, start=False).git("fetch", "-q", "--unshallow")
    found = await documents(source)
    await source.close()
    assert found["old.md"].commit == remote.git("rev-parse", "HEAD~2")


async def test_what_a_kill_left_behind_is_cleared_away(remote: Repository, tmp_path: Path) -> None:
    remote.put("a.md")
    url = remote.folder.as_uri()
    code = f"""
import asyncio
from pathlib import Path
from git_support import git_source, outcome
asyncio.run(outcome(git_source(Path({str(tmp_path)!r}), url={url!r})))
"""
    # A git that hangs in the middle of the first fetch, after making its repository.
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    reached = tmp_path / "reached"
    real = subprocess.run(["which", "git"], capture_output=True, check=True, text=True).stdout
    slow.write_text(
        f'#!/bin/sh\ncase "$*" in *fetch*) echo $$ >{reached}.new\n'
        f'mv {reached}.new {reached}; exec sleep 600;; esac\nexec {real.strip()} "$@"\n'
    )
    slow.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env={
            **ENVIRONMENT,
            "PATH": f"{slow.parent}:{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
        },
    )
    async with asyncio.timeout(60):
        while not reached.exists():  # noqa: ASYNC110 - another process makes it
            await asyncio.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    os.kill(int(reached.read_text()), signal.SIGKILL)
    assert [".new-" in name for name in mirrors(tmp_path)] == [True]
    assert await texts(tmp_path, url) == {"a.md": "# x\n"}
    assert [".new-" in name for name in mirrors(tmp_path)] == [False]


class AskingForAPassword(http.server.SimpleHTTPRequestHandler):
    """Serves files to those who know the token."""

    wanted = "Basic " + base64.b64encode(f"bot:{SECRET}".encode()).decode()

    def do_GET(self) -> None:
        if self.headers.get("Authorization") == self.wanted:
            super().do_GET()
            return
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="book"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[int]:
    handler = functools.partial(AskingForAPassword, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


async def test_a_token_opens_the_remote_and_is_kept_nowhere(
    remote: Repository, tmp_path: Path
) -> None:
    sha = remote.put("a.md", "# behind a token\n")
    remote.git("clone", "-q", "--bare", ".", "../served/book.git")
    Repository(tmp_path / "served" / "book.git", start=False).git("update-server-info")
    with served(tmp_path / "served") as port:
        address = f"127.0.0.1:{port}/book.git"
        source = git_source(tmp_path, url=f"http://bot:{SECRET}@{address}")
        document = (await documents(source))["a.md"]
        await source.close()
        assert document.text == "# behind a token\n"
        assert document.uri == f"git+http://{address}@{sha}#a.md"
        kept = [
            str(file)
            for file in (tmp_path / ".orrery").rglob("*")
            if file.is_file() and SECRET.encode() in file.read_bytes()
        ]
        assert kept == []
        for url in (f"http://{address}", f"http://bot:wrong-{SECRET}@{address}"):
            with pytest.raises(SourceError, match="authentication failed") as caught:
                await outcome(git_source(tmp_path, url=url))
            assert SECRET not in str(caught.value)
    with pytest.raises(SourceError) as caught:
        await outcome(git_source(tmp_path, url=f"http://bot:{SECRET}@{address}"))
    assert SECRET not in str(caught.value)
    assert f"http://{address}" in str(caught.value)


class Silence:
    """A server that accepts and never answers."""

    def __init__(self, scheme: str) -> None:
        self.scheme = scheme

    async def __aenter__(self) -> Silence:
        self.connected = asyncio.Event()
        self.left = asyncio.Event()
        self.server = await asyncio.start_server(self._listen, "127.0.0.1", 0)
        self.url = f"{self.scheme}://127.0.0.1:{self.server.sockets[0].getsockname()[1]}/book.git"
        return self

    async def _listen(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connected.set()
        while await reader.read(1024):
            pass
        self.left.set()
        writer.close()

    async def __aexit__(self, *error: object) -> None:
        self.server.close()
        await self.server.wait_closed()


# Git speaks its own protocol itself; for HTTP it starts a helper, which must end with it.
both = pytest.mark.parametrize("scheme", ["git", "http"])


@both
async def test_a_remote_without_progress_is_given_up(scheme: str, tmp_path: Path) -> None:
    async with asyncio.timeout(60), Silence(scheme) as silence:
        source = git_source(tmp_path, url=silence.url, timeout=0.5)
        with pytest.raises(SourceError, match=r"no progress for 0\.5 seconds"):
            await outcome(source)
        await silence.left.wait()
    assert mirrors(tmp_path) == []


@both
async def test_cancelling_ends_the_processes_and_frees_the_lock(
    scheme: str, tmp_path: Path
) -> None:
    async with asyncio.timeout(60), Silence(scheme) as silence:
        for _ in range(2):
            silence.connected.clear()
            silence.left.clear()
            task = asyncio.create_task(outcome(git_source(tmp_path, url=silence.url)))
            await silence.connected.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            # The connection belongs to the fetch: it closes when no process holds it any more.
            await silence.left.wait()
    assert mirrors(tmp_path) == []


async def test_another_process_that_fetches_is_waited_for(
    remote: Repository, tmp_path: Path
) -> None:
    remote.put("a.md")
    url = remote.folder.as_uri()
    folder = tmp_path / ".orrery" / "git"
    folder.mkdir(parents=True)
    lock = FileLock(folder / f"{parse_location(url).mirror_name}.lock")
    with lock:
        listing = asyncio.create_task(outcome(git_source(tmp_path, url=url)))
        await asyncio.sleep(0.3)
        assert mirrors(tmp_path) == []
        assert not listing.done()
    assert await listing == {"a.md": None}


def children() -> set[str]:
    lists = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {child for text in lists for child in text.read_text().split()}


async def test_closing_leaves_no_process(remote: Repository, tmp_path: Path) -> None:
    for number in range(5):
        remote.put(f"{number}.md")
    before = children()
    source = git_source(tmp_path, url=str(remote.folder))
    listing = source.entries()
    await source.read(await anext(listing))
    assert len(children() - before) >= 1
    await source.close()
    assert children() - before == set()
    # What is read after a close is closed by another one.
    await source.read(await anext(listing))
    await source.close()
    await source.close()
    assert children() - before == set()
