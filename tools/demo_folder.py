"""The folder that the demo is given: what is in it, and a question that it can answer."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from orrery_knowledge.errors import DocumentError, SourceError
from orrery_knowledge.governance.metadata import parse_metadata
from orrery_knowledge.runtime import build_index, build_sources
from orrery_knowledge.settings import Settings
from orrery_knowledge.sources.filesystem import FilesystemSource, FilesystemSourceConfig

SOURCE = "yours"
"""Corpus and source of the user's documents."""

MAX_SURVEYED = 10_000
MAX_WORDS = 20
_SHOWN = 4


class NothingToIndex(Exception):
    """The folder can't be indexed; the message is one line that says why and what to do."""


class About(NamedTuple):
    """A document that can be found, and what to ask for it."""

    path: str
    question: str


def folder_named(given: str) -> Path:
    """The folder that the user means.

    Raises:
        NothingToIndex: there is no such user, or no such name can be looked at.
    """
    name = f"DOCS={shlex.quote(given)}"
    try:
        folder = Path(given).expanduser()
    except RuntimeError:
        raise NothingToIndex(
            f"{name}: there is no such user here; a folder whose name begins with ~ is written ./~"
        ) from None
    try:
        folder.is_dir()  # raises where there can't even be such a name, or nobody may look
        return folder.resolve()
    except (OSError, RuntimeError) as error:  # a loop of links is the latter
        reason = getattr(error, "strerror", None) or "a loop of links"
        raise NothingToIndex(f"{name} is no folder: {reason.lower()}") from None


def check_folder(folder: Path, given: str) -> None:
    """See that there is something to index, before anything is written.

    Args:
        folder: the folder.
        given: as the user wrote it.

    Raises:
        NothingToIndex: there isn't.
    """
    name = f"DOCS={shlex.quote(given)}"
    if any("\ud800" <= char <= "\udfff" for char in str(folder)):
        raise NothingToIndex(f"{name}: the name is not valid UTF-8, which the configuration is")
    if folder.is_file():
        parent = shlex.quote(os.path.relpath(folder.parent))
        raise NothingToIndex(
            f"{name} is a file; name the folder that it is in: make demo DOCS={parent}"
        )
    if not folder.is_dir():
        raise NothingToIndex(f"{name} does not exist; name a folder: make demo DOCS=path")
    try:
        skipped = asyncio.run(_skipped(folder))
    except SourceError as error:
        raise NothingToIndex(f"{name}: {error}") from None
    if skipped is None:
        return
    if skipped:
        reasons = ", ".join(f"{count} {reason}" for reason, count in skipped.most_common())
        raise NothingToIndex(
            f"{name} holds no Markdown file that can be read: {reasons} "
            '(docs/guides/sources.md, "What is passed over")'
        )
    raise NothingToIndex(
        f"{name} holds no Markdown (the demo reads **/*.md, no hidden folders); "
        f"{_found(folder)}; for other text files write an orrery.yaml: docs/guides/sources.md"
    )


async def question_about(settings: Settings) -> About | None:
    """Something to ask about the user's documents: what one that a search may return is about.

    That of the longest title, since a long one says most, of several the first by path. A title of
    one or two words is followed by the document's first sentence.

    Returns:
        None when there is no such document.
    """
    index = build_index(settings)
    try:
        known = await index.known(SOURCE)
    finally:
        await index.close()
    findable = {
        path
        for path, document in known.items()
        if document.eligible and document.status == "stable" and document.chunks
    }
    [source] = [source for source in build_sources(settings) if source.id == SOURCE]
    best, words = None, 0
    async for entry in source.entries():
        if entry.path not in findable:
            continue
        try:
            document = await source.read(entry)
            metadata, front = parse_metadata(document)
        except DocumentError:  # changed since it was indexed
            continue
        title = metadata.title.split()[:MAX_WORDS]
        if best is None or len(title) > words:
            words = len(title)
            sentence = first_sentence(front.body) if words < 3 else ""
            best = About(entry.path, " ".join([*title, sentence]).strip())
    return best


def first_sentence(text: str) -> str:
    """The beginning of the first paragraph of Markdown, up to a full stop; "" without one."""
    for paragraph in re.split(r"\n\s*\n", text):
        words = paragraph.split()
        if words and words[0][0].isalnum():
            end = next((n for n, word in enumerate(words, 1) if word[-1] in ".!?:"), len(words))
            return " ".join(words[: min(end, MAX_WORDS)])
    return ""


async def _skipped(folder: Path) -> Counter[str] | None:
    """Why each entry is no document; None as soon as there is a document."""
    config = FilesystemSourceConfig(id=SOURCE, corpus=SOURCE, trust="reviewed", path=str(folder))
    source = FilesystemSource(config, root=folder, state=folder / ".orrery")
    skipped: Counter[str] = Counter()
    async for entry in source.entries():
        if entry.skipped is None:
            return None
        skipped[entry.skipped] += 1
    return skipped


def _found(folder: Path) -> str:
    """What kinds of files there are instead."""
    kinds: Counter[str] = Counter()
    for _, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        kinds.update(os.path.splitext(name)[1] or "without an ending" for name in files)
        if kinds.total() >= MAX_SURVEYED:
            break
    if not kinds:
        return "there is no file in it"
    shown = [f"{count} {kind}" for kind, count in kinds.most_common(_SHOWN)]
    rest = kinds.total() - sum(count for _, count in kinds.most_common(_SHOWN))
    return f"found {', '.join(shown)}" + (f" and {rest} others" if rest else "")
