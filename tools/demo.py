"""`make demo`: index the samples, then ask a guarded ADK agent about them.

Uses what a user would: a configuration file, the command line, the agent tool and the guard
plugins. The model is scripted (it searches with the question and lists what it was given), so
there is no key and no network; everything else is real.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
QUESTION = (
    "payments cannot reach its database: "
    "FATAL: remaining connection slots are reserved for roles with the SUPERUSER attribute"
)


def main() -> int:
    """Run the demo; returns the exit code."""
    docs = os.environ.get("DOCS", "").strip()
    folder = Path(docs).expanduser().resolve() if docs else None
    if folder is not None and not folder.is_dir():
        print(f"error: DOCS={docs} is no folder; name one: make demo DOCS=path", file=sys.stderr)
        return 2
    config = write_config(folder)
    print(f"== 1. Sync (orrery-knowledge --config {relative(config)} sync)\n", flush=True)
    command = [sys.executable, "-m", "orrery_knowledge.cli", "--config", str(config)]
    code = subprocess.run([*command, "sync"], check=False).returncode  # noqa: S603 - our own CLI
    if code:
        return code
    question = os.environ.get("ASK", "").strip() or QUESTION
    print(f"\n== 2. Ask the guarded agent (ADK Runner, scripted model)\n\nquestion: {question}\n")
    asyncio.run(ask(config, question))
    print(next_steps(config))
    return 0


def write_config(docs: Path | None) -> Path:
    """The demo's own configuration, beside its own index. What is in it counts as reviewed."""
    state = ROOT / ".orrery" / "demo"
    state.mkdir(parents=True, exist_ok=True)
    sources = [
        {
            "id": "samples",
            "type": "filesystem",
            "path": "samples/knowledge",
            "trust": "reviewed",
        }
    ]
    corpora: dict[str, Any] = {"samples": {"sources": sources}}
    if docs is not None:
        yours = {"id": "yours", "type": "filesystem", "path": str(docs), "trust": "reviewed"}
        corpora["yours"] = {"sources": [yours]}
    file = state / "orrery.yaml"
    settings = {
        "backend": {"type": "sqlite"},
        "embedder": {"type": "minilm"},
        "root": str(ROOT),
        "state": ".orrery/demo",
        "corpora": corpora,
        # Another DOCS than last time takes the former one's documents out.
        "policy": {"max_delete_share": 1.0},
    }
    note = "# Written by `make demo`. The demo trusts these folders (trust: reviewed).\n"
    file.write_text(note + yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")
    return file


async def ask(config: Path, question: str) -> None:
    """One turn through ADK's real Runner: tool, guard, scripted model."""
    from google.adk.agents import LlmAgent
    from google.adk.apps import App
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    from orrery_knowledge.adk import search_knowledge_tool
    from orrery_knowledge.adk.scripted import ScriptedLlm
    from orrery_knowledge.cli.terminal import printable
    from orrery_knowledge.settings import load_settings
    from orrery_plugins import knowledge_plugins

    settings = load_settings(config)
    tool = search_knowledge_tool(settings)
    assert tool is not None  # noqa: S101 - the demo configures a backend
    agent = LlmAgent(name="demo", model=ScriptedLlm(), tools=[tool])
    app = App(name="demo", root_agent=agent, plugins=knowledge_plugins(settings))
    runner = InMemoryRunner(app=app)
    session = await runner.session_service.create_session(app_name="demo", user_id="you")
    message = types.Content(role="user", parts=[types.Part(text=question)])
    async for event in runner.run_async(user_id="you", session_id=session.id, new_message=message):
        for part in (event.content.parts if event.content else None) or []:
            if part.function_call:
                print(
                    f"agent calls {part.function_call.name}({json.dumps(part.function_call.args)})"
                )
            elif part.function_response:
                show(part.function_response.response or {})
            elif part.text:
                print(f"\nagent: {printable(part.text)}")
    await runner.close()


def show(result: dict[str, Any]) -> None:
    """The tool's result as the model got it: screened, redacted, capped, fenced."""
    from orrery_knowledge.cli.terminal import printable

    print(f"status {result.get('status')}, confidence {result.get('confidence', 0):.2f}\n")
    for number, passage in enumerate(result.get("passages", []), start=1):
        age = passage["age_days"]
        print(printable(f"{number}. {passage['label']}"))
        print(printable(f"   cite as  {passage['citation']}"))
        print(
            printable(f"   source   {passage['source']} lines ")
            + f"{passage['line_start']}-{passage['line_end']}"
        )
        print(
            printable(f"   trust    {passage['trust']}; ")
            + ("age unknown" if age is None else f"{age} days old")
            + ("; STALE" if passage["stale"] else "")
        )
        print(f"   matched  {', '.join(passage['matched'])}; score {passage['score']:.3f}")
        if number == 1:
            for line in printable(passage["text"]).strip().splitlines():
                print(f"   | {line}")
        print()


def next_steps(config: Path) -> str:
    """What to do after the demo."""
    return f"""
== 3. Next

  .venv/bin/orrery-knowledge --config {relative(config)} search "CrashLoopBackOff"
  make demo DOCS=path/to/your/docs ASK="your question"
  make test

Attach it to your agent: README.md, "Attach it to your agent".
"""


def relative(path: Path) -> str:
    """A path as the user would type it."""
    return os.path.relpath(path)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
