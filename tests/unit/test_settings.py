from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orrery_knowledge.errors import ConfigurationError, KnowledgeOff
from orrery_knowledge.runtime import build_embedder, build_index, build_ledger, build_sources
from orrery_knowledge.settings import Component, Settings, default_settings, load_settings

SECRET = "hunter2-correct-horse"
Load = Callable[[str], Settings]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def write_and_load(text: str) -> Settings:
        file = tmp_path / "orrery.yaml"
        file.write_text(text, encoding="utf-8")
        return load_settings(file)

    return write_and_load


@pytest.fixture
def in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(work: Callable[[], Any]) -> str:
    """The message of a refusal: one line, and no secret in it."""
    with pytest.raises(ConfigurationError) as caught:
        work()
    message = str(caught.value)
    assert "\n" not in message
    assert SECRET not in message
    # What stands in `__cause__` would be printed by `--debug`.
    assert caught.value.__cause__ is None
    return message


def test_defaults(load: Load) -> None:
    found = load("")
    assert (found.backend.type, found.embedder.type) == ("sqlite", "minilm")
    assert (found.chunking.size, found.search.top_k, found.search.stale_after_days) == (800, 6, 180)
    assert found.policy.answer_from_approved_while_edit_pending is True
    assert found.policy.max_delete_share == 0.3
    assert found.corpora == {}


def test_relative_paths_count_from_the_file(load: Load, tmp_path: Path) -> None:
    found = load("state: .kept\n")
    assert found.root == tmp_path
    assert found.state_folder == tmp_path / ".kept"


def test_the_default_file_is_found(in_empty_folder: Path) -> None:
    (in_empty_folder / "orrery.yaml").write_text("search: {top_k: 9}\n")
    assert load_settings().search.top_k == 9
    assert load_settings().root == in_empty_folder.resolve()


# --- off ------------------------------------------------------------------------------------------


def test_without_file_and_backend_knowledge_is_off(in_empty_folder: Path) -> None:
    with pytest.raises(KnowledgeOff) as caught:
        load_settings()
    message = str(caught.value)
    assert message.startswith("knowledge is off")
    assert "orrery.example.yaml" in message
    assert "ORRERY_KNOWLEDGE_BACKEND" in message


def test_options_alone_turn_nothing_on_and_say_what_would(
    in_empty_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORRERY_KNOWLEDGE_BACKEND__PATH", "x.db")
    monkeypatch.setenv("ORRERY_KNOWLEDGE_BACKEND", "")
    with pytest.raises(KnowledgeOff) as caught:
        load_settings()
    assert str(caught.value) == (
        "knowledge is off: ORRERY_KNOWLEDGE_BACKEND__PATH is set, but no backend is named; set "
        "ORRERY_KNOWLEDGE_BACKEND=sqlite too"
    )


def test_a_misspelt_variable_is_no_silent_off(
    in_empty_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORRERY_KNOWLEDGE_BACKND", "sqlite")
    message = refused(load_settings)
    assert message == (
        "environment: unknown variable 'ORRERY_KNOWLEDGE_BACKND'; did you mean "
        "'ORRERY_KNOWLEDGE_BACKEND'?"
    )


def test_something_else_in_place_of_the_default_file_is_no_silent_off(
    in_empty_folder: Path,
) -> None:
    (in_empty_folder / "orrery.yaml").symlink_to("gone.yaml")
    assert refused(load_settings) == "orrery.yaml can't be read: No such file or directory"
    (in_empty_folder / "orrery.yaml").unlink()
    (in_empty_folder / "orrery.yaml").mkdir()
    assert refused(load_settings) == "the configuration file orrery.yaml is a folder"


def test_without_a_file_the_environment_is_checked_too(
    in_empty_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert default_settings().search.top_k == 6
    monkeypatch.setenv("ORRERY_KNOWLEDGE_SEARCH__TOP_K", "0")
    assert "search.top_k is text" in refused(default_settings)


def test_a_named_file_must_be_there(tmp_path: Path) -> None:
    missing = tmp_path / "no.yaml"
    assert "no.yaml" in refused(lambda: load_settings(missing))


# --- environment ----------------------------------------------------------------------------------


def test_a_bare_name_turns_it_on(in_empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORRERY_KNOWLEDGE_BACKEND", "sqlite")
    found = load_settings()
    assert (found.backend.type, found.backend.options()) == ("sqlite", {})
    assert found.root == in_empty_folder


def test_nested_names_add_options(in_empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORRERY_KNOWLEDGE_BACKEND", "sqlite")
    monkeypatch.setenv("ORRERY_KNOWLEDGE_BACKEND__PATH", "other.db")
    found = load_settings()
    assert found.backend.options() == {"path": "other.db"}
    assert vars(build_index(found))["path"] == in_empty_folder / ".orrery" / "other.db"


def test_the_environment_wins(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORRERY_KNOWLEDGE_SEARCH__TOP_K", "3")
    monkeypatch.setenv("ORRERY_KNOWLEDGE_EMBEDDER", "none")
    monkeypatch.setenv("ORRERY_KNOWLEDGE_STATE", "elsewhere")
    found = load("search: {top_k: 9, stale_after_days: 30}\nembedder: {type: minilm}\n")
    assert (found.search.top_k, found.search.stale_after_days) == (3, 30)
    assert found.embedder.type == "none"
    assert build_embedder(found) is None
    assert found.state_folder.name == "elsewhere"


def test_an_option_of_the_same_type_is_kept(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORRERY_KNOWLEDGE_BACKEND", "sqlite")
    assert load("backend: {type: sqlite, path: x.db}").backend.options() == {"path": "x.db"}


def test_one_option_can_be_replaced(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORRERY_KNOWLEDGE_BACKEND__PATH", "y.db")
    found = load("backend: {type: sqlite, path: x.db}")
    assert (found.backend.type, found.backend.options()) == ("sqlite", {"path": "y.db"})


def test_another_type_leaves_the_options_of_the_first_behind(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bare name means `{type: name}`: the URL of another backend is none of its options."""
    monkeypatch.setenv("ORRERY_KNOWLEDGE_BACKEND", "sqlite")
    found = load(f"backend: {{type: pgvector, url: 'postgres://u:{SECRET}@h/d'}}")
    assert (found.backend.type, found.backend.options()) == ("sqlite", {})
    build_index(found)


def test_an_empty_variable_is_none(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORRERY_KNOWLEDGE_BACKEND", "")
    monkeypatch.setenv("ORRERY_KNOWLEDGE_CHUNKING__SIZE", "")
    found = load("chunking: {size: 300}")
    assert (found.backend.type, found.chunking.size) == ("sqlite", 300)


def test_json_is_taken_too(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORRERY_KNOWLEDGE_BACKEND", '{"type": "sqlite", "path": "j.db"}')
    assert load("").backend.options() == {"path": "j.db"}


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        (
            "BACKEND",
            f'{{"type": "sqlite", "url": "{SECRET}',
            """this is not JSON; expected JSON, for example `ORRERY_KNOWLEDGE_BACKEND='{"type": """
            """"sqlite"}'`""",
        ),
        (
            "CORPORA__A__SOURCES",
            f'[{{"{SECRET}"',
            "this is not JSON; expected JSON, for example `ORRERY_KNOWLEDGE_CORPORA__A__SOURCES="
            """'[{"type": "git", "url": ".", "trust": "reviewed"}]'`""",
        ),
        (
            "CHUNKING",
            SECRET,
            "chunking is text; expected keys with values, for example "
            """`ORRERY_KNOWLEDGE_CHUNKING='{"size": 800}'`""",
        ),
        (
            "CHUNKING__SIZE",
            SECRET,
            "chunking.size is text; expected a whole number from 100 to 4000, for example "
            "`ORRERY_KNOWLEDGE_CHUNKING__SIZE=800`",
        ),
        ("BACKEND__PAHT", SECRET,
         "unknown key 'backend.paht'; did you mean 'path'? known: path, type"),
        ("EMBEDDER__THREAD", "3", "unknown key 'embedder.thread'; did you mean 'threads'? known: "
         "batch_size, model_dir, threads, type"),
        ("ROOT", "/no/such/folder", "root is /no/such/folder, and there is no such folder"),
    ],
)  # fmt: skip
def test_a_wrong_variable_is_named_without_its_value(
    in_empty_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: str,
    expected: str,
) -> None:
    monkeypatch.setenv("ORRERY_KNOWLEDGE_BACKEND", "sqlite")
    monkeypatch.setenv(f"ORRERY_KNOWLEDGE_{name}", value)

    def use() -> None:
        found = load_settings()
        build_index(found)
        build_embedder(found)

    assert refused(use) == f"environment, ORRERY_KNOWLEDGE_{name}: {expected}"
    assert list(in_empty_folder.iterdir()) == []


def test_a_missing_option_is_asked_for_as_a_variable(
    in_empty_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORRERY_KNOWLEDGE_BACKEND", "pgvector")
    found = load_settings()
    assert refused(lambda: build_index(found)) == (
        "environment, ORRERY_KNOWLEDGE_BACKEND: backend.url is missing; expected text, for example "
        "`ORRERY_KNOWLEDGE_BACKEND__URL=postgresql://user:password@host/database`"
    )


def test_a_variable_adds_to_a_bare_name_in_the_file(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORRERY_KNOWLEDGE_BACKEND__URL", "postgresql://h/d")
    found = load("backend: pgvector")
    assert (found.backend.type, found.backend.options()) == (
        "pgvector",
        {"url": "postgresql://h/d"},
    )


def test_options_alone_belong_to_the_default_type(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = load("backend: {path: x.db}\nembedder: {threads: 2}\n")
    assert (found.backend.type, found.backend.options()) == ("sqlite", {"path": "x.db"})
    assert (found.embedder.type, found.embedder.options()) == ("minilm", {"threads": 2})
    monkeypatch.setenv("ORRERY_KNOWLEDGE_BACKEND__PATH", "y.db")
    assert load("").backend == Component(type="sqlite", path="y.db")


@pytest.mark.parametrize(
    ("value", "expected"), [("true", True), ("false", False), ('{"m": 8}', {"m": 8}), ("[x", "[x")]
)
def test_an_option_may_be_a_switch_or_json(
    load: Load, monkeypatch: pytest.MonkeyPatch, value: str, expected: object
) -> None:
    monkeypatch.setenv("ORRERY_KNOWLEDGE_BACKEND__HNSW", value)
    assert load("backend: pgvector").backend.options() == {"hnsw": expected}


@pytest.mark.parametrize("name", ["ROOT", "root"])
def test_root_is_a_folder_that_is_there(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "docs").mkdir()
    assert load("root: docs").root == tmp_path / "docs"  # relative to the file, like every path
    if name == "root":
        message = refused(lambda: load("root: nope"))
        assert (
            message == f"orrery.yaml, line 1: root is {tmp_path}/nope, and there is no such folder"
        )
    else:
        monkeypatch.setenv("ORRERY_KNOWLEDGE_ROOT", str(tmp_path / "nope"))
        assert "ORRERY_KNOWLEDGE_ROOT: root is" in refused(lambda: load(""))
    assert not (tmp_path / "nope").exists()


def test_a_home_folder_may_be_the_state(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert load("state: ~/kept").state_folder == Path("/home/me/kept")


# --- the file -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("search:\n  top_k: 3\n  top_k: 4\n", "orrery.yaml, line 3: 'top_k' stands there twice"),
        ("corpora: {a: {}, a: {}}", "orrery.yaml, line 1: 'a' stands there twice"),
        ("backend:\n  type: sqlite\n\tpath: x", "orrery.yaml, line 3: "),
        ("a: [1\nb: {", "orrery.yaml, line 2: "),
        ("a: !!python/object/apply:os.getcwd []", "orrery.yaml, line 1: "),
        ("a: *nothing", "orrery.yaml, line 1: "),
        ("- 1", "orrery.yaml, line 1: keys with values are expected at the top"),
        ("just text", "orrery.yaml, line 1: keys with values are expected at the top"),
        ("a: b\n---\nc: d\n", "orrery.yaml, line 2: "),
    ],
)  # fmt: skip
def test_a_wrong_file_is_refused_with_the_place(load: Load, text: str, expected: str) -> None:
    assert refused(lambda: load(text)).startswith(expected)


def test_other_bytes_than_utf_8(tmp_path: Path) -> None:
    file = tmp_path / "orrery.yaml"
    file.write_bytes(b"backend: sqlite\nstate: \xff\xfe")
    assert refused(lambda: load_settings(file)) == (
        "orrery.yaml, line 2: this is not UTF-8; save the file as UTF-8"
    )


@pytest.mark.parametrize(
    "text",
    [
        f"backend: {{type: [{SECRET}]}}",
        f"ledger: {{url: {SECRET}}}",
        f"embedder: [{SECRET}]",
        f"search: {{top_k: {SECRET}}}",
        f"corpora: {SECRET}",
        f"ledger: 'postgres://u:{SECRET}@h",
        f"ledger: [\n{SECRET}: }}",
    ],
)
def test_no_value_is_repeated(load: Load, text: str) -> None:
    refused(lambda: load(text))


def test_merge_keys_still_work(load: Load) -> None:
    found = load(
        "corpora:\n"
        "  a: {sources: [&one {type: filesystem, path: a, trust: review}]}\n"
        "  b: {sources: [{<<: *one, path: b}]}\n"
    )
    assert found.corpora["b"].sources == [{"type": "filesystem", "path": "b", "trust": "review"}]


def test_where_the_ledger_lies(load: Load, tmp_path: Path) -> None:
    assert load("").ledger_location == tmp_path / ".orrery" / "ledger.db"
    assert load("ledger: 'sqlite+aiosqlite:///x.db'").ledger_location == "sqlite+aiosqlite:///x.db"
    build_ledger(load(""))
    assert not (tmp_path / ".orrery").exists()  # nothing is opened before it is used


# --- components -----------------------------------------------------------------------------------


def corpora(*sources: str) -> str:
    listed = "".join(f"\n      - {source}" for source in sources)
    return f"corpora:\n  runbooks:\n    sources:{listed}\n"


FOLDER = "{type: filesystem, path: ., trust: reviewed}"


def test_ids_count_up_by_default(load: Load) -> None:
    sources = build_sources(
        load(corpora(FOLDER, "{id: wiki, type: git, url: ., trust: review}", FOLDER))
    )
    assert [(s.id, s.corpus, s.trust) for s in sources] == [
        ("runbooks-1", "runbooks", "reviewed"),
        ("wiki", "runbooks", "review"),
        ("runbooks-3", "runbooks", "reviewed"),
    ]


def test_every_collection_counts_its_own(load: Load) -> None:
    text = corpora(FOLDER) + f"  adr: {{sources: [{FOLDER}]}}\n"
    assert [s.id for s in build_sources(load(text))] == ["runbooks-1", "adr-1"]


def test_without_trust_the_line_to_add_is_shown(load: Load) -> None:
    found = load(corpora("{type: filesystem, path: .}"))
    message = refused(lambda: build_sources(found))
    assert message.startswith(
        "orrery.yaml, line 4: corpora.runbooks.sources[0] (runbooks-1): add `trust: review`"
    )
    assert "`trust: reviewed`" in message


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{path: ., trust: review}", "add a line `type: filesystem` or `type: git`"),
        ("{type: notion, trust: review}",
         "there is no source of type 'notion'; available: filesystem, git"),
        ("{type: filesystem, path: ., trust: review, globs: []}",
         "unknown key 'corpora.runbooks.sources[0].globs'"),
        ("{type: filesystem, path: ., trust: review, id: [1]}", "id: "),
        ("{type: filesystem, path: ., trust: review, id: 'a:b'}", "id: "),
        (f"{{type: git, url: 'https://u:{SECRET}@h/x', trust: review, x: 1}}",
         "unknown key 'corpora.runbooks.sources[0].x'"),
        (f"{{type: git, url: 'ext::sh {SECRET}', trust: review}}", "url: "),
        (f"{{type: git, url: ., ref: '--{SECRET}', trust: review}}", "ref: "),
    ],
)  # fmt: skip
def test_a_wrong_source_is_refused(load: Load, source: str, expected: str) -> None:
    found = load(corpora(source))
    assert expected in refused(lambda: build_sources(found))


@pytest.mark.parametrize("first", ["{id: a, type: filesystem, path: ., trust: review}", FOLDER])
def test_an_id_stands_for_one_source(load: Load, first: str) -> None:
    name = "a" if "id: a" in first else "runbooks-1"
    found = load(corpora(first, f"{{id: {name}, type: git, url: ., trust: review}}"))
    message = refused(lambda: build_sources(found))
    assert message == (
        f"orrery.yaml, line 5: corpora.runbooks.sources[1]: there are two sources with id '{name}'"
    )


@pytest.mark.parametrize(
    "text",
    [
        f"backend: {{type: sqlite, path: [{SECRET}]}}",
        f"backend: {{type: pgvector, url: {SECRET}}}",
        f"embedder: {{type: minilm, key: {SECRET}}}",
    ],
)
def test_a_component_repeats_no_value(load: Load, text: str) -> None:
    found = load(text)
    refused(lambda: (build_embedder(found), build_index(found)))


def test_the_example_file_is_valid() -> None:
    example = Path(__file__).parents[2] / "orrery.example.yaml"
    found = load_settings(example)
    assert [source.id for source in build_sources(found)] == ["handbook"]


def test_a_bare_name_in_the_file_is_a_type(tmp_path: Path) -> None:
    file = tmp_path / "orrery.yaml"
    file.write_text("backend: sqlite\nembedder: none\n", encoding="utf-8")
    settings = load_settings(file)
    assert (settings.backend.type, settings.embedder.type) == ("sqlite", "none")
    assert settings.backend.options() == {}


def test_kinds_of_personal_data_are_chosen_and_credentials_are_no_kind(load: Load) -> None:
    assert load("backend: sqlite\n").guard.personal == [
        "email", "phone", "card", "iban", "national-id"
    ]  # fmt: skip
    assert load("guard: {personal: [card, iban]}\nbackend: sqlite\n").guard.personal == [
        "card",
        "iban",
    ]
    assert load("guard: {personal: []}\nbackend: sqlite\n").guard.personal == []
    assert "guard.personal" in refused(
        lambda: load("guard: {personal: [credentials]}\nbackend: sqlite\n")
    )
