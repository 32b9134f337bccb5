"""Phone numbers: by country code, by national form, or by a word beside them."""

from __future__ import annotations

from collections.abc import Iterator

from orrery_knowledge.screening.findings import named_span
from orrery_knowledge.screening.patterns import compiled
from orrery_knowledge.screening.sieve import Sieve

_COUNTRY = (
    r"(?:1|7|2(?:0|7|[1-689]\d)|3(?:[0-469]|[578]\d)|4(?:[013-9]|2\d)|5(?:[1-8]|[09]\d)"
    r"|6(?:[0-6]|[789]\d)"
    r"|8(?:[1246]|[0578]\d)|9(?:[0-58]|[679]\d))"
)
"""Country codes of the ITU (E.164)."""
_GAP = r"(?:[ .\-/()\x{00a0}\x{2011}\x{2013}]|%20){0,3}"
_INTERNATIONAL = compiled(
    rf"(?:^|[^\w.+/-]|[=:])(?P<v>(?:\+|%2B){_GAP}{_COUNTRY}(?:{_GAP}\d){{6,13}})(?:[^\w-]|$)"
)
_DOUBLE_ZERO = compiled(
    rf"(?:^|[^\w.+/=-])(?P<v>00[ ]?{_COUNTRY}[ /.-](?:\(0\))?(?:[ .\-/]?\d){{6,12}})(?:[^\w.-]|$)"
)
_NATIONAL = compiled(
    r"(?:^|[^\w.+/=:-])(?P<v>\(?[2-9]\d{2}\) ?\d{3}[ .-]\d{4}"
    r"|(?:1[-.])?[2-9]\d{2}-[2-9]\d{2}-\d{4}|[2-9]\d{2}\.[2-9]\d{2}\.\d{4}"
    r"|0[1-79](?:[ .]\d{2}){4}|07\d{3} \d{6}|07\d{3} \d{3} \d{3}|020 \d{4} \d{4}|01\d{3} \d{6}"
    r"|06[- ]\d{8}|06(?:[ -]\d{2}){4}"
    r"|01[567]\d{1,2}[ /-]\d{6,8}|01[567]\d[ /-]\d{3,4} \d{3,4}|0[789]0-\d{4}-\d{4}"
    r"|010-\d{4}-\d{4}|1[3-9]\d[ -]\d{4}[ -]\d{4}"
    r"|04\d{2} \d{3} \d{3}|\(0?\d{2}\) ?9?\d{4}-?[ ]?\d{4}|0\d{2,4}/\d{5,9}"
    r"|\(0\d{2,4}\) ?\d{5,8}|8 ?\(\d{3}\) ?\d{3}-\d{2}-\d{2})"
    r"(?:[^\w./:-]|[.:]?\s|[.:]?$)"
)
"""Forms of single countries that numbers of other kinds don't have."""
_NOUNS = (
    r"phone|telephone|tel|mobile|cell|cellphone|pager|hotline|fax|sms|whatsapp|phone_?number"
    r"|msisdn|handy|mobil|rufnummer"
    r"|[a-zà-ÿ]{0,16}(?:telefon|telefoon|puhelin)[a-zà-ÿ]{0,12}|durchwahl|bereitschaft|astreinte|t[ée]l[ée]phone|portable|tel[ée]fono"
    r"|m[óo]vil|celular|telefone"
    r"|telem[óo]vel|cellulare|mobiel\w{0,8}|telefoon\w{0,8}|kom[óo]rka|puhelin\w{0,8}|gsm|cep"
    r"|pikett|guardia|landline"
    r"|rückruf|m[øo]bil\w{0,8}|contact (?:number|no)|callback|call ?back|tlf|notruf"
)
_FAR = (
    r"телефон[а-яё]{0,6}|тел|моб[а-яё]{0,10}|电话(?:号码)?|手机(?:号码?)?"
    r"|電話(?:番号)?|携帯(?:電話)?"
    r"|전화(?:번호)?|휴대폰|핸드폰|連絡先"
    r"|هاتف|جوال|טלפון|फोन|โทร|điện thoại|τηλ[α-ωά-ώ]{0,8}"
)
_VERBS = (
    r"call|ring|dial|reach|reached|text|bel|bellen|anrufen|ruf\w{0,3}|appel\w{0,4}|joindre"
    r"|llam\w{0,4}|ligue\w?|chiam\w{0,4}|zadzwo\S{1,3}|dzwo\S{1,3}|звон[а-яё]{1,5}"
    r"|aray\S{1,5}|soita|ring\w{0,2}"
)
_DIGITS = r"(?P<v>\(?\d(?:[ .\-/()\x{00a0}\x{2011}]{0,3}\d){5,13})"
_BESIDE = compiled(
    rf"(?i)(?:(?:^|[^A-Za-z\x{{c0}}-\x{{24f}}])(?:{_NOUNS})(?:[^A-Za-z\x{{c0}}-\x{{24f}}\n\d+]"
    rf"[^\n\d+]{{0,40}}?)?|(?:{_FAR})[^\n\d+]{{0,24}}?){_DIGITS}(?:[^\w/:]|$)"
)
_CALLED = compiled(
    rf"(?i)(?:^|[^A-Za-z\x{{c0}}-\x{{24f}}])(?:{_VERBS})[^A-Za-z\x{{c0}}-\x{{24f}}\n\d+]"
    rf"[^\n\d+]{{0,32}}?{_DIGITS}(?:[^\w/:]|$)"
)
_OTHER = compiled(
    r"^(?:\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{2,4}|\d{1,3}(?:\.\d{1,3}){3}|\d{4}/\d{2}/\d{2}"
    r"|\d+\.\d+$)(?:\D|$)"
)
_DECIMAL = compiled(r"^\+\d{1,3}\.\d{5,}$")
_GROUP = compiled(r"(?:\d|[0-9a-fA-F]{2})[ -]$")
_MORE = compiled(r"^ [0-9a-fA-F]{2}(?:\W|$)")
_FICTION = compiled(r"^1?555(?:\d{7}|01\d\d)$")
"""Nobody has the area code 555 of the North American plan, nor 555-01xx: examples use them."""
_ANY = Sieve([_INTERNATIONAL, _DOUBLE_ZERO, _NATIONAL, _BESIDE, _CALLED])


def phones(text: str) -> Iterator[tuple[str, int, int]]:
    """Every phone number: rule, start and end."""
    matches = _ANY.over(text)
    for pattern, least in (
        (_INTERNATIONAL, 8),
        (_DOUBLE_ZERO, 10),
        (_NATIONAL, 9),
        (_BESIDE, 7),
        (_CALLED, 9),
    ):
        for match in matches(pattern):
            value = match.group("v")
            digits = "".join(char for char in value.replace("%20", " ") if char.isdigit())
            if not least <= len(digits) <= 15 or len(set(digits)) < 3:
                continue
            if pattern is _INTERNATIONAL and len(digits) < 10 and value.lstrip("+").isdigit():
                continue
            start, end = named_span(match, "v")
            before, behind = text[max(0, start - 6) : start], text[end : end + 4]
            if pattern in (_NATIONAL, _DOUBLE_ZERO) and (
                _GROUP.search(before) or _MORE.search(behind)
            ):
                # A group of a longer number.
                continue
            if _DECIMAL.match(value) or _OTHER.match(value) or _FICTION.match(digits):
                continue
            if pattern in (_BESIDE, _CALLED) and not _is_dialled(value, digits, pattern is _CALLED):
                continue
            yield "phone", start, end


def _is_dialled(value: str, digits: str, weak: bool) -> bool:
    """Whether digits beside a word for a phone are written as a number to dial."""
    split = any(not char.isdigit() for char in value.strip("()"))
    if weak:
        return split or digits.startswith("0")
    return split or digits.startswith("0") or len(digits) >= 9
