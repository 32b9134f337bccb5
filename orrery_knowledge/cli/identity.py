"""Who is at the keyboard: a name that is only said, or the owner of a token."""

from __future__ import annotations

import os

from orrery_knowledge.configuration.environment import TOKEN
from orrery_knowledge.errors import ConfigurationError, Forbidden
from orrery_knowledge.reviewing import Reviewer
from orrery_knowledge.runtime import build_identities
from orrery_knowledge.settings import Settings


def who(settings: Settings, name: str | None) -> Reviewer:
    """Whoever decides on the command line.

    Without identities anybody is whom they say they are, and the ledger says that nobody has
    checked it. Once there are identities that way is closed.

    Args:
        settings: with the identities.
        name: as given with ``--reviewer``.

    Raises:
        ConfigurationError: no name, or a name where a token is needed.
        Forbidden: the token is nobody's.
    """
    identities = build_identities(settings)
    token = os.environ.get(TOKEN, "")
    if not identities.configured:
        if token:
            raise ConfigurationError(f"{TOKEN} is set, but no identities are configured")
        if name is None or not name.strip():
            raise ConfigurationError("say who decides: --reviewer NAME")
        return Reviewer(name=name, role="approver")
    if name is not None:
        raise ConfigurationError(
            f"identities are configured, so a name is not enough: put your token into {TOKEN} and "
            "leave --reviewer out"
        )
    if not token:
        raise ConfigurationError(f"identities are configured: put your token into {TOKEN}")
    identity = identities.of(token)
    if identity is None:
        raise Forbidden(f"the token in {TOKEN} is nobody's")
    return Reviewer(**identity.model_dump(), verified=True)
