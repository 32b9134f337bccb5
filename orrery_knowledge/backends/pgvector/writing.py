"""Puts document versions into a building load: COPY, in one transaction a batch."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence

from psycopg.sql import SQL as Text
from psycopg.sql import Identifier

from orrery_knowledge.backends.pgvector import loads, vectors
from orrery_knowledge.backends.pgvector.pools import Connection
from orrery_knowledge.backends.pgvector.rows import (
    BODY,
    DOCUMENT,
    PASSAGE,
    Cleaner,
    Row,
    body_rows,
    document_key,
    document_rows,
    passage_rows,
)
from orrery_knowledge.backends.pgvector.sql import FOREVER
from orrery_knowledge.models import IndexedDocument

logger = logging.getLogger(__name__)

AT_ONCE = 32
"""Rows that are made before anybody else gets a turn on the event loop: a few milliseconds."""


async def write(connection: Connection, load: int, documents: Sequence[IndexedDocument]) -> int:
    """Add document versions to a building load; returns how many replaced chunks end."""
    await loads.require_building(connection, load)
    # Of a document that stands here twice, the last one counts.
    by_key = {document_key(document.source, document.path): document for document in documents}
    keys = list(by_key)
    own = await loads.rows(connection, "own_documents", keys=keys, load=load)
    await loads.delete_documents(connection, [found["id"] for found in own])
    ended = await loads.rows(
        connection,
        "end_replaced",
        keys=keys,
        eligible=[document.eligible for document in by_key.values()],
        load=load,
        forever=FOREVER,
    )
    await loads.follow(connection, [found["id"] for found in ended])
    await _insert(connection, load, list(by_key.values()))
    return sum(found["chunk_count"] for found in ended)


async def _insert(connection: Connection, load: int, documents: Sequence[IndexedDocument]) -> None:
    document_ids = await _reserve(connection, "document", len(documents))
    count = sum(len(document.chunks) for document in documents)
    chunk_ids = await _reserve(connection, "passage", count)
    clean = Cleaner()
    passages = passage_rows(load, documents, document_ids, chunk_ids, clean)
    await _copy(
        connection, "document", DOCUMENT, document_rows(load, documents, document_ids, clean)
    )
    await _copy(connection, "passage", PASSAGE, passages)
    await _copy(connection, "body", BODY, body_rows(documents, chunk_ids, clean))
    fingerprint = (await loads.record(connection, load)).fingerprint
    tables = await vectors.tables_of(connection, fingerprint)
    if tables is not None:
        await vectors.fill(connection, tables, chunk_ids)
    if clean.replaced or clean.cut:
        logger.warning(
            "load %d: %d characters that PostgreSQL can't store were replaced; %d words of "
            "enormous chunks are not searchable",
            load,
            clean.replaced,
            clean.cut,
        )
        await loads.run(
            connection, "add_warnings", load=load, replaced=clean.replaced, cut=clean.cut
        )


async def _reserve(connection: Connection, table: str, count: int) -> list[int]:
    found = await loads.rows(connection, "reserve", table=table, count=count)
    return [row["nextval"] for row in found]


async def _copy(
    connection: Connection, table: str, columns: Mapping[str, str], rows: Iterator[Row]
) -> None:
    """Send rows while they are made: the server works on those that it has."""
    statement = Text("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(
        Identifier(table), Text(", ").join(map(Identifier, columns))
    )
    async with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(list(columns.values()))
        for number, row in enumerate(rows, start=1):
            await copy.write_row(row)
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)
