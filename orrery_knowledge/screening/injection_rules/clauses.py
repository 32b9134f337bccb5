"""Finds the clauses that convict: who is addressed, what is asked, in which form.

Single words convict nobody: runbooks are full of imperatives, and of agents. What convicts is
that a request of the sort that is made to an agent (set your rules aside, keep it from the user,
don't ask, remember it for good) meets an agent that is spoken to, within one sentence or its
neighbour (see `weights`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from orrery_knowledge.screening.injection_rules.address import (
    CALLED_ON,
    MENTIONED,
    OBLIGED,
    SPOKEN_TO,
    address,
)
from orrery_knowledge.screening.injection_rules.cue_places import Cues, class_pattern
from orrery_knowledge.screening.injection_rules.forms import FORMS
from orrery_knowledge.screening.injection_rules.sentences import (
    Span,
    sentence_bounds,
    sentence_starts,
)
from orrery_knowledge.screening.injection_rules.turns import (
    TAUGHT_PAIR,
    forged_turns,
    label,
    taught_pairs,
)
from orrery_knowledge.screening.injection_rules.weights import PHRASES, weigh
from orrery_knowledge.screening.patterns import compiled
from orrery_knowledge.screening.sieve import Sieve

CARRIED = 3
"""A form in the sentence before: a plain request behind it is not enough."""
DISGUISED = 3
"""At least two words of the sentence were misspelt or made of other letters on purpose."""
_LESSONS = 2
"""How many such requests in a row of examples convict it."""
_SPEECH = 3
"""For how many sentences behind its own a speaker is taken to speak."""
_NAMED = ("agent", "broad", "override", "own", "inner", "old")
"""Classes of which a text that people see needs one, unless it has a form or a conversation."""
_POST = compiled(
    r"\s{0,2}(?:an? |the )?(?:[\w-]{2,14} ){0,2}?(?:commander|lead|leader|on[ -]call|primary"
    r"|secondary"
    r"|responder|scribe|deputy|coordinator|liaison|contact|incident|shift|duty|driver|captain"
    r"|manager on|approver|skyddsombud|ansvarig\w*)\b"
)
"""A post that people take: "you are now the incident commander"."""
Disguised = Callable[[int, int], bool]


def _conversations(cues: Cues) -> Iterator[Span]:
    """Pairs of forged turns in which somebody agrees, commands or asks for what is an agent's."""
    for start, end in forged_turns(cues.text):
        if any(cues.within(name, start, end) for name in (*PHRASES, "yes", "act")):
            yield start, end


def _lessons(cues: Cues) -> Iterator[tuple[str, int, int]]:
    """Examples that teach what no ordinary example does."""
    for start, end in taught_pairs(cues.text):
        taught = [span for name in (*PHRASES, "shape") for span in cues.within(name, start, end)]
        leaks = [span for span in cues.within("prompt", start, end)]
        if len(taught) + len(leaks) >= _LESSONS:
            yield "few-shot", start, end


@cache
def _worth_weighing() -> Sieve:
    """What a text that people see holds at least if a clause of it convicts."""
    classes = [class_pattern(name, False) for name in _NAMED]
    forms = [rule.pattern for rule, _ in FORMS]
    return Sieve([*forms, *classes, label("user", wide=False), TAUGHT_PAIR])


def verdicts(
    text: str, *, hidden: int = 0, disguised: Disguised | None = None
) -> Iterator[tuple[str, int, int]]:
    """Rule and span of each clause that convicts.

    Args:
        text: a canonical view, disguises undone.
        hidden: what it weighs that people don't see the text; 0 when they do.
        disguised: says of a span whether its words were disguised; None when nothing was.
    """
    cues = Cues(text)
    if not (hidden or disguised or cues.wide or _worth_weighing().may_match(text)):
        return
    forms = [
        (match.start(), match.end(), rule.name, weight)
        for rule, weight in FORMS
        for match in rule.pattern.finditer(text)
    ]
    agents = [(*span, True) for span in cues.all("agent")]
    agents += [(*span, False) for span in cues.all("broad")]
    for start, end in _conversations(cues):
        yield "fake-turn", start, end
    yield from _lessons(cues)
    if not (forms or hidden or disguised or cues.wide or any(map(cues.all, _NAMED))):
        return
    sentences = sentence_starts(text)
    by_sentence: dict[int, list[tuple[int, int, int]]] = {}
    for start, end, strict in sorted(agents):
        index = bisect_right(sentences, start) - 1
        low, high = sentence_bounds(sentences, index, len(text))
        weight = address(cues, (start, end), (low, high), strict=strict)
        by_sentence.setdefault(index, []).append((start, end, weight))
    for name, weight in (("own", MENTIONED), ("inner", OBLIGED)):
        for start, end in cues.all(name):
            if name == "inner" and _POST.match(text[end : end + 40]):
                continue
            index = bisect_right(sentences, start) - 1
            by_sentence.setdefault(index, []).append((start, end, weight))
    shaped: dict[int, tuple[int, int, str, int]] = {}
    for form in sorted(forms):
        index = bisect_right(sentences, max(form[1] - 1, 0)) - 1
        for reached in _reached(text, sentences, index, form[2]):
            form = (*form[:3], form[3] if reached == index else _carried(form))
            if reached not in shaped or form[3] > shaped[reached][3]:
                shaped[reached] = form
    for start, _ in cues.all("override"):
        by_sentence.setdefault(bisect_right(sentences, start) - 1, [])
    looked_at = {index + ahead for index in by_sentence for ahead in range(3)} | set(shaped)
    if hidden or disguised or cues.wide or cues.all("old"):
        looked_at |= set(range(len(sentences)))
    for index in sorted(looked_at):
        if index < len(sentences):
            before = by_sentence.get(index - 1, [])
            carried = [place for place in before if place[2] >= SPOKEN_TO]
            if (
                not carried
                and index > 1
                and "\n\n" not in text[sentences[index - 2] : sentences[index]]
            ):
                # Who calls a model by name may explain himself for a sentence before he asks.
                further = by_sentence.get(index - 2, [])
                carried = [place for place in further if place[2] >= CALLED_ON]
            places = by_sentence.get(index, []) + carried
            bounds = sentence_bounds(sentences, index, len(text))
            veiled = max(hidden, DISGUISED if disguised and disguised(*bounds) else 0)
            if found := weigh(cues, bounds, places, shaped.get(index), hidden=veiled):
                yield found


def _reached(text: str, sentences: Sequence[int], index: int, name: str) -> range:
    """A form speaks for its own sentence and the next, a speaker for the paragraph's first ones."""
    last = index + 1
    if name == "speaks-as-system":
        while last < min(index + _SPEECH, len(sentences) - 1) and (
            text[sentences[last] - 1] != "\n" and text[sentences[last + 1] - 1] != "\n"
        ):
            last += 1
    return range(index, last + 1)


def _carried(form: tuple[int, int, str, int]) -> int:
    return min(form[3], CARRIED) if form[2] == "speaks-as-system" else form[3]
