"""Finds sources, backends and embedders by the name that the configuration gives.

First the table below (imported on first use), then entry points of installed packages in the group
``orrery_knowledge.<kind>``, filtered by name before any is loaded: a package that the configuration
doesn't mention is never imported.

A component is a class with an attribute ``Config``, a pydantic model of its settings (a key that it
doesn't know is refused, unless it says ``extra="allow"``):

* source: ``Class(config, *, root, state)``
* backend: ``Class(config, *, state)``
* embedder: ``Class(config)``

A backend that sync fills also has ``Class.private(config, *, state)``, an index that nobody else
sees, and ``destroy()``, which deletes it: evaluations work on one of those.

``root`` is the folder of the configuration file, ``state`` the folder of what we write. A relative
path of an embedder's settings counts from ``root``: it is made absolute before the class is built.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Literal

from orrery_knowledge.errors import ConfigurationError, MissingExtra

Kind = Literal["sources", "backends", "embedders"]

BUILT_IN: dict[Kind, dict[str, str]] = {
    "sources": {
        "filesystem": "orrery_knowledge.sources.filesystem:FilesystemSource",
        "git": "orrery_knowledge.sources.git:GitSource",
    },
    "backends": {
        "pgvector": "orrery_knowledge.backends.pgvector.index:PgVectorIndex",
        "sqlite": "orrery_knowledge.backends.sqlite.index:SqliteIndex",
    },
    "embedders": {
        "minilm": "orrery_knowledge.embedders.minilm:MiniLMEmbedder",
    },
}

NO_EMBEDDER = "none"
"""The type of embedder that there is none of: search goes by words alone."""

EXTRAS = {"minilm": "minilm", "pgvector": "pgvector"}
"""Component name -> the extra that installs what its module imports."""


def load_component(kind: Kind, name: str) -> Any:
    """The class registered under a name.

    Raises:
        ConfigurationError: nobody offers that name; the message lists those that exist.
        MissingExtra: its packages are not installed.
    """
    target = BUILT_IN[kind].get(name)
    if target is None:
        offered = entry_points(group=f"orrery_knowledge.{kind}")
        match = next((point for point in offered if point.name == name), None)
        if match is None:
            known = {*BUILT_IN[kind], *(point.name for point in offered)}
            if kind == "embedders":
                known.add(NO_EMBEDDER)
            near = get_close_matches(name, sorted(known), n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ";"
            raise ConfigurationError(
                f"there is no {kind[:-1]} of type {name!r}{hint} available: "
                f"{', '.join(sorted(known))}"
            )
        target = match.value
    module, _, attribute = target.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        missing = error.name or module
        if name in EXTRAS and not missing.startswith("orrery_knowledge"):
            raise MissingExtra(EXTRAS[name], missing) from error
        raise ConfigurationError(f"{kind[:-1]} {name!r} needs the module {missing}") from error
    except ImportError as error:
        raise ConfigurationError(f"{kind[:-1]} {name!r} can't be imported: {error}") from error
    except AttributeError as error:
        raise ConfigurationError(f"{kind[:-1]} {name!r}: {target} does not exist") from error
