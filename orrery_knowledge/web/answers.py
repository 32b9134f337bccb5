"""Answers in JSON, and what is refused before it is looked at."""

from __future__ import annotations

import json
from typing import Any

from fastapi import Request
from starlette.responses import Response

from orrery_knowledge.web.bodies import Refused


def as_json(value: Any, code: int = 200) -> Response:
    """An answer that nobody keeps."""
    # In ASCII: a question may hold what UTF-8 can't carry.
    body = json.dumps(value, allow_nan=False, separators=(",", ":"))
    headers = {"Cache-Control": "no-store"}
    return Response(body, code, headers, media_type="application/json")


def refusal(code: int, reason: str) -> Response:
    """An error of one line."""
    return as_json({"error": {"code": code, "message": reason}}, code)


def refuse_pages(request: Request) -> None:
    """No page of the web has business here: browsers name the page, programs don't.

    Raises:
        Refused: it comes from one.
    """
    if "origin" in request.headers or request.headers.get("sec-fetch-site", "none") != "none":
        raise Refused(403, "requests of web pages are refused")
