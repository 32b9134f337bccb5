"""Settings to objects: the one place where an edge (CLI, server, agent) has its parts built."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, cast

from orrery_knowledge.confidence import Calibration, read_calibration
from orrery_knowledge.configuration.file import KeyPath
from orrery_knowledge.configuration.origins import key_text
from orrery_knowledge.configuration.refusals import check_keys
from orrery_knowledge.errors import ConfigurationError, MissingExtra
from orrery_knowledge.governance.identities import Identities, Identity
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.outcomes import REPORTS
from orrery_knowledge.governance.report_source import ReportSource
from orrery_knowledge.protocols import (
    Embedder,
    KnowledgeIndex,
    KnowledgeRetriever,
    KnowledgeSource,
    is_index,
)
from orrery_knowledge.registry import NO_EMBEDDER, Kind, load_component
from orrery_knowledge.retrieval import Retrieval
from orrery_knowledge.reviewing import Reviewing
from orrery_knowledge.settings import Component, Section, Settings, validate
from orrery_knowledge.sources.config import check_trust, check_type
from orrery_knowledge.sync import SyncOptions


class NoEmbedder(Section):
    """The settings of the type ``none``: it has no options."""

    type: Literal["none"]


def build_retriever(settings: Settings) -> KnowledgeRetriever:
    """The configured backend; opens nothing before its first use."""
    backend = _load(settings, "backends", settings.backend.type, ("backend", "type"))
    config = validate(backend.Config, _values(settings.backend), "backend", settings.origin)
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
    backend = _load(settings, "backends", settings.backend.type, ("backend", "type"))
    if not hasattr(backend, "private"):
        raise ConfigurationError(
            f"backend {settings.backend.type!r} can't make an index for an evaluation; name "
            "another configuration with --config"
        )
    config = validate(backend.Config, _values(settings.backend), "backend", settings.origin)
    return cast(KnowledgeIndex, backend.private(config, state=folder))


def build_ledger(settings: Settings) -> Ledger:
    """The ledger; opens nothing before its first use."""
    try:
        return Ledger(settings.ledger_location)
    except ConfigurationError as error:
        raise ConfigurationError(settings.origin.sentence(("ledger",), str(error))) from None


def build_embedder(settings: Settings) -> Embedder | None:
    """The configured embedder; None for type "none"."""
    values = _values(settings.embedder)
    if settings.embedder.type == NO_EMBEDDER:
        validate(NoEmbedder, values, "embedder", settings.origin)
        return None
    embedder = _load(settings, "embedders", settings.embedder.type, ("embedder", "type"))
    config = validate(embedder.Config, values, "embedder", settings.origin)
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
    origin = settings.origin
    for corpus, collection in settings.corpora.items():
        for number, given in enumerate(collection.sources):
            key = ("corpora", corpus, "sources", number)
            values = {"id": f"{corpus}-{number + 1}", "corpus": corpus, **given}
            component = _load(settings, "sources", check_type(values, key, origin), key)
            # Before trust: where it is misspelt, adding it is not the fix.
            check_keys(component.Config, values, key, origin)
            check_trust(values, key, origin)
            config = validate(component.Config, values, key, origin)
            if config.id == REPORTS:
                problem = f"{key_text(key)}: the id {REPORTS!r} belongs to incident reports"
                raise ConfigurationError(origin.sentence(key, problem))
            if config.id in ids:
                problem = f"{key_text(key)}: there are two sources with id {config.id!r}"
                raise ConfigurationError(origin.sentence(key, problem))
            ids.add(config.id)
            sources.append(component(config, root=settings.root, state=settings.state_folder))
    return sources


def build_identities(settings: Settings) -> Identities:
    """Everybody who is configured.

    Raises:
        ConfigurationError: one token stands for two identities.
    """
    seen: dict[str, int] = {}
    known = []
    for number, one in enumerate(settings.identities):
        digest = one.token_sha256.lower()
        if digest in seen:
            key = ("identities", number, "token_sha256")
            problem = f"{key_text(key)}: this is the token of identity {seen[digest] + 1}, too"
            raise ConfigurationError(settings.origin.sentence(key, problem))
        seen[digest] = number
        known.append((Identity(name=one.name, role=one.role, agent=one.agent), digest))
    return Identities(known)


def sync_options(settings: Settings) -> SyncOptions:
    """What a sync is asked for where the configuration says it."""
    return SyncOptions(
        max_delete_share=settings.policy.max_delete_share,
        chunk_size=settings.chunking.size,
        answer_while_pending=settings.policy.answer_from_approved_while_edit_pending,
    )


def build_reviewing(
    settings: Settings,
    index: KnowledgeIndex,
    ledger: Ledger,
    sources: Sequence[KnowledgeSource],
) -> Reviewing:
    """Reviews over parts that were built already."""
    return Reviewing(index, ledger, sources, build_embedder(settings), sync_options(settings))


async def with_reports(sources: Sequence[KnowledgeSource], ledger: Ledger) -> list[KnowledgeSource]:
    """The configured sources, and that of incident reports once one was filed.

    Args:
        sources: that are configured.
        ledger: open.
    """
    reports = ReportSource(ledger)
    return [*sources, reports] if await ledger.reviews(reports.id) else list(sources)


def build_retrieval(settings: Settings) -> Retrieval:
    """A retrieval over the configured backend; opens nothing before its first search."""
    return retrieval_over(
        settings, build_retriever(settings), build_ledger(settings), build_embedder(settings)
    )


def retrieval_over(
    settings: Settings, index: KnowledgeRetriever, ledger: Ledger, embedder: Embedder | None
) -> Retrieval:
    """A retrieval as it is configured, over parts that were built already."""
    return Retrieval(
        index,
        ledger,
        embedder,
        stale_after_days=settings.search.stale_after_days,
        corpora=settings.corpora.keys(),
        calibration=build_calibration(settings),
        fusion=settings.search.fusion,
        age_penalty=settings.search.age_penalty,
        record_gaps=settings.gaps.record,
        personal=settings.guard.personal,
    )


def build_calibration(settings: Settings) -> Calibration:
    """How answers become confidences.

    Raises:
        ConfigurationError: the file that is named is not there, or is no calibration.
    """
    try:
        return read_calibration(settings.calibration_file)
    except ConfigurationError as error:
        key = ("search", "calibration")
        raise ConfigurationError(settings.origin.sentence(key, str(error))) from None


def _values(component: Component) -> dict[str, Any]:
    return {"type": component.type, **component.options()}


def _load(settings: Settings, kind: Kind, name: str, key: KeyPath) -> Any:
    """The class of a component; a refusal says where it is named."""
    try:
        return load_component(kind, name)
    except MissingExtra:
        raise
    except ConfigurationError as error:
        raise ConfigurationError(settings.origin.sentence(key, str(error))) from error.__cause__
