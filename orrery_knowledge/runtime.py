"""Settings to objects: the one place where an edge (CLI, server, agent) has its parts built."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.protocols import (
    Embedder,
    KnowledgeIndex,
    KnowledgeRetriever,
    KnowledgeSource,
    is_index,
)
from orrery_knowledge.registry import load_component
from orrery_knowledge.retrieval import Retrieval
from orrery_knowledge.settings import Component, Settings, validate


def build_retriever(settings: Settings) -> KnowledgeRetriever:
    """The configured backend; opens nothing before its first use."""
    backend = load_component("backends", settings.backend.type)
    config = validate(backend.Config, _values(settings.backend), "backend")
    return cast(KnowledgeRetriever, backend(config, state=settings.state_folder))


def build_index(settings: Settings) -> KnowledgeIndex:
    """The configured backend, where it is one that sync fills.

    Raises:
        ConfigurationError: it is only searched.
    """
    retriever = build_retriever(settings)
    if not is_index(retriever):
        raise ConfigurationError(
            f"backend {settings.backend.type!r} is only searched: it keeps no loads of ours"
        )
    return retriever


def build_private_index(settings: Settings, folder: Path) -> KnowledgeIndex:
    """An empty index on the configured backend that nobody else sees; `destroy` deletes it.

    Raises:
        ConfigurationError: the backend is only searched.
    """
    backend = load_component("backends", settings.backend.type)
    if not hasattr(backend, "private"):
        raise ConfigurationError(
            f"backend {settings.backend.type!r} can't make an index for an evaluation; name "
            "another configuration with --config"
        )
    config = validate(backend.Config, _values(settings.backend), "backend")
    return cast(KnowledgeIndex, backend.private(config, state=folder))


def build_ledger(settings: Settings) -> Ledger:
    """The ledger; opens nothing before its first use."""
    return Ledger(settings.ledger_location)


def build_embedder(settings: Settings) -> Embedder | None:
    """The configured embedder; None for type "none"."""
    if settings.embedder.type == "none":
        return None
    embedder = load_component("embedders", settings.embedder.type)
    config = validate(embedder.Config, _values(settings.embedder), "embedder")
    folders = {
        name: settings.root / value.expanduser()
        for name, value in config
        if isinstance(value, Path)
    }
    return cast(Embedder, embedder(config.model_copy(update=folders)))


def build_sources(settings: Settings) -> list[KnowledgeSource]:
    """Every configured source, in the order of the file.

    Raises:
        ConfigurationError: a source has no type or no trust, or an id stands there twice.
    """
    sources: list[KnowledgeSource] = []
    ids: set[str] = set()
    for corpus, collection in settings.corpora.items():
        for number, given in enumerate(collection.sources, start=1):
            values = {"id": f"{corpus}-{number}", "corpus": corpus, **given}
            where = f"corpora.{corpus}.sources[{number - 1}]"
            if "type" not in values:
                raise ConfigurationError(f"{where}: add a line `type: filesystem` or `type: git`")
            if values.get("trust") not in ("reviewed", "review"):
                raise ConfigurationError(
                    f"{where} ({values['id']}): add `trust: review` (each document waits for a "
                    "reviewer) or `trust: reviewed` (whoever can change the source is trusted)"
                )
            component = load_component("sources", str(values["type"]))
            config = validate(component.Config, values, where)
            if config.id in ids:
                raise ConfigurationError(f"{where}: there are two sources with id {config.id!r}")
            ids.add(config.id)
            sources.append(component(config, root=settings.root, state=settings.state_folder))
    return sources


def build_retrieval(settings: Settings) -> Retrieval:
    """A retrieval over the configured backend; opens nothing before its first search."""
    count = sum(len(corpus.sources) for corpus in settings.corpora.values())
    return Retrieval(
        build_retriever(settings),
        build_ledger(settings),
        build_embedder(settings),
        stale_after_days=settings.search.stale_after_days,
        cite_source=count != 1,
    )


def _values(component: Component) -> dict[str, Any]:
    return {"type": component.type, **component.options()}
