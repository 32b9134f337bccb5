from __future__ import annotations

import pytest
from alert_payloads import alert, group

from orrery_knowledge.alerts import Runbooks, parse_payload
from orrery_knowledge.models import Named, OutlinedChunk


def rows(*documents: tuple[str, list[tuple[str, ...]]], uri: str = "file:///kb/") -> Runbooks:
    """Documents with the heading paths of their chunks; anchors as GitHub makes simple ones."""
    outline = []
    for number, (path, headings) in enumerate(documents, start=1):
        for place, heading in enumerate(headings):
            anchor = heading[-1].casefold().replace(" ", "-") if heading else ""
            outline.append(
                OutlinedChunk(
                    chunk=10 * number + place,
                    document=number,
                    corpus="runbooks",
                    service=None,
                    path=path,
                    uri=uri + path,
                    title=headings[0][0] if headings[0] else path,
                    heading_path=heading,
                    anchor=anchor,
                )
            )
    return Runbooks(outline)


DISK = ("docs/node/disk-full.md", [("Disk",), ("Disk", "Meaning"), ("Disk", "Meaning", "Deep")])
KUBE = (
    "runbooks/KubePodCrashLooping.md",
    [("KubePodCrashLooping",), ("KubePodCrashLooping", "Fix")],
)
LONG = (
    "alerts.md",
    [("Alerts",), ("Alerts", "TiDB_server_is_down"), ("Alerts", "`TiKV_space` (critical)")],
)


def url(runbooks: Runbooks, address: str, name: str = "Any") -> list[int]:
    return [one.chunk for one in runbooks.by_url(address, name)]


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/acme/ops/blob/main/docs/node/disk-full.md",
        "https://github.com/acme/ops/tree/feature/x/docs/node/disk-full.md?plain=1",
        "https://raw.githubusercontent.com/acme/ops/main/docs/node/disk-full.md",
        "https://gitlab.example/acme/ops/-/blob/main/docs/node/disk-full.md",
        "https://docs.example/en/latest/node/disk-full.html",
        "https://docs.example/node/disk-full/",
        "https://docs.example/node/Disk-Full/index.html",
        "https://runbooks.example/disk-full",
        "docs/node/disk-full.md",
        " https://docs.example/node/disk%2Dfull ",
    ],
)
def test_addresses_of_one_file(address: str) -> None:
    assert url(rows(DISK, KUBE), address) == [10, 11, 12]


@pytest.mark.parametrize(
    "address",
    [
        "",
        "https://",
        "https://docs.example/",
        "https://docs.example/node/other",
        "https://github.com/acme/ops/blob/main/other/disk-full.md",
        "javascript:alert(1)//docs/node/disk-full.md",
        "https://[::1/docs/node/disk-full.md",
        "https://docs.example/node/disk-full/more",
        "x" * 100_000,
    ],
)
def test_what_resolves_to_nothing(address: str) -> None:
    assert url(rows(DISK, KUBE), address) == []


def test_two_files_that_fit_alike_are_no_match() -> None:
    two = rows(("a/x/disk-full.md", [("D",)]), ("b/x/disk-full.md", [("D",)]))
    assert url(two, "https://docs.example/x/disk-full") == []
    assert url(two, "https://docs.example/b/x/disk-full") == [20]


def test_one_plain_word_in_common_may_be_any_page() -> None:
    one = rows(("docs/overview.md", [("Overview",)]))
    assert url(one, "https://grafana.example/guide/overview") == []
    assert url(one, "https://grafana.example/docs/overview") == [10]
    assert url(one, "https://grafana.example/guide/overview", "Overview") == [10]


def test_another_repository_of_the_same_host_is_another_file() -> None:
    one = rows(DISK, uri="https://github.com/acme/ops/blob/abc/")
    path = "blob/main/docs/node/disk-full.md"
    assert url(one, f"https://github.com/acme/ops/{path}") == [10, 11, 12]
    assert url(one, f"https://github.com/other/fork/{path}") == []


def test_an_anchor_chooses_the_section_with_what_lies_below() -> None:
    address = "https://docs.example/node/disk-full"
    assert url(rows(DISK), f"{address}#meaning") == [11, 12]
    assert url(rows(DISK), f"{address}#user-content-deep") == [12]
    assert url(rows(DISK), f"{address}#gone") == [10, 11, 12]


def test_without_an_anchor_the_alerts_name_chooses_the_section() -> None:
    address = "https://github.com/acme/ops/blob/main/alerts.md"
    assert url(rows(LONG), address, "TiDB_server_is_down") == [11]
    assert url(rows(LONG), address, "TiKV_space") == [12]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("KubePodCrashLooping", [20, 21]),
        ("kube_pod_crash_looping", [20, 21]),
        ("TiDB_server_is_down", [31]),
        ("TiKV_space", [32]),
        ("KubePodCrash", []),
        ("Fix", []),
        ("", []),
    ],
)
def test_exact_names(name: str, found: list[int]) -> None:
    assert [one.chunk for one in rows(DISK, KUBE, LONG).by_name(name)] == found


def test_a_name_that_many_documents_bear_is_none() -> None:
    same = [(f"d{n}/x.md", [("HighLatency",)]) for n in range(6)]
    assert rows(*same).by_name("HighLatency") == ()
    assert len(rows(*same[:5]).by_name("HighLatency")) == 5


def find(runbooks: Runbooks, name: str, **annotations: str) -> Named | None:
    return runbooks.find(parse_payload(group(alert(name, **annotations))).alerts[0])


def test_an_address_counts_before_the_name_and_the_name_where_it_leads_nowhere() -> None:
    book = rows(DISK, KUBE)
    by_url = find(book, "KubePodCrashLooping", runbook_url="https://x.example/node/disk-full")
    by_name = find(book, "KubePodCrashLooping", runbook_url="https://x.example/gone-away")
    assert by_url is not None
    assert (by_url.by, [one.chunk for one in by_url.chunks], by_url.certain) == (
        "runbook_url",
        [10, 11, 12],
        True,
    )
    assert by_name is not None
    assert (by_name.by, by_name.certain) == ("alert_name", True)
    assert find(book, "Nothing") is None


def test_a_plain_word_is_no_certain_name() -> None:
    found = find(rows(("a.md", [("Overview",)])), "Overview")
    assert found is not None
    assert not found.certain
