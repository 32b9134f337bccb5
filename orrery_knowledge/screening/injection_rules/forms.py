"""Forms: what poses as another speaker, a tool, the end of the data, or an agent's own thoughts.

Forms weigh in `clauses`. Alone none of them convicts: transcripts, templates and closing tags are
documented, too. What convicts alone by its form stands in `rules`.
"""

from __future__ import annotations

from orrery_knowledge.screening.injection_rules.phrases import Rule
from orrery_knowledge.screening.patterns import compiled

_DATA = (
    r"(?:retrieved|untrusted|trusted|quoted|external|tool|user|system|context|document|evidence"
    r"|search|function|reference|provided)"
)
_BODY = (
    r"(?:data|content|context|documents?|evidence|output|results?|session|message|input|prompt"
    r"|instructions?|conversation|passages?|material|quote|transcript|email|page|file|table|text"
    r"|json|xml|html|log|article|ticket)"
)
_TAG = (
    r"(?:instructions?|trusted|untrusted|tool[_ -]?outputs?|tool[_ -]?results?"
    r"|retrieved[\w -]{0,12}"
    r"|evidence|context|documents?|developer|admin|operator|override|priority|data|quote"
    r"|system[_ -]?(?:message|prompt|instructions?|note|override)?|new[_ -]?instructions?)"
)
_LINE = r"(?:^|[\n\"'>\[({*|#!]|<!--|-{3,})[^\S\n]{0,4}"
_LEAD = r"(?:^|[\n\"'>\[({*|#;.!-])[^\S\n]{0,4}"

FORMS: tuple[tuple[Rule, int], ...] = tuple(
    (Rule(name, compiled(pattern)), weight)
    for name, weight, pattern in (
        (
            "speaks-as-system",
            4,
            rf"{_LINE}[\[(<{{*#!]{{0,4}}(?:system|admin(?:istrator)?|developer|root|operator)"
            r"(?: (?:message|notice|prompt|request|instructions?|command|note"
            r"|update|directive|announcement))?[\])>}*!]{0,4}\s?::?[^\S\n]",
        ),
        (
            "delimiter",
            4,
            r"[|=\-#*~<>+_%@^:\[\]{}]{2,}\s{0,2}(?:(?:end|begin|start|close|stop|resume|open|new"
            r"|over|re-?open|of|the|to|from|for|this|agent|assistant|ai|llm|model|bot|operator"
            r"|developer|trusted|untrusted|retrieved|quoted?|tool|user|system|external|back)"
            r"[ _-]{1,2}){1,5}(?:quote|quotation|data|operator|system|agent|assistant|tool"
            r"|instructions?|context|channel|action|directives?|orders?|commands?|prompt|excerpt"
            r"|passage|evidence|conversation|turn)(?:[ _-](?:channel|results?|output|mode"
            r"|continues|ends|begins|section|block|text|message|input|turn)){0,2}\s{0,2}"
            r"[|=\-#*~<>+_%@^:\[\]{}]{2,}",
        ),
        (
            "delimiter",
            4,
            r"[\[<{(](?:end|begin|start|close|stop|resume)[_ -](?:of[_ -])?(?:un)?(?:trusted|quoted"
            r"|retrieved|verified|external)\w{0,2}(?:[_ -]\w{2,12})?[\]>})]",
        ),
        (
            "fake-turn",
            4,
            r"(?:^|\n)[\s#*>_=-]{0,8}(?:human|user|your|assistant|agent|model|ai|operator)(?:'s)?"
            r" turn\b[\s#*_:=-]{0,6}(?:\n|$)",
        ),
        (
            "poses-as-authority",
            4,
            r"\b(?:begin|end|start|new|urgent)[ _-](?:of[ _-])?(?:system|operator|admin\w{0,10}"
            r"|developer) (?:message|command|instructions?|notice|override)s?\b"
            r"|\bsystem notice\b",
        ),
        (
            "delimiter",
            4,
            rf"\b(?:end|stop|close)[ _-](?:of[ _-])?(?:the )?(?:(?:{_DATA})[ _-])+{_BODY}\b"
            rf"|(?:[-=#*~+]{{3,}}|[<\[{{]{{1,3}}|\"{{3}}|`{{3}})\s?(?:the )?(?:end|stop|close"
            rf"|begin)"
            rf"(?:[ _-](?:of|the|{_DATA}))*[ _-](?:{_BODY}|request)\s?(?:[-=#*~>\]}}\"`,.:]|$|\n)"
            rf"|\b{_BODY} (?:ends|is over|stops)(?: here)?\b[\s.]{{0,2}}[-=#*>\]]"
            rf"|\b{_DATA} (?:part|section|block)"
            r" (?:is over|ends|ended|closed|is closed)\b|\bstop reading (?:the )?data here\b"
            r"|\binstructions (?:resume|start|begin)\b"
            r"|\bbeginning of (?:the )?(?:instructions|commands)\b"
            r"|\b(?:the )?(?:real|actual|true) (?:task|instructions?|request) (?:starts?|begins?"
            r"|follows?)\b"
            rf"|\bend_of_{_BODY}\b|<end of {_BODY}>|={{4,}}\s?end of|\btrusted content starts\b"
            r"|[-=#*>\\/]{8,}\s{1,3}[^\n]{0,20}stop everything",
        ),
        (
            "delimiter",
            4,
            rf"[<\[{{(]/\s?(?:{_TAG}|(?:untrusted|retrieved|tool|search|external"
            rf"|user)[_-]\w{{3,12}}|user|assistant|human|results?|search_results?)\s?[>\]}})]"
            rf"|[<\[{{](?:new[_ -]?)?(?:instructions?|trusted|override"
            r"|system[_ -]?(?:message|prompt|override)?)[>}]|\[trusted\]",
        ),
        (
            "speaks-as-system",
            4,
            r"[.!?]\s{1,2}system\s?:\s|\b(?:assistant|agent|ai|llm|model|bot)[ _-](?:instructions?"
            r"|directives?|commands?|task)\"?\s?:",
        ),
        (
            "fake-turn",
            4,
            r"[\[<]/?(?:user|human|operator|assistant)[ _](?:message|input|request|turn)[\]>]",
        ),
        (
            "forged-tool",
            4,
            r"[\[<]/?(?:environment|observation|tool[ _]output|tool[ _]result)[\]>]"
            r"|\bresult of \w{2,20}_\w{2,30}\(",
        ),
        ("delimiter", 4, r"[\[(<{]system[_ -](?:message|prompt|instructions?|note)s?[\])>}]"),
        (
            "delimiter",
            4,
            rf"\b(?:(?:end(?:s|ed)?|over|finished|closed|stops?"
            rf"|complete) (?:of )?(?:the )?(?:{_DATA} )*{_BODY}"
            rf"|{_BODY}(?: \w{{2,10}})? (?:ends?|ended|is over|finished|is closed|stops?"
            rf"|is complete)\b)"
            r"[^\n]{0,60}\b(?:commands?|instructions?|orders|trusted|operator|assistants?"
            r"|agents?|ai|model"
            r"|your task|new task)\b",
        ),
        (
            "new-instructions",
            2,
            r"\b(?:new|next|real|actual|true|updated) (?:task|instructions?|goal|objective"
            r"|command)s?\s?:",
        ),
        ("delimiter", 2, r"[\[(](?:system|admin|developer|operator|instructions?)[\])]"),
        (
            "fake-turn",
            4,
            r"\"{1,2}role\"{1,2}\s?:\s?\"{1,2}(?:system|assistant|developer|tool)\"{1,2}"
            r"\s?,\s?\"{1,2}content\"{1,2}\s?:\s?\"",
        ),
        (
            "fake-turn",
            4,
            rf"{_LEAD}#{{2,4}} ?(?:instruction|system|assistant|human|prompt):"
            r"|\b(?:the )?(?:user|operator|owner|requester|admin\w{0,10}|human) (?:has "
            r"|have )?(?:now |just "
            r"|already )*(?:said|says|replied|replies|answered|answers|confirmed|typed|typing"
            r"|approved|wrote)"
            r"\s?:?\s?[:\"]|\[(?:user|human|operator)\]\s?:?\s|(?:^|\n)\W{0,4}from: (?:user"
            r"|human)\b|\bto: (?:the )?"
            r"(?:assistant|agent|model|ai)\b|\bq(?:uestion)? from the user\b|\byour (?:answer"
            r"|reply)\s?:"
            r"|\[(?:new )?(?:message|input|request|reply) from (?:the )?(?:user|operator|human)\]"
            r"|\b(?:latest|new|last|next) (?:message|reply|answer|input) (?:from|of) the (?:user"
            r"|operator|human)"
            r"|\b(?:the )?(?:user|operator)'?s? (?:next|new|latest|updated|real"
            r"|actual) (?:question|request|message"
            r"|instruction|command|task)s?\b|\bcurrent user\W{0,3}:",
        ),
        (
            "forged-tool",
            4,
            rf"\baction[ _]input\s?:|{_LEAD}(?:tool|function)[ _](?:result|output|response)s?"
            r"\s?(?:\(|:\s{0,3}(?:\{[\"']|[^{\s]))"
            r"|\"tool\"\s?:\s?\"[^\"\n]{1,60}\"\s?,\s?\"(?:output|result|response)\""
            r"|\b(?:environment|tool|policy|permission) update\s?:|\b(?:tool|function"
            r"|system)[ _]call result"
            r"\s?:|\[tool:[\w-]{2,30}\] (?:returns|returned|says|output)\b"
            r"|\bfunction \w+_\w+ returned\b|\"type\"\s?:\s?\"(?:tool_use|function_call"
            r"|tool_call)\""
            r"|\bsandbox(?:ed)? (?:mode|clone|environment)\b|\baction\s?:\s?\w+\s{1,3}action input"
            rf"|{_LEAD}observation\s?:[^\n]{{1,160}}\baction\s?:",
        ),
        (
            "forged-reasoning",
            4,
            r"(?:^|[^`])</?(?:think|thinking|reasoning|scratchpad|analysis|reflection|thoughts?"
            r"|inner_monologue|chain_of_thought|cot)>(?:[^`]|$)|\b(?:inner|internal) monologue\b"
            r"|\binternal note of the (?:model|ai|assistant|agent)\b"
            r"|\bmy (?:reasoning|analysis|chain of thought)\s?:"
            r"|\bchain[ -]of[ -]thought (?:of|result|log)\b"
            r"|\bi, the (?:ai|assistant|agent|model|bot)\b"
            r"|\bmy (?:own )?(?:instructions|rules|guidelines|guard ?rails|developers?"
            r"|system prompt"
            r"|programming|polic(?:y|ies)) (?:permit|allow|require|do(?:es)? not|don't|say|tell"
            r"|no longer)\w{0,3}\b|\bmy (?:final )?answer will\b"
            r"|\bi (?:decided|conclude|recall|know|understand) (?:to|that) [^.\n]{0,30}(?:ignore"
            r"|guard"
            r"|rules|instructions|allowed|permit)",
        ),
        (
            "policy-file",
            4,
            r"\b(?:agents|claude|gemini|llms|copilot-instructions|skill)\.(?:md|txt"
            r"|mdc)(?: (?:rule|says))?\s?:"
            r"|\.?(?:cursor|windsurf|cline)rules\s?:",
        ),
        (
            "policy-file",
            2,
            r"\b(?:agents|claude|gemini|llms|copilot-instructions|skill|system)\.(?:md|txt|mdc)\b"
            r"|\.?(?:cursor|windsurf|cline)rules\b|\b(?:polic(?:y|ies)|rules|terms|guidelines"
            r"|contributing|manual|handbook|conventions|terms of use|robots\.txt) for (?:all "
            r"|any )?(?:ai|llms?"
            r"|automated|agents|bots|language models?|assistants|models)\b"
            r"|\bai (?:usage )?polic(?:y|ies)\b"
            r"|\bbinding (?:for|on) (?:all |any )?(?:ai|llm|agents?|assistants?|bots?|models?)"
            r"\b|\binstructions[ -]for\s?:?\s?(?:ai |llm )?(?:agents?|assistants?|bots?|models?)\b",
        ),
    )
)
