"""HTTP: alerts in, searches in, health out. On loopback only, until there are identities."""

from __future__ import annotations
