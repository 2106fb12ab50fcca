"""``paper list`` and ``paper show``, and how the vault is found."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paperagents.messages import LANGUAGES

Paper = Callable[..., Any]
Write = Callable[..., Path]

BROKEN = "---\ntool: true\nid: broken\nname: Broken\ndescription: d\ntype: chian\ncustom_function: return 1;\n---\n"
AGENT = "---\nagent: true\nname: Helper\ndescription: An agent.\ntools: [read_file]\n---\nHelp on {{date}}.\n"
LIST_KEYS = {"id", "name", "type", "kind", "description", "category", "file", "valid", "problems"}


def by_id(answer: Any) -> dict[str, Any]:
    return {each["id"]: each for each in answer.document}


def test_the_list_as_json_has_every_tool_with_the_promised_keys(paper: Paper, write: Write) -> None:
    write("tools/good.md")
    write("tools/broken.md", BROKEN)
    write("agents/helper.md", AGENT)
    answer = paper("list", "--json")
    listed = by_id(answer)
    assert answer.code == 0
    assert all(set(each) >= LIST_KEYS for each in listed.values())
    assert listed["good"]["valid"] is True
    assert listed["good"]["file"] == "tools/good.md"
    assert listed["broken"]["valid"] is False
    assert listed["broken"]["problems"][0]["code"] == "invalid-value"
    assert (listed["helper"]["kind"], listed["helper"]["type"]) == ("agent", "agent")
    assert listed["read_file"]["kind"] == "builtin"


def test_the_list_for_people_shows_broken_files_with_place_and_reason(paper: Paper, write: Write) -> None:
    write("good.md")
    write("broken.md", BROKEN)
    answer = paper("list")
    assert answer.code == 0
    assert "good" in answer.out
    assert "A good tool." in answer.out
    assert "broken.md:6:7" in answer.out
    assert "paper check" in answer.err


@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        (["pea"], {"sow", "harvest"}),
        (["PEA", "spring"], {"sow"}),
        (["--category", "Garden"], {"sow", "harvest"}),
        (["--tag", "#spring"], {"sow"}),
        (["--tag", "spr"], set()),
        (["--kind", "agent"], {"helper"}),
        (["--kind", "tool", "--category", "garden"], {"sow", "harvest"}),
        (["--broken"], {"broken"}),
        (["nothing says this"], set()),
    ],
    ids=lambda each: " ".join(sorted(each)),
)
def test_the_list_can_be_narrowed(arguments: list[str], ids: set[str], paper: Paper, write: Write) -> None:
    tool = "---\ntool: true\nname: {}\ndescription: {}\ncategory: garden\ntags: [{}]\ncustom_function: return 1;\n---\n"
    write("sow.md", tool.format("Sow", "Sows peas in spring.", "spring, work"))
    write("harvest.md", tool.format("Harvest", "Picks peas.", "work"))
    write("broken.md", BROKEN)
    write("helper.md", AGENT)
    for _ in range(2):
        assert set(by_id(paper("list", *arguments, "--json"))) == ids, "also from the cache"
    shown = paper("list", *arguments)
    assert shown.code == 0
    assert f"{len(ids)} of " in shown.err


def test_an_empty_vault_says_how_to_start(paper: Paper, vault: Path) -> None:
    answer = paper("list")
    assert answer.code == 0
    assert "paper new tool" in answer.err
    assert str(vault) in answer.err


def test_columns_fit_together_whatever_the_width_of_the_letters(paper: Paper, write: Write) -> None:
    write("笔记笔记.md", BROKEN.replace("id: broken\nname: Broken", "name: 笔记"))
    write("good.md")
    rows = paper("list").out.split("\n\n")[0].split("\n")
    kinds = [re.search(r"(?<=  )tool(?= )", row) for row in rows]
    assert len({kind.start() for kind in kinds if kind}) == 1


def test_the_manual_is_shown_for_people(paper: Paper, write: Write) -> None:
    write(
        "a.md",
        "---\ntool: true\nid: a\nname: Adds\ndescription: Adds up.\nparameters:\n"
        "  - {name: n, type: integer, description: 'A | number', minimum: 1}\n"
        "  - {name: m, type: string, description: d, default: x}\n"
        "examples: [{name: first, input: {n: 1}, output: 2}]\ncustom_function: return 1;\n---\n",
    )
    answer = paper("show", "Adds")
    assert answer.code == 0
    assert answer.out.startswith("# Adds\n")
    for part in ("Adds up.", "`n`", "A \\| number", '"minimum": 1', "first", "paper run a -p n=…", "`a.md`"):
        assert part in answer.out


def test_the_manual_as_json_has_the_schema_and_the_manual(paper: Paper, write: Write) -> None:
    write("good.md")
    answer = paper("show", "good", "--json")
    assert answer.code == 0
    assert {"id", "name", "description", "parameters", "manual"} <= set(answer.document)
    assert answer.document["parameters"]["type"] == "object"
    assert answer.document["manual"].startswith("# Good")


@pytest.mark.parametrize("tool", ["read_file", "web_search", "js_execute"])
def test_built_in_tools_have_a_manual_too(tool: str, paper: Paper, vault: Path) -> None:
    assert vault.is_dir()
    assert paper("show", tool).out.startswith(f"# {tool}\n")
    assert paper("show", tool, "--json").document["kind"] == "builtin"


@pytest.mark.parametrize(("kind", "call"), [("hybrid", "{{<notify … />}}"), ("Block", "{{<notify …>}}…{{</notify>}}")])
def test_a_tag_is_shown_as_it_is_written(kind: str, call: str, paper: Paper, write: Write) -> None:
    fields = f"tag: true\nid: note\nname: N\ndescription: d\ntype: {kind}\ncategory: Output\nwords: [notify]"
    write("note.md", f"---\n{fields}\n---\n")
    assert call in paper("show", "note").out
    (listed,) = [each for each in paper("list", "--json").document if each["id"] == "note"]
    assert listed["category"] == "output"


def test_an_agent_is_shown_with_its_prompt(paper: Paper, write: Write) -> None:
    write("helper.md", AGENT)
    assert "Help on {{date}}." in paper("show", "helper").out
    document = paper("show", "Helper", "--json").document
    assert document["tools"] == ["read_file"]
    assert document["parameters"]["required"] == ["query"]
    assert (document["type"], document["protocol"], document["max_iterations"]) == ("agent", "auto", 20)


def test_an_unknown_tool_is_wrong_usage_with_a_suggestion(paper: Paper, write: Write) -> None:
    write("good.md")
    answer = paper("show", "goood")
    assert answer.code == 2
    assert answer.out == ""
    assert "'good'" in answer.err
    document = paper("show", "goood", "--json")
    assert document.code == 2
    assert document.document["success"] is False
    assert document.document["error"]["code"] == "unknown-tool"
    assert "'good'" in document.document["error"]["hint"]


def test_a_broken_tool_cannot_be_shown_and_says_why(paper: Paper, write: Write) -> None:
    write("broken.md", BROKEN)
    answer = paper("show", "broken", "--json")
    assert answer.code == 1
    assert answer.document["error"]["code"] == "broken-file"
    assert answer.document["error"]["details"]["problems"][0]["line"] == 6
    assert "broken.md:6:7" in paper("show", "broken").err


def test_a_tool_named_json_does_not_make_the_answer_json(paper: Paper, vault: Path) -> None:
    assert vault.is_dir()
    answer = paper("show", "json")
    assert answer.out == ""
    assert "'json'" in answer.err


# --- which vault


def test_the_vault_may_be_named_before_and_after_the_command(paper: Paper, write: Write, tmp_path: Path) -> None:
    other = write("../other/there.md").parent
    assert "there.md" not in paper("list", "--json").out
    forms: list[list[str | Path]] = [
        ["--vault", other, "list", "--json"],
        ["list", "--vault", other, "--json"],
        ["list", "--json", f"--vault={other}"],
        [f"--vault={other}", "list", "--json"],
    ]
    for arguments in forms:
        assert "there.md" in paper(*arguments).out
    assert tmp_path in other.resolve().parents


def test_the_option_after_the_command_is_the_stronger(paper: Paper, write: Write, vault: Path) -> None:
    other = write("../other/there.md").parent
    assert "there.md" in paper("--vault", vault, "list", "--json", "--vault", other).out


def test_the_variable_names_the_vault_unless_the_option_does(
    paper: Paper, write: Write, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = write("../other/there.md").parent
    monkeypatch.setenv("PAPER_VAULT", str(other))
    assert "there.md" in paper("list", "--json").out
    assert "there.md" not in paper("list", "--json", "--vault", vault).out


def test_the_nearest_vault_upwards_is_taken(
    paper: Paper, write: Write, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("good.md")
    (vault / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(vault / "a" / "b")
    assert by_id(paper("list", "--json"))["good"]["file"] == "good.md"


@pytest.mark.parametrize("name", ["missing", "file.md", "x" * 300])
def test_a_vault_that_is_no_folder_is_wrong_usage(name: str, paper: Paper, write: Write) -> None:
    write("file.md")
    answer = paper("--vault", name, "list", "--json")
    assert answer.code == 2
    assert answer.document["error"]["code"] == "no-such-vault"


def test_wrong_settings_are_told_with_file_line_and_nearest_key(paper: Paper, write: Write) -> None:
    write(".paper/settings.toml", '\nlanguge = "de"\n')
    answer = paper("list")
    assert answer.code == 2
    assert "settings.toml:2" in answer.err
    assert "'language'" in answer.err
    assert paper("list", "--json").document["error"]["code"] == "unknown-setting"


def test_a_wrong_variable_is_told_too(paper: Paper, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert vault.is_dir()
    monkeypatch.setenv("PAPER_LANGUAGE", "xx")
    answer = paper("list")
    assert answer.code == 2
    assert "PAPER_LANGUAGE" in answer.err


# --- languages


def test_every_language_tells_the_same_codes(paper: Paper, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("broken.md", BROKEN)
    codes, messages = set(), set()
    for language in LANGUAGES:
        monkeypatch.setenv("PAPER_LANGUAGE", language)
        problems = paper("check", "--json").document
        codes.add(json.dumps([(each["code"], each["line"], each["column"]) for each in problems]))
        messages.add(problems[0]["message"])
    assert len(codes) == 1
    assert len(messages) == 3


@pytest.mark.parametrize("form", ["two words", "one word"])
def test_the_language_of_the_vault_is_spoken(form: str, paper: Paper, write: Write) -> None:
    place = write("../german/.paper/settings.toml", 'language = "de"\n').parent.parent
    vault = ["--vault", place] if form == "two words" else [f"--vault={place}"]
    assert "Es gibt kein Tool namens" in paper(*vault, "show", "nix").err


def test_the_locale_is_spoken_where_nothing_else_is_said(
    paper: Paper, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert vault.is_dir()
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert "没有名为" in paper("show", "nix").err


@pytest.mark.parametrize("arguments", [["check", "--format", "xml"], ["show", "a", "b"], ["show"], ["list", "--nope"]])
def test_wrong_usage_is_told_in_the_language_of_the_reader(
    arguments: list[str], paper: Paper, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert vault.is_dir()
    told = set()
    for language in LANGUAGES:
        monkeypatch.setenv("PAPER_LANGUAGE", language)
        answer = paper(*arguments)
        assert answer.code == 2
        told.add(answer.err.split(":", 1)[-1])
    assert len(told) == 3


def test_a_file_name_that_is_not_utf8_is_listed_in_every_form(started: Paper, write: Write, vault: Path) -> None:
    write("good.md").rename(os.fsdecode(os.fsencode(vault) + b"/\xff.md"))
    assert by_id(started("list", "--json"))["good"]["file"] == os.fsdecode(b"\xff.md")
    assert "A good tool." in started("list").out
