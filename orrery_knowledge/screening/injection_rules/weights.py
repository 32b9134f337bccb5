"""What a sentence weighs: its requests, who is addressed in it, the form that it stands in.

The weights are few and whole numbers, so that a verdict can be worked out by hand.
"""

from __future__ import annotations

from collections.abc import Sequence

from orrery_knowledge.screening.injection_rules.address import (
    CALLED_ON,
    ENGLISH_WORD,
    OBLIGED,
    SPOKEN_TO,
)
from orrery_knowledge.screening.injection_rules.cue_places import NEAR, Cues
from orrery_knowledge.screening.injection_rules.imperatives import ordered
from orrery_knowledge.screening.injection_rules.sentences import Span
from orrery_knowledge.screening.patterns import compiled

PHRASES = ("hush", "consent", "power", "store", "tool")
"""Classes of which one phrase is a request."""
REQUEST = 4
"""One request of the sort that is made to an agent."""
MORE = 1
"""Each further sort of such a request in the same clause."""
SHAPE = 3
"""A request that shapes what the agent says to its user, when there is no other."""
ACT = 2
"""A plain request, when there is no other."""
ALL_EARLIER = 2
"""An override that names all that came before, or says what to answer instead."""

CONVICTED = 6
"""The least weight that convicts."""

YOURS = 1
"""Giving away what only an agent calls its own."""
_YOURS = compiled(r"\byour (?:\w{2,12} ){0,2}(?:prompt|instructions|programming|guidelines)$")
_ARTICLE = compiled(r"\b(?:the|an?|our|this|each|every|any) (?:\w+ )?$")
_ASKS = compiled(
    r"\W{1,4}(?:if|when|whenever|before|after|please|you|your|do not|never"
    r"|always)\b"
)
_SPEAKING = frozenset({"fake-turn", "forged-tool", "forged-reasoning", "delimiter"})
"""Forms in whose name somebody agrees, or says what he does, instead of asking for it."""
_NEXT = 8
"""How far behind a broad name with a colon a request may begin: keys of settings have colons."""
_FAR = 120
_PAIRS = {"override-instructions": ("override", "rules"), "prompt-leak": ("show", "prompt")}
_NONE = compiled(
    r"\b(?:never|nobody|nothing|no one|nicht|nie|niemals|kein\w*|jamais|nunca|mai|nao|nooit|nigdy"
    r"|inte|aldrig|ikke)\b|\bне |нельзя|نمی|نباید|نکند|ない|ません|不得|不能|不可|않|ไม่|khong"
)
_NAMES = {
    "hush": "secrecy", "consent": "without-consent", "power": "claims-authority",
    "store": "memory", "tool": "use-tool", "shape": "response-shaping", "act": "addressed-to-model",
}  # fmt: skip


def weigh(
    cues: Cues,
    bounds: Span,
    places: Sequence[tuple[int, int, int]],
    form: tuple[int, int, str, int] | None,
    *,
    hidden: int,
) -> tuple[str, int, int] | None:
    """Rule and span of a sentence that convicts; None for any other.

    Args:
        cues: of the whole text.
        bounds: of the sentence.
        places: start, end and weight of the names that an agent is spoken to by, near it.
        form: start, end, rule and weight of the form that the sentence stands in.
        hidden: what it weighs that people don't see the text as it is.
    """
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
            if verbs == "override" and cues.within("old", span[0] - NEAR, span[1] + NEAR):
                bonus = ALL_EARLIER
    for name in PHRASES:
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
    cues: Cues, bounds: Span, addressed: tuple[int, int, int] | None, *, hidden: bool
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
        high = min(end, addressed[1] + (_NEXT if called and broad and not asks else NEAR))
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


def _sent(cues: Cues, start: int, end: int) -> Span | None:
    """A verb of sending or showing, with an address behind it."""
    places = cues.within("place", start, end)
    if places:
        for low, high in cues.within("send", start, end):
            behind = next((place for place in places if place[0] >= high), None)
            if behind and "\n" not in cues.text[high : behind[0]] and behind[0] - high <= _FAR:
                return low, behind[1]
    return None
