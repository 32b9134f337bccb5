"""Places on each engine: index and ledger in files, or both in one database on a server."""

from __future__ import annotations

import shutil
from pathlib import Path
from secrets import token_hex
from typing import Any

import psycopg
from postgres_server import with_database
from psycopg.sql import SQL, Identifier
from sync_support import Place


class Engine:
    """Index and ledger in the place's own folder."""

    stride = 8
    """An activation takes some seventy statements; tests kill it at every so manyth."""

    def place(self, root: Path) -> Place:
        """An empty one."""
        return Place(root)

    def copy(self, template: Place, root: Path) -> Place:
        """One that begins where another is; nobody may be using that one."""
        shutil.copytree(template.root, root, dirs_exist_ok=True)
        return Place(root)

    def drop(self, place: Place) -> None:
        """Forget what a place keeps outside its folder."""


class OnServer(Engine):
    """Index and ledger in one database, each place in its own."""

    stride = 3

    def __init__(self, admin_url: str, empty: str) -> None:
        self._admin_url = admin_url
        self._empty = empty

    def place(self, root: Path) -> Place:
        return Place(root, self._settings(self._empty))

    def copy(self, template: Place, root: Path) -> Place:
        shutil.copytree(template.root, root, dirs_exist_ok=True)
        place = Place(root, self._settings(template.database))
        place.configure()
        return place

    def drop(self, place: Place) -> None:
        self._run("DROP DATABASE {} WITH (FORCE)", place.database)

    def _settings(self, template: str) -> dict[str, Any]:
        database = f"orrery_place_{token_hex(6)}"
        self._run("CREATE DATABASE {} TEMPLATE {}", database, template)
        url = with_database(self._admin_url, database)
        return {"backend": {"type": "pgvector", "url": url}, "ledger": url}

    def _run(self, statement: str, *databases: str) -> None:
        with psycopg.connect(self._admin_url, autocommit=True) as admin:
            admin.execute(SQL(statement).format(*map(Identifier, databases)))
