"""HTTP: alerts, searches, reviews, evidence, health. Without identities on loopback only."""

from __future__ import annotations
