from __future__ import annotations

from pathlib import Path

from cli_support import Desk

POOL = "---\ntitle: Pool\n---\n# Pool\n\nClients wait.\n\n## Remedy\n\nRaise it.\n"


def test_sections_lines_and_sizes(desk: Desk) -> None:
    desk.write("pool.md", POOL)
    ran = desk.run("chunk", "docs/pool.md")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "docs/pool.md: Pool (2 chunks)\n"
        "      4-6         23 characters  #pool  Pool\n"
        "      8-10        21 characters  #remedy  Pool > Remedy\n"
    )


def test_the_text_behind_a_bar(desk: Desk) -> None:
    desk.write("pool.md", POOL)
    out = desk.run("chunk", "--text", "docs/pool.md").out
    assert out.splitlines()[-3:] == ["        | ## Remedy", "        | ", "        | Raise it."]


def test_long_sections_have_parts(desk: Desk) -> None:
    paragraph = "word " * 20
    desk.write("long.md", "# Long\n\n" + f"{paragraph}\n\n" * 6)
    out = desk.run("chunk", "--size", "200", "docs/long.md").out
    assert "(part 1/" in out


def test_json(desk: Desk) -> None:
    desk.write("pool.md", POOL)
    ran = desk.run("chunk", "--json", "docs/pool.md")
    (shown,) = ran.json
    assert (shown["file"], shown["title"]) == ("docs/pool.md", "Pool")
    assert "".join(chunk["text"] for chunk in shown["chunks"]) == POOL[POOL.index("# Pool") :]
    assert [chunk["line_start"] for chunk in shown["chunks"]] == [4, 8]


def test_what_can_not_be_cut_fails_and_the_rest_is_shown(desk: Desk) -> None:
    desk.write("pool.md", POOL)
    desk.write("wrong.md", "---\nstatus: [\n---\nx\n")
    ran = desk.run("chunk", "docs", "nothing.md", "docs/wrong.md", "docs/pool.md", "--json")
    assert ran.code == 1
    assert [entry["title"] for entry in ran.json] == ["Pool"]
    lines = ran.err.splitlines()
    assert lines[:2] == [
        "error: docs: Is a directory",
        "error: nothing.md: No such file or directory",
    ]
    assert lines[2].startswith("error: docs/wrong.md: front matter")


def test_odd_files(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "empty.md").write_bytes(b"")
    (tmp_path / "binary.md").write_bytes(bytes(range(256)) * 10)
    ran = desk.run("chunk", "empty.md", "binary.md")
    assert ran.code in (0, 1)
    assert "empty.md: empty (0 chunks)" in ran.out


def test_a_hostile_document_steers_no_terminal(desk: Desk) -> None:
    desk.write("a\nfake.md", "# T \x1b[2J\u202e\n\n\x1b]0;owned\x07\rnone.md: Fake (9 chunks)\n")
    ran = desk.run("chunk", "--text", "docs/a\nfake.md")
    assert not set(ran.out) & set("\x1b\x07\r\u202e")
    lines = ran.out.splitlines()
    assert lines[0].startswith("docs/a\\nfake.md: T")
    assert [line for line in lines if "none.md" in line] == ["        | none.md: Fake (9 chunks)"]
    missing = desk.run("chunk", "no\n\x1b[2J.md")
    assert missing.err == "error: no\\n\\x1b[2J.md: No such file or directory\n"
