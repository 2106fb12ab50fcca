"""``paper changes``, ``paper blame`` and ``paper undo`` at the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Paper = Callable[..., Any]
LISTED = ["run_id", "tool", "step", "path", "change", "added", "removed", "when", "approved_by", "undone"]
BLAMED = ["line", "text", "run_id", "tool", "step", "approved_by", "when"]


@pytest.fixture
def changed(vault: Path, paper: Paper) -> str:
    """A run that has added a line to a note."""
    (vault / "a.md").write_text("one\n")
    arguments = ("-p", "filePath=a.md", "-p", "content=two\n", "-p", "append=true")
    return str(paper("run", "write_file", *arguments, "--yes", "--json").document["run_id"])


def test_the_json_has_exactly_the_fields_of_the_documentation(changed: str, paper: Paper) -> None:
    (line,) = paper("changes", "list", "--json").document
    assert (list(line), line["run_id"], line["undone"]) == (LISTED, changed, False)
    (shown,) = paper("changes", "show", changed[:6], "--json").document
    assert (list(shown), shown["hunks"][0]["number"]) == (["path", "change", "diff", "hunks"], 1)
    first, second = paper("blame", "a.md", "--json").document
    assert list(first) == list(second) == BLAMED
    assert {first[key] for key in BLAMED[2:]} == {None}
    assert (second["line"], second["text"], second["run_id"], second["tool"], second["step"]) == (
        2, "two", changed, "write_file", 1,
    )  # fmt: skip


def test_a_note_is_named_from_here_or_from_the_top_of_the_vault(
    changed: str, vault: Path, paper: Paper, monkeypatch: pytest.MonkeyPatch
) -> None:
    (vault / "sub").mkdir()
    (vault / "sub" / "b.md").write_text("inner\n")
    (vault / "b.md").write_text("outer\n")
    monkeypatch.chdir(vault / "sub")
    blamed = {name: paper("blame", name, "--json").document[0]["text"] for name in ("b.md", "../b.md", "/sub/b.md")}
    assert blamed == {"b.md": "inner", "../b.md": "outer", "/sub/b.md": "inner"}
    for name in ("../a.md", "a.md", "/a.md", str(vault / "a.md")):
        assert [each["run_id"] for each in paper("changes", "list", "--file", name, "--json").document] == [changed]
        assert paper("undo", changed, "--file", name, "--dry-run").code == 0
    assert paper("blame", "../../elsewhere.md").code == 1


def test_people_read_lines(changed: str, paper: Paper) -> None:
    assert f"{changed}  " in paper("changes").out
    assert "+two" in paper("changes", "show", "last").out
    outside, own = paper("blame", "a.md").out.splitlines()
    assert ("outside" in outside, changed[:8] in own, own.endswith("   2  two")) == (True, True, True)
    paper("undo", "--yes")
    assert "(undone)" in paper("changes", "list", "--run", changed).out


def test_undo_takes_back_redoes_and_tells_how(changed: str, vault: Path, paper: Paper) -> None:
    answer = paper("undo", "--yes")
    assert (answer.code, answer.out, (vault / "a.md").read_text()) == (0, "", "one\n")
    assert "Undone: a.md. To bring it back: " in answer.err
    again = paper("undo", "last", "--yes", "--json")
    assert (again.code, again.document["tool"], (vault / "a.md").read_text()) == (0, "undo", "one\ntwo\n")
    assert paper("changes", "list", "--run", changed, "--json").document[0]["undone"] is False


def test_without_anybody_to_ask_an_undo_waits(changed: str, vault: Path, paper: Paper) -> None:
    assert paper("undo", changed, "--json").code == 3
    assert (vault / "a.md").read_text() == "one\ntwo\n"
    assert paper("approvals", "approve", "last", "--json").code == 0
    assert (vault / "a.md").read_text() == "one\n"


def test_a_dry_run_shows_the_diff(changed: str, vault: Path, paper: Paper) -> None:
    answer = paper("undo", changed, "--dry-run")
    assert (answer.code, "-two" in answer.out, (vault / "a.md").read_text()) == (0, True, "one\ntwo\n")
    assert paper("undo", changed, "--dry-run", "--json").document["status"] == "planned"


def test_a_conflict_is_exit_code_1_and_names_the_line(changed: str, vault: Path, paper: Paper) -> None:
    (vault / "a.md").write_text("one\nTWO\n")
    answer = paper("undo", changed, "--yes")
    assert (answer.code, "a.md:2" in answer.err, (vault / "a.md").read_text()) == (1, True, "one\nTWO\n")
    assert paper("undo", changed, "--dry-run").code == 1


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (("undo", "ffff"), 2, "unknown-run"),
        (("undo", "last", "--file", "b.md"), 2, "undo-unknown-file"),
        (("blame", "none.md"), 1, "file-not-found"),
        (("changes", "show", "ffff"), 2, "unknown-run"),
    ],
)
@pytest.mark.usefixtures("changed")
def test_what_is_not_there_is_told(arguments: tuple[str, ...], code: int, error: str, paper: Paper) -> None:
    answer = paper(*arguments, "--json")
    assert (answer.code, answer.document["error"]["code"]) == (code, error)


@pytest.mark.usefixtures("vault")
def test_with_nothing_changed_the_list_is_empty_and_there_is_nothing_to_undo(paper: Paper) -> None:
    assert paper("changes", "list", "--json").document == []
    answer = paper("undo", "--yes", "--json")
    assert (answer.code, answer.document["error"]["code"]) == (1, "nothing-to-undo")
