"""Audit records as lines of JSON in a file that is set aside when it has grown."""

from __future__ import annotations

import json
import logging
import os
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from typing_extensions import override

from orrery_knowledge.errors import ConfigurationError


class AuditFile:
    """Appends each record as one line; only the file's owner may read it.

    Meant for one process: two that set the same file aside lose lines of each other.

    Args:
        path: the file; it and its folder are made when they are missing.
        max_bytes: size at which it becomes ``<name>.1``, that one ``<name>.2``, and so on.
        backups: how many of these are kept.

    Raises:
        ConfigurationError: the file can't be opened for writing.
    """

    def __init__(self, path: Path, *, max_bytes: int = 10_000_000, backups: int = 5) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._handler = _Handler(
                path, maxBytes=max_bytes, backupCount=backups, encoding="ascii"
            )
        except OSError as error:
            raise ConfigurationError(
                f"the audit file {path} can't be written: {error.strerror}; name another in "
                "guard.audit.file, or leave it out to use the logger orrery.audit"
            ) from error

    def __call__(self, record: dict[str, Any]) -> None:
        """Write a record.

        Raises:
            OSError: it is not written.
        """
        line = json.dumps(record, ensure_ascii=True)
        self._handler.handle(
            logging.LogRecord("orrery.audit", logging.INFO, "", 0, line, None, None)
        )

    def close(self) -> None:
        """Close the file."""
        self._handler.close()


class _Handler(RotatingFileHandler):
    @override
    def _open(self) -> Any:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        return os.fdopen(descriptor, "a", encoding=self.encoding)

    @override
    def handleError(self, record: logging.LogRecord) -> None:
        # Called while the exception is handled; logging would swallow it.
        raise
