"""`orrery-knowledge doctor`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import click
import yaml

from orrery_knowledge.cli import options
from orrery_knowledge.cli.terminal import print_json, say
from orrery_knowledge.errors import (
    BackendUnavailable,
    ConfigurationError,
    KnowledgeError,
    KnowledgeOff,
    LedgerBehind,
    LoadsHeld,
    MissingExtra,
)
from orrery_knowledge.explanations import nothing_shown
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.reviews import LEDGER_BEHIND, unapplied
from orrery_knowledge.protocols import KnowledgeIndex
from orrery_knowledge.retrieval import NOTHING_INDEXED
from orrery_knowledge.runtime import build_embedder, build_index, build_ledger
from orrery_knowledge.settings import Settings, load_settings
from orrery_knowledge.sync import HELD


class Check(NamedTuple):
    """What was looked at, whether it is as it should be, and the exit code if not."""

    name: str
    ok: bool
    detail: str
    code: int = 0


@click.command(
    epilog="""\b
Examples:
  orrery-knowledge doctor
  orrery-knowledge doctor agents
  orrery-knowledge doctor agents/on_call --waivers waivers.yaml"""
)
@click.argument("agents", type=click.Path(path_type=Path), required=False, metavar="[AGENT_DIR]")
@click.option(
    "--waivers",
    type=click.Path(path_type=Path),
    help="YAML file: the id of a finding that is meant to be, and the reason.",
)
@options.as_json
@options.command
async def doctor(
    config: Path | None, agents: Path | None, waivers: Path | None, json_: bool
) -> int:
    """Say whether the installation is healthy, and whether agents are guarded.

    AGENT_DIR holds agents as `adk web` takes them. Each is loaded by ADK's own loader, walked, and
    asked what would reach its model past the guard; then canaries go through its plugins in a real
    turn. No tool of an agent is called and no model is asked.
    """
    checks = await _installation(config, may_be_off=agents is not None)
    if agents is not None:
        checks += _agents(agents, _read(waivers) if waivers else {})
    if json_:
        print_json(
            {
                "ok": all(check.ok for check in checks),
                "checks": [
                    {"name": check.name, "ok": check.ok, "detail": check.detail} for check in checks
                ],
            }
        )
    else:
        for check in checks:
            say(f"{'ok' if check.ok else 'FAILED':6}  {check.name}: {check.detail}")
    return max(check.code for check in checks)


async def _installation(config: Path | None, *, may_be_off: bool) -> list[Check]:
    try:
        settings = load_settings(config)
    except KnowledgeOff as error:
        if not may_be_off:
            raise
        return [Check("configuration", True, f"knowledge is off ({error})")]
    except KnowledgeError as error:
        return [Check("configuration", False, str(error), error.exit_code)]
    made = f"backend {settings.backend.type}, embedder {settings.embedder.type}"
    return [Check("configuration", True, made), *await _stores(settings), _embedder(settings)]


async def _stores(settings: Settings) -> list[Check]:
    ledger = build_ledger(settings)
    try:
        index = build_index(settings)
    except KnowledgeError as error:
        index, refused = None, Check("index", False, str(error), error.exit_code)
    try:
        first = refused if index is None else await _index(index, ledger)
        return [first, await _ledger(index, ledger)]
    finally:
        if index is not None:
            await index.close()
        await ledger.close()


async def _index(index: KnowledgeIndex, ledger: Ledger) -> Check:
    try:
        load = await index.active_load()
        shown = await index.visible() if load is not None else []
        held = await index.held()
    except KnowledgeError as error:
        return Check("index", False, str(error), error.exit_code)
    if load is None:
        return Check("index", False, NOTHING_INDEXED, BackendUnavailable.exit_code)
    if not shown and (reason := await _why_nothing(index, ledger)):
        return Check("index", False, reason, BackendUnavailable.exit_code)
    answers = f"load {load} answers, with documents: {len(shown)}"
    if held:
        return Check("index", False, f"{answers}; but {HELD}", LoadsHeld.exit_code)
    return Check("index", True, answers)


async def _why_nothing(index: KnowledgeIndex, ledger: Ledger) -> str | None:
    """As a search would say it; what is wrong with the ledger itself is a check of its own."""
    try:
        if not await ledger.exists():
            return None
        await ledger.open()
        return await nothing_shown(index, ledger)
    except KnowledgeError:
        return None


async def _ledger(index: KnowledgeIndex | None, ledger: Ledger) -> Check:
    try:
        applied = await _applied(index) if index is not None else 0
        if not await ledger.exists():
            if applied:
                return Check("ledger", False, LEDGER_BEHIND, LedgerBehind.exit_code)
            return Check("ledger", False, "there is none yet; run orrery-knowledge sync", 1)
        await ledger.open()
        open_entries = await ledger.list_quarantine()
        if index is not None and applied:
            await unapplied(index, ledger)
    except KnowledgeError as error:
        return Check("ledger", False, str(error), error.exit_code)
    return Check("ledger", True, f"answers, with documents in quarantine: {len(open_entries)}")


async def _applied(index: KnowledgeIndex) -> int:
    try:
        return await index.applied_decision()
    except KnowledgeError:
        return 0  # the index has a check of its own


def _embedder(settings: Settings) -> Check:
    try:
        embedder = build_embedder(settings)
    except KnowledgeError as error:
        return Check("embedder", False, str(error), error.exit_code)
    if embedder is None:
        return Check("embedder", True, "none: search goes by words alone")
    return Check("embedder", True, f"{embedder.fingerprint}")


def _agents(folder: Path, waivers: Mapping[str, Mapping[str, str]]) -> list[Check]:
    try:
        from orrery_knowledge.adk.checks.folder import examine
    except ImportError as error:
        raise MissingExtra("adk", "google.adk") from error
    checks: list[Check] = []
    for name, found in examine(folder, waivers).items():
        checks += [Check(f"agent {name}", False, str(bypass), 1) for bypass in found]
        if not found:
            waived = f" but for waivers: {len(waivers[name])}" if waivers.get(name) else ""
            good = f"no way past the guard{waived}; the canaries did not get through it"
            checks.append(Check(f"agent {name}", True, good))
    return checks


def _read(file: Path) -> dict[str, dict[str, str]]:
    form = "agent name, then finding, then reason"
    try:
        read = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError) as error:
        what = getattr(error, "strerror", None) or "is not UTF-8"
        raise ConfigurationError(f"{file}: can't be read: {what}") from error
    except yaml.YAMLError as error:
        line = getattr(getattr(error, "problem_mark", None), "line", 0) + 1
        raise ConfigurationError(f"{file}, line {line}: is no YAML ({form})") from error
    if not isinstance(read, dict) or not all(isinstance(own, dict) for own in read.values()):
        raise ConfigurationError(f"{file}: waivers are given as {form}")
    return read
