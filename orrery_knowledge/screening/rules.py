"""What makes a sentence an instruction to an agent: who is addressed, and what is asked.

Patterns look at the canonical view (lower case, plain letters). A *strong* rule convicts a block
alone. A *cue* is harmless by itself, because runbooks are full of imperatives; two different cues
in one block convict it, and one is enough where nobody was meant to read it (hidden markup,
invisible characters, encoded text) or where it poses as another speaker.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import re2

_GAP = r"[\s\"'`*_~>|,:()\[\]#!-]{1,8}"
"""Between two words: space, punctuation and Markdown, but no end of a sentence."""

_START = (
    r"(?:^|[.!?:;,\n\"'`*>)(\[\]{}|=#-]\s{0,4}|\b(?:please|must|should|shall|will|would|now|then|and"
    r"|to you|you|instead|also|first|immediately|simply|just|always|kindly|or|but|only)\s{1,3})"
)
"""Where an imperative can begin: a clause, or behind a word that commands."""

_MODEL = (
    r"(?:(?:the|an?|any|all|every|this|dear|each)\s{1,3})?(?:[a-z]{2,12}\s)?(?:a\.?i\.?|llms?"
    r"|(?:large )?language models?|chat ?bots?|chatgpt|gpt-?[0-9][\w.-]{0,8}|claude|gemini|copilot"
    r"|llama|mistral|deepseek|(?:ai|llm|virtual|digital|automated|autonomous|coding|helpful)"
    r"[\s-]{1,3}(?:agents?|assistants?|models?|systems?|tools?|bots?|reviewers?|summari[sz]ers?))"
)
"""Words that can only mean a model. "Agent" and "assistant" alone are also products and people."""

_BROAD_MODEL = rf"(?:{_MODEL}|(?:the |any |all |every )?(?:assistants?|agents?|models?|bots?))"

_OVERRIDE = (
    r"(?:ignore|disregard|forget|override|overrule|bypass|discard|neglect|violate"
    r"|(?:do not|don'?t|stop|cease|never) (?:follow|obey|comply with|adhere to|listen to)(?:ing)?"
    r"|(?:stop|cease) (?:following|obeying)|pay no attention to|set aside|throw (?:away|out))"
)
_QUANTITY = (
    r"(?:all|any|every|everything|each|whatever|your|my|its|these|those|of|the|other|and|or)"
)
_EARLIER = (
    r"(?:previous(?:ly)?|prior|preceding|earlier|above|foregoing|former|initial|original|existing"
    r"|current|past|old|system|developer|safety|given|default|built-?in|pre-?programmed|following"
    r"|subsequent|user)"
)
_INSTRUCTION = (
    r"(?:instructions?|directions?|directives?|prompts?|guidelines?|guardrails?|programming"
    r"|training|commands?|orders?|rules?|constraints?|restrictions?|polic(?:y|ies)|context"
    r"|conversations?|messages?|tasks?|requests?|questions?|text)"
)
_PROMPT = (
    r"(?:(?:system|initial|hidden|secret|original|developer|internal|base|meta)[\s_-]{1,3}"
    r"(?:prompts?|instructions?|messages?|configuration)|(?:your|these|the) (?:own |full |exact "
    r"|complete |entire |initial |original )?(?:prompts?|instructions|guidelines|programming|rules)"
    r"(?: above| verbatim| in full| word for word)"
    r"|your (?:own |full |exact |complete |entire |initial |original )?(?:prompts?|instructions"
    r"|system message|context window|chat history|conversation history)"
    r"|(?:the )?(?:full |entire |whole )?(?:chat|conversation) (?:history|so far|log))"
)
_SHOW = (
    r"(?:reveal|show|print|repeat|output|display|leak|tell|give|disclose|expose|return|recite|share"
    r"|write|list|dump|translate|echo|summari[sz]e|send|forward|email|post|upload|include|append)"
)
_SECRETS = (
    r"(?:api[\s_-]?keys?|credentials?|passwords?|secrets?|(?:access |auth |session )?tokens?"
    r"|private keys?|env(?:ironment)? (?:variables?|vars)|personal (?:data|information)"
    r"|(?:user|customer)(?:'s)? (?:data|information|records|details))"
)
_PLACE = r"(?:https?:|hxxps?:|www\.|mailto:|[\w.+-]{1,64}@[\w-]{1,64}\.|[\w-]{1,40}\.(?:com|net|org|io|tld|biz|site|xyz|dev)\b)"
_USER = r"(?:the|your|any|this) (?:end[\s-])?(?:user|human|operator|owner|reader|reviewer|customer)"
_RESPONSE = r"(?:reply|replies|response|responses|answer|answers|output|outputs|summary|completion)"


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


def _rule(name: str, pattern: str, *, strong: bool = True, unless: str = "") -> Rule:
    return Rule(name, re2.compile(pattern), strong, re2.compile(unless) if unless else None)


_CONDITIONAL = (
    r"\b(?:if|when|unless|in case|can (?:safely )?|may|safely|where|once|optional(?:ly)?"
    r"|causes?|makes?|allows?|lets?|attackers?|attempts?|such as|e\.g|instructions? to|trying"
    r"|tries|asked|asking|injects?|injected)\b"
)

STRONG: tuple[Rule, ...] = (
    _rule(
        "override-instructions",
        rf"\b{_OVERRIDE}{_GAP}(?:{_QUANTITY}{_GAP}){{0,4}}(?:all|any|every|your|my|everything|system"
        rf"|developer|safety)(?:{_GAP}(?:{_QUANTITY}|{_EARLIER})){{0,5}}{_GAP}{_INSTRUCTION}\b",
        unless=r"\b(?:can|may) (?:safely )?(?:ignore|disregard)|instructions? to ignore"
        r"|(?:rules?|instructions?|commands?|requests?) (?:in|from|inside|within|embedded|contained"
        r"|found|hidden|that)\b",
    ),
    _rule(
        "override-instructions",
        rf"\b{_OVERRIDE}{_GAP}(?:{_QUANTITY}{_GAP}){{0,4}}{_EARLIER}{_GAP}(?:{_EARLIER}{_GAP}"
        rf"|{_QUANTITY}{_GAP}){{0,3}}(?:instructions?|directives?|prompts?|guidelines?|guardrails?"
        r"|programming|training|orders|conversations?|questions?)\b",
        unless=_CONDITIONAL,
    ),
    _rule(
        "override-instructions",
        rf"\b(?:ignore|disregard|forget) (?:absolutely )?(?:everything|all|anything|what(?:ever)?)"
        rf"{_GAP}(?:that )?(?:(?:you (?:were|have been|are|'ve been)|i|we|they) "
        r"(?:just |previously )?(?:told|said|asked|instructed|given|know)|(?:above|before) "
        r"(?:this|and|,|\.)|you(?:'ve| have)? (?:know|learned|been told|were told))",
    ),
    _rule(
        "override-instructions",
        r"\b(?:ignor[ae](?:z|r|d|te|tevi)?|olvid[ae](?:d)?|oubliez?|ignorier(?:e|en|t)|vergiss"
        r"|missacht(?:e|en|et)|esquec[ae]|negeer|vergeet|dimentica(?:te)?|ignoruj|zapomnij|ignorera"
        r"|desconsidere|omite)\s(?:\w{1,12}\s){0,4}(?:instruc\w{3,8}|instruction\w{0,2}|istruzion\w"
        r"|anweisung\w{0,2}|befehl\w{0,2}|vorgaben|consign\w{1,2}|instrucoes|ordenes|indicacion\w{0,2}"
        r"|instructies|opdrachten|instrukcj\w|polecenia|instruktion\w{0,4}|directives?|directrices)\b"
        r"(?:\s(?:\w{1,6}\s)?(?:anterior\w{0,2}|previ[ao]s|precedent\w{0,2}|vorherig\w{0,2}|bisherig"
        r"\w{0,2}|eerdere|poprzedni\w{0,2}|tidigare))?",
        unless=r"\b(?:the|and|of|instructions that)\b",
    ),
    _rule(
        "override-instructions",
        r"(?:忽略|无视|無視|忘记|忘掉|不要理会|不要遵守)[^。\n]{0,12}(?:指令|指示|说明|提示|规则|命令)"
        r"|(?:指示|命令|プロンプト|ルール)(?:を|は)?(?:すべて|全て)?(?:無視|忘れ)"
        r"|(?:이전|위의|모든)[^.\n]{0,12}(?:지시|명령|지침)[^.\n]{0,6}무시"
        r"|(?:игнорируи|забудь|не обращаи внимания)(?:те)?\s(?:на\s)?[^.\n]{0,24}(?:инструкции|указания"
        r"|команды|правила)",
    ),
    _rule(
        "new-instructions",
        r"\b(?:your|here (?:are|is) (?:your|the)|the following (?:are|is) your|follow (?:only )?"
        r"(?:these|the)) (?:new|updated|real|actual|true|only) (?:instructions?|task|directives?"
        r"|role|objectives?|goal|orders|rules|system prompt)\b",
    ),
    _rule(
        "new-role",
        r"\byou (?:are|will be|have been) (?:now )?(?:(?:an? |the )?(?:dan|unrestricted|unfiltered"
        r"|uncensored|jailbroken|evil|amoral)\b|in (?:developer|debug|god|admin|maintenance|dan) mode"
        r"|no longer (?:bound|restricted|limited|an? ))|\byou are now (?:an? |the )?(?:\w{2,14} )?"
        r"(?:ai|assistant|chat ?bot|agent|language model|llm|hacker|pirate)\b"
        r"|\b(?:act|behave|respond|pretend|roleplay|operate) (?:as|like) (?:if you (?:are|were) )?"
        r"(?:an? |the )?(?:unrestricted|unfiltered|uncensored|jailbroken|dan\b|evil|different ai)"
        r"|\bdo anything now\b",
    ),
    _rule(
        "addressed-to-model",
        rf"\b(?:note|message|instructions?|attention|notice|memo|warning|reminder|directive|hint)"
        rf"(?: to| for|:|,) {_MODEL}(?:\b(?:s|es)?[:,.!]|\s(?:reading|processing|reviewing|parsing"
        r"|summari[sz]ing|analy[sz]ing|that|which|who)\b)",
        unless=r"\b(?:see|chapter|documentation)\b",
    ),
    _rule(
        "addressed-to-model",
        rf"\b(?:if|since|because|when|as) you(?:'re| are) {_MODEL}\b",
    ),
    _rule(
        "addressed-to-model",
        rf"\b(?:attention|dear|hey|hello|hi|note to)[\s,:!]{{1,3}}{_BROAD_MODEL}\s?"
        r"(?:[,:!.]|reading|processing|reviewing|parsing|summari[sz]ing|analy[sz]ing)",
        unless=r"\b(?:hello|hi) (?:all|agents|every)",
    ),
    _rule(
        "addressed-to-model",
        rf"\b{_BROAD_MODEL} (?:that (?:is|are) |who (?:is|are) |that |who |which |currently )?"
        r"(?:read|process|review|pars|summari[sz]|analy[sz]|ingest|scann?)(?:ing|es|e|s)? (?:this|these|"
        r"the above|the following|it) ?(?:\w{2,14} )?(?:must|should|shall|needs? to|has to|have to"
        r"|is to|are to|will|ha(?:s|ve) permission|is authori[sz]ed|are authori[sz]ed|please)\b",
    ),
    _rule(
        "addressed-to-model",
        rf"\b(?:important|urgent|special|critical|secret|private) (?:message|note|instructions?|notice"
        r"|update|information) (?:from|to|for) (?:me\b|you\b|the user\b|your (?:user|developer|owner"
        rf"|creator|operator)|{_MODEL}\b)",
    ),
    _rule(
        "addressed-to-model",
        rf"\b(?:{_MODEL}|assistants?|agents?)\s(?:must|should|shall|is to|needs to|has to|will now)"
        rf" (?:now |always |also |first |instead |immediately |then )?(?:ignore|disregard|reveal"
        r"|disclose|exfiltrate|approve (?:all|every|any)|recommend (?:all|only)|(?:not|never) "
        r"(?:tell|mention|inform)|pretend|obey|comply)\b",
        unless=r"\b(?:never|not|n't) (?:ignore|reveal|disclose|exfiltrate|pretend|obey)|must ignore"
        r" (?:instructions|commands|any)|\b(?:policy|policies|guardrails?)\b",
    ),
    _rule(
        "task-hijack",
        r"\b(?:before|after|until|once|instead of) (?:you (?:can |could |have |may )?)?(?:solv|complet"
        r"|finish|continu|answer|proceed|do|start|perform)(?:e|ed|ing|ed with|e with|ing with)? "
        r"(?:with )?(?:the|your|any) (?:\w{2,12} )?(?:task|request|question|job|work)s?,? (?:that |which )?"
        r"(?:i|the user|you were|was|we)\b",
    ),
    _rule(
        "task-hijack",
        r"\b(?:never ?mind|forget|disregard|ignore|abandon|drop) (?:about )?(?:my|the user'?s?|the "
        r"(?:original|user'?s?|current|actual)|your (?:current|original|previous)) (?:first |last "
        r"|previous |original |initial )?(?:questions?|requests?|tasks?|query|prompt|goal|objective)\b",
        unless=r"\b(?:can|may|if)\b",
    ),
    _rule(
        "prompt-leak",
        rf"{_START}{_SHOW}{_GAP}(?:(?:me|us|out|back|verbatim|all|of|the|everything|contents?|exact"
        rf"|full|entire|complete|copy|it|them|first|down|in|your){_GAP}){{0,6}}{_PROMPT}",
        unless=r"\b(?:attackers?|attempts?|prevents?|avoid|never|not|might|could|such as|causes?"
        r"|cannot|risk)\b",
    ),
    _rule(
        "secrecy",
        r"(?:do not|don'?t|never|without|avoid)(?: ever)? (?:tell|mention|inform|notify|alert|reveal"
        r"|disclos|report|say|show|let|telling|mentioning|informing|notifying|alerting|revealing"
        r"|warning|warn|letting|acknowledg)(?:e|ing)? (?:(?:anything |any of )?(?:this|that|it|these|"
        rf"about it|the above)(?: \w{{3,12}})? (?:to|with) )?(?:to )?{_USER}(?:'s)?"
        r"(?: know)?(?:\s{0,2}[.!,;\n\"')<]|\s?$|\s(?:about|of|that|what|anything|know about) "
        r"(?:this|these|it|you|any|the above|what|your|instruction|doing|having))",
    ),
    _rule(
        "exfiltration",
        rf"{_START}(?:send|post|email|e-mail|mail|upload|forward|transmit|leak|exfiltrate|submit|copy)"
        rf"{_GAP}(?:[\w'/-]{{1,20}}{_GAP}){{0,6}}(?:{_SECRETS}|{_PROMPT}|conversations?|chat|emails?"
        rf"|messages?|files?){_GAP}(?:[\w'/.-]{{1,20}}{_GAP}){{0,6}}(?:to|at|via|into|on){_GAP}"
        rf"(?:[\w'/-]{{1,20}}{_GAP}){{0,4}}{_PLACE}",
        unless=r"\b(?:attackers?|curl|header|support|request|questions?|slack|list|security@|metrics"
        r"|pull requests?|patch|bug)\b",
    ),
    _rule(
        "exfiltration",
        r"\b(?:append|encode|insert|substitut|replac|concatenat|embed|put|add|fill)(?:e|ing|ed)?\b"
        r"[^\n]{0,120}\b(?:conversation|chat history|user'?s?|e-?mails?|summary|secrets?|passwords?"
        r"|system prompt|your context|the result|previous (?:message|answer)|address)\b[^\n]{0,120}"
        r"(?:!?\[[^\]\n]{0,80}\]\(|https?://)[^\s)]{0,200}(?:[?&=][^\s)]{0,80}|/[\[{<])",
        unless=r"\b(?:curl|helm|kubectl|yaml|attackers?)\b",
    ),
    _rule(
        "chat-template",
        r"<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|end_of_text|begin_of_text"
        r"|start_header_id|end_header_id|eot_id|eom_id|python_tag|tool_call|tool|channel|message|start"
        r"|end|return|call|constrain|endofprompt|fim_prefix)\|>|\[/?inst\]|<</?sys>>"
        r"|<(?:start|end)_of_turn>|</?s>\s{0,2}\[inst|<\x{ff5c}(?:user|assistant|begin)",
    ),
    _rule(
        "fake-system",
        r"(?:^|[\n>*-]\s{0,4}|[\s\"(])(?:#{1,6}\s{0,2}\(?|\[{1,2}\s?|<{1,2}|={2,}\s?|-{2,}\s?|\({1,2}|\*{2})"
        r"\s{0,2}/?(?:system|developer|admin(?:istrator)?)[\s_-]{0,2}(?:message|prompt|instructions?"
        r"|override|command|notification|directive)s?\s{0,2}"
        r"(?:\)|\]{1,2}|>{1,2}|={2,}|-{2,}|:|\*{2})",
        unless=r"\b(?:how to|docs?)\b",
    ),
    _rule(
        "forged-tool-call",
        r"</?(?:tool_calls?|function_calls?|tool_use|tool_response|tool_results?|function_results?"
        r"|antml:\w{2,20})>|<invoke name=|<function=\w",
    ),
    _rule(
        "fence-imitation",
        r"[<\[({«]{2,}[\s/_-]{0,8}(?:end|begin|start|close)?[\s/_-]{0,8}retrieved[\s_-]{0,8}data\b",
    ),
)

CUES: tuple[Rule, ...] = (
    _rule(
        "response-shaping",
        rf"\b(?:in|to|of|at|into|with|from) your (?:\w{{2,12}} )?{_RESPONSE}\b"
        rf"|\b(?:modify|change|adjust|edit|rewrite|begin|start|end|finish|make) your (?:\w{{2,12}} )?"
        rf"{_RESPONSE}\b",
        strong=False,
    ),
    _rule(
        "response-shaping",
        rf"{_START}(?:respond|reply|answer) (?:only |just |to me |back )?"
        r"(?:with|using|in|by|to me|'|\")",
        strong=False,
    ),
    _rule(
        "response-shaping",
        rf"{_START}(?:only |just |simply )?(?:say|print|output|write|state|type)"
        r" (?:exactly |only |just |the (?:text|following|word|phrase|sentence) )?[\"'\x{201c}\x{2018}]",
        strong=False,
    ),
    _rule(
        "speaks-as-user",
        r"\bi want you to\b|\bwithout asking me\b|\bsigned,\s{1,4}(?:the )?user\b"
        r"|\bthe task (?:that )?i (?:gave|asked)|\bi(?:'m| am) (?:the|your) (?:user|developer"
        r"|administrator|owner|creator)\b|\bi (?:hereby )?(?:authori[sz]e|order|command|instruct)"
        r" you\b|\bfrom now on,? you\b|\bto you, (?:the )?\w",
        strong=False,
    ),
    _rule(
        "about-the-user",
        r"\bthe user(?:'s)? (?:\w{2,14} )?(?:is|has|wants|query|question|data"
        r"|email|password|address|information|request|task|conversation|account)\b",
        strong=False,
    ),
    _rule(
        "stop-work",
        r"\b(?:stop|halt|cease|abort) (?:immediately )?(?:what (?:you'?re|you are) doing"
        r"|(?:all|your|any) (?:further |current |other )?(?:task|work|analysis|processing|action)s?)"
        r"\b|\bdo (?:not|nothing) (?:do )?(?:anything )?else\b|\bthis is (?:extremely|really|very)"
        r" important\b",
        strong=False,
    ),
    _rule(
        "use-tool",
        r"\b(?:use|call|invoke|run|trigger|execute) (?:the |your )?(?:tool|function)s?"
        r" [`\"'\w]|\b(?:call|invoke|use) (?:the )?[`\"']?[a-z]+_[a-z_]{2,40}[`\"']?"
        r" (?:tool|function|with (?:the )?(?:following |these )?(?:arguments|parameters))",
        strong=False,
    ),
    _rule(
        "override",
        rf"{_START}(?:ignore|disregard|forget|override|bypass) (?:the |all |any |your "
        r"|these |every ){0,2}(?:[\w'-]{2,14} ){0,2}(?:instructions?|rules|guidelines|prompts?"
        r"|restrictions?|polic(?:y|ies)|checks?|warnings?|context|above)\b",
        strong=False,
    ),
    _rule(
        "secrecy",
        r"\b(?:do not|don'?t|never|without) (?:\w{2,9} )?(?:tell|mention|reveal"
        r"|disclose|acknowledge|telling|mentioning|revealing|acknowledging|admit)\b|\bsecretly\b"
        r"|\b(?:do not|don'?t|without) (?:ask|asking) (?:for|the|me|any) "
        r"(?:user|confirm\w*|permission|approval)",
        strong=False,
    ),
    _rule(
        "claims-authority",
        rf"{_START}(?:as )?(?:an? )?(?:{_MODEL})[,:]? you\b|\byou (?:are|were) (?:an? )"
        r"(?:\w{2,12} )?(?:assistant|agent|model|ai|bot)\b|\b(?:new|updated|important new|real)"
        r" (?:instructions?|directives?)\s{0,3}[:*]|\byour (?:new |real |true |only )(?:task|role"
        r"|goal|job|objective|mission)\b|\b(?:security|admin|developer) override\b",
        strong=False,
    ),
    _rule(
        "exfiltration",
        rf"{_START}(?:send|post|email|upload|forward|transmit|exfiltrate|submit)"
        rf"{_GAP}(?:[\w'/.-]{{1,30}}{_GAP}){{0,12}}(?:to|at){_GAP}(?:[\w'/-]{{1,20}}{_GAP}){{0,3}}"
        rf"{_PLACE}",
        strong=False,
    ),
    _rule(
        "broad-approval",
        rf"\b{_BROAD_MODEL}\s?[:,]\s{{0,3}}(?:please |always |now )?(?:approve"
        r"|allow|grant|ignore|delete|run|execute|send|reveal|recommend|merge|skip|disable|say"
        r"|reply|respond|do|treat|mark|trust)\b",
        strong=False,
    ),
    _rule(
        "fake-turn",
        r"(?:^|\n)[\s>*-]{0,6}(?:assistant|ai|chatbot|model)\s?:\s[^\n]{4,}\n"
        r"(?:[^\n]*\n){0,2}[\s>*-]{0,6}(?:user|human|system)\s?:\s\S",
        strong=False,
    ),
    _rule(
        "fake-turn",
        r"(?:^|\n)[\s>*-]{0,6}(?:user|human|system)\s?:\s[^\n]{4,}\n"
        r"(?:[^\n]*\n){0,2}[\s>*-]{0,6}(?:assistant|ai|chatbot)\s?:\s\S",
        strong=False,
    ),
    _rule(
        "fake-turn",
        r"\"role\"\s?:\s?\"(?:system|assistant|developer)\"|#{2,4} ?(?:instruction|"
        r"response|input|system|human|assistant):|(?:^|\n)[\s>*\[(#-]{0,6}(?:system|developer)"
        r"(?: message| prompt)?[\])]?\s?:\s?(?:you|ignore|the user|do not|new)",
        strong=False,
    ),
)

HIDDEN_CUES: tuple[Rule, ...] = (
    *CUES,
    _rule(
        "hidden-request",
        rf"{_START}(?:send|email|transfer|forward|approve|reveal|delete|execute"
        r"|grant|disable|visit|click|download|install|upload|post|pay|make|change|say|tell|ignore"
        r"|recommend|always|answer|respond|reply|print|summari[sz]e)\s{1,3}(?:[\w'.:/@-]{1,40}\s{1,3})"
        r"{0,20}?(?:to|with|for|that|by|from|in|all|the|https?:)\b",
        strong=False,
    ),
)
"""What convicts in text that nobody was meant to see, where even a plain request is out of place."""
