"""compose.yaml: services for a developer's machine, reachable from that machine only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_a_port_is_bound_to_this_machine(name: str) -> None:
    ports = SERVICES[name]["ports"]
    assert ports
    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_an_image_has_a_version_and_names_no_host(name: str) -> None:
    image, _, tag = SERVICES[name]["image"].partition(":")
    assert "." not in image.split("/")[0]
    assert tag[:1].isdigit()


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_a_service_starts_only_when_its_profile_is_named(name: str) -> None:
    assert SERVICES[name]["profiles"] == [name]


def test_the_profiles_are_those_that_make_help_names() -> None:
    line = next(
        line for line in (ROOT / "Makefile").read_text().splitlines() if line.startswith("up:")
    )
    named = line.partition("PROFILES=")[2].rstrip(")").split(",")
    assert sorted(named) == sorted(SERVICES)
