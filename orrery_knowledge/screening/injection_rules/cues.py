"""Cues: what convicts a block only together with another cue, or in hidden text (see `rules`)."""

from __future__ import annotations

from orrery_knowledge.screening.injection_rules.phrases import (
    BROAD_MODEL,
    GAP,
    MODEL,
    PLACE,
    RESPONSE,
    START,
    Rule,
    rule,
)

CUES: tuple[Rule, ...] = (
    rule(
        "response-shaping",
        rf"\b(?:in|to|of|at|into|with|from) your (?:\w{{2,12}} )?{RESPONSE}\b"
        rf"|\b(?:modify|change|adjust|edit|rewrite|begin|start|end|finish"
        rf"|make) your (?:\w{{2,12}} )?"
        rf"{RESPONSE}\b",
        strong=False,
    ),
    rule(
        "response-shaping",
        rf"{START}(?:respond|reply|answer) (?:only |just |to me |back )?"
        r"(?:with|using|in|by|to me|'|\")",
        strong=False,
    ),
    rule(
        "response-shaping",
        rf"{START}(?:only |just |simply )?(?:say|print|output|write|state|type)"
        r" (?:exactly |only |just |the (?:text|following|word|phrase"
        r"|sentence) )?[\"'\x{201c}\x{2018}]",
        strong=False,
    ),
    rule(
        "speaks-as-user",
        r"\bi want you to\b|\bwithout asking me\b|\bsigned,\s{1,4}(?:the )?user\b"
        r"|\bthe task (?:that )?i (?:gave|asked)|\bi(?:'m| am) (?:the|your) (?:user|developer"
        r"|administrator|owner|creator)\b|\bi (?:hereby )?(?:authori[sz]e|order|command|instruct)"
        r" you\b|\bfrom now on,? you\b|\bto you, (?:the )?\w",
        strong=False,
    ),
    rule(
        "about-the-user",
        r"\bthe user(?:'s)? (?:\w{2,14} )?(?:is|has|wants|query|question|data"
        r"|email|password|address|information|request|task|conversation|account)\b",
        strong=False,
    ),
    rule(
        "stop-work",
        r"\b(?:stop|halt|cease|abort) (?:immediately )?(?:what (?:you'?re|you are) doing"
        r"|(?:all|your|any) (?:further |current |other )?(?:task|work|analysis|processing"
        r"|action)s?)"
        r"\b|\bdo (?:not|nothing) (?:do )?(?:anything )?else\b|\bthis is (?:extremely|really|very)"
        r" important\b",
        strong=False,
    ),
    rule(
        "use-tool",
        r"\b(?:use|call|invoke|run|trigger|execute) (?:the |your )?(?:tool|function)s?"
        r" [`\"'\w]|\b(?:call|invoke|use) (?:the )?[`\"']?[a-z]+_[a-z_]{2,40}[`\"']?"
        r" (?:tool|function|with (?:the )?(?:following |these )?(?:arguments|parameters))",
        strong=False,
    ),
    rule(
        "override",
        rf"{START}(?:ignore|disregard|forget|override|bypass) (?:the |all |any |your "
        r"|these |every ){0,2}(?:[\w'-]{2,14} ){0,2}(?:instructions?|rules|guidelines|prompts?"
        r"|restrictions?|polic(?:y|ies)|checks?|warnings?|context|above)\b",
        strong=False,
    ),
    rule(
        "secrecy",
        r"\b(?:do not|don'?t|never|without) (?:\w{2,9} )?(?:tell|mention|reveal"
        r"|disclose|acknowledge|telling|mentioning|revealing|acknowledging|admit)\b|\bsecretly\b"
        r"|\b(?:do not|don'?t|without) (?:ask|asking) (?:for|the|me|any) "
        r"(?:user|confirm\w*|permission|approval)",
        strong=False,
    ),
    rule(
        "claims-authority",
        rf"{START}(?:as )?(?:an? )?(?:{MODEL})[,:]? you\b|\byou (?:are|were) (?:an? )"
        r"(?:\w{2,12} )?(?:assistant|agent|model|ai|bot)\b|\b(?:new|updated|important new|real)"
        r" (?:instructions?|directives?)\s{0,3}[:*]|\byour (?:new |real |true |only )(?:task|role"
        r"|goal|job|objective|mission)\b|\b(?:security|admin|developer) override\b",
        strong=False,
    ),
    rule(
        "exfiltration",
        rf"{START}(?:send|post|email|upload|forward|transmit|exfiltrate|submit)"
        rf"{GAP}(?:[\w'/.-]{{1,30}}{GAP}){{0,12}}(?:to|at){GAP}(?:[\w'/-]{{1,20}}{GAP}){{0,3}}"
        rf"{PLACE}",
        strong=False,
    ),
    rule(
        "broad-approval",
        rf"\b{BROAD_MODEL}\s?[:,]\s{{0,3}}(?:please |always |now )?(?:approve"
        r"|allow|grant|ignore|delete|run|execute|send|reveal|recommend|merge|skip|disable|say"
        r"|reply|respond|do|treat|mark|trust)\b",
        strong=False,
    ),
    rule(
        "fake-turn",
        r"(?:^|\n)[\s>*-]{0,6}(?:assistant|ai|chatbot|model)\s?:\s[^\n]{4,}\n"
        r"(?:[^\n]*\n){0,2}[\s>*-]{0,6}(?:user|human|system)\s?:\s\S",
        strong=False,
    ),
    rule(
        "fake-turn",
        r"(?:^|\n)[\s>*-]{0,6}(?:user|human|system)\s?:\s[^\n]{4,}\n"
        r"(?:[^\n]*\n){0,2}[\s>*-]{0,6}(?:assistant|ai|chatbot)\s?:\s\S",
        strong=False,
    ),
    rule(
        "fake-turn",
        r"\"role\"\s?:\s?\"(?:system|assistant|developer)\"|#{2,4} ?(?:instruction|"
        r"response|input|system|human|assistant):|(?:^|\n)[\s>*\[(#-]{0,6}(?:system|developer)"
        r"(?: message| prompt)?[\])]?\s?:\s?(?:you|ignore|the user|do not|new)",
        strong=False,
    ),
)

HIDDEN_CUES: tuple[Rule, ...] = (
    *CUES,
    rule(
        "hidden-request",
        rf"{START}(?:send|email|transfer|forward|approve|reveal|delete|execute"
        r"|grant|disable|visit|click|download|install|upload|post|pay|make|change|say|tell|ignore"
        r"|recommend|always|answer|respond|reply|print"
        r"|summari[sz]e)\s{1,3}(?:[\w'.:/@-]{1,40}\s{1,3})"
        r"{0,20}?(?:to|with|for|that|by|from|in|all|the|https?:)\b",
        strong=False,
    ),
)
"""What convicts in text that nobody was meant to see: there a plain request is out of place."""
