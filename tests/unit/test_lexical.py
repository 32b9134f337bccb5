"""Values worked out by hand: idf(n, N) = ln(1 + (N - n + 0.5) / (n + 0.5)), k1 = 1.2, b = 0.75."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery_knowledge.identifiers import QueryTerms, analyse, query_terms
from orrery_knowledge.lexical import LexicalScorer, idf, pack

# N = 3: one chunk of three holds the word; ln(1 + 2.5 / 1.5) = ln(8 / 3).
RARE = math.log(8 / 3)


def scorer(query: str, frequencies: dict[str, int], chunks: int = 3, average: float = 4.0):
    return LexicalScorer(query_terms(query), frequencies, chunks, average)


def body(text: str) -> str:
    return pack(analyse(text).words)


@pytest.mark.parametrize(
    ("frequency", "chunks", "expected"),
    [
        (1, 3, 0.9808292530117262),  # ln(8/3)
        (3, 3, 0.13353139262452263),  # ln(8/7): a word of every chunk still counts a little
        (0, 3, 2.0794415416798357),  # ln(8)
        (0, 0, 0.6931471805599453),  # ln(2)
    ],
)
def test_idf(frequency: int, chunks: int, expected: float) -> None:
    assert idf(frequency, chunks) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("header", "text", "length", "expected"),
    [
        # Of average length: norm = 1, tf = 1, 1 * 2.2 / 2.2.
        ("", "etcd", 4, RARE),
        # tf = 2: 2 * 2.2 / 3.2.
        ("", "etcd etcd", 4, RARE * 1.375),
        # Twice the average length: norm = 1.75: 2.2 / (1 + 1.2 * 1.75) = 2.2 / 3.1.
        ("", "etcd", 8, RARE * 0.7096774193548387),
        # Empty but for the word: norm = 0.25 + 0.75 / 4 = 0.4375: 2.2 / (1 + 1.2 * 0.4375).
        ("", "etcd", 1, RARE * 2.2 / 1.525),
        # Header: tf = 3: 3 * 2.2 / 4.2; its length doesn't matter.
        ("etcd", "", 8, RARE * 1.5714285714285714),
        # Both: tf = 3 + 1: 4 * 2.2 / 5.2.
        ("etcd", "etcd", 4, RARE * 1.6923076923076923),
        ("", "consul", 4, 0.0),
        ("", "", 0, 0.0),
    ],
)
def test_bm25f_of_one_word(header: str, text: str, length: int, expected: float) -> None:
    found = scorer("etcd", {"etcd": 1}).score(body(header), body(text), length)
    assert found == pytest.approx(expected)


def test_words_add_up() -> None:
    # etcd in one of three chunks, disk in all three.
    both = scorer("etcd disk", {"etcd": 1, "disk": 3})
    assert both.score("", body("etcd disk"), 4) == pytest.approx(RARE + math.log(8 / 7))


def test_a_word_asked_for_four_times_weighs_twice() -> None:
    once, often = scorer("etcd", {"etcd": 1}), scorer("etcd " * 4, {"etcd": 1})
    held = body("etcd is slow")
    assert often.score("", held, 4) == pytest.approx(2 * once.score("", held, 4))


def test_a_whole_name_outranks_any_number_of_its_parts() -> None:
    name = scorer("kube-apiserver", {"kubeapiserv": 1, "kube": 2, "apiserv": 2}, chunks=4)
    part = math.log(1 + 2.5 / 2.5)
    whole = name.score("", body("kube-apiserver"), 4)
    # The whole as a word (tf 1, so its idf), both parts at the ceiling of tf * 2.2 / (tf + 1.2).
    assert whole == pytest.approx(math.log(1 + 3.5 / 1.5) + 2 * part * 2.2)
    many = name.score(body("kube apiserver"), body("kube apiserver " * 500), 4)
    assert many < 2 * part * 2.2 < whole


def test_a_section_named_after_it_outranks_those_that_mention_it() -> None:
    """Each holds the name whole; only the second's innermost heading is the name."""
    name = scorer("TargetDown", {"targetdown": 3, "target": 3, "down": 3}, chunks=3)
    every = math.log(8 / 7)
    held = body("TargetDown")
    assert name.score("", held, 4) == pytest.approx(every * (1 + 2.2 + 2.2))
    # In the header tf is 3 + 1: 4 * 2.2 / 5.2; the heading adds 2.2.
    header = every * (8.8 / 5.2 + 2.2 + 2.2)
    assert name.score(body("Alerts\nTargetDown"), held, 4) == pytest.approx(header + every * 2.2)
    for other in ("TargetDown\nMeaning", "Alerts\nTargetDownUnresolved"):
        near = name.score(body(other), held, 4)
        assert near <= header + 1e-9, other


@pytest.mark.parametrize(
    ("query", "heading", "named"),
    [
        ("DiskFull", "disk-full", True),
        ("disk_full", "DISK_FULL", True),
        ("DiskFull", "When DiskFull", True),
        ("TiKV_full", "tikv_full", False),  # other parts
        ("DiskFull", "DiskFullSoon", False),
        ("disk full", "disk full", False),  # no name
    ],
)
def test_which_headings_are_a_name(query: str, heading: str, named: bool) -> None:
    terms = query_terms(query)
    found = LexicalScorer(terms, dict.fromkeys(terms.words, 1), 3, 4.0)
    last, before = found.score(body(f"x\n{heading}"), "", 4), found.score(body(heading), "", 4)
    other = found.score(body(f"{heading}\nx"), "", 4)
    assert last == before
    assert (last > other) is named


def test_the_heading_is_told_in_each_block(monkeypatch: pytest.MonkeyPatch) -> None:
    name = scorer("TargetDown", {"targetdown": 2, "target": 2, "down": 2})
    headers = [body("Alerts"), body("TargetDown"), body("Alerts"), body("TargetDown")]
    together = name.scores(headers, [body("TargetDown")] * 4, [4] * 4)
    monkeypatch.setattr("orrery_knowledge.lexical.CELLS", 3)  # one chunk at a time
    assert name.scores(headers, [body("TargetDown")] * 4, [4] * 4) == together
    assert together[0] == together[2] < together[1] == together[3]


def test_a_name_that_nobody_wrote_is_no_rule() -> None:
    name = scorer("kube-apiserver", {"kubeapiserv": 0, "kube": 1, "apiserv": 1})
    assert name.score("", body("kube apiserver"), 4) == pytest.approx(2 * RARE)


def test_a_word_is_found_as_a_word_only() -> None:
    found = scorer("max", {"max": 1})
    assert found.score("", body("maximum climax"), 4) == 0.0


# Coverage counts as if there were 200 chunks: ln(1 + 199.5 / 1.5), ln(1 + 200.5 / 0.5).
KNOWN, UNKNOWN = math.log(134), math.log(402)


def test_coverage_is_the_share_of_information() -> None:
    found = scorer("etcd zanzibar", {"etcd": 1})
    assert found.coverage("", body("etcd")) == pytest.approx(KNOWN / (KNOWN + UNKNOWN))
    assert found.coverage(body("etcd"), "") == pytest.approx(KNOWN / (KNOWN + UNKNOWN))
    assert found.coverage("", body("nothing of it")) == 0.0


def test_coverage_of_everything_is_one() -> None:
    found = scorer("etcd disk", {"etcd": 1, "disk": 3})
    assert found.coverage(body("disk"), body("etcd")) == pytest.approx(1.0)


def test_coverage_counts_a_repeated_word_by_its_root() -> None:
    found = scorer("etcd etcd etcd etcd zanzibar", {"etcd": 1})
    assert found.coverage("", body("etcd")) == pytest.approx(2 * KNOWN / (2 * KNOWN + UNKNOWN))


def test_the_only_document_covers_what_it_says() -> None:
    # Were it judged among one chunk, three of four words would be a share of under a half.
    found = scorer("etcd disk full zanzibar", {"etcd": 1, "disk": 1, "full": 1}, chunks=1)
    share = 3 * KNOWN / (3 * KNOWN + UNKNOWN)
    assert found.coverage("", body("etcd disk full")) == pytest.approx(share)
    assert share > 0.7


@pytest.mark.parametrize("query", ["", "...", "zanzibar"])
def test_an_empty_index_scores_nothing(query: str) -> None:
    found = scorer(query, {}, chunks=0, average=0.0)
    assert found.score("", body("etcd"), 1) == 0.0
    assert found.coverage("", body("etcd")) == 0.0


def test_packed_neighbours_do_not_share_a_space() -> None:
    assert pack(("a", "a")) == " a  a "
    assert counts(["kube"], pack(("kube", "kube", "kube"))) == {"kube": 3}


WORDS = st.lists(st.sampled_from(["a", "aa", "ab", "b", "ba", "kube", "数据", "ß"]), max_size=30)


def words_of(*words: str) -> LexicalScorer:
    terms = QueryTerms(dict.fromkeys(words, 1.0), (), {})
    return LexicalScorer(terms, dict.fromkeys(words, 1), 3, 4.0)


def counts(asked: list[str], *texts: str) -> dict[str, int]:
    """How often each word is counted in the last of some texts."""
    held = words_of(*asked)._counts(texts)[-1].tolist()
    return dict(zip(asked, held, strict=True))


@given(WORDS, WORDS)
def test_words_are_counted_text_by_text(before: list[str], words: list[str]) -> None:
    asked = ["a", "aa", "ab", "ba", "kube", "数据", "ß", "zanzibar"]
    expected = {word: words.count(word) for word in asked}
    texts = pack(tuple(before)), pack(tuple(words))
    assert counts(asked, *texts) == expected
    assert counts(asked, *texts, "") == dict.fromkeys(asked, 0)


@pytest.mark.parametrize("other", ["kuxe", "kuba", "kubbe", "ube", "kub", "k", "ku数e"])
def test_a_word_that_looks_alike_is_not_counted(other: str) -> None:
    """Like the asked one, ``kuxe`` has four bytes, ``ku`` in front and an ``e`` behind."""
    assert counts(["kube"], pack((other,))) == {"kube": 0}
    assert counts(["kube"], pack((other, "kube", other))) == {"kube": 1}


@given(st.lists(st.tuples(WORDS, WORDS, st.integers(0, 300)), max_size=8))
def test_chunks_score_together_as_they_do_alone(
    chunks: list[tuple[list[str], list[str], int]],
) -> None:
    found = words_of("kube", "ab", "ba", "zanzibar", "ß")
    headers = [pack(tuple(header)) for header, _, _ in chunks]
    bodies = [pack(tuple(words)) for _, words, _ in chunks]
    lengths = [length for _, _, length in chunks]
    alone = [found.score(*chunk) for chunk in zip(headers, bodies, lengths, strict=True)]
    assert found.scores(headers, bodies, lengths) == alone


def test_blocks_are_scored_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    found = words_of("kube", "etcd")
    bodies = [pack(words) for words in (("kube",), ("disk",), ("etcd", "kube"), ("etcd",), ())]
    together = found.scores([""] * 5, bodies, [1, 2, 3, 4, 5])
    monkeypatch.setattr("orrery_knowledge.lexical.CELLS", 4)  # two chunks at a time
    assert found.scores([""] * 5, bodies, [1, 2, 3, 4, 5]) == together
    assert [score > 0.0 for score in together] == [True, False, True, True, False]


def test_a_part_that_is_a_name_of_its_own_lifts_its_parts_too() -> None:
    """``api-server`` lends its whole to its part ``server-x``, which lends its to ``x``."""
    terms = QueryTerms(
        {"apiserver": 1.0, "serverx": 1.0, "x": 1.0},
        (("apiserver", "serverx"), ("serverx", "x")),
        {},
    )
    found = LexicalScorer(terms, {"apiserver": 1, "serverx": 1, "x": 1}, 3, 4.0)
    # tf of 1 in a chunk of average length gives idf; each part counts as often as can be: K1 + 1.
    assert found.score("", pack(("apiserver",)), 4) == pytest.approx(RARE * (1 + 2.2 + 2.2))


@given(WORDS, WORDS)
def test_a_long_query_scores_like_a_short_one(header: list[str], words: list[str]) -> None:
    """Words that nobody holds add nothing."""
    noise = " ".join(f"w{number}x" for number in range(60))
    held = {"kube": 2, "ab": 1}
    short = scorer("kube ab", held)
    long = scorer(f"kube ab {noise}", {**held, **dict.fromkeys(query_terms(noise).words, 1)})
    packed = pack(tuple(header)), pack(tuple(words))
    assert short.score(*packed, 7) == pytest.approx(long.score(*packed, 7))


@given(st.text(max_size=60), st.text(max_size=60))
def test_scores_are_finite_and_coverage_is_a_share(query: str, text: str) -> None:
    terms = query_terms(query)
    found = LexicalScorer(terms, dict.fromkeys(terms.words, 1), 2, 3.0)
    score, share = found.score("", body(text), 3), found.coverage("", body(text))
    assert math.isfinite(score)
    assert score >= 0.0
    assert 0.0 <= share <= 1.0 + 1e-9
    assert (score > 0.0) == (share > 0.0)
