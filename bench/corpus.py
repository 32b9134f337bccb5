"""A corpus of any size, recombined from our own sample documents; the same seed, the same rows."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

from bench.words import service_name, vary
from orrery_knowledge.chunking.markdown import chunk_markdown
from orrery_knowledge.governance.frontmatter import split_front_matter
from orrery_knowledge.models import Document, IndexedDocument
from orrery_knowledge.preparation import prepare
from orrery_knowledge.protocols import Vectors

SAMPLES = Path(__file__).parents[1] / "samples" / "knowledge"
DIMENSIONS = 384
FINGERPRINT = f"bench-{DIMENSIONS}"
CHUNK_SIZE = 800
"""In characters, the default of a sync."""

BATCH_CHUNKS = 256
"""How many chunks are written at once, as a sync does."""

INELIGIBLE_SHARE = 0.05
"""Documents that no search may return: each engine has to filter."""

CLUSTERS = 96
SPREAD = 1.2
"""Length of the noise that is added to a cluster's centre of length 1."""

SOURCE = "bench"
CORPUS = "runbooks"

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True)
class Section:
    """A section of a sample document.

    Attributes:
        title: its heading.
        sentences: of its paragraphs.
        blocks: lists, tables and code, whole.
    """

    title: str
    sentences: tuple[str, ...]
    blocks: tuple[str, ...]


@dataclass(frozen=True)
class Samples:
    """What new documents are made of."""

    sections: tuple[Section, ...]
    services: tuple[str, ...]


@dataclass(frozen=True)
class Batch:
    """Documents as rows, with the vectors of their chunks in order."""

    documents: tuple[IndexedDocument, ...]
    keys: tuple[str, ...]
    vectors: Vectors

    @property
    def chunks(self) -> int:
        """How many rows it has."""
        return len(self.keys)


@cache
def read_samples(folder: Path = SAMPLES) -> Samples:
    """The sections of every sample document, in order of path."""
    sections: list[Section] = []
    services: set[str] = set()
    for file in sorted(folder.rglob("*.md")):
        front = split_front_matter(file.read_text(encoding="utf-8"))
        service = front.data.get("service")
        if isinstance(service, str):
            services.add(service)
        for chunk in chunk_markdown(front.body, size=100_000):
            section = _section(chunk.section, chunk.text)
            if section.sentences or section.blocks:
                sections.append(section)
    return Samples(tuple(sections), tuple(sorted(services)))


def documents(seed: int) -> Iterator[IndexedDocument]:
    """Documents without end; each depends on the seed and its number alone."""
    samples = read_samples()
    number = 0
    while True:
        if (document := make_document(samples, seed, number)) is not None:
            yield document
        number += 1


def batches(seed: int, chunks: int) -> Iterator[Batch]:
    """The first documents that together have at least `chunks` chunks, in batches."""
    pending: list[IndexedDocument] = []
    held = total = 0
    for document in documents(seed):
        pending.append(document)
        held += len(document.chunks)
        total += len(document.chunks)
        if held >= BATCH_CHUNKS or total >= chunks:
            yield _batch(pending)
            pending, held = [], 0
        if total >= chunks:
            return


def make_document(samples: Samples, seed: int, number: int) -> IndexedDocument | None:
    """One document as a sync would prepare it; None where screening keeps it out."""
    random = Random(f"{seed}:{number}")
    service = service_name(random)
    parts = [
        _compose(samples.sections, random.choice(samples.sections), random)
        for _ in range(random.randint(3, 9))
    ]
    topic = random.choice(samples.sections).title or "Overview"
    title = vary(f"{service}: {topic}", random, service=service, known=samples.services)
    body = vary("\n".join(parts), random, service=service, known=samples.services)
    prepared = prepare(
        Document(
            corpus=CORPUS,
            source=SOURCE,
            path=f"{service}/{number:06}.md",
            uri=f"bench:{number:06}",
            text=f"# {title}\n\n{body}",
            revision=str(number),
            metadata={"service": service},
        ),
        trust="reviewed",
        decisions={},
        key=f"bench-{seed}",
        size=CHUNK_SIZE,
        embedded=True,
    )
    if prepared.indexed is None:
        return None
    eligible = random.random() >= INELIGIBLE_SHARE
    return prepared.indexed.model_copy(update={"eligible": eligible})


def vector_of(content: str, topic: str) -> Vectors:
    """A unit vector seeded by a text, near the centre of its topic's cluster."""
    cluster = zlib.crc32(topic.encode()) % CLUSTERS
    noise = _direction(zlib.crc32(content.encode()) + CLUSTERS)
    mixed = _centre(cluster) + SPREAD * noise
    return np.asarray(mixed / np.linalg.norm(mixed), dtype=np.float32)


@cache
def _centre(cluster: int) -> Vectors:
    return _direction(cluster)


def _direction(seed: int) -> Vectors:
    values = np.random.default_rng(seed).standard_normal(DIMENSIONS, dtype=np.float32)
    return np.asarray(values / np.linalg.norm(values), dtype=np.float32)


def _batch(pending: Sequence[IndexedDocument]) -> Batch:
    chunks = [item for document in pending for item in document.chunks]
    keys = tuple(item.vector_key or "" for item in chunks)
    vectors = np.stack(
        [
            vector_of(key, item.chunk.section.partition(" ")[0])
            for key, item in zip(keys, chunks, strict=True)
        ]
    )
    return Batch(tuple(pending), keys, vectors)


def _section(title: str, text: str) -> Section:
    sentences: list[str] = []
    blocks: list[str] = []
    for block in _blocks(text):
        if block.startswith("#"):
            continue
        if block[0].isalpha():
            sentences += [one for one in _SENTENCE_END.split(" ".join(block.split())) if one]
        else:
            blocks.append(block)
    return Section(title, tuple(sentences), tuple(blocks))


def _blocks(text: str) -> Iterator[str]:
    """Parts between blank lines; a fenced block stays whole."""
    lines: list[str] = []
    fenced = False
    for line in [*text.splitlines(), ""]:
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if line.strip() or fenced:
            lines.append(line)
        elif lines:
            yield "\n".join(lines)
            lines = []
    if lines:
        yield "\n".join(lines)


def _compose(sections: Sequence[Section], base: Section, random: Random) -> str:
    """A new section: sentences of one, some of others, and a list, a table or code."""
    blocks = [f"## {base.title or 'Overview'}"]
    for _ in range(random.randint(2, 5)):
        other = random.choice(sections)
        pool = (*base.sentences, *random.choice(sections).sentences, *other.sentences)
        if random.random() < 0.65 and pool:
            count = min(len(pool), random.randint(3, 7))
            blocks.append(" ".join(random.sample(pool, count)))
        elif found := (base.blocks or other.blocks):
            blocks.append(random.choice(found))
    return "\n\n".join(blocks) + "\n"
