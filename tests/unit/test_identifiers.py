from __future__ import annotations

import doctest
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orrery_knowledge import identifiers
from orrery_knowledge.identifiers import (
    FRAGMENT_WEIGHT,
    MAX_QUERY,
    MAX_WHOLE,
    MAX_WORD,
    PLAIN_WEIGHT,
    STOP_WORDS,
    analyse,
    bounded_query,
    query_terms,
    spoken,
    stem,
)

# Pieces that make identifiers, joiners and noise likely.
PIECES = [
    "kube", "APIServer", "max", "Loop", "OOM", "x2x4z", "K8s", "ß", "Ünï", "ﬁ", "Ⅷ", "İ", "1", "42",
    "-", "--", "_", ".", "/", ":", "::", "@", "\\", "=", "\n", " ", "\t", "the", "'", '"', "*", "?",
    "\u0301", "\u200b", "\ud800", "𝒳", "数据", "ーデ", "हिन्दी", "\x00", "😀", "(", ")", "OR",
]  # fmt: skip
HOSTILE = st.one_of(
    st.text(st.characters(), max_size=120),
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
)


def test_the_module_examples_hold() -> None:
    found = doctest.testmod(identifiers)
    assert (found.failed, found.attempted) == (0, 2)


@pytest.mark.parametrize(
    ("text", "words", "wholes", "fragments"),
    [
        # Camel case: the name, its parts, and neighbours joined (K066).
        (
            "CrashLoopBackOff",
            "crashloopbackoff crash loop back off crashloop loopback backoff",
            "crashloopbackoff",
            "",
        ),
        ("HTTPServer", "httpserver http server", "httpserver", ""),
        ("OOMKilled", "oomkil oom kill", "oomkilled", ""),
        ("k8s", "k8s k8 8s", "k8s", ""),
        # Stems: "connections" -> "connect", "apiserver" -> "apiserv", "force" -> "forc".
        ("max_connections", "maxconnect max connect", "max_connections", ""),
        ("kube-apiserver", "kubeapiserv kube apiserv", "kube-apiserver", ""),
        ("ingress/egress", "ingressegress ingress egress", "ingress/egress", ""),
        (
            "java.lang.OutOfMemoryError",
            "javalangoutofmemoryerror java lang outofmemoryerror out of memori error"
            " outof ofmemori memoryerror",
            "java.lang.outofmemoryerror",
            "outofmemoryerror java.lang lang.outofmemoryerror",
        ),
        (
            "payments.svc.cluster.local",
            "paymentssvcclusterloc payment svc cluster local",
            "payments.svc.cluster.local",
            "payments.svc payments.svc.cluster svc.cluster.local cluster.local",
        ),
        # A model number is found by how it starts (K061).
        (
            "np-7604ni-e1/4p",
            "np7604nie14p np 7604ni 7604 ni e1 4p",
            "np-7604ni-e1/4p",
            "7604ni e1 4p np-7604ni np-7604ni-e1 7604ni-e1/4p e1/4p",
        ),
        ("CVE-2024-3094", "cve20243094 cve 2024 3094", "cve-2024-3094", "cve-2024 2024-3094"),
        ("ORA-00942", "ora00942 ora 00942", "ora-00942", ""),
        ("v1.27.3", "v1273 v1 27 3", "v1.27.3", "v1 v1.27 27.3"),
        ("0.99", "099 0 99", "0.99", ""),
        # Flags keep their dashes as a whole; `=` and its value stand apart.
        ("--max-cost", "maxcost max cost", "--max-cost", "max-cost"),
        ("--max-cost=5", "maxcost max cost 5", "--max-cost", "max-cost"),
        ("--force", "forc", "--force", "force"),
        ("-n", "n", "", ""),
        # Operators and broken punctuation are nothing (K060, K063).
        ("k=60", "k 60", "", ""),
        ('"unclosed', "unclos", "", ""),
        ("-foo", "foo", "", ""),
        ("foo--bar", "foobar foo bar", "foo--bar", ""),
        ("a -", "a", "", ""),
        ("a* OR NEAR(b)", "a or near b", "near", ""),
        ("heap:", "heap", "", ""),
        ("__init__", "init", "", ""),
        # An all-capitals word is a name as well; two letters are too few for one.
        ("ENOSPC", "enospc", "enospc", ""),
        ("CI", "ci", "", ""),
        # A URL without its query; an address.
        (
            "https://a.io/d/abc?x=1",
            "httpsaiodabc https a io d abc x 1",
            "https://a.io/d/abc",
            "https://a https://a.io https://a.io/d a.io/d/abc io/d/abc d/abc",
        ),
        (
            "ops@pager.io",
            "opspagerio ops pager io",
            "ops@pager.io",
            "ops@pager pager.io",
        ),
        ("2001:db8::1", "2001db81 2001 db8 db 1", "2001:db8::1", "db8 2001:db8 db8::1"),
        ("10.0.0.7:5432", "100075432 10 0 7 5432", "10.0.0.7:5432",
         "10.0 10.0.0 10.0.0.7 0.0.7:5432 0.7:5432 7:5432"),
        # NFKC and case folding; other scripts are kept as they are.
        ("ＣｒａｓｈＬｏｏｐ", "crashloop crash loop", "crashloop", ""),
        ("Straße", "strass", "", ""),
        ("Überlastung", "überlastung", "", ""),
        ("数据库", "数据库", "", ""),
        ("", "", "", ""),
        (" \n\t", "", "", ""),
    ],
)  # fmt: skip
def test_a_text_by_hand(text: str, words: str, wholes: str, fragments: str) -> None:
    found = analyse(text)
    assert found.words == tuple(words.split())
    assert found.wholes == tuple(wholes.split())
    assert found.fragments == tuple(fragments.split())


def test_a_pod_name_is_found_by_its_workload() -> None:
    found = analyse("payments-api-7d9f8b6c5-x2x4z")
    assert found.wholes == ("payments-api-7d9f8b6c5-x2x4z",)
    assert "payments-api" in found.fragments
    assert "payments-api-7d9f8b6c5" in found.fragments
    assert {"payment", "api", "7d9f8b6c5", "x2x4z"} <= set(found.words)


def test_repeats_are_kept_as_words_and_folded_as_names() -> None:
    found = analyse("etcd etcd kube-proxy kube-proxy")
    assert found.words == (*["etcd"] * 2, *["kubeproxi", "kube", "proxi"] * 2)
    assert found.wholes == ("kube-proxy",)
    assert found.length == 4


def test_length_counts_what_a_reader_counts() -> None:
    # Restart, the, kube-apiserver, with, --max-cost, 5.
    assert analyse("Restart the `kube-apiserver` with --max-cost=5.").length == 6


def test_a_fragment_that_stands_alone_elsewhere_is_a_whole_only() -> None:
    found = analyse("np-7604ni-e1 and np-7604ni")
    assert found.wholes == ("np-7604ni-e1", "np-7604ni")
    assert "np-7604ni" not in found.fragments


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("connections", "connect"),
        ("restarting", "restart"),
        ("pod", "pod"),  # under four letters
        ("pods2", "pods2"),  # a digit
        ("größen", "größen"),  # no English word
        ("", ""),
    ],
)
def test_stem(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_a_long_run_is_cut() -> None:
    (word,) = analyse("a" * 10_000).words
    assert word == "a" * MAX_WORD
    (whole,) = analyse("ab-" * 1_000 + "z").wholes
    assert len(whole) == MAX_WHOLE


def test_folding_that_makes_a_text_longer_is_cut_after_it() -> None:
    found = analyse("ß" * 200 + " x-" + "ß" * 189)
    assert max(map(len, found.words)) <= MAX_WORD
    assert max(map(len, found.wholes)) <= MAX_WHOLE


def test_query_words_are_counted_and_stop_words_left_out() -> None:
    terms = query_terms("why does the kafka broker drop, and the kafka lag grow")
    assert terms.words == {"kafka": 2, "broker": 1, "drop": 1, "lag": 1, "grow": 1}


def test_a_filler_word_changes_nothing() -> None:
    """K056: ISR is a name, and one more polite word is no condition."""
    plain, polite = query_terms("kafka ISR shrink"), query_terms("please kafka ISR shrink")
    assert plain == polite
    assert polite.words == {"kafka": 1, "isr": 1, "shrink": 1}
    assert polite.identifiers == {"kafka": PLAIN_WEIGHT, "isr": 1.0, "shrink": PLAIN_WEIGHT}


def test_a_query_of_stop_words_alone_keeps_them() -> None:
    assert query_terms("what is it").words == {"what": 1, "is": 1, "it": 1}
    assert query_terms("what is it").identifiers == {}


def test_a_name_asks_for_its_whole_its_parts_and_its_pieces() -> None:
    terms = query_terms("np-7604ni-e1")
    assert terms.names == (("np7604nie1", "np", "7604ni", "7604", "ni", "e1"),)
    assert terms.identifiers == {
        "np-7604ni-e1": 1.0,
        "7604ni": FRAGMENT_WEIGHT,
        "e1": FRAGMENT_WEIGHT,
        "np-7604ni": FRAGMENT_WEIGHT,
        "7604ni-e1": FRAGMENT_WEIGHT,
    }


def test_a_name_outweighs_the_same_form_as_a_piece() -> None:
    assert query_terms("lang.OutOfMemoryError OutOfMemoryError").identifiers == {
        "lang.outofmemoryerror": 1.0,
        "outofmemoryerror": 1.0,
    }


@pytest.mark.parametrize("query", ["-crashloopbackoff", "--- crashloopbackoff", "crashloopbackoff"])
def test_a_plain_word_may_be_a_name_whatever_stands_before_it(query: str) -> None:
    assert query_terms(query).identifiers == {"crashloopbackoff": PLAIN_WEIGHT}


def test_a_dash_makes_no_name_of_a_stop_word() -> None:
    assert query_terms("-the pod").identifiers == {"pod": PLAIN_WEIGHT}


@pytest.mark.parametrize(
    ("document", "query"),
    [
        ("CrashLoopBackOff", "crash loop"),
        ("CrashLoopBackOff", "backoff"),
        ("CrashLoopBackOff", "crashloopbackoff"),
        ("restart ingress/egress gateways", "egress"),
        ("kube-apiserver", "kube apiserver"),
        ("--max-cost", "max cost"),
        ("--max-cost", "maxcost"),
        ("max_connections", "connection"),
        ("java.lang.OutOfMemoryError", "OutOfMemoryError"),
    ],
)
def test_the_parts_find_the_name(document: str, query: str) -> None:
    assert set(query_terms(query).words) <= set(analyse(document).words)


@pytest.mark.parametrize(
    ("document", "query"),
    [
        ("node pool np-7604ni-e1/4p", "np-7604ni"),
        ("payments.svc.cluster.local", "payments.svc"),
        ("payments.svc.cluster.local", "cluster.local"),
        ("java.lang.OutOfMemoryError", "java.lang"),
        ("run it with --max-cost", "max-cost"),
    ],
)
def test_a_piece_finds_the_name(document: str, query: str) -> None:
    (asked,) = [name for name, weight in query_terms(query).identifiers.items() if weight == 1.0]
    assert asked in analyse(document).fragments


def test_an_inflected_stop_word_is_one() -> None:
    """Words are stems by then: "please" is "pleas", "does" is "doe"."""
    assert query_terms("please does lag").words == {"lag": 1}


@given(HOSTILE)
def test_nothing_raises_and_bounds_hold(text: str) -> None:
    found = analyse(text)
    assert all(0 < len(word) <= MAX_WORD for word in found.words)
    assert all(0 < len(whole) <= MAX_WHOLE for whole in found.wholes)
    assert all(found.fragments)
    assert not set(found.wholes) & set(found.fragments)
    assert len(set(found.wholes)) == len(found.wholes)
    assert len(set(found.fragments)) == len(found.fragments)
    # Every index keeps its words apart by spaces.
    assert not any(char.isspace() for word in found.words for char in word)


@given(HOSTILE)
def test_both_sides_meet(text: str) -> None:
    asked, held = query_terms(text), analyse(text)
    assert set(asked.words) <= set(held.words)
    assert sum(asked.words.values()) <= len(held.words)
    full = {name for name, weight in asked.identifiers.items() if weight == 1.0}
    assert full == set(held.wholes)
    pieces = {name for name, weight in asked.identifiers.items() if weight == FRAGMENT_WEIGHT}
    assert pieces <= set(held.fragments)
    assert all(set(name) <= set(held.words) for name in asked.names)


@given(HOSTILE)
def test_a_query_loses_only_stop_words(text: str) -> None:
    asked, held = query_terms(text), analyse(text)
    useful = set(held.words) - {stem(word) for word in STOP_WORDS}
    assert set(asked.words) == (useful or set(held.words))


@given(HOSTILE)
def test_compatible_forms_are_one(text: str) -> None:
    assert analyse(text) == analyse(unicodedata.normalize("NFKC", text))


@given(st.from_regex(r"-?-?[A-Za-z0-9]{1,8}([._/:@-]{1,2}[A-Za-z0-9]{1,8}){1,5}", fullmatch=True))
def test_an_exact_form_is_its_own_exact_form(name: str) -> None:
    (whole,) = analyse(name).wholes
    assert whole == name.lower()
    assert analyse(whole).wholes == (whole,)


@given(HOSTILE, st.integers(2, 6))
def test_the_work_grows_with_the_text_and_no_faster(text: str, times: int) -> None:
    once, often = analyse(text), analyse(f"{text}\n" * times)
    assert len(often.words) == times * len(once.words)
    assert often.length == times * once.length
    assert (often.wholes, often.fragments) == (once.wholes, once.fragments)
    # A segment of n characters gives at most itself, n pieces and n - 1 joined neighbours.
    assert len(once.words) <= 3 * len(unicodedata.normalize("NFKC", text))


def test_a_hostile_run_gives_few_words() -> None:
    # Twelve parts of which each can be split, and no more, however long the run.
    bound = 1 + 12 * (1 + 12 + 11)
    for run in ("aA1" * 50_000, "a/" * 50_000, "-" * 50_000 + "a", "a" + ":" * 50_000 + "b"):
        assert len(analyse(run).words) <= bound


def test_a_long_query_is_its_two_ends_of_whole_words() -> None:
    short = "a" * MAX_QUERY
    assert bounded_query(short) == short
    lines = [f"line{n:05} failed" for n in range(4_000)]  # 17 characters each, with its line end
    found = bounded_query("\n".join(lines)).split("\n")
    assert (found[0], found[-1]) == ("line00000 failed", "line03999 failed")
    # 7,999 and 8,000 characters hold 470 whole lines each, and the end half a line more.
    assert found == [*lines[:470], "failed", *lines[-470:]]
    assert len(bounded_query("x" * 200_000)) == MAX_QUERY


def test_the_words_of_a_query_are_bounded() -> None:
    """Each is a look-up: 15,000 of them took seconds."""
    words = [f"{'abcdefghij'[n % 10]}{n}" for n in range(15_000)]
    asked = query_terms(" ".join(words))
    assert {"a0", "j14999"} <= set(asked.identifiers)
    assert "a7000" not in asked.identifiers
    assert len(asked.identifiers) < 3_500
    # One character that NFKC makes eighteen of.
    assert len(query_terms("\ufdfa " * 8_000).words) < 10


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("EdgeCacheHitRatioLow", "Edge Cache Hit Ratio Low"),
        ("KubePGNotScrubbed", "Kube PG Not Scrubbed"),
        ("queue_time_high", "queue time high"),
        ("NodeDiskFull\n93 % on db-3 at 10:45", "Node Disk Full\n93 % on db-3 at 10:45"),
        # No word is lost, and no number comes apart.
        ("fra1 k8s HTTP/2 x509 OOM", "fra1 k8s HTTP/2 x509 OOM"),
        ("the disk is full", "the disk is full"),
        ("Größe ÜberLang", "Größe Über Lang"),
        ("", ""),
    ],
)
def test_names_are_said_as_words_to_an_embedder(text: str, said: str) -> None:
    assert spoken(text) == said
