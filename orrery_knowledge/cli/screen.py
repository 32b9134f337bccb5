"""`orrery-knowledge screen`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TextIO

import click

from orrery_knowledge.cli import options
from orrery_knowledge.cli.terminal import print_text, warn
from orrery_knowledge.errors import ConfigurationError, KnowledgeOff
from orrery_knowledge.screening import screen as screen_text
from orrery_knowledge.settings import Guard, load_settings


@click.command(
    epilog="""\b
Examples:
  orrery-knowledge screen docs/runbook.md
  kubectl logs my-pod | orrery-knowledge screen -
  orrery-knowledge screen --jsonl < texts.jsonl"""
)
@click.argument("file", default="-", type=click.File("r", encoding="utf-8", errors="replace"))
@click.option("--jsonl", is_flag=True, help='Read {"id","text"} lines, write screened ones.')
@options.command
def screen(config: Path | None, file: TextIO, jsonl: bool) -> int:
    """Withhold injected instructions and redact credentials and personal data in FILE or stdin."""
    kinds = _guard(config).personal
    if not jsonl:
        screened = screen_text(file.read(), kinds)
        print_text(screened.text)
        for finding in screened.findings:
            warn(f"line {finding.line}: {finding.kind}: {finding.rule}")
        return 0
    for number, line in enumerate(file, start=1):
        if not line.strip():
            continue
        record = _read(line, number)
        screened = screen_text(record["text"], kinds)
        findings = [finding.model_dump(mode="json") for finding in screened.findings]
        answer = {"id": record.get("id"), "text": screened.text, "findings": findings}
        click.echo(json.dumps(answer))
    return 0


def _guard(config: Path | None) -> Guard:
    """The section `guard`; screening works without a configuration, unless one is named."""
    try:
        return load_settings(config).guard
    except KnowledgeOff:
        return Guard()


def _read(line: str, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise ConfigurationError(f"line {number} is not JSON") from None
    if not isinstance(record, dict) or not isinstance(record.get("text"), str):
        raise ConfigurationError(f'line {number}: expected {{"id": ..., "text": "..."}}')
    return record
