"""The set itself: enough of everything, labels that hold, and no secret in the repository."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

import pytest

from tools.score_screening.cases import FOLDER, HALVES, Injection, Passage, Template, load, read
from tools.score_screening.formats import ALPHABETS, TOKENS
from tools.score_screening.measures import carrier_kept, neutralised, removed
from tools.score_screening.scoring import Answer, score

CASES = {half: load(half) for half in HALVES}
FILES = sorted(FOLDER.glob("*/*.jsonl"))
TECHNIQUES = (
    "override role_tags fake_turn fake_tool hidden_html invisible terminal homoglyph encoded "
    "disguised exfil coax_tool authority delimiter split few_shot forged_reasoning policy_file "
    "redirect prompt_leak memory other_language"
)
LANGUAGES = "de fr es it pt nl pl ru zh ja ko ar hi tr"


def both(name: str) -> list:
    return [record for half in HALVES for record in getattr(CASES[half], name)]


def cut(case, by: str = "") -> str:
    text = case.text
    for start, end in sorted(case.spans, reverse=True):
        text = text[:start] + by + text[end:]
    return text


def test_there_are_files_for_both_halves():
    assert len(FILES) == 8


def test_there_is_enough():
    assert len(both("injections")) >= 300
    assert len(both("benign")) >= 400
    assert sum(not case.personal for case in both("secrets")) >= 1000
    assert sum(case.personal for case in both("secrets")) >= 150
    assert len(both("negatives")) >= 500


@pytest.mark.parametrize("technique", TECHNIQUES.split())
def test_each_technique_has_ten_on_several_carriers(technique):
    explicit = [case for case in both("injections") if case.explicit]
    carriers = Counter(case.carrier for case in explicit if case.technique == technique)
    assert carriers.total() >= 10
    assert len(carriers) >= 4
    held_out = [case for case in CASES["odd"].injections if case.technique == technique]
    assert len(held_out) >= 5


@pytest.mark.parametrize("language", LANGUAGES.split())
def test_each_language_has_eight_and_three_in_either_half(language):
    counts = [sum(case.language == language for case in CASES[half].injections) for half in HALVES]
    assert sum(counts) >= 8
    assert min(counts) >= 3


def test_some_requests_are_plain():
    assert sum(not case.explicit for case in both("injections")) >= 30


def test_documents_have_a_real_size():
    assert {case.id for case in both("injections") if not 80 <= len(case.text) <= 1500} == set()


@pytest.mark.parametrize("name", ["secrets", "negatives"])
def test_each_kind_is_in_either_half_about_as_often(name):
    even, odd = (Counter(case.kind for case in getattr(CASES[half], name)) for half in HALVES)
    assert even.keys() == odd.keys()
    assert {kind for kind in even if abs(even[kind] - odd[kind]) > 6 + even[kind] // 5} == set()


@pytest.mark.parametrize("half", HALVES)
def test_the_halves_are_about_as_large(half):
    cases = CASES[half]
    assert len(cases.injections) >= 150
    assert len(cases.benign) >= 200
    assert len(cases.negatives) >= 250


def test_no_text_is_there_twice():
    models = {
        "injections": Injection,
        "benign": Passage,
        "credentials": Template,
        "negatives": Template,
    }
    texts = Counter(
        record.text
        for half in HALVES
        for name, model in models.items()
        for record in read(FOLDER, half, name, model)
    )
    assert [text for text, count in texts.items() if count > 1] == []


def test_a_template_makes_five_cases_at_most():
    families = Counter(case.id.rsplit("-", 1)[0] for case in both("secrets") + both("negatives"))
    assert max(families.values()) <= 5


def test_nothing_is_neutralised_as_it_stands():
    assert [case.id for case in both("injections") if neutralised(case, case.text)] == []


def test_cutting_the_spans_neutralises_and_leaves_the_rest():
    for case in both("injections"):
        assert neutralised(case, cut(case)), case.id
        assert carrier_kept(case, cut(case)) >= 0.95, case.id


def test_no_secret_is_removed_as_it_stands_and_every_one_by_cutting():
    for case in both("secrets"):
        assert case.spans, case.id
        assert not removed(case, case.text), case.id
        assert removed(case, cut(case, "[x]")), case.id


@pytest.mark.parametrize("half", HALVES)
def test_a_perfect_screener_gets_everything(half):
    cases = CASES[half]
    answers = {name: Answer(text, False) for name, text in cases.texts().items()}
    answers |= {case.id: Answer(cut(case), True) for case in cases.injections}
    answers |= {case.id: Answer(cut(case, "[x]"), True) for case in cases.secrets}
    rates = score(cases, answers).rates
    assert {rate.share for groups in rates.values() for rate in groups.values()} == {1.0}


def test_the_same_seed_gives_the_same_texts():
    assert load("even").texts() == CASES["even"].texts()
    changed = load("even", seed="other").texts()
    assert changed.keys() == CASES["even"].texts().keys()
    assert changed != CASES["even"].texts()


def literal(pattern: str) -> str:
    return pattern.split("{", 1)[0]


def as_regex(pattern: str) -> str:
    parts = re.split(r"\{(\w+):(\d+)\}", pattern)
    out = re.escape(parts[0])
    for alphabet, count, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        out += f"[{re.escape(ALPHABETS[alphabet])}]{{{count}}}{re.escape(text)}"
    return out


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_no_secret_lies_in_the_repository(file):
    text = file.read_text(encoding="utf-8")
    assert "PRIVATE KEY-----" not in text
    for name, pattern in TOKENS.items():
        if len(literal(pattern)) >= 3:
            assert not re.search(as_regex(pattern), text), name


def test_a_token_would_be_found():
    assert re.search(as_regex(TOKENS["npm"]), "x npm_" + "a" * 36)
    assert not re.search(as_regex(TOKENS["npm"]), "x npm_" + "a" * 35)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_what_cannot_be_seen_is_escaped(file):
    text = file.read_text(encoding="utf-8")
    hidden = {c for c in text if unicodedata.category(c) in ("Cf", "Cc", "Zl", "Zp", "Co")}
    assert hidden <= {"\n"}
    assert not re.search("[\ufe00-\ufe0f\U000e0000-\U000e01ef]", text)
