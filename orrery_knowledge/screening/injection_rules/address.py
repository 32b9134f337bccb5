"""How much a mention of an agent speaks to it: named, laid a duty on, or called."""

from __future__ import annotations

from typing import Protocol

from orrery_knowledge.screening.findings import word_set
from orrery_knowledge.screening.patterns import compiled

MENTIONED = 1
"""The sentence names an agent."""
OBLIGED = 2
"""It lays a duty on one ("the assistant must"); one more when the name can only mean a model."""
SPOKEN_TO = 4
"""It speaks to one ("assistant, ...", "note to AI: ...", "any model reading this")."""

CALLED_ON = 5
"""It calls one with a word of address ("note for the assistant: ..."); one more when the name can
only mean a model: nobody else writes to models in a document."""

_CLAUSE = compiled(
    r"[:;(\[{\"'`>|\n\x{2014}\x{2013}=<!?/#*]|\s-\s|,\s"
    r"|[\x{ff0c}\x{3001}\x{3002}\x{ff1a}]"
)
_BREAKS = str.maketrans(dict.fromkeys("\"'`*_~|:;.!?()[]{}<>/\\=+-#@,>\u2014\u2013", " "))
_LEADING = word_set(
    """
    a an the any all every each to for dear hey hi hello note notes message memo hint notice tip
    reminder attention warning instruction instructions request order orders directive command
    important urgent ok okay now so and please spoken addressed aimed at our your this whichever
    whatever which if you are first second half part step rule policy read binding ps new as
    automated line on-line online chat vision search text-to-sql internal resident whoever word
    s first third last then listen again memo attn ps action petit mot
    pour le la an den die das der dem liebe lieber liebes hinweis nachricht fur alle jede jeder
    jeden ein eine wichtig achtung bitte note destinee destine aux au le la les l cher chere pour
    message attention tout toute tous un une nota mensaje para el los las al estimado estimada
    querido atencion importante a todo toda todos todas o os as ao aos caro cara prezado mensagem
    aviso all agli ai ogni gli il messaggio per gentile bericht aan de het beste van directie voor
    do dla drogi uwaga wiadomosc kazdy kazda bu kaydi okuyan sevgili not dikkat mesaj till kare
    obs viktigt pro mily vzkaz الى у к ко при для до всем все уважаемыи примечание virtual
    virtuale virtuel digital intelligent coding helpful support reviewing listening own
    """
)
_SAID_TO = compiled(
    r"\b(?:to|for|aan|an|aux?|para|al|agli|do|dla|all)\s(?:(?:the|any|all|every|our|your|de|den"
    r"|die|"
    r"der|el|la|los|le|les)\s)?$"
)
_CAUSED = compiled(
    r"\b(?:have|let|make|get|instruct|order|tell|ask|force) (?:the |your |an? |any |its )?"
    r"(?:\w{2,12} )?$|\bby order of [^.\n]{2,30}: (?:every |all |the )?$"
)
_CALLED = compiled(r"(?:\s?\([^()\n]{1,20}\))?\s{0,2}[,:!\x{060c}\x{ff1a}\x{ff0c}\x{3001}]")
_BRACKETED = compiled(r"\s?(?:only)?\s?[\])](?:[^(]|$)")
_WITHIN = compiled(r"[\pL)\\\]]\s{0,2}$")
_ENDED = compiled(r"\s{0,2}(?:[,.!?;:)\]\"]|$)")
_CALLING = compiled(
    r"\b(?:to|for|dear|attention|note|message|memo|hint|notice|reminder|instructions?|an|fur"
    r"|aux?|para"
    r"|bericht|mensaje|nota|do|dla|all)\b"
)
_FOR = compiled(r"\b(?:for|instructions?(?: to)?)\s(?:the\s|all\s|any\s)?$")
"""What is written for models, of which documentation says much, isn't yet written to them."""
_COLON = compiled(r"[\w\s'()/-]{0,30}[:\x{ff1a}]\s")
_READING = compiled(
    r"\s(?:that (?:is |are )?|which (?:is |are )?|who (?:is |are )?|currently |now )?(?:read"
    r"|process"
    r"|handl|triag|review|summari[sz]|pars|open|describ|work|analy[sz]|ingest|scann?|index|answer"
    r"|receiv|visit|crawl|load|see)(?:ing|es|s|e|ed)? (?:on )?(?:this|these|the|it|that|my|our"
    r"|here)\b"
    r"|\swith (?:access|tools?|permissions?|(?:kubectl|shell|root|write|api|admin) access)\b"
    r"|\sreading\b"
)
_WIDE_CALL = compiled(
    r"[^,:.!?\n]{0,25}[,:\x{060c}\x{ff1a}\x{ff0c}\x{3001}]|\s?(?:\x{3078}|\x{306b}|\x{306f}"
    r"|\x{8bf7}"
    r"|\x{8acb}|\x{52a1})"
)
_PRODUCT = compiled(r"(?:claude|gemini|chatgpt|gpt.*|copilot)$")
_NEVER = compiled(r"(?:\s\w{2,8})?\s(?:not|never|no longer|only|nicht|nie)\b")
_JOINED = frozenset("-_/.=")
"""Beside a broad name: part of a longer name, such as that of a daemon or a path."""
_REACH = 60
_LINE = 40
"""A line of so many characters that ends in a word may be wrapped."""
ENGLISH_WORD = compiled(r"\b(?:the|and|of|this|with|is)\b")
_NEARBY = 40
"""How far from an agent's name lies what makes it a reader, in other languages than English."""
_APPOSED = compiled(
    r"\b(?:you(?:,| who are| as| being|r role as|, as)|listen(?:,| up,?)?|tasking|tasked is)"
    r"\s(?:the |an? |our |this )?(?:[\w-]{2,14} ){0,2}$"
)
_ON_DUTY = compiled(
    r"\s(?:on|in|at|of|for|with|behind|under|del|de|da|do|von|van|des|der|du|della|av|assigned"
    r"|tasked|that|which|who|here)\b[^,:.!?\n]{0,40}"
    r"[,:]\s"
)
_WORKING = compiled(r"\s(?:that|which|who)\s[^.:!?\n]{3,60}:\s")
_ADDRESSED = compiled(r"(?:^|[^\w])(?:dear|hey|hello|hi|attention|to|attn|ok|okay|note to|for)\s")
_ITEM = compiled(
    r"\b(?:command|order|task|action|job|request|instruction|footnote|clause|note|word|line"
    r"|directive|caption|message|memo|section|half|hint|reminder|notice|text)s? (?:for"
    r"|to) (?:(?:the"
    r"|any|all|every|our|your|this)\s)?(?:[\w-]{2,14}\s){0,2}$"
)
_ONLY = compiled(r"(?:\sonly\b|[ -]facing\b[^.\n]{0,24}:)")
_HEADING = compiled(r"[^:\n]{0,40}:\s{0,3}\n")
_HEADED = 4
"""How many words may stand between the beginning of a clause and a model's name with a colon."""
_TELLS_OF = frozenset({"of", "by", "with", "on", "about", "from", "using", "via", "a", "an"})
_WHEN = compiled(r"\b(?:when|while|once|after|how|where)\s(?:an? |the |your )?(?:\w+ )?$")
_FEW = 3
"""How many words may stand before an agent's name in a script without a list of such words."""


class Cues(Protocol):
    """What is known of the text: see `clauses`."""

    text: str
    wide: bool

    def within(self, name: str, start: int, end: int) -> list[tuple[int, int]]:
        """Spans of a class of cue that begin in a range."""


def address(cues: Cues, agent: tuple[int, int], sentence: tuple[int, int], *, strict: bool) -> int:
    """The weight of one mention.

    Args:
        cues: the text and its cues.
        agent: where the agent is named.
        sentence: the sentence round it.
        strict: whether the name can mean nothing but a model.
    """
    start, end = agent
    before = cues.text[max(sentence[0], start - 80) : start]
    after = cues.text[end : min(sentence[1], end + 80)]
    if not strict and (before[-1:] in _JOINED or after[:1] in _JOINED - {"."}):
        return 0
    tagged = before.endswith("@") and after[:1] in " ,:\n"
    if weight := CALLED_ON * tagged or _called(before, after, cues.text[start:end], strict=strict):
        return weight
    if _READING.match(after) and not _is_told_of(before, cues.text[start:end]):
        return SPOKEN_TO
    if strict and (weight := _apposed(cues, agent, sentence, before)):
        return weight
    if after.startswith(" to ") and not _clause(before)[0].strip():
        return OBLIGED
    if _CAUSED.search(before):
        return OBLIGED + (strict or before.endswith("your "))
    for low, high in cues.within("modal", end, min(end + _REACH, sentence[1])):
        if cues.text[low - 1] == "`":  # the name of a key
            continue
        if _NEVER.match(cues.text[high : high + 24]):
            return MENTIONED
        if strict:
            return OBLIGED + 1 if cues.text[start:end].isascii() else SPOKEN_TO
        return OBLIGED
    if cues.wide and cues.within("modal", max(sentence[0], start - 20), start):
        return OBLIGED
    return MENTIONED


def _apposed(cues: Cues, agent: tuple[int, int], sentence: tuple[int, int], before: str) -> int:
    """What it weighs that a name stands beside "you", or beside "who reads this"."""
    if _APPOSED.search(before):
        return SPOKEN_TO
    low, high = max(sentence[0], agent[0] - _NEARBY), min(sentence[1], agent[1] + _NEARBY)
    if ENGLISH_WORD.search(cues.text[low:high]):
        return 0
    if cues.within("thou", low, high):
        return CALLED_ON
    reads = cues.within("reader", low, high) and cues.within("here", low, high)
    return SPOKEN_TO if reads else 0


def _called(before: str, after: str, name: str, *, strict: bool) -> int:
    """What a call weighs; 0 when nobody is called."""
    foreign = not name.isascii()
    if name.endswith("s") and _FOR.search(before) and _HEADING.match(after):
        return 0
    lead, last = _clause(before)
    words = lead.translate(_BREAKS).split()
    opening = set(words) <= _LEADING or bool(_ITEM.search(lead)) or (foreign and len(words) <= _FEW)
    calling = bool(_CALLING.search(lead))
    weight = CALLED_ON if calling else SPOKEN_TO
    weight += calling and strict and not _FOR.search(before)
    listed = after[:1] == ","
    if last == "," and listed and _PRODUCT.match(name):
        return 0
    # "..., assistant." and "..., assistant, and": no article stands before a name that is called.
    if last == "," and not name.endswith("s") and not lead.strip() and _ENDED.match(after):
        return SPOKEN_TO
    # "LLM on duty, ..." and "to the model of the shift: ..." call; "the model of today, ..." tells.
    if (
        strict
        and opening
        and not name.endswith("s")
        and _ON_DUTY.match(after)
        and (not words or _ADDRESSED.search(lead))
    ):
        return weight
    # An enumeration in brackets begins as a call does; so does the scope of a name in a program.
    if after.startswith("::") or (
        listed and not (foreign or strict) and last and last not in ":;\"'\n>"
    ):
        return 0
    if opening and (_CALLED.match(after) or (foreign and _WIDE_CALL.match(after))):
        return weight
    # "Log-summarising LLM: ..." has a heading's form, and needs a request behind it.
    named = len(words) <= _HEADED and not (words and words[-1] in _TELLS_OF)
    if strict and after[:1] == ":" and named and not name.endswith("s"):
        return SPOKEN_TO
    if _ONLY.match(after) and (calling or after[:1] == "-"):
        return CALLED_ON
    # "Bot that compiles this: ...", "for the helper that drafts: ...".
    articles = {"the", "a", "an"} & set(words)
    if opening and (calling or not articles) and not name.endswith("s") and _WORKING.match(after):
        return SPOKEN_TO
    if opening and last and last in "([{" and _BRACKETED.match(after):
        within = _WITHIN.search(before[: before.rindex(last)])
        return 0 if within and not calling else weight
    if (_SAID_TO.search(before) or (opening and calling)) and _COLON.match(after):
        return weight
    return 0


def _clause(before: str) -> tuple[str, str]:
    """The beginning of the clause that a name stands in, and what stands in front of it."""
    start = 0
    last = ""
    for match in _CLAUSE.finditer(before):
        found = match.group()[0]
        # A line that runs on is no end of a clause.
        if found == "\n" and match.start() - start > _LINE and before[match.start() - 1].isalnum():
            continue
        start, last = match.end(), found
    return before[start:], last


def _is_told_of(before: str, name: str) -> bool:
    if before.rstrip().endswith((" of", " by", "with")) or _WHEN.search(before):
        return True
    return name.endswith("s") and bool(_FOR.search(before))
