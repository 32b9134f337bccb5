"""A Markdown file to begin with, for what nobody has written yet."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import NamedTuple

from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.governance.cleaning import one_line
from orrery_knowledge.screening import screen

_MAX_TITLE = 120
_MAX_NOTE = 500
_MAX_SLUG = 60
_SAFE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,79}")
_WORD = re.compile(r"[a-z0-9]+")
# A placeholder of screening is no markup, and must stay one: it stands where a secret was.
_MARKUP = re.compile(r"(\[REDACTED:[A-Za-z0-9_ -]+\])|[\\`*_\[\](){}<>#&!|~:@$]")
# Windows keeps these for devices, whatever follows the first dot.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(10))]
)


class Stub(NamedTuple):
    """What a file is about.

    Attributes:
        title: the question, or the alert's name; text of strangers.
        notes: sentences on what is known, such as the alert's summary; text of strangers.
    """

    title: str
    notes: tuple[str, ...] = ()


class Written(NamedTuple):
    """What became of stubs.

    Attributes:
        new: files that were written.
        there: files that were there already, and are as they were.
    """

    new: tuple[Path, ...]
    there: tuple[Path, ...]


def write_stubs(folder: Path, stubs: list[Stub]) -> Written:
    """Write a file for each; one that is there already stays as it is.

    Args:
        folder: where; made if its parent is there.
        stubs: what about.

    Raises:
        ConfigurationError: the folder can't be made, or is none.
        OSError: a file can't be written.
    """
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f"folder {folder} for stubs: {error.strerror}") from None
    new, there = [], []
    for stub in stubs:
        file = folder / file_name(stub.title)
        try:
            # Exclusive: no file is overwritten, and no link followed.
            with file.open("x", encoding="utf-8", newline="\n") as opened:
                opened.write(content(stub))
        except FileExistsError:
            there.append(file)
        else:
            new.append(file)
    return Written(tuple(new), tuple(there))


def file_name(title: str) -> str:
    """A name that any file system takes: an alert's own, or words and a few digits of a digest."""
    if _SAFE_NAME.fullmatch(title) and title.casefold() not in _DEVICES:
        return f"{title}.md"
    slug = "-".join(_WORD.findall(title.casefold()))[:_MAX_SLUG].strip("-")
    digest = hashlib.sha256(title.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{slug or 'gap'}-{digest}.md"


def content(stub: Stub) -> str:
    """The file: a draft, so that nothing of it is found before somebody has written it.

    What strangers wrote is screened, and stands there as text: no markup, and no key of its own.
    """
    title = _shown(stub.title, _MAX_TITLE) or "Untitled"
    notes = "".join(f"- {escaped(_shown(note, _MAX_NOTE))}\n" for note in stub.notes)
    return (
        f"---\ntitle: {json.dumps(title, ensure_ascii=False)}\nstatus: draft\n---\n"
        f"# {escaped(title)}\n\n{notes}{'' if not notes else chr(10)}"
        "## Symptoms\n\nTODO: what people and monitoring see.\n\n"
        "## Checks\n\nTODO: how to tell the cause.\n\n"
        "## Remedy\n\nTODO: what to do, step by step, and how to undo it.\n\n"
        "## Escalation\n\nTODO: whom to call.\n"
    )


def escaped(text: str) -> str:
    """A line of text as Markdown that shows just that text."""
    return _MARKUP.sub(lambda found: found[1] or f"\\{found[0]}", text)


def _shown(text: str, limit: int) -> str:
    return one_line(screen(text).text, limit)
