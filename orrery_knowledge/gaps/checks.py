"""Which alert rules have a runbook that routing would find when they fire."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Protocol

import re2

from orrery_knowledge.alerts import Alert, Payload, Routing
from orrery_knowledge.alerts.runbooks import runbook_links
from orrery_knowledge.errors import BackendUnavailable, ConfigurationError
from orrery_knowledge.gaps.rules import AlertRule
from orrery_knowledge.gaps.stubs import Stub
from orrery_knowledge.governance.cleaning import one_line
from orrery_knowledge.models import Model
from orrery_knowledge.screening import screen

Problem = Literal["no_runbook", "unresolved", "not_checkable"]

_MAX_SHOWN = 200
_TEMPLATE = re2.compile(r"(?s)\{\{.*?\}\}")


class RuleFinding(Model):
    """An alert rule with something to say about. Fields: ``docs/reference/json.md``.

    Attributes:
        file: where the rule stands.
        line: of its name.
        group: name of its group.
        alert: its name.
        problem: ``no_runbook``: nothing is found; ``unresolved``: its ``runbook_url`` leads to no
            indexed section; ``not_checkable``: the address holds a template, and is no failure.
        runbook_url: as it stands there, redacted; None without one.
        found: label of the section that other evidence finds; None without one.
    """

    file: str
    line: int
    group: str
    alert: str
    problem: Problem
    runbook_url: str | None
    found: str | None


class RuleReport(Model):
    """What a check of rules found.

    Attributes:
        rules: how many alerting rules there were.
        findings: in the order of the files.
    """

    rules: int
    findings: tuple[RuleFinding, ...]

    @property
    def failures(self) -> int:
        """How many rules lack a runbook, or name one that isn't there."""
        return sum(finding.problem != "not_checkable" for finding in self.findings)


class Routes(Protocol):
    """What answers alerts; `orrery_knowledge.alerts.AlertRouter` is one."""

    async def route(self, payload: Payload) -> Routing:
        """Find the sections for every different alert."""
        ...


async def check_rules(rules: Iterable[AlertRule], router: Routes) -> RuleReport:
    """Route each rule as if it fired, and say where that leads nowhere.

    Args:
        rules: from `read_rules`.
        router: the one that answers when alerts come in.

    Raises:
        BackendUnavailable: the index or the ledger does not answer.
    """
    count, findings = 0, []
    for rule in rules:
        count += 1
        if found := await _check(rule, router):
            findings.append(found)
    return RuleReport(rules=count, findings=tuple(findings))


def rule_stubs(rules: Iterable[AlertRule], report: RuleReport) -> list[Stub]:
    """What to write for alerts for which nothing is found, one each."""
    missing = {one.alert for one in report.findings if one.found is None}
    stubs: dict[str, Stub] = {}
    for rule in rules:
        if _shown(rule.name) in missing and rule.name not in stubs:
            told = (rule.annotations.get(key) for key in ("summary", "description"))
            notes = (*filter(None, told), f"Rule: {rule.file}, line {rule.line}.")
            stubs[rule.name] = Stub(rule.name, notes)
    return list(stubs.values())


async def _check(rule: AlertRule, router: Routes) -> RuleFinding | None:
    alert = _as_fired(rule)
    links = _addresses(rule, alert)
    checkable = [link for link in links if not _TEMPLATE.search(link)]
    routing = await router.route(Payload((alert,), 0))
    [route] = routing.routes
    if route.status == "unavailable":
        raise BackendUnavailable(route.reason or "the knowledge index does not answer")
    if route.status == "invalid":
        raise ConfigurationError(f"rules: {rule.file}, line {rule.line}: {route.reason}")
    found = route.passages[0].label if route.advice is None and route.passages else None
    if checkable and route.matched_by != "runbook_url":
        problem: Problem = "unresolved"
    elif found is None:
        problem = "no_runbook"
    elif links and not checkable:
        problem = "not_checkable"
    else:
        return None
    return RuleFinding(
        file=rule.file,
        line=rule.line,
        group=_shown(rule.group),
        alert=_shown(rule.name),
        problem=problem,
        runbook_url=_shown((checkable or links)[0]) if links else None,
        found=found,
    )


def _as_fired(rule: AlertRule) -> Alert:
    """The rule as it fires, without what only Prometheus can fill in."""
    labels = {name: text for name, text in rule.labels.items() if not _TEMPLATE.search(text)}
    alert = Alert(
        name=rule.name,
        status="firing",
        labels={**labels, "alertname": rule.name},
        annotations=rule.annotations,
        starts_at="",
        fingerprint="",
    )
    unknown = {name for name in runbook_links(alert) if _TEMPLATE.search(rule.annotations[name])}
    known = {
        name: _TEMPLATE.sub(" ", text)
        for name, text in rule.annotations.items()
        if name not in unknown
    }
    return alert._replace(annotations=known)


def _addresses(rule: AlertRule, alert: Alert) -> list[str]:
    """Where the rule says its runbook is; prose in such an annotation leads nowhere."""
    given = alert._replace(annotations=rule.annotations)
    links = (rule.annotations[name].strip() for name in runbook_links(given))
    return [link for link in links if len(_TEMPLATE.sub("", link).split()) <= 1 and link]


def _shown(text: str) -> str:
    return one_line(screen(text).text, _MAX_SHOWN)
