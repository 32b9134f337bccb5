"""Phrases that rules are made of, as patterns over the canonical view, and what a rule is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from orrery_knowledge.screening.patterns import compiled

GAP = r"[\s\"'`*_~>|,:()\[\]#!-]{1,8}"
"""Between two words: space, punctuation and Markdown, but no end of a sentence."""

START = (
    r"(?:^|[.!?:;,\n\"'`*>)(\[\]{}|=#-]\s{0,4}|\b(?:please|must|should|shall|will|would|now|then"
    r"|and"
    r"|to you|you|instead|also|first|immediately|simply|just|always|kindly|or|but|only)\s{1,3})"
)
"""Where an imperative can begin: a clause, or behind a word that commands."""

MODEL = (
    r"(?:(?:the|an?|any|all|every|this|dear|each)\s{1,3})?(?:[a-z]{2,12}\s)?(?:a\.?i\.?|llms?"
    r"|(?:large )?language models?|chat ?bots?|chatgpt|gpt-?[0-9][\w.-]{0,8}|claude|gemini|copilot"
    r"|llama|mistral|deepseek|(?:ai|llm|virtual|digital|automated|autonomous|coding|helpful)"
    r"[\s-]{1,3}(?:agents?|assistants?|models?|systems?|tools?|bots?|reviewers?|summari[sz]ers?))"
)
"""Words that can only mean a model. "Agent" and "assistant" alone are also products and people."""

BROAD_MODEL = rf"(?:{MODEL}|(?:the |any |all |every )?(?:assistants?|agents?|models?|bots?))"

OVERRIDE = (
    r"(?:ignore|disregard|forget|override|overrule|bypass|discard|neglect|violate"
    r"|(?:do not|don'?t|stop|cease|never) (?:follow|obey|comply with|adhere to|listen to)(?:ing)?"
    r"|(?:stop|cease) (?:following|obeying)|pay no attention to|set aside|throw (?:away|out))"
)
QUANTITY = r"(?:all|any|every|everything|each|whatever|your|my|its|these|those|of|the|other|and|or)"
EARLIER = (
    r"(?:previous(?:ly)?|prior|preceding|earlier|above|foregoing|former|initial|original|existing"
    r"|current|system|developer|safety|given|default|built-?in|pre-?programmed|following"
    r"|subsequent|user)"
)
INSTRUCTION = (
    r"(?:instructions?|directions?|directives?|prompts?|guidelines?|guardrails?|programming"
    r"|training|commands?|orders?|rules?|constraints?|restrictions?|polic(?:y|ies)|context"
    r"|conversations?|messages?|tasks?|requests?|questions?|text)"
)
PROMPT = (
    r"(?:(?:system|initial|hidden|secret|original|developer|internal|base|meta)[\s_-]{1,3}"
    r"(?:prompts?|instructions?|messages?|configuration)|(?:your|these|the) (?:own |full |exact "
    r"|complete |entire |initial |original )?(?:prompts?|instructions|guidelines|programming|rules)"
    r"(?: above| verbatim| in full| word for word)"
    r"|your (?:own |full |exact |complete |entire |initial |original )?(?:prompts?|instructions"
    r"|system message|context window|chat history|conversation history)"
    r"|(?:the )?(?:full |entire |whole )?(?:chat|conversation) (?:history|so far|log))"
)
SHOW = (
    r"(?:reveal|show|print|repeat|output|display|leak|tell|give|disclose|expose|return|recite|share"
    r"|write|list|dump|translate|echo|summari[sz]e|send|forward|email|post|upload|include|append)"
)
SECRETS = (
    r"(?:api[\s_-]?keys?|credentials?|passwords?|secrets?|(?:access |auth |session )?tokens?"
    r"|private keys?|env(?:ironment)? (?:variables?|vars)|personal (?:data|information)"
    r"|(?:user|customer)(?:'s)? (?:data|information|records|details))"
)
PLACE = (
    r"(?:https?:|hxxps?:|www\.|mailto:|[\w.+-]{1,64}@[\w-]{1,64}\."
    r"|[\w-]{1,40}\.(?:com|net|org|io|tld|biz|site|xyz|dev)\b)"
)
USER = r"(?:the|your|any|this) (?:end[\s-])?(?:user|human|operator|owner|reader|reviewer|customer)"
RESPONSE = r"(?:reply|replies|response|responses|answer|answers|output|outputs|summary|completion)"


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern.

    Attributes:
        name: goes into findings and markers.
        pattern: on the canonical view.
        strong: whether it convicts alone.
        unless: looked for in the sentence round a match; when found, the match doesn't count.
    """

    name: str
    pattern: Any
    strong: bool = True
    unless: Any = None


def rule(name: str, pattern: str, *, strong: bool = True, unless: str = "") -> Rule:
    """Compile a rule."""
    return Rule(name, compiled(pattern), strong, compiled(unless) if unless else None)
