"""Where the figures were taken, and how much memory a process holds."""

from __future__ import annotations

import os
import platform
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident_bytes() -> int:
    """Resident memory of this process; 0 where there is no ``/proc``."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE
    except OSError:
        return 0


def describe(postgres: str | None) -> dict[str, str]:
    """The machine in words.

    Args:
        postgres: the server's version, when there was one.
    """
    memory = _PAGE * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "cores": str(os.cpu_count()),
        "CPU": _cpu(),
        "memory": f"{memory:.0f} GiB",
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "numpy": np.__version__,
        "SQLite": sqlite3.sqlite_version,
        "PostgreSQL": postgres or "not measured",
        "load average": f"{os.getloadavg()[0]:.1f} at the start",
        "date": datetime.now(UTC).date().isoformat(),
    }


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return " ".join(names[0].split()) if names else platform.processor() or "unknown"
