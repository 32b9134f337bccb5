"""Requests with any verb: a word that can be one, where a request can begin, and what it governs.

No list of verbs is long enough. Behind the name of a model that is called, form is enough.
"""

from __future__ import annotations

from orrery_knowledge.screening.findings import word_set
from orrery_knowledge.screening.injection_rules.phrases import START
from orrery_knowledge.screening.patterns import compiled

_ORDER = compiled(
    rf"{START}(?:(?:please|kindly|now|just|then|first|quietly|simply|never|always|do not|don't)"
    r"\s){0,2}([a-z]{2,14}) (?:the|an?|all|any|every|each|your|this|that|these|those|it|them|me"
    r"|us|him"
    r"|her|its|their|off|out|up|down|whatever|whoever|everything|everyone|nothing|nobody|no"
    r"|both|only|[A-Z0-9\"'`]\w*)\b"
)
_NO_ORDER = word_set(
    """
    the an and or but if so as at by for from in into of on onto to up with within without over
    under about after before against among around behind below beside between beyond during except
    inside like near off out outside past since through till until upon via while when where which
    who whom whose what why how that this these those it its he she they we you me us them him her
    his their our your my is are was were be been being am has have had does did will would can
    could may might must shall should not no nor yes all any each every both few many more most
    much other some such only own same than then there here too very just also even still yet ever
    again once twice because although though unless whether however instead perhaps maybe rather
    quite already almost always never often sometimes soon now later today tomorrow yesterday one
    two three four five six seven eight nine ten first second third last next both either neither
    another per plus minus versus despite regardless whereas whichever whenever wherever
    """
)
_ENDINGS = ("ing", "ed", "ly", "tion", "ness", "ment", "ity")
_VERBS_IN_S = ("ss", "us", "is", "as")


def ordered(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The first request that begins in a range; empty when there is none."""
    for match in _ORDER.finditer(text[start:end]):
        word = match.group(1)
        plural = word.endswith("s") and not word.endswith(_VERBS_IN_S)
        if word not in _NO_ORDER and not plural and not word.endswith(_ENDINGS):
            return [(start + match.start(1), start + match.end())]
    return []
