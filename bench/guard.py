"""What the guard costs an agent: its four stages over results of several sizes."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from random import Random
from time import thread_time

from bench.corpus import SAMPLES
from bench.measure import percentile
from orrery_knowledge.governance.frontmatter import split_front_matter
from orrery_knowledge.screening import screen
from orrery_plugins import Call, recommended_stages
from orrery_plugins.results import Tree
from orrery_plugins.stages import Stage, run_stages

SIZES = (1_000, 10_000, 100_000)
"""Characters of a result."""

PASSES = 40


@dataclass(frozen=True)
class GuardCost:
    """The guard over results of one kind and size, in milliseconds of processor time."""

    kind: str
    characters: int
    p50: float
    p95: float


def measure_guard(seed: int) -> list[GuardCost]:
    """Run the guard, the cap lifted, over passages and log lines of our own samples.

    Passages come as they are, and as a search hands them over: screened by the same process.
    """
    stages = recommended_stages(limit=10 * SIZES[-1], sink=lambda record: None)
    costs = []
    kinds = (
        ("passages", _passages),
        ("passages of a search", _found),
        ("log lines", _log),
    )
    for _, make in kinds:
        # An agent's process compiles its patterns once, and the engine's automata grow with use.
        run_stages(stages, make(SIZES[-1], seed), Call())
    for size in SIZES:
        for kind, make in kinds:
            # Each pass another result: the guard knows again what it has screened lately.
            times = [_time(stages, make(size, seed + n + 1)) for n in range(PASSES)]
            costs.append(GuardCost(kind, size, percentile(times, 0.5), percentile(times, 0.95)))
    return costs


def _time(stages: tuple[Stage, ...], result: Tree) -> float:
    gc.collect()
    began = thread_time()
    run_stages(stages, result, Call())
    return (thread_time() - began) * 1000


def _paragraphs(seed: int) -> Iterator[str]:
    texts = [
        split_front_matter(file.read_text(encoding="utf-8")).body
        for file in sorted(SAMPLES.rglob("*.md"))
    ]
    found = [paragraph for text in texts for paragraph in text.split("\n\n") if paragraph.strip()]
    Random(seed).shuffle(found)
    return cycle(found)


def _passages(size: int, seed: int) -> Tree:
    paragraphs = _paragraphs(seed)
    passages: list[dict[str, str]] = []
    left = size
    while left > 0:
        text = ""
        while len(text) < min(800, left):
            text += next(paragraphs) + "\n\n"
        left -= len(text)
        citation = f"kb:runbooks/page-{len(passages)}.md#step@a1b2c3d"
        passages.append({"text": text, "citation": citation, "title": "A page"})
    return {"status": "ok", "passages": passages}


def _found(size: int, seed: int) -> Tree:
    result = _passages(size, seed + PASSES)
    for passage in result["passages"]:
        passage["text"] = screen(passage["text"]).text
    return result


def _log(size: int, seed: int) -> Tree:
    random, lines = Random(seed), ""
    words = [*next(_paragraphs(seed)).split(), "connection", "refused", "pod", "node"]
    while len(lines) < size:
        hour, second = random.randint(10, 23), random.randint(10, 59)
        level = random.choice(["INFO", "WARN", "ERROR"])
        said = " ".join(random.sample(words, 4))
        pod = f"payments-{random.getrandbits(40):010x}"
        lines += f"2026-03-01T{hour}:15:{second}Z {level} {pod} {said}\n"
    return {"pod": "payments-0", "lines": lines}
