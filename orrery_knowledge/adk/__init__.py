"""Everything for Google's ADK; the only package of the library that imports ``google.adk``."""

from orrery_knowledge.adk.checks import Bypass, check_agent
from orrery_knowledge.adk.citing import CiteCheckTool, cite_check_tool
from orrery_knowledge.adk.recording import RecordOutcomeTool, record_outcome_tool
from orrery_knowledge.adk.scripted import ScriptedLlm, model_from_environment
from orrery_knowledge.adk.tool import Searches, SearchKnowledgeTool, search_knowledge_tool

__all__ = [
    "Bypass",
    "CiteCheckTool",
    "RecordOutcomeTool",
    "ScriptedLlm",
    "SearchKnowledgeTool",
    "Searches",
    "check_agent",
    "cite_check_tool",
    "model_from_environment",
    "record_outcome_tool",
    "search_knowledge_tool",
]
