"""What an agent asks in vain is a gap; the same through settings, as an agent's root builds it."""

from __future__ import annotations

from pathlib import Path

import pytest
from adk_support import agent_with, run

from orrery_knowledge.adk import search_knowledge_tool
from orrery_knowledge.backends.sqlite.index import SqliteConfig, SqliteIndex
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.settings import Component, Gaps, Settings
from orrery_knowledge.testing.documents import make_document, publish
from orrery_plugins import knowledge_plugins


@pytest.mark.parametrize(
    ("recording", "expected"),
    [(True, [("question", "solar yield for [REDACTED:email]", 1)]), (False, [])],
)
async def test_an_agent_that_finds_nothing_leaves_a_gap(
    tmp_path: Path, recording: bool, expected: list[tuple[str, str, int]]
) -> None:
    settings = Settings(embedder=Component(type="none"), gaps=Gaps(record=recording), root=tmp_path)
    index = SqliteIndex(SqliteConfig(), state=settings.state_folder)
    await publish(index, [make_document("pool.md", "# Pool\n\nzebra\n")])
    await index.close()
    tool = search_knowledge_tool(settings)
    assert tool is not None
    agent = agent_with(
        tool,
        calls=[
            (tool.name, {"query": "solar yield for ada@lovelace.net"}),
            (tool.name, {"query": "Pool zebra"}),
        ],
    )
    outcome = await run(agent, knowledge_plugins(sink=lambda _: None))
    assert [one["status"] for one in outcome.responses] == ["no_match", "ok"]
    async with Ledger(tmp_path / ".orrery" / "ledger.db") as ledger:
        found = (await ledger.gaps()).gaps
        if recording:
            assert "lovelace" not in str(found)
        assert [(gap.kind, gap.text, gap.count) for gap in found] == expected
