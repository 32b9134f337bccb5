"""Reviews and evidence over HTTP. An id holds slashes and escapes, so it is no part of a path."""

from __future__ import annotations

import json
from typing import Annotated, TypeVar, get_args

from fastapi import Depends, FastAPI, Request
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError
from starlette.responses import Response

from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.records import ReviewStatus
from orrery_knowledge.governance.review_lines import line_of
from orrery_knowledge.reviewing import Reviewer, Reviewing
from orrery_knowledge.web.access import Needs
from orrery_knowledge.web.answers import as_json, refuse_pages
from orrery_knowledge.web.bodies import Bodies, Refused

MAX_DECISION_BYTES = 64 * 1024

Approver = Annotated[Reviewer, Depends(Needs("approver"))]
Viewer = Annotated[Reviewer, Depends(Needs("viewer"))]


class Asked(BaseModel):
    """The body of a decision."""

    model_config = ConfigDict(extra="forbid", strict=True)
    id: str
    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]


class Approval(Asked):
    """The body of an approval.

    Attributes:
        again: whether they know that it was rejected, revoked or expired before.
    """

    again: bool = False


A = TypeVar("A", bound=Asked)


def add_reviews(app: FastAPI, reviewing: Reviewing, ledger: Ledger, bodies: Bodies) -> None:
    """Add the routes of reviews and evidence.

    Args:
        app: what gets them.
        reviewing: who decides.
        ledger: the same that it decides in; opened on first use.
        bodies: of the server.
    """

    @app.get("/reviews")
    async def reviews(
        _: Approver,
        status: str | None = None,
        source: str | None = None,
    ) -> Response:
        if status is not None and status not in get_args(ReviewStatus):
            raise Refused(400, f"status is one of {', '.join(get_args(ReviewStatus))}")
        await ledger.open()
        found = [line_of(one) for one in await ledger.reviews(source)]
        return as_json(
            [one.model_dump(mode="json") for one in found if status in (None, one.status)]
        )

    @app.get("/reviews/show")
    async def review(id: str, _: Approver) -> Response:
        await ledger.open()
        return as_json((await reviewing.show(id)).model_dump(mode="json"))

    @app.post("/reviews/approve")
    async def approve(request: Request, by: Approver) -> Response:
        asked = await read(request, Approval)
        done = await reviewing.approve(asked.id, by, asked.reason, again=asked.again)
        return as_json(done.model_dump(mode="json"))

    @app.post("/reviews/reject")
    async def reject(request: Request, by: Approver) -> Response:
        asked = await read(request, Asked)
        return as_json((await reviewing.reject(asked.id, by, asked.reason)).model_dump(mode="json"))

    @app.post("/reviews/revoke")
    async def revoke(request: Request, by: Approver) -> Response:
        asked = await read(request, Asked)
        return as_json((await reviewing.revoke(asked.id, by, asked.reason)).model_dump(mode="json"))

    @app.get("/evidence/{investigation:path}")
    async def evidence(investigation: str, _: Viewer) -> Response:
        await ledger.open()
        found = await ledger.evidence(investigation)
        if not found:
            raise Refused(404, "nothing was issued under this investigation")
        return as_json([one.model_dump(mode="json") for one in found])

    async def read(request: Request, kind: type[A]) -> A:
        refuse_pages(request)
        sent = request.headers.get("content-type", "").partition(";")[0].strip().casefold()
        if sent != "application/json":
            # What a form of a web page can't send without asking first.
            raise Refused(415, "a decision is sent as application/json")
        async with bodies.read(request, MAX_DECISION_BYTES) as body:
            try:
                asked = kind.model_validate(json.loads(body))
            except (ValidationError, ValueError, RecursionError):
                raise Refused(400, 'the body is {"id": "...", "reason": "..."}') from None
        await ledger.open()
        return asked
