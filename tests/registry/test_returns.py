"""What tools say they return: checked in their files, used by references of other files."""

from __future__ import annotations

from pathlib import Path

import pytest

import paperagents
from paperagents.approval.question import Approved
from paperagents.definitions.source import Problem
from paperagents.registry.tool_registry import ToolRegistry
from paperagents.tools import builtin_tools

COUNT = """---
tool: true
name: count
description: Counts.
returns:
  type: object
  properties:
    total: {type: integer}
    words: {type: array, items: {type: object, properties: {text: {type: string}}, additionalProperties: false}}
custom_function: |
  return {total: 2, words: [{text: "a"}, {text: "b"}]};
---
"""


def chain(reference: str, *, for_each: str = "", post_processing: str = "") -> str:
    return f"""---
tool: true
name: chain
description: Calls.
steps:
  - name: counted
    tool: count
{for_each}{post_processing}
  - name: after
    tool: memory
    parameters: {{identifier: m, content: "{{{{{reference}}}}}"}}
---
"""


def problems(folder: Path, **notes: str) -> list[Problem]:
    for name, content in notes.items():
        (folder / f"{name}.md").write_text(content, encoding="utf-8")
    registry = ToolRegistry(folder, built_in=builtin_tools, cache_file=folder / ".paper" / "cache.json")
    found = [each for entry in registry.entries() for each in entry.problems if each.code == "unknown-reference"]
    # The same from the cache.
    again = ToolRegistry(folder, built_in=builtin_tools, cache_file=folder / ".paper" / "cache.json")
    assert [each for e in again.entries() for each in e.problems if each.code == "unknown-reference"] == found
    return found


@pytest.mark.parametrize(
    ("reference", "severity", "case"),
    [
        ("steps.counted.output.totl", "error", "suggestion"),
        ("counted.output.totl", "error", "suggestion"),
        ("prev_step.output.totl", "error", "suggestion"),
        ("prev_step.output.elsewhere", "warning", "names"),
        ("prev_step.output.total.more", "error", "value"),
        ("prev_step.output.words.text", "error", "list"),
        ("prev_step.output.words[0].other", "error", "names"),
    ],
)
def test_a_reference_to_what_is_not_returned_is_told(tmp_path: Path, reference: str, severity: str, case: str) -> None:
    (found,) = problems(tmp_path, count=COUNT, chain=chain(reference))
    assert (found.severity, found.values["case"], found.file) == (severity, case, "chain.md")
    line = chain(reference).splitlines()[found.span.line - 1]
    assert line[found.span.column - 1 : found.span.end_column - 1] == f"{{{{{reference}}}}}"


@pytest.mark.parametrize(
    "reference",
    ["prev_step.output", "prev_step.output.total", "prev_step.output.words[1].text", "prev_step.output.words.length",
     "prev_step.output.content[0].data"],
)  # fmt: skip
def test_what_is_returned_can_be_referred_to(tmp_path: Path, reference: str) -> None:
    assert problems(tmp_path, count=COUNT, chain=chain(reference)) == []


def test_in_a_loop_the_answers_are_a_list(tmp_path: Path) -> None:
    loop = "    for_each: [1, 2]\n"
    assert problems(tmp_path, count=COUNT, chain=chain("prev_step.output[0].total", for_each=loop)) == []
    (found,) = problems(tmp_path, chain=chain("prev_step.output[0].totl", for_each=loop))
    assert found.values["wanted"] == "totl"


def test_what_a_step_makes_of_an_answer_can_be_anything(tmp_path: Path) -> None:
    made = '    post_processing: "return {totl: 1};"\n'
    assert problems(tmp_path, count=COUNT, chain=chain("prev_step.output.totl", post_processing=made)) == []


@pytest.mark.parametrize(
    "more", ["additionalProperties: true", "patternProperties: {'^t': {}}", "anyOf: [{}]", "$ref: '#/$defs/x'"]
)
def test_a_schema_that_says_there_is_more_is_believed(tmp_path: Path, more: str) -> None:
    open_schema = COUNT.replace("  type: object\n", f"  type: object\n  $defs: {{x: {{}}}}\n  {more}\n", 1)
    assert problems(tmp_path, count=open_schema, chain=chain("prev_step.output.totl")) == []


def test_without_a_schema_nothing_is_said(tmp_path: Path) -> None:
    silent = COUNT[: COUNT.index("returns:")] + COUNT[COUNT.index("custom_function") :]
    assert problems(tmp_path, count=silent, chain=chain("prev_step.output.totl")) == []


def check(folder: Path, name: str, content: str) -> list[tuple[str, int]]:
    (folder / name).write_text(content, encoding="utf-8")
    with paperagents.open_vault(folder) as vault:
        return [(each.code, each.span.line) for entry in vault.registry.entries() for each in entry.problems]


def test_a_schema_that_is_none_is_told_where_it_stands(tmp_path: Path) -> None:
    broken = COUNT.replace("total: {type: integer}", "total: {type: whole}")
    assert check(tmp_path, "count.md", broken) == [("invalid-schema", 8)]


def test_what_is_no_schema_at_all_is_told(tmp_path: Path) -> None:
    broken = COUNT[: COUNT.index("returns:")] + "returns: a number\n" + COUNT[COUNT.index("custom_function") :]
    assert check(tmp_path, "count.md", broken) == [("wrong-type", 5)]


SCRIPT = """module.exports = {
  getMetadata: () => ({ name: "count", description: "Counts." }),
  getSchema: () => ({
    parameters: { type: "object", properties: {} },
    returns: { type: "object", properties: { total: { type: "TYPE" } }, required: ["total"] },
  }),
  execute: () => ({ total: 2 }),
};
"""


def test_a_javascript_file_says_what_it_returns_in_its_schema(tmp_path: Path) -> None:
    assert [code for code, _ in check(tmp_path, "count.tool.js", SCRIPT.replace("TYPE", "whole"))] == ["invalid-schema"]
    assert check(tmp_path, "count.tool.js", SCRIPT.replace("TYPE", "integer")) == []
    with paperagents.open_vault(tmp_path) as vault:
        assert vault.run("count").data == {"total": 2}


def test_an_answer_of_another_form_fails_the_run(tmp_path: Path) -> None:
    assert check(tmp_path, "count.tool.js", SCRIPT.replace("TYPE", "string")) == []
    with paperagents.open_vault(tmp_path) as vault:
        record = vault.run("count")
    assert (record.status, record.exit_code, record.data) == ("failed", 1, None)
    assert record.error is not None
    assert record.error["code"] == "answer-invalid"
    assert "total (type: string)" in str(record.error["message"])
    assert record.execution_log[-1]["status"] == "error"


def test_a_nested_answer_of_another_form_fails_its_step(tmp_path: Path) -> None:
    (tmp_path / "count.md").write_text(COUNT.replace("total: 2", "total: 'two'"), encoding="utf-8")
    (tmp_path / "chain.md").write_text(chain("prev_step.output.total"), encoding="utf-8")
    with paperagents.open_vault(tmp_path) as vault:
        record = vault.run("chain")
    assert record.error is not None
    assert (record.error["code"], record.error["step"]) == ("answer-invalid", 1)


def test_a_plan_has_no_answer_to_judge(tmp_path: Path) -> None:
    note = """---
tool: true
name: save
description: Saves.
returns: {type: object, required: [filePath, size]}
steps:
  - {name: a, tool: write_file, parameters: {filePath: a.md, content: x}}
---
"""
    (tmp_path / "save.md").write_text(note, encoding="utf-8")
    with paperagents.open_vault(tmp_path) as vault:
        assert vault.plan("save").status == "planned"
        assert vault.run("save", approver=lambda _: Approved()).status == "succeeded"


def test_the_manual_and_the_document_tell_what_is_returned(tmp_path: Path) -> None:
    check(tmp_path, "count.md", COUNT)
    with paperagents.open_vault(tmp_path) as vault:
        from paperagents.registry.entry import definition_document  # noqa: PLC0415  as the command line has it

        document = definition_document(vault.registry.tool("count"))
    returned = document["returns"]
    assert isinstance(returned, dict)
    assert returned["type"] == "object"
    assert '"total"' in str(document["manual"])
