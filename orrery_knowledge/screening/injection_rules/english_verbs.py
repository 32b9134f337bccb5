"""Verbs with which English asks for something, where a sentence begins.

They are ordinary: a runbook is full of them. They count behind an address to an agent only.
"""

from __future__ import annotations

from orrery_knowledge.screening.injection_rules.phrases import START

ACT = (
    rf"(?:{START}|\b(?:is|are|has|have|needs?) (?:now )?to )(?:accept|act|activate|add|announce"
    rf"|answer|append|approve|archive|ask|assign|attach"
    r"|bypass|call|cancel|carry|change|classify|click|close|conclude|confirm|continue|cordon"
    r"|create|decode|delete|deny|deploy|describe|direct|disable|disregard|do|download|drop"
    r"|eject|email|empty|enable|encode|escalate|evict|exclude|execute|explain|export|fetch"
    r"|focus|follow|force-push|forget|forward|get|give|go|grant|hand|hide|ignore|include"
    r"|increase"
    r"|insert|install|invite|invoke|kill|list|lower|mail|mark|merge|modify|move|obey|omit|open"
    r"|order|output|override|patch|pay|point|post|power|print|proceed|promise|promote|publish"
    r"|purge|push|put|raise|rank|rate|read|reassign|reboot|recommend|release|remove|repeat"
    r"|replace|reply|report|reset|resolve|respond|restart|return|reveal|reverse|revoke|rewrite"
    r"|roll|run|save|say|scale|schedule|score|send|set|share|show|shut|skip|state|stop|store"
    r"|submit|summari[sz]e|suppress|switch|take|tell|terminate|transfer|translate|treat|trust"
    r"|turn|unlock|update|upload|use|visit|whitelist"
    r"|wipe|write)\b"
    r"|\byou (?:must|have to|shall|will|should|are required to|are to|may now)\b"
)
"""Plain requests."""
DEED = (
    rf"(?:{START})"
    r"(?:behave|help|acknowledge|adjust|admit|advance|advise|agree|alert|allow|amend"
    r"|apologise|apply"
    r"|arm|arrange|attach|authorise|authorize|award|ban|bill|block|book|boost|boot"
    r"|borrow|bring|broadcast|browse|build|burn|buy|cast|charge|check|choose|claim"
    r"|clean|clear|climb|clone|collect|combine|commit|compile|complete|compose|conceal"
    r"|concede|configure|connect|consider|consult|contact|convert|count|cover|credit"
    r"|cut|deactivate|debit|declare|decline|decrease|decrypt|delay|deliver|demand"
    r"|demote|destroy|dial|disarm|discard|disclose|discount|dismiss|dispatch|dispense"
    r"|display|disregard|divert|drain|draw|drive|dump|edit|elevate|emit|end|engage"
    r"|enroll|enter|erase|erect|expose|extend|extract|fabricate|fail|fake|feed|file"
    r"|fill|find|finish|fire|fix|flag|flash|flip|flush|force|freeze|give|grade|halt"
    r"|hang|harvest|heat|hire|hold|hush|impersonate|import|inflate|inform|initiate"
    r"|inject|inspect|install|instruct|issue|join|jump|keep|kick|label|launch|lead"
    r"|leak|leave|lend|let|lie|lift|light|limit|link|list|load|lock|log|look|lose"
    r"|lower|maintain|make|manage|meet|mention|message|migrate|miss|mount|mute|name"
    r"|neglect|note|notify|null|offer|overrule|overwrite|page|paint|pass|paste|pause"
    r"|pick|ping|place|play|plug|praise|press|pretend|produce|prolong|pronounce"
    r"|provide|pull|query|quit|quote|read|rebuild|recite|recommend|record|redirect"
    r"|reduce|refer|reformat|refund|refuse|register|reject|relax|relay|reload|remember"
    r"|remit|rename|render|renew|rent|reorder|rephrase|replace|request|reroute"
    r"|reschedule|rescind|reserve|resign|restore|retrieve|return|ring|rotate|route"
    r"|rule|sabotage|scrap|scrub|seal|search|see|sell|serve|shift|ship|shrink|sign"
    r"|silence|simulate|skim|slow|sound|speak|spend|spin|spoof|spread|start|starve"
    r"|stay|step|stock|strip|substitute|suggest|supply|suspend|swap|swear|tag|tamper"
    r"|tap|teach|tear|test|think|throttle|throw|tick|toggle|top|touch|trade|trigger"
    r"|trim|trip|try|tune|type|unblock|unfreeze|uninstall|unmask|unmute|unseal|unveil"
    r"|upgrade|urge|validate|vent|verify|vote|vouch|wait|waive|wake|walk|warm|warn"
    r"|wash|whisper|whitelist|widen|withdraw|withhold|work|wrap|yield|zero)\b"
)
"""Further ones."""
