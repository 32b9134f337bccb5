from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from orrery_knowledge.errors import DocumentError
from orrery_knowledge.governance.digests import document_digest
from orrery_knowledge.governance.metadata import DocumentMetadata, parse_metadata
from orrery_knowledge.governance.titles import first_heading, title_of_path
from orrery_knowledge.models import Document

STATUS = (
    "status must be one of stable, draft, deprecated, or a usual word for one of them "
    "(accepted, proposed, superseded, ...)"
)


def read(
    text: str,
    *,
    path: str = "runbooks/pool.md",
    metadata: dict[str, Any] | None = None,
    service: str | None = None,
) -> DocumentMetadata:
    document = Document(
        corpus="runbooks",
        source="wiki",
        path=path,
        uri="file:///x",
        text=text,
        revision="r",
        metadata=metadata or {},
    )
    return parse_metadata(document, default_service=service)[0]


def test_every_known_key_and_the_rest() -> None:
    found = read(
        "---\ntitle: Pool  exhausted\nservice: payments\nstatus: Draft\nowner: db-team\n"
        "tags: [db, 2026, db]\ndoctype: runbook\ncategory: incident\nversion: 1.10\n"
        "reviewed_at: 2026-01-31\nexpires-at: 2027-01-31T08:00:00+02:00\nalerts: [PoolFull]\n"
        "---\n# Other\n"
    )
    assert found == DocumentMetadata(
        title="Pool exhausted",
        service="payments",
        status="draft",
        owner="db-team",
        tags=("db", "2026"),
        doctype="runbook",
        category="incident",
        version="1.10",
        reviewed_at=date(2026, 1, 31),
        expires_at=date(2027, 1, 31),
        extra={"alerts": ["PoolFull"]},
    )


def test_without_front_matter_everything_has_a_default() -> None:
    assert read("Text.\n") == DocumentMetadata(title="pool")
    assert read("---\ntitle:\nstatus: ~\ntags:\nowner: ''\n---\n") == DocumentMetadata(title="pool")


def test_title_comes_from_the_first_that_has_one() -> None:
    front, body, own = "---\ntitle: Front\n---\n", "# Heading\n", {"title": "Source"}
    assert read(front + body, metadata=own).title == "Front"
    assert read(body, metadata=own).title == "Source"
    assert read(body).title == "Heading"
    assert read("text").title == "pool"
    assert read("---\ntitle: ' '\n---\n" + body, metadata={"title": 7}).title == "Heading"


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("# Pool *is* `full`\n", "Pool is full"),
        ("# See [the guide](http://x/) ![badge](b.png) <b>now</b>\n", "See the guide now"),
        ("# See [the guide][g]\n\n[g]: http://x/\n", "See the guide"),
        ("Setext\nover two lines\n===\n", "Setext over two lines"),
        ("## Two\n\ntext\n\n# One #\n", "One"),
        ("```\n# comment\n```\n\n# Real\n", "Real"),
        ("- # in a list\n\n> # in a quote\n\n# Real\n", "Real"),
        ("# ![only a badge](b.png)\n\n# Real\n", "Real"),
        ("# See [the guide][g]\n" + "text\n" * 2000 + "\n[g]: http://x/\n", "See the guide"),
        ("text\n" * 2000 + "\n# Far down\n", "Far down"),
        ("# " + "[" * 60_000 + "\n", "[" * 299 + "\u2026"),
        ("x" * 5000 + "\n\n# After a long line\n", "After a long line"),
        ("#\n", ""),
        ("#no space\n", ""),
        ("", ""),
        ("# Fire \U0001f525 \u56de\u6eda\n", "Fire \U0001f525 \u56de\u6eda"),
        ("# a\u202eb\0c\n", "a b\ufffdc"),
        ("x\n" * 60_000 + "# too far down\n", ""),
        (">" * 20_000 + " # deep\n", ""),
    ],
)
def test_first_heading(body: str, title: str) -> None:
    assert first_heading(body) == title


def test_long_title_is_cut() -> None:
    assert read(f"# {'x' * 400}\n").title == "x" * 299 + "\u2026"


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("kafka/README.md", "kafka"),
        ("redis/index.md", "redis"),
        ("README.md", "README"),
        ("a/b/pool.v2.md", "pool.v2"),
        ("a/.hidden", ".hidden"),
        ("\n", "untitled"),
    ],
)
def test_title_of_path(path: str, title: str) -> None:
    assert title_of_path(path) == title


def test_source_default_gives_way_to_the_documents_service() -> None:
    assert read("text", service="orders").service == "orders"
    assert read("---\nservice: payments\n---\n", service="orders").service == "payments"


@pytest.mark.parametrize("key", ["status", "Status", "STATUS"])
def test_status_lowers_however_its_key_is_written(key: str) -> None:
    assert read(f"---\n{key}: deprecated\n---\n").status == "deprecated"


@pytest.mark.parametrize(
    ("front", "reason"),
    [
        ("status: hunter2", STATUS),
        ("status: [draft]", STATUS),
        ("title: [hunter2]", "title must be a text; put it in quotes"),
        ("owner: {hunter2: x}", "owner must be a text; put it in quotes"),
        ("tags: hunter2", "tags must be a list of texts"),
        ("tags: [[hunter2]]", "tags must be a list of texts"),
        ("reviewed_at: hunter2", "reviewed_at must be a date such as 2026-01-31"),
        ("expires_at: 20", "expires_at must be a date such as 2026-01-31"),
        ("expires_at: [2026-01-31]", "expires_at must be a date such as 2026-01-31"),
        ("title: a\nTitle: hunter2", "front matter has title twice"),
    ],
)
def test_known_key_with_a_wrong_value_says_which_key_and_no_value(front: str, reason: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read(f"---\n{front}\n---\n")
    assert str(caught.value) == reason


def test_toml_number_where_a_text_belongs() -> None:
    assert read("+++\nversion = 2\n+++\n").version == "2"
    # 1.10 is 1.1 by now; guessing would show a version that nobody wrote.
    with pytest.raises(DocumentError, match="version must be a text; put it in quotes"):
        read("+++\nversion = 1.10\n+++\n")


def test_metadata_governs_the_digest() -> None:
    one = read("---\ntitle: A\nstatus: draft\nx: 1\n---\n")
    same = read("---\nx: 1\nstatus: draft\ntitle: A\n---\n")
    assert document_digest("b", one.governing("c")) == document_digest("b", same.governing("c"))
    assert document_digest("b", one.governing("c")) != document_digest("b", one.governing("d"))
    for change in ({"title": "B"}, {"status": "stable"}, {"service": "s"}, {"extra": {"x": 2}}):
        other = one.model_copy(update=change)
        assert document_digest("b", one.governing("c")) != document_digest(
            "b", other.governing("c")
        )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("status: accepted", "stable"),
        ("status: Resolved", "stable"),
        ("status: proposed", "draft"),
        ("status: In  Review", "draft"),
        ("status: superseded", "deprecated"),
        ("draft: true", "draft"),
        ("draft: false", "stable"),
        ("draft: yes please", "stable"),
        ("status: deprecated\ndraft: true", "deprecated"),
    ],
)
def test_usual_words_for_a_status_count(line: str, expected: str) -> None:
    assert read(f"---\n{line}\n---\n").status == expected
