"""Loads on PostgreSQL: one function a step, each inside a transaction of its caller.

The rules are those of ``docs/aep/025-knowledge-retrieval.md``; numbers in comments refer to them.
Whoever moves the pointer or decides on trust locks the pointer's row first, so they never meet.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, LiteralString

from psycopg.rows import dict_row

from orrery_knowledge.backends.pgvector import vectors
from orrery_knowledge.backends.pgvector.pools import Connection
from orrery_knowledge.backends.pgvector.rows import Cleaner, document_key
from orrery_knowledge.backends.pgvector.sql import FOREVER, Sql
from orrery_knowledge.errors import CheckFailed, LoadsHeld, Superseded, UnknownLoad
from orrery_knowledge.models import KnownDocument, LoadRecord, Provenance

SQL = Sql("loads.sql")
Row = dict[str, Any]


async def rows(connection: Connection, name: LiteralString, **values: Any) -> list[Row]:
    """All rows of a statement, by column."""
    async with connection.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(SQL[name], values)
        return await cursor.fetchall()


async def row(connection: Connection, name: LiteralString, **values: Any) -> Row:
    """The one row of a statement."""
    return (await rows(connection, name, **values))[0]


async def number(connection: Connection, name: LiteralString, **values: Any) -> int:
    """The one number of a statement."""
    found = await (await connection.execute(SQL[name], values)).fetchone()
    return int(found[0]) if found and found[0] is not None else 0


async def run(connection: Connection, name: LiteralString, **values: Any) -> int:
    """Run a statement; returns how many rows it touched."""
    return (await connection.execute(SQL[name], values)).rowcount


async def begin(
    connection: Connection, fingerprint: str | None, details: Mapping[str, Any]
) -> LoadRecord:
    """Undo what lies above the pointer, then start a load (rule 1)."""
    pointer = await row(connection, "lock_pointer")
    if pointer["held"]:
        raise LoadsHeld(
            "a rollback holds the index; `orrery-knowledge loads resume` lets syncs run again"
        )
    await undo(connection, pointer["active"])
    load = await number(
        connection,
        "insert_load",
        active=pointer["active"],
        fingerprint=fingerprint,
        now=_now(),
        details=json.dumps(dict(details), sort_keys=True),
    )
    return await record(connection, load)


async def undo(connection: Connection, active: int) -> None:
    """Take back whatever a killed or failed build, or a rollback, left above the pointer."""
    # First the loads: that waits for whoever is writing to one, so that its rows are seen below.
    await run(connection, "mark_undone", active=active)
    above = [found["id"] for found in await rows(connection, "above_pointer", active=active)]
    await delete_documents(connection, above)
    back = await rows(connection, "undo_removals", active=active, forever=FOREVER)
    await follow(connection, [found["id"] for found in back])


async def delete_documents(connection: Connection, documents: Sequence[int]) -> None:
    """Delete documents with everything that belongs to them."""
    if not documents:
        return
    await run(connection, "delete_documents", documents=list(documents))
    for tables in await vectors.every_table(connection):
        statement = SQL.on("delete_nearest", tables)
        await connection.execute(statement, {"documents": list(documents)})


async def follow(connection: Connection, documents: Sequence[int]) -> None:
    """Repeat the interval and eligibility of documents on their chunks."""
    if not documents:
        return
    await run(connection, "follow_passage", documents=list(documents))
    for tables in await vectors.every_table(connection):
        statement = SQL.on("follow_nearest", tables)
        await connection.execute(statement, {"documents": list(documents)})


async def remove(connection: Connection, load: int, source: str, paths: Sequence[str]) -> int:
    """End documents with a building load; returns how many chunks end."""
    await require_building(connection, load)
    keys = [document_key(source, path) for path in paths]
    ended = await rows(connection, "end_removed", load=load, keys=keys, forever=FOREVER)
    await follow(connection, [found["id"] for found in ended])
    return sum(found["chunk_count"] for found in ended)


async def check(connection: Connection, load: int) -> LoadRecord:
    """Refuse a load with missing bounds, texts, vectors or with doubled documents."""
    await require_building(connection, load)
    found = await record(connection, load)
    problems = []
    if bad := await number(connection, "bad_chunks", load=load):
        problems.append(f"{bad} documents with missing or impossible chunks")
    if doubled := await number(connection, "doubled", load=load):
        problems.append(f"{doubled} documents in two versions")
    if found.fingerprint is not None:
        # Only what this load wrote: an older text that a waiting edit keeps alive can't be embedded
        # again, and `known` has asked for every other one that lacks its vector.
        tables = await vectors.tables_of(connection, found.fingerprint)
        if tables is None:
            missing = await number(connection, "new_chunks", load=load)
        else:
            await vectors.fill_load(connection, tables, load)
            statement = SQL.on("new_without_vector", tables)
            counted = await (await connection.execute(statement, {"load": load})).fetchone()
            missing = counted[0] if counted else 0
        if missing:
            problems.append(f"{missing} chunks without a vector of this embedder")
    if problems:
        raise CheckFailed(f"load {load} is not activated: " + "; ".join(problems))
    visible = await row(connection, "count_visible", load=load)
    return found.model_copy(update=visible)


async def activate(connection: Connection, load: int) -> LoadRecord:
    """Move the pointer to a load: one compare-and-swap (rule 2)."""
    pointer = await row(connection, "lock_pointer")
    base = await require_building(connection, load)
    if pointer["active"] != base or pointer["held"]:
        raise Superseded(f"load {load} began at load {base}; load {pointer['active']} is active")
    await _recount_changed(connection, base, load)
    if await run(connection, "move_pointer", new=load, old=base, held=False) != 1:
        raise Superseded(f"load {load} began at load {base}, which is no longer active")
    totals = await row(connection, "searchable")
    if (totals["chunks"], totals["length"]) != (totals["there"], totals["there_length"]):
        # Rows that somebody deleted behind our back could not be taken out of the frequencies.
        await recount(connection)
    await run(connection, "mark_load", status="superseded", load=base)
    visible = await row(connection, "count_visible", load=load)
    await run(connection, "mark_activated", load=load, now=_now(), **visible)
    return await record(connection, load)


async def abandon(connection: Connection, load: int) -> None:
    """Undo a building load; one that wrote nothing leaves no record."""
    pointer = await row(connection, "lock_pointer")
    found = await rows(connection, "load", load=load)
    if not found or found[0]["status"] != "building":
        return
    if (await row(connection, "load_rows", load=load))["exists"]:
        await undo(connection, pointer["active"])
    else:
        await run(connection, "discard_load", load=load)


async def rollback(connection: Connection, to: int | None) -> LoadRecord:
    """Move the pointer back and hold it (rule 3)."""
    active = (await row(connection, "lock_pointer"))["active"]
    if to is None:
        to = await number(connection, "previous_load", active=active) or None
    if to is None:
        raise UnknownLoad("there is no earlier load to go back to")
    # Numbers outside of these need not even fit into a column.
    found = await rows(connection, "load", load=to) if 0 < to < active else []
    if not found or found[0]["status"] != "superseded":
        raise UnknownLoad(f"load {to} can't be gone back to; see `orrery-knowledge loads list`")
    await _recount_changed(connection, active, to)
    await run(connection, "move_pointer", new=to, old=active, held=True)
    await run(connection, "mark_rolled_back", to=to, active=active)
    await run(connection, "mark_load", status="active", load=to)
    return await record(connection, to)


async def gc(connection: Connection, keep: int, min_age_seconds: float) -> int:
    """Delete rows that no kept load shows (rule 6)."""
    active = (await row(connection, "lock_pointer"))["active"]
    young = _now() - timedelta(seconds=min_age_seconds)
    loads = await rows(connection, "kept_loads", active=active)
    # A load stays for its age since it was superseded, that is since the next one's activation.
    superseded_at = [_now(), *(load["activated_at"] for load in loads)]
    kept = [
        load["number"]
        for position, load in enumerate(loads)
        if position < max(keep, 1) or superseded_at[position] > young
    ]
    if not kept:
        return 0
    dead = await rows(connection, "gc_documents", oldest=min(kept))
    await delete_documents(connection, [found["id"] for found in dead])
    await run(connection, "gc_loads", oldest=min(kept))
    await run(connection, "gc_words")
    await run(connection, "gc_names")
    await vectors.gc(connection)
    return sum(found["chunk_count"] for found in dead)


async def set_eligible(
    connection: Connection,
    document: tuple[str, str, str],
    digest: str,
    eligible: bool,
    decision: int,
) -> int:
    """Change eligibility in place, in every load (rule 4)."""
    pointer = await row(connection, "lock_pointer")
    if decision < pointer["decision"]:
        return 0  # somebody slower than others: a later decision was applied already
    corpus, source, path = document
    found = await rows(
        connection,
        "versions_of",
        key=document_key(source, path),
        corpus=Cleaner().text(corpus),
        digest=Cleaner().text(digest),
        eligible=eligible,
        active=pointer["active"],
    )
    versions = [version["id"] for version in found]
    if versions:
        await run(connection, "set_eligible", documents=versions, eligible=eligible)
        await follow(connection, versions)
        shown = [version["id"] for version in found if version["visible"]]
        await _count(connection, shown, 1 if eligible else -1)
        await run(connection, "bump")
    await run(connection, "note_decision", decision=decision)
    return len(versions)


async def describe(connection: Connection, source: str, provenances: Sequence[Provenance]) -> int:
    """Change provenance in place; returns how many document versions changed."""
    pointer = await row(connection, "lock_pointer")
    clean = Cleaner()
    return await run(
        connection,
        "describe",
        keys=[document_key(source, provenance.path) for provenance in provenances],
        revisions=[clean.text(provenance.revision) for provenance in provenances],
        uris=[clean.text(provenance.uri) for provenance in provenances],
        commits=[clean.maybe(provenance.commit) for provenance in provenances],
        dates=[provenance.modified_at for provenance in provenances],
        active=pointer["active"],
    )


async def recount(connection: Connection) -> None:
    """Count every frequency and total anew from what the active load shows."""
    active = (await row(connection, "lock_pointer"))["active"]
    await run(connection, "clear_words")
    await run(connection, "clear_names")
    await run(connection, "clear_totals")
    shown = await rows(connection, "searchable_documents", active=active)
    await _count(connection, [found["id"] for found in shown], 1)
    await run(connection, "bump")


async def known(connection: Connection, source: str) -> dict[str, KnownDocument]:
    """Newest visible versions of a source whose chunks and vectors are really all there."""
    active = (await row(connection, "pointer"))["active"]
    source = Cleaner().text(source)
    documents = await rows(connection, "known", source=source, active=active)
    with_vector: dict[int, int] | None = None
    if active and (fingerprint := (await record(connection, active)).fingerprint) is not None:
        tables = await vectors.tables_of(connection, fingerprint)
        with_vector = {}
        if tables is not None:
            values = {"source": source, "active": active}
            cursor = await connection.execute(SQL.on("known_vectors", tables), values)
            with_vector = {counted[0]: counted[1] for counted in await cursor.fetchall()}
    found = {}
    for document in documents:
        complete = document["complete"]
        if with_vector is not None:
            complete = min(complete, with_vector.get(document["id"], 0))
        # Somebody deleted rows behind our back: read the document again.
        whole = complete == document["chunk_count"]
        found[document["path"]] = KnownDocument(
            path=document["path"],
            revision=document["revision"] if whole else "",
            processing_key=document["processing_key"] if whole else "",
            digest=document["digest"],
            eligible=document["eligible"],
            status=document["status"],
            chunks=document["chunk_count"],
            uri=document["uri"],
            commit=document["commit_id"],
            modified_at=document["modified_at"],
        )
    return found


async def record(connection: Connection, load: int) -> LoadRecord:
    """One load as people see it."""
    found = await rows(connection, "load", load=load)
    if not found:
        raise UnknownLoad(f"there is no load {load}; see `orrery-knowledge loads list`")
    return to_record(found[0])


def to_record(found: Mapping[str, Any]) -> LoadRecord:
    """A row of the load table as a model."""
    return LoadRecord(**{name: value for name, value in found.items() if name != "base"})


async def require_building(connection: Connection, load: int) -> int:
    """The load that a building one started at; nobody gives it up before the transaction ends."""
    found = await rows(connection, "building_load", load=load)
    if not found or found[0]["status"] != "building":
        raise Superseded(f"load {load} was given up: another sync has started since")
    return int(found[0]["base"])


async def _recount_changed(connection: Connection, old: int, new: int) -> None:
    """Make the frequencies those of load `new` instead of load `old` (rule 8)."""
    bounds = {"low": min(old, new), "high": max(old, new)}
    changed = await rows(connection, "changed_visibility", old=old, new=new, **bounds)
    await _count(connection, [found["id"] for found in changed if found["enters"]], 1)
    await _count(connection, [found["id"] for found in changed if not found["enters"]], -1)


async def _count(connection: Connection, documents: Sequence[int], sign: int) -> None:
    if documents:
        for name in ("count_words", "count_names", "count_chunks"):
            await run(connection, name, documents=list(documents), sign=sign)


def _now() -> datetime:
    return datetime.now(UTC)
