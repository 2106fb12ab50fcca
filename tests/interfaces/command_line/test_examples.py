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
