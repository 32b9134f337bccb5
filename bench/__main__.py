"""`make bench`: what the engines cost on this machine. Prints, writes a page, asserts nothing."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import time
from importlib.util import find_spec

import click
import psycopg

from bench.campaign import ON_SERVER, Plan, measure_size
from bench.engines import NAMES
from bench.guard import measure_guard
from bench.machine import describe
from bench.report import PAGE, to_markdown, write
from bench.results import Run
from bench.server import Server, running_server
from orrery_knowledge.errors import ConfigurationError, KnowledgeError

SMALLEST, LARGEST = 100, 1_000_000


def parse_sizes(text: str) -> tuple[int, ...]:
    """Sizes out of ``1k,10k``.

    Raises:
        ConfigurationError: one isn't a number within bounds.
    """
    sizes = []
    for part in text.lower().split(","):
        digits, thousand = part.strip().removesuffix("k"), part.strip().endswith("k")
        size = (
            int(digits) * (1000 if thousand else 1) if digits.isascii() and digits.isdigit() else 0
        )
        if not SMALLEST <= size <= LARGEST:
            raise ConfigurationError(f"--sizes: {part.strip()!r} is not between 100 and 1000k")
        sizes.append(size)
    return tuple(sorted(set(sizes)))


def parse_engines(text: str) -> tuple[str, ...]:
    """Names of engines out of ``sqlite,baseline``.

    Raises:
        ConfigurationError: there is no such engine, or what it needs is not installed.
    """
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    for name in names:
        if name not in NAMES:
            raise ConfigurationError(f"--engines: {name!r} is none of {', '.join(NAMES)}")
    if "baseline" in names and find_spec("bm25s") is None:
        raise ConfigurationError("bm25s is not installed; run: make bench")
    return names


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--sizes", default="1k,10k,100k", show_default=True, help="Chunks, comma-separated.")
@click.option("--engines", default=",".join(NAMES), show_default=True, help="Comma-separated.")
@click.option("--queries", type=click.IntRange(1), help="Only so many queries.")
@click.option("--repeats", type=click.IntRange(1, 100), default=5, show_default=True)
@click.option(
    "--budget",
    type=click.FloatRange(1, 3600),
    default=120.0,
    show_default=True,
    help="Seconds of searching after which an engine begins no further pass.",
)
@click.option(
    "--load-seconds",
    type=click.FloatRange(0.1, 600),
    default=15.0,
    show_default=True,
    help="How long eight searches are kept in flight.",
)
@click.option("--seed", type=int, default=7, show_default=True)
@click.option("--write-page", is_flag=True, help="Put the tables into the reference.")
def main(
    sizes: str,
    engines: str,
    queries: int | None,
    repeats: int,
    budget: float,
    load_seconds: float,
    seed: int,
    write_page: bool,
) -> None:
    """Measure the engines side by side."""
    try:
        plan = Plan(parse_engines(engines), queries, repeats, budget, load_seconds, seed)
        run = asyncio.run(_run(parse_sizes(sizes), plan))
        click.echo("\n" + to_markdown(run) + "\n")
        where = write(run, PAGE if write_page else None)
        click.echo(f"written: {where.relative_to(PAGE.parents[2])}", err=True)
    except KnowledgeError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(error.exit_code)
    except psycopg.Error as error:
        click.echo(f"error: PostgreSQL refused ({type(error).__name__})", err=True)
        sys.exit(3)
    except (KeyboardInterrupt, asyncio.CancelledError):
        click.echo("interrupted; nothing was written", err=True)
        sys.exit(130)


async def _run(sizes: tuple[int, ...], plan: Plan) -> Run:
    started = time.monotonic()
    if (task := asyncio.current_task()) is not None:  # end like Ctrl-C, and leave nothing behind
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)

    def say(line: str) -> None:
        click.echo(f"[{time.monotonic() - started:6.0f} s] {line}", err=True)

    with contextlib.ExitStack() as stack:
        server: Server | None = None
        if set(plan.engines) & set(ON_SERVER):
            server = stack.enter_context(running_server())
            say("PostgreSQL runs")
        run = Run(
            describe(server.version if server else None),
            {
                "seed": plan.seed,
                "queries": plan.queries or "all",
                "passes": plan.repeats,
            },
        )
        run.guard = measure_guard(plan.seed)
        say("the guard is measured")
        for size in sizes:
            run.figures[size] = await measure_size(size, plan, server, say)
    return run


if __name__ == "__main__":
    main(prog_name="python -m bench")
