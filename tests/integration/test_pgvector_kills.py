"""The server dies under a build; kills of the client are in `test_kills.py`."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from kill_support import KILLED, check_after, kill_at, start_place, write_version
from postgres_server import PostgresServer
from sync_support import Place

from orrery_knowledge.backends.pgvector import loads
from orrery_knowledge.errors import BackendUnavailable

pytest_plugins = ["engine_fixtures"]
pytestmark = pytest.mark.services


@pytest.fixture
def place(own_server: PostgresServer, tmp_path: Path) -> Place:
    url = own_server.url()
    return start_place(
        Place(tmp_path, {"backend": {"type": "pgvector", "url": url}, "ledger": url})
    )


@pytest.mark.parametrize("statement", ["end_replaced", "count_words", "move_pointer"])
def test_a_server_that_crashes_comes_back_with_one_whole_version(
    place: Place, own_server: PostgresServer, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    """In the middle of a transaction, of a batch or of the activation."""
    honest = {name: getattr(loads, name) for name in ("run", "rows")}

    def crashing(name: str) -> Any:
        async def call(connection: Any, asked: Any, **values: Any) -> Any:
            result = await honest[name](connection, asked, **values)
            if asked == statement:
                own_server.halt(signal.SIGQUIT)
            return result

        return call

    for name in honest:
        monkeypatch.setattr(loads, name, crashing(name))
    write_version(place, 2)
    with pytest.raises(BackendUnavailable):
        place.sync()
    monkeypatch.undo()
    own_server.start()
    assert check_after(place, 1, 2) == 1


def test_what_was_active_before_a_kill_can_be_gone_back_to(place: Place) -> None:
    write_version(place, 2)
    assert kill_at(place, "activate:1:after") == KILLED
    assert place.run(lambda index, _: index.rollback()).number == 1
    assert place.holding("version1x") == {*place.visible()}
    assert place.run(lambda index, _: index.verify()) == []
