"""A copy of what a user clones, with an environment that is already installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILES = ("Makefile", "pyproject.toml", "orrery.example.yaml")
FOLDERS = ("agents", "docs", "requirements", "samples", "tools")
PROGRAMS = {"orrery-knowledge": "-m orrery_knowledge.cli", "adk": "-m google.adk.cli"}
NO_PIP = 'case "$2" in pip) echo "no network" >&2; exit 97;; esac'


class Checkout:
    """Runs command lines in the copy; pip fails there, so whatever works needs no network.

    Without `contents` it is an empty folder, in which the programs are installed all the same.
    """

    def __init__(self, folder: Path, *, contents: bool = True) -> None:
        self.folder = folder
        for name in FILES if contents else ():
            shutil.copy(ROOT / name, folder / name)
        for name in FOLDERS if contents else ():
            ignored = shutil.ignore_patterns("__pycache__", ".adk")
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        self._program("python", "")
        for name, arguments in PROGRAMS.items():
            self._program(name, arguments)
        # Newer than the lock files that were just copied: nothing is to be installed.
        for stamp in (".all", ".demo"):
            (folder / ".venv" / stamp).touch()

    def run(self, command: str | list[str], **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a line in a shell, or a program with its arguments, as in an activated shell."""
        return subprocess.run(
            command,
            shell=isinstance(command, str),
            cwd=self.folder,
            env=environment()
            | {"PATH": f"{self.folder / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"}
            | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def make(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run make; arguments go to it as they stand."""
        return self.run(["make", *arguments])

    def _program(self, name: str, arguments: str) -> None:
        file = self.folder / ".venv" / "bin" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'#!/bin/sh\n{NO_PIP}\nexec "{sys.executable}" {arguments} "$@"\n')
        file.chmod(0o755)


def environment() -> dict[str, str]:
    """What a test's child processes get: no settings of whoever runs the tests.

    Nor those of a make that runs them, which would make theirs say where it enters and leaves.
    """
    strangers = ("ORRERY_", "MAKE", "MFLAGS")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(strangers)}
    return kept | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'plugins'}", "COLUMNS": "100"}
