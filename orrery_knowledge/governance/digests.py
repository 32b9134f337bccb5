"""SHA-256 over exactly what a reader would see; what a review binds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def framed_digest(kind: str, *fields: str) -> str:
    """SHA-256 in hex over fields that are each preceded by their length.

    The lengths make it injective: no two different lists of fields give the same bytes, whatever
    separators they contain. `kind` keeps digests of different things apart.
    """
    digest = hashlib.sha256()
    for field in (kind, *fields):
        # A str may hold lone surrogates (undecodable file names); they must hash, and differ.
        data = field.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


def canonical_text(text: str) -> str:
    r"""The text without what no reader sees: a byte order mark in front, the kind of line ends.

    Nothing else is folded, Unicode forms included: two texts that differ in a look-alike are two
    texts, and one review must not cover both.
    """
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def canonical_json(value: Mapping[str, Any]) -> str:
    """JSON with sorted keys and no spaces; equal for equal mappings whatever their order."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def document_digest(body: str, governing: Mapping[str, Any]) -> str:
    """Digest of a document version: body plus the metadata that governs it.

    Args:
        body: the text without front matter.
        governing: see `DocumentMetadata.governing`; JSON types only.

    Returns:
        64 hex digits.
    """
    return framed_digest("orrery-document-1", canonical_text(body), canonical_json(governing))


def query_digest(query: str) -> str:
    """Digest that stands for a query where its words must not be kept. 64 hex digits."""
    return framed_digest("orrery-query-1", query)
