"""National ids and tax numbers: beside a word that names them, or in a form that nothing else has.

One row a number: what it is called, what it looks like, and its published check. A number without
its name beside it is left alone unless form and check digits together make it sure: operators need
the other numbers of their texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from orrery_knowledge.screening.findings import named_span
from orrery_knowledge.screening.patterns import compiled
from orrery_knowledge.screening.personal_rules.standards import standard

_SEPARATORS = str.maketrans("", "", " .-/\u00a0\u2011")


class _Number(NamedTuple):
    rule: str
    names: str
    called: Any
    value: Any
    plain: str
    check: Callable[[str], bool]


def _always(value: str) -> bool:
    return len(set(value)) > 2


_finnish = standard("fi.hetu")
_luhn = standard("luhn")
_mod_11_10 = standard("iso7064.mod_11_10")


def is_social(value: str) -> bool:
    """Whether a number lies in the ranges that the US administration gives out."""
    flat = value.translate(_SEPARATORS)
    area, group, serial = flat[:3], flat[3:5], flat[5:]
    return area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"


def _row(
    names: str,
    form: str,
    check: Callable[[str], bool] = _always,
    *,
    plain: str = "",
    rule: str = "national-id",
) -> _Number:
    called = compiled(rf"(?i)^(?:{names})$")
    # Read from the end of the name on: the value stands behind it, within the line.
    value = compiled(rf"(?i)^(?:[^\n\d]{{0,28}}?[^\w])?(?P<v>{form})(?:[^\w]|$|_)")
    return _Number(rule, names, called, value, plain, check)


_D = r"[ .-]?\d"
"""A digit behind a separator that people put in."""

_NUMBERS = (
    _row(
        r"ssn|social[ _-]security",
        r"\d{3}[ -]?\d{2}[ -]?\d{4}",
        is_social,
        plain=r"\d{3}-\d{2}-\d{4}",
        rule="social-security",
    ),
    _row(r"itin|taxpayer", r"9\d{2}[ -]?\d{2}[ -]?\d{4}"),
    _row(r"nhs", r"\d{3}[ -]?\d{3}[ -]?\d{4}", standard("gb.nhs")),
    _row(
        r"nino|national insurance|ni(?: number| no)|insurance (?:number|no)",
        r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]",
        plain=r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] \d{2} \d{2} \d{2} [A-D]",
    ),
    _row(
        r"steuer[ -]?(?:id|identifikationsnummer|identnummer|nummer)|id-?nr|tin|tax[ _-]?id|idnr",
        rf"[1-9](?:{_D}){{10}}",
        _mod_11_10,
    ),
    _row(
        r"(?:renten|sozial)versicherungs(?:nummer|nr)|svnr|sv-nummer|rvnr|vsnr",
        r"\d{2} ?\d{6} ?[A-Z] ?\d{3}|\d{4}[ -]?\d{6}",
    ),
    _row(r"personalausweis(?:nummer|nr)?|ausweis(?:nummer|nr)", r"[CFGHJKLMNPRTVWXYZ0-9]{9,10}"),
    _row(
        r"nir|s[ée]curit[ée] sociale|num[ée]ro (?:insee|de s[ée]cu)|s[ée]cu",
        r"[12] ?\d{2} ?[0-9]{2} ?(?:\d{2}|2[ABab]) ?\d{3} ?\d{3} ?\d{2}",
        standard("fr.nir"),
        plain=r"[12] \d{2} [0-9]{2} (?:\d{2}|2[AB]) \d{3} \d{3} \d{2}",
    ),
    _row(
        r"dni|nie|nif|documento nacional",
        r"(?:\d{8}|[XYZ]-?\d{7})[ -]?[A-Z]",
        standard("es.dni", "es.nie"),
    ),
    _row(
        r"codice fiscale|c\.?f\.?",
        r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]",
        standard("it.codicefiscale"),
        plain=r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]",
    ),
    _row(
        r"bsn|burgerservicenummer|sofi-?nummer",
        rf"\d(?:{_D}){{8}}",
        standard("nl.bsn"),
    ),
    _row(
        r"rijksregister(?:nummer|nr)?|insz|niss|registre national|national register",
        r"\d{2}\.?\d{2}\.?\d{2}-?\d{3}[.-]?\d{2}",
        standard("be.nn"),
        plain=r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}",
    ),
    _row(r"pesel", r"\d{11}", standard("pl.pesel")),
    _row(
        r"cpf",
        r"\d{3}\.?\d{3}\.?\d{3}-?\d{2}",
        standard("br.cpf"),
        plain=r"\d{3}\.\d{3}\.\d{3}-\d{2}",
    ),
    _row(
        r"ahv(?:[ -]?(?:nr|nummer))?|avs|oasi|versichertennummer",
        r"756[. ]?\d{4}[. ]?\d{4}[. ]?\d{2}",
        standard("ean"),
        plain=r"756\.\d{4}\.\d{4}\.\d{2}",
    ),
    _row(
        r"kimlik(?: (?:no|numaras[ıi]))?|tckn|tc no|t\.?c\.?",
        r"[1-9]\d{10}",
        standard("tr.tckimlik"),
    ),
    _row(
        r"身份证(?:号码?)?|公民身份号码|居民身份证|resident (?:id|identity)|shenfenzheng|身分證",
        r"\d{17}[\dXx]",
        standard("iso7064.mod_11_2"),
        plain=r"[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx]",
    ),
    _row(r"aadhaar|aadhar|आधार|uidai", r"[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}", standard("verhoeff")),
    _row(r"pan(?: card| no| number)?|permanent account", r"[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z]"),
    _row(
        r"personnummer|personal identity number|samordningsnummer",
        r"(?:19|20)?\d{6}[-+]?\d{4}",
        lambda value: _luhn(value.replace("+", "")[-10:]),
    ),
    _row(r"f[øo]dselsnummer|fnr|fødselsnr|personnr", r"\d{6} ?\d{5}", standard("no.fodselsnummer")),
    _row(
        r"cpr(?:[ -]?(?:nummer|nr|number))?",
        r"(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d{2}-?\d{4}",
    ),
    _row(
        r"hetu|henkil[öo]tunnus|sotu",
        r"\d{6}[-+A-FU-Y]\d{3}[0-9A-Y]",
        _finnish,
        plain=r"(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d{2}[-+A]\d{3}[0-9A-Y]",
    ),
    _row(
        r"sin|social insurance|numéro d'assurance sociale|nas",
        r"\d{3}[ -]?\d{3}[ -]?\d{3}",
        _luhn,
    ),
    _row(r"tfn|tax file", r"\d{3} ?\d{3} ?\d{3}", standard("au.tfn")),
    _row(r"medicare", r"[2-6]\d{3} ?\d{5} ?\d"),
    _row(r"my ?number|マイナンバー|個人番号", r"\d{4}[ -]?\d{4}[ -]?\d{4}"),
    _row(
        r"rrn|resident registration|주민등록번호|주민번호",
        r"\d{6}-?[1-8]\d{6}",
        plain=r"\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])-[1-4]\d{6}",
    ),
    _row(r"nric|fin(?: no| number)", r"[STFGM]\d{7}[A-Z]"),
    _row(r"hkid|香港身份證", r"[A-Z]{1,2}\d{6}\(?[\dA]\)?"),
    _row(
        r"curp", r"[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d", plain=r"[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z\d]\d"
    ),
    _row(r"rfc", r"[A-ZÑ&]{4}\d{6}[A-Z\d]{3}"),
    _row(r"rut|run", r"\d{1,2}\.?\d{3}\.?\d{3}-[\dKk]", standard("cl.rut")),
    _row(r"cuit|cuil", r"\d{2}-?\d{8}-?\d", standard("ar.cuit")),
    _row(r"dni|documento|c[ée]dula", r"\d{1,2}\.\d{3}\.\d{3}|\d{1,3}(?:\.\d{3}){2,3}"),
    _row(
        r"id(?:entity)? (?:number|no)|south african id|rsa id",
        r"\d{2}[01]\d[0-3]\d\d{7}",
        _luhn,
    ),
    _row(r"teudat zehut|תעודת זהות|ת\.ז\.?", r"\d{9}", _luhn),
    _row(
        r"rodn[ée] [čc][íi]slo|r\.?č\.?",
        r"\d{6}/?\d{3,4}",
        lambda value: len(value) == 9 or int(value) % 11 == 0,
    ),
    _row(r"cnp|cod numeric personal", r"[1-9]\d{12}"),
    _row(r"egn|егн", r"\d{10}"),
    _row(r"amka|αμκα", r"\d{11}", _luhn),
    _row(r"oib", r"\d{11}", _mod_11_10),
    _row(r"jmbg|emšo|emso", r"\d{13}"),
    _row(r"isikukood|asmens kodas|personas kods", r"\d{6}-?\d{5}"),
    _row(r"pps(?:n| number| no)?", r"\d{7}[A-W][A-IW]?"),
    _row(r"nif|contribuinte|niss", r"\d{9}|\d{11}"),
    _row(r"снилс|snils", r"\d{3}-?\d{3}-?\d{3}[ -]?\d{2}", plain=r"\d{3}-\d{3}-\d{3} \d{2}"),
    _row(r"инн|inn", r"\d{12}|\d{10}"),
    _row(r"паспорт\w*", r"\d{2} ?\d{2} ?(?:№ ?)?\d{6}"),
    _row(r"cccd|cmnd|căn cước", r"\d{9}(?:\d{3})?"),
    _row(r"nik|ktp", r"\d{16}"),
    _row(r"cnic", r"\d{5}-?\d{7}-?\d"),
    _row(
        r"passport|reisepass(?:nummer)?|passeport|pasaporte|passaporto|paspoort|passnummer"
        r"|pasport|护照|旅券"
        r"|driv(?:er'?s?|ing) licen[cs]e|führerschein\w*|permis de conduire|patente"
        r"|(?:national|personal|state|government)[ _-]?id(?:entity"
        r"|entification)?(?:[ _-]?(?:card|number|no))?"
        r"|identity card|carte d'identité|id card|medical record|mrn",
        r"[A-Z]{0,3}[ -]?\d{6,12}[A-Z]?|[A-Z]\d[A-Z0-9]{5,10}\d|[A-Z]{5}\d{6}[A-Z0-9]{5}",
    ),
)


_NAME = compiled(
    r"(?i)(?:^|[^A-Za-z\x{c0}-\x{24f}])(?P<v>" + "|".join(row.names for row in _NUMBERS) + ")"
)
_FORMS = tuple((row, compiled(rf"^(?:{row.plain})$")) for row in _NUMBERS if row.plain)
_FORM = compiled(
    r"(?:^|[^\w.+-])(?P<v>" + "|".join(row.plain for row, _ in _FORMS) + r")(?:[^\w-]|$)"
)
_REACH = 64


def numbers(text: str) -> Iterator[tuple[str, int, int]]:
    """Every national id: rule, start and end."""
    for match in _NAME.finditer(text):
        name = match.group("v")
        end = named_span(match, "v")[1]
        window = text[end : end + _REACH].split("\n", 1)[0]
        if (window[:1].isalpha() and window[:1].isascii() and name[-1].isascii()) or not any(
            char.isdigit() for char in window
        ):
            continue
        for row in _NUMBERS:
            found = row.value.match(window) if row.called.match(name) else None
            if found is not None and _passes(row, found.group("v")):
                start, stop = named_span(found, "v")
                yield row.rule, end + start, end + stop
    for match in _FORM.finditer(text):
        value = match.group("v")
        for row, form in _FORMS:
            if form.match(value) and _passes(row, value):
                yield row.rule, *named_span(match, "v")


def _passes(row: _Number, value: str) -> bool:
    # The sign inside of a Finnish code is a part of it; elsewhere it is there for the eye.
    flat = value if row.check is _finnish else value.translate(_SEPARATORS)
    try:
        return _always(flat) and row.check(flat)
    except (ValueError, IndexError, KeyError):
        return False
