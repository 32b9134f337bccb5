"""Do a dataset's labels name what is there? A label that nothing can meet scores 0 without a word.

Sections are those of the index: the same splitter cuts the labelled documents here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from orrery_knowledge.chunking.markdown import chunk_markdown
from orrery_knowledge.chunking.parsing import ParsedDocument
from orrery_knowledge.chunking.slugs import Slugger
from orrery_knowledge.errors import ConfigurationError, DocumentError
from orrery_knowledge.governance.frontmatter import split_front_matter
from orrery_knowledge.sources.decoding import decode
from orrery_knowledge.sources.paths import printable_name

_SHOWN = 120
"""Characters of a name in a message."""


class Label(NamedTuple):
    """One judgement, as a line of ``qrels.tsv`` has it."""

    line: int
    query: str
    document: str
    section: str
    grade: int


class _Sections(NamedTuple):
    held: frozenset[str]
    empty: frozenset[str]


def check_labels(docs: Path, file: str, labels: Sequence[Label]) -> tuple[str, ...]:
    """Look every label up in the documents.

    Args:
        docs: folder of the documents.
        file: name of the labels' file, for messages.
        labels: in the order of the file.

    Returns:
        warnings: labels that stand twice, and those that can't be met but do no harm.

    Raises:
        ConfigurationError: a label of relevance names a document or section that isn't there; the
            message has the line and what comes nearest.
    """
    files = _files(docs)
    sections: dict[str, _Sections | None] = {}
    warnings = list(_repeated(file, labels))
    wrong: list[str] = []
    for label in labels:
        where = f"{file}, line {label.line}: "
        if label.document not in files:
            reason = f"no document {_shown(label.document)}{_near(label.document, files)}"
            (wrong if label.grade else warnings).append(where + reason)
            continue
        if not label.section:
            continue
        if label.document not in sections:
            sections[label.document] = _sections_of(files[label.document])
        found = sections[label.document]
        if found is None or label.section in found.held:
            continue
        name = f"section {_shown(label.section)} in {_shown(label.document)}"
        if label.section in found.empty:
            warnings.append(f"{where}{name} has no text of its own, so no passage can be found")
        else:
            reason = f"no {name}{_near(label.section, found.held)}"
            (wrong if label.grade else warnings).append(where + reason)
    if wrong:
        others = f" ({len(wrong) - 1} more such lines)" if len(wrong) > 1 else ""
        raise ConfigurationError(wrong[0] + others)
    return tuple(warnings)


def check_held_out(
    docs: Path, file: str, held_out: Mapping[str, Sequence[str]], labels: Iterable[Label]
) -> None:
    """Look up the documents that queries hold out.

    Args:
        docs: folder of the documents.
        file: name of the labels' file, for messages.
        held_out: query -> documents that leave its ranking.
        labels: in the order of the file.

    Raises:
        ConfigurationError: a query holds out what isn't there, or what is an answer to it.
    """
    files = _files(docs) if held_out else {}
    for query, documents in held_out.items():
        for document in documents:
            if document not in files:
                raise ConfigurationError(
                    f"query {query} holds out {_shown(document)}, which is no document"
                    f"{_near(document, files)}"
                )
    for label in labels:
        if label.grade and label.document in held_out.get(label.query, ()):
            raise ConfigurationError(
                f"{file}, line {label.line}: {_shown(label.document)} is held out from query "
                f"{label.query}, so it can't be an answer"
            )


def _files(docs: Path) -> dict[str, Path]:
    return {
        "/".join(printable_name(part) for part in path.relative_to(docs).parts): path
        for path in sorted(docs.rglob("*"))
        if path.is_file()
    }


def _repeated(file: str, labels: Iterable[Label]) -> Iterable[str]:
    first: dict[tuple[str, str, str], Label] = {}
    for label in labels:
        before = first.setdefault(label[1:4], label)
        if before is not label:
            graded = "" if before.grade == label.grade else ", with another relevance"
            yield (
                f"{file}, line {label.line}: the label of line {before.line} again{graded}; "
                "it counts once, at its highest"
            )


def enclosing_sections(
    docs: Path, documents: Iterable[str]
) -> dict[str, dict[str, tuple[str, ...]]]:
    """The anchors around each section, from the nearest out, of some documents.

    Args:
        docs: folder of the documents.
        documents: as labels name them; those that aren't there or can't be cut are left out.
    """
    files = _files(docs)
    around: dict[str, dict[str, tuple[str, ...]]] = {}
    for document in documents:
        if document not in files:
            continue
        with suppress(DocumentError):
            around[document] = _enclosing(ParsedDocument(_body_of(files[document])))
    return around


def _enclosing(parsed: ParsedDocument) -> dict[str, tuple[str, ...]]:
    slugger = Slugger()
    open_sections: list[tuple[int, str]] = []
    around: dict[str, tuple[str, ...]] = {}
    for heading, title in parsed.headings:
        anchor = slugger.add(title)
        if heading is None:  # in a list or quote: it takes an anchor, and makes no section
            continue
        level = heading.node.level
        open_sections = [section for section in open_sections if section[0] < level]
        around[anchor] = tuple(name for _, name in reversed(open_sections))
        open_sections.append((level, anchor))
    return around


def _body_of(file: Path) -> str:
    text = decode(file.read_bytes()).text
    try:
        return split_front_matter(text).body
    except DocumentError:
        return text  # it will be quarantined, and reported then


def _sections_of(file: Path) -> _Sections | None:
    """Anchors with a text of their own, and of headings without one; None if it is too long."""
    body = _body_of(file)
    try:
        held = frozenset(chunk.anchor for chunk in chunk_markdown(body))
    except DocumentError:
        return None  # likewise
    slugger = Slugger()
    every = frozenset(slugger.add(title) for _, title in ParsedDocument(body).headings)
    return _Sections(held, every - held)


def _near(name: str, names: Iterable[str]) -> str:
    folded = {other.casefold(): other for other in names if other}
    near = get_close_matches(name[:_SHOWN].casefold(), folded, n=3)
    return f"; near: {', '.join(_shown(folded[found]) for found in near)}" if near else ""


def _shown(name: str) -> str:
    return repr(name if len(name) <= _SHOWN else name[: _SHOWN - 1] + "…")
