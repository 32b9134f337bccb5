"""Audit: one structured record per tool call, without the text of anything."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

from orrery_knowledge.screening import redact_credentials, redact_personal
from orrery_knowledge.screening.patterns import compiled
from orrery_plugins.results import Tree, passages_of, size
from orrery_plugins.stage_plugin import StagePlugin
from orrery_plugins.stages import Call, class_name

logger = logging.getLogger("orrery.audit")

AuditSink = Callable[[dict[str, Any]], None]
MAX_NAME = 200
MAX_QUERY = 2_000
_STATUSES = frozenset(
    {"ok", "no_match", "unavailable", "invalid", "withheld", "error", "cancelled", "pending"}
)
# Any tool may return a "citation"; only what looks like one of ours is written down.
_CITATION = compiled(r"kb:[^\x00-\x1f\x7f]{1,480}@[0-9a-f]{7}")


class Audit:
    """Writes who asked what (as a digest), what came back, and what the other stages did.

    Args:
        sink: gets each record as a JSON-able dict; by default it becomes one line of JSON on the
            ``orrery.audit`` logger. When the sink raises, the result is withheld.
        fail_open: let a result pass whose record could not be written, with an error in the log.
        queries: put the query itself into the record, redacted, and not only its digest.
    """

    name = "audit"
    records = True

    def __init__(
        self, sink: AuditSink | None = None, *, fail_open: bool = False, queries: bool = False
    ) -> None:
        self._sink = sink or log_line
        self._fail_open = fail_open
        self._queries = queries

    def apply(self, tree: Tree, call: Call) -> Tree:
        """Write the record; return the tree as it is."""
        try:
            self._sink(self._record(tree, call))
        except Exception as error:
            if not self._fail_open:
                raise
            logger.error("an audit record was lost (%s)", class_name(error))
        return tree

    def _record(self, tree: Tree, call: Call) -> dict[str, Any]:
        passages = passages_of(tree) or []
        query = call.arguments.get("query")
        query = query if isinstance(query, str) else None
        record = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "event": "tool_call",
            "user_id": _name(call.user_id),
            "agent": _name(call.agent),
            "tool": _name(call.tool),
            "call_id": _name(call.call_id),
            "session_id": _name(call.session_id),
            "invocation_id": _name(call.invocation_id),
            "status": _status(tree),
            "query_digest": _digest(query) if query is not None else None,
            "query_characters": len(query) if query is not None else None,
            "load": load if isinstance(load := tree.get("load"), int) else None,
            "passages": len(passages),
            "issued": _citations(passage.get("citation") for passage in passages),
            "not_issued": _citations(call.not_issued),
            "findings": dict(sorted(call.findings.items())),
            "truncated": call.truncated,
            "characters": size(tree),
            # Four characters a token, the usual rule of thumb for English.
            "estimated_tokens": -(-size(tree) // 4),
            "latency_ms": round((perf_counter() - call.began) * 1000, 1),
        }
        if self._queries and query is not None:
            record["query"] = _name(query, MAX_QUERY)
        return record


class AuditPlugin(StagePlugin):
    """The audit as a plugin of its own. Register it last of the four.

    Args:
        sink: see `Audit`.
        name: the plugin's name in ADK.
        fail_open: see `Audit`.
        queries: see `Audit`.
    """

    def __init__(
        self,
        sink: AuditSink | None = None,
        name: str = "orrery_audit",
        *,
        fail_open: bool = False,
        queries: bool = False,
    ) -> None:
        super().__init__(name, [Audit(sink, fail_open=fail_open, queries=queries)])


def log_line(record: dict[str, Any]) -> None:
    """Write a record as one line: JSON escapes whatever could start another line."""
    logger.info("%s", json.dumps(record, ensure_ascii=True))


def _status(tree: Tree) -> str:
    status = tree.get("status")
    if isinstance(status, str) and status in _STATUSES:
        return status
    # MCP servers say isError; ADK and most tools say error.
    return "error" if tree.get("isError") is True or tree.get("error") else "ok"


def _digest(query: str) -> str:
    return hashlib.sha256(query.encode("utf-8", "replace")).hexdigest()


def _name(name: str, longest: int = MAX_NAME) -> str:
    """A name as logged: models invent tool names, clients choose session ids."""
    return redact_personal(redact_credentials(name[:longest]).text).text


def _citations(values: Any) -> list[str]:
    return [value for value in values if isinstance(value, str) and _CITATION.fullmatch(value)]
