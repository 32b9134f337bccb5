"""The HTTP application."""

from __future__ import annotations

import json
import logging

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from orrery_knowledge.alerts import MAX_BYTES, AlertRouter, read_payload
from orrery_knowledge.errors import (
    BackendUnavailable,
    ConfigurationError,
    EmbedderError,
    Forbidden,
    InvalidPayload,
    KnowledgeError,
    LoadError,
    StaleDecision,
)
from orrery_knowledge.governance.identities import Identities
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.models import Mode, Query
from orrery_knowledge.retrieval import Retrieval
from orrery_knowledge.reviewing import Reviewing
from orrery_knowledge.web.access import Needs
from orrery_knowledge.web.answers import as_json, refusal, refuse_pages
from orrery_knowledge.web.bodies import Bodies, Refused
from orrery_knowledge.web.reviews import add_reviews

MAX_QUESTION_BYTES = 256 * 1024
"""Of the body of a search; a pasted log is cut to its ends anyway."""

HOSTS = ("localhost", "127.0.0.1", "[::1]")
"""What a Host header may name. A page of the web whose name was made to lead here names itself."""

_SEARCHED = {"ok": 200, "no_match": 200, "invalid": 400, "unavailable": 503}

_FAILED: dict[type[KnowledgeError], int] = {
    Forbidden: 403,
    StaleDecision: 409,
    BackendUnavailable: 503,
    EmbedderError: 503,
    LoadError: 503,
    ConfigurationError: 500,
}
"""What is not named here was asked wrongly."""

logger = logging.getLogger(__name__)


class Question(BaseModel):
    """The body of a search; the fields are those of `Query`."""

    model_config = ConfigDict(extra="forbid")
    query: str
    top_k: int | None = Field(default=None, ge=1, le=50)
    service: str | None = None
    corpus: str | None = None
    mode: Mode = "hybrid"
    per_document: int = Field(default=1, ge=0, le=10_000)


def create_app(
    retrieval: Retrieval,
    *,
    top_k: int = 6,
    identities: Identities | None = None,
    reviews: tuple[Reviewing, Ledger] | None = None,
) -> FastAPI:
    """Build the application; whoever calls closes the parts.

    Args:
        retrieval: what is asked.
        top_k: passages of an answer, where nobody says otherwise.
        identities: who is known by a token; without any, whoever asks on this machine may read.
        reviews: who decides, and the ledger that it decides in; None where a backend is only
            searched.
    """
    app = FastAPI(title="orrery-knowledge", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.identities = identities or Identities()
    # A name that was made to lead here brings no token along.
    hosts = ["*"] if app.state.identities.configured else list(HOSTS)
    app.add_middleware(_Contained)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False)
    router = AlertRouter(retrieval, top_k=top_k)
    bodies = Bodies()
    viewer = Depends(Needs("viewer"))
    if reviews is not None:
        add_reviews(app, *reviews, bodies)

    @app.post("/alerts/route", dependencies=[viewer])
    async def route_alerts(request: Request) -> Response:
        refuse_pages(request)
        async with bodies.read(request, MAX_BYTES) as body:
            routing = await router.route(read_payload(body), delivered=True)
        # Alertmanager delivers again what is answered with 5xx, and gives up on 4xx.
        return as_json(routing.model_dump(mode="json"), 503 if routing.unavailable else 200)

    @app.post("/search", dependencies=[viewer])
    async def search(request: Request) -> Response:
        refuse_pages(request)
        async with bodies.read(request, MAX_QUESTION_BYTES) as body:
            asked = _question(body)
        query = Query(
            text=asked.query,
            top_k=asked.top_k or top_k,
            service=asked.service,
            corpus=asked.corpus,
            mode=asked.mode,
            per_document=asked.per_document,
        )
        result = await retrieval.search(query)
        if result.is_gap:
            await retrieval.note_gap("question", query.text, unsure=result.status == "ok")
        return as_json(result.model_dump(mode="json"), _SEARCHED[result.status])

    @app.get("/healthz")
    async def healthz() -> Response:
        return as_json({"status": "ok"})

    @app.get("/readyz")
    async def readyz() -> Response:
        try:
            load, _ = await retrieval.state()
        except KnowledgeError as error:
            return as_json({"status": "unavailable", "reason": str(error)}, 503)
        if load is None:
            return as_json({"status": "unavailable", "reason": "no load is active"}, 503)
        return as_json({"status": "ok", "load": load})

    @app.exception_handler(Refused)
    async def refused(_: Request, error: Refused) -> Response:
        answer = refusal(error.code, error.reason)
        if error.code == 401:
            answer.headers["WWW-Authenticate"] = "Bearer"
        if error.retry_after is not None:
            answer.headers["Retry-After"] = str(error.retry_after)
        return answer

    @app.exception_handler(InvalidPayload)
    async def invalid(_: Request, error: InvalidPayload) -> Response:
        return refusal(400, str(error))

    @app.exception_handler(KnowledgeError)
    async def failed(_: Request, error: KnowledgeError) -> Response:
        code = next((code for kind, code in _FAILED.items() if isinstance(error, kind)), 400)
        return refusal(code, str(error))

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        return refusal(400, f"{'.'.join(map(str, first['loc']))[:100]}: {first['msg']}")

    @app.exception_handler(HTTPException)
    async def other(_: Request, error: HTTPException) -> Response:
        return refusal(error.status_code, str(error.detail))

    @app.exception_handler(ClientDisconnect)
    async def gone(_: Request, __: ClientDisconnect) -> Response:
        return refusal(400, "the connection was closed")

    return app


class _Contained:
    """Keeps errors from the server, which would log them with what a request said."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        except Exception as error:  # a handler of it would be told, and the server all the same
            if scope["type"] != "http":
                raise
            logger.error("a request failed: %s", type(error).__name__)
            await refusal(500, "internal error")(scope, receive, send)


def _question(body: bytes) -> Question:
    try:
        return Question.model_validate(json.loads(body))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the body"
        raise Refused(400, f"{where[:100]}: {first['msg']}") from None
    except (ValueError, RecursionError):
        raise Refused(400, "the body is no JSON") from None
