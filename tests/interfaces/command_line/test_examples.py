"""``paper test``: the examples of every tool, whatever kind of file it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

UPPER = """module.exports = {
  getMetadata: () => ({id: "upper", name: "upper", description: "Shouts"}),
  getSchema: () => ({type: "object", properties: {text: {type: "string"}}, required: ["text"]}),
  getExamples: () => [{name: "shouts", input: {text: "abc"}, output: "ABC"}, {input: {text: "a"}, output: "b"}],
  execute: ({text}) => text.toUpperCase(),
};
"""


def test_without_a_name_the_examples_of_javascript_files_are_tried_too(paper: Any, write: Callable[..., Path]) -> None:
    write("upper.tool.js", UPPER)
    answer = paper("test", "--json")
    assert answer.code == 1
    tried = [(each["example"], each["passed"]) for each in answer.document if each["tool"] == "upper"]
    assert tried == [("shouts", True), ("2", False)]


WITH_SECRET = """---
tool: true
id: issues
name: Issues
description: Lists issues.
environment:
  - name: GITHUB_TOKEN
    type: string
    description: Who asks
    minLength: 4
steps:
  - name: ask
    tool: rest_request
    parameters:
      url: https://api.example.com/issues
      headers: { Authorization: "Bearer {{env.GITHUB_TOKEN}}" }
examples:
  - input: {}
    environment: { GITHUB_TOKEN: stand-in }
    responses: { ask: { status: 200, headers: {}, body: "", json: [1], ok: true } }
    output_contains: { json: [1] }
---
"""


def test_an_example_brings_stand_ins_for_the_variables_of_its_tool(
    paper: Any, write: Callable[..., Path], monkeypatch: Any
) -> None:
    monkeypatch.setenv("HOME", "/nonexistent")
    monkeypatch.delenv("XDG_CONFIG_HOME")
    write("issues.md", WITH_SECRET)
    answer = paper("test", "--json")
    assert answer.document == [{"tool": "issues", "example": "1", "passed": True, "difference": None}]
    assert answer.code == 0
    write("issues.md", WITH_SECRET.replace("stand-in", "abc"))
    assert paper("test").code == 1, "a stand-in is checked like a value somebody sets"


def test_a_javascript_file_brings_stand_ins_too(paper: Any, write: Callable[..., Path]) -> None:
    write(
        "zone.tool.js",
        """module.exports = {
  getMetadata: () => ({id: "zone", name: "zone", description: "Says where it is"}),
  getSchema: () => ({
    parameters: {type: "object", properties: {}},
    environment: {type: "object", properties: {ZONE: {type: "integer"}}, required: ["ZONE"]},
  }),
  getExamples: () => [{input: {}, environment: {ZONE: 7}, output: 8}],
  execute() { return this.api.environment.get("ZONE") + 1; },
};
""",
    )
    assert [each["passed"] for each in paper("test", "--json").document] == [True]


def test_a_file_that_cannot_be_used_fails(paper: Any, write: Callable[..., Path]) -> None:
    write("good.md", WITH_SECRET)
    write("broken.md", "---\ntool: true\nname: Broken\n---\n")
    answer = paper("test", "--json")
    assert answer.code == 1
    failed = [each for each in answer.document if not each["passed"]]
    assert [(each["tool"], each["example"]) for each in failed] == [("broken", "broken.md")]
    assert failed[0]["difference"].startswith("broken.md:2:1")
    told = paper("test")
    assert told.code == 1
    assert "paper check" in told.err
    assert paper("test", "issues").code == 0, "only what was asked for"


def test_a_file_that_cannot_be_used_fails_by_name_beside_the_others(paper: Any, write: Callable[..., Path]) -> None:
    write("good.md", WITH_SECRET)
    write("broken.md", "---\ntool: true\nname: Broken\n---\n")
    answer = paper("test", "issues", "Broken", "--json")
    assert answer.code == 1
    assert {(each["tool"], each["passed"]) for each in answer.document} == {("issues", True), ("broken", False)}
    told = paper("test", "broken")
    assert told.code == 1
    assert "broken.md:2:1 nothing-to-run" in told.out
    assert "paper check" in told.err


def test_where_there_are_no_examples_it_says_how_to_add_one(paper: Any, write: Callable[..., Path]) -> None:
    write("good.md")
    answer = paper("test")
    assert answer.code == 0
    assert "No examples yet (tools: 1)" in answer.err
    assert "examples:" in answer.err
    named = paper("test", "good")
    assert named.code == 0
    assert "No examples yet" in named.err
    assert paper("test", "--json").document == []
