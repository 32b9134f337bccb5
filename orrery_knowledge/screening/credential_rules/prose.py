"""Secrets in sentences: "the password of the switch is ...", "use ... as the token".

A small grammar: a noun for a secret; within its sentence a word that looks like one, and directly
before that word a colon, a form of "is", a quote or a bracket. Words that look like words stay,
unless they are quoted or a passphrase of several.
"""

from __future__ import annotations

import re2

from orrery_knowledge.screening.credential_rules import names
from orrery_knowledge.screening.credential_rules.assignments import Found
from orrery_knowledge.screening.credential_rules.names import FAR, FOREIGN
from orrery_knowledge.screening.credential_rules.shapes import is_chosen, is_mixed, jumbled, trim
from orrery_knowledge.screening.findings import named_span, word_set
from orrery_knowledge.screening.patterns import compiled
from orrery_knowledge.screening.placeholders import is_placeholder, is_uuid
from orrery_knowledge.screening.sieve import Sieve

_DOOR = compiled(
    r"(?i)\bcode (?:for|of|to) (?:the )?(?:[\w-]{1,20} )?(?:door|gate|safe|alarm|building|room"
    r"|cabinet|rack"
    r"|garage|lift|lock)(?: is| was|:) (?P<v>\d{4,12}#?)"
    r"|\b(?:PIN|PUK)(?:-?(?i:code))? (?P<v2>\d{4,12})\b|\bkeypad: (?P<v3>\d{4,12})"
)
_CODES = compiled(
    r"(?im)\b(?:backup|recovery|scratch|emergency|one[- ]time|2fa|mfa|totp|unlock)[ -]"
    r"(?:pass)?codes?\b[^\n]{0,80}\n(?:[ \t]*\n)?(?P<v>(?:[ \t>]*(?:\d{1,2}[.):]|[-*•])?[ \t]*"
    r"[`\"]?[A-Za-z0-9]{3,12}(?:[- ][A-Za-z0-9]{3,12}){0,3}[`\"]?[ \t]*(?:\n|$)){1,24})"
)
"""A list of codes that each open an account once."""
_CODE = compiled(
    r"(?:^|[\s`\"])(?P<v>[A-Za-z0-9]{3,12}(?:[- ][A-Za-z0-9]{3,12}){0,3})[`\"]?[ \t]*$"
)
_PIN_OF = compiled(
    r"(?im)\b(?:pin|puk|passcode|access code|door code)(?: ?code| number)? (?:for|of)"
    r"(?: [\w'-]{1,20}){0,4}? (?P<word>[\w'-]{1,20}) (?P<v>\d{4,10})[.)]?$"
)
_NUMBERED = word_set(
    "version build release port line issue pr ticket revision commit chapter page year in since to"
)
_PASSWORD_NOUNS = (
    r"(?:pass ?words?|passwd|pass[ -]?phrases?|passcode|pass ?code|pwd?|creds|credentials?|psk"
    r"|(?:wpa\d?|wi-?fi|wlan|network)[ -]key"
    r"|pre-?shared[ -]key|community(?: string)?|" + FOREIGN + r")"
)
_OTHER_NOUNS = (
    r"(?:(?:shared |client |webhook |signing |api |app |totp |2fa |mfa )?secrets?"
    r"|(?:[\w-]+ )?tokens?|(?:api|access|secret|license|licence|product|encryption|decryption"
    r"|master"
    r"|recovery|activation|wi-?fi|bitlocker|signing|private|account|storage|backup|admin|root"
    r"|wireguard|hmac|registration|unlock|vault|deploy|service|aes|des|psk|static|data"
    r"|session)[ -]keys?|api-?keys?"
    r"|unseal keys?(?: \d)?|erlang cookie|(?:session )?cookie|seed|zugangs(?:schlüssel|token)|jeton"
    r"|clé (?:d'api|secrète)|clave secreta|chave secreta|chiave|api[- ]schlüssel|clé api"
    r"|geheimnis|keys?)"
)
_NOUN = compiled(
    rf"(?i)(?:^|[^\w/.])(?P<noun>{_PASSWORD_NOUNS}(?:et|en)?"
    rf"|{_OTHER_NOUNS})(?:\b|$)"
)
_ANY_NOUN = compiled(rf"(?i){_PASSWORD_NOUNS}|{_OTHER_NOUNS}")
"""Without it none of `_NOUN`, `_BELOW`, `_ASKED`, `_LABEL` and `_AS` matches."""
_PASSWORD_NOUN = compiled(rf"(?i)^{_PASSWORD_NOUNS}(?:et|en)?$")
_FAR = compiled(
    rf"(?i)(?:{FAR})(?:[^\x00-\x7f\n]|[ \t]){{0,40}}?"
    r"(?:[\w.-]{1,20}[ \t]?(?:[^\x00-\x7f\n]|[ \t]){0,10}?[:=：])?"
    r"[ \t:=：\-–—「『“\"'`]{0,6}(?P<v>[\x21-\x7e]{4,128})"
)
_COPULAS = word_set(
    """
    is was are be to as = := -> => → : – — est ist lautet sind war es son era è é são será
    jest je to: är on este from 's value
    er var olan zijn van op auf en à a à: und now still currently remains became set gesetzt
    changed reset using with enter type use try equals reads says said became этот это теперь
    """
)
_NEAR = word_set(
    "now still currently just only simply this: exactly always again noch jetzt maintenant"
)
_END = compiled(r"[^.][.!?;](?:\s|$)|\n\s*\n|[。！？；]")
_PIN = compiled(
    r"(?i)\b(?:pin(?: ?code| number)?|puk|pass ?key|pairing code|(?:door|alarm|access|entry|gate"
    r"|unlock|safe|lock|keypad|security|recovery|backup|verification"
    r"|one-time|otp|2fa|mfa|master|admin|service)[ -]?code|passcode|otp|geheimzahl|türcode"
    r"|code (?:pin|d'accès)|código(?: pin| de acceso)?"
    r"|пин-?код|暗証番号|combination)\b(?:'s)?"
    r"(?P<mid>(?: (?:of|for|to|on|at|in|from|des|der|de|du|la|del|the|our|your|my|new|old"
    r"|[\w-]{1,20})){0,6}?)"
    r"(?:\s?[:=：]\s?|\s(?:is|was|to|ist|lautet|est|es|è"
    r"|é)(?: now)? )[\"'`*]{0,3}(?P<v>\d{4,12}(?:[- ]\d{2,6})?#?|\d{1,2}(?:-\d{1,2}){2,3})"
)
_PHRASE = compiled(
    r"(?i)\b(?:pass-?phrase|recovery phrase|seed phrase|mnemonic|seed words"
    r"|(?:wallet|recovery|backup) seed|backup phrase"
    r"|passwort-?satz)"
    r"(?P<mid>[^\n.:;=]{0,60})(?:[:=]|\s(?:is|was"
    r"|are))[ \t]*[\"'`“]?(?P<v>[a-z]+(?:[ -][a-z]+){2,24})(?:[\"'`”.,;]|\n|$)"
)
_AS = compiled(
    rf"(?i)(?:^|[\s(\"'])(?P<v>[^\s]{{6,128}}?)[\"'`”]?,?\s(?:(?:that |this |it |which )?(?:as"
    rf"|is|was|for|als|comme|como|come|ist|est|es|serves as)\s|\()(?:the|its|our|your|my|their|a"
    rf"|an|new|old|das|die|der|le|la|el|il|initial|temporary|default|current|root|admin|\s){{0,6}}"
    rf"(?:[\w-]+ )?(?:{_PASSWORD_NOUNS}|{_OTHER_NOUNS})(?:\b|$)"
)
_WORDS = word_set(
    "the a an of for to is in on and or not ask see it in with your my our be from at by who"
    " that this must has"
    " have should can will was are when if then no please use new old same wrong invalid"
    " incorrect expired required"
    " missing failed changed reset authentication login user account characters"
)
_SETTING = compiled(
    r"(?i)^(?:-[a-z]|[ _](?:fingerprints?|names?|ids?|policy|policies|types?|length|expiry"
    r"|expiration|format|version|prefix|hash|algorithm"
    r"|field|parameter|header|file|path|manager|store|reset (?:page|link|form)|prompt|holder"
    r"|owner)\b)"
)
_MARKUP = compiled(r"(?:</?\w{1,10}>|[*_`])+$")
_TAG = compiled(r"</?\w{1,10} ?/?>")
_JOINED = compiled(r"(?:[\w$]+-)*$")
_REACH = 160
_PAIR = compiled(r"\\*[\"'`*]{0,3}\s?(?:=>|[=,:]\s?\\*[\"'{\[(])")
"""Behind the key of a pair: what follows has a syntax, and `assignments` knows it."""
_ASKED = compiled(
    rf"(?i)(?:^|[^\w/.-])(?:{_PASSWORD_NOUNS})\b[^\n?]{{0,60}}\?\s{{1,3}}(?:>\s?)?"
    r"(?:\[?\d{1,2}:\d{2}(?::\d{2})?(?: ?[AaPp][Mm])?\]?[ \t]{1,3})?"
    r"(?:<[@+]?[\w .-]{1,24}>[ \t]{1,3}|@?[\w.-]{1,24}(?: \w{1,16})?:[ \t]{1,3})?"
    r"(?:(?:it'?s|is|try|use|should be|think it'?s|still)[ \t:]{1,3}){0,2}[\"'`]?"
    r"(?P<v>[^\s\"'`]{6,128})[\"'`]?[ \t]*(?:\n|$)"
)
"""A question about a secret, and one word as the answer, perhaps with the time and who says it."""
_ASIDE = compiled(
    r"(?i)\((?:using|no|without|needs?|requires?|with|has|see|same|wrong|bad|invalid|old)\s"
)
"""``'shop'@'10.2.0.9' (using password: YES)``: what stands before such brackets is no password."""
_LABEL = compiled(
    rf"(?im)^[ \t>*-]*(?:\w+ )?(?:{_PASSWORD_NOUNS})[ \t:*]*\n[ \t>]*(?P<v>[^\s\"'`]{{6,128}})["
    rf" \t]*$"
)
_BELOW = compiled(
    rf"(?i)(?:^|[^\w/.-])(?:{_PASSWORD_NOUNS}"
    rf"|{_OTHER_NOUNS})(?:[^\w\n][^\n]{{0,120}})?:[ \t]*\n\s*(?P<v>[^\s\"'`]{{6,200}})[ \t]*"
    rf"(?:\n|$)"
)
"""The secret alone on a line below the sentence that announces it."""
_ANY_CODE = Sieve([_FAR, _PIN, _PIN_OF, _CODES, _DOOR, _PHRASE])


def in_sentences(text: str) -> Found:
    """Every secret that a sentence names."""
    named = _ANY_NOUN.search(text) is not None
    if named:
        yield from _behind_nouns(text)
    yield from _codes(text)
    if named:
        yield from _before_nouns(text)


def _behind_nouns(text: str) -> Found:
    for match in _NOUN.finditer(text):
        yield from _behind(text, match)
    for match in _BELOW.finditer(text):
        value = match.group("v")
        if is_chosen(value) and (jumbled(value) or is_mixed(value)):
            yield "password", *named_span(match, "v")
    for pattern in (_ASKED, _LABEL):
        for match in pattern.finditer(text):
            _, value = trim(match.group("v"))
            if is_chosen(value) and is_mixed(value):
                yield "password", *named_span(match, "v")


def _codes(text: str) -> Found:
    matches = _ANY_CODE.over(text)
    for match in matches(_FAR):
        start, _ = named_span(match, "v")
        value = match.group("v").rstrip(".,;:!?)]}>\"'`")
        if is_chosen(value):
            yield "password", start, start + len(value)
    for match in matches(_PIN):
        yield "pin", *named_span(match, "v")
    for match in matches(_PIN_OF):
        if match.group("word").lower() not in _NUMBERED:
            yield "pin", *named_span(match, "v")
    for match in matches(_CODES):
        position = named_span(match, "v")[0]
        for line in match.group("v").split("\n"):
            code = _CODE.search(line)
            if code is not None and any(char.isdigit() for char in code.group("v")):
                start, end = named_span(code, "v")
                yield "recovery-code", position + start, position + end
            position += len(line) + 1
    for match in matches(_DOOR):
        for group in ("v", "v2", "v3"):
            if match.group(group):
                yield "pin", *named_span(match, group)
    for match in matches(_PHRASE):
        words = match.group("v").lower().replace("-", " ").split()
        if not _WORDS & set(words):
            yield "passphrase", *named_span(match, "v")


def _before_nouns(text: str) -> Found:
    for match in _AS.finditer(text):
        start, _ = named_span(match, "v")
        head, value = trim(match.group("v"))
        if is_chosen(value) and not _ASIDE.search(match.group()):
            yield "password", start + head, start + head + len(value)


def _behind(text: str, match: re2._Match[str]) -> Found:
    """The first words after a noun that look like its secret and follow something like "is"."""
    _, end = named_span(match, "noun")
    window = _paragraph(text[end : end + _REACH])
    stop = _END.search(window)
    limit = stop.start() + 2 if stop is not None else len(window)
    start = named_span(match, "noun")[0]
    # With the words that are joined to it: `starting-token`, `Idempotency-Key`.
    name = str(_JOINED.search(text[max(0, start - 40) : start]).group()) + match.group("noun")
    if names.is_setting(name.replace(" ", "_")) or names.is_public(name):
        return
    if _PAIR.match(window) or _SETTING.match(window):
        # The key of a pair, or "API key name", "password policy": no value of this noun follows.
        return
    password = bool(_PASSWORD_NOUN.match(match.group("noun")))
    before = match.group("noun")
    position = 0
    for count, word in enumerate(_split(window[:limit])):
        start = window.index(word, position)
        position = start + len(word)
        if count > (14 if password else 8):
            return
        linked = _links(before, word, first=count == 0)
        before = word
        if not linked:
            continue
        word = word.split("<", 1)[0] if "<" in word and _TAG.search(word) else word
        if not word:
            continue
        head, value = trim(word)
        at = end + start + head
        quote = word[:1]
        if quote in "\"'`“«„" and quote:
            closing = {"“": "”", "«": "»", "„": "“"}.get(quote, quote)
            close = text.find(closing, at, at + 130)
            if close > at and "\n" not in text[at:close]:
                value = text[at:close]
        if count == 0 and start == 0 and word[0] not in "([":
            # Glued to the noun: an assignment, a name, a path, and no sentence.
            continue
        strict = match.group("noun").lower().rstrip("s") == "key"
        if strict and (value.islower() or value.isupper() or len(value) < 20):
            continue
        quoted = quote in "\"'`“«„"
        if quoted and password and count == 0 and _is_phrase(value):
            yield "passphrase", at, at + len(value)
            return
        if _is_told(value, password=password, quoted=quoted):
            yield ("password" if password else "secret"), at, at + len(value)
            return


def _paragraph(window: str) -> str:
    """The window up to the end of its line, or of a sentence that is wrapped."""
    first, newline, second = window.partition("\n")
    if not newline or first.rstrip()[-1:] in ("", ":", ",", ";", "{", "[", "(", "|"):
        return first
    if second.partition(" ")[0].endswith(":"):
        return first
    if not second[:1].isalpha() or not first.rstrip()[-1:].isalpha():
        return first
    return first + " " + second.partition("\n")[0]


def _split(window: str) -> list[str]:
    return window.split()


def _links(before: str, word: str, *, first: bool) -> bool:
    if before[-1:] in (">", "*", "_", "`"):
        before = _MARKUP.sub("", before)
    low = before.lower()
    return (
        not low.strip(".-–_·")
        or low in _COPULAS
        or low in _NEAR
        or before[-1:] in (":", "=", "：")
        or word[:1] in ("(", '"', "'", "`", "“", "«", "„", "*")
        or first
    )


def _is_phrase(value: str) -> bool:
    words = value.split(" ")
    return (
        3 <= len(words) <= 12
        and all(word.isalpha() for word in words)
        and not (_WORDS & {word.lower() for word in words})
    )


def _is_told(value: str, *, password: bool, quoted: bool) -> bool:
    if is_placeholder(value) or is_uuid(value) or "://" in value:
        return False
    if " " in value:
        return False
    if password:
        return is_chosen(value)
    if not is_chosen(value):
        return False
    return jumbled(value) or quoted or is_mixed(value)
