"""What `make demo` does: index the samples, then ask a guarded ADK agent about them.

Uses what a user would: a configuration file, the command line, the agent tool and the guard
plugins. The model is scripted (it searches with the question and lists what it was given), so
there is no key and no network; everything else is real.

``DOCS`` names a folder of the user's, which becomes a corpus beside the samples; the question then
goes to that corpus alone. ``ASK`` is the question.
"""

from __future__ import annotations

import asyncio
import io
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import yaml
from demo_folder import SOURCE, NothingToIndex, check_folder, folder_named, question_about
from demo_output import printable, show_answer, show_call, show_result, wrapped

from orrery_knowledge.cli.signals import INTERRUPTED, MESSAGE

ROOT = Path(__file__).resolve().parent.parent
STATE = ".orrery/demo"
QUESTION = (
    "payments cannot reach its database: "
    "FATAL: remaining connection slots are reserved for roles with the SUPERUSER attribute"
)
NEXT_QUESTION = "pods restart again and again"


def main() -> int:
    """Run the demo; returns the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Documents hold characters that the terminal's encoding may not have.
        sys.stdout.reconfigure(errors="backslashreplace")
    for name in [name for name in os.environ if name.startswith("ORRERY_KNOWLEDGE_")]:
        # The environment wins over a file: the demo must never empty an index of the user's.
        del os.environ[name]
    folder = os.environ.get("DOCS", "").strip() or None
    docs = None
    if folder is not None:
        try:
            docs = folder_named(folder)
            check_folder(docs, folder)
        except NothingToIndex as error:
            print(f"error: {printable(str(error))}", file=sys.stderr)
            return 2
    config = write_config(docs)
    failures = sync(config)
    if failures not in (0, 1):
        return failures if failures > 0 else 1  # a negative one is the signal that ended it
    asked = os.fsencode(os.environ.get("ASK", "")).decode("utf-8", "replace").strip()
    return max(failures, asyncio.run(ask(config, asked, folder)))


def write_config(docs: Path | None) -> Path:
    """The demo's own configuration, beside its own index. What is in it counts as reviewed."""
    state = ROOT / STATE
    state.mkdir(parents=True, exist_ok=True)
    folders = {"samples": "samples/knowledge", **({SOURCE: str(docs)} if docs else {})}
    settings = {
        "backend": {"type": "sqlite"},
        "embedder": {"type": "minilm"},
        "root": str(ROOT),
        "state": STATE,
        "corpora": {
            name: {
                "sources": [{"id": name, "type": "filesystem", "path": path, "trust": "reviewed"}]
            }
            for name, path in folders.items()
        },
        # Another DOCS than last time takes the former one's documents out.
        "policy": {"max_delete_share": 1.0},
    }
    file = state / "orrery.yaml"
    note = "# Written by `make demo`. The demo trusts these folders (trust: reviewed).\n"
    file.write_text(note + yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")
    return file


def sync(config: Path) -> int:
    """Run the sync as a user would; 1 means that some documents failed and the rest is there."""
    print(f"== 1. Sync ({command(config)} sync)\n", flush=True)
    arguments = [sys.executable, "-m", "orrery_knowledge.cli", "--config", str(config), "sync"]
    with _started(arguments) as running:
        # What the second part needs takes seconds to import: meanwhile, on another core.
        import google.adk.runners  # noqa: F401

        running.wait()
    return running.returncode


@contextmanager
def _started(arguments: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Our own command, running. A signal ends it, which says so itself, and us when it has ended.

    It is in a process group of its own: what Ctrl-C sends goes to us, and from us to it, once.
    """
    begun: list[subprocess.Popen[bytes]] = []
    asked = False

    def end(*_: object) -> None:
        nonlocal asked
        asked = True
        for running in begun:
            code = running.returncode
            # Not by methods of `running`: those wait for a lock that we hold when it is waited for.
            with suppress(ProcessLookupError, ChildProcessError):
                if code is None:
                    # While Python starts up, SIGINT would print a traceback. A second signal is
                    # passed on as well: that ends the sync at once.
                    os.kill(running.pid, signal.SIGTERM)
                    code = os.waitstatus_to_exitcode(os.waitpid(running.pid, 0)[1])
            if code != INTERRUPTED:  # it had ended by itself, or not yet begun
                os.write(2, f"{MESSAGE}\n".encode())
            os._exit(INTERRUPTED)

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with subprocess.Popen(arguments, process_group=0) as running:  # noqa: S603
            begun.append(running)
            if asked:
                end()
            yield running
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


async def ask(config: Path, asked: str, docs: str | None) -> int:
    """One turn through ADK's real Runner: tool, guard, scripted model.

    Args:
        config: the configuration that was synced.
        asked: the user's question, "" for none.
        docs: the user's folder as the user wrote it; None without one.

    Returns:
        the exit code.
    """
    from google.adk.agents import LlmAgent
    from google.adk.apps import App
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    from orrery_knowledge.adk import ScriptedLlm, search_knowledge_tool
    from orrery_knowledge.settings import load_settings
    from orrery_plugins import knowledge_plugins

    print("\n== 2. Ask the guarded agent (ADK's own Runner; only the model is scripted)\n")
    settings = load_settings(config)
    question, note = asked or QUESTION, ""
    if docs is not None:
        print(f"Only your documents are asked: corpus {SOURCE!r}. The samples stay beside them.")
        about = await question_about(settings)
        if about is None:
            print(
                "None of them can be found: each is a draft, deprecated or quarantined. See\n"
                f"  {command(config)} quarantine list"
            )
            return 1
        if not asked:
            question, note = about.question, f"   (from {about.path}; your own: ASK=...)"
    for line in wrapped(f"question: {question}{note}", "", "    "):
        print(line)
    print()

    tool = search_knowledge_tool(settings)
    assert tool is not None  # noqa: S101 - the demo configures a backend
    model = ScriptedLlm(corpus=SOURCE if docs is not None else None)
    agent = LlmAgent(name="demo", model=model, tools=[tool])
    app = App(name="demo", root_agent=agent, plugins=knowledge_plugins(settings))
    runner = InMemoryRunner(app=app)
    session = await runner.session_service.create_session(app_name="demo", user_id="you")
    message = types.Content(role="user", parts=[types.Part(text=question)])
    result: dict[str, Any] = {}
    async for event in runner.run_async(user_id="you", session_id=session.id, new_message=message):
        for part in (event.content.parts if event.content else None) or []:
            if part.function_call:
                show_call(part.function_call.name or "", part.function_call.args or {})
            elif part.function_response:
                result = part.function_response.response or {}
                show_result(result)
            elif part.text:
                show_answer(part.text)
    await runner.close()
    print(next_steps(config, question if docs is not None else NEXT_QUESTION, docs))
    return 0 if result.get("status") in ("ok", "no_match") else 1


def next_steps(config: Path, question: str, docs: str | None) -> str:
    """What to do after the demo: commands that can be pasted as they stand."""
    search = f"{command(config)} search {shlex.quote(question)}"
    yours = "path/to/your/docs" if docs is None else shlex.quote(docs)
    lines = [
        search if docs is None else f"{search} --corpus {SOURCE}",
        f'make demo DOCS={yours} ASK="your question"',
        "make test",
    ]
    steps = "".join(f"  {printable(line)}\n" for line in lines)
    return (
        f'\n== 3. Next\n\n{steps}\nAttach it to your agent: README.md, "Attach it to your agent".'
    )


def command(config: Path) -> str:
    """The command line as it can be pasted, whether or not the environment is activated."""
    program = ROOT / ".venv" / "bin" / "orrery-knowledge"
    return shlex.join([os.path.relpath(program), "--config", os.path.relpath(config)])
