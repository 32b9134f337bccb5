from __future__ import annotations

import pytest
from alert_payloads import alert, group

from orrery_knowledge.alerts import alert_query, parse_payload
from orrery_knowledge.identifiers import MAX_QUERY


def query(*alerts: dict[str, object]) -> str:
    return alert_query(parse_payload(group(*alerts)).alerts)


def test_name_summary_and_description_each_once() -> None:
    one = alert(
        "DiskFull", description="The disk fills.", summary="Disk full", team_note="Disk full"
    )
    assert query(one) == "DiskFull\nDisk full\nThe disk fills."


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Target 10.0.0.7:9100 is down", "Target is down"),
        ("CPU at 93.4% now", "CPU at now"),
        ("CPU at 93 % now", "CPU at now"),
        ("value is 1.2e+06", "value is"),
        ("value is -0.25", "value is"),
        ("HTTP 503 for 15 minutes", "HTTP 503 for 15 minutes"),
        ("ORA-00942 on v1.2 or 1.2.3", "ORA-00942 on v1.2 or 1.2.3"),
    ],
)
def test_what_the_template_filled_in_goes(text: str, left: str) -> None:
    assert query(alert("A", summary=text)) == f"A\n{left}"


def test_a_label_without_digits_stays_in_the_text_and_one_with_digits_goes() -> None:
    one = alert("A", summary="kubelet on node-7a is late")
    one["labels"] |= {"job": "kubelet", "node": "node-7a"}
    assert query(one) == "A\nkubelet on is late"


def test_what_differs_inside_a_group_goes() -> None:
    first, second = alert("A", summary="Topic orders lags"), alert("A", summary="Topic pay lags")
    first["labels"]["topic"], second["labels"]["topic"] = "orders", "pay"
    assert query(first, second) == "A\nTopic lags"


def test_part_of_a_word_is_not_cut_out() -> None:
    one = alert("A", summary="etcd3 and etcd3-backup, not xetcd3")
    one["labels"]["app"] = "etcd3"
    assert query(one) == "A\nand -backup, not xetcd3"


def test_conditions_among_labels_add_words_and_places_do_not() -> None:
    one = alert("A")
    one["labels"] |= {"reason": "OOMKilled", "pod": "pay-1", "region": "EU", "team": "core"}
    assert query(one) == "A\nOOMKilled"


def test_addresses_are_no_text() -> None:
    one = alert("A", runbook_url="https://x.example/A", dashboard="https://g.example/d/1", s="text")
    assert query(one) == "A\ntext"


def test_a_nameless_alert_is_asked_by_its_text() -> None:
    one = alert("A", summary="Disk full")
    del one["labels"]["alertname"]
    assert query(one) == "Disk full"
    assert query({}) == ""


def test_a_query_is_no_longer_than_one_may_be() -> None:
    texts = {f"note{number}": f"{number} " + "word " * 700 for number in range(60)}
    long = query(alert("A", summary="Disk full", **texts))
    assert long.startswith("A\nDisk full\n0 word")
    assert len(long) <= MAX_QUERY + 1


def test_a_hostile_label_is_no_pattern() -> None:
    one = alert("A", summary="x (a+)+$1 y")
    one["labels"]["p"] = "(a+)+$1"
    assert query(one) == "A\nx y"
