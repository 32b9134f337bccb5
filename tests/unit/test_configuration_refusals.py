"""Wrong configurations and the sentence that each of them gets."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from orrery_knowledge.configuration.origins import Origin
from orrery_knowledge.configuration.refusals import refusal, unknown
from orrery_knowledge.errors import ConfigurationError
from orrery_knowledge.registry import BUILT_IN
from orrery_knowledge.runtime import build_embedder, build_index, build_ledger, build_sources
from orrery_knowledge.settings import load_settings, validate

JARGON = re.compile(
    r"Input should|validation error|Value error|type=|_Environment|\btuple\b|\bdict\b|pydantic|"
    r"Field required|NoneType|Extra inputs|input_value|<class|SecretStr",
    re.IGNORECASE,
)
YAML = " (YAML reads yes, no, on and off as true and false)"
TRUST = (
    "`trust: review` (each document waits for a reviewer) or `trust: reviewed` (whoever can change "
    "the source is trusted)"
)
SOURCE_KEYS = "corpus, exclude, id, max_bytes, path, paths, service, trust, type"
CORPORA = "`corpora: {runbooks: {sources: [{type: git, url: ., trust: reviewed}]}}`"
SOURCES = "`sources: [{type: git, url: ., trust: reviewed}]`"


def pg(options: str) -> str:
    return f"backend: {{type: pgvector, url: 'postgresql://h/d', {options}}}"


def git(options: str) -> str:
    return f"corpora:\n  a:\n    sources:\n      - {{type: git, trust: review, {options}}}\n"


def folder(options: str) -> str:
    return f"corpora:\n  a:\n    sources:\n      - {{type: filesystem, {options}}}\n"


# Text of the file -> the whole message after "orrery.yaml, line 1: ".
TOP = {
    "backendd: sqlite": "unknown key 'backendd'; did you mean 'backend'? known: backend, chunking, "
    "corpora, embedder, gaps, guard, identities, ledger, policy, root, search, state",
    "search: {topk: 3}": "unknown key 'search.topk'; did you mean 'top_k'? known: "
    "age_penalty, calibration, fusion, stale_after_days, top_k",
    "search: {1: 2}": "unknown key 'search.1'; known: age_penalty, calibration, fusion, "
    "stale_after_days, top_k",
    "corpora: {a: {source: []}}": "unknown key 'corpora.a.source'; did you mean 'sources'? known: "
    "sources",
    "embedder: {type: none, threads: 3}": "unknown key 'embedder.threads'; known: type",
    "embedder: {thread: 3}": "unknown key 'embedder.thread'; did you mean 'threads'? known: "
    "batch_size, model_dir, threads, type",
    "backend: {type: sqlite, url: x}": "unknown key 'backend.url'; known: path, type",
    pg("hnsw: {mm: 1}"): "unknown key 'backend.hnsw.mm'; known: ef_construction, m, "
    "max_scan_tuples, min_recall",
    "backend: {path: [1]}": "backend.path is a list; expected a path, for example `path: index.db`",
    "backend: pgvector": "backend.url is missing; expected text, for example "
    "`url: postgresql://user:password@host/database`",
    "backend: {type: pgvector, url: 'mysql://h'}": "backend.url: it must begin with postgresql://, "
    "for example `url: postgresql://user:password@host/database`",
    pg("schema: 'A B'"): "backend.schema is text; expected lower-case letters, digits and _, at "
    "most 63, with no digit first, for example `schema: orrery`",
    pg("schema_name: 5"): "backend.schema_name is a number; expected text (put it in quotes), for "
    "example `schema_name: orrery`",
    pg("hnsw: {m: 1}"): "backend.hnsw.m is 1; expected a whole number from 4 to 100, for example "
    "`m: 16`",
    pg("pool_size: yes"): "backend.pool_size is `true`; expected a whole number from 1 to 100, for "
    f"example `pool_size: 8`{YAML}",
    pg("connect_timeout_seconds: 0"): "backend.connect_timeout_seconds is 0; expected a number "
    "above 0 and of at most 600, for example `connect_timeout_seconds: 5.0`",
    "backend: {type: 5}": "backend.type is a number; expected text (put it in quotes), for example "
    "`backend: {type: sqlite}`",
    "backend: [sqlite]": "backend is a list; expected keys with values, for example "
    "`backend: {type: sqlite}`",
    "backend: sqlit": "there is no backend of type 'sqlit'; did you mean 'sqlite'? available: "
    + ", ".join(sorted(BUILT_IN["backends"])),
    "embedder: foo": "there is no embedder of type 'foo'; available: "
    + ", ".join(sorted([*BUILT_IN["embedders"], "none"])),
    "embedder: no": "embedder is `false`; expected keys with values, for example "
    f"`embedder: {{type: minilm}}`{YAML}",
    "embedder:": "embedder is empty; expected keys with values, for example "
    "`embedder: {type: minilm}`",
    "embedder: {type: minilm, threads: 0}": "embedder.threads is 0; expected a whole number from 1 "
    "to 256, for example `threads: 4`",
    "corpora: [a]": f"corpora is a list; expected keys with values, for example {CORPORA}",
    "corpora: {a: null}": f"corpora.a is empty; expected keys with values, for example {CORPORA}",
    "corpora: {a: {sources: {x: 1}}}": "corpora.a.sources is keys with values; expected a list, "
    f"for example {SOURCES}",
    "corpora: {a: {sources: [x]}}": "corpora.a.sources[0] is text; expected keys with values, for "
    f"example {SOURCES}",
    "corpora: {yes: {sources: []}}": "a key of corpora is `true`; expected text: put it in quotes",
    "corpora: {7: {sources: []}}": "a key of corpora is 7; expected text: put it in quotes",
    "search: {top_k: 51}": "search.top_k is 51; expected a whole number from 1 to 50, for example "
    "`top_k: 6`",
    "search: {top_k: 2.5}": "search.top_k is 2.5; expected a whole number from 1 to 50, for "
    "example `top_k: 6`",
    "search: {top_k: yes}": "search.top_k is `true`; expected a whole number from 1 to 50, for "
    f"example `top_k: 6`{YAML}",
    "search: {stale_after_days: 0}": "search.stale_after_days is 0; expected a whole number of at "
    "least 1, for example `stale_after_days: 180`",
    "chunking: {size: big}": "chunking.size is text; expected a whole number from 100 to 4000, for "
    "example `size: 800`",
    "policy: {max_delete_share: .nan}": "policy.max_delete_share is nan; expected a number from 0 "
    "to 1, for example `max_delete_share: 0.3`",
    "policy: {answer_from_approved_while_edit_pending: maybe}": "policy.answer_from_approved_"
    "while_edit_pending is text; expected true or false, for example "
    "`answer_from_approved_while_edit_pending: true`",
    "state: {a: b}": "state is keys with values; expected a path, for example `state: .orrery`",
    "ledger: 5": "ledger is a number; expected text (put it in quotes), for example "
    "`ledger: sqlite+aiosqlite:///.orrery/ledger.db`",
    "ledger: mysql://x": "the ledger's url must start with sqlite+aiosqlite:// or "
    "postgresql+psycopg://",
    "root: 5": "root is a number; expected a path, for example `root: .`",
}
# The same after "orrery.yaml, line 4: corpora.a.sources[0]".
SOURCE = {
    folder("path: ."): f" (a-1): add {TRUST}",
    folder("trust: yes"): f".trust must be {TRUST}, found `true`{YAML}",
    folder("trust: trusted"): f".trust must be {TRUST}, found `trusted`",
    folder("trust: "): f".trust must be {TRUST}, found nothing",
    folder("trust: [review]"): f".trust must be {TRUST}, found a list",
    git("paths: docs"): '.paths is text; expected a list, for example `paths: ["**/*.md"]`',
    git("paths: []"): ".paths is empty; expected a list of 1 or more, for example "
    '`paths: ["**/*.md"]`',
    git("paths: ['../x']"): ".paths: glob '../x': must stay inside the source, for example "
    '`paths: ["**/*.md"]`',
    git("paths: [a, 1, 2]"): ".paths[1] is a number; expected text (put it in quotes), for example "
    '`paths: ["**/*.md"]` (and 1 more)',
    git("max_bytes: 5MB"): ".max_bytes is text; expected a whole number above 0 and of at "
    "most 33554432, for example `max_bytes: 5242880`",
    git("id: 5"): ".id is a number; expected text (put it in quotes), for example `id: handbook`",
    git("id: 'a b'"): ".id is text; expected letters, digits, `.`, `_` and `-`, with a letter or "
    "digit first, for example `id: handbook`",
    git("service: ''"): ".service is empty; expected text of 1 or more characters, for example "
    "`service: payments`",
    git("service: 2024-01-01"): ".service is a date or something else that isn't text; expected "
    "text, for example `service: payments`",
    git("timeout: soon"): ".timeout is text; expected a number above 0, for example "
    "`timeout: 120.0`",
    git("ref: 'a..b'"): ".ref: ref must be the name of a branch or tag, or the sha of a commit, "
    "for example `ref: main`",
    folder("trust: review, path: ''"): ".path is empty; expected text of 1 or more characters, for "
    "example `path: ./wiki`",
    "corpora:\n  a:\n    sources:\n      - {typ: git}": ": add a line `type: filesystem` or "
    "`type: git` in place of `typ`",
    "corpora:\n  a:\n    sources:\n      - {type: [git]}": ".type must be a name, for example "
    "`type: filesystem` or `type: git`",
}
# The same after "orrery.yaml, line 4: ".
UNKNOWN = {
    folder("trst: review"): "unknown key 'corpora.a.sources[0].trst'; did you mean 'trust'? "
    f"known: {SOURCE_KEYS}",
    folder(
        "trust: review, url: ."
    ): f"unknown key 'corpora.a.sources[0].url'; known: {SOURCE_KEYS}",
    "corpora:\n  a:\n    sources:\n      - {type: gitt}": "there is no source of type 'gitt'; did "
    "you mean 'git'? available: filesystem, git",
}
CASES = (
    {text: f"orrery.yaml, line 1: {rest}" for text, rest in TOP.items()}
    | {text: f"orrery.yaml, line 4: corpora.a.sources[0]{rest}" for text, rest in SOURCE.items()}
    | {text: f"orrery.yaml, line 4: {rest}" for text, rest in UNKNOWN.items()}
)


def refused(work: Callable[[], object]) -> str:
    with pytest.raises(ConfigurationError) as caught:
        work()
    message = str(caught.value)
    assert "\n" not in message
    assert not JARGON.search(message), message
    assert caught.value.__cause__ is None  # `--debug` would print it
    return message


def use(file: Path) -> None:
    settings = load_settings(file)
    build_ledger(settings)
    build_embedder(settings)
    build_index(settings)
    build_sources(settings)


@pytest.mark.parametrize("text", CASES)
def test_a_wrong_configuration_is_told_where_what_and_how_to_mend_it(
    tmp_path: Path, text: str
) -> None:
    file = tmp_path / "orrery.yaml"
    file.write_text(text, encoding="utf-8")
    assert refused(lambda: use(file)) == CASES[text]


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 60


def test_the_line_is_that_of_the_key_itself(tmp_path: Path) -> None:
    file = tmp_path / "orrery.yaml"
    file.write_text(
        "embedder: none\ncorpora:\n  a:\n    sources:\n      - type: git\n        trust: review\n"
        "        paths: [docs]\n      - type: git\n        trust: review\n        paths: docs\n"
    )
    assert refused(lambda: use(file)) == (
        "orrery.yaml, line 10: corpora.a.sources[1].paths is text; expected a list, for example "
        '`paths: ["**/*.md"]`'
    )


# --- components of others -------------------------------------------------------------------------


class Ignoring(BaseModel):
    """A config that would take any key; pydantic's default."""

    workspace: str
    limit: int = 3
    mode: str | int | None = None

    @field_validator("workspace")
    @classmethod
    def _is_known(cls, value: str) -> str:
        if value == "custom":
            raise PydanticCustomError("ours", "there is no workspace of that name")
        if value == "empty":
            raise AssertionError
        return value


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


def ignoring(**values: object) -> str:
    return refused(lambda: validate(Ignoring, values, ("backend",)))


def test_a_key_that_a_model_would_ignore_is_refused() -> None:
    assert ignoring(workspace="x", limits=3) == (
        "unknown key 'backend.limits'; did you mean 'limit'? known: limit, mode, workspace"
    )
    assert validate(Open, {"anything": 1}, "backend").model_extra == {"anything": 1}


def test_a_missing_key_without_example_is_shown_as_a_line() -> None:
    assert ignoring() == "backend.workspace is missing; expected text, for example `workspace: ...`"


def test_what_a_check_of_others_says_is_kept_and_what_pydantic_says_is_not() -> None:
    assert ignoring(workspace="custom") == "backend.workspace: there is no workspace of that name"
    assert ignoring(workspace="empty") == "backend.workspace: this can't be used"


def test_branches_are_no_part_of_the_key() -> None:
    assert ignoring(workspace="x", mode={}) == (
        "backend.mode is keys with values; expected text (and 1 more)"
    )


class Strict(BaseModel):
    size: int = Field(default=3, multiple_of=3)


def test_a_field_without_limits_still_has_its_phrase() -> None:
    with pytest.raises(ValidationError) as caught:
        Strict(size=4)
    found = refusal(caught.value, Strict, {"size": 4}, (), Origin())
    assert str(found) == "size is 4; expected a multiple of 3, for example `size: 3`"


def test_an_unknown_name_lists_the_known_ones() -> None:
    assert unknown("key", "topk", ["top_k", "a"]) == (
        "unknown key 'topk'; did you mean 'top_k'? known: a, top_k"
    )
    assert unknown("key", "x", []) == "unknown key 'x'; known: none"
