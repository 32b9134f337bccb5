"""The tally of what was asked and nobody has written.

It holds no name of who asked, no address and no conversation: a redacted example of each group of
like questions, how often they came, and when first and last.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from datetime import UTC, datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from orrery_knowledge.governance.cleaning import one_line
from orrery_knowledge.governance.connected import Connected
from orrery_knowledge.governance.records import Gap, GapKind, Gaps
from orrery_knowledge.governance.schema import gap
from orrery_knowledge.identifiers import STOP_WORDS, bounded_query, stem
from orrery_knowledge.screening import screen

MAX_GAPS = 1_000
"""Groups kept of a kind. Whoever asks a million different things fills no disk."""

MAX_CHARACTERS = 300
"""Of an example; a longer one is cut."""

_MAX_WORDS = 40
_EVICTED = "evicted"
_WORD = re.compile(r"[^\W_]+")
# A number alone, or letters and digits mixed as generated names are: pods, hashes, addresses.
_GENERATED = re.compile(r"[0-9]+[a-z]*|(?=[a-z0-9]*[0-9])[a-z0-9]{4,}")
_NUMBERED = re.compile(r"([a-z]{3,})[0-9]+")
_CODE = re.compile(r"\b[A-Z]{2}[A-Z0-9]*(?:[-_.][A-Z0-9]+)*\b")


class KeepsGaps(Connected):
    """The tally's place in a ledger."""

    async def note_gap(self, kind: GapKind, text: str, *, unsure: bool = False) -> None:
        """Count a question or an alert that nothing answers.

        Args:
            kind: who asked.
            text: the question, or the alert's name; redacted here, before it is written.
            unsure: something was found, but nothing to rely on.

        Raises:
            BackendUnavailable: the ledger does not answer.
        """
        example = await asyncio.to_thread(redacted, text)
        async with self._write("gaps") as connection:
            await _count(connection, kind, group_key(kind, example), example, unsure)

    async def gaps(self, since: datetime | None = None) -> Gaps:
        """What was asked in vain, most asked first.

        Args:
            since: only what was asked at this (aware) time or later, too.
        """
        query = (
            sa.select(gap)
            .where(gap.c.kind != _EVICTED)
            .order_by(gap.c.count.desc(), gap.c.last_seen.desc(), gap.c.number)
        )
        if since is not None:
            query = query.where(gap.c.last_seen >= since)
        evicted = sa.select(gap.c.count).where(gap.c.kind == _EVICTED)
        fields = list(Gap.model_fields)
        async with self._read() as connection:
            rows = (await connection.execute(query)).all()
            gone = (await connection.execute(evicted)).scalar() or 0
            found = tuple(Gap(**{name: row._mapping[name] for name in fields}) for row in rows)
        return Gaps(gaps=found, evicted=gone)


def redacted(text: str) -> str | None:
    """How a text is kept: screened, on one line, cut. None when it can't be screened."""
    try:
        screened = screen(bounded_query(text)).text
    except Exception:  # whatever went wrong: what was not screened is not written
        return None
    return one_line(screened, MAX_CHARACTERS)


def group_key(kind: GapKind, example: str | None) -> str:
    """What like questions have in common, as a digest.

    A question is its words: stems in any order, without stop words, numbers and generated names
    (a pod's, a hash, an address). Codes such as ``ORA-00942`` are kept whole. An alert is its name.

    Args:
        kind: who asked.
        example: as `redacted` gives it; all that could not be screened is one group.
    """
    if example is None:
        return ""
    folded = example.casefold()
    form = folded if kind == "alert" else " ".join(_words(example)) or folded
    return hashlib.sha256(form.encode("utf-8", "surrogatepass")).hexdigest()


def _words(text: str) -> list[str]:
    codes = {found.casefold() for found in _CODE.findall(text)}
    rest = _WORD.findall(_CODE.sub(" ", text))
    folded = (word if word != word.lower() else _plain(word) for word in rest)
    words = {stem(word.casefold()) for word in folded if word.casefold() not in STOP_WORDS}
    return sorted(words - {""} | codes)[:_MAX_WORDS]


def _plain(word: str) -> str:
    """A word of small letters, without what tells one instance from the next."""
    if numbered := _NUMBERED.fullmatch(word):
        return numbered[1]
    return "" if _GENERATED.fullmatch(word) else word


async def _count(
    connection: AsyncConnection, kind: GapKind, key: str, example: str | None, unsure: bool
) -> None:
    now = datetime.now(UTC)
    if await _seen_again(connection, kind, key, now, 1, unsure):
        return
    full = sa.select(sa.func.count()).where(gap.c.kind == kind)
    if ((await connection.execute(full)).scalar() or 0) >= MAX_GAPS:
        await _evict(connection, kind, now)
    await _insert(connection, kind, key, example, now, 1, unsure)


async def _seen_again(
    connection: AsyncConnection, kind: str, key: str, now: datetime, times: int, unsure: bool
) -> bool:
    done = await connection.execute(
        sa.update(gap)
        .where(gap.c.kind == kind, gap.c.key == key)
        .values(count=gap.c.count + times, unsure=gap.c.unsure + int(unsure), last_seen=now)
    )
    return done.rowcount > 0


async def _insert(
    connection: AsyncConnection,
    kind: str,
    key: str,
    example: str | None,
    now: datetime,
    times: int,
    unsure: bool,
) -> None:
    await connection.execute(
        sa.insert(gap).values(
            kind=kind,
            key=key,
            text=example,
            count=times,
            unsure=int(unsure),
            first_seen=now,
            last_seen=now,
        )
    )


async def _evict(connection: AsyncConnection, kind: GapKind, now: datetime) -> None:
    """Make room: of the least asked one the oldest goes, and only its count stays."""
    rarest = (
        sa.select(gap.c.number, gap.c.count)
        .where(gap.c.kind == kind)
        .order_by(gap.c.count, gap.c.last_seen, gap.c.number)
        .limit(1)
    )
    number, times = (await connection.execute(rarest)).one()
    await connection.execute(sa.delete(gap).where(gap.c.number == number))
    if not await _seen_again(connection, _EVICTED, "", now, times, False):
        await _insert(connection, _EVICTED, "", None, now, times, False)
