"""What a stage of the guard is, and what it may know of the call whose result it handles."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from time import perf_counter
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext

from orrery_knowledge.screening import Finding, Screened
from orrery_knowledge.telemetry import guard_counts
from orrery_plugins.results import Tree, citations_of, dropped, map_strings, normalise, withheld

logger = logging.getLogger(__name__)


@dataclass
class Call:
    """One tool call on its way through the stages; stages add to it what the audit reports.

    Attributes:
        arguments: as the model gave them; never logged.
        began: when the call was first seen, on the clock of `time.perf_counter`.
        findings: how often each screening or redaction rule matched.
        kinds: the same by kind of finding.
        not_issued: citations of passages that were dropped.
        truncated: strings and lists that the cap cut.
    """

    tool: str = ""
    agent: str = ""
    user_id: str = ""
    session_id: str = ""
    invocation_id: str = ""
    call_id: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    began: float = field(default_factory=perf_counter)
    findings: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    not_issued: list[str] = field(default_factory=list)
    truncated: int = 0

    def note(self, findings: Sequence[Finding]) -> None:
        """Count what screening found."""
        if not findings:
            return
        self.findings.update(finding.rule for finding in findings)
        self.kinds.update(finding.kind for finding in findings)


class Stage(Protocol):
    """One step of the guard; works on a plain tree and returns a plain tree.

    A stage that makes the same of the same tree and tool each time may say so by an attribute
    ``repeatable = True``: then the guard remembers what it left unchanged (see `Seen`).
    """

    @property
    def name(self) -> str:
        """Named in log lines when the stage fails."""
        ...

    @property
    def records(self) -> bool:
        """True for a stage that only notes what happened, once a tool call."""
        ...

    def apply(self, tree: Tree, call: Call) -> Tree:
        """Return the tree as it may go on; an exception withholds the whole result."""
        ...


# The plugins of one suite share what they know of a call; it goes when ADK drops the context.
_calls: WeakKeyDictionary[ToolContext, Call] = WeakKeyDictionary()


def call_of(tool: BaseTool, arguments: Mapping[str, Any], context: ToolContext) -> Call:
    """The record of a tool call, the same one for every plugin that sees the call."""
    call = _calls.get(context)
    if call is None:
        call = _calls[context] = Call(
            tool=tool.name,
            agent=context.agent_name,
            user_id=context.user_id,
            session_id=context.session.id,
            invocation_id=context.invocation_id,
            call_id=context.function_call_id or "",
            arguments=arguments,
        )
    return call


def run_stages(stages: Iterable[Stage], result: object, call: Call) -> Tree:
    """Run a result through stages, failing closed.

    Stages that record run last, on what the model will see, and also when another stage failed.
    """
    stages = tuple(stages)
    return finish(stages, citations_of(result), scrub(stages, result, call), call)


def finish(stages: Iterable[Stage], given: Sequence[str], tree: Tree, call: Call) -> Tree:
    """Count and record what became of a result whose passages were `given`."""
    # The cap names what it drops; a result that is withheld drops everything.
    call.not_issued += [
        citation for citation in dropped(given, tree) if citation not in call.not_issued
    ]
    guard_counts(call.kinds, dropped=len(call.not_issued), truncated=call.truncated)
    for stage in stages:
        if stage.records:
            try:
                tree = stage.apply(tree, call)
            except Exception as error:
                tree = _give_up(stage.name, error)
    return tree


def scrub(stages: Sequence[Stage], result: object, call: Call) -> Tree:
    """Run a result through the stages that change it, failing closed."""
    name = "normalise"
    try:
        tree = normalise(result)
        for stage in stages:
            if (bound := getattr(stage, "bound", None)) is not None:
                tree = bound(tree, call)
        for stage in stages:
            if not stage.records:
                name = stage.name
                tree = stage.apply(tree, call)
    except Exception as error:
        return _give_up(name, error)
    return tree


def screen_strings(tree: Tree, screen: Callable[[str], Screened], call: Call) -> Tree:
    """Screen every string of a tree and count the findings in the call's record."""
    # Tables repeat their keys and values in every row.
    once = cache(screen)

    def change(text: str) -> str:
        screened = once(text)
        call.note(screened.findings)
        return screened.text

    changed: Tree = map_strings(tree, change)
    return changed


def class_name(error: BaseException) -> str:
    """The class of an exception, safe to log: the one thing that the guard says of it."""
    return re.sub(r"\W", "_", type(error).__name__)[:80]


def _give_up(stage: str, error: Exception) -> Tree:
    # No traceback and no message: both may hold the text that is being withheld.
    logger.error("stage %s failed (%s); the result is withheld", stage, class_name(error))
    return withheld(f"the guard could not check this result (stage {stage})")
