"""An alert to the sections that explain it, in order of evidence; a flapping one costs nothing."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from pydantic import Field

from orrery_knowledge.alerts.payload import MAX_FINGERPRINTS, Alert, Payload, Status
from orrery_knowledge.alerts.query import alert_query
from orrery_knowledge.alerts.runbooks import MatchedBy, Runbooks, runbook_links
from orrery_knowledge.errors import KnowledgeError
from orrery_knowledge.models import Model, Named, Query, SearchResult
from orrery_knowledge.retrieval import Retrieval
from orrery_knowledge.screening import label_text, screen

MAX_ROUTES = 64
"""Different alerts of one webhook that are routed; the rest counts as truncated."""

MAX_CACHED = 1_000
"""Routes that are remembered."""

MAX_AGE_SECONDS = 600.0
"""For how long: ages in days and addresses of documents move on without a new load."""

ROUTE_SECONDS = 30.0
"""For all routes of a webhook that a machine sent. What is not found by then is unavailable; when
it is delivered again, what was found is remembered, so that it gets further."""

LEDGER_SECONDS = 10.0
"""To remember the deliveries of a webhook, and again to count its gaps."""

NO_MATCH = "no runbook matches with confidence: page a human"
RESOLVED = "resolved: nothing to do for this alert"
UNAVAILABLE = "the knowledge index does not answer: page a human"
TOO_LATE = "the webhook took too long"


class RoutedAlert(Model):
    """Which alerts a route is for.

    Attributes:
        name: their name.
        status: their own status.
        fingerprints: of the first hundred of them.
        count: how many there are.
    """

    name: str
    status: Status
    fingerprints: tuple[str, ...]
    count: int


class Route(SearchResult):
    """A search with the alert that it is for. Fields: ``docs/reference/json.md``.

    Attributes:
        matched_by: the strongest evidence for the first passage.
        advice: what to do where no runbook says it; None where one does.
        duplicate: whether all of this was delivered before.
    """

    alert: RoutedAlert
    matched_by: MatchedBy
    advice: str | None = None
    duplicate: bool = False


class Routing(Model):
    """The answer to a webhook.

    Attributes:
        routes: one for each different alert name and status.
        truncated: alerts that nobody looked at.
    """

    routes: tuple[Route, ...]
    truncated: int = Field(default=0, ge=0)

    @property
    def unavailable(self) -> bool:
        """Whether a route could not be looked for."""
        return any(route.status == "unavailable" for route in self.routes)


State = tuple[int | None, int]


class _Asked(NamedTuple):
    """What a route depends on; equal ones have equal answers."""

    text: str
    name: str
    links: tuple[str, ...]
    state: State


class _Found(NamedTuple):
    """A result whose query is fit to be shown, like the name: both are an alert's own words."""

    result: SearchResult
    matched_by: MatchedBy
    name: str


def _shown(result: SearchResult, matched: MatchedBy, name: str) -> _Found:
    screened = result.model_copy(update={"query": screen(result.query).text})
    return _Found(screened, matched, label_text(screen(name).text))


def _missing(group: Sequence[Alert], reason: str) -> _Found:
    failed = _empty("unavailable", alert_query(group), reason)
    return _shown(failed, "search", group[0].name)


def _shaped(group: Sequence[Alert], found: _Found, took_ms: float = 0.0) -> Route:
    status = group[0].status
    seen = list(dict.fromkeys(alert.fingerprint for alert in group))[:MAX_FINGERPRINTS]
    return Route(
        **dict(found.result) | {"took_ms": took_ms},
        alert=RoutedAlert(
            name=found.name,
            status=status,
            fingerprints=tuple(map(label_text, seen)),
            count=len(group),
        ),
        matched_by=found.matched_by,
        advice=_advice(found.result, status),
    )


class AlertRouter:
    """Routes webhooks, and remembers what it found.

    Args:
        retrieval: where every passage comes from, so that eligibility and screening hold.
        top_k: passages of a route.
        clock: seconds, from any start.
    """

    def __init__(
        self,
        retrieval: Retrieval,
        *,
        top_k: int = 6,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._retrieval = retrieval
        self._top_k = top_k
        self._clock = clock
        self._found: OrderedDict[_Asked, tuple[float, asyncio.Task[_Found]]] = OrderedDict()
        self._runbooks: tuple[State, float, asyncio.Task[Runbooks]] | None = None

    async def route(self, payload: Payload, *, delivered: bool = False) -> Routing:
        """Find the sections for every different alert of a webhook.

        Args:
            payload: what came in.
            delivered: whether a machine sent it. Then it is remembered for a day, what came before
                is marked, and a firing alert that no runbook answers counts as a gap, once.
        """
        groups: dict[tuple[str, Status], list[Alert]] = {}
        for alert in payload.alerts:
            groups.setdefault((alert.name, alert.status), []).append(alert)
        routed = list(groups.values())[:MAX_ROUTES]
        left_out = sum(map(len, groups.values())) - sum(map(len, routed))
        try:
            async with asyncio.timeout(ROUTE_SECONDS if delivered else None) as limit:
                state = await self._retrieval.state()
        except (KnowledgeError, TimeoutError) as error:
            reason = str(error) or TOO_LATE
            routes = [_shaped(group, _missing(group, reason)) for group in routed]
        else:
            until = limit.when()
            routes = [await self._route(group, state, until) for group in routed]
        if delivered:
            routes = await self._delivered(routes, routed)
        return Routing(routes=tuple(routes), truncated=payload.truncated + left_out)

    async def _route(self, group: Sequence[Alert], state: State, until: float | None) -> Route:
        started = self._clock()
        try:
            async with asyncio.timeout_at(until):
                await asyncio.sleep(0)  # when it is too late, no search begins
                found = await self._find(group, state)
        except (KnowledgeError, TimeoutError) as error:
            found = _missing(group, str(error) or TOO_LATE)
        return _shaped(group, found, round((self._clock() - started) * 1000, 1))

    async def _find(self, group: Sequence[Alert], state: State) -> _Found:
        """Search once for everybody who asks the same, also at the same time."""
        first = group[0]
        links = tuple(map(first.annotations.__getitem__, runbook_links(first)))
        asked = _Asked(alert_query(group), first.name, links, state)
        now = self._clock()
        at, task = self._found.get(asked, (now, None))
        if task is None or now - at > MAX_AGE_SECONDS:
            task = asyncio.ensure_future(self._search(first, asked))
            task.add_done_callback(partial(self._settled, asked))
            self._found[asked] = (now, task)
            while len(self._found) > MAX_CACHED:
                self._found.popitem(last=False)
        self._found.move_to_end(asked)
        # Whoever asked first may give up; the others still wait for the answer.
        return await asyncio.shield(task)

    def _settled(self, asked: _Asked, task: asyncio.Task[_Found]) -> None:
        """Remember no failure, whether or not somebody still waits for it."""
        failed = task.cancelled() or task.exception() is not None
        failed = failed or task.result().result.status == "unavailable"
        if failed and self._found.get(asked, (0.0, None))[1] is task:
            del self._found[asked]

    async def _search(self, alert: Alert, asked: _Asked) -> _Found:
        named = (await self._known_runbooks(asked.state)).find(alert)
        text = asked.text
        if not text.strip():
            return _shown(_empty("no_match", text, None), "search", alert.name)
        result = await self._retrieval.search(Query(text=text, top_k=self._top_k), named=named)
        return _shown(result, matched_by(named, result), alert.name)

    async def _known_runbooks(self, state: State) -> Runbooks:
        now = self._clock()
        known = self._runbooks
        if known is None or known[0] != state or now - known[1] > MAX_AGE_SECONDS:
            known = (state, now, asyncio.ensure_future(self._read_runbooks()))
            self._runbooks = known
        try:
            return await asyncio.shield(known[2])
        except BaseException:
            if known[2].done() and self._runbooks is known:
                self._runbooks = None
            raise

    async def _read_runbooks(self) -> Runbooks:
        outline = await self._retrieval.outline()
        return await asyncio.to_thread(Runbooks, outline)

    async def _delivered(
        self, routes: Sequence[Route], groups: Sequence[Sequence[Alert]]
    ) -> list[Route]:
        # What could not be looked for is delivered again, and then it must not look known.
        keys = [
            alert.delivery
            for route, group in zip(routes, groups, strict=True)
            if route.status in _ANSWERED
            for alert in group
        ]
        try:
            async with asyncio.timeout(LEDGER_SECONDS):
                new = await self._retrieval.new_deliveries(keys)
        except (KnowledgeError, TimeoutError) as error:
            reason = str(error) or TOO_LATE
            return [
                route.model_copy(
                    update={
                        **dict(_empty("unavailable", route.query, reason)),
                        "advice": UNAVAILABLE,
                    }
                )
                for route in routes
            ]
        marked = []
        gaps = []
        for route, group in zip(routes, groups, strict=True):
            again = route.status in _ANSWERED and all(one.delivery not in new for one in group)
            marked.append(route.model_copy(update={"duplicate": again}))
            if route.is_gap and route.alert.status == "firing" and not again:
                gaps.append((group[0].name, route.status == "ok"))
        with suppress(TimeoutError):
            async with asyncio.timeout(LEDGER_SECONDS):
                for name, unsure in gaps:
                    await self._retrieval.note_gap("alert", name, unsure=unsure)
        return marked


_ANSWERED = ("ok", "no_match")


def matched_by(named: Named | None, result: SearchResult) -> MatchedBy:
    """The evidence for the first passage: what was named may have lost its eligibility since."""
    for kind in ("runbook_url", "alert_name"):
        if named and named.by == kind and result.passages and kind in result.passages[0].matched:
            return kind
    return "search"


def _advice(result: SearchResult, status: Status) -> str | None:
    if status == "resolved":
        return RESOLVED
    if result.status == "unavailable":
        return UNAVAILABLE
    return None if result.confident else NO_MATCH


def _empty(status: str, query: str, reason: str | None) -> SearchResult:
    return SearchResult.model_validate(
        {
            "status": status,
            "confident": False,
            "confidence": 0.0,
            "query": query,
            "reason": reason,
        }
    )
