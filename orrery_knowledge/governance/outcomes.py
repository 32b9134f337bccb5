"""What was tried in incidents and what came of it: recorded as it happens, by people and agents.

An outcome is data. It trusts nothing and changes nothing; it reaches searches only through an
incident report that an approver has let in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.governance.citations import encode_part
from orrery_knowledge.governance.cleaning import one_line
from orrery_knowledge.governance.connected import Connected
from orrery_knowledge.governance.records import OutcomeKind, OutcomeResult, RecordedOutcome
from orrery_knowledge.governance.schema import audit, decision, outcome
from orrery_knowledge.screening import screen

REPORTS = "incident-reports"
"""Id of the source that incident reports belong to; no configured source may have it."""

REPORTS_CORPUS = "reports"

MAX_OUTCOME = 1_000
"""Characters of an outcome."""

MAX_OUTCOMES = 200
"""Of one investigation."""

MAX_FAILED = 20
"""Failed remedies that a search names."""


def report_path(investigation: str) -> str:
    """Where the report of an investigation lies in its source."""
    return f"{encode_part(investigation)}.md"


def plain_words(text: str) -> str:
    """A text in which the same remedy reads the same: no markup, one space, small letters."""
    return " ".join(text.replace("`", " ").replace("*", " ").casefold().split())


class KeepsOutcomes(Connected):
    """Their place in a ledger."""

    async def record_outcome(
        self,
        investigation: str,
        kind: OutcomeKind,
        text: str,
        result: OutcomeResult,
        *,
        recorded_by: str,
        service: str | None = None,
        verified: bool = False,
    ) -> RecordedOutcome:
        """Record what was tried and what came of it, and who said so in the audit.

        Args:
            investigation: the incident.
            kind: a remedy, or the recovery that was observed.
            text: what; screened, and joined into one line of at most `MAX_OUTCOME` characters.
            result: of a remedy; ``observed`` for a recovery.
            recorded_by: who says so.
            service: which it was tried on.
            verified: whether that name is that of a token.

        Raises:
            ConfigurationError: nothing is said, or too much was said already.
        """
        said = one_line((await asyncio.to_thread(screen, text)).text, MAX_OUTCOME)
        if not said or not investigation.strip():
            raise ConfigurationError("an outcome needs an investigation and a text")
        values = {
            "investigation": investigation,
            "service": service,
            "kind": kind,
            "text": said,
            "result": result,
            "recorded_by": one_line(recorded_by, 200),
            "verified": verified,
            "recorded_at": datetime.now(UTC),
        }
        async with self._write(f"outcome {investigation}") as connection:
            mine = sa.select(sa.func.count()).where(outcome.c.investigation == investigation)
            if ((await connection.execute(mine)).scalar() or 0) >= MAX_OUTCOMES:
                raise ConfigurationError(f"an investigation has at most {MAX_OUTCOMES} outcomes")
            done = await connection.execute(
                sa.insert(outcome).values(**values).returning(outcome.c.number)
            )
            number = int(done.scalar_one())
            await connection.execute(
                sa.insert(audit).values(
                    at=values["recorded_at"],
                    actor=values["recorded_by"],
                    action=f"outcome.{kind}",
                    investigation=investigation,
                    details={"outcome": number, "result": result, "verified": verified},
                )
            )
        return RecordedOutcome(number=number, **values)

    async def outcomes(self, investigation: str) -> list[RecordedOutcome]:
        """What was recorded under an investigation, in order."""
        query = (
            sa.select(outcome)
            .where(outcome.c.investigation == investigation)
            .order_by(outcome.c.number)
        )
        async with self._read() as connection:
            return [RecordedOutcome(**row._mapping) for row in await connection.execute(query)]

    async def failed_remedies(self, services: Iterable[str]) -> list[RecordedOutcome]:
        """What failed on services before, as approved reports say; the latest first.

        Args:
            services: names of them.

        Returns:
            at most `MAX_FAILED`, each remedy of an investigation once.
        """
        wanted = sorted(set(services))
        if not wanted:
            return []
        query = (
            sa.select(outcome)
            .where(
                outcome.c.service.in_(wanted),
                outcome.c.kind == "remedy",
                outcome.c.result == "failed",
            )
            .order_by(outcome.c.number.desc())
            .limit(50 * MAX_FAILED)
        )
        async with self._read() as connection:
            failed = [RecordedOutcome(**row._mapping) for row in await connection.execute(query)]
            if not failed:
                return []
            paths = {report_path(one.investigation) for one in failed}
            approved = await _approved(connection, paths)
        found = {
            (one.investigation, plain_words(one.text)): one
            for one in reversed(failed)
            if report_path(one.investigation) in approved
        }
        return sorted(found.values(), key=lambda one: -one.number)[:MAX_FAILED]


async def _approved(connection: AsyncConnection, paths: Iterable[str]) -> set[str]:
    """Which reports answer: the last word on them was an approval; a rejected edit has none."""
    of_reports = sa.and_(
        decision.c.source == REPORTS,
        decision.c.corpus == REPORTS_CORPUS,
        decision.c.path.in_(sorted(paths)),
        decision.c.decision != "rejected",
    )
    last = sa.select(sa.func.max(decision.c.number)).where(of_reports).group_by(decision.c.path)
    rows = await connection.execute(
        sa.select(decision.c.path).where(
            decision.c.number.in_(last), decision.c.decision == "approved"
        )
    )
    return set(rows.scalars())
