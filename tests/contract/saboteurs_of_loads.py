"""Indexes that break one of the eight rules of loads."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from saboteur_support import BROKEN, Saboteur, both, code, sql

from orrery_knowledge.backends.sqlite import loads, search, snapshot
from orrery_knowledge.backends.sqlite.index import SqliteIndex
from orrery_knowledge.errors import BackendUnavailable

VISIBLE = "d.added_in <= :load AND (d.removed_in IS NULL OR d.removed_in > :load)"
honest_insert = loads._insert
honest_set_eligible = loads.set_eligible
honest_search = SqliteIndex.search
honest_activate = SqliteIndex.activate


def write_and_show(db: Any, load: int, document: Any) -> None:
    honest_insert(db, load, document)
    [number] = db.execute("SELECT max(id) FROM document").fetchone()
    loads._enter(db, [number])
    db.execute(loads.SQL["bump"])


@asynccontextmanager
async def no_lock(_: SqliteIndex) -> AsyncIterator[None]:
    yield


async def any_fingerprint(index: Any, query: Any, vector: Any, fingerprint: Any) -> Any:
    [active] = [load for load in await index.loads() if load.status == "active"] or [None]
    found = await honest_search(index, query, vector, active and active.fingerprint)
    return found


async def activate_bit_by_bit(index: Any, load: int) -> Any:
    """Documents become searchable one after the other, each in a transaction of its own."""
    rows = await index._database.read(
        lambda db: [
            row["id"]
            for row in db.execute(
                loads.SQL["changed_visibility"], {"old": load - 1, "new": load}
            ).fetchall()
            if row["enters"]
        ]
    )
    for row in rows:

        def show(db: Any, row: int = row) -> None:
            db.execute(
                "UPDATE document SET added_in = (SELECT active FROM pointer) WHERE id = ?", (row,)
            )
            loads._enter(db, [row])
            db.execute(loads.SQL["bump"])

        await index._database.write(show)
    return await honest_activate(index, load)


def only_what_is_shown(db: Any, document: Any, digest: str, eligible: bool, decision: int) -> int:
    [active] = db.execute("SELECT active FROM pointer").fetchone()
    hidden = "SELECT id FROM document WHERE added_in > ? OR removed_in <= ?"
    kept = [row["id"] for row in db.execute(hidden, (active, active)).fetchall()]
    before = {
        i: db.execute("SELECT eligible FROM document WHERE id = ?", (i,)).fetchone()[0]
        for i in kept
    }
    changed = honest_set_eligible(db, document, digest, eligible, decision)
    for number, value in before.items():
        db.execute("UPDATE document SET eligible = ? WHERE id = ?", (value, number))
    return changed


LOADS = [
    Saboteur(
        "rule 1: uses load numbers again",
        "test_a_load_number_is_never_used_twice",
        sql(
            loads,
            undo_loads="DELETE FROM load WHERE number > (SELECT active FROM pointer)",
            insert_load="INSERT INTO load (number, status, base, fingerprint, created_at, details)"
            " SELECT active + 1, 'building', active, :fingerprint, :created_at, :details "
            "FROM pointer",
        ),
    ),
    Saboteur(
        "rule 1: leaves what a killed build wrote",
        "test_what_a_killed_build_left_is_undone_by_the_next",
        code(loads, "undo", lambda db: None),
    ),
    Saboteur(
        "rule 1: leaves what a killed build ended",
        "test_what_a_killed_build_left_is_undone_by_the_next",
        sql(loads, undo_removals="SELECT 0"),
    ),
    Saboteur(
        "rule 1: keeps both of two writes in a load",
        "test_a_document_written_twice_in_a_load_counts_once",
        sql(loads, delete_own="SELECT 0"),
        fails_with=(BackendUnavailable,),
    ),
    Saboteur(
        "rule 1: abandons nothing",
        "test_abandoning_shows_nothing_and_ends_nothing",
        code(loads, "abandon", lambda db, load: None),
    ),
    Saboteur(
        "rule 2: shows a build before it is activated",
        "test_a_build_is_invisible_until_it_is_activated",
        both(
            code(loads, "_insert", write_and_show),
            sql(search, searchable=(VISIBLE, ":load = :load"), fetch=(VISIBLE, ":load = :load")),
        ),
    ),
    Saboteur(
        "rule 2: activates without comparing the pointer",
        "test_of_two_builds_from_one_pointer_one_is_activated",
        code(
            loads, "_require_building", lambda db, _: db.execute(loads.SQL["pointer"]).fetchone()[0]
        ),
    ),
    Saboteur(
        "rule 2: activates over a rollback",
        "test_activation_refuses_when_the_pointer_was_rolled_back",
        both(
            code(
                loads,
                "_require_building",
                lambda db, _: db.execute(loads.SQL["pointer"]).fetchone()[0],
            ),
            sql(loads, pointer=("held", "0 AS held")),
        ),
    ),
    Saboteur(
        "rule 2: activates bit by bit",
        "test_searches_during_syncs_see_one_whole_load",
        code(SqliteIndex, "activate", activate_bit_by_bit),
    ),
    Saboteur(
        "rule 2: locks nobody out", "test_one_lock_at_a_time", code(SqliteIndex, "lock", no_lock)
    ),
    Saboteur(
        "rule 3: goes back and does not hold",
        "test_rollback_shows_the_earlier_load_and_holds",
        sql(loads, move_pointer=("held = :held", "held = 0 * :held")),
    ),
    Saboteur(
        "rule 3: says it went back and shows the same",
        "test_rollback_shows_the_earlier_load_and_holds",
        code(
            loads,
            "_move_search_rows",
            lambda db, old, new, honest=loads._move_search_rows: (
                honest(db, old, new) if new > old else None
            ),
        ),
    ),
    Saboteur(
        "rule 3: goes anywhere",
        "test_rollback_needs_an_earlier_load",
        code(loads, "rollback", lambda db, to: loads.record(db, 1)),
    ),
    Saboteur(
        "rule 3: brings back what lay above after a resume",
        "test_after_resume_a_build_starts_from_the_rolled_back_load",
        sql(loads, undo_documents="SELECT 0", undo_loads="SELECT 0"),
    ),
    Saboteur(
        "rule 4: a rollback brings back what was revoked",
        "test_what_was_revoked_stays_revoked_after_a_rollback",
        code(loads, "set_eligible", only_what_is_shown),
    ),
    Saboteur(
        "rule 4: forgets a decision that was made during a build",
        "test_a_decision_made_during_a_build_holds_in_it",
        code(loads, "set_eligible", only_what_is_shown),
    ),
    Saboteur(
        "rule 4: decides on every version of a document",
        "test_a_decision_names_exactly_one_digest",
        sql(loads, versions_of=("AND digest = :digest", "")),
    ),
    Saboteur(
        "rule 4: decides on documents of another corpus",
        "test_a_decision_names_exactly_one_digest",
        sql(loads, versions_of=("corpus = :corpus AND", "")),
    ),
    Saboteur(
        "rule 4: raises a draft",
        "test_a_draft_is_never_raised_by_a_decision",
        sql(loads, versions_of=("AND (NOT :eligible OR status = 'stable')", "")),
    ),
    Saboteur(
        "rule 4: an ineligible version ends the eligible one",
        "test_an_ineligible_version_never_ends_the_eligible_one",
        sql(loads, end_replaced=("(:eligible OR NOT eligible)", ":eligible IN (0, 1)")),
    ),
    Saboteur(
        "rule 4: tells no cache that trust is back",
        "test_trust_given_back_is_found_again_at_once",
        sql(loads, bump="SELECT 0"),
    ),
    Saboteur(
        "rule 5: fetches from the newest load",
        "test_bodies_come_from_the_load_that_was_searched",
        sql(
            search,
            fetch=(
                VISIBLE,
                "d.added_in <= (SELECT active + 0 * :load FROM pointer) AND (d.removed_in IS NULL "
                "OR d.removed_in > (SELECT active FROM pointer))",
            ),
        ),
    ),
    Saboteur(
        "rule 6: deletes what a kept load shows",
        "test_gc_keeps_what_kept_loads_show",
        sql(
            loads,
            gc_documents="DELETE FROM document WHERE removed_in IS NOT NULL AND ?1 IS NOT NULL",
            gc_chunks="SELECT count(*) FROM document WHERE removed_in IS NOT NULL AND ?1",
        ),
    ),
    Saboteur(
        "rule 6: knows no minimal age",
        "test_gc_keeps_what_kept_loads_show",
        code(loads, "gc", lambda db, keep, _, honest=loads.gc: honest(db, keep, 0)),
    ),
    Saboteur(
        "rule 6: lets people go back to what is gone",
        "test_gc_keeps_what_kept_loads_show",
        sql(loads, gc_loads="SELECT ?"),
    ),
    Saboteur(
        "rule 7: keeps vectors by text alone",
        "test_vectors_of_two_embedders_never_meet",
        sql(loads, has_vector="SELECT 1 FROM vector WHERE ?1 IS NOT NULL AND key = ?2"),
    ),
    Saboteur(
        "rule 7: compares vectors of two embedders",
        "test_vectors_of_two_embedders_never_meet",
        code(SqliteIndex, "search", any_fingerprint),
        fails_with=(*BROKEN, ValueError),
    ),
    Saboteur(
        "rule 7: activates a load without its vectors",
        "test_a_load_without_its_vectors_is_refused",
        sql(loads, new_without_vector="SELECT 0"),
    ),
    Saboteur(
        "rule 8: counts words of rows that are not visible",
        "test_invisible_rows_move_no_score",
        both(
            sql(
                search,
                frequencies="SELECT w.value, (SELECT count(*) FROM body WHERE words || header "
                "LIKE '%' || w.value || '%') FROM json_each(?) w",
            ),
            code(
                SqliteIndex,
                "search",
                lambda self, query, vector, fingerprint: (
                    setattr(self, "_snapshots", snapshot.SnapshotCache()),
                    honest_search(self, query, vector, fingerprint),
                )[1],
            ),
        ),
    ),
    Saboteur(
        "provenance: stays as it was written",
        "test_provenance_changes_in_place",
        code(loads, "describe", lambda db, source, provenances: len(provenances)),
    ),
    Saboteur(
        "provenance: of another text of the same path",
        "test_provenance_of_something_else_changes_nothing",
        sql(loads, describe=("AND revision = :revision", "AND :revision = :revision")),
    ),
    Saboteur(
        "provenance: changes earlier loads too",
        "test_a_rollback_shows_earlier_loads_as_they_were",
        sql(loads, describe=("(removed_in IS NULL OR removed_in >", "(1 OR removed_in >")),
    ),
    Saboteur(
        "provenance: belongs to the build",
        "test_a_build_that_is_undone_leaves_provenance",
        sql(loads, discard_load="UPDATE document SET commit_id = NULL WHERE ? > 0"),
    ),
]
