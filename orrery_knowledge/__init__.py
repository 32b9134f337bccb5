"""Governed retrieval over what humans wrote, for agents built on Google's ADK."""

from __future__ import annotations

__version__ = "0.1.0"
