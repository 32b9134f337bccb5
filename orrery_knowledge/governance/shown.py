"""What is shown of a document beside its text: its path, title, owner, anchors.

A hostile file name is read by people and models as every passage's label and citation. The guard
would withhold it there, and a passage that nobody can cite is of no use: so the document is kept
out, as if its text had said so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from orrery_knowledge.governance.citations import format_citation
from orrery_knowledge.governance.metadata import DocumentMetadata
from orrery_knowledge.governance.records import QuarantineReason
from orrery_knowledge.models import Chunk, Document
from orrery_knowledge.screening import Finding, screen

_APART = "\n\n"


def shown_path(path: str) -> str:
    """A path as reports and logs may print it: what makes it hostile is left out."""
    return screen(path).text.replace("\n", " ")


def unsafe_names(
    document: Document,
    metadata: DocumentMetadata,
    digest: str,
    is_unsafe: Callable[[Finding, str], bool],
) -> tuple[QuarantineReason, ...]:
    """Why a document may not be shown for what it calls itself; empty when it may.

    Args:
        document: as its source yields it.
        metadata: as parsed: escapes of YAML can hide from a look at the text what they spell.
        digest: of the version.
        is_unsafe: whether a finding in a text keeps a document out.
    """
    citation = format_citation(document.path, source=document.source, digest=digest)
    named = {
        "path": (document.path, citation, document.uri),
        "title": (metadata.title,),
        "service": (metadata.service,),
        "owner": (metadata.owner,),
        "doctype": (metadata.doctype,),
        "category": (metadata.category,),
        "version": (metadata.version,),
        "tags": metadata.tags,
    }
    # One look at all of them: hardly ever there is a reason for a second.
    together = _APART.join(text for texts in named.values() for text in texts if text)
    if screen(together).text == together:
        return ()
    found: dict[str, QuarantineReason] = {}
    for what, texts in named.items():
        for text in texts:
            for rule in _rules(text or "", is_unsafe, whole=text == citation):
                reason = QuarantineReason(rule=f"{rule} in its {what}")
                found.setdefault(reason.rule, reason)
    return tuple(found.values())


def unsafe_headings(
    chunks: Sequence[Chunk], body: str, is_unsafe: Callable[[Finding, str], bool]
) -> tuple[QuarantineReason, ...]:
    """The same for headings as they are shown: rendered, and as anchors of citations."""
    lines: dict[str, int] = {}
    for chunk in chunks:
        lines.setdefault(chunk.anchor, chunk.line_start)
        # What stands in the text as it is shown was screened there.
        if chunk.section not in body:
            lines.setdefault(chunk.section, chunk.line_start)
    texts = list(lines)
    found: dict[tuple[str, int], QuarantineReason] = {}
    together = _APART.join(texts)
    for finding in screen(together).findings:
        text = texts[(finding.line - 1) // 2]
        for rule in _rules(text, is_unsafe, whole=False):
            reason = QuarantineReason(rule=f"{rule} in a heading", line=lines[text])
            found[rule, lines[text]] = reason
    return tuple(found.values())


def _rules(text: str, is_unsafe: Callable[[Finding, str], bool], *, whole: bool) -> Iterator[str]:
    """Names of the rules for which a text can't be shown; `whole` if nothing of it may change."""
    screened = screen(text)
    unsafe = _names(finding for finding in screened.findings if is_unsafe(finding, text))
    yield from unsafe
    if whole and not unsafe and screened.text != text:
        yield from _names(screened.findings) or ["characters that are not shown"]


def _names(findings: Iterable[Finding]) -> list[str]:
    return list(dict.fromkeys(finding.rule for finding in findings))
