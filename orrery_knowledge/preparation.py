"""From a source's document to rows of an index: metadata, screening, chunks, words.

Pure: no I/O, the same document and decision always give the same rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Literal

from orrery_knowledge.chunking.markdown import SPLITTER_VERSION, chunk_markdown
from orrery_knowledge.errors import DocumentError
from orrery_knowledge.governance.digests import document_digest, framed_digest
from orrery_knowledge.governance.eligibility import eligibility
from orrery_knowledge.governance.metadata import METADATA_VERSION, DocumentMetadata, parse_metadata
from orrery_knowledge.governance.records import Decision, QuarantineReason
from orrery_knowledge.governance.shown import unsafe_headings, unsafe_names
from orrery_knowledge.identifiers import IDENTIFIERS_VERSION, analyse
from orrery_knowledge.models import (
    Chunk,
    Document,
    IndexedChunk,
    IndexedDocument,
    KnownDocument,
    Model,
    SourceEntry,
    Trust,
)
from orrery_knowledge.protocols import KnowledgeSource
from orrery_knowledge.screening import SCREENING_VERSION, Finding, noticed, screen
from orrery_knowledge.screening.placeholders import looks_random

UNSAFE = frozenset({"injection", "hidden", "credential"})
"""Findings that keep a document out; personal data is redacted when a passage is shown."""

ASSIGNED = frozenset(
    {
        "password",
        "secret",
        "command-password",
        "account-password",
        "table-password",
        "passphrase",
        "pin",
    }
)
"""Rules that go by the name before a value. Runbooks are full of sample values (`password = test`),
so there the value must look like a real one to keep a document out; any other is redacted when a
passage is shown."""


class Prepared(Model):
    """What became of a document.

    Attributes:
        outcome: ``"index"`` (rows to write, eligible or lowered by its own status), ``"pending"``
            (waits for a review, in the ledger), ``"quarantine"`` (invalid or unsafe) or
            ``"empty"`` (nothing to index).
        indexed: the rows; None unless it is indexed or pending.
        metadata: None where it could not be read.
        reasons: why it is quarantined.
        unsafe: quarantined by screening (else it is invalid).
        warnings: what an author should look at; no document text.
    """

    outcome: Literal["index", "pending", "quarantine", "empty"]
    digest: str | None = None
    indexed: IndexedDocument | None = None
    metadata: DocumentMetadata | None = None
    reasons: tuple[QuarantineReason, ...] = ()
    unsafe: bool = False
    warnings: tuple[str, ...] = ()


def processing_key(source: KnowledgeSource, *, fingerprint: str | None, size: int) -> str:
    """Name everything besides its content that shapes a document's rows.

    Args:
        source: its settings count, and whether it is trusted.
        fingerprint: of the embedder; None without one.
        size: chunk size in characters.
    """
    return framed_digest(
        "orrery-processing-1",
        fingerprint or "",
        SPLITTER_VERSION,
        IDENTIFIERS_VERSION,
        METADATA_VERSION,
        SCREENING_VERSION,
        str(size),
        source.corpus,
        source.trust,
        source.settings_key,
    )[:32]


def is_unchanged(
    before: KnownDocument, entry: SourceEntry, key: str, decisions: Mapping[str, Decision]
) -> bool:
    """Whether a document need not be read: same revision, processed the same way.

    A stable text that doesn't answer although nobody refused it lost its trust when its source's
    setting was another one: it is read again.
    """
    if (before.revision, before.processing_key) != (entry.revision, key):
        return False
    return before.eligible or before.status != "stable" or before.digest in decisions


def prepare(
    document: Document,
    *,
    trust: Trust,
    decisions: Mapping[str, Decision],
    key: str,
    size: int,
    embedded: bool,
) -> Prepared:
    """Validate, screen and cut one document.

    Args:
        document: as its source yields it.
        trust: what the source's configuration declares.
        decisions: the latest decision by digest, of this document.
        key: see `processing_key`.
        size: chunk size in characters.
        embedded: whether chunks get vectors.
    """
    service = document.metadata.get("service")
    try:
        metadata, front = parse_metadata(
            document, default_service=service if isinstance(service, str) else None
        )
    except DocumentError as error:
        return _invalid(error)
    digest = document_digest(front.body, metadata.governing(document.corpus))
    reasons, warnings = _screened(document, metadata, digest)
    if reasons:
        return Prepared(
            outcome="quarantine", digest=digest, metadata=metadata, reasons=reasons, unsafe=True
        )
    if not front.body.strip():
        return Prepared(outcome="empty", digest=digest, metadata=metadata, warnings=warnings)
    verdict = eligibility(
        status=metadata.status, tainted=False, trust=trust, decision=decisions.get(digest)
    )
    try:
        chunks = chunk_markdown(
            front.body, title=metadata.title, size=size, first_line=front.first_line
        )
    except DocumentError as error:
        return _invalid(error, digest, metadata)
    if reasons := unsafe_headings(chunks, front.body, _is_unsafe):
        return Prepared(
            outcome="quarantine", digest=digest, metadata=metadata, reasons=reasons, unsafe=True
        )
    indexed = IndexedDocument(
        corpus=document.corpus,
        source=document.source,
        path=document.path,
        uri=document.uri,
        title=metadata.title,
        service=metadata.service,
        status=metadata.status,
        digest=digest,
        revision=document.revision,
        processing_key=key,
        commit=document.commit,
        modified_at=document.modified_at,
        eligible=verdict.eligible,
        trust=verdict.trust_words,
        metadata=metadata.model_dump(mode="json", exclude={"title", "service", "status"}),
        chunks=tuple(_indexed_chunk(chunk, metadata, document.path, embedded) for chunk in chunks),
    )
    waits = metadata.status == "stable" and not verdict.eligible and digest not in decisions
    return Prepared(
        outcome="pending" if waits else "index",
        digest=digest,
        indexed=indexed,
        metadata=metadata,
        warnings=warnings,
    )


def embedding_text(chunk: Chunk) -> str:
    """What a chunk's vector stands for: its context and its text."""
    return f"{chunk.context}\n\n{chunk.text}" if chunk.context else chunk.text


def _invalid(
    error: DocumentError, digest: str | None = None, metadata: DocumentMetadata | None = None
) -> Prepared:
    reasons = (QuarantineReason(rule=str(error)),)
    return Prepared(outcome="quarantine", digest=digest, metadata=metadata, reasons=reasons)


def _screened(
    document: Document, metadata: DocumentMetadata, digest: str
) -> tuple[tuple[QuarantineReason, ...], tuple[str, ...]]:
    """Why a document is kept out, and what its author should look at."""
    text = document.text
    findings = [found for found in screen(text).findings if found.kind in UNSAFE]
    unsafe = [found for found in findings if _is_unsafe(found, text)]
    reasons = tuple(
        QuarantineReason(rule=found.rule, line=found.line, preview=found.preview)
        for found in unsafe
    )
    warnings = [
        f"line {found.line}: a value that looks like a credential is redacted when it is shown"
        for found in findings
        if found not in unsafe
    ]
    warnings += [
        f"line {found.line}: {found.rule}: removed when it is shown" for found in noticed(text)
    ]
    names = unsafe_names(document, metadata, digest, _is_unsafe)
    if reasons:
        # Front matter is text as well: once is enough. A path is not.
        names = tuple(reason for reason in names if reason.rule.endswith("in its path"))
    return reasons + names, tuple(warnings)


def _is_unsafe(found: Finding, text: str) -> bool:
    return found.kind in UNSAFE and not _is_sample(found, text)


def _is_sample(found: Finding, text: str) -> bool:
    """Whether a finding is a value that nobody would use for real: short, of one sort of letters.

    Real ones are generated, or mix at least three of lower case, upper case, digits and signs over
    ten characters or more.
    """
    if found.kind != "credential" or found.rule not in ASSIGNED:
        return False
    value = text[found.start : found.end]
    sorts = (str.islower, str.isupper, str.isdigit, lambda char: not char.isalnum())
    mixed = sum(any(is_sort(char) for char in value) for is_sort in sorts)
    return not looks_random(value) and (len(value) < 10 or mixed < 3)


def _indexed_chunk(
    chunk: Chunk, metadata: DocumentMetadata, path: str, embedded: bool
) -> IndexedChunk:
    header = analyse("\n".join((metadata.title, PurePosixPath(path).stem, *chunk.heading_path)))
    text = embedding_text(chunk)
    body = analyse(text)
    key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() if embedded else None
    return IndexedChunk(
        chunk=chunk,
        header=header.words,
        words=body.words,
        length=body.length,
        identifiers=tuple(dict.fromkeys((*header.wholes, *body.wholes))),
        fragments=tuple(dict.fromkeys((*header.fragments, *body.fragments))),
        vector_key=key,
    )
