"""``paper init`` and ``paper new``: nothing is overwritten, and what they write has no problems."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paperagents import open_vault

Paper = Callable[..., Any]
Write = Callable[..., Path]

KINDS = [
    ["tool"],
    ["tool", "--chain"],
    ["tool", "--javascript"],
    ["agent"],
]
ODD_NAMES = [
    "Plain",
    'it\'s "quoted"',
    "a: b # c",
    "- dash",
    "[list]",
    "{{date}}",
    "%s {0} {name}",
    "笔记",
    "Größe",
    "../../x",
    "/etc/passwd",
    "a/b\\c",
    "`whoami` $(id)",
    "true",
    "123",
    "🦊",
    "*",
    "&anchor",
    "x" * 300,
    "NUL.md",
    "con",
]
INVISIBLE = ["two\nlines", "a\tb", "del\x7f", "c1\x9b", "line\u2028separator", "next\x85line", "es\x1bc", "turn\u202e"]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


# --- init


def test_the_vault_that_init_makes_has_no_problems(paper: Paper, tmp_path: Path) -> None:
    answer = paper("init", tmp_path / "new", "--json")
    assert answer.code == 0
    assert set(answer.document["written"]) == set(contents(tmp_path / "new"))
    checked = paper("--vault", tmp_path / "new", "check", "--json")
    assert (checked.code, checked.document) == (0, [])
    assert all(each["valid"] for each in paper("--vault", tmp_path / "new", "list", "--json").document)


def test_every_tool_of_the_new_vault_has_a_manual(paper: Paper, tmp_path: Path) -> None:
    paper("init", tmp_path / "new")
    for each in paper("--vault", tmp_path / "new", "list", "--json").document:
        shown = paper("--vault", tmp_path / "new", "show", each["id"])
        assert shown.code == 0, shown.err
        assert each["description"], each["id"]


def test_init_makes_the_current_folder_a_vault(paper: Paper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answer = paper("init")
    assert answer.code == 0
    assert (tmp_path / ".paper").is_dir()
    assert "Welcome.md" in answer.out.split("\n")


def test_init_never_changes_what_is_there(paper: Paper, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    (folder / "tools").mkdir(parents=True)
    (folder / "tools" / "format-list.md").write_text("mine", encoding="utf-8")
    (folder / "Welcome.md").symlink_to(tmp_path / "nowhere")
    (folder / ".paper").mkdir()
    (folder / ".paper" / "settings.toml").write_text('language = "de"\n', encoding="utf-8")
    before = contents(folder)
    assert paper("init", "--examples", folder).code == 0
    after = contents(folder)
    assert before.items() <= after.items()
    assert len(after) > len(before)
    assert not (tmp_path / "nowhere").exists()


def test_a_second_init_writes_nothing(paper: Paper, tmp_path: Path) -> None:
    paper("init", tmp_path / "new")
    before = contents(tmp_path / "new")
    assert paper("init", tmp_path / "new", "--json").document["written"] == []
    assert contents(tmp_path / "new") == before


def test_a_folder_with_notes_gets_no_examples_unless_asked(paper: Paper, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("mine", encoding="utf-8")
    answer = paper("init", tmp_path)
    assert not (tmp_path / "Welcome.md").exists()
    assert "paper init --examples" in answer.err
    assert paper("init", "--examples", tmp_path).code == 0
    assert (tmp_path / "Welcome.md").exists()


def test_who_wants_no_examples_is_not_told_about_notes_that_are_not_there(paper: Paper, tmp_path: Path) -> None:
    answer = paper("init", "--no-examples", tmp_path / "empty")
    assert answer.code == 0
    assert "has notes" not in answer.err


def test_init_where_a_file_is_in_the_way_fails_clearly(paper: Paper, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    answer = paper("init", tmp_path / "file", "--json")
    assert answer.code in (1, 2)
    assert answer.document["error"]["code"] == "cannot-write"
    assert (tmp_path / "file").read_text(encoding="utf-8") == "x"


def test_init_makes_the_named_vault_and_not_the_current_folder(
    paper: Paper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert paper("--vault", tmp_path / "there", "init").code == 0
    assert (tmp_path / "there" / ".paper").is_dir()
    assert list((tmp_path / "here").iterdir()) == []


def test_what_init_says_next_works_as_printed(paper: Paper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a checkout there is no ``paper`` on the path; installed there is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PAPER_COMMAND", "./paper")
    assert "./paper --vault 'my vault' list" in paper("init", "my vault").err
    assert "./paper init --examples" in paper("init", "my vault", "--no-examples").err
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "paper").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "bin" / "paper").chmod(0o755)
    monkeypatch.setenv("PAPER_COMMAND", str(tmp_path / "bin" / "paper"))
    assert "cd other && paper list" in paper("init", "other").err
    (tmp_path / "third").mkdir()
    monkeypatch.chdir(tmp_path / "third")
    assert "Next: paper list" in paper("init", ".").err


@pytest.mark.parametrize("command", [["-m", "paperagents"], ["./paper"]], ids=["module", "checkout"])
def test_the_next_command_can_be_copied_into_a_shell(command: list[str], tmp_path: Path) -> None:
    checkout = Path(__file__).parents[3]
    program = [sys.executable, *command] if command[0] == "-m" else [str(checkout / "paper")]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    said = subprocess.run(
        [*program, "init", "v"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    ).stderr
    following = said.strip().split("Next: ")[1]
    done = subprocess.run(
        following, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert "format_list" in done.stdout


# --- outside of a vault


@pytest.mark.parametrize(
    "command",
    [
        ["run", "search_files", "-p", "query=x"], ["new", "tool", "x"], ["store", "memory", "list"], ["stats"],
        ["config", "set", "language", "de"], ["runs", "list"], ["test"], ["extract", "--apply", "note.txt"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_nothing_is_left_in_a_folder_that_is_no_vault(
    command: list[str], paper: Paper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "note.txt").write_text("{{<memory identifier='a' content='b' />}}", encoding="utf-8")
    monkeypatch.chdir(home)
    answer = paper(*command)
    assert answer.code == 2
    assert "is not a vault" in answer.err
    assert "init" in answer.err
    assert set(contents(home)) == {"note.txt"}


def test_looking_works_anywhere_and_leaves_nothing(
    paper: Paper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    paper("--vault", str(tmp_path / "other"), "init")
    # A user who has rules, if for another vault: which vault is this?
    assert paper("--vault", str(tmp_path / "other"), "approvals", "allow", "write_file", "--path", "a.md").code == 0
    looks = (["list"], ["check"], ["search", "x"], ["config"], ["doctor"], ["show", "read_file"], ["trust"])
    for command in looks:
        assert paper(*command).code == 0, command
    assert contents(tmp_path / "here") == {}
    assert "paper init" in paper("list").err


def test_a_folder_of_notes_is_meant_even_before_init(
    paper: Paper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "a.md").write_text("Hello", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "here")
    assert paper("run", "read_file", "-p", "filePath=a.md", "--field", "content").out == "Hello\n"


def test_a_folder_with_tools_of_its_own_is_meant_even_before_init(
    paper: Paper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = "---\ntool: true\nname: t\ndescription: d\ncustom_function: return 1;\n---\n"
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "t.md").write_text(tool, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "here")
    assert paper("run", "t").code == 0
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "t.md").write_text(tool, encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "home")
    assert paper("run", "t").code == 2, "the home folder is never taken for a vault by chance"
    assert paper("--vault", ".", "run", "t").code == 0


# --- new


@pytest.mark.parametrize("kind", KINDS[:3], ids=" ".join)
@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_a_new_tool_passes_its_own_example_at_once(
    kind: list[str], language: str, paper: Paper, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPER_LANGUAGE", language)
    paper("new", *kind[:1], "My Thing", *kind[1:])
    tested = paper("test", "--json")
    assert [each["passed"] for each in tested.document] == [True], tested.out
    assert vault.is_dir()


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("Werkzeuge/Neu", "Werkzeuge/Neu.md"),
        ("Werkzeuge/Mehr davon/Neu.md", "Werkzeuge/Mehr davon/Neu.md"),
        ("Ordner/../../x", "tools/ordner-x.md"),
        (".git/x", "tools/git-x.md"),
    ],
)
def test_a_path_is_taken_as_written(name: str, file: str, paper: Paper, vault: Path) -> None:
    answer = paper("new", "tool", name, "--json")
    assert answer.document["file"] == file
    assert (vault / file).is_file()
    assert paper("test", answer.document["id"]).code == 0


def test_a_path_through_a_link_is_not_followed(paper: Paper, vault: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (vault / "Werkzeuge").symlink_to(tmp_path / "outside")
    assert paper("new", "tool", "Werkzeuge/Neu").code == 1
    assert list((tmp_path / "outside").iterdir()) == []


@pytest.mark.parametrize("kind", KINDS, ids=" ".join)
def test_every_new_file_has_no_problems(kind: list[str], paper: Paper, vault: Path) -> None:
    answer = paper("new", kind[0], "My Thing", *kind[1:], "--json")
    assert answer.code == 0
    assert (vault / answer.document["file"]).is_file()
    assert answer.document["id"] == "my-thing"
    assert paper("check", "--json").document == []
    assert "my-thing" in {each["id"] for each in paper("list", "--json").document}


@pytest.mark.parametrize("kind", KINDS, ids=" ".join)
@pytest.mark.parametrize("language", ["de", "zh"])
def test_new_files_speak_the_language_of_the_reader(
    kind: list[str], language: str, paper: Paper, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPER_LANGUAGE", language)
    file = paper("new", kind[0], "thing", *kind[1:], "--json").document["file"]
    word = {"de": "Wozu das gut ist", "zh": "用途"}[language]
    assert word in (vault / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ODD_NAMES, ids=ascii)
@pytest.mark.parametrize("kind", [["tool"], ["agent"]], ids=" ".join)
def test_odd_names_are_harmless_and_correct(name: str, kind: list[str], paper: Paper, vault: Path) -> None:
    answer = paper("new", *kind, "--json", "--", name)
    assert answer.code == 0, answer.out
    written = set(contents(vault)) - {".paper/cache/files.db"}
    assert written == {answer.document["file"]}, "nothing else, and nothing outside"
    assert answer.document["file"].startswith(f"{kind[0]}s/")
    assert paper("check", "--json").document == []
    listed = {each["name"]: each["id"] for each in paper("list", "--json").document}
    assert listed[name] == answer.document["id"]


@pytest.mark.parametrize("name", INVISIBLE, ids=ascii)
def test_a_name_with_characters_nobody_sees_is_refused_or_written_correctly(
    name: str, paper: Paper, vault: Path
) -> None:
    answer = paper("new", "tool", name, "--json")
    if answer.code == 0:
        assert paper("check", "--json").document == []
        assert name in {each["name"] for each in paper("list", "--json").document}
    else:
        assert answer.code == 2
        assert contents(vault) == {}


@pytest.mark.parametrize("name", ["", " ", "\n"])
def test_a_name_of_nothing_is_refused(name: str, paper: Paper, vault: Path) -> None:
    answer = paper("new", "tool", name, "--json")
    assert answer.code == 2
    assert answer.document["success"] is False
    assert contents(vault) == {}


def test_a_name_that_is_not_unicode_is_refused_and_leaves_nothing(started: Paper, vault: Path) -> None:
    answer = started("new", "tool", os.fsdecode(b"a\xff"), "--json")
    assert answer.code == 2
    assert answer.document["success"] is False
    assert contents(vault) == {}


def test_two_names_without_latin_letters_make_two_tools(paper: Paper, vault: Path) -> None:
    first = paper("new", "tool", "笔记", "--json").document
    second = paper("new", "tool", "搜索", "--json").document
    assert first["file"] != second["file"]
    assert first["id"] != second["id"]
    assert paper("check", "--json").document == []
    assert vault.is_dir()


@pytest.mark.parametrize("kind", KINDS, ids=" ".join)
def test_new_never_writes_over_a_file(kind: list[str], paper: Paper, vault: Path) -> None:
    file = paper("new", kind[0], "thing", *kind[1:], "--json").document["file"]
    (vault / file).write_text("mine", encoding="utf-8")
    answer = paper("new", kind[0], "thing", *kind[1:])
    assert answer.code in (1, 2)
    assert "overwrite" not in answer.err, "that is the advice for another command"
    assert (vault / file).read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["read_file", "taken"])
def test_an_id_that_is_taken_is_refused_before_anything_is_written(
    name: str, paper: Paper, write: Write, vault: Path
) -> None:
    write("elsewhere.md", "---\ntool: true\nid: taken\nname: t\ndescription: d\ncustom_function: return 1;\n---\n")
    answer = paper("new", "tool", name, "--javascript", "--json")
    if answer.code == 0:
        assert paper("check", "--json").document == [], "or it gets an id of its own"
    else:
        assert answer.document["success"] is False
        assert not (vault / "tools").exists()


def test_new_does_not_write_through_a_link_out_of_the_vault(paper: Paper, vault: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (vault / "tools").symlink_to(outside)
    paper("new", "tool", "thing")
    assert list(outside.iterdir()) == []


def test_an_unknown_kind_is_wrong_usage(paper: Paper, vault: Path) -> None:
    assert paper("new", "tol", "x").code == 2
    assert contents(vault) == {}


@pytest.mark.parametrize("form", ["--chain", "--javascript"])
def test_a_form_of_tools_is_refused_for_an_agent(form: str, paper: Paper, vault: Path) -> None:
    answer = paper("new", "agent", "x", form)
    assert (answer.code, form in answer.err) == (2, True)
    assert contents(vault) == {}


@pytest.mark.parametrize("language", ["de", "zh"])
def test_every_description_of_the_example_vault_is_in_the_language_of_the_reader(
    language: str, paper: Paper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def described(each: str) -> dict[str, str]:
        monkeypatch.setenv("PAPER_LANGUAGE", each)
        folder = tmp_path / each
        assert paper("init", folder).code == 0
        assert paper("check", "--json", "--vault", folder).document == []
        with open_vault(folder) as vault:
            own = [entry.id for entry in vault.registry.entries() if entry.file is not None and entry.is_tool]
            tools = [vault.registry.tool(name) for name in own]
        told = {
            f"{tool.id}.{each.name}": each.schema for tool in tools for each in (*tool.parameters, *tool.environment)
        }
        return {name: str(schema["description"]) for name, schema in told.items() if "description" in schema}

    english, translated = described("en"), described(language)
    assert english.keys() == translated.keys()
    assert [name for name in english if english[name] == translated[name]] == []
