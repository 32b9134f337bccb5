"""Weighs cues: who is addressed, what is asked, in which form, clause by clause.

Single words convict nobody: runbooks are full of imperatives, and of agents. What convicts is
that a request of the sort that is made to an agent (set your rules aside, keep it from the user,
don't ask, remember it for good) meets an agent that is spoken to, within one sentence or its
neighbour. The weights are few and whole numbers, so that a verdict can be worked out by hand.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

from orrery_knowledge.screening.injection_rules.address import (
    CALLED_ON,
    ENGLISH_WORD,
    MENTIONED,
    OBLIGED,
    SPOKEN_TO,
    address,
)
from orrery_knowledge.screening.injection_rules.english import ENGLISH
from orrery_knowledge.screening.injection_rules.forms import FORMS
from orrery_knowledge.screening.injection_rules.imperatives import ordered
from orrery_knowledge.screening.injection_rules.lexicon import pattern
from orrery_knowledge.screening.injection_rules.turns import (
    TAUGHT_PAIR,
    forged_turns,
    label,
    taught_pairs,
)
from orrery_knowledge.screening.patterns import compiled
from orrery_knowledge.screening.sieve import Sieve

CONVICTED = 6
"""The least weight that convicts."""

REQUEST = 4
"""One request of the sort that is made to an agent."""
MORE = 1
"""Each further sort of such a request in the same clause."""
SHAPE = 3
"""A request that shapes what the agent says to its user, when there is no other."""
ACT = 2
"""A plain request, when there is no other."""
CARRIED = 3
"""A form in the sentence before: a plain request behind it is not enough."""
DISGUISED = 3
"""At least two words of the sentence were misspelt or made of other letters on purpose."""
ALL_EARLIER = 2
"""An override that names all that came before, or says what to answer instead."""

YOURS = 1
"""Giving away what only an agent calls its own."""
_YOURS = compiled(r"\byour (?:\w{2,12} ){0,2}(?:prompt|instructions|programming|guidelines)$")
_LESSONS = 2
"""How many such requests in a row of examples convict it."""
_ARTICLE = compiled(r"\b(?:the|an?|our|this|each|every|any) (?:\w+ )?$")
_NEAR = 60
"""How far a verb and what it governs may lie apart, in characters."""
_ASKS = compiled(
    r"\W{1,4}(?:if|when|whenever|before|after|please|you|your|do not|never"
    r"|always)\b"
)
_SPEAKING = frozenset({"fake-turn", "forged-tool", "forged-reasoning", "delimiter"})
"""Forms in whose name somebody agrees, or says what he does, instead of asking for it."""
_SPEECH = 3
"""For how many sentences behind its own a speaker is taken to speak."""
_NEXT = 8
"""The same behind a broad name with a colon, as keys of settings have it."""
_FAR = 120
_MAX_SENTENCE = 700
_ENGLISH_ONLY = ("own", "shape", "telling", "place", "send", "risky", "deed")
_NAMED = ("agent", "broad", "override", "own", "inner", "old")
"""Classes of which a text that people see needs one, unless it has a form or a conversation."""
_PHRASES = ("hush", "consent", "power", "store", "tool")
_PAIRS = {"override-instructions": ("override", "rules"), "prompt-leak": ("show", "prompt")}
_ENDS = compiled(
    r"[.!?](?:[\"')\]*]{0,3}\s|$)|[\x{3002}\x{ff01}\x{ff1f}\x{0964}\x{061f}]|\n\s*\n"
    r"|<!--|-->|\n[ \t]*(?:[-*+|>{#]|\d{1,3}[.)]|[\w\"'-]{1,30}\s?[:=]\s|\d{4}-)|;\s"
)
_NEGATION = compiled(
    r"\b(?:never|not|cannot|n't|avoid\w*|refus\w+|prevent\w*|against|without|no|nobody|nor|can|may"
    r"|safely|could|might)\b[^.,;:\n]{0,16}$"
)
_POST = compiled(
    r"\s{0,2}(?:an? |the )?(?:[\w-]{2,14} ){0,2}?(?:commander|lead|leader|on[ -]call|primary"
    r"|secondary"
    r"|responder|scribe|deputy|coordinator|liaison|contact|incident|shift|duty|driver|captain"
    r"|manager on|approver|skyddsombud|ansvarig\w*)\b"
)
"""A post that people take: "you are now the incident commander"."""
_NONE = compiled(
    r"\b(?:never|nobody|nothing|no one|nicht|nie|niemals|kein\w*|jamais|nunca|mai|nao|nooit|nigdy"
    r"|inte|aldrig|ikke)\b|\bне |нельзя|نمی|نباید|نکند|ない|ません|不得|不能|不可|않|ไม่|khong"
)
_NAMES = {
    "hush": "secrecy", "consent": "without-consent", "power": "claims-authority",
    "store": "memory", "tool": "use-tool", "shape": "response-shaping", "act": "addressed-to-model",
}  # fmt: skip

Span = tuple[int, int]
Disguised = Callable[[int, int], bool]


class _Cues:
    """Where each class of cue stands in a text; a class is looked for when it is first asked."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.wide = not text.isascii()
        self._found: dict[str, list[Span]] = {}
        self._starts: dict[str, list[int]] = {}

    def all(self, name: str) -> list[Span]:
        if name not in self._found:
            matches = _compiled(name, self.wide).finditer(self.text)
            self._found[name] = [match.span() for match in matches]
            self._starts[name] = [start for start, _ in self._found[name]]
        return self._found[name]

    def within(self, name: str, start: int, end: int) -> list[Span]:
        found = self.all(name)
        starts = self._starts[name]
        return found[bisect_left(starts, start) : bisect_left(starts, end)]

    def pair(self, verbs: str, nouns: str, start: int, end: int) -> Span | None:
        """The first verb with its noun near it, on either side (as languages have it)."""
        governed = self.within(nouns, start, end)
        if not governed:
            return None
        starts = [low for low, _ in governed]
        for low, high in self.within(verbs, start, end):
            if _NEGATION.search(self.text[max(low - 30, start) : low]):
                continue
            index = bisect_left(starts, high)
            if index < len(governed) and governed[index][0] - high <= _NEAR:
                return low, governed[index][1]
            behind = index and low - governed[index - 1][1] <= _NEAR
            if behind and not _english(verbs).fullmatch(self.text[low:high]):
                return governed[index - 1][0], high
        return None


@lru_cache(maxsize=64)
def _compiled(name: str, wide: bool) -> Any:
    return compiled(ENGLISH[name]) if name in _ENGLISH_ONLY else pattern(name, wide=wide)


def _conversations(cues: _Cues) -> Iterator[Span]:
    """Pairs of forged turns in which somebody agrees, commands or asks for what is an agent's."""
    for start, end in forged_turns(cues.text):
        if any(cues.within(name, start, end) for name in (*_PHRASES, "yes", "act")):
            yield start, end


def _lessons(cues: _Cues) -> Iterator[tuple[str, int, int]]:
    """Examples that teach what no ordinary example does."""
    for start, end in taught_pairs(cues.text):
        taught = [span for name in (*_PHRASES, "shape") for span in cues.within(name, start, end)]
        leaks = [span for span in cues.within("prompt", start, end)]
        if len(taught) + len(leaks) >= _LESSONS:
            yield "few-shot", start, end


@cache
def _worth_weighing() -> Sieve:
    """What a text that people see holds at least if a clause of it convicts."""
    classes = [_compiled(name, False) for name in _NAMED]
    forms = [rule.pattern for rule, _ in FORMS]
    return Sieve([*forms, *classes, label("user", wide=False), TAUGHT_PAIR])


@lru_cache(maxsize=8)
def _english(name: str) -> Any:
    return compiled(ENGLISH[name])


def verdicts(
    text: str, *, hidden: int = 0, disguised: Disguised | None = None
) -> Iterator[tuple[str, int, int]]:
    """Rule and span of each clause that convicts.

    Args:
        text: a canonical view, disguises undone.
        hidden: what it weighs that people don't see the text; 0 when they do.
        disguised: says of a span whether its words were disguised; None when nothing was.
    """
    cues = _Cues(text)
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
    sentences = _sentences(text)
    by_sentence: dict[int, list[tuple[int, int, int]]] = {}
    for start, end, strict in sorted(agents):
        index = bisect_right(sentences, start) - 1
        low, high = _bounds(sentences, index, len(text))
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
            bounds = _bounds(sentences, index, len(text))
            veiled = max(hidden, DISGUISED if disguised and disguised(*bounds) else 0)
            if found := _weigh(cues, bounds, places, shaped.get(index), hidden=veiled):
                yield found


def _weigh(
    cues: _Cues,
    bounds: Span,
    places: Sequence[tuple[int, int, int]],
    form: tuple[int, int, str, int] | None,
    *,
    hidden: int,
) -> tuple[str, int, int] | None:
    start, end = bounds
    requests: list[tuple[str, Span]] = []
    bonus = 0
    for rule, (verbs, nouns) in _PAIRS.items():
        if span := cues.pair(verbs, nouns, start, end):
            requests.append((rule, span))
            if (
                verbs == "show"
                and not cues.text.startswith("what", span[0])
                and _YOURS.search(cues.text[span[0] : span[1]])
            ):
                bonus = max(bonus, YOURS)
            if verbs == "override" and cues.within("old", span[0] - _NEAR, span[1] + _NEAR):
                bonus = ALL_EARLIER
    for name in _PHRASES:
        if spans := cues.within(name, start, end):
            requests.append((_NAMES[name], spans[0]))
    if [rule for rule, _ in requests] == ["without-consent"] and not hidden:
        named = [cues.within("agent", low, high) for low, high, _ in places]
        # "The agent opens nothing without approval" asks for the approval.
        if not any(named) and _NONE.search(cues.text[start:end]):
            requests = []
    sent = _sent(cues, start, end)
    if requests and sent:
        requests.append(("exfiltration", sent))
    weight = REQUEST + MORE * (len(requests) - 1) + bonus if requests else 0
    if any(rule == "override-instructions" for rule, _ in requests) and not bonus:
        bonus = ALL_EARLIER if cues.within("shape", start, end) else 0
        weight += bonus
    addressed = max((place for place in places), key=lambda place: place[2], default=None)
    if not requests:
        light = _light(cues, bounds, addressed, hidden=bool(hidden))
        if (
            light is None
            and form
            and form[2] in _SPEAKING
            and (agreed := cues.within("yes", start, end) or cues.within("risky", start, end))
        ):
            light = ACT, form[2], agreed[0]
        if light is None and addressed and addressed[2] >= CONVICTED and addressed[0] >= start:
            light = 0, "addressed-to-model", addressed[:2]
        if light is None:
            return None
        weight, rule, span = light
        if addressed and addressed[2] < OBLIGED:
            addressed = None
        if form and not form[0] <= span[0] <= form[1] + _FAR:
            # What is asked in front of a form, or far behind, isn't asked in its name.
            form = None
        requests.append((rule, span))
    telling = not hidden and bool(cues.within("telling", start, end))
    if addressed and (addressed[2] >= SPOKEN_TO or not telling):
        weight += addressed[2]
    else:
        addressed = None
    if form:
        weight += form[3]
    weight += hidden
    if weight < CONVICTED:
        return None
    spans = [requests[0][1]]
    if addressed:
        spans.append(addressed[:2])
    if form:
        spans.append(form[:2])
    rule = form[2] if form and form[3] >= REQUEST else requests[0][0]
    return rule, min(low for low, _ in spans), max(high for _, high in spans)


def _light(
    cues: _Cues, bounds: Span, addressed: tuple[int, int, int] | None, *, hidden: bool
) -> tuple[int, str, Span] | None:
    """The weight of what is ordinary, unless an agent is asked for it."""
    start, end = bounds
    low = start
    high = end
    hailed = False
    if addressed and addressed[2] >= SPOKEN_TO:
        # Behind an address the request follows, or stands in front of a name that is called.
        called = cues.text[addressed[1] : addressed[1] + 1] in ":)]"
        broad = addressed[2] < CALLED_ON and not cues.within("agent", *addressed[:2])
        broad = broad and cues.text[addressed[0] : addressed[1]].isascii()
        asks = _ASKS.match(cues.text[addressed[1] : addressed[1] + 20])
        high = min(end, addressed[1] + (_NEXT if called and broad and not asks else _NEAR))
        hailed = broad and cues.text[addressed[1] : addressed[1] + 1] == ","
        hailed = (
            hailed
            and cues.text[addressed[1] - 1] != "s"
            and not _ARTICLE.search(cues.text[max(0, addressed[0] - 20) : addressed[0]])
        )
        low = addressed[0] if called and addressed[0] >= start else start
        if not broad or hailed:
            high = end
    sent = _sent(cues, start, end)
    if sent and sent[0] <= high:
        return SHAPE, "exfiltration", sent
    if shapes := cues.within("shape", low, high):
        return SHAPE, "response-shaping", shapes[0]
    behind = max(start, addressed[1]) if addressed and addressed[2] > OBLIGED else end
    if risks := cues.within("risky", start if hidden else behind, end):
        return SHAPE, "addressed-to-model", risks[0]
    acts = cues.within("act", low, high) or cues.within("override", low, high)
    # What is asked in any other words stands in the line of the address.
    line = addressed and (
        addressed[0] >= start or "\n" not in cues.text[addressed[1] : start].rstrip(" ")
    )
    if not acts and line and addressed and addressed[2] >= SPOKEN_TO:
        english = ENGLISH_WORD.search(cues.text[start:end])
        acts = cues.within("deed" if english else "doing", low, high)
        if not acts and english and (hailed or cues.within("agent", *addressed[:2])):
            acts = ordered(cues.text, low, high)
    return (ACT, "addressed-to-model", acts[0]) if acts else None


def _sent(cues: _Cues, start: int, end: int) -> Span | None:
    """A verb of sending or showing, with an address behind it."""
    places = cues.within("place", start, end)
    if places:
        for low, high in cues.within("send", start, end):
            behind = next((place for place in places if place[0] >= high), None)
            if behind and "\n" not in cues.text[high : behind[0]] and behind[0] - high <= _FAR:
                return low, behind[1]
    return None


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


def _sentences(text: str) -> list[int]:
    """Where sentences begin; none is longer than `_MAX_SENTENCE`."""
    starts = [0]
    for match in _ENDS.finditer(text):
        found = match.group()
        place = match.start() + (found[0] == "\n") if found[0] in "\n<" else match.end()
        while place - starts[-1] > _MAX_SENTENCE:
            starts.append(starts[-1] + _MAX_SENTENCE)
        if place > starts[-1] and place < len(text):
            starts.append(place)
    while len(text) - starts[-1] > _MAX_SENTENCE:
        starts.append(starts[-1] + _MAX_SENTENCE)
    return starts


def _bounds(starts: Sequence[int], index: int, length: int) -> Span:
    return starts[index], starts[index + 1] if index + 1 < len(starts) else length
