"""Indexes that search wrongly, or forget what changed."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from saboteur_support import BROKEN, NOTHING, Saboteur, both, code, sql

from orrery_knowledge.backends.sqlite import loads, search, snapshot
from orrery_knowledge.backends.sqlite.index import SqliteIndex
from orrery_knowledge.errors import BackendUnavailable, CheckFailed

honest_insert = loads._insert
honest_search = SqliteIndex.search


def write_text_once(db: Any, load: int, document: Any) -> None:
    if not db.execute("SELECT 1 FROM document WHERE digest = ?", (document.digest,)).fetchone():
        honest_insert(db, load, document)


def filter_afterwards(
    db: Any, seen: Any, query: Any, vector: Any, fingerprint: Any, honest: Any = search.search
) -> Any:
    found = honest(
        db, seen, query.model_copy(update={"service": None, "corpus": None}), vector, fingerprint
    )
    mask = seen.mask(query.corpus, query.service)
    if mask is None:
        return found
    kept = {
        name: tuple(chunk for chunk in ids if mask[seen.positions([chunk])[0]])
        for name, ids in found.rankings.items()
    }
    return found.model_copy(update={"rankings": kept})


def parts_only(text: str, honest: Any = search.query_terms) -> Any:
    terms = honest(text)
    wholes = {name[0] for name in terms.names}
    words = {word: count for word, count in terms.words.items() if word not in wholes}
    return terms._replace(words=words, names=(), identifiers={})


def all_words(step: Any) -> str:
    return " AND ".join(f'"{word}"' for word in step.words)


def nan_first(seen: Any, similar: Any, mask: Any, pool: int) -> tuple[int, ...]:
    if similar is None:
        return ()
    return tuple(int(chunk) for chunk in seen.ids[np.argsort(-similar)][:pool])


def shuffled(scores: dict[int, float], pool: int) -> tuple[int, ...]:
    return tuple(sorted(scores, key=lambda _: random.random())[:pool])


SEARCH = [
    Saboteur(
        "ignores eligibility in its rankings and when it fetches",
        "test_ineligible_text_is_in_no_ranking",
        both(
            sql(search, searchable=("d.eligible AND ", ""), fetch=("AND d.eligible", "")),
            sql(loads, changed_visibility=("WHERE eligible\n  AND", "WHERE")),
        ),
    ),
    Saboteur(
        "ignores eligibility in the vector ranking",
        "test_no_ranking_holds_ineligible_text",
        sql(search, searchable=("d.eligible AND ", "")),
    ),
    Saboteur(
        "ignores eligibility in the rankings of words",
        "test_no_ranking_holds_ineligible_text",
        both(
            sql(search, searchable=("d.eligible AND ", "")),
            sql(loads, changed_visibility=("WHERE eligible\n  AND", "WHERE")),
            code(search, "_nearest", lambda *_: ()),
        ),
    ),
    Saboteur(
        "fetches what has lost trust",
        "test_bodies_are_withheld_once_trust_is_gone",
        sql(search, fetch=("AND d.eligible", "")),
    ),
    Saboteur(
        "ignores filters",
        "test_filters_act_inside_each_ranking",
        both(
            code(snapshot.Snapshot, "mask", lambda *_: None),
            sql(search, matching_filtered=("d.corpus = :corpus", "1")),
        ),
        {"by": "corpus"},
    ),
    Saboteur(
        "ignores the filter in the vector ranking",
        "test_filters_act_inside_each_ranking",
        both(
            code(search, "_similar", lambda s, v, _, honest=search._similar: honest(s, v, None)),
            code(
                search,
                "_nearest",
                lambda s, similar, mask, pool, honest=search._nearest: honest(
                    s, similar, None, pool
                ),
            ),
        ),
        {"by": "service"},
    ),
    Saboteur(
        "ignores the filter among identifiers",
        "test_filters_act_inside_each_ranking",
        code(
            search,
            "_identifiers",
            lambda db, s, terms, mask, honest=search._identifiers: honest(db, s, terms, None),
        ),
        {"by": "service"},
    ),
    Saboteur(
        "filters after ranking",
        "test_filters_act_inside_each_ranking",
        code(
            SqliteIndex,
            "search",
            lambda self, query, vector, fingerprint: self._database.read(
                lambda db: filter_afterwards(
                    db, self._snapshots.get(db, self._database.file), query, vector, fingerprint
                )
            ),
        ),
        {"by": "service"},
    ),
    Saboteur(
        "takes a filter for a prefix",
        "test_an_unknown_filter_value_finds_nothing",
        both(
            code(
                snapshot.Snapshot,
                "mask",
                lambda self, _, service: (
                    None if service is None else np.char.startswith(self.services, service)
                ),
            ),
            sql(search, matching_filtered=("d.service = :service", "d.service >= :service")),
        ),
    ),
    Saboteur(
        "names what may not be found",
        "test_filters_are_those_of_what_may_be_found",
        sql(loads, filters=("d.eligible AND ", "")),
    ),
    Saboteur(
        "names what is gone",
        "test_filters_are_those_of_what_may_be_found",
        sql(loads, filters=("AND (d.removed_in IS NULL OR d.removed_in > p.active)", "")),
    ),
    Saboteur(
        "names what is still being built",
        "test_filters_are_those_of_what_may_be_found",
        sql(loads, filters=("d.added_in <= p.active", "1")),
    ),
    Saboteur(
        "joins words by AND",
        "test_words_alone_are_joined_by_or",
        code(search, "_expression", all_words),
    ),
    Saboteur(
        "joins words by AND and has no vector",
        "test_words_are_joined_by_or",
        both(
            code(search, "_expression", all_words),
            code(search, "_nearest", lambda *_: ()),
        ),
    ),
    Saboteur(
        "hands the query to the parser as it is",
        "test_no_query_is_a_syntax_error",
        both(
            code(
                search,
                "_matching",
                lambda db, s, query, terms: [
                    row[0]
                    for row in db.execute(
                        search.SQL["matching"], {"match": query.text, "limit": 100}
                    )
                ],
            ),
        ),
        {"query": '"unclosed'},
        (BackendUnavailable,),
    ),
    Saboteur(
        "ranks a whole identifier below its parts",
        "test_the_whole_identifier_outranks_its_parts",
        code(search, "query_terms", parts_only),
        {"name": "kube-apiserver"},
    ),
    Saboteur(
        "finds identifiers by their whole form only",
        "test_identifiers_are_found_whole_and_by_part",
        both(
            sql(search, identifier_chunks=("WHERE token = ?", "WHERE whole AND token = ?")),
            code(search, "_matching", lambda *_: []),
            code(search, "_nearest", lambda *_: ()),
        ),
        {"query": "np-7604ni", "expected": "pool.md"},
        (*BROKEN, IndexError),
    ),
    Saboteur(
        "ranks NaN", "test_a_nan_query_vector_ranks_nothing", code(search, "_nearest", nan_first)
    ),
    Saboteur(
        "knows no pool",
        "test_the_pool_bounds_every_ranking",
        code(search, "top", lambda scores, _: tuple(scores)),
    ),
    Saboteur(
        "breaks ties by chance",
        "test_results_are_the_same_every_time",
        code(search, "top", shuffled),
    ),
    Saboteur(
        "searches by meaning when it should not",
        "test_modes_choose_the_rankings",
        code(
            SqliteIndex,
            "search",
            lambda self, query, vector, fingerprint: honest_search(
                self, query.model_copy(update={"mode": "hybrid"}), vector, fingerprint
            ),
        ),
    ),
    Saboteur(
        "takes equal texts for one document",
        "test_documents_of_equal_name_or_text_stay_apart",
        code(loads, "_insert", write_text_once),
    ),
    Saboteur(
        "takes equal paths for one document",
        "test_documents_of_equal_name_or_text_stay_apart",
        sql(
            loads,
            delete_own="DELETE FROM document WHERE added_in = :load "
            "AND path LIKE '%/README.md' AND :path LIKE '%/README.md'",
        ),
    ),
    Saboteur(
        "answers before there is anything",
        "test_nothing_is_found_before_the_first_load",
        code(SqliteIndex, "active_load", lambda self: self._pointer("active")),
    ),
]

CHANGES = [
    Saboteur(
        "forgets removals",
        "test_a_removed_document_is_found_by_nothing",
        sql(loads, end_removed=NOTHING),
    ),
    Saboteur(
        "forgets that a document shrank",
        "test_a_document_that_shrinks_leaves_no_chunk",
        sql(loads, end_replaced=NOTHING, doubled="SELECT 0"),
    ),
    Saboteur(
        "forgets that a document shrank, and is stopped by the check",
        "test_a_document_that_shrinks_leaves_no_chunk",
        sql(loads, end_replaced=("RETURNING chunk_count", "AND 0 RETURNING chunk_count")),
        fails_with=(AssertionError, CheckFailed),
    ),
    Saboteur(
        "knows what is not active yet",
        "test_known_says_what_the_active_load_holds",
        sql(
            loads,
            known=(
                "d.added_in <= p.active\n  AND (d.removed_in IS NULL OR d.removed_in > p.active)",
                "1",
            ),
        ),
    ),
]
