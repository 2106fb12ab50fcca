"""Values that a file writes for the arguments of a call, judged before anything runs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.tool import Parameter, ToolDefinition
from paperagents.messages import in_language
from paperagents.reading.files import read_markdown
from paperagents.registry.entry import describe_definition, make_entry
from paperagents.registry.folder_scan import FileRecord
from paperagents.registry.tool_registry import ToolRegistry
from paperagents.registry.vault_index import VaultIndex
from paperagents.tools import builtin_tools

FOLDER = Path(__file__).parent / "values"
BEFORE = """\
---
tool: true
name: chain
description: For a test.
environment: [TOKEN]
parameters:
  - {name: title, type: string, description: A title}
steps:
  - name: find
    tool: search_files
    parameters: {query: a}
  - name: read
    tool: read_file
    parameters: {filePath: a.md}
  - for_each: "{{find.output.results}}"
"""
ORDER = """\
---
tool: true
name: order
description: For a test.
parameters:
  - {name: count, type: integer, description: D, maximum: 10, required: false}
  - {name: size, type: string, description: D, enum: [S, M, L], required: false}
  - {name: when, type: string, description: D, format: date, required: false}
  - {name: code, type: string, description: D, pattern: "^[A-Z]{2}[0-9]{2}$", required: false}
  - {name: tags, type: array, description: D, items: {type: string}, uniqueItems: true, minItems: 1, required: false}
  - {name: price, type: number, description: D, required: false}
  - {name: mail, type: string, description: D, format: email, required: false}
  - {name: either, type: [integer, string], description: D, pattern: "^[a-z]*$", required: false}
  - {name: note, type: string, description: D, required: false}
  - name: address
    type: object
    description: D
    required: [street, city]
    properties: {street: {type: string}, city: {type: string}}
    additionalProperties: false
    default: {street: a, city: b}
custom_function: return 1;
---
"""


def read_cases(file: str) -> list[list[str]]:
    lines = (FOLDER / file).read_text(encoding="utf-8").splitlines()
    return [line.split(" # ") if " # " in line else [line] for line in lines if line and not line.startswith("#")]


WRONG, RIGHT = read_cases("wrong.txt"), read_cases("right.txt")
Check = Callable[[str], list[str]]


@pytest.fixture(scope="module")
def check(tmp_path_factory: pytest.TempPathFactory) -> Check:
    """What is told about the values of a step: the columns of its second line, and the codes."""
    root = tmp_path_factory.mktemp("vault")
    (root / "order.md").write_text(ORDER, encoding="utf-8")
    (root / "existing.output").write_text("A file may be called so.", encoding="utf-8")
    registry = ToolRegistry(root, built_in=builtin_tools)

    def run(case: str) -> list[str]:
        tool, parameters = case.split(" ", 1)
        text = f"{BEFORE}    tool: {tool}\n    parameters: {parameters}\n---\n"
        reading = registry.preview("chain.md", text.encode())
        line = text.count("\n") - 1
        assert all(problem.span.line == line for problem in reading.problems), reading.problems
        return [f"{problem.span.column} {problem.code}" for problem in reading.problems]

    return run


@pytest.mark.parametrize(("case", "told"), WRONG, ids=[each[0] for each in WRONG])
def test_a_wrong_value_is_told_where_it_stands(case: str, told: str, check: Check) -> None:
    assert "; ".join(check(case)) == told


@pytest.mark.parametrize("case", [each[0] for each in RIGHT])
def test_a_right_value_is_not_told(case: str, check: Check) -> None:
    assert check(case) == []


def test_the_corpus_is_large_enough_to_mean_something() -> None:
    assert len(WRONG) >= 120
    assert len(RIGHT) >= 120


def problems_of(root: Path, file: str, text: str) -> list[str]:
    reading = ToolRegistry(root, built_in=builtin_tools).preview(file, text.encode())
    return [f"{each.span.line}:{each.span.column} {each.severity} {each.code}" for each in reading.problems]


def test_a_value_is_told_with_its_quotes(tmp_path: Path) -> None:
    block = '```yaml\ntool: read_file\nparameters:\n  filePath: "../a"\n```\n'
    text = f"---\ntool: true\nname: a\ndescription: D\n---\n\n{block}"
    (problem,) = ToolRegistry(tmp_path, built_in=builtin_tools).preview("a.md", text.encode()).problems
    assert (problem.span.line, problem.span.column, problem.span.end_column) == (10, 13, 19)


def test_the_items_of_a_written_list_are_told_where_they_stand(tmp_path: Path) -> None:
    text = (
        "---\ntool: true\nname: a\ndescription: D\nsteps:\n  - for_each: [a.md, ../b.md, {c: 1}]\n    tool: read_file\n"
        '    parameters: {filePath: "{{item}}"}\n'
        "  - for_each:\n      - {most: many}\n      - {most: 5}\n    tool: search_files\n"
        '    parameters: {query: a, limit: "{{item.most}}"}\n---\n'
    )
    assert problems_of(tmp_path, "a.md", text) == ["6:22 error invalid-argument", "10:16 error invalid-argument"]


def test_steps_side_by_side_are_judged_too(tmp_path: Path) -> None:
    text = (
        "---\ntool: true\nname: a\ndescription: D\nsteps:\n  - parallel:\n      - tool: search_files\n"
        "        parameters: {query: a, limit: many}\n---\n"
    )
    assert problems_of(tmp_path, "a.md", text) == ["8:39 error invalid-argument"]


def test_a_wrong_value_in_an_example_is_a_warning_unless_it_expects_an_error(tmp_path: Path) -> None:
    text = ORDER.replace(
        "custom_function",
        "examples:\n  - input: {count: many, size: L}\n    output: 1\n"
        "  - input: {count: many}\n    error: invalid-arguments\ncustom_function",
    )
    assert problems_of(tmp_path, "order.md", text) == ["23:20 warning invalid-argument"]


def test_a_change_of_the_called_tool_is_seen_in_an_unchanged_chain(tmp_path: Path) -> None:
    chain = "---\ntool: true\nname: chain\ndescription: D\nsteps:\n  - tool: order\n    parameters: {size: XS}\n---\n"
    (tmp_path / "chain.md").write_text(chain, encoding="utf-8")
    (tmp_path / "order.md").write_text(ORDER, encoding="utf-8")
    registry = ToolRegistry(tmp_path, built_in=builtin_tools)
    assert not registry.find("chain").valid
    (tmp_path / "order.md").write_text(ORDER.replace("[S, M, L]", "[XS, S, M]"), encoding="utf-8")
    registry.refresh()
    assert registry.find("chain").valid


def test_what_is_told_from_the_cache_is_what_was_told_first(tmp_path: Path) -> None:
    cache = tmp_path / ".paper" / "cache.json"
    cache.parent.mkdir()
    chain = (
        "---\ntool: true\nname: chain\ndescription: D\nsteps:\n  - tool: order\n"
        "    parameters: {size: XS, tags: [a, null], note: item.path, count: '{{date}} x'}\n---\n"
    )
    (tmp_path / "chain.md").write_text(chain, encoding="utf-8")
    (tmp_path / "order.md").write_text(ORDER, encoding="utf-8")
    for file in ("chain.md", "order.md"):
        os.utime(tmp_path / file, (1, 1))
    first = ToolRegistry(tmp_path, built_in=builtin_tools, cache_file=cache)
    told = [each.as_json() for each in first.find("chain").problems]
    second = ToolRegistry(tmp_path, built_in=builtin_tools, cache_file=cache)
    assert [each.as_json() for each in second.find("chain").problems] == told
    assert len(told) == 4


@pytest.mark.parametrize(
    ("language", "message", "hint"),
    [
        ("en", "must be one of: S, M, L", "Did you mean 'L'?"),
        ("de", "muss eines davon sein: S, M, L", "Meinten Sie „L“?"),
        ("zh", "必须是以下之一：S, M, L", "您是指 “L” 吗？"),
    ],
)
def test_a_wrong_value_is_told_with_its_repair(tmp_path: Path, language: str, message: str, hint: str) -> None:
    (tmp_path / "order.md").write_text(ORDER, encoding="utf-8")
    chain = "---\ntool: true\nname: chain\ndescription: D\nsteps:\n  - tool: order\n    parameters: {size: l}\n---\n"
    (problem,) = ToolRegistry(tmp_path, built_in=builtin_tools).preview("chain.md", chain.encode()).problems
    with in_language(language):
        assert message in problem.message
        assert problem.hint == hint


def test_the_tool_of_another_server_is_judged_by_the_schema_it_gave() -> None:
    size: JsonObject = {"$ref": "#/$defs/size"}
    own: JsonObject = {
        "type": "object",
        "properties": {"size": size},
        "$defs": {"size": {"type": "string", "enum": ["S", "L"]}},
    }
    remote = ToolDefinition(
        id="mcp:shop/buy", name="buy", kind="mcp", parameters=(Parameter(name="size", schema=size),), own_schema=own
    )
    text = "---\ntool: true\nname: a\ndescription: D\nsteps:\n  - tool: mcp:shop/buy\n    parameters: {size: XL}\n---\n"
    entry = make_entry(read_markdown(text.encode(), "a.md"))
    assert entry is not None
    index = VaultIndex(lambda: [describe_definition(remote)])
    index.apply({"a.md": FileRecord(stamp=None, entry=entry)})
    (problem,) = index.check("a.md").problems
    assert (problem.code, problem.span.line, problem.span.column) == ("invalid-argument", 7, 24)
