"""The agent check: finds every way round the guard by behaviour."""

from orrery_knowledge.adk.checks.bypasses import Bypass
from orrery_knowledge.adk.checks.check import check_agent

__all__ = ["Bypass", "check_agent"]
