"""Every error that the library raises on purpose, in one tree.

::

    KnowledgeError
    ├── ConfigurationError        the user's settings are wrong; the message says how to mend them
    │   ├── KnowledgeOff          nothing is configured: knowledge is off
    │   └── MissingExtra          a package is not installed; the message names the extra
    ├── SourceError               a source cannot be listed or read
    │   └── DocumentError         one document of a source cannot be read or is not valid
    │       └── NoText            it holds no text: it is passed over, and blocks nothing
    ├── EmbedderError             vectors could not be computed
    ├── BackendUnavailable        the index or ledger does not answer           (retryable)
    │   └── LedgerBehind          the ledger lacks decisions that the index has applied
    ├── LoadError
    │   ├── SyncRunning           another sync holds the lock                   (retryable)
    │   ├── Superseded            the active load moved while this one was built
    │   ├── LoadsHeld             a rollback holds the pointer until `loads resume`
    │   ├── CheckFailed           the candidate load failed its checks; nothing was activated
    │   └── UnknownLoad           no load of that number, or one that can't be activated
    ├── StaleDecision             a decision names what is not (or no longer) there
    ├── Forbidden                 whoever asks may not do that
    └── InvalidPayload            what was sent is no Alertmanager webhook

Messages are for people: they carry no SQL, no secret and no text of a document.
"""

from __future__ import annotations

from typing import ClassVar


class KnowledgeError(Exception):
    """The root of every error of this library.

    Attributes:
        retryable: whether the same call may succeed later without a change by the user.
        exit_code: what the command line exits with (see ``docs/reference/cli.md``).
    """

    retryable: ClassVar[bool] = False
    exit_code: ClassVar[int] = 1


class ConfigurationError(KnowledgeError):
    """The settings are wrong or incomplete."""

    exit_code = 2


class KnowledgeOff(ConfigurationError):
    """No backend is configured, so knowledge is off."""


class MissingExtra(ConfigurationError):
    """An optional package is not installed.

    Args:
        extra: the extra of ``orrery-knowledge`` that brings it.
        package: the module that could not be imported.
    """

    def __init__(self, extra: str, package: str) -> None:
        super().__init__(
            f"{package} is not installed; run: pip install 'orrery-knowledge[{extra}]'"
        )
        self.extra = extra
        self.package = package


class SourceError(KnowledgeError):
    """A source cannot be listed or read."""


class DocumentError(SourceError):
    """One document cannot be read or is not valid."""


class NoText(DocumentError):
    """An entry turned out to be no text at all; like one that its source skips."""


class EmbedderError(KnowledgeError):
    """Vectors could not be computed."""


class BackendUnavailable(KnowledgeError):
    """The index or the ledger does not answer."""

    retryable = True
    exit_code = 3


class LedgerBehind(BackendUnavailable):
    """The ledger lacks decisions that the index has applied, so the index must not answer."""

    retryable = False


class LoadError(KnowledgeError):
    """A load could not be built, activated or found."""


class SyncRunning(LoadError):
    """Another sync holds the lock."""

    retryable = True
    exit_code = 4


class Superseded(LoadError):
    """The active load moved while this one was being built."""

    exit_code = 4


class LoadsHeld(LoadError):
    """A rollback holds the pointer until ``loads resume``."""


class CheckFailed(LoadError):
    """The candidate load failed its checks; the active load did not change."""


class UnknownLoad(LoadError):
    """There is no load of that number, or it can't be activated."""

    exit_code = 5


class StaleDecision(KnowledgeError):
    """A decision names a document and digest that is not what lies there now."""

    exit_code = 5


class Forbidden(KnowledgeError):
    """Whoever asks may not do that."""


class InvalidPayload(KnowledgeError):
    """What was sent is no Alertmanager webhook."""

    exit_code = 2
