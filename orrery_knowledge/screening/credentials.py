"""Takes credentials out of a text: provider formats, names with values, commands, known places.

A value goes, what names it stays: an operator still sees that a password was there. Nothing is
ever checked with a provider.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import re2

from orrery_knowledge.screening.credential_rules.accounts import in_accounts
from orrery_knowledge.screening.credential_rules.assignments import assigned
from orrery_knowledge.screening.credential_rules.carriers import carried
from orrery_knowledge.screening.credential_rules.commands import command_passwords
from orrery_knowledge.screening.credential_rules.owners import owned
from orrery_knowledge.screening.credential_rules.prose import in_sentences
from orrery_knowledge.screening.credential_rules.providers import FORMATS
from orrery_knowledge.screening.credential_rules.tables import in_tables
from orrery_knowledge.screening.fencing import screen_inside
from orrery_knowledge.screening.findings import Edit, Screened, searchable
from orrery_knowledge.screening.patterns import compiled
from orrery_knowledge.screening.placeholders import is_name, is_placeholder, looks_random, masked
from orrery_knowledge.screening.remembering import knowing_clean

_ARMOURED = frozenset({"private-key", "putty-key", "password-hash", "webhook"})
"""Formats that nothing else has: no look at what the value could stand for."""
_APART = compiled(r"[_-]")
_LOOSE = frozenset({"authorization-header", "presigned-url"})
_NEEDS_RANDOM = frozenset({"prefixed-token", "package-registry-token"})


def _hinted() -> re2._re2.Set:
    """All hints as one automaton: a clean text is read once, whatever the number of formats."""
    hinted = re2.Set.SearchSet()
    for form in FORMATS:
        hinted.Add("|".join(re2.escape(hint) for hint in form.hints))
    hinted.Compile()
    return hinted


_HINTED = _hinted()
_GROUPS = [
    [form.pattern.groupindex[name] for name in sorted(form.pattern.groupindex)] or [0]
    for form in FORMATS
]
"""Numbers of the groups that hold a value in each format, in the order of their names."""


def redact_credentials(text: str) -> Screened:
    """Replace each secret value by ``[REDACTED:<rule>]``; everything round it stays."""
    return screen_inside(text, edits)


@knowing_clean
def edits(text: str) -> Sequence[Edit]:
    """The stage: what to change in a text."""
    raw = masked(searchable(text))
    found: list[Edit] = []
    for rules in _RULES:
        for rule, start, end in rules(raw):
            value = raw[start:end]
            if not value or "[withheld:" in value:
                continue
            found.append(Edit(start, end, f"[REDACTED:{rule}]", "credential", rule, (start, end)))
    return found


def _formats(text: str) -> Iterator[tuple[str, int, int]]:
    for index in sorted(_HINTED.Match(text.lower()) or ()):
        form = FORMATS[index]
        for match in form.pattern.finditer(text):
            for group in _GROUPS[index]:
                value = match.group(group)
                if value is not None and _counts(form.rule, value):
                    yield form.rule, *match.span(group)


def _counts(rule: str, value: str) -> bool:
    if rule in _ARMOURED:
        return True
    if is_placeholder(value) or (rule in _LOOSE and is_name(value)):
        return False
    if rule == "authorization-header" and value.endswith("=") and value[:-1].isalpha():
        # The first parameter of a scheme that has some: `OAuth realm="..."`.
        return False
    if rule == "aws-access-key" and "EXAMPLE" in value:
        return False
    return rule not in _NEEDS_RANDOM or any(looks_random(part) for part in _APART.split(value)[1:])


_RULES = (
    _formats,
    carried,
    in_accounts,
    in_tables,
    command_passwords,
    assigned,
    owned,
    in_sentences,
)
