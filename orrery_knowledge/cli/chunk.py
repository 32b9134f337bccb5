"""`orrery-knowledge chunk`."""

from __future__ import annotations

from pathlib import Path

import click

from orrery_knowledge.chunking.markdown import chunk_markdown
from orrery_knowledge.cli import options
from orrery_knowledge.cli.terminal import plural, print_json, say, warn
from orrery_knowledge.errors import DocumentError
from orrery_knowledge.governance.metadata import parse_metadata
from orrery_knowledge.models import Chunk, Document, Model
from orrery_knowledge.sources.decoding import decode


@click.command(
    epilog="""\b
Examples:
  orrery-knowledge chunk docs/runbooks/pool-exhaustion.md
  orrery-knowledge chunk --size 600 --text docs/*.md"""
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--size",
    type=click.IntRange(100, 4000),
    default=800,
    show_default=True,
    metavar="CHARACTERS",
    help="How long a chunk may be.",
)
@click.option(
    "--text", "show_text", is_flag=True, help="Show the text of each chunk as it is in the file."
)
@options.as_json
@options.command
def chunk(
    config: Path | None, files: tuple[Path, ...], size: int, show_text: bool, json_: bool
) -> int:
    """Show how Markdown FILES are cut: sections, lines, sizes.

    This is for the author of a file: nothing of it is screened or redacted here.
    """
    shown: list[_Cut] = []
    for file in files:
        try:
            shown.append(_cut(file, size))
        except (OSError, DocumentError) as error:
            warn(f"error: {file}: {getattr(error, 'strerror', None) or error}")
    if json_:
        print_json([cut.model_dump(mode="json") for cut in shown])
    else:
        for cut in shown:
            _show(cut, show_text)
    return 0 if len(shown) == len(files) else 1


class _Cut(Model):
    """How one file is cut."""

    file: str
    title: str
    chunks: tuple[Chunk, ...]


def _cut(file: Path, size: int) -> _Cut:
    document = Document(
        corpus="",
        source="",
        path=file.name,
        uri="",
        revision="",
        text=decode(file.read_bytes()).text,
    )
    metadata, front = parse_metadata(document)
    chunks = chunk_markdown(
        front.body, title=metadata.title, size=size, first_line=front.first_line
    )
    return _Cut(file=str(file), title=metadata.title, chunks=tuple(chunks))


def _show(cut: _Cut, show_text: bool) -> None:
    say(f"{cut.file}: {cut.title} ({plural(len(cut.chunks), 'chunk')})")
    for item in cut.chunks:
        path = " > ".join(item.heading_path) or "(before the first heading)"
        part = f" (part {item.part}/{item.parts})" if item.parts > 1 else ""
        say(
            f"  {item.line_start:>5}-{item.line_end:<5} {len(item.text):>6} characters  "
            f"#{item.anchor}  {path}{part}"
        )
        if show_text:
            for line in item.text.splitlines():
                say(f"        | {line}")
