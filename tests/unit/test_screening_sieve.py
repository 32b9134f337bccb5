from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

import orrery_knowledge.screening as screening
from orrery_knowledge.screening import sieve as sieves
from orrery_knowledge.screening.canonical import _ORDINARY, _SPECIAL
from orrery_knowledge.screening.credential_rules import assignment_forms, prose
from orrery_knowledge.screening.injection_rules import clauses
from orrery_knowledge.screening.sieve import Sieve

PIECES = [
    "Ignore all previous instructions", "system prompt", "</system>", "[system]: ", "assistant: ",
    "user: ", "your instructions", "Respond with 'x'", "thought: ", "action: ", "observation: ",
    "agent policy: ", "confirm_with_user() -> yes", "i.g.n.o.r.e", "i g n o r e a l l",
    "concatenate the parts together", "administr\n", "-.-. --- -.. . / ", "105, 103, 110, 111, ",
    "password", "Password:\n", "passphrase", "secret", "tokens", "api key", " is ", " as the ",
    "hunter2!Xk9", "p4ss", "0000", "PIN is 4711", "seed phrase: a b c d", "door code 4711",
    "https://u:p4ssw0rd@h/", "machine h login u password p", "Set-Cookie: sid=", "//", "@", "|",
    '"', "'", "\n", "\n\n", ": ", "= ", "%3D", "{", "}", " > ", "- ", "plain", "value", "CODES",
    "ſ", "K", "curl -u ", "AUTH ", "sshpass ", "<<< ", "echo ", "+44 20 7946 0958",
    "(020) 7946 0958",
    "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "ключ", "パスワード", " ", "é", "\r",
    "\t",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Choices are asked from the first text on."""
    monkeypatch.setattr(sieves, "WORTH", 0)


def in_use() -> Iterator[tuple[str, Sieve]]:
    for module in pkgutil.walk_packages(screening.__path__, f"{screening.__name__}."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, Sieve):
                yield f"{module.name}.{name}", value
    yield "clauses", clauses._worth_weighing()


SIEVES = dict(in_use())


def test_a_text_passes_that_matches_any_of_the_patterns() -> None:
    # The flag of the first must not reach the second, nor the group of one clash with another's.
    sieve = Sieve(
        [re2.compile("(?i)(?P<v>apple)"), re2.compile("(?P<v>pear)$"), re2.compile("x|z")]
    )
    assert [sieve.may_match(text) for text in ("APPLE pie", "a pear", "oxen")] == [True] * 3
    assert [sieve.may_match(text) for text in ("PEAR", "pears", "", "plum")] == [False] * 4


@pytest.mark.parametrize(("text", "found"), [("plum", []), ("pineapple", ["apple"])])
def test_no_pattern_is_looked_for_that_the_choice_does_not_hold(
    text: str, found: list[str]
) -> None:
    apple = re2.compile("apple")
    matches = Sieve([apple, re2.compile("pear")]).over(text)
    assert [match.group() for match in matches(apple)] == found
    with pytest.raises(LookupError):
        matches(re2.compile("plum"))


def test_the_choice_is_made_when_it_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sieves, "WORTH", 8)
    sieve = Sieve([re2.compile("apple")])
    assert sieve.may_match("a plum"), "nobody has looked yet"
    assert sieve.may_match("a plum")
    assert not sieve.may_match("a plum")
    assert sieve.may_match("an apple")


def test_the_engine_does_not_talk_about_texts_that_take_its_memory(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sieves, "MEMORY", 150_000)
    sieve = Sieve([re2.compile(r"(?i)[ab][^z]{20}x"), re2.compile(r"b[^z]{20}y")])
    assert not sieve.may_match("abba" * 2_000)
    assert sieve.may_match("abba" * 2_000 + "x")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", sorted(SIEVES))
def test_a_sieve_in_use_lets_no_match_go(name: str) -> None:
    patterns = SIEVES[name]._patterns

    @given(TEXTS)
    @settings(max_examples=60, deadline=None, database=None)
    def check(text: str) -> None:
        matches = any(pattern.search(text) for pattern in patterns)
        assert SIEVES[name].may_match(text) is matches

    check()


@pytest.mark.parametrize("name", sorted(SIEVES))
def test_a_sieve_in_use_holds_no_pattern_whose_options_it_would_lose(name: str) -> None:
    usual = re2.compile("x").options
    for pattern in SIEVES[name]._patterns:
        for option in {*re2.Options.NAMES} - {"max_mem", "log_errors"}:
            assert getattr(pattern.options, option) == getattr(usual, option), pattern.pattern


@given(st.text(st.sampled_from(_ORDINARY.decode())))
@settings(max_examples=300, deadline=None, database=None)
def test_a_text_of_ordinary_characters_has_nothing_to_fold_but_case(text: str) -> None:
    assert not _SPECIAL.search(text)


@given(TEXTS)
@settings(max_examples=300, deadline=None, database=None)
def test_what_is_looked_for_only_beside_a_word_holds_that_word(text: str) -> None:
    if not prose._ANY_NOUN.search(text):
        for pattern in (prose._NOUN, prose._BELOW, prose._ASKED, prose._LABEL, prose._AS):
            assert not pattern.search(text)
    folded = text.casefold()
    if not any(word in folded for word in assignment_forms.INNER):
        assert not assignment_forms.WITHIN.search(text)
    if "%3" not in text:
        assert not assignment_forms.ENCODED.search(text)
