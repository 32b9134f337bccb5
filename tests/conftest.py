"""What holds for every test: no settings of whoever runs them, and no network in `unit/`."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_support import Desk
from hypothesis import HealthCheck, settings
from pytest_socket import disable_socket, enable_socket

MakeDistribution = Callable[[str, str, dict[str, str]], Path]
UNIT = Path(__file__).parent / "unit"
# PYTHONUNBUFFERED would hide what becomes of output that Python has not yet written.
FOREIGN = ("ORRERY_", "GIT_", "OTEL_", "XDG_", "PYTHONUNBUFFERED")
KEPT = "ORRERY_TEST_"  # says where the services of tests are

# The machines that run these are shared: how long one example takes says nothing.
settings.register_profile("orrery", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("orrery")

_home = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    """Give the whole session, and every process that it starts, an empty home of its own."""
    home = Path(tempfile.mkdtemp(prefix="orrery-home-"))
    config.stash[_home] = home
    for name in list(os.environ):
        if name.startswith(FOREIGN) and not name.startswith(KEPT):
            del os.environ[name]
    os.environ.update(
        HOME=str(home),
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_CONFIG_NOSYSTEM="1",
        GIT_TERMINAL_PROMPT="0",
        HF_HUB_OFFLINE="1",
    )


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove that home."""
    shutil.rmtree(config.stash[_home], ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Unit tests open no socket; event loops may, between two ends of their own."""
    if UNIT in item.path.parents:
        disable_socket(allow_unix_socket=True)
    else:
        enable_socket()


@pytest.fixture
def make_distribution(tmp_path: Path) -> MakeDistribution:
    """Writes an installed package with entry points, as pip would leave it, into a folder."""

    def make(name: str, code: str, points: dict[str, str]) -> Path:
        """Module `name` with `code`; `points` maps "group.name" to the object's name."""
        site = tmp_path / "site"
        info = site / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        lines = [
            f"[orrery_knowledge.{group}]\n{point} = {name}:{target}\n"
            for (group, _, point), target in ((key.partition("."), v) for key, v in points.items())
        ]
        (info / "entry_points.txt").write_text("\n".join(lines))
        (site / f"{name}.py").write_text(code)
        return site

    return make


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A configured folder without documents, which the test is in."""
    monkeypatch.chdir(tmp_path)
    return Desk(tmp_path)
