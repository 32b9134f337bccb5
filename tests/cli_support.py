"""A folder with documents and a configuration, and the command line run inside this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import CliRunner

from orrery_knowledge.cli.program import cli

CONFIGURATION = """\
embedder: {type: none}
corpora:
  runbooks:
    sources:
      - {id: book, type: filesystem, path: docs, trust: reviewed}
"""


class Ran(NamedTuple):
    """What a command printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The whole of stdout."""
        return json.loads(self.out)


class Desk:
    """Runs commands in a folder; the test changes into it first."""

    def __init__(self, folder: Path, configuration: str = CONFIGURATION) -> None:
        self.folder = folder
        (folder / "docs").mkdir()
        (folder / "orrery.yaml").write_text(configuration)

    def write(self, name: str, text: str) -> Path:
        """Write a document."""
        file = self.folder / "docs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def run(self, *arguments: str, stdin: str | bytes | None = None) -> Ran:
        """Run a command; an exception that the command line doesn't handle fails the test."""
        result = CliRunner().invoke(
            cli, list(arguments), prog_name="orrery-knowledge", input=stdin, catch_exceptions=False
        )
        return Ran(result.exit_code, result.stdout, result.stderr)
