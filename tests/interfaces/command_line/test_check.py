"""``paper check``: every problem at its place, for people, programs and workflows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Paper = Callable[..., Any]
Write = Callable[..., Path]

BROKEN = "---\ntool: true\nid: broken\nname: Broken\ndescription: d\ntype: chian\ncustom_function: return 1;\n---\n"
WARNED = "---\ntool: true\nname: Warned\ncustom_function: return 1;\n---\n"


def test_a_vault_without_problems_is_told_so(paper: Paper, write: Write) -> None:
    write("good.md")
    answer = paper("check")
    assert (answer.code, answer.out) == (0, "")
    assert "Files checked: 1. Errors: 0, warnings: 0." in answer.err


def test_a_problem_is_shown_with_its_line_and_a_mark_below(paper: Paper, write: Write) -> None:
    write("broken.md", BROKEN)
    answer = paper("check")
    assert answer.code == 1
    lines = answer.out.split("\n")
    assert lines[0].startswith("broken.md:6:7: error invalid-value: ")
    assert lines[1] == "    6 | type: chian"
    assert lines[2] == "      |       ^^^^^"
    assert "'chain'" in lines[3]


def test_the_mark_stands_below_chinese_and_tabs(paper: Paper, write: Write) -> None:
    steps = "---\ntool: true\nname: n\ndescription: d\nsteps:\n  - {name: 笔记, tool: nonsense_tool}\n---\n"
    write("a.md", steps)
    lines = paper("check").out.split("\n")
    assert lines[1] == "    6 |   - {name: 笔记, tool: nonsense_tool}"
    assert lines[2] == "      | " + " " * 23 + "^" * 13, "each Chinese letter is two columns wide"


def test_a_line_of_absurd_length_is_cut_around_the_mark(paper: Paper, write: Write) -> None:
    write(
        "a.md", f"---\ntool: true\nname: n\ndescription: d\nsteps: [{{name: {'x' * 5000}, tool: nonsense_tool}}]\n---\n"
    )
    answer = paper("check")
    assert "nonsense_tool" in answer.out
    assert all(len(line) < 250 for line in answer.out.split("\n"))


def test_warnings_alone_are_no_failure(paper: Paper, write: Write) -> None:
    write("warned.md", WARNED)
    answer = paper("check")
    assert answer.code == 0
    assert "warning missing-description" in answer.out


@pytest.mark.parametrize("form", [[], ["--json"], ["--format", "github"]])
def test_with_strict_a_warning_is_a_failure(form: list[str], paper: Paper, write: Write) -> None:
    write("good.md")
    assert paper("check", "--strict", *form).code == 0
    write("warned.md", WARNED)
    assert paper("check", "--strict", *form).code == 1
    assert paper("check", "--strict", "good.md", *form).code == 0, "only what was asked for"


@pytest.mark.parametrize("option", [["--json"], ["--format", "json"], ["--format=json"]])
def test_problems_as_json_are_one_list_with_exactly_the_promised_keys(
    option: list[str], paper: Paper, write: Write
) -> None:
    write("broken.md", BROKEN)
    answer = paper("check", *option)
    assert answer.code == 1
    problem = answer.document[0]
    assert set(problem) == {
        "file", "line", "column", "end_line", "end_column", "severity", "code", "message", "hint",
    }  # fmt: skip
    assert (problem["file"], problem["line"], problem["column"], problem["end_column"]) == ("broken.md", 6, 7, 12)
    assert (problem["severity"], problem["code"]) == ("error", "invalid-value")


def test_no_problems_as_json_is_an_empty_list(paper: Paper, write: Write) -> None:
    write("good.md")
    assert paper("check", "--json").document == []


def test_problems_for_a_workflow_are_annotations(paper: Paper, write: Write) -> None:
    write("a,b:c%.md", BROKEN)
    answer = paper("check", "--format", "github")
    assert answer.code == 1
    first = answer.out.split("\n")[0]
    place = "::error file=a%2Cb%3Ac%25.md,line=6,col=7,endLine=6,endColumn=12,title=invalid-value::"
    assert first.startswith(place)
    assert "%0A" in first, "the hint is a second line"


def test_a_warning_for_a_workflow_is_a_warning(paper: Paper, write: Write) -> None:
    write("warned.md", WARNED)
    assert paper("check", "--format", "github").out.startswith("::warning file=warned.md,line=3,")


def test_a_note_cannot_write_a_workflow_command_of_its_own(paper: Paper, write: Write) -> None:
    write("a.md", '---\ntool: true\nname: n\ndescription: d\nsteps: [{tool: "x\\n::error::made up"}]\n---\n')
    lines = paper("check", "--format", "github").out.split("\n")
    assert not any(line.startswith("::error::") for line in lines)


def test_all_problems_of_all_files_come_in_the_order_of_the_files(paper: Paper, write: Write) -> None:
    write("b.md", BROKEN)
    write("a.md", BROKEN.replace("id: broken", "id: other").replace("name: Broken\n", ""))
    places = [(each["file"], each["line"]) for each in paper("check", "--json").document]
    assert places == sorted(places)
    assert {file for file, _ in places} == {"a.md", "b.md"}
    assert len(places) > 2


def test_one_file_or_one_folder_can_be_checked(paper: Paper, write: Write, vault: Path) -> None:
    write("tools/broken.md", BROKEN)
    write("other/good.md")
    assert paper("check", "other").code == 0
    assert paper("check", "tools").code == 1
    assert paper("check", "tools/broken.md").code == 1
    assert paper("check", "/tools/broken.md").code == 1, "a vault path"
    assert paper("check", vault / "tools" / "broken.md").code == 1
    assert paper("check", "other", "tools").code == 1
    assert paper("check", ".").code == 1


def test_a_folder_is_chosen_by_whole_names(paper: Paper, write: Write) -> None:
    write("tool/good.md")
    write("tools/broken.md", BROKEN)
    assert paper("check", "tool").code == 0


def test_paths_are_read_from_the_current_folder(
    paper: Paper, write: Write, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("tools/broken.md", BROKEN)
    monkeypatch.chdir(vault / "tools")
    assert paper("check", "broken.md", "--json").document[0]["file"] == "tools/broken.md"


def test_problems_between_files_are_told_even_when_one_file_is_named(paper: Paper, write: Write) -> None:
    write("a.md")
    write("b.md")
    assert [each["code"] for each in paper("check", "a.md", "--json").document] == ["duplicate-id"]


def test_a_file_in_another_vault_is_checked_there(paper: Paper, write: Write) -> None:
    write("../other/.paper/x", "")
    place = write("../other/broken.md", BROKEN)
    assert paper("check", place, "--json").document[0]["file"] == "broken.md"


def test_a_file_outside_the_named_vault_is_wrong_usage(paper: Paper, write: Write, vault: Path) -> None:
    place = write("../other/broken.md", BROKEN)
    answer = paper("--vault", vault, "check", place, "--json")
    assert answer.code == 2
    assert answer.document["error"]["code"] == "path-outside-this-vault"


@pytest.mark.parametrize("name", ["nope.md", "x" * 300, "a\nb"])
def test_a_file_that_is_not_there_is_wrong_usage(name: str, paper: Paper, vault: Path) -> None:
    assert vault.is_dir()
    answer = paper("check", name)
    assert answer.code == 2
    assert len(answer.err.strip().split("\n")) <= 2
    assert paper("check", "--format=json", name).document["error"]["code"] == "no-such-file"


def test_somebody_who_names_an_ordinary_note_is_told_that_it_is_one(paper: Paper, write: Write) -> None:
    write("note.md", "# a note\n")
    answer = paper("check", "note.md")
    assert (answer.code, answer.out) == (0, "")
    assert "tool: true" in answer.err
    assert paper("check", "note.md", "--json").document == []


def test_a_tool_in_a_hidden_folder_is_not_called_an_ordinary_note(paper: Paper, write: Write) -> None:
    write(".hidden/good.md")
    answer = paper("check", ".hidden/good.md")
    assert answer.code == 0
    assert "ordinary note" not in answer.err
    assert ".hidden/good.md" in answer.err


def test_an_unknown_format_is_wrong_usage_that_names_the_possible_ones(paper: Paper, vault: Path) -> None:
    assert vault.is_dir()
    answer = paper("check", "--format", "jsn")
    assert answer.code == 2
    for form in ("text", "json", "github"):
        assert form in answer.err


@pytest.mark.parametrize("field", ["custom_function", "post_processing"])
def test_code_with_a_colon_is_told_where_it_belongs(field: str, paper: Paper, write: Write) -> None:
    write("a.md", f"---\ntool: true\nname: n\ndescription: d\n{field}: return {{ a: 1 }};\n---\n")
    write("b.md", f"---\ntool: true\nname: n\ndescription: d\n{field}: return input.a ? 1 : 2;\n---\n")
    hints = {each["hint"] for each in paper("check", "--json").document if each["code"] == "yaml-syntax"}
    assert hints == {f"Write {field}: | and put the code on the next line, indented."}
