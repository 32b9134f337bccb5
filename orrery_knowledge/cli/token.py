"""`orrery-knowledge token`."""

from __future__ import annotations

from pathlib import Path

import click
import yaml

from orrery_knowledge.cli import options
from orrery_knowledge.cli.terminal import print_json, say, warn
from orrery_knowledge.configuration.environment import TOKEN
from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.governance.identities import new_token, token_digest


@click.command(
    epilog="""\b
Examples:
  orrery-knowledge token ada --role approver
  orrery-knowledge token triage-bot --agent"""
)
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(["viewer", "approver", "admin"]),
    default="viewer",
    show_default=True,
)
@click.option(
    "--agent", is_flag=True, help="A program that acts by itself: never more than a viewer."
)
@options.as_json
@options.command
def token(config: Path | None, name: str, role: str, agent: bool, json_: bool) -> int:
    """Make a token for NAME, shown once and stored nowhere; its digest is what you configure."""
    if not name.strip() or not name.isprintable():
        raise ConfigurationError("a name is printable and not empty")
    if agent and role != "viewer":
        raise ConfigurationError("an agent can be no more than a viewer")
    made = new_token()
    entry: dict[str, object] = {"name": name, "role": role, "token_sha256": token_digest(made)}
    if agent:
        entry["agent"] = True
    if json_:
        print_json({"token": made, "identity": entry})
        return 0
    warn(f"For {name}, as a bearer token or in {TOKEN}; it is shown only now:")
    say(made)
    warn("Add to the configuration:")
    shown = yaml.safe_dump([entry], default_flow_style=True, sort_keys=False, width=10_000)
    say(f"identities: {shown.strip()}")
    return 0
