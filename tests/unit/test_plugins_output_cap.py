from __future__ import annotations

import json

import pytest

from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.screening import fence, is_fenced
from orrery_plugins import Call, ToolOutputCap
from orrery_plugins.results import size


def passage(number: int, length: int) -> dict[str, str]:
    return {"text": "x" * length, "citation": f"kb:a.md#s{number}@a1b2c3d"}


def test_what_fits_is_left_as_it_is():
    tree = {"a": "x" * 991}
    assert size(tree) == 1_000
    call = Call()
    assert ToolOutputCap(1_000).apply(tree, call) is tree
    assert call.truncated == 0


def test_one_character_more_is_cut():
    call = Call()
    tree = ToolOutputCap(1_000).apply({"a": "x" * 992}, call)
    assert size(tree) <= 1_000
    assert tree["a"].startswith("xxx")
    assert "truncated" in tree["a"]
    assert call.truncated == 1


def test_passages_are_dropped_whole_and_from_the_end():
    tree = {"status": "ok", "passages": [passage(n, 400) for n in (1, 2, 3, 4)]}
    call = Call()
    capped = ToolOutputCap(1_100).apply(tree, call)
    assert [item["citation"] for item in capped["passages"]] == [
        "kb:a.md#s1@a1b2c3d",
        "kb:a.md#s2@a1b2c3d",
    ]
    assert all(item["text"] == "x" * 400 for item in capped["passages"])
    assert capped["omitted_passages"] == 2
    assert call.not_issued == ["kb:a.md#s4@a1b2c3d", "kb:a.md#s3@a1b2c3d"]
    assert call.truncated == 0
    assert len(tree["passages"]) == 4


def test_no_passage_of_several_that_fits_gives_no_half_of_one():
    call = Call()
    tree = {"status": "ok", "passages": [passage(1, 2_000), passage(2, 10)]}
    capped = ToolOutputCap(1_000).apply(tree, call)
    assert capped == {
        "status": "withheld",
        "reason": "every passage is longer than 1000 characters",
    }
    assert call.not_issued == ["kb:a.md#s2@a1b2c3d", "kb:a.md#s1@a1b2c3d"]


def test_two_copies_of_a_long_text_share_the_room():
    text = "line of a log\n" * 500
    call = Call()
    tree = {"content": [{"type": "text", "text": text}], "isError": False, "result": text}
    capped = ToolOutputCap(2_000).apply(tree, call)
    assert size(capped) <= 2_000
    assert capped["isError"] is False
    assert len(capped["result"]) > 400
    assert capped["content"][0]["text"] == capped["result"]


def test_a_long_table_keeps_its_first_rows_and_says_how_many_went():
    rows = [{"pod": f"payments-{number}"} for number in range(1_000)]
    capped = ToolOutputCap(1_000).apply({"rows": rows}, Call())
    assert size(capped) <= 1_000
    kept = capped["rows"]
    assert kept[:2] == [{"pod": "payments-0"}, {"pod": "payments-1"}]
    assert kept[-1] == f"[{1_000 - len(kept) + 1} more items, truncated]"
    assert len(kept) > 20


def test_a_wide_dict_keeps_its_first_keys():
    capped = ToolOutputCap(1_000).apply({f"key-{n}": n for n in range(1_000)}, Call())
    assert size(capped) <= 1_000
    assert capped["key-0"] == 0
    assert capped["truncated"] == 1_000 - (len(capped) - 1)


def test_what_will_be_cut_anyway_is_not_screened_first():
    # Of 4 x 1,000 characters "rows" takes 8 and each row 5 + 96 = 101: 53 are left for the 40th.
    rows = [{"n": "y" * 92} for _ in range(10_000)]
    bounded = ToolOutputCap(1_000).bound({"rows": rows}, Call())["rows"]
    assert bounded == [*rows[:40], "[9960 more items, truncated]"]


def test_a_string_is_never_cut_before_it_is_screened():
    tree = {"log": "y" * 9_000, "next": "z"}
    assert ToolOutputCap(1_000).bound(tree, Call()) == {"log": "y" * 9_000, "truncated": 1}


@pytest.mark.parametrize("tree", [{"a": [1, {"b": None}]}, {"passages": [passage(1, 9_000)]}])
def test_what_is_small_or_a_search_result_is_bounded_by_nothing(tree):
    assert ToolOutputCap(1_000).bound(tree, Call()) == tree


def test_an_exempt_tool_is_bounded_by_nothing():
    rows = {"rows": ["y" * 100] * 1_000}
    assert ToolOutputCap(1_000, ["k8s_*"]).bound(rows, Call(tool="k8s_logs")) is rows


def test_json_in_a_string_stays_json():
    rows = [{"pod": f"payments-{number}", "log": "y" * 40} for number in range(200)]
    capped = ToolOutputCap(1_000).apply({"text": json.dumps({"items": rows})}, Call())
    assert size(capped) <= 1_000
    kept = json.loads(capped["text"])["items"]
    assert kept[0] == rows[0]
    assert kept[-1] == f"[{200 - len(kept) + 1} more items, truncated]"
    assert len(kept) > 5


def test_what_only_looks_like_json_is_cut_as_text():
    capped = ToolOutputCap(1_000).apply({"text": "[ " + "word " * 900}, Call())
    assert size(capped) <= 1_000
    assert capped["text"].startswith("[ word word")
    assert "truncated" in capped["text"]


def test_a_cut_fence_stays_genuine():
    text = fence("x" * 3_000, source="kb:a.md")
    capped = ToolOutputCap(1_000).apply({"note": text}, Call())
    assert size(capped) <= 1_000
    assert is_fenced(capped["note"])


@pytest.mark.parametrize(
    "tree",
    [
        {"a": "x" * 9_000},
        {"a": "\x01" * 9_000},
        {"x" * 9_000: 1},
        {"a": list(range(9_000))},
        {"a": [["x" * 300] * 300] * 30},
        {str(n): {str(m): "y" * 50 for m in range(50)} for n in range(50)},
        {"passages": [passage(1, 30)], "reason": "r" * 9_000},
    ],
)
def test_no_shape_escapes_and_a_second_time_changes_nothing(tree):
    stage = ToolOutputCap(1_000)
    capped = stage.apply(tree, Call())
    assert len(json.dumps(capped, ensure_ascii=False)) <= 1_000
    assert stage.apply(capped, Call()) == capped


def test_a_senseless_limit_is_refused():
    with pytest.raises(ConfigurationError, match="at least 1000 characters"):
        ToolOutputCap(999)
