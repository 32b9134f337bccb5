"""Loads on SQLite: the synchronous half, one function a step, each inside a transaction.

The rules are those of ``docs/aep/025-knowledge-retrieval.md``; numbers in comments refer to them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from orrery_knowledge.backends.statements import load_statements
from orrery_knowledge.errors import CheckFailed, LoadsHeld, Superseded, UnknownLoad
from orrery_knowledge.lexical import pack
from orrery_knowledge.models import IndexedDocument, KnownDocument, LoadRecord, Provenance

SQL = load_statements("orrery_knowledge.backends.sqlite", "loads.sql")

OPTIMISED_SHARE = 4
"""The full-text table is merged into one piece once a quarter of it is new."""


def begin(
    db: sqlite3.Connection, fingerprint: str | None, details: Mapping[str, Any]
) -> LoadRecord:
    """Undo what lies above the pointer, then start a load (rule 1)."""
    if db.execute(SQL["pointer"]).fetchone()["held"]:
        raise LoadsHeld(
            "a rollback holds the index; `orrery-knowledge loads resume` lets syncs run again"
        )
    undo(db)
    number = db.execute(
        SQL["insert_load"],
        {
            "fingerprint": fingerprint,
            "created_at": _now().isoformat(),
            "details": json.dumps(dict(details), sort_keys=True),
        },
    ).lastrowid
    return record(db, int(number or 0))


def undo(db: sqlite3.Connection) -> None:
    """Take back whatever a killed or failed build, or a rollback, left above the pointer."""
    db.execute(SQL["undo_documents"])
    db.execute(SQL["undo_removals"])
    db.execute(SQL["undo_loads"])


def write(db: sqlite3.Connection, load: int, documents: Sequence[IndexedDocument]) -> int:
    """Add document versions to a building load; returns how many replaced chunks end."""
    _require_building(db, load)
    pruned = 0
    for document in documents:
        key = {"source": document.source, "path": document.path, "load": load}
        db.execute(SQL["delete_own"], key)
        ended = db.execute(SQL["end_replaced"], {**key, "eligible": document.eligible}).fetchall()
        pruned += sum(row["chunk_count"] for row in ended)
        _insert(db, load, document)
    return pruned


def remove(db: sqlite3.Connection, load: int, source: str, paths: Sequence[str]) -> int:
    """End documents with a building load; returns how many chunks end."""
    _require_building(db, load)
    removed = 0
    for path in paths:
        key = {"source": source, "path": path, "load": load}
        removed += sum(row["chunk_count"] for row in db.execute(SQL["end_removed"], key).fetchall())
    return removed


def check(db: sqlite3.Connection, load: int) -> LoadRecord:
    """Refuse a load with missing bounds, texts, vectors or with doubled documents."""
    _require_building(db, load)
    found = record(db, load)
    problems = []
    if bad := _count(db, "bad_chunks", {"load": load}):
        problems.append(f"{bad} documents with missing or impossible chunks")
    if doubled := _count(db, "doubled", {"load": load}):
        problems.append(f"{doubled} documents in two versions")
    if found.fingerprint is not None:
        key = {"load": load, "fingerprint": found.fingerprint}
        # Only what this load wrote: an older text that a waiting edit keeps alive can't be embedded
        # again, and `known` has asked for every other one that lacks its vector.
        if missing := _count(db, "new_without_vector", key):
            problems.append(f"{missing} chunks without a vector of this embedder")
    if problems:
        raise CheckFailed(f"load {load} is not activated: " + "; ".join(problems))
    visible = db.execute(SQL["count_visible"], {"load": load}).fetchone()
    return found.model_copy(update=dict(visible))


def activate(db: sqlite3.Connection, load: int) -> LoadRecord:
    """Make a load's rows searchable and move the pointer to it: compare-and-swap (rule 2)."""
    base = _require_building(db, load)
    pointer = db.execute(SQL["pointer"]).fetchone()
    if pointer["active"] != base or pointer["held"]:
        raise Superseded(f"load {load} began at load {base}; load {pointer['active']} is active")
    _move_search_rows(db, base, load)
    moved = db.execute(SQL["move_pointer"], {"new": load, "old": base, "held": 0}).rowcount
    if moved != 1:
        raise Superseded(f"load {load} began at load {base}, which is no longer active")
    if _count(db, "strays", {}):
        # Rows that somebody deleted behind our back could not leave the search tables.
        rebuild(db)
    db.execute(SQL["mark_load"], {"status": "superseded", "load": base})
    visible = db.execute(SQL["count_visible"], {"load": load}).fetchone()
    now = _now().isoformat()
    db.execute(SQL["mark_activated"], {"load": load, "now": now, **dict(visible)})
    return record(db, load)


def abandon(db: sqlite3.Connection, load: int) -> None:
    """Undo a building load; one that wrote nothing leaves no record."""
    row = db.execute(SQL["load"], (load,)).fetchone()
    if row is None or row["status"] != "building":
        return
    if db.execute(SQL["load_rows"], {"load": load}).fetchone()[0]:
        undo(db)
    else:
        db.execute(SQL["discard_load"], (load,))


def rollback(db: sqlite3.Connection, to: int | None) -> LoadRecord:
    """Move the pointer back and hold it (rule 3)."""
    active = int(db.execute(SQL["pointer"]).fetchone()["active"])
    target = to if to is not None else db.execute(SQL["previous_load"]).fetchone()[0]
    if target is None:
        raise UnknownLoad("there is no earlier load to go back to")
    # Numbers outside of these need not even fit into a column.
    row = db.execute(SQL["load"], (target,)).fetchone() if 0 < target < active else None
    if row is None or row["status"] != "superseded":
        raise UnknownLoad(f"load {target} can't be gone back to; see `orrery-knowledge loads list`")
    _move_search_rows(db, active, target)
    db.execute(SQL["move_pointer"], {"new": target, "old": active, "held": 1})
    db.execute(SQL["mark_rolled_back"], {"to": target, "active": active})
    db.execute(SQL["mark_load"], {"status": "active", "load": target})
    return record(db, target)


def gc(db: sqlite3.Connection, keep: int, min_age_seconds: float) -> int:
    """Delete rows that no kept load shows (rule 6)."""
    young = _now() - timedelta(seconds=min_age_seconds)
    loads = db.execute(SQL["kept_loads"]).fetchall()
    # A load stays for its age since it was superseded, that is since the next one's activation.
    superseded_at = [_now(), *(datetime.fromisoformat(row["activated_at"]) for row in loads)]
    kept = [
        row["number"]
        for position, row in enumerate(loads)
        if position < max(keep, 1) or superseded_at[position] > young
    ]
    if not kept:
        return 0
    oldest = min(kept)
    chunks = int(db.execute(SQL["gc_chunks"], (oldest,)).fetchone()[0])
    db.execute(SQL["gc_documents"], (oldest,))
    db.execute(SQL["gc_loads"], (oldest,))
    db.execute(SQL["gc_vectors"])
    return chunks


def set_eligible(
    db: sqlite3.Connection,
    document: tuple[str, str, str],
    digest: str,
    eligible: bool,
    decision: int,
) -> int:
    """Change eligibility in place, in every load (rule 4)."""
    if decision < int(db.execute(SQL["pointer"]).fetchone()["decision"]):
        return 0  # somebody slower than others: a later decision was applied already
    corpus, source, path = document
    key = {"corpus": corpus, "source": source, "path": path, "digest": digest}
    rows = db.execute(SQL["versions_of"], {**key, "eligible": eligible}).fetchall()
    for row in rows:
        db.execute(SQL["set_eligible"], {"eligible": eligible, "id": row["id"]})
        if db.execute(SQL["is_visible"], (row["id"],)).fetchone():
            _enter(db, [row["id"]]) if eligible else _leave(db, row["id"])
    db.execute(SQL["note_decision"], (decision,))
    if rows:
        db.execute(SQL["bump"])
    return len(rows)


def describe(db: sqlite3.Connection, source: str, provenances: Sequence[Provenance]) -> int:
    """Change provenance in place; returns how many document versions changed."""
    return db.executemany(
        SQL["describe"],
        [
            {
                **provenance.model_dump(exclude={"modified_at"}),
                "modified_at": _stored(provenance.modified_at),
                "source": source,
            }
            for provenance in provenances
        ],
    ).rowcount


def rebuild(db: sqlite3.Connection) -> None:
    """Fill the search tables anew with what the active load shows."""
    db.execute(SQL["clear_passage"])
    db.execute(SQL["clear_identifier"])
    _enter(db, [row["id"] for row in db.execute(SQL["searchable_documents"])])
    db.execute(SQL["bump"])


def known(db: sqlite3.Connection, source: str) -> dict[str, KnownDocument]:
    """Newest visible versions of a source whose chunks are really all there."""
    found = {}
    for row in db.execute(SQL["known"], (source,)):
        if row["complete"] != row["chunk_count"]:
            # Somebody deleted rows behind our back: read the document again.
            found[row["path"]] = _known(row, revision="", processing_key="")
        else:
            found[row["path"]] = _known(row, row["revision"], row["processing_key"])
    return found


def record(db: sqlite3.Connection, number: int) -> LoadRecord:
    """One load as people see it."""
    row = db.execute(SQL["load"], (number,)).fetchone()
    if row is None:
        raise UnknownLoad(f"there is no load {number}; see `orrery-knowledge loads list`")
    return to_record(row)


def to_record(row: sqlite3.Row) -> LoadRecord:
    """A row of the load table as a model."""
    return LoadRecord(
        number=row["number"],
        status=row["status"],
        created_at=datetime.fromisoformat(row["created_at"]),
        activated_at=_time(row["activated_at"]),
        fingerprint=row["fingerprint"],
        details=json.loads(row["details"]),
        documents=row["documents"],
        chunks=row["chunks"],
    )


def _known(row: sqlite3.Row, revision: str, processing_key: str) -> KnownDocument:
    return KnownDocument(
        path=row["path"],
        revision=revision,
        processing_key=processing_key,
        digest=row["digest"],
        eligible=bool(row["eligible"]),
        status=row["status"],
        chunks=row["chunk_count"],
        uri=row["uri"],
        commit=row["commit_id"],
        modified_at=_time(row["modified_at"]),
    )


def _require_building(db: sqlite3.Connection, load: int) -> int:
    row = db.execute(SQL["load"], (load,)).fetchone()
    if row is None or row["status"] != "building":
        raise Superseded(f"load {load} was given up: another sync has started since")
    return int(row["base"])


def _insert(db: sqlite3.Connection, load: int, document: IndexedDocument) -> None:
    values = document.model_dump(exclude={"chunks", "modified_at", "metadata", "commit"})
    values |= {
        "commit_id": document.commit,
        "modified_at": _stored(document.modified_at),
        "metadata": json.dumps(document.metadata, sort_keys=True),
        "chunk_count": len(document.chunks),
        "load": load,
    }
    document_id = db.execute(SQL["insert_document"], values).lastrowid
    for item in document.chunks:
        chunk = item.chunk
        key = bytes.fromhex(item.vector_key) if item.vector_key else None
        row = (document_id, chunk.ordinal, item.length, key)
        # One that is both, in header and text, counts as whole.
        names = dict.fromkeys(item.fragments, 0) | dict.fromkeys(item.identifiers, 1)
        db.execute(
            SQL["insert_body"],
            {
                "id": db.execute(SQL["insert_chunk"], row).lastrowid,
                "header": pack(item.header),
                "words": pack(item.words),
                "names": json.dumps(names),
                "heading_path": json.dumps(chunk.heading_path),
                **chunk.model_dump(exclude={"ordinal", "heading_path"}),
            },
        )


def _move_search_rows(db: sqlite3.Connection, old: int, new: int) -> None:
    """Make the search tables show what load `new` shows instead of load `old` (rule 8)."""
    rows = db.execute(SQL["changed_visibility"], {"old": old, "new": new}).fetchall()
    for row in rows:
        if not row["enters"]:
            _leave(db, row["id"])
    _enter(db, [row["id"] for row in rows if row["enters"]])


def _enter(db: sqlite3.Connection, documents: Sequence[int]) -> None:
    """All documents in one statement a table, in the table's own order: three times faster."""
    if not documents:
        return
    ids = (json.dumps(documents),)
    entered = db.execute(SQL["enter_passage"], ids).rowcount
    db.execute(SQL["enter_identifier"], ids)
    if OPTIMISED_SHARE * entered >= _count(db, "passages", ()):
        # Many rows leave many segments, and a search looks each of its words up in each of them.
        db.execute(SQL["optimise_passage"])


def _leave(db: sqlite3.Connection, document: int) -> None:
    db.execute(SQL["leave_passage"], (document,))
    db.execute(SQL["leave_identifier"], (document,))


def _count(
    db: sqlite3.Connection, statement: str, values: Mapping[str, Any] | Sequence[Any]
) -> int:
    return int(db.execute(SQL[statement], values).fetchone()[0])


def _stored(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _now() -> datetime:
    return datetime.now(UTC)
