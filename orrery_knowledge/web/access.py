"""Who asks over HTTP, and what they may: every route but health says which role it takes."""

from __future__ import annotations

from fastapi import Request

from orrery_knowledge.governance.identities import Identities
from orrery_knowledge.models import Role
from orrery_knowledge.reviewing import Reviewer
from orrery_knowledge.web.bodies import Refused

_LOCAL = Reviewer(name="local", role="viewer")
"""Whoever asks where nobody is known: on this machine alone, and only to read."""


class Needs:
    """A dependency of a route: the identity that asks, if it has the role.

    Args:
        role: or one above it.
    """

    def __init__(self, role: Role) -> None:
        self.role = role

    def __call__(self, request: Request) -> Reviewer:
        """Whose token came with the request.

        Raises:
            Refused: with 401 nobody's, with 403 one that may not do this.
        """
        identities: Identities = request.app.state.identities
        asks = _identity(request, identities) if identities.configured else _LOCAL
        if asks.may(self.role):
            return asks
        if not identities.configured:
            raise Refused(403, f"this takes an {self.role}, and no identities are configured")
        raise Refused(403, f"this takes an {self.role}")


def _identity(request: Request, identities: Identities) -> Reviewer:
    given = request.headers.getlist("authorization")
    scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    found = identities.of(token.strip()) if scheme.casefold() == "bearer" else None
    if found is None:
        raise Refused(401, "a bearer token of a configured identity is needed")
    return Reviewer(**found.model_dump(), verified=True)
