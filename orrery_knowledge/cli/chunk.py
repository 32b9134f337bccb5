"""`orrery-knowledge chunk`."""

from __future__ import annotations

from pathlib import Path

import click

from orrery_knowledge.chunking.markdown import chunk_markdown
from orrery_knowledge.cli import options
from orrery_knowledge.cli.terminal import print_json, say, warn
from orrery_knowledge.errors import DocumentError
from orrery_knowledge.governance.metadata import parse_metadata
from orrery_knowledge.models import Chunk, Document
from orrery_knowledge.sources.decoding import decode


@click.command(
    epilog="""\b
Examples:
  orrery-knowledge chunk docs/runbooks/pool-exhaustion.md
  orrery-knowledge chunk --size 600 --text docs/*.md"""
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--size", type=click.IntRange(100, 4000), default=800, show_default=True)
@click.option("--text", "show_text", is_flag=True, help="Show the text of each chunk, too.")
@options.as_json
@options.command
async def chunk(
    config: Path | None, files: tuple[Path, ...], size: int, show_text: bool, json_: bool
) -> int:
    """Show how Markdown FILES are cut: sections, lines, sizes."""
    shown = []
    failed = False
    for file in files:
        try:
            title, chunks = _cut(file, size)
        except (OSError, DocumentError) as error:
            failed = True
            warn(f"error: {file}: {getattr(error, 'strerror', None) or error}")
            continue
        shown.append({"file": str(file), "title": title, "chunks": chunks})
    if json_:
        print_json(
            [
                {**entry, "chunks": [c.model_dump(mode="json") for c in entry["chunks"]]}  # type: ignore[attr-defined]
                for entry in shown
            ]
        )
    else:
        for entry in shown:
            _show(str(entry["file"]), str(entry["title"]), entry["chunks"], show_text)  # type: ignore[arg-type]
    return 1 if failed else 0


def _cut(file: Path, size: int) -> tuple[str, list[Chunk]]:
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
    return metadata.title, chunks


def _show(file: str, title: str, chunks: list[Chunk], show_text: bool) -> None:
    say(f"{file}: {title} ({len(chunks)} chunks)")
    for item in chunks:
        path = " > ".join(item.heading_path) or "(before the first heading)"
        part = f" (part {item.part}/{item.parts})" if item.parts > 1 else ""
        say(
            f"  {item.line_start:>5}-{item.line_end:<5} {len(item.text):>6} characters  "
            f"#{item.anchor}  {path}{part}"
        )
        if show_text:
            for line in item.text.splitlines():
                say(f"        | {line}")
