"""The document on the YAML schema: its examples run as they are printed, with no field that it does not know."""

from __future__ import annotations

import json
import re

import pytest
import yaml
from tests.desk import Desk

from paperagents.approval.question import Approved
from paperagents.messages import in_language
from paperagents.runs.note_log import format_yaml_log

from . import printed
from .reader import read_document, take_fence, take_table


@pytest.fixture(autouse=True)
def notes(desk: Desk) -> None:
    texts = {
        "transform_data.md": printed.transform_data(),
        "backup.md": printed.backup(),
        "find_notes.md": printed.find_notes(),
        "notes/a.md": "About #projekt",
        "notes/template.md": "A template for #projekt",
        "archive/b.md": "Old #projekt",
    }
    for path, text in texts.items():
        desk.note(path, text)


def test_every_field_of_these_files_is_one_of_the_document(desk: Desk) -> None:
    known = {re.sub(r"\W", "", row[0]) for row in take_table("001", "#### **2. Attribute & Typen**")}
    of_parameters = set(re.findall(r"^  [- ] (\w+):", take_fence("001", "3. Parameter-Definition"), re.MULTILINE))
    for path in ("transform_data.md", "backup.md", "find_notes.md"):
        front = yaml.safe_load(desk.text(path).split("---\n")[1])
        assert set(front) <= known
        assert {name for parameter in front["parameters"] for name in parameter} <= of_parameters


def test_there_are_no_errors_in_these_files(desk: Desk) -> None:
    for path in ("transform_data.md", "backup.md", "find_notes.md"):
        assert "error" not in dict(desk.problems(path))


def test_section_4_a_predefined_tool_searches_one_folder(desk: Desk) -> None:
    data = desk.run("find_notes", {"tag": "#projekt"}).data
    assert isinstance(data, dict)
    assert isinstance(data["results"], list)
    assert [each["path"] for each in data["results"] if isinstance(each, dict)] == ["notes/a.md"]


@pytest.mark.parametrize("name", ["search_files", "read_file", "write_file", "rest_request"])
def test_section_4_the_predefined_tools_are_built_in(name: str, desk: Desk) -> None:
    assert f"- `{name}`" in read_document("001")
    assert desk.vault.registry.find(name).kind == "builtin"


def test_sections_5_and_8_the_function_gives_what_the_document_shows(desk: Desk) -> None:
    (shown,) = re.findall(r"z\. B\. `\{ transformed: (.+?) \}`", read_document("001"))
    assert desk.run("transform_data", {"input_data": ["a", "b", "c"]}).data == {"transformed": json.loads(shown)}


def test_section_6_every_placeholder_has_its_value(desk: Desk) -> None:
    rows = take_table("001", "#### **6. Platzhalter**")
    first, *others = [re.sub(r"^`|`$", "", row[0]) for row in rows]
    assert first == "{{param_name}}"
    steps = "".join(f'  - name: "echo"\n    parameters:\n      value: "{each}"\n' for each in (first, *others))
    desk.tool("echo", "parameters:\n  - {name: value, type: string}\ncustom_function: return input.value;")
    desk.chain("all", steps.rstrip("\n"), "parameters:\n  - {name: param_name, type: string}")
    record = desk.run("all", {"param_name": "Wert"})
    outputs = [entry["output"] for entry in record.execution_log]
    assert outputs[:2] == ["Wert", "Wert"]
    patterns = [r"\d{4}-\d\d-\d\d", r"\d\d:\d\d:\d\d", r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f-]{17}"]
    assert all(re.fullmatch(pattern, str(output)) for pattern, output in zip(patterns, outputs[2:], strict=True))


def test_section_7_the_chain_writes_a_backup_after_a_yes(desk: Desk) -> None:
    waiting = desk.run("backup", {"tag": "#projekt"})
    assert waiting.status == "waiting", waiting.error
    assert not (desk.root / "backups").exists()
    record = desk.vault.answer(desk.vault.history.questions()[0].id, Approved())
    assert record.error is None
    written = json.loads(desk.text(f"backups/{desk.vault.services.clock()['date']}.md"))
    assert sorted(written) == ["ARCHIVE/B.MD", "NOTES/A.MD"]


def test_section_9_nothing_found_is_told_in_the_words_and_the_form_of_the_document(desk: Desk) -> None:
    (expected,) = yaml.safe_load(take_fence("001", "9. Fehlerbehandlung & Logging", "yaml"))["execution_log"]
    strict = printed.backup().replace('AND -template"', 'AND -template"\n        must_find: true')
    desk.note("backup.md", strict.replace("        must_find", "      must_find"))
    with in_language("de"):
        record = desk.run("backup", {"tag": "#nixda"})
    (entry,) = yaml.safe_load(format_yaml_log(record))["execution_log"]
    assert {name: entry[name] for name in expected} == expected
    assert not (desk.root / "backups").exists()


@pytest.mark.parametrize(("log", "file"), [("file", "transform_data.md"), ("logs/runs.md", "logs/runs.md")])
def test_section_9_the_log_goes_into_the_file_of_the_tool_or_another(
    log: str, file: str, desk: Desk, yes: Approved
) -> None:
    desk.note("transform_data.md", printed.transform_data().replace("tool: true", f"tool: true\nlog: {log}"))
    assert desk.run("transform_data", {"input_data": ["a"]}, yes).success
    assert "execution_log:" in desk.text(file)
