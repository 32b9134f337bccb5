"""The contract notices a pgvector index that breaks one rule."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from orrery_knowledge.backends.pgvector import loads, statistics
from orrery_knowledge.testing.backends import BackendContract

pytest_plugins = ["postgres_fixtures"]
pytestmark = pytest.mark.services

BROKEN = (AssertionError, pytest.fail.Exception)
LOADS, SEARCH = loads.SQL, statistics.SQL


class Contract(BackendContract):
    __test__ = False


class Saboteur(NamedTuple):
    """A statement in which one part is another, and the test that sees it."""

    statement: str
    part: str
    instead: str
    test: str
    given: dict[str, str] = {}  # noqa: RUF012 - never changed
    where: object = SEARCH


ELIGIBLE = "test_no_ranking_holds_ineligible_text"
UNSEEN = "test_invisible_rows_move_no_score"
ENDED = "test_a_document_that_shrinks_leaves_no_chunk"
FILTERS = "test_filters_act_inside_each_ranking"
COUNT_EVERYTHING = """(SELECT array_agg((
    SELECT count(*)::integer FROM passage p WHERE p.words @@ quote_literal(w.term)::tsquery))
    FROM word_frequency w"""
SABOTEURS = [
    Saboteur("matching", "AND p.eligible", "", ELIGIBLE),
    Saboteur("identified", "AND p.eligible", "", ELIGIBLE),
    Saboteur("nearest", "eligible AND", "", ELIGIBLE),
    Saboteur("matching", "p.added_in <= %(load)s AND", "", UNSEEN),
    Saboteur("nearest", "added_in <= %(load)s AND", "", UNSEEN),
    Saboteur("matching", "AND p.removed_in > %(load)s", "", ENDED),
    Saboteur("nearest", "AND removed_in > %(load)s", "", ENDED),
    Saboteur("matching", "p.corpus = ", "'' <> ", FILTERS, {"by": "corpus"}),
    Saboteur("identified", "p.service = ", "'' <> ", FILTERS, {"by": "service"}),
    Saboteur("nearest", "service = ", "'' <> ", FILTERS, {"by": "service"}),
    Saboteur("fetch", "AND d.eligible", "", "test_bodies_are_withheld_once_trust_is_gone"),
    Saboteur(
        "fetch",
        "AND d.added_in <= %(load)s",
        "AND d.added_in = (SELECT active FROM pointer)",
        "test_bodies_come_from_the_load_that_was_searched",
    ),
    Saboteur(
        "statistics",
        "(SELECT array_agg(w.chunks) FROM word_frequency w",
        COUNT_EVERYTHING,
        "test_invisible_rows_move_no_score",
    ),
    Saboteur(
        "undo_removals",
        "removed_in > %(active)s AND",
        "false AND",
        "test_what_a_killed_build_left_is_undone_by_the_next",
        where=LOADS,
    ),
    Saboteur(
        "mark_undone",
        "number > %(active)s",
        "false",
        "test_of_two_builds_from_one_pointer_one_is_activated",
        where=LOADS,
    ),
    Saboteur(
        "versions_of",
        "WHERE key",
        "WHERE added_in <= %(active)s AND removed_in > %(active)s AND key",
        "test_what_was_revoked_stays_revoked_after_a_rollback",
        where=LOADS,
    ),
    Saboteur(
        "versions_of",
        "AND digest = %(digest)s",
        "",
        "test_a_decision_names_exactly_one_digest",
        where=LOADS,
    ),
    Saboteur(
        "versions_of",
        "OR status = 'stable'",
        "OR true",
        "test_a_draft_is_never_raised_by_a_decision",
        where=LOADS,
    ),
    Saboteur(
        "end_replaced",
        "AND (n.eligible OR NOT d.eligible)",
        "",
        "test_an_ineligible_version_never_ends_the_eligible_one",
        where=LOADS,
    ),
    Saboteur(
        "move_pointer",
        "held = %(held)s",
        "held = false",
        "test_rollback_shows_the_earlier_load_and_holds",
        where=LOADS,
    ),
    Saboteur(
        "gc_documents",
        "removed_in <= %(oldest)s",
        "removed_in <= (SELECT active FROM pointer) + 0 * %(oldest)s",
        "test_gc_keeps_what_kept_loads_show",
        where=LOADS,
    ),
]


@pytest.mark.parametrize("saboteur", SABOTEURS, ids=lambda s: f"{s.statement}-{s.test}")
async def test_a_saboteur_fails_the_contract(saboteur, open_postgres, monkeypatch):
    statements = saboteur.where._statements._statements
    honest = statements[saboteur.statement]
    assert saboteur.part in honest
    broken = honest.replace(saboteur.part, saboteur.instead)
    monkeypatch.setitem(statements, saboteur.statement, broken)
    with pytest.raises(BROKEN):
        await getattr(Contract(), saboteur.test)(open_postgres, **saboteur.given)
