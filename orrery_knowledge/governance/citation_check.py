"""Does a text cite only what was issued, and quote it word for word?

Code decides this, not a model: a citation that nobody was given, or words that no passage holds,
are found whatever the text says about itself.

A *quote* is what stands between quotation marks, or in a block quote, if it has two words or more,
or a digit or sign as names and commands have them. It belongs to the citations of its block: its
paragraph, list item or heading; for a block quote those inside of it, else those of the block that
follows or else precedes it. A block without citations quotes nobody. ``...`` and ``[...]`` leave
something out: the pieces must stand in one passage, in that order.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

from orrery_knowledge.errors import KnowledgeError
from orrery_knowledge.governance.citations import Citation, parse_citation
from orrery_knowledge.governance.ledger import Ledger
from orrery_knowledge.governance.records import Evidence
from orrery_knowledge.models import Model
from orrery_knowledge.screening import label_text, screen

MAX_CHARACTERS = 64 * 1024
"""Of a text that is checked."""

MAX_PROBLEMS = 50
_SHOWN = 200

# What a citation is written with; every other character is percent-encoded (see `citations`).
_CITATION = re.compile(r"(?<![\w])kb:[^\s<>()\[\]{}\"'`|\\^*]+")
_FOLDED = re.compile(r"(?i)(?<![\w])kb\s?[:\u2236\ua789]\s?[\w./-]*[a-z]\.[a-z]{2,4}\b")
_QUOTED = re.compile(
    r"\"([^\"\n]+)\"|\u201c([^\u201c\u201d]+)\u201d|\u201e([^\u201e\u201c\u201d]+)[\u201c\u201d]|\u00ab([^\u00ab\u00bb]+)\u00bb"
)
_LEFT_OUT = re.compile(r"\[\s*(?:\.{3,}|\u2026)\s*\]|\.{3,}|\u2026")
_TELLING = re.compile(r"[\d_/=-]|\w\.\w")
_MARKUP = re.compile(r"[*`]|^[ \t]*>[ \t]?", re.MULTILINE)
_SIGNS = str.maketrans(
    {
        '"': "'",
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": "'",
        "\u201d": "'",
        "\u201e": "'",
        "\u2013": "-",
        "\u2014": "-",
        "\u00a0": " ",
        "\u00ad": None,
    }
)
_ENDS = ".,;:!?"


class CitationProblem(Model):
    """One thing that is wrong with a text.

    Attributes:
        reason: what is wrong, in one line.
        citation: that it is about; screened. None where it is about none.
        quote: the words that are not there; screened and cut. None where it is about a citation.
    """

    reason: str
    citation: str | None = None
    quote: str | None = None


class CitationCheck(Model):
    """What a check has found.

    Attributes:
        ok: whether the text cites something, and nothing is wrong with it.
        cited: citations that were issued in the investigation, each once, as they were issued.
        quotes: how many were compared.
    """

    ok: bool
    cited: tuple[str, ...]
    quotes: int
    problems: tuple[CitationProblem, ...]


@dataclass
class _Block:
    """A piece of a text in which quotes and citations belong together."""

    text: str = ""
    is_quote: bool = False
    cited: list[Evidence] = field(default_factory=list)


async def cite_check(ledger: Ledger, proposal: str, investigation: str) -> CitationCheck:
    """Check a text against what was issued under an investigation.

    Args:
        ledger: with the evidence; open.
        proposal: Markdown, at most `MAX_CHARACTERS`.
        investigation: whose evidence counts. What a guard dropped was never issued.

    Raises:
        BackendUnavailable: the ledger does not answer, so nothing is known.
    """
    return check_citations(proposal, await ledger.evidence(investigation))


def check_citations(proposal: str, evidence: Sequence[Evidence]) -> CitationCheck:
    """The same over rows of evidence."""
    if len(proposal) > MAX_CHARACTERS:
        problem = CitationProblem(reason=f"the text is longer than {MAX_CHARACTERS} characters")
        return CitationCheck(ok=False, cited=(), quotes=0, problems=(problem,))
    problems: list[CitationProblem] = []
    cited: dict[str, None] = {}
    issued = _Issued(evidence)
    blocks = list(_blocks(proposal))
    for block in blocks:
        for written, found in issued.cited(block.text):
            if found is None:
                said = _shown(written)
                reason = "this was not issued in this investigation"
                problems.append(CitationProblem(reason=reason, citation=said))
            else:
                block.cited.append(found)
                cited[found.citation] = None
    if _FOLDED.search(unicodedata.normalize("NFKC", _CITATION.sub(" ", proposal))):
        reason = "something looks like a citation and is none; repeat citations as they were issued"
        problems.append(CitationProblem(reason=reason))
    quotes = 0
    for number, block in enumerate(blocks):
        held = block.cited
        if block.is_quote and not held:
            around = (*blocks[number + 1 : number + 2], *reversed(blocks[:number][-1:]))
            held = next((other.cited for other in around if other.cited), [])
        for quote in _quotes(block) if held else ():
            quotes += 1
            if not any(_holds(row.excerpt, quote) for row in held):
                reason = "these words do not stand in what is cited beside them"
                citation = held[0].citation if len(held) == 1 else None
                problem = CitationProblem(reason=reason, citation=citation, quote=_shown(quote))
                problems.append(problem)
    if not cited:
        problems.append(CitationProblem(reason="the text cites nothing that was issued"))
    return CitationCheck(
        ok=not problems,
        cited=tuple(cited),
        quotes=quotes,
        problems=tuple(problems[:MAX_PROBLEMS]),
    )


def _blocks(text: str) -> Iterator[_Block]:
    """Paragraphs, headings, code and cells of a text; neighbouring ones of a block quote as one."""
    quote: _Block | None = None
    depth = 0
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "blockquote_open":
            depth += 1
            quote = quote or _Block(is_quote=True)
        elif token.type == "blockquote_close":
            depth -= 1
            if depth == 0 and quote is not None:
                yield quote
                quote = None
        elif token.type in ("inline", "fence", "code_block", "html_block"):
            said = _words(token)
            if quote is not None:
                quote.text += said + "\n"
            else:
                yield _Block(said)


def _words(token: Token) -> str:
    """What a reader sees of a block, link targets included."""
    if token.type != "inline":
        return token.content.replace('"', "'")
    seen = []
    for child in token.children or ():
        said = "\n" if child.type in ("softbreak", "hardbreak") else child.content
        # Quotation marks in code are code.
        seen.append(said.replace('"', "'") if child.type == "code_inline" else said)
        target = child.attrGet("href") or child.attrGet("src")
        if isinstance(target, str) and target.startswith("kb:"):
            seen.append(f" {target} ")
    return "".join(seen)


class _Issued:
    """What was issued, to be looked up by what somebody wrote."""

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        self._rows: dict[Citation, list[Evidence]] = {}
        for row in evidence:
            if row.issued:
                name = parse_citation(row.citation).model_copy(update={"digest": None})
                self._rows.setdefault(name, []).append(row)

    def cited(self, text: str) -> Iterator[tuple[str, Evidence | None]]:
        """What a text cites, as it is written there, and the row that it names."""
        for match in _CITATION.finditer(text):
            written = match.group()
            # A sentence goes on right behind: take off what ends it until a citation is left.
            end = len(written)
            found = self._named(written)
            while found is None and end > 0 and _may_end(written[end - 1]):
                end -= 1
                found = self._named(written[:end])
            yield written[:end], found

    def _named(self, written: str) -> Evidence | None:
        try:
            wanted = parse_citation(written)
        except KnowledgeError:
            return None
        rows = self._rows.get(wanted.model_copy(update={"digest": None}), [])
        for row in reversed(rows):
            if wanted.digest is None or row.digest.startswith(wanted.digest):
                return row
        return None


def _may_end(char: str) -> bool:
    return char in _ENDS or (unicodedata.category(char).startswith("P") and not char.isascii())


def _quotes(block: _Block) -> Iterator[str]:
    said = _CITATION.sub(" ", block.text)
    if block.is_quote:
        # A source line below the words is no part of them.
        quoted = "\n".join(line for line in said.splitlines() if not _is_source(line))
        if quoted.strip():
            yield quoted
        return
    for match in _QUOTED.finditer(said):
        words = next(group for group in match.groups() if group is not None)
        if len(words.split()) >= 2 or _TELLING.search(words):
            yield words


def _is_source(line: str) -> bool:
    return not re.sub(r"[\W_]+", "", line)


def _holds(excerpt: str, quote: str) -> bool:
    """Whether an excerpt holds every piece of a quote, in order."""
    there, at = _plain(excerpt), 0
    for piece in _LEFT_OUT.split(quote):
        wanted = _plain(piece)
        if not wanted:
            continue
        found = there.find(wanted, at)
        if found < 0 and (shorter := wanted.rstrip(_ENDS)):
            # Some writers put the sentence's own full stop inside of the marks.
            wanted, found = shorter, there.find(shorter, at)
        if found < 0:
            return False
        at = found + len(wanted)
    return True


def _plain(text: str) -> str:
    """Words without markup, line breaks and kinds of quotation marks and dashes."""
    folded = unicodedata.normalize("NFKC", _MARKUP.sub("", text)).translate(_SIGNS)
    return " ".join(folded.split())


def _shown(text: str) -> str:
    one = label_text(screen(text).text)
    return one if len(one) <= _SHOWN else one[: _SHOWN - 1] + "\u2026"
