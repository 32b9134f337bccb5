"""Tool results as plain trees: whatever a tool returned becomes dicts, lists and scalars.

ADK declares a dict and delivers anything: strings, lists, pydantic objects, bytes, media parts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from google.genai import types
from pydantic import BaseModel
from pydantic_core import to_jsonable_python

Tree = dict[str, Any]
MAX_DEPTH = 60


class TooDeep(ValueError):
    """A result is nested deeper than anything honest (or contains itself)."""


def normalise(result: object) -> Tree:
    """Return a fresh, JSON-able dict of whatever a tool returned.

    A value that isn't a dict is put under ``result``, as ADK does it. Bytes and media become
    markers: what can't be read can't be screened.

    Raises:
        TooDeep: the result is nested deeper than `MAX_DEPTH`.
    """
    plain = _plain(result, 0)
    return plain if isinstance(plain, dict) else {"result": plain}


def withheld(reason: str) -> Tree:
    """What stands in for a result that the guard does not let through."""
    return {"status": "withheld", "reason": reason}


def replace(result: dict[Any, Any], tree: Tree) -> None:
    """Give a dict new content in place: later plugins and callbacks hold the same object."""
    result.clear()
    result.update(tree)


def map_strings(value: Any, change: Callable[[str], str]) -> Any:
    """Return a copy of a plain tree with `change` applied to every string, keys included."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [map_strings(item, change) for item in value]
    if isinstance(value, dict):
        return _keyed((change(key), map_strings(item, change)) for key, item in value.items())
    return value


def passages_of(tree: Tree) -> list[Tree] | None:
    """The passages when the tree is a search result, else None."""
    passages = tree.get("passages")
    if not isinstance(passages, list):
        return None
    if not all(isinstance(item, dict) and isinstance(item.get("text"), str) for item in passages):
        return None
    return passages


def citations_of(tree: object) -> list[str]:
    """Citations of a search result's passages, in order; none for any other result."""
    passages = passages_of(tree) if isinstance(tree, dict) else None
    cited = (passage.get("citation") for passage in passages or ())
    return [citation for citation in cited if isinstance(citation, str)]


def dropped(given: Sequence[str], tree: Tree) -> list[str]:
    """Those of the given citations whose passages are in the tree no more.

    A citation that a stage rewrote is still there: no more are dropped than passages are missing.
    """
    kept = citations_of(tree)
    missing = [citation for citation in given if citation not in kept]
    return missing[len(missing) - max(len(given) - len(kept), 0) :]


def size(value: Any) -> int:
    """Characters of a plain value as JSON, the form in which a model gets it."""
    return len(json.dumps(value, ensure_ascii=False))


def _plain(value: object, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise TooDeep("the result is nested too deeply")
    if value is None or type(value) in (bool, int):
        return value
    if isinstance(value, str):
        # A lone surrogate can't be encoded: neither patterns nor session stores would take it.
        return str.__str__(value).encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return f"[{memoryview(value).nbytes} bytes, not shown]"
    if isinstance(value, types.Part):
        return _part(value, depth)
    if isinstance(value, BaseModel):
        # Python mode: in JSON mode bytes would come out as base64 text.
        return _plain(value.model_dump(exclude_none=True, warnings=False), depth)
    if is_dataclass(value) and not isinstance(value, type):
        return _plain({field.name: getattr(value, field.name) for field in fields(value)}, depth)
    if isinstance(value, Mapping):
        return _keyed((_key(key), _plain(item, depth + 1)) for key, item in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item, depth + 1) for item in value]
    if isinstance(value, Iterator):
        return _name_only(value)
    # Dates, enums, paths, UUIDs, ... An unknown type is only named: its text may come from
    # anywhere, and asking for it runs code.
    return _plain(to_jsonable_python(value, fallback=_name_only), depth + 1)


def _part(part: types.Part, depth: int) -> Any:
    if part.text is not None:
        return part.text
    if part.function_response is not None:
        return _plain(part.function_response.response, depth + 1)
    if part.inline_data is not None:
        blob = part.inline_data
        return f"[{blob.mime_type or 'media'}, {len(blob.data or b'')} bytes, not shown]"
    shown = sorted(name for name, value in part if value is not None)
    return f"[part with {', '.join(shown) or 'nothing'}, not shown]"


def _key(key: object) -> str:
    if isinstance(key, str | int | float | bool):
        return str(_plain(key, 0))
    return str(to_jsonable_python(key, fallback=_name_only))


def _name_only(value: object) -> str:
    return f"[{type(value).__name__}, not shown]"


def _keyed(items: Iterator[tuple[str, Any]]) -> Tree:
    """Build a dict that loses nothing when two keys have become one (both were redacted)."""
    tree: Tree = {}
    for key, value in items:
        name, number = key, 2
        while name in tree:
            name, number = f"{key} ({number})", number + 1
        tree[name] = value
    return tree
