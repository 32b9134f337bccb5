"""What the files of the project look like, whoever wrote them."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAX_LINES = 500

# Put together here, so that this file holds none of them itself.
MACHINE_PATHS = ["/wo" + "rk/", "/Us" + "ers/", "C:" + "\\Users"]
REGISTRIES = [
    "py" + "pi.org",
    "python" + "hosted.org",
    "npm" + "js.org",
    "npm" + "js.com",
    "registry." + "yarnpkg.com",
    "hugging" + "face.co",
    "crates" + ".io",
    "rubygems" + ".org",
    "proxy." + "golang.org",
]


def project_files() -> list[Path]:
    """Every file that is, or would be, committed; no link (what it points to is here too)."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode("utf-8", "surrogateescape")
    files = [ROOT / name for name in listed.split("\0") if name]
    return [file for file in files if file.is_file() and not file.is_symlink()]


FILES = project_files()
PYTHON = [file for file in FILES if file.suffix == ".py"]
LIBRARY = [file for file in PYTHON if ROOT / "orrery_knowledge" in file.parents]


def name(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def imports(file: Path) -> list[str]:
    """Dotted names that a file imports anywhere in it, also inside functions."""
    found: list[str] = []
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            found.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.append(node.module)
            found.extend(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def holding(needles: list[str], files: list[Path], root: Path = ROOT) -> list[str]:
    """Where the text files among `files` hold one of the needles, as "file:line: needle"."""
    pattern = re.compile("|".join(map(re.escape, needles)))
    found = []
    for file in files:
        data = file.read_bytes()
        if b"\0" in data[:8192]:
            continue
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
            if match := pattern.search(line):
                found.append(f"{file.relative_to(root).as_posix()}:{number}: {match[0]}")
    return found


def test_the_project_is_seen() -> None:
    assert ROOT / "orrery_knowledge" / "models.py" in FILES
    assert Path(__file__) in FILES


def test_no_python_file_is_too_long() -> None:
    lengths = {name(file): len(file.read_bytes().splitlines()) for file in PYTHON}
    assert {file: n for file, n in lengths.items() if n > MAX_LINES} == {}


def test_every_module_postpones_annotations() -> None:
    without = [
        name(file)
        for file in PYTHON
        if b"from __future__ import annotations" not in (data := file.read_bytes())
        and any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in ast.parse(data).body)
    ]
    assert without == []


def test_nothing_names_the_machine_that_it_was_written_on() -> None:
    assert holding([*MACHINE_PATHS, f"{ROOT}/"], FILES) == []


def test_nothing_names_a_registry() -> None:
    assert holding(REGISTRIES, FILES) == []


def test_a_needle_is_found(tmp_path: Path) -> None:
    planted = tmp_path / "notes.md"
    planted.write_text(f"a\nsee {MACHINE_PATHS[0]}x and {REGISTRIES[0]}\n")
    binary = tmp_path / "model.bin"
    binary.write_bytes(b"\0" + MACHINE_PATHS[0].encode())
    files = [planted, binary]
    assert holding(MACHINE_PATHS, files, tmp_path) == [f"notes.md:2: {MACHINE_PATHS[0]}"]
    assert holding(REGISTRIES, files, tmp_path) == [f"notes.md:2: {REGISTRIES[0]}"]


def test_google_adk_is_imported_in_one_folder_of_the_library() -> None:
    """The lint rule can only see "google"; other packages of that name are no agents."""
    users = {
        name(file)
        for file in LIBRARY
        if any(f"{found}.".startswith("google.adk.") for found in imports(file))
    }
    assert users
    assert {user for user in users if not user.startswith("orrery_knowledge/adk/")} == set()


def test_the_layers_hold() -> None:
    """`[tool.importlinter]` in pyproject.toml."""
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_sources_backends_and_embedders_do_not_know_each_other() -> None:
    """Of the layers, the rule that somebody who copies a file breaks first; held twice."""
    kinds = ("sources", "backends", "embedders")
    for file in LIBRARY:
        kind = file.relative_to(ROOT / "orrery_knowledge").parts[0]
        if kind in kinds:
            others = [f"orrery_knowledge.{other}" for other in kinds if other != kind]
            found = [i for i in imports(file) if i.startswith(tuple(others))]
            assert found == [], name(file)


def test_every_extra_is_in_all() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    (everything,) = extras.pop("all")
    listed = everything.removeprefix("orrery-knowledge[").removesuffix("]").split(",")
    assert listed == list(extras)


@pytest.mark.parametrize("package", ["orrery_knowledge", "plugins/orrery_plugins"])
def test_every_module_says_what_it_is(package: str) -> None:
    files = [file for file in PYTHON if ROOT / package in file.parents]
    assert files
    assert [name(f) for f in files if not ast.get_docstring(ast.parse(f.read_bytes()))] == []
