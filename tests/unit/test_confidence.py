from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery_knowledge.confidence import (
    Calibration,
    ConfidenceModel,
    Signals,
    confidence,
    found_something,
    read_calibration,
    signals,
)
from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.models import Candidate, FetchedChunk, Rankings
from orrery_knowledge.testing.documents import make_document

RANKED = {
    "lexical": {"lexical": (1,), "identifiers": ()},
    "vector": {"vector": (1,)},
    "hybrid": {"lexical": (1,), "identifiers": (), "vector": (1,)},
}


def rankings(*candidates: Candidate, coverage: float = 0.0, mode: str = "hybrid") -> Rankings:
    return Rankings(
        load=1,
        rankings=RANKED[mode],
        candidates={c.chunk: c for c in candidates},
        coverage=coverage,
    )


def best(*identifiers: str, path: str = "a.md", title: str = "A") -> FetchedChunk:
    chunk = make_document("a.md", "# A\n\nb\n").chunks[0].chunk
    return FetchedChunk(
        id=1, chunk=chunk, corpus="c", source="s", path=path, uri="a", title=title, service=None,
        digest="0" * 64, commit=None, revision="1", modified_at=None, trust="t",
        identifiers=identifiers,
    )  # fmt: skip


def model(mode: str, fingerprint: str | None, threshold: float = 0.5, **weights: float):
    every = dict.fromkeys(Signals._fields, 0.0) | weights
    return ConfidenceModel(
        fingerprint=fingerprint, mode=mode, weights=every, intercept=0.0, threshold=threshold
    )


COSINE = Calibration(
    fitted_on=("made up",),
    models=(
        model("lexical", None, coverage=1.0),
        model("vector", "f", cosine=1.0),
        model("hybrid", "f", cosine=1.0, threshold=0.7),
    ),
)


@pytest.mark.parametrize(
    ("mode", "fingerprint", "expected"),
    [
        ("hybrid", "f", 0.62),  # the logistic function of a logit is the share itself
        ("vector", "f", 0.62),
        ("lexical", "f", 0.4),
        ("lexical", None, 0.4),
        ("hybrid", "another embedder", 0.4),  # never calibrated: only words count
        ("vector", "another embedder", 0.0),
    ],
)
def test_each_way_of_searching_has_its_model(mode, fingerprint, expected) -> None:
    found = rankings(Candidate(1, 1, vector=0.62), coverage=0.4, mode=mode)
    assert confidence(found, "q", best(), COSINE, fingerprint).probability == expected


@pytest.mark.parametrize(("cosine", "confident"), [(0.69, False), (0.71, True)])
def test_an_answer_counts_from_the_threshold(cosine, confident) -> None:
    found = rankings(Candidate(1, 1, vector=cosine))
    assert confidence(found, "q", best(), COSINE, "f") == (cosine, confident)


def test_nothing_is_no_confidence() -> None:
    assert confidence(rankings(), "q", None, COSINE, "f") == (0.0, False)


def test_the_signals_by_hand() -> None:
    found = rankings(
        Candidate(1, 1, identifiers=5.0, vector=0.5), Candidate(2, 2, vector=0.8), coverage=0.75
    )
    read = signals(found, "pod CrashLoopBackOff", best("crashloopbackoff"))
    assert read.cosine == pytest.approx(math.log(4))  # of the best of all: .8 / .2
    assert read.coverage == pytest.approx(math.log(3))  # .75 / .25
    assert read.exact == 0.75
    assert read.named == 0.0
    assert signals(found, "pods wait, pods", best()).words == pytest.approx(math.log(3))  # 1 + 2


def test_no_number_is_no_sign() -> None:
    """K078's sibling: NaN is no JSON, and `max` keeps it or drops it by position."""
    nan, half = Candidate(1, 1, vector=math.nan), Candidate(2, 2, vector=0.5)
    nothing = math.log(0.01 / 0.99)
    assert signals(rankings(nan, coverage=math.nan), "q", best())[:2] == (nothing, nothing)
    assert signals(rankings(nan, half), "q", best()).cosine == 0.0
    assert signals(rankings(half, nan), "q", best()).cosine == 0.0
    assert signals(rankings(Candidate(1, 1, vector=math.inf)), "q", best()).cosine == nothing


@given(
    st.lists(st.none() | st.floats(allow_nan=True, allow_infinity=True), max_size=6),
    st.floats(allow_nan=True, allow_infinity=True),
    st.text(max_size=20),
)
def test_it_is_always_a_share(cosines: list[float | None], coverage: float, query: str) -> None:
    found = rankings(*(Candidate(n, n, vector=v) for n, v in enumerate(cosines)), coverage=coverage)
    sure = confidence(found, query, best(), read_calibration(), None)
    assert 0.0 <= sure.probability <= 1.0


# K098, K099: the first hit of an off-topic query has the highest rank and the highest normalised
# score there is.
def test_an_unrelated_question_is_not_confident() -> None:
    found = rankings(Candidate(1, 1, lexical=4.0, vector=0.2), coverage=0.2)
    for calibrated in read_calibration().models:
        unrelated = confidence(found, "solar panel output", best(), read_calibration(), None)
        assert unrelated.probability < calibrated.threshold
        assert not unrelated.confident


NAMED = Candidate(1, 1, identifiers=5.0, vector=0.4)


@pytest.mark.parametrize(
    ("query", "candidate", "passage"),
    [
        ("CrashLoopBackOff", NAMED, best()),
        ("CrashLoopBackOff", NAMED, best("crashloopbackoff-x")),  # a longer name
        ("crashloopbackoff", NAMED, best("crashloopbackoff")),  # a plain word of the question
        ("k8s.CrashLoopBackOff", NAMED, best("crashloopbackoff")),  # a piece of its name
        ("CrashLoopBackOff", NAMED._replace(identifiers=1.99), best("crashloopbackoff")),  # common
        ("CrashLoopBackOff", NAMED._replace(chunk=2), best("crashloopbackoff")),  # no candidate
    ],
)
def test_anything_less_than_a_rare_exact_name_is_no_sign(
    query: str, candidate: Candidate, passage: FetchedChunk
) -> None:
    assert signals(rankings(candidate, coverage=1.0), query, passage).exact == 0.0


@pytest.mark.parametrize(
    ("query", "passage", "named"),
    [
        ("alert KafkaUnderMinIsr fired", best(path="runbooks/kafka-under-min-isr.md"), 1.0),
        ("alert KafkaUnderMinIsr fired", best(title="Kafka: under min ISR"), 1.0),
        ("replication lag", best(title="Replication lag"), 1.0),  # the query as a whole
        ("the replication lag grows", best(title="Replication lag"), 0.0),
        ("KafkaUnderMinIsr", best(title="Kafka"), 0.0),
        ("dns", best(title="DNS"), 0.0),  # too short to say much
    ],
)
def test_a_passage_that_is_called_what_was_asked_for(query, passage, named) -> None:
    assert signals(rankings(), query, passage).named == named


def test_the_shipped_calibration_is_for_words_and_for_the_default_embedder() -> None:
    shipped = read_calibration()
    assert shipped.fitted_on == ("meridian", "tessera", "halyard")
    modes = [(m.mode, m.fingerprint is None) for m in shipped.models]
    assert sorted(modes) == [("hybrid", False), ("lexical", True), ("vector", False)]
    for fitted in shipped.models:
        assert 0.1 < fitted.threshold < 0.6
        assert fitted.weights.coverage >= 0.0
        assert fitted.weights.cosine >= 0.0


def test_a_calibration_of_ones_own(tmp_path) -> None:
    file = tmp_path / "own.json"
    file.write_text(COSINE.model_dump_json())
    assert read_calibration(file) == COSINE


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "Invalid JSON"),
        ("[]", "no calibration: the file"),
        ('{"fitted_on": [], "models": [{}]}', "models.0.fingerprint"),
        (
            json.dumps(
                {
                    "fitted_on": [],
                    "models": [
                        {
                            "fingerprint": None,
                            "mode": "lexical",
                            "weights": dict.fromkeys(Signals._fields, 1.0),
                            "intercept": float("nan"),
                            "threshold": 0.5,
                        }
                    ],
                }
            ),
            "intercept",
        ),
    ],
)
def test_what_is_no_calibration_is_refused(tmp_path, text, problem) -> None:
    file = tmp_path / "own.json"
    file.write_text(text)
    with pytest.raises(ConfigurationError, match=problem) as refused:
        read_calibration(file)
    assert "eval calibrate" in str(refused.value)


def test_a_missing_calibration_is_refused(tmp_path) -> None:
    with pytest.raises(ConfigurationError, match=r"own\.json: No such file"):
        read_calibration(tmp_path / "own.json")


@pytest.mark.parametrize(
    ("candidate", "coverage", "expected"),
    [
        (Candidate(1, 1, identifiers=0.1), 0.0, True),
        (Candidate(1, 1, vector=0.2), 0.0, True),
        (Candidate(1, 1, vector=0.19), 0.14, False),
        (Candidate(1, 1, lexical=0.3), 0.15, True),
        (Candidate(1, 1, lexical=9.0), 0.14, False),
        (Candidate(1, 1, vector=math.nan), 0.0, False),
    ],
)
def test_the_floors(candidate: Candidate, coverage: float, expected: bool) -> None:
    assert found_something(rankings(candidate, coverage=coverage)) is expected


def test_nothing_was_found_among_nothing() -> None:
    assert not found_something(Rankings(load=1))
