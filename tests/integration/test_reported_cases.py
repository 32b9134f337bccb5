"""Failures that users of similar systems reported, through the real sync and the real search.

The numbers are those of the collected reports; cases that concern one module alone are named in
the tests of that module.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from git_support import Repository
from sync_support import Place, page

from orrery_knowledge.governance.evidence import resolve


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_front_matter_is_the_title_and_never_text(place: Place) -> None:
    """K010: sixty tags and another first heading; the title comes from the front matter."""
    tags = "\n".join(f"  - zebratag{n}" for n in range(60))
    place.write(
        "a.md",
        f"---\ntitle: Connection pool\ntags:\n{tags}\n---\n# Something else\n\nRaise quagga.\n",
    )
    place.sync()
    [passage] = place.search("quagga").passages
    assert passage.title == "Connection pool"
    assert "Raise quagga." in passage.text
    assert "zebratag" not in passage.text
    assert place.search("zebratag7").status == "no_match"


def test_ids_made_of_parts_never_meet(place: Place) -> None:
    """K015: source `a` with `b_c.md`, source `a_b` with `c.md`, and separators in names."""
    names = {"a": "b_c.md", "a_b": "c.md", "a-b": "a#b:c ~1@2.md"}
    for source, name in names.items():
        (place.root / source).mkdir()
        (place.root / source / name).write_text(page(f"Of {source}", "quagga"))
    place.configure(
        *({"id": s, "type": "filesystem", "path": s, "trust": "reviewed"} for s in names)
    )
    assert place.sync().documents == 3
    passages = place.search("quagga").passages
    assert {passage.title for passage in passages} == {"Of a", "Of a_b", "Of a-b"}
    assert len({passage.citation for passage in passages}) == 3


def test_files_of_one_name_and_of_one_text_stay_apart(place: Place) -> None:
    """K017: `kafka/README.md`, `redis/README.md`, and a copy of the second."""
    place.write("kafka/README.md", page("Kafka", "quagga"))
    place.write("redis/README.md", page("Redis", "quagga"))
    place.write("valkey/README.md", page("Redis", "quagga"))
    place.sync()
    found = place.search("quagga", per_document=1).passages
    assert {passage.source for passage in found} == {
        "file:docs/kafka/README.md",
        "file:docs/redis/README.md",
        "file:docs/valkey/README.md",
    }
    assert len({passage.citation for passage in found}) == 3


def test_one_file_in_another_encoding_stops_nothing(place: Place) -> None:
    """K036: ten good pages, one in Latin-1 and one in UTF-16 with a mark."""
    place.fill(10)
    place.write("latin.md", "# Café\n\nquagga à la carte\n".encode("latin-1"))
    place.write("wide.md", "# Wide\n\nokapi\n".encode("utf-16"))
    report = place.sync()
    assert (report.documents, report.failed, report.quarantined) == (12, 0, 0)
    assert place.holding("quagga") == {"latin.md"}
    assert place.holding("okapi") == {"wide.md"}


def test_reading_one_file_does_not_make_the_others_look_fresh(place: Place) -> None:
    """K040: one commit changes two files; a sync sees one of them only, the next the other."""
    repository = Repository(place.root / "book")
    repository.put("a.md", page("A", "zebra"))
    repository.put("b.md", page("B", "zebra"))
    source = {"id": "docs", "type": "git", "url": "book", "trust": "reviewed"}
    place.configure({**source, "paths": ["*.md"]})
    place.sync()
    repository.write("a.md", page("A", "quagga"))
    repository.write("b.md", page("B", "quagga"))
    repository.commit("both")
    place.configure({**source, "paths": ["a.md"]})
    place.sync(allow_mass_delete=True)
    place.configure({**source, "paths": ["*.md"]})
    place.sync()
    titles = {passage.title for passage in place.search("quagga").passages}
    assert titles == {"A", "B"}


def test_words_joined_by_a_slash_are_found_apart(place: Place) -> None:
    """K058: `egress` finds `ingress/egress`; who asks for the pair gets the pair first."""
    place.write("apart.md", page("Apart", "restart ingress before, and egress after the gateway"))
    place.write("pair.md", page("Pair", "restart ingress/egress gateways"))
    place.sync()
    assert place.holding("egress") == {"apart.md", "pair.md"}
    assert place.search("ingress/egress").passages[0].title == "Pair"


def test_a_rank_is_no_evidence(place: Place) -> None:
    """K098, K099: the best of what is off topic is first in its ranking, and still no answer."""
    place.embedder = None
    place.write("kafka.md", "# Kafka\n\nIn-sync replicas shrink when a broker is slow.\n")
    place.write("moves.md", "# Rebalance\n\nIt moves partitions between brokers.\n")
    place.sync()
    off = place.search("solar panel output of a broker")
    on = place.search("in-sync replicas shrink, broker slow")
    assert (off.passages[0].ranks.lexical, on.passages[0].ranks.lexical) == (1, 1)
    assert (off.confident, on.confident) == (False, True)
    assert off.confidence < 0.5 < on.confidence


def test_what_was_replaced_is_out_of_search_and_stays_in_evidence(place: Place) -> None:
    """K055: no chunk of the older version answers, and its citation still leads to its words."""
    place.write("pool.md", page("Pool", "quagga raises the limit"))
    place.sync()
    [shown] = place.search("quagga", investigation="INC-1").passages
    place.write("pool.md", page("Pool", "okapi raises the limit"))
    place.sync()
    assert place.search("quagga").status == "no_match"
    kept = place.run(lambda _, ledger: resolve(ledger, "INC-1", shown.citation))
    assert kept is not None
    assert kept.excerpt == shown.text
    assert "quagga raises the limit" in kept.excerpt
