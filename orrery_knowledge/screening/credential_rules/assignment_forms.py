"""The forms in which a name and its value stand together: patterns only, see `assignments`."""

from __future__ import annotations

from orrery_knowledge.screening.credential_rules.names import KEYWORD
from orrery_knowledge.screening.patterns import compiled

_QUOTE = r"(?:\\{0,15}[\"'])"
"""A quote; inside of a string of JSON (inside of a string ...) it stands behind backslashes."""
_ESCAPED = r"\\{1,15}\"[^\"\n]*?\\{1,15}\"|\\{1,15}'[^'\n]*?\\{1,15}'"
_QUOTED = (
    rf"\"\"\"[^\"\n]{{1,400}}\"\"\"|{_ESCAPED}|&quot;[^\n]{{1,200}}?&quot;"
    r"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`"
)
_KEY = (
    r"(?P<key>[\w$.@/-]{0,60}?"
    + KEYWORD
    + r"(?:[_.-][\w.-]{1,30}|Key|Value|Hash|Text|(?-i:[A-Z][a-z]{1,15})|[0-9]{1,2})?)"
)
_CLOSE = r"(?P<close>(?:\\{0,15}[\"'\]})]){0,3})"
_TYPE = r":[ \t]?[A-Za-z][\w.\[\]<>?*| ]{0,30}?[ \t]?=[ \t]?"
ASSIGNMENT = compiled(
    rf"(?i){_KEY}{_CLOSE}"
    rf"(?P<sep>[ \t]{{0,24}}(?:=>|:=|\?=|\+=|==?|::?|：)[ \t]{{0,24}}(?:!!str[ \t]|!!binary[ \t]"
    rf"|!unsafe[ \t])?|{_TYPE}"
    rf"|[ \t]string[ \t]=[ \t]"
    rf"|{_QUOTE}[ \t]{{0,24}},[ \t]{{0,24}}|>)"
    rf"(?P<value>[frbuLN@$]?(?:{_QUOTED})|[^\s\"'`,;<>][^\s\"'`,;<>]*)"
)
WITHIN = compiled(
    rf"(?i){_KEY}(?P<close>{_QUOTE}?)"
    rf"(?P<sep>[ \t]{{0,4}}[:=][ \t]{{0,4}}(?:\{{\s{{0,40}}|\n[ \t]{{1,40}}))"
    rf"(?P<beside>(?:{_QUOTE}?\w{{1,30}}{_QUOTE}?[ \t]{{0,4}}[:=][ \t]{{0,4}}"
    rf"(?:\"[^\"\n]{{0,60}}\"|'[^'\n]{{0,60}}'|[\w./-]{{1,60}})"
    rf"(?:,\s{{0,40}}|\n[ \t]{{1,40}})){{0,3}}?)"
    rf"{_QUOTE}?(?:plain|plain_?text|clear_?text|value|text|raw|current|decoded|string){_QUOTE}?"
    rf"[ \t]{{0,4}}[:=][ \t]{{0,4}}(?P<value>{_QUOTED}|[^\s\"'`,;<>{{}}]+)"
)
"""A value one level below its name: ``"password": {"plain": "..."}``."""
INNER = ("plain", "value", "text", "raw", "current", "decoded", "string")
"""One of these stands in whatever `WITHIN` matches."""
OTHER = compiled(
    r"(?i)(?:name|key|field|type)\W{1,12}(?:user|login|account|host|url|uri|port|database|db_?(?:name"
    r"|user|host)|email|region|id\b)"
)
"""What stands beside such a value says that it is something else: ``{"name": "user", ...}``."""
REVERSED = compiled(
    rf"(?i)\bvalue{_QUOTE}?[ \t]*(?P<sep>[:=])[ \t]*"
    rf"(?P<value>{_ESCAPED}|\"[^\"\n]*\"|'[^'\n]*'|[^\s\"',<>]+)(?P<close>)"
    rf"[ \t]*,?\s{{1,40}}{_QUOTE}?(?:name|key|id|property){_QUOTE}?[ \t]*[:=][ \t]*{_QUOTE}?"
    rf"(?P<key>[\w.-]{{0,60}}{KEYWORD}[\w.-]{{0,20}}?)(?:[\s\"',}}/\\]|$)"
)
REVERSED_ELEMENTS = compiled(
    rf"(?i)<value>(?P<value>[^<\n]+)</value>\s{{0,40}}<(?:name|key)>(?P<key>[\w.-]{{0,60}}"
    rf"{KEYWORD}[\w.-]{{0,20}})</"
)
"""A pair whose value comes first: ``value: ...``, and below it ``name: DB_PASSWORD``."""
VARIABLE = compiled(
    r"(?i)\bvariable\s+\"(?P<key>[\w-]{0,60}"
    + KEYWORD
    + r"[\w-]{0,20})\"\s*\{[^{}]{0,300}?\bdefault(?P<sep>\s*=\s*)(?P<value>\"[^\"\n]*\")(?P<close>)"
)
"""HCL: ``variable "db_password" { default = "..." }``."""
CALLED = compiled(
    rf"(?i)(?P<key>\b(?:set|with|add|use)?[A-Za-z_.]{{0,30}}{KEYWORD})(?P<close>)"
    rf"(?P<sep>[ \t]?\([ \t\n]{{0,8}}|[ \t]+)(?P<value>{_QUOTED})"
)
"""A call or a directive with a quoted value: ``setPassword("...")``, ``psk "..."``."""
NAMED = compiled(
    rf"(?i)\b(?:name|key){_QUOTE}?\s*[:=]\s*{_QUOTE}?(?P<key>[\w.-]{{0,60}}"
    + KEYWORD
    + rf"[\w.-]{{0,20}}){_QUOTE}?,?\s*\n?\s*"
    rf"(?:{_QUOTE}?\w{{1,30}}{_QUOTE}?\s*:\s*(?:true|false|null|\d+"
    rf"|\"[^\"\n]{{0,60}}\"),?\s*){{0,3}}"
    rf"{_QUOTE}?value{_QUOTE}?\s*[:=](?P<sep>\s*)"
    rf"(?P<value>{_ESCAPED}|\"[^\"\n]*\"|'[^'\n]*'|[^\s\"',]+)(?P<close>)"
)
ENVIRONMENT = compiled(
    rf"(?im)^[ \t>]*(?:ENV|ARG|setenv|SetEnv|fastcgi_param|uwsgi_param|passenv|env)[ \t]+{_KEY}"
    rf"(?P<close>)(?P<sep>[ \t]+)(?P<value>{_QUOTED}|[^\s\"'`;]+)"
)
"""A line that sets a variable without an equals sign: Dockerfile, csh, Apache, nginx."""
INPUT = compiled(
    rf"(?i)<[^<>\n]{{0,120}}\s(?:type|name|id)=[\"']?(?P<key>[\w.-]{{0,60}}{KEYWORD}[\w.-]{{0,20}})"
    rf"(?P<close>[\"']?)[^<>\n]{{0,120}}?\svalue(?P<sep>=)(?P<value>\"[^\"\n]*\"|'[^'\n]*')"
)
BLOCK = compiled(
    rf"(?im)^(?P<lead>[ \t>#-]*)[\"']?{_KEY}[\"']?(?P<close>)(?P<sep>[ \t]*[:=][ \t]*"
    r"(?:(?:[|>][+-]?\d?[ \t]*|\"\"\"|''')?\n[ \t>]+"
    r"|<<[-~]?['\"]?\w+['\"]?\n[ \t]*))(?P<value>[^\n]+)"
)
"""A value on the line below its name: block scalars, heredocs, broken lines."""
_NAME = rf"[\w.-]{{0,60}}{KEYWORD}[\w.-]{{0,20}}"
ELEMENT = compiled(
    rf"(?i)(?:(?:key|name|property|id)=[\"'](?P<key>{_NAME})[\"'][^<>\n]{{0,80}}>"
    rf"|<(?:key|name)>(?P<key2>{_NAME})</(?:key|name)>\s{{0,20}}<(?:string|value)>"
    rf"|<(?P<key3>{_NAME})(?:\s[^<>\n]{{1,80}}>|>\s{{0,20}}<value>)"
    rf"|<t[dh]>(?P<key4>{_NAME}):?</t[dh]>\s{{0,20}}<td>)"
    r"(?P<value>[^<\n]+)</"
)
"""An element with a value, whose name stands in an attribute, in its own or the one before it."""
ENCODED = compiled(
    rf"(?i){_KEY}(?P<close>(?:%22)?)(?P<sep>(?:%3D|%3A)(?:%20|\+)?(?:%22)?)"
    r"(?P<value>[^\s&\"'%]{4,}(?:%(?:2[013-57-9A-F]|[3-7][0-9A-F])[^\s&\"'%]*)*)"
)
"""In a query or JSON that is percent-encoded."""
FLAG = compiled(
    r"(?i)(?:^|[\s\[(,\"'])(?P<key>(?:--?|/)[\w-]{0,40}(?:password|passwd|passphrase|passcode"
    r"|pass|pwd"
    r"|psk|secret|token|api-?key|apikey|access-?key|secret-?key|auth-?key|private-?key"
    r"|encryption-?key|account-?key|auth|credentials?|license-?key|community|cookie|passin"
    r"|passout))"
    rf"{_QUOTE}?(?P<sep>[ \t]*,[ \t]*|[ \t]+(?:\\\n[ \t]*)?|:)"
    rf"(?P<value>{_QUOTED}|[^\s\"'|;&<>]+)(?P<close>)"
)
DIRECTIVE = compiled(
    rf"(?i)(?:^|[^\w])(?P<key>[\w.-]{{0,40}}(?:{KEYWORD}|requirepass|masterauth))(?P<close>)"
    r"(?P<sep>(?:[ \t]+|[ \t]*(?:\||->|→|~)[ \t]*)(?:[0-9][ \t]+)?)(?P<value>[^\s\"'`,;<>|]{6,})"
)
"""A name and a value with nothing but space between: only for values that are no words."""
