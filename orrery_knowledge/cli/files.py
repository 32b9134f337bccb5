"""Files that commands write."""

from __future__ import annotations

from pathlib import Path

from orrery_knowledge.errors import ConfigurationError


def check_folder(file: Path) -> None:
    """Refuse early what could not be written after long work.

    Raises:
        ConfigurationError: the folder isn't there.
    """
    if not file.resolve().parent.is_dir():
        raise ConfigurationError(f"there is no folder {file.parent} to write {file.name} to")
