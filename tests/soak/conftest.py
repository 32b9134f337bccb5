"""Long campaigns run with ``-m soak`` only, on the helpers of the integration tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "integration"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the campaigns out unless somebody asks for them."""
    if "soak" in config.getoption("markexpr"):
        return
    mine = [item for item in items if HERE in item.path.parents]
    config.hook.pytest_deselected(items=mine)
    items[:] = [item for item in items if item not in mine]
