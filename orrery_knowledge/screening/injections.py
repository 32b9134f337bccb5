"""Finds instructions aimed at an agent inside of a document, and takes the block out of reach.

Text rules can't tell a plain request without any cue ("please modify the system logs") from a
runbook. Presenting passages as data, the agent's own instruction and the confirmation of tools
that change something hold there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orrery_knowledge.screening import controls, fragments, hidden, links
from orrery_knowledge.screening.blocks import Blocks
from orrery_knowledge.screening.canonical import Canonical, canonical
from orrery_knowledge.screening.detectors import DETECTED, InjectionDetector, detected
from orrery_knowledge.screening.fencing import screen_inside
from orrery_knowledge.screening.findings import Edit, Kind, Screened, searchable
from orrery_knowledge.screening.injection_rules.clauses import verdicts
from orrery_knowledge.screening.injection_rules.cues import CUES, HIDDEN_CUES
from orrery_knowledge.screening.injection_rules.phrases import Rule
from orrery_knowledge.screening.injection_rules.rules import STRONG
from orrery_knowledge.screening.injection_rules.structures import broken_out, structures
from orrery_knowledge.screening.remembering import knowing_clean
from orrery_knowledge.screening.sieve import Sieve
from orrery_knowledge.screening.variants import compounds, disguises, plain, slugs, turned

_MARKER = "[withheld: instructions aimed at an agent ({rule})]"
_HIDDEN_MARKER = "[withheld: invisible text ({rule})]"
_SENTENCE = 160
COMMENTED = 1
"""Comments are for people who edit: an order to them is ordinary."""
CONCEALED = 4
"""Encoded, mirrored, or styled so that nobody sees it."""
_DEPTH = 2
_DISGUISES = 2
"""One misspelt word is a slip."""
_BEFORE = " \t\n.!?;,"
"""What a match may begin with that still belongs to the sentence before."""

_ANY_STRONG = Sieve(rule.pattern for rule in STRONG)
_ANY_CUE = Sieve(rule.pattern for rule in CUES)


@dataclass(frozen=True, slots=True)
class _Match:
    rule: str
    start: int
    end: int


def screen_injections(text: str, *, detector: InjectionDetector | None = None) -> Screened:
    """Replace each block that instructs an agent by a marker of one line.

    Everything else stays byte for byte, but for control and invisible characters, which go (see
    `controls`), and the addresses of images on other hosts: they are replaced, without a finding
    unless the address is made to carry data.

    Args:
        text: any str.
        detector: asked behind the rules, about what they left.
    """
    if detector is None:
        return screen_inside(text, edits, controls.edits)
    asked = detected(detector, _MARKER.format(rule=DETECTED))
    return screen_inside(text, edits, controls.edits, asked)


@knowing_clean
def edits(text: str) -> Sequence[Edit]:
    """The stage: what to change in a text. Linear in its length."""
    raw = searchable(text)
    found: list[Edit] = []
    for rule, start, end in hidden.invisible_runs(raw):
        found.append(_edit(start, end, (start, end), "hidden", rule))
    for start, end, carries in links.external_images(raw):
        place = (start, end) if carries else None
        found.append(Edit(start, end, links.DEFANGED, "injection", "exfil-image", place))
    concealed = hidden.comments(raw)
    styled = hidden.styled(raw)
    for start, end, cues, weight in (
        *((*span, CUES, COMMENTED) for span in concealed),
        *((*span, *_concealed(raw, *span)) for span in styled),
    ):
        inner = plain(canonical(raw[start:end]))
        for match in (*_strong(inner), *_cues(inner, cues), *_weighed(inner, hidden=weight)):
            found.append(_edit(start, end, (start, end), "hidden", match.rule))
            break
    view = plain(canonical(raw))
    convicted = [
        (match.rule, *view.raw_span(match.start, match.end))
        for match in (*_strong(view), *_weighed(view, raw=raw), *_turned(view))
    ]
    convicted += [(rule, *view.raw_span(start, end)) for rule, start, end in structures(view.text)]
    convicted += [("fake-turn", start, end) for start, end in broken_out(raw)]
    convicted += [("split", *view.raw_span(start, end)) for start, end in _split(view)]
    convicted += [
        (name, start, end) for prose, (start, end) in compounds(raw) if (name := _rule_of(prose, 0))
    ]
    convicted += [
        (match.rule, start, end)
        for prose, (start, end) in slugs(raw)
        for match in _weighed(canonical(prose), hidden=COMMENTED)
    ]
    suspects = [(match.rule, *view.raw_span(match.start, match.end)) for match in _cues(view, CUES)]
    if convicted or suspects:
        blocks = Blocks(raw, concealed + styled)
        for rule, start, end in convicted:
            found.append(_edit(*blocks.enclosing(start, end), (start, end), "injection", rule))
        found += _pairs(blocks, suspects)
    for blob in hidden.decoded_prose(raw):
        if broken := _rule_of(blob.text, _DEPTH):
            found.append(_edit(blob.start, blob.end, (blob.start, blob.end), "hidden", broken))
    return found


def strong_spans(view: Canonical) -> Iterator[tuple[str, int, int]]:
    """Rule and span in the view of everything that convicts alone."""
    for match in _strong(view):
        yield match.rule, match.start, match.end


def marked(start: int, end: int, found: tuple[int, int], rule: str) -> Edit:
    """The edit that withholds ``text[start:end]`` for an injection that lies at `found`."""
    return _edit(start, end, found, "injection", rule)


def _pairs(blocks: Blocks, suspects: Sequence[tuple[str, int, int]]) -> Iterator[Edit]:
    """Blocks in which two different cues come together."""
    by_block: dict[tuple[int, int], dict[str, tuple[int, int]]] = {}
    for rule, start, end in suspects:
        by_block.setdefault(blocks.enclosing(start, end), {}).setdefault(rule, (start, end))
    for (start, end), cues in by_block.items():
        if len(cues) >= 2:
            rule = next(iter(cues))
            yield _edit(start, end, cues[rule], "injection", rule)


def _edit(start: int, end: int, found: tuple[int, int], kind: Kind, rule: str) -> Edit:
    marker = _HIDDEN_MARKER if kind == "hidden" else _MARKER
    return Edit(start, end, marker.format(rule=rule), kind, rule, found)


def _strong(view: Canonical) -> Iterator[_Match]:
    if _ANY_STRONG.may_match(view.text):
        for rule in STRONG:
            yield from _matches(view.text, rule)


def _weighed(view: Canonical, *, hidden: int = 0, raw: str = "") -> Iterator[_Match]:
    places = disguises(view, raw)

    def disguised(start: int, end: int) -> bool:
        return bisect_left(places, end) - bisect_left(places, start) >= _DISGUISES

    found = verdicts(view.text, hidden=hidden, disguised=disguised if places else None)
    for rule, start, end in found:
        words = view.text[start:end]
        start += len(words) - len(words.lstrip(_BEFORE))
        yield _Match(rule, start, end - len(words) + len(words.rstrip()))


def _cues(view: Canonical, rules: Sequence[Rule]) -> Iterator[_Match]:
    if rules is not CUES or _ANY_CUE.may_match(view.text):
        for rule in rules:
            yield from _matches(view.text, rule)


def _matches(text: str, rule: Rule) -> Iterator[_Match]:
    for match in rule.pattern.finditer(text):
        start, end = match.span()
        if rule.unless is None or not rule.unless.search(_sentence(text, start, end)):
            found = match.group()
            opening = found[: len(found) - len(found.lstrip(_BEFORE))]
            yield _Match(rule.name, start + len(opening), end - len(found) + len(found.rstrip()))


def _sentence(text: str, start: int, end: int) -> str:
    low = max(0, start - _SENTENCE)
    for stop in (". ", "! ", "? ", "\n\n", "\n- ", "\n* "):
        place = text.rfind(stop, low, start)
        low = place + len(stop) if place >= 0 else low
    high = min(len(text), end + _SENTENCE)
    for stop in (". ", "! ", "? ", "\n"):
        place = text.find(stop, end, high)
        high = place if place >= 0 else high
    return text[low:high]


def _concealed(raw: str, start: int, end: int) -> tuple[Sequence[Rule], int]:
    """What convicts in a styled element: text for screen readers is ordinary."""
    if hidden.read_aloud(raw[start:end]):
        return CUES, COMMENTED
    return HIDDEN_CUES, CONCEALED


def _split(view: Canonical) -> Iterator[tuple[int, int]]:
    matches = fragments.ANY.over(view.text)
    yield from fragments.pieces(view, matches)
    for joined in fragments.cut_words(view, matches):
        mended = canonical(joined.text)
        for _ in (*_strong(mended), *_weighed(mended, hidden=CONCEALED)):
            yield from joined.lines
            break


def _turned(view: Canonical) -> Iterator[_Match]:
    for line, (start, end) in turned(view):
        for match in (*_strong(mended := canonical(line)), *_weighed(mended, hidden=CONCEALED)):
            yield _Match(match.rule, start, end)
            break


def _rule_of(prose: str, depth: int) -> str | None:
    """The rule that decoded prose breaks; hidden as it is, one cue is enough."""
    view = plain(canonical(prose))
    for match in (*_strong(view), *_cues(view, HIDDEN_CUES), *_weighed(view, hidden=CONCEALED)):
        return match.rule
    if depth:
        for blob in hidden.decoded_prose(searchable(prose)):
            if rule := _rule_of(blob.text, depth - 1):
                return rule
    return None
