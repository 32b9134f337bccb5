"""Who may do what: bearer tokens stand for identities, and identities have roles.

A token is 256 random bits, so a plain digest of it can't be guessed back; a slow hash is for words
that people choose. What is not allowed here is refused.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable

from orrery_knowledge.models import Model, Role

_RANK: dict[Role, int] = {"viewer": 0, "approver": 1, "admin": 2}


class Identity(Model):
    """Somebody who is known.

    Attributes:
        name: recorded with what they decide.
        role: a viewer reads; an approver also decides; an admin may do everything.
        agent: whether it is a program that acts by itself; such a one is never more than a viewer.
    """

    name: str
    role: Role
    agent: bool = False

    def may(self, role: Role) -> bool:
        """Whether this identity has a role, or one above it."""
        held: Role = "viewer" if self.agent else self.role
        return _RANK[held] >= _RANK[role]


class Identities:
    """Everybody who is configured.

    Args:
        known: pairs of an identity and the SHA-256 of its token, in hex. A name may have several.
    """

    def __init__(self, known: Iterable[tuple[Identity, str]] = ()) -> None:
        self._known = [(identity, digest.lower()) for identity, digest in known]

    @property
    def configured(self) -> bool:
        """Whether there are any: then nobody is believed without a token."""
        return bool(self._known)

    def of(self, token: str) -> Identity | None:
        """Whose token this is; None for nobody's. Takes as long for every token."""
        asked = token_digest(token)
        found = None
        for identity, digest in self._known:
            if hmac.compare_digest(asked, digest):
                found = identity
        return found


def new_token() -> str:
    """A token of 256 random bits, to be shown once."""
    return secrets.token_urlsafe(32)


def token_digest(token: str) -> str:
    """What is kept of a token: its SHA-256 in hex."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
