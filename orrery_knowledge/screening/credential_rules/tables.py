"""Tables with a column of secrets: Markdown, CSV and the like."""

from __future__ import annotations

from orrery_knowledge.screening.credential_rules.assignments import Found
from orrery_knowledge.screening.credential_rules.shapes import is_chosen, jumbled
from orrery_knowledge.screening.patterns import compiled
from orrery_knowledge.screening.placeholders import is_placeholder, is_uuid, looks_random

_NAME = (
    r"(?:\w+[ _-]){0,2}(?:password|passwort|kennwort|passwd|pwd|pw|passphrase|passcode|pin|psk"
    r"|mot de passe|contraseña|senha|wachtwoord|hasło|пароль|密码|パスワード"
    r"|secret(?:[ _](?:access[ _])?key)?|token|api[ _-]?key|credentials?|login)(?: \(\w{1,20}\))?"
    r"|\w{0,30}(?:Password|Token|Secret|SecretKey|_key)"
)
_COLUMN = compiled(rf"(?i)^(?:{_NAME})$")
_HEAD = compiled(
    rf"(?im)(?:^|[|,;\t]|  )[ \t*`\"'_>]{{0,8}}(?:{_NAME})[ \t*`\"'_]{{0,24}}(?:[|,;\t\r]|  |$)"
)
_WIDE = compiled(r"\S+(?: \S+)*")
_DELIMITERS = ("|", ",", ";", "\t")


def in_tables(text: str) -> Found:
    """Cells below a head that names a secret."""
    head = _HEAD.search(text)
    if head is None:
        return
    start = text.rfind("\n", 0, head.start() + 1) + 1
    for delimiter in _DELIMITERS:
        if delimiter in text:
            yield from _table(text, start, delimiter)
    yield from _columns(text, start)


def _table(text: str, position: int, delimiter: str) -> Found:
    """Below such a head; a row has as many cells as its head."""
    heads: dict[int, str] = {}
    width = 0
    for line in text[position:].split("\n"):
        cells = line.split(delimiter) if delimiter in line else []
        if len(cells) != width or not heads:
            heads, width = _heads(cells, delimiter), len(cells)
        else:
            offset = position
            for index, cell in enumerate(cells):
                value = cell.strip(" \t*`\"'_\r>")
                if index in heads and _is_cell(heads[index], value):
                    start = offset + cell.index(value)
                    yield "table-password", start, start + len(value)
                offset += len(cell) + 1
        position += len(line) + 1


def _columns(text: str, position: int) -> Found:
    """The same with columns that are aligned by spaces; a cell begins where its head does."""
    heads: dict[int, str] = {}
    for line in text[position:].split("\n"):
        found = {
            match.start(): match.group()
            for match in _WIDE.finditer(line)
            if _COLUMN.match(match.group())
        }
        if found and len(_WIDE.findall(line)) >= 2:
            heads = found
        elif not line.strip():
            heads = {}
        else:
            for match in _WIDE.finditer(line):
                if match.start() in heads and _is_cell(heads[match.start()], match.group()):
                    yield "table-password", position + match.start(), position + match.end()
        position += len(line) + 1


def _heads(cells: list[str], delimiter: str) -> dict[int, str]:
    """Which columns hold secrets, if this line is the head of a table."""
    shown = [cell.strip(" \t*`\"'_>\r") for cell in cells]
    filled = [cell for cell in shown if cell] if delimiter == "|" else shown
    if len(filled) < 2 or not all(0 < len(cell) <= 40 for cell in filled):
        return {}
    return {index: cell for index, cell in enumerate(shown) if _COLUMN.match(cell)}


def _is_cell(head: str, value: str) -> bool:
    if is_placeholder(value) or len(value) < 4 or is_uuid(value):
        return False
    low = head.lower()
    if low == "pin":
        return value.isdigit()
    if any(word in low for word in ("secret", "token", "key", "login", "credential")):
        return looks_random(value) or jumbled(value)
    return is_chosen(value)
