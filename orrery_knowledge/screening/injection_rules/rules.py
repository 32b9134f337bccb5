"""What makes a sentence an instruction to an agent: who is addressed, and what is asked.

Patterns look at the canonical view (lower case, plain letters). A *strong* rule convicts a block
alone. A *cue* is harmless by itself, because runbooks are full of imperatives; two different cues
in one block convict it, and one is enough where nobody was meant to read it (hidden markup,
invisible characters, encoded text) or where it poses as another speaker.
"""

from __future__ import annotations

from orrery_knowledge.screening.injection_rules.phrases import (
    BROAD_MODEL,
    EARLIER,
    GAP,
    INSTRUCTION,
    MODEL,
    OVERRIDE,
    PLACE,
    PROMPT,
    QUANTITY,
    SECRETS,
    SHOW,
    START,
    USER,
    Rule,
    rule,
)

_CONDITIONAL = (
    r"\b(?:if|when|unless|in case|can (?:safely )?|may|safely|where|once|optional(?:ly)?"
    r"|causes?|makes?|allows?|lets?|attackers?|attempts?|such as|e\.g|instructions? to|trying"
    r"|tries|asked|asking|injects?|injected)\b"
)

_OUTDATED = (
    r"\b(?:instructions?|directions?|guidelines?|prompts?|orders|training|questions?)\s(?:in|on"
    r"|from"
    r"|of|inside)\s(?:the|an?|our|that|those)\s(?:[\w-]+\s){0,3}(?:wiki|pages?|documents?|runbooks?"
    r"|readme|tickets?|sections?|e-?mails?|manuals?|binders?|folders?|versions?|chapters?|guides?"
    r"|sheets?|posts?|threads?|posters?|boards?|revisions?|leaflets?)\b"
)
"""Which paper is out of date: people say so all the time."""

STRONG: tuple[Rule, ...] = (
    rule(
        "override-instructions",
        rf"\b{OVERRIDE}{GAP}(?:{QUANTITY}{GAP}){{0,4}}(?:all|any|every|your|my|everything"
        rf"|system"
        rf"|developer|safety)(?:{GAP}(?:{QUANTITY}|{EARLIER})){{0,5}}{GAP}{INSTRUCTION}\b",
        unless=r"\b(?:can|may) (?:safely )?(?:ignore|disregard)|instructions? to ignore"
        r"|(?:rules?|instructions?|commands?|requests?) (?:in|from|inside|within|embedded|contained"
        r"|found|hidden|that)\b",
    ),
    rule(
        "override-instructions",
        rf"\b{OVERRIDE}{GAP}(?:{QUANTITY}{GAP}){{0,4}}{EARLIER}{GAP}(?:{EARLIER}{GAP}"
        rf"|{QUANTITY}{GAP}){{0,3}}(?:instructions?|directives?|prompts?|guidelines?|guardrails?"
        r"|programming|training|orders|conversations?|questions?)\b",
        unless=_CONDITIONAL + "|" + _OUTDATED,
    ),
    rule(
        "override-instructions",
        rf"\b(?:ignore|disregard|forget) (?:absolutely )?(?:everything|all|anything|what(?:ever)?)"
        rf"{GAP}(?:that )?(?:(?:you (?:were|have been|are|'ve been)|i|we|they) "
        r"(?:just |previously )?(?:told|said|asked|instructed|given|know)|(?:above|before) "
        r"(?:this|and|,|\.)|you(?:'ve| have)? (?:know|learned|been told|were told))",
    ),
    rule(
        "override-instructions",
        r"\b(?:ignor[ae](?:z|r|d|te|tevi)?|olvid[ae](?:d)?|oubliez?|ignorier(?:e|en|t)|vergiss"
        r"|missacht(?:e|en|et)|esquec[ae]|negeer|vergeet|dimentica(?:te)?|ignoruj|zapomnij|ignorera"
        r"|desconsidere|omite)\s(?:\w{1,12}\s){0,4}(?:instruc\w{3,8}|instruction\w{0,2}|istruzion\w"
        r"|anweisung\w{0,2}|befehl\w{0,2}|vorgaben|consign\w{1,2}|instrucoes|ordenes"
        r"|indicacion\w{0,2}"
        r"|instructies|opdrachten|instrukcj\w|polecenia|instruktion\w{0,4}|directives?"
        r"|directrices)\b"
        r"(?:\s(?:\w{1,6}\s)?(?:anterior\w{0,2}|previ[ao]s|precedent\w{0,2}|vorherig\w{0,2}"
        r"|bisherig"
        r"\w{0,2}|eerdere|poprzedni\w{0,2}|tidigare))?",
        unless=r"\b(?:the|and|of|instructions that)\b",
    ),
    rule(
        "override-instructions",
        r"(?:忽略|无视|無視|忘记|忘掉|不要理会|不要遵守)[^。\n]{0,12}(?:指令|指示|说明|提示|规则|命令)"
        r"|(?:指示|命令|プロンプト|ルール)(?:を|は)?(?:すべて|全て)?(?:無視|忘れ)"
        r"|(?:이전|위의|모든)[^.\n]{0,12}(?:지시|명령|지침)[^.\n]{0,6}무시"
        r"|(?:игнорируи|забудь|не обращаи внимания)(?:те)?\s(?:на\s)?[^.\n]{0,24}(?:инструкции"
        r"|указания"
        r"|команды|правила)",
    ),
    rule(
        "new-instructions",
        r"\b(?:your|here (?:are|is) (?:your|the)|the following (?:are|is) your|follow (?:only )?"
        r"(?:these|the)) (?:new|updated|real|actual|true|only) (?:instructions?|task|directives?"
        r"|role|objectives?|goal|orders|rules|system prompt)\b",
    ),
    rule(
        "new-role",
        r"\byou (?:are|will be|have been) (?:now )?(?:(?:an? |the )?(?:dan|unrestricted|unfiltered"
        r"|uncensored|jailbroken|evil|amoral)\b|in (?:developer|debug|god|admin|maintenance"
        r"|dan) mode"
        r"|no longer (?:bound|restricted|limited|an? ))|\byou are now (?:an? |the )?(?:\w{2,14} )?"
        r"(?:ai|assistant|chat ?bot|agent|language model|llm|hacker|pirate)\b"
        r"|\b(?:act|behave|respond|pretend|roleplay|operate) (?:as|like) (?:if you (?:are|were) )?"
        r"(?:an? |the )?(?:unrestricted|unfiltered|uncensored|jailbroken|dan\b|evil|different ai)"
        r"|\bdo anything now\b",
    ),
    rule(
        "addressed-to-model",
        rf"\b(?:note|message|instructions?|attention|notice|memo|warning|reminder|directive|hint)"
        rf"(?: to| for|:|,) {MODEL}(?:\b(?:s|es)?[:,.!]|\s(?:reading|processing|reviewing|parsing"
        r"|summari[sz]ing|analy[sz]ing|that|which|who)\b)",
        unless=r"\b(?:see|chapter|documentation)\b",
    ),
    rule(
        "addressed-to-model",
        rf"\b(?:if|since|because|when|as) you(?:'re| are) {MODEL}\b",
    ),
    rule(
        "addressed-to-model",
        rf"\b(?:attention|dear|hey|hello|hi|note to)[\s,:!]{{1,3}}{BROAD_MODEL}\s?"
        r"(?:[,:!.]|reading|processing|reviewing|parsing|summari[sz]ing|analy[sz]ing)",
        unless=r"\b(?:hello|hi) (?:all|agents|every)",
    ),
    rule(
        "addressed-to-model",
        rf"\b{BROAD_MODEL} (?:that (?:is|are) |who (?:is|are) |that |who |which |currently )?"
        r"(?:read|process|review|pars|summari[sz]|analy[sz]|ingest|scann?)(?:ing|es|e|s)? (?:this"
        r"|these|"
        r"the above|the following|it) ?(?:\w{2,14} )?(?:must|should|shall|needs? to|has to|have to"
        r"|is to|are to|will|ha(?:s|ve) permission|is authori[sz]ed|are authori[sz]ed|please)\b",
    ),
    rule(
        "addressed-to-model",
        rf"\b(?:important|urgent|special|critical|secret|private) (?:message|note|instructions?"
        rf"|notice"
        r"|update|information) (?:from|to|for) (?:me\b|you\b|the user\b|your (?:user|developer"
        r"|owner"
        rf"|creator|operator)|{MODEL}\b)",
    ),
    rule(
        "addressed-to-model",
        rf"\b(?:{MODEL}|assistants?|agents?)\s(?:must|should|shall|is to|needs to|has to|will now)"
        rf" (?:now |always |also |first |instead |immediately |then )?(?:ignore|disregard|reveal"
        r"|disclose|exfiltrate|approve (?:all|every|any)|recommend (?:all|only)|(?:not|never) "
        r"(?:tell|mention|inform)|pretend|obey|comply)\b",
        unless=r"\b(?:never|not|n't) (?:ignore|reveal|disclose|exfiltrate|pretend|obey)|must ignore"
        r" (?:instructions|commands|any)|\b(?:policy|policies|guardrails?)\b",
    ),
    rule(
        "task-hijack",
        r"\b(?:before|after|until|once|instead of) (?:you (?:can |could |have |may )?)?(?:solv"
        r"|complet"
        r"|finish|continu|answer|proceed|do|start|perform)(?:e|ed|ing|ed with|e with|ing with)? "
        r"(?:with )?(?:the|your|any) (?:\w{2,12} )?(?:task|request|question|job"
        r"|work)s?,? (?:that |which )?"
        r"(?:i|the user|you were|was|we)\b",
    ),
    rule(
        "task-hijack",
        r"\b(?:never ?mind|forget|disregard|ignore|abandon|drop) (?:about )?(?:my|the user'?s?|the "
        r"(?:original|user'?s?|current|actual)|your (?:current|original|previous)) (?:first |last "
        r"|previous |original |initial )?(?:questions?|requests?|tasks?|query|prompt|goal"
        r"|objective)\b",
        unless=r"\b(?:can|may|if)\b",
    ),
    rule(
        "prompt-leak",
        rf"{START}{SHOW}{GAP}(?:(?:me|us|out|back|verbatim|all|of|the|everything|contents?|exact"
        rf"|full|entire|complete|copy|it|them|first|down|in|your){GAP}){{0,6}}{PROMPT}",
        unless=r"\b(?:attackers?|attempts?|prevents?|avoid|never|not|might|could|such as|causes?"
        r"|cannot|risk)\b",
    ),
    rule(
        "secrecy",
        r"(?:do not|don'?t|never|without|avoid)(?: ever)? (?:tell|mention|inform|notify|alert"
        r"|reveal"
        r"|disclos|report|say|show|let|telling|mentioning|informing|notifying|alerting|revealing"
        r"|warning|warn|letting|acknowledg)(?:e|ing)? (?:(?:anything |any of )?(?:this|that|it"
        r"|these|"
        rf"about it|the above)(?: \w{{3,12}})? (?:to|with) )?(?:to )?{USER}(?:'s)?"
        r"(?: know)?(?:\s{0,2}[.!,;\n\"')<]|\s?$|\s(?:about|of|that|what|anything|know about) "
        r"(?:this|these|it|you|any|the above|what|your|instruction|doing|having))",
    ),
    rule(
        "exfiltration",
        rf"{START}(?:send|post|email|e-mail|mail|upload|forward|transmit|leak|exfiltrate|submit"
        rf"|copy)"
        rf"{GAP}(?:[\w'/-]{{1,20}}{GAP}){{0,6}}(?:{SECRETS}|{PROMPT}|conversations?|chat"
        rf"|emails?"
        rf"|messages?|files?){GAP}(?:[\w'/.-]{{1,20}}{GAP}){{0,6}}(?:to|at|via|into|on){GAP}"
        rf"(?:[\w'/-]{{1,20}}{GAP}){{0,4}}{PLACE}",
        unless=r"\b(?:attackers?|curl|header|support|request|questions?|slack|list|security@|metrics"
        r"|pull requests?|patch|bug)\b",
    ),
    rule(
        "exfiltration",
        r"\b(?:append|encode|insert|substitut|replac|concatenat|embed|put|add|fill)(?:e|ing|ed)?\b"
        r"[^\n]{0,120}\b(?:conversation|chat history|user'?s?|e-?mails?|summary|secrets?|passwords?"
        r"|system prompt|your context|the result|previous (?:message|answer)|address)\b[^\n]{0,120}"
        r"(?:!?\[[^\]\n]{0,80}\]\(|https?://)[^\s)]{0,200}(?:[?&=][^\s)]{0,80}|/[\[{<])",
        unless=r"\b(?:curl|helm|kubectl|yaml|attackers?)\b",
    ),
    rule(
        "exfiltration",
        r"\b(?:print|show|display|respond(?:ing)? with|reply with|answer with|render|concatenate)"
        r"\b[^\n]{0,80}(?:\]\(|\]\[|!\[|https?:)(?:[^\n]"
        r"|\n){0,200}[=/?][\\\"]{0,2}[\[{<]{1,2}[a-z_]{2,20}[\]}>]",
    ),
    rule(
        "response-shaping",
        r"\b(?:do not|don'?t) (?:say|do|write|output|print|reply"
        r"|answer) anything (?:else )?(?:other"
        r" than|but|except)\b",
    ),
    rule(
        "chat-template",
        r"<\|[a-z][a-z0-9_ ]{1,30}\|>|</?im_(?:start|end)>|\[/?inst\]|<</?sys>>"
        r"|<(?:start|end)_of_turn>|</?s>\s{0,2}\[inst|<\x{ff5c}(?:user|assistant|begin)",
    ),
    rule(
        "fake-system",
        r"(?:^|[\n>*-]\s{0,4}|[\s\"(])(?:#{1,6}\s{0,2}\(?|\[{1,2}\s?|<{1,2}|={2,}\s?|-{2,}\s?"
        r"|\({1,2}|\*{2})"
        r"\s{0,2}/?(?:system|developer|admin(?:istrator)?)[\s_-]{0,2}(?:message|prompt"
        r"|instructions?"
        r"|override|command|notification|directive)s?\s{0,2}"
        r"(?:\)|\]{1,2}|>{1,2}|={2,}|-{2,}|:|\*{2})",
        unless=r"\b(?:how to|docs?)\b",
    ),
    rule(
        "forged-tool-call",
        r"</?(?:tool_calls?|function_calls?|tool_use|tool_response|tool_results?|function_results?"
        r"|antml:\w{2,20})>|<invoke name=|<function=\w",
    ),
    rule(
        "fence-imitation",
        r"[<\[({«]{2,}[\s/_-]{0,8}(?:end|begin|start|close)?[\s/_-]{0,8}retrieved[\s_-]{0,8}data\b",
    ),
)
