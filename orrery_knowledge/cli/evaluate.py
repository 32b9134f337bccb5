"""`orrery-knowledge eval ...`."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Never

import click
from tqdm import tqdm

from orrery_knowledge.cli import options
from orrery_knowledge.cli.terminal import is_terminal, plural, print_json, say, warn
from orrery_knowledge.errors import ConfigurationError, KnowledgeOff
from orrery_knowledge.evaluation.datasets import read_dataset
from orrery_knowledge.evaluation.runs import Evaluation, run_dataset, write_confidence, write_run
from orrery_knowledge.models import Mode
from orrery_knowledge.runtime import build_embedder, build_private_index
from orrery_knowledge.settings import default_settings, load_settings

SHOWN = 20
"""How many warnings are printed; `--json` has all of them."""


@click.group("eval")
def evaluate() -> None:
    """Measure how well the right passage comes back."""


@evaluate.command(
    epilog="""\b
Examples:
  orrery-knowledge eval retrieval evals/retrieval/meridian
  orrery-knowledge eval retrieval DATASET --mode lexical --run-file run.tsv"""
)
@click.argument("datasets", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "lexical", "vector"]),
    default="hybrid",
    show_default=True,
)
@click.option("--run-file", type=click.Path(path_type=Path), help="Write the ranked sections.")
@click.option("--confidence-file", type=click.Path(path_type=Path), help="Write confidences.")
@options.as_json
@options.command
async def retrieval(
    config: Path | None,
    datasets: tuple[Path, ...],
    mode: Mode,
    run_file: Path | None,
    confidence_file: Path | None,
    json_: bool,
) -> int:
    """Index each of DATASETS by itself, rank its queries and score them."""
    if len(datasets) > 1 and (run_file or confidence_file):
        raise ConfigurationError("a run file holds one dataset: give one DATASET at a time")
    for file in (run_file, confidence_file):
        if file is not None and not file.resolve().parent.is_dir():
            raise ConfigurationError(f"there is no folder {file.parent} to write {file.name} to")
    try:
        settings = load_settings(config)
    except KnowledgeOff:
        settings = default_settings()  # an evaluation brings its own documents and index
    results = []
    for folder in datasets:
        dataset = read_dataset(folder)
        with _Bar(quiet=json_) as bar:
            result, ranked = await run_dataset(
                dataset,
                partial(build_private_index, settings),
                None if mode == "lexical" else build_embedder(settings),
                mode=mode,
                chunk_size=settings.chunking.size,
                progress=bar.sync,
                on_query=bar.query,
            )
        if run_file is not None:
            write_run(run_file, ranked)
        if confidence_file is not None:
            write_confidence(confidence_file, ranked)
        results.append(result)
        if not json_:
            _show(result)
    if json_:
        print_json([result.model_dump(mode="json") for result in results])
    return 0


class _Bar(ExitStack):
    """Shows how far an evaluation is, on a terminal only."""

    def __init__(self, *, quiet: bool) -> None:
        super().__init__()
        self._bar: tqdm[Never] = tqdm(disable=quiet or not is_terminal(), leave=False, unit="")
        self.callback(self._bar.close)

    def sync(self, what: str, documents: int, chunks: int) -> None:
        seen = f"{plural(documents, 'document')}, {plural(chunks, 'chunk')}"
        self._bar.set_description(f"{what}: {seen}")

    def query(self, done: int, total: int) -> None:
        self._bar.total = total
        self._bar.set_description("queries", refresh=False)
        self._bar.update(done - self._bar.n)


def _show(result: Evaluation) -> None:
    say(f"{result.dataset} ({result.mode}): {result.sync.summary}")
    for problem in result.sync.errors:
        warn(f"  {problem.source}: {problem.reason}")
    for warning in result.warnings[:SHOWN]:
        warn(f"  warning: {warning}")
    if len(result.warnings) > SHOWN:
        warn(f"  ... and {len(result.warnings) - SHOWN} more (see --json)")
    say(f"  {'kind':<16}{'n':>5}{'R@5':>8}{'P@5':>8}{'MRR':>8}{'nDCG':>8}{'doc@1':>8}{'doc@5':>8}")
    for kind, s in sorted(result.scores.items(), key=lambda item: (item[0] != "all", item[0])):
        say(
            f"  {kind:<16}{s.queries:>5}{s.recall_5:>8.3f}{s.precision_5:>8.3f}{s.mrr_10:>8.3f}"
            f"{s.ndcg_10:>8.3f}{s.document_recall_1:>8.3f}{s.document_recall_5:>8.3f}"
        )
    shown = ", ".join(f"{group} {value:.2f}" for group, value in sorted(result.confidence.items()))
    say(f"  mean confidence: {shown}")
