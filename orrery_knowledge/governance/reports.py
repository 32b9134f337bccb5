"""Incident reports: a draft made by code from what was shown and recorded, finished by a person.

What failed and what ended the incident are fields, and code writes them: also when a person files
the finished text, so that no prose can say otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import yaml
from markdown_it import MarkdownIt

from orrery_knowledge.errors import DocumentError
from orrery_knowledge.governance.digests import framed_digest
from orrery_knowledge.governance.frontmatter import split_front_matter
from orrery_knowledge.governance.outcomes import REPORTS, REPORTS_CORPUS, plain_words, report_path
from orrery_knowledge.governance.records import Evidence, RecordedOutcome
from orrery_knowledge.models import Document
from orrery_knowledge.screening import label_text

DOCTYPE = "incident-report"
FAILED = "Remedies that failed"
RECOVERY = "Recovery"
TO_WRITE = "*To be written: what people saw, what was wrong, what ended it.*"

_OURS = ("doctype", "incident", "failed_remedies", "recovery")


def draft_report(
    investigation: str,
    evidence: Sequence[Evidence],
    outcomes: Sequence[RecordedOutcome],
    *,
    title: str | None = None,
    service: str | None = None,
) -> str:
    """A draft in Markdown; what was never issued is left out.

    Args:
        investigation: the incident.
        evidence: of it, in order.
        outcomes: of it, in order.
        title: of the report; the incident's name by default.
        service: that it is about; by default the one that all outcomes and passages name.
    """
    named = {one.service for one in outcomes if one.service}
    named |= {str(one.metadata["service"]) for one in evidence if one.metadata.get("service")}
    about = service or (next(iter(named)) if len(named) == 1 else None)
    name = title or f"Incident {investigation}"
    front: dict[str, Any] = {"title": label_text(name)}
    if about:
        front["service"] = about
    seen: dict[str, Evidence] = {one.citation: one for one in evidence if one.issued}
    shown = "\n".join(_passage(one) for one in seen.values()) or "Nothing was looked up.\n"
    body = f"# {label_text(name)}\n\n## Summary\n\n{TO_WRITE}\n\n## What was looked up\n\n{shown}"
    return finished_report(_with_front(front, body), investigation, outcomes)


def finished_report(text: str, investigation: str, outcomes: Sequence[RecordedOutcome]) -> str:
    """A report with the fields and sections that code writes, whatever it said there.

    Args:
        text: of the report, with or without front matter.
        investigation: the incident.
        outcomes: of it, in order.

    Raises:
        DocumentError: its front matter can't be read.
    """
    parts = split_front_matter(text)
    front = {key: value for key, value in parts.data.items() if key not in _OURS}
    failed = [one for one in outcomes if one.kind == "remedy" and one.result == "failed"]
    ended = [one for one in outcomes if one.kind == "recovery" or one.result == "worked"]
    front |= {
        "doctype": DOCTYPE,
        "incident": investigation,
        "failed_remedies": _texts(failed),
        "recovery": _texts(ended),
    }
    body = _without_sections(parts.body, {FAILED, RECOVERY})
    return _with_front(
        front, f"{body.rstrip()}\n\n{_section(FAILED, failed)}\n{_section(RECOVERY, ended)}"
    )


def report_document(investigation: str, text: str) -> Document:
    """A report as a document of its source."""
    return Document(
        corpus=REPORTS_CORPUS,
        source=REPORTS,
        path=report_path(investigation),
        uri=f"report:{report_path(investigation)}",
        text=text,
        revision=framed_digest("orrery-report-1", text),
        modified_at=datetime.now(UTC),
    )


def _texts(outcomes: Sequence[RecordedOutcome]) -> list[str]:
    """What was recorded, each thing once."""
    return list({plain_words(one.text): one.text for one in reversed(outcomes)}.values())[::-1]


def _section(title: str, outcomes: Sequence[RecordedOutcome]) -> str:
    lines = [
        f"- {_code(one.text)} ({one.result}, recorded {one.recorded_at:%Y-%m-%d %H:%M} UTC by "
        f"{label_text(one.recorded_by)})"
        for one in outcomes
    ]
    return f"## {title}\n\n" + ("\n".join(lines) or "None was recorded.") + "\n"


def _passage(one: Evidence) -> str:
    said = one.metadata
    trust = label_text(str(said.get("trust", "trust unknown")))
    label = label_text(str(said.get("label", one.path)))
    fence = "~" * max(3, *(len(run) + 1 for run in re.findall("~+", one.excerpt)), 3)
    return (
        f"### {one.sequence}. {label}\n\n{_code(one.citation)}, {trust}\n\n"
        f"{fence}text\n{one.excerpt.rstrip()}\n{fence}\n"
    )


def _code(text: str) -> str:
    """A text of one line as a code span, whatever backticks are in it."""
    ticks = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    pad = " " if "`" in text else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _with_front(front: dict[str, Any], body: str) -> str:
    said = yaml.safe_dump(front, sort_keys=False, allow_unicode=True, width=10_000)
    return f"---\n{said}---\n\n{body.strip()}\n"


def _without_sections(body: str, titles: set[str]) -> str:
    """Leave out the sections of these titles, up to the next heading that is no part of them."""
    tokens = MarkdownIt("commonmark").parse(body)
    lines = body.split("\n")
    out: list[tuple[int, int]] = []
    begun: tuple[int, int] | None = None
    for number, token in enumerate(tokens):
        if token.type != "heading_open" or token.map is None or token.level:
            continue
        level, start = int(token.tag[1:]), token.map[0]
        if begun is not None and level <= begun[1]:
            out.append((begun[0], start))
            begun = None
        if begun is None and tokens[number + 1].content.strip() in titles:
            begun = (start, level)
    if begun is not None:
        out.append((begun[0], len(lines)))
    for start, end in reversed(out):
        del lines[start:end]
    return "\n".join(lines)


def check_report(text: str) -> str:
    """The text, if it can be a report.

    Raises:
        DocumentError: it can't; the message says why.
    """
    if TO_WRITE in text:
        raise DocumentError("the summary is not written yet: replace the line in it")
    return text
