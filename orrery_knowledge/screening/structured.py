"""Credentials in structured results, where the name of a value stands in a key beside it.

What a secret's name is, and what only looks like a secret, is decided in one place: a name and its
value are put together as a line of JSON and go through the rules for texts. This module only finds
out which name belongs to a value: its key, the name in a pair (``{"name": ..., "value": ...}``),
the key of the list or dict that it lies in, the head of its column, the item before it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import Any

from orrery_knowledge.models import PersonalKind
from orrery_knowledge.screening.credential_rules.names import KEYWORD, is_setting, parts
from orrery_knowledge.screening.credentials import redact_credentials
from orrery_knowledge.screening.findings import Finding, Screened, word_set
from orrery_knowledge.screening.patterns import compiled
from orrery_knowledge.screening.personal import PERSONAL_KINDS, redact_personal
from orrery_knowledge.screening.placeholders import is_name, is_placeholder, looks_random
from orrery_knowledge.screening.remembering import remembering

Note = Callable[[Sequence[Finding]], None]

_SECRET_NAME = compiled(rf"(?i){KEYWORD}|authorization")
_NAMES = ("name", "key", "k", "variable", "header", "field", "parameter", "property", "setting")
_VALUES = word_set(
    "value values val data content contents text string plaintext raw current default"
    " secretstring securevalue defaultvalue v s plain plainvalue cleartext decoded"
)
"""Keys that say nothing of what they hold: the name beside or above them counts."""
_OTHER = compiled(
    r"(?i)(?:.*[_.-])?(?:user|username|login|account|host|hostname|url|uri|port"
    r"|database|db_?name|email|region|id)"
)
"""Names of what stands beside a secret and is none."""
_COLUMNS = word_set("columns header headers fields names")
_ROWS = word_set("rows data values records items")
_ORDINARY = word_set(
    "passage passages passed passes passing passenger passengers passive bypass compass author"
    " authors authored monkey keyboard keyword keywords tokenizer tokenized"
)
"""Words that only hold the letters of one that names a secret; `passages` names search results."""
_MAX_NAME = 200
_MAX_JSON = 1_000_000
_MIN_SECRET = 4
_MIN_NUMBER, _MAX_NUMBER = 6, 40


def redact_tree(tree: Any, note: Note, kinds: Collection[PersonalKind] = PERSONAL_KINDS) -> Any:
    """Return a copy of a plain tree (dicts, lists, scalars) without the credentials in it.

    Numbers of persons that only their key tells (a phone, an id) go as well.

    Text that is JSON is read as a tree too, and written anew where something in it went.

    Args:
        tree: at most as deep as Python's recursion allows.
        note: gets the findings of each string.
        kinds: of personal data that go.
    """
    return _Walk(note, kinds).value(tree, None)


class _Walk:
    """One pass over one tree; the same string under the same name is looked at once."""

    def __init__(self, note: Note, kinds: Collection[PersonalKind]) -> None:
        self._kinds = kinds
        self._note = note
        self._text = _TEXT
        self._named = _NAMED

    def value(self, value: Any, name: str | None) -> Any:
        if isinstance(value, str):
            return self._string(value, name)
        if isinstance(value, dict):
            return self._dict(value, name)
        if isinstance(value, list):
            return self._list(value, name)
        if name is not None and isinstance(value, int) and not isinstance(value, bool):
            shown = self._screen(self._named(name, str(value)))
            return value if shown == str(value) else shown
        return value

    def _person(self, name: str, value: Any) -> Any:
        """A number of a person, which is known by the name beside it: ``{"ssn": 219099999}``."""
        if isinstance(value, bool) or not isinstance(value, str | int):
            return value
        text = str(value)
        if not _MIN_NUMBER <= len(text) <= _MAX_NUMBER:
            return value
        if sum(char.isdigit() for char in text) < _MIN_NUMBER:
            return value
        head = f"{name}: "
        screened = redact_personal(head + text, self._kinds)
        if not screened.findings or not screened.text.startswith(head):
            return value
        return self._screen(screened)[len(head) :]

    def _screen(self, screened: Screened) -> str:
        self._note(screened.findings)
        return screened.text

    def _string(self, text: str, name: str | None) -> str:
        text = self._screen(self._text(text))
        if name is not None:
            text = self._screen(self._named(name, text))
        if text[:200].lstrip()[:1] in ("{", "[") and len(text) <= _MAX_JSON:
            try:
                inner = json.loads(text)
                clean = self.value(inner, name)
            except (ValueError, RecursionError):
                return text
            if clean != inner:
                return json.dumps(clean, ensure_ascii=False, indent=2 if "\n" in text else None)
        return text

    def _dict(self, tree: dict[str, Any], name: str | None) -> dict[str, Any]:
        pair = _pair_name(tree)
        secret = tree.get("kind") == "Secret"
        columns = _columns(tree)
        clean: dict[str, Any] = {}
        for key, value in tree.items():
            low = key.lower()
            if secret and low in ("data", "stringdata") and isinstance(value, dict):
                value = {inner: self._kubernetes(item) for inner, item in value.items()}
            if columns and low in _ROWS and isinstance(value, list):
                value = [self._row(row, columns) for row in value]
            own = self._own_name(key, low, pair, name)
            value = self._person(pair or key if low in _VALUES else key, value)
            shown = self._screen(self._text(key))
            number = 2
            while shown in clean:
                shown, number = f"{self._screen(self._text(key))} ({number})", number + 1
            clean[shown] = self.value(value, own)
        return clean

    @staticmethod
    def _own_name(key: str, low: str, pair: str | None, name: str | None) -> str | None:
        """The name under which the rules see the value of a key; None where it has none."""
        if low in _VALUES:
            # {"secret": {"name": "db", "value": ...}}: then the name is only that of its owner.
            owner = pair is None or not (is_secret_name(pair) or _OTHER.fullmatch(pair))
            own = name if owner else pair
        elif name is not None and name.lower().endswith("s") and not is_setting(key):
            # {"passwords": {"alice": ...}}: the keys are owners.
            own = key if is_secret_name(key) else name
        else:
            own = key
        return own if own and is_secret_name(own) else None

    def _list(self, items: list[Any], name: str | None) -> list[Any]:
        clean = []
        before: Any = None
        for item in items:
            named = _follows(before, item, pair=len(items) == 2)
            clean.append(self.value(item, before.lstrip("-") if named else name))
            before = item
        return clean

    def _row(self, row: Any, columns: list[str]) -> Any:
        if not isinstance(row, list) or len(row) != len(columns):
            return row
        return [
            self.value(item, column if is_secret_name(column) else None)
            for item, column in zip(row, columns, strict=True)
        ]

    def _kubernetes(self, item: Any) -> Any:
        if not isinstance(item, str) or len(item) < _MIN_SECRET or is_placeholder(item):
            return item
        if "[REDACTED:" in item:
            return item
        marker = "[REDACTED:kubernetes-secret]"
        self._note(
            [
                Finding(
                    kind="credential",
                    rule="kubernetes-secret",
                    line=1,
                    start=0,
                    end=len(item),
                    preview=f"kubernetes-secret: {len(item)} characters",
                )
            ]
        )
        return marker


@lru_cache(maxsize=4_096)
def is_secret_name(name: str) -> bool:
    """Whether the rules need to see a value together with this name."""
    if len(name) > _MAX_NAME or not _SECRET_NAME.search(name):
        return False
    words = parts(name)
    return not words or any(_SECRET_NAME.search(word) for word in words if word not in _ORDINARY)


def _follows(before: Any, item: Any, *, pair: bool) -> bool:
    """Whether an item of a list is the value of the one before it.

    That is an option and its argument, a pair of a header and its value, or names and values in
    turns; a list of names ("id", "password", "created_at") is none of them.
    """
    if not isinstance(before, str) or not isinstance(item, str):
        return False
    if not is_secret_name(before) or any(char.isspace() for char in before):
        return False
    return before.startswith("-") or (pair and not is_name(item)) or looks_random(item)


def redact_named(name: str, value: str) -> Screened:
    """Screen a value as it stands behind its name; the findings' offsets are those of the line."""
    # A label may end as one: ``{"password:": "..."}``.
    head = json.dumps(" ".join(name.split()).rstrip(" :=?").replace(" ", "_"))
    screened = redact_credentials(f"{head}: {json.dumps(value, ensure_ascii=False)}")
    if not screened.findings:
        return Screened(text=value)
    try:
        clean = json.loads("{" + screened.text + "}")
        (shown,) = clean.values()
    except ValueError:
        shown = None
    # An edit that tore an escape apart leaves no JSON: then nothing of the value is sure.
    text = shown if isinstance(shown, str) else f"[REDACTED:{screened.findings[0].rule}]"
    return screened.model_copy(update={"text": text})


_TEXT = remembering(redact_credentials)
_NAMED = remembering(redact_named)


def _pair_name(tree: dict[str, Any]) -> str | None:
    """The name that a dict gives to the value beside it."""
    if len(tree) < 2:
        return None
    low = {key.lower(): value for key, value in tree.items()}
    if not _VALUES & low.keys():
        return None
    for key in _NAMES:
        if isinstance(low.get(key), str):
            return str(low[key])
    return None


def _columns(tree: dict[str, Any]) -> list[str] | None:
    """The heads of a table that lies in a dict as a list of names beside a list of rows."""
    for key, value in tree.items():
        if key.lower() in _COLUMNS and isinstance(value, list):
            names = [item.get("name") if isinstance(item, dict) else item for item in value]
            if names and all(isinstance(item, str) for item in names):
                return [str(item) for item in names]
    return None
