from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orrery_knowledge.errors import ConfigurationError, KnowledgeOff
from orrery_knowledge.runtime import build_embedder, build_index, build_ledger, build_sources
from orrery_knowledge.settings import Settings, load_settings

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


def test_options_alone_turn_nothing_on(
    in_empty_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORRERY_KNOWLEDGE_BACKEND__PATH", "x.db")
    monkeypatch.setenv("ORRERY_KNOWLEDGE_BACKEND", "")
    with pytest.raises(KnowledgeOff):
        load_settings()


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
        ("BACKEND", f'{{"type": "sqlite", "url": "{SECRET}', "backend"),
        ("CORPORA", SECRET, "corpora"),
        ("CHUNKING", SECRET, "chunking"),
        ("CHUNKING__SIZE", SECRET, "chunking.size"),
        ("CHUNKING__SIZ", SECRET, "unknown key 'chunking.siz'"),
        ("SEARCH__TOP_K", "0", "search.top_k"),
    ],
)
def test_a_wrong_variable_is_named_without_its_value(
    in_empty_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: str,
    expected: str,
) -> None:
    monkeypatch.setenv("ORRERY_KNOWLEDGE_BACKEND", "sqlite")
    monkeypatch.setenv(f"ORRERY_KNOWLEDGE_{name}", value)
    message = refused(load_settings)
    assert message.startswith("environment: ")
    assert expected in message


# --- the file -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("backendd: {type: sqlite}", "orrery.yaml: unknown key 'backendd'"),
        ("search: {topk: 3}", "orrery.yaml: unknown key 'search.topk'"),
        ("corpora: {a: {source: []}}", "orrery.yaml: unknown key 'corpora.a.source'"),
        ("chunking: {size: 99}", "orrery.yaml: chunking.size: Input should be greater than"),
        ("search: {top_k: 51}", "orrery.yaml: search.top_k: Input should be less than"),
        ("policy: {max_delete_share: 1.1}", "orrery.yaml: policy.max_delete_share: "),
        ("backend: {path: x}", "orrery.yaml: backend.type: Field required"),
        ("backend: [sqlite]", "orrery.yaml: backend: "),
        ("corpora: {a: null}", "orrery.yaml: corpora.a: "),
        ("corpora: {a: {sources: [null]}}", "orrery.yaml: corpora.a.sources.0: "),
        ("corpora: {1: {sources: []}}", "orrery.yaml: corpora.1"),
        ("state: 5", "orrery.yaml: state: "),
        ("search:\n  top_k: 3\n  top_k: 4\n", "orrery.yaml, line 3: 'top_k' stands there twice"),
        ("corpora: {a: {}, a: {}}", "orrery.yaml, line 1: 'a' stands there twice"),
        ("backend:\n  type: sqlite\n\tpath: x", "orrery.yaml, line 3: "),
        ("a: [1\nb: {", "orrery.yaml, line 2: "),
        ("a: !!python/object/apply:os.getcwd []", "orrery.yaml, line 1: "),
        ("a: *nothing", "orrery.yaml, line 1: "),
        ("- 1", "orrery.yaml: a mapping is expected at the top"),
        ("just text", "orrery.yaml: a mapping is expected at the top"),
        ("since: 2026-13-45", "orrery.yaml is not valid YAML"),
        ("[" * 5000, "orrery.yaml is not valid YAML"),
        ("a: b\n---\nc: d\n", "orrery.yaml, line 2: "),
    ],
)  # fmt: skip
def test_a_wrong_file_is_refused_with_the_place(load: Load, text: str, expected: str) -> None:
    assert refused(lambda: load(text)).startswith(expected)


def test_other_bytes_than_utf_8(tmp_path: Path) -> None:
    file = tmp_path / "orrery.yaml"
    file.write_bytes(b"state: \xff\xfe")
    assert refused(lambda: load_settings(file)) == "orrery.yaml is not valid YAML in UTF-8"


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
    assert message.startswith("corpora.runbooks.sources[0] (runbooks-1): add `trust: review`")
    assert "`trust: reviewed`" in message


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{type: filesystem, path: ., trust: yes}", "add `trust: review`"),
        ("{type: filesystem, path: ., trust: [reviewed]}", "add `trust: review`"),
        ("{path: ., trust: review}", "add a line `type: filesystem` or `type: git`"),
        ("{type: notion, trust: review}",
         "there is no source of type 'notion'; available: filesystem, git"),
        ("{type: filesystem, path: ., trust: review, globs: []}",
         "corpora.runbooks.sources[0]: unknown key 'globs'"),
        ("{type: filesystem, path: ., trust: review, id: [1]}", "id: "),
        ("{type: filesystem, path: ., trust: review, id: 'a:b'}", "id: "),
        (f"{{type: git, url: 'https://u:{SECRET}@h/x', trust: review, x: 1}}", "unknown key 'x'"),
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
    assert message == f"corpora.runbooks.sources[1]: there are two sources with id '{name}'"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("backend: {type: sqlite, url: x}", "backend: unknown key 'url'"),
        ("backend: {type: '../sqlite'}", "there is no backend of type '../sqlite'"),
        (f"backend: {{type: sqlite, path: [{SECRET}]}}", "backend: path: "),
    ],
)
def test_a_wrong_backend_is_refused(load: Load, text: str, expected: str) -> None:
    found = load(text)
    assert refused(lambda: build_index(found)).startswith(expected)


def test_a_wrong_embedder_is_refused(load: Load) -> None:
    found = load(f"embedder: {{type: minilm, key: {SECRET}}}")
    assert refused(lambda: build_embedder(found)) == "embedder: unknown key 'key'"


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
