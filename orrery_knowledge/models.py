"""What moves through the library: frozen pydantic models.

A `Document` comes out of a source, becomes `Chunk` after `Chunk` of an `IndexedDocument`, and goes
out to an agent as a `Passage` of a `SearchResult`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

Trust = Literal["reviewed", "review"]
Mode = Literal["hybrid", "lexical", "vector"]
Fusion = Literal["scores", "rrf", "weighted"]

AGE_PENALTY = 0.1
"""Share of its fused score that advice loses at most for its age."""
Status = Literal["ok", "no_match", "unavailable", "invalid"]
Role = Literal["viewer", "approver", "admin"]
"""What somebody may do: read; decide on knowledge, too; everything."""

PersonalKind = Literal["email", "phone", "card", "iban", "national-id"]
"""Personal data that redaction tells apart; national ids with passports and social security."""


class Model(BaseModel):
    """Base of all models here: immutable, and refuses fields that it doesn't know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SourceEntry(Model):
    """One file or page as a source lists it, before anything is read.

    Attributes:
        path: POSIX path (or page id) inside the source; unique there.
        revision: changes when, and only when, the content may have changed: the blob id for git,
            the SHA-256 of the bytes for a file, the version for a wiki page.
        skipped: why the entry is no document (``"lfs_pointer"``, ``"submodule"``, ...); None for
            one that can be read.
        handle: what the source needs to read it; opaque to everybody else.
    """

    path: str
    revision: str
    skipped: str | None = None
    handle: Any = None


class Document(Model):
    """What a human wrote, as a source yields it: whole text, front matter included.

    Attributes:
        corpus: the collection that it belongs to.
        source: id of the source.
        path: POSIX path inside the source. (corpus, source, path) identifies a document.
        uri: where a person finds it; carries no credentials.
        text: the whole decoded text. Line numbers in citations count from its first line.
        revision: see `SourceEntry.revision`.
        commit: provenance revision shown to people (for git the sha of the last commit that
            touched the file); None when unknown.
        modified_at: when it was last changed (aware, UTC); None when unknown, never guessed.
        metadata: what the source itself knows (title, labels, ...); front matter is added later.
        warnings: what was repaired while reading (replaced bytes, ...), for the report.
    """

    corpus: str
    source: str
    path: str
    uri: str
    text: str
    revision: str
    commit: str | None = None
    modified_at: datetime | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class Provenance(Model):
    """Where one revision of a document comes from: shown beside its text, and no part of it.

    The history of a source can move on, or be written anew, while a text stays as it is. The fields
    are those of `Document`.
    """

    path: str
    revision: str
    uri: str
    commit: str | None = None
    modified_at: datetime | None = None


class Chunk(Model):
    """A contiguous span of a document's body.

    The spans of a document's chunks partition its body: joined in order, their texts are the body.

    Attributes:
        ordinal: position in the document, from 0.
        text: the span itself, byte for byte.
        context: title, heading path, table header, list lead-in: indexed and embedded with the
            text, never counted against a size and never cited.
        section: title of the innermost heading, "" before the first.
        heading_path: titles from the outermost heading down to `section`.
        anchor: GitHub's anchor of that heading, "" before the first.
        part: which part of its section this is, from 1.
        parts: how many parts the section has.
        line_start: first line in the file, from 1.
        line_end: last line in the file, inclusive.
    """

    ordinal: int
    text: str
    context: str
    section: str
    heading_path: tuple[str, ...]
    anchor: str
    part: int
    parts: int
    line_start: int
    line_end: int


class IndexedChunk(Model):
    """A chunk with what search needs of it.

    Attributes:
        header: words of title, file name and heading path (`identifiers.analyse`).
        words: words of context and text, in order.
        length: how many words a reader would count in context and text.
        identifiers: exact identifiers of the chunk, folded, without duplicates.
        fragments: identifier-like pieces of longer identifiers.
        vector_key: SHA-256 over the embedded text; with a fingerprint it names a vector. None when
            no embedder is configured.
    """

    chunk: Chunk
    header: tuple[str, ...]
    words: tuple[str, ...]
    length: int
    identifiers: tuple[str, ...]
    fragments: tuple[str, ...] = ()
    vector_key: str | None = None


class IndexedDocument(Model):
    """One version of a document, as an index stores it.

    Attributes:
        digest: SHA-256 over the canonical text and governing metadata; what a review binds.
        processing_key: names everything that shaped the rows besides the content (embedder,
            splitter, identifiers, metadata and screening versions, source settings).
        eligible: whether searches may return it (see `governance`); the one field that changes in
            place, on the rows of every load.
        trust: words for people: "git, reviewed branch", "reviewed by ...".
    """

    corpus: str
    source: str
    path: str
    uri: str
    title: str
    service: str | None = None
    status: str = "stable"
    digest: str
    revision: str
    processing_key: str
    commit: str | None = None
    modified_at: datetime | None = None
    eligible: bool
    trust: str
    metadata: dict[str, Any] = Field(default_factory=dict)
    chunks: tuple[IndexedChunk, ...] = ()


class KnownDocument(Model):
    """What an index knows of a document that its active load holds.

    Attributes:
        status: its own, from the front matter; only ``"stable"`` can be found.
        chunks: that are really there.
        uri: this one, `commit` and `modified_at` are those of `Document`, as they are shown.
    """

    path: str
    revision: str
    processing_key: str
    digest: str
    eligible: bool
    status: str = "stable"
    chunks: int
    uri: str = ""
    commit: str | None = None
    modified_at: datetime | None = None


class LoadRecord(Model):
    """One load of an index, as `loads list` shows it."""

    number: int
    status: Literal["building", "active", "superseded", "rolled_back", "abandoned", "collected"]
    created_at: datetime
    activated_at: datetime | None = None
    fingerprint: str | None = None
    details: dict[str, Any] = Field(default_factory=dict)
    documents: int = 0
    chunks: int = 0


class Query(Model):
    """A search as a retriever gets it.

    Attributes:
        text: what was asked.
        service: only documents of this service (and those of no service aren't added).
        corpus: only documents of this corpus.
        mode: which rankings take part.
        top_k: how many passages to return.
        per_document: how many passages a document may contribute; 0 lifts the limit.
        pool: how many candidates each ranking contributes.
    """

    text: str
    service: str | None = None
    corpus: str | None = None
    mode: Mode = "hybrid"
    top_k: int = 6
    per_document: int = 1
    pool: int = 50


class Candidate(NamedTuple):
    """One chunk that at least one ranking found, with its raw score on every scale.

    Attributes:
        chunk: the index's id of the chunk: opaque, sortable, breaks ties.
        document: the index's id of the document version.
        lexical: score of `lexical.py`; 0 when no word matches.
        identifiers: score of the exact identifiers; 0 when none matches.
        vector: cosine with the query in [-1, 1]; None without an embedder.
    """

    chunk: int
    document: int
    lexical: float = 0.0
    identifiers: float = 0.0
    vector: float | None = None


class Rankings(Model):
    """What a retriever found, read from one load.

    Attributes:
        load: number of that load; None when nothing was ever activated.
        rankings: ranking name -> chunk ids, best first. A managed retriever returns one.
        candidates: every chunk of any ranking, by id.
        coverage: share of the query's information (sum of idf) that its best lexical candidate
            holds, in [0, 1].
    """

    load: int | None
    rankings: dict[str, tuple[int, ...]] = Field(default_factory=dict)
    candidates: dict[int, Candidate] = Field(default_factory=dict)
    coverage: float = 0.0


class OutlinedChunk(NamedTuple):
    """What a chunk is called, without its text.

    Attributes:
        chunk: as in `Candidate`, like `document`.
        uri: where a person finds the document.
        heading_path: titles from the outermost heading down to the chunk's own.
    """

    chunk: int
    document: int
    corpus: str
    service: str | None
    path: str
    uri: str
    title: str
    heading_path: tuple[str, ...]
    anchor: str


class Named(NamedTuple):
    """Chunks that a question names outright, so that they come before whatever a search finds.

    Attributes:
        by: how, for people and programs.
        chunks: in the order of the index.
        certain: whether nothing but these can be meant.
    """

    by: str
    chunks: tuple[OutlinedChunk, ...]
    certain: bool


class FetchedChunk(Model):
    """The body of a candidate with its document's provenance, read from the pinned load."""

    chunk: Chunk
    id: int
    corpus: str
    source: str
    path: str
    uri: str
    title: str
    service: str | None
    digest: str
    commit: str | None
    revision: str
    modified_at: datetime | None
    trust: str
    identifiers: tuple[str, ...]
    metadata: dict[str, Any] = Field(default_factory=dict)


class Ranks(Model):
    """Ranks (from 1) of a passage in each ranking; None where it wasn't among the candidates."""

    lexical: int | None = None
    identifiers: int | None = None
    vector: int | None = None


class Passage(Model):
    """A piece of knowledge as it is shown: never without its provenance. Fields: INTERFACE."""

    text: str
    citation: str
    label: str
    source: str
    title: str
    section: str
    anchor: str
    part: int
    parts: int
    line_start: int
    line_end: int
    revision: str
    modified_at: datetime | None
    age_days: int | None
    stale: bool
    needs_review: bool
    trust: str
    matched: tuple[str, ...]
    corpus: str
    service: str | None
    score: float
    ranks: Ranks
    load: int


class Counts(Model):
    """How many candidates each ranking found, so that "lexical found nothing" is visible."""

    lexical: int = 0
    identifiers: int = 0
    vector: int = 0


class FailedRemedy(Model):
    """What was tried before on a service, and failed; an approved incident report says so.

    Attributes:
        remedy: what was tried, screened.
        investigation: in which incident.
        passages: citations of passages of this answer in which it stands.
    """

    remedy: str
    service: str
    investigation: str
    passages: tuple[str, ...] = ()


class SearchResult(Model):
    """The answer to one search. `unavailable` never looks like `no_match`."""

    status: Status
    confident: bool
    confidence: float
    query: str
    passages: tuple[Passage, ...] = ()
    counts: Counts = Counts()
    load: int | None = None
    took_ms: float = 0.0
    reason: str | None = None
    failed_remedies: tuple[FailedRemedy, ...] = ()

    @property
    def is_gap(self) -> bool:
        """Whether it was looked for, and nothing to rely on was found."""
        return self.status in ("ok", "no_match") and not self.confident


class SyncError(Model):
    """Why a document or source failed or was quarantined; no document text."""

    source: str
    reason: str


class PlannedChange(Model):
    """What a sync had built when it was refused; the fields are those of `SyncReport`."""

    documents: int = 0
    chunks: int = 0
    pruned: int = 0
    removed: int = 0

    @property
    def words(self) -> str:
        """For the line before the summary."""
        return (
            f"index {self.documents} documents as {self.chunks} chunks, prune {self.pruned} stale "
            f"chunks, remove {self.removed} deleted documents"
        )


class SyncReport(Model):
    """What took effect; `summary` is the last line that people and CI jobs read.

    Attributes:
        load: the load that is active now.
        activated: whether this sync moved the pointer.
        documents: how many were written, as `chunks` chunks.
        skipped: documents that had not changed.
        pruned: chunks of replaced versions that this load ends.
        removed: documents that are gone from their source.
        embedded: vectors that were computed (or, in a dry run, would be).
        pending: documents that wait for a review.
        refreshed: documents that had not changed, whose commit, date or address had.
        began: documents that answer now and did not before this sync; 0 in a dry run.
        stopped: documents that answered before this sync and do not now; in a dry run only those
            whose source is not trusted any more.
        passed_over: entries that are no documents, by reason.
        refused: the load was built, but must not be activated (mass deletion, nothing left).
        planned: what a refused sync was about to do. None of it is in the other counts.
    """

    load: int | None
    activated: bool
    documents: int = 0
    chunks: int = 0
    skipped: int = 0
    pruned: int = 0
    removed: int = 0
    quarantined: int = 0
    failed: int = 0
    embedded: int = 0
    pending: int = 0
    refreshed: int = 0
    began: int = 0
    stopped: int = 0
    passed_over: dict[str, int] = Field(default_factory=dict)
    took_ms: float = 0.0
    errors: tuple[SyncError, ...] = ()
    warnings: tuple[SyncError, ...] = ()
    dry_run: bool = False
    refused: bool = False
    planned: PlannedChange | None = None

    @property
    def summary(self) -> str:
        """One line with every count."""
        verb = "would index" if self.dry_run else "indexed"
        return (
            f"{verb} {self.documents} documents as {self.chunks} chunks; "
            f"skipped {self.skipped} unchanged; pruned {self.pruned} stale chunks; "
            f"removed {self.removed} deleted documents; quarantined {self.quarantined}; "
            f"failed {self.failed}"
        )
