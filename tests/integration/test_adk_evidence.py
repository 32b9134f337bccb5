"""What the guard drops of a search is marked in the evidence, through the tool that searched."""

from __future__ import annotations

from typing import Any

from adk_support import SECRET, FixedRetrieval, agent_with, passage, run

from orrery_knowledge.adk import SearchKnowledgeTool
from orrery_knowledge.errors import BackendUnavailable
from orrery_plugins import knowledge_plugins


class KeepsEvidence(FixedRetrieval):
    """Remembers what it was told that nobody saw; its ledger may be gone."""

    def __init__(self, *passages: Any, gone: bool = False) -> None:
        super().__init__(*passages)
        self.marked: list[tuple[str, list[str]]] = []
        self.gone = gone

    async def mark_not_issued(self, investigation: str, citations: list[str]) -> int:
        if self.gone:
            raise BackendUnavailable(SECRET)
        self.marked.append((investigation, list(citations)))
        return len(citations)


SEARCH = [("search_knowledge", {"query": "disk"})]


def long_passages() -> list[Any]:
    return [passage(f"{number} " + "step " * 300, number) for number in (1, 2, 3)]


async def test_dropped_passages_are_marked_once_under_the_tool_s_investigation():
    retrieval = KeepsEvidence(*long_passages())
    search = SearchKnowledgeTool(retrieval, investigation="INC-1")
    await run(agent_with(search, calls=SEARCH), knowledge_plugins(limit=5_000))
    assert retrieval.marked == [("INC-1", ["kb:runbooks/disk.md#step-3@a1b2c33"])]


async def test_nothing_is_marked_when_everything_was_shown():
    retrieval = KeepsEvidence(*long_passages())
    await run(agent_with(SearchKnowledgeTool(retrieval), calls=SEARCH), knowledge_plugins())
    assert retrieval.marked == []


async def test_a_withheld_search_issued_nothing():
    def full_disk(record: dict[str, Any]) -> None:
        raise OSError("no space")

    retrieval = KeepsEvidence(*long_passages())
    search = SearchKnowledgeTool(retrieval, investigation="INC-1")
    outcome = await run(agent_with(search, calls=SEARCH), knowledge_plugins(sink=full_disk))
    assert outcome.responses[0]["status"] == "withheld"
    assert retrieval.marked == [
        ("INC-1", [f"kb:runbooks/disk.md#step-{n}@a1b2c3{n}" for n in (1, 2, 3)])
    ]


async def test_an_answer_goes_out_when_its_evidence_cannot_be_corrected(caplog):
    search = SearchKnowledgeTool(KeepsEvidence(*long_passages(), gone=True))
    outcome = await run(agent_with(search, calls=SEARCH), knowledge_plugins(limit=5_000))
    assert len(outcome.responses[0]["passages"]) == 2
    [warning] = [record for record in caplog.records if record.name.startswith("orrery_plugins")]
    assert warning.levelname == "WARNING"
    assert "1 passages were dropped" in warning.getMessage()
    assert SECRET not in caplog.text
