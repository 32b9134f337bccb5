"""What every command that runs labelled sets does alike: settings, vectors, the run itself."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from orrery_knowledge.cli.files import check_folder
from orrery_knowledge.cli.progress import EvaluationBar
from orrery_knowledge.confidence import Calibration
from orrery_knowledge.errors import ConfigurationError, KnowledgeOff
from orrery_knowledge.evaluation.datasets import Dataset
from orrery_knowledge.evaluation.runs import Evaluation, Ranked, run_dataset
from orrery_knowledge.evaluation.vectors import StoredVectors
from orrery_knowledge.models import Mode
from orrery_knowledge.protocols import Embedder
from orrery_knowledge.runtime import build_embedder, build_private_index
from orrery_knowledge.settings import Settings, default_settings, load_settings

vectors_option = click.option(
    "--vectors",
    type=click.Path(path_type=Path),
    help="Take vectors from this file; no model is asked.",
)


def evaluation_settings(config: Path | None) -> Settings:
    """The configuration; the defaults where there is none.

    An evaluation brings its own documents and index, so knowledge may be off.
    """
    try:
        return load_settings(config)
    except KnowledgeOff:
        return default_settings()


def evaluation_embedder(
    settings: Settings, vectors: Path | None, *, update: bool = False
) -> Embedder | None:
    """What embeds: the configured embedder, or stored vectors.

    Args:
        settings: with the embedder.
        vectors: file of stored vectors.
        update: whether the configured embedder computes what that file lacks.

    Raises:
        ConfigurationError: there is no such file, or no embedder to update it with.
    """
    if vectors is None:
        if update:
            raise ConfigurationError("--update-vectors needs the file: add --vectors FILE")
        return build_embedder(settings)
    if not update:
        return StoredVectors(vectors)
    check_folder(vectors)
    embedder = build_embedder(settings)
    if embedder is None:
        raise ConfigurationError("--update-vectors needs an embedder, and none is configured")
    return StoredVectors(vectors, embedder)


async def run_labelled(
    dataset: Dataset,
    settings: Settings,
    embedder: Embedder | None,
    mode: Mode,
    *,
    quiet: bool,
    calibration: Calibration | None = None,
    compare: bool = False,
) -> tuple[Evaluation, dict[str, Ranked]]:
    """Run a set on the configured backend, with a bar on a terminal; see `run_dataset`."""
    with EvaluationBar(quiet=quiet) as bar:
        return await run_dataset(
            dataset,
            partial(build_private_index, settings),
            embedder,
            mode=mode,
            chunk_size=settings.chunking.size,
            progress=bar.sync,
            on_query=bar.query,
            calibration=calibration,
            compare=compare,
        )
