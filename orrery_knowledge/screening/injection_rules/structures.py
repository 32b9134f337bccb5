"""Forged structure that convicts without any sentence.

Traces of an agent, policies for agents, results that grant leave, conversations that break out of
a string, examples left open. What is looked for is the shape: which labels follow each other, what
kind of key has what kind of value. The words between them don't matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from orrery_knowledge.screening.patterns import compiled
from orrery_knowledge.screening.sieve import Matches, Sieve

_FORGED = 600
"""Within how many characters the parts of a structure lie."""
_STEP = compiled(
    r"\b(thought|action[ _]input|action|observation|final[ _]answer|tool[ _]call"
    r"|tool[ _]result|reasoning|reflection|plan|scratchpad|next[ _]step|decision|conclusion)"
    r"[\"'*_]{0,3}\s?[:=]"
)
_MIND = frozenset({"thought", "reasoning", "reflection", "scratchpad"})
_DEED = frozenset(
    {"action", "action input", "tool call", "next step", "decision", "final answer", "tool result"}
)
_POLICY = compiled(
    r"\b(?:(?:ai|llm|agents?|assistants?|model|bot|copilot|gpt"
    r"|reader)[\s_./-]{0,2}(?:usage[\s_-])?(?:policy|policies|guard|conduct|rules?|permissions?"
    r"|instructions?|mode|overrides?|config(?:uration)?|tools?|directives?|behaviou?r|access"
    r"|charter|contract"
    r"|override|governance|safety|settings|terms)|(?:policy|rules|permissions|instructions|conduct"
    r"|config|settings|overrides?|applies[_ -]to)[\s_./-]{0,2}(?:for[\s_./-])?\W{0,4}(?:any[_ -])?"
    r"(?:ai|llms?|agents?|assistants?|models?|bots?|copilots?))[\"'\])>]?\s?(?:[:=|>(/\]]"
    r"|\w{2,10}=)"
)
_GRANTS: tuple[Any, ...] = tuple(
    map(
        compiled,
        (
            r"\beffect\s?=\s?[\"']?allow|\b(?:always[_ -]allow|allow[_ -]all|allow[_ -]everything"
            r"|exec\w{0,4}\s?[=:]\s?[\"']?"
            r"(?:yes|true|on|any)|full[_ -]access|unrestricted|all[_ -]tools|any[_ -]command"
            r"|auto[_ -]?(?:approve|accept|execute|run|confirm|merge)|skip[_ -]\w{2,14}"
            r"|(?:shell|delete|write|root|admin|sudo)\s?[:=]\s?[\"']?(?:yes|true|allow\w*|always"
            r"|on))",
            r"\bconfirm\w{0,8}[\"']?\s?[:=]\s?[\"']?(?:no|none|never|false|off|0)\b"
            r"|\b(?:approval|review|human|consent|ask)\w{0,4}(?:[_ -]\w{2,10}){0,2}[\"']?\s?[:=]\s?"
            r"[\"']?(?:no|none|never|false|off|0|not[_ -])\b|\bno[_ -](?:confirm\w*|approvals?"
            r"|refusals?|citations?|human|questions?|review)\b|\bwithout[_ -](?:asking|confirm\w*"
            r"|approval|review)\b",
            r"\b(?:guard|safety|filters?|guardrails?|screening|refusals?|restrictions?|limits?"
            r"|mode)[\"']?\s?[:=]\s?[\"']?(?:off|no|none|false|disabled|bypass\w*|lifted"
            r"|suspended)\b",
            r"=\s?[\"']?suppress|\b(?:hide|conceal|mute|silence|suppress|omit)[_ -]\w{2,14}"
            r"|\b(?:disclose|report|mention"
            r"|log|tell[_ -]?(?:the[_ -])?user|notify\w*|audit|citations?"
            r"|transparency)[\"']?\s?[:=]"
            r"\s?[\"']?(?:no|none|never|false|off|hidden)\b",
            r"\badopt\b|\bobey[_ -]?\w{0,14}|\bprecedence\b|\bsupersedes?\b"
            r"|\boverrides?[_ -](?:system|operator"
            r"|user|developer|all|previous)\w{0,2}\b|\babove[_ -]all\b|\bhighest[_ -]priority\b"
            r"|\bon[_ -]conflict\b|\boutranks?\b|\beffective (?:on|upon|at) (?:read|sight"
            r"|load)\w{0,4}"
            r"|\bpresumed\b|\bbinding\b|\bon sight\b|\bmust[_ -]comply\b|\bimmediately\b",
        ),
    )
)
_GRANTED = 2
"""Kinds of grant that a policy for agents must hold: one is what real settings have."""
_USER_ASKED = compiled(
    r"\b(?:confirm|ask|consult|check|verify|get_\w{2,10}|request)_?\w{0,12}_(?:user|operator|human"
    r"|owner|approval|consent|permission|confirmation)\b[^\n]{0,60}?(?:\byes\b|approved|confirmed"
    r"|granted|true|allowed|agreed)"
)
_BROKEN_OUT = compiled(
    r"\\+\"\s?[,}\]]{1,3}\s?[,{]{0,2}\s?\\+\"role\\+\"\s?:"
    r"|\\+\"role\\+\"\s?:\s?\\+\"\w{4,10}\\+\"\s?\}\s?,"
    r"\s?\{\s?\\+\"role\\+\""
)
_MUSED = compiled(
    r"(?:^|[^`])<(?:think|thinking|reasoning|scratchpad|analysis|reflection|thoughts?"
    r"|inner_monologue"
    r"|chain_of_thought|cot|plan)>[^<]{0,400}?\b(?:i(?:'m| am| will|'ll| have|, the| pick"
    r"| decide\w?"
    r"| checked| must| should| can| may| know| conclude| choose)|my next|my answer|we (?:are|should"
    r"|can|must))\b"
)
_ASKED = r"(?:^|\n)[\s>*-]{0,6}(?:q|question|user|input|case|alert|ticket)\s?\d{0,2}\s?:[^\n]+"
_ANSWERED = r"\n[\s>*-]{0,6}(?:a|answer|agent|assistant|output|action)\s?\d{0,2}\s?:"
_OPEN_EXAMPLE = compiled(
    rf"(?:{_ASKED}{_ANSWERED}[^\n]+\n{{0,2}}){{2,}}{_ASKED}{_ANSWERED}[ \t]{{0,3}}(?:$|\n)"
)
_ANY = Sieve([_STEP, _POLICY, _USER_ASKED, _MUSED, _OPEN_EXAMPLE])


def structures(text: str) -> Iterator[tuple[str, int, int]]:
    """Rule and span of each forged structure in a view."""
    matches = _ANY.over(text)
    yield from _traces(text, matches)
    yield from _policies(text, matches)
    for rule, pattern in (
        ("forged-tool", _USER_ASKED),
        ("forged-reasoning", _MUSED),
        ("few-shot", _OPEN_EXAMPLE),
    ):
        for match in matches(pattern):
            found = match.group()
            yield rule, match.start() + len(found) - len(found.lstrip("\n ")), match.end()


def broken_out(raw: str) -> Iterator[tuple[int, int]]:
    """Where turns of a conversation follow the end of a string inside of a string."""
    if '\\"' in raw:
        for match in _BROKEN_OUT.finditer(raw):
            yield match.span()


def _traces(text: str, matches: Matches) -> Iterator[tuple[str, int, int]]:
    """Thought, action and observation in the name of an agent."""
    run: list[tuple[str, int, int]] = []
    for match in matches(_STEP):
        label = match.group(1).replace("_", " ")
        if run and match.start() - run[-1][2] > _FORGED:
            yield from _forged(run, len(text))
            run = []
        run.append((label, match.start(1), match.end()))
    yield from _forged(run, len(text))


def _forged(run: list[tuple[str, int, int]], length: int) -> Iterator[tuple[str, int, int]]:
    labels = {label for label, _, _ in run}
    loop = {"action", "action input"} <= labels or {"action", "observation"} <= labels
    if len(labels) >= 3 and labels & _DEED and (labels & _MIND or loop):
        yield "forged-reasoning", run[0][1], min(run[-1][2] + 1, length)


def _policies(text: str, matches: Matches) -> Iterator[tuple[str, int, int]]:
    last = -1
    for match in matches(_POLICY):
        if match.start() < last:
            continue
        part = text[match.start() : match.end() + _FORGED]
        granted = [found for grant in _GRANTS if (found := grant.search(part))]
        if len(granted) >= _GRANTED:
            last = match.start() + max(found.end() for found in granted)
            yield "policy-file", match.start() + (not match.group()[0].isalnum()), last
