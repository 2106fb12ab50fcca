"""One file that no reader was made for never stops the others: it is listed with its problems."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import wait_until

from paperagents.definitions.file_reading import FileReading
from paperagents.errors import PaperError
from paperagents.registry.folder_watch import FolderWatch
from paperagents.registry.tool_registry import ToolRegistry

Write = Callable[..., Path]

DEPTH = 6_000
NESTED = {
    "parentheses": "return " + "(" * DEPTH + "input" + ")" * DEPTH + ";",
    "ternaries": "return " + "a ? b : " * DEPTH + "{c: 1};",
    "ternaries before": "return " + "a ? " * DEPTH + "{}" + " : {d: 1}" * DEPTH + ";",
    "arrays": "return " + "[" * DEPTH + "]" * DEPTH + ";",
    "objects": "return " + "{a: " * DEPTH + "1" + "}" * DEPTH + ";",
    "spreads": "return " + "{..." * DEPTH + "input" + "}" * DEPTH + ";",
    "declared spreads": "const x = " + "{...(" * DEPTH + "input" + ")}" * DEPTH + "; return x;",
    "templates": "return " + "`${" * DEPTH + "1" + "}`" * DEPTH + ";",
    "calls": "return " + "f(" * DEPTH + "1" + ")" * DEPTH + ";",
    "members": "return input" + ".a" * DEPTH + ";",
    "subscripts": "return " + "input[" * DEPTH + "0" + "]" * DEPTH + ";",
    "blocks": "{" * DEPTH + "return {};" + "}" * DEPTH,
    "else ifs": "if (a) return {}; " + "else if (a) { return {}; } " * DEPTH,
    "ifs": "if (a) " * DEPTH + "return {};",
    "functions": "return " + "() => " * DEPTH + "1;",
    "negations": "while (" + "!" * DEPTH + "a) {} return {};",
    "loops": "while (a) " * DEPTH + "return {};",
    "labels": "".join(f"l{number}: " for number in range(DEPTH)) + "return {};",
    "sums": "return " + "1 + " * DEPTH + "1;",
    "unclosed": "return " + "(" * DEPTH,
    "regular expression": "return /" + "(" * DEPTH + ")" * DEPTH + "/;",
    "assignments": "let a; return " + "a = " * DEPTH + "{};",
    "patterns": "const " + "[" * DEPTH + "a" + "]" * DEPTH + " = input; return {};",
}


def preprocessing(code: str) -> str:
    steps = "steps:\n  - tool: read_file\n    parameters: {filePath: '{{input.path}}'}\n"
    head = f"---\ntool: true\nname: hostile\ndescription: d\n{steps}---\n"
    return f"{head}```js\n// @preprocess\n{code}\n```\n"


@pytest.mark.parametrize("code", NESTED.values(), ids=NESTED.keys())
def test_javascript_may_be_nested_as_deeply_as_it_is_long(code: str, root: Path, write: Write) -> None:
    write("good.md", name="good")
    write("hostile.md", preprocessing(code))
    write("hostile.tool.js", f"module.exports = {{ execute() {{ {code} }} }};")
    registry = ToolRegistry(root)
    listed = {str(entry.file): [each.code for each in entry.problems] for entry in registry.entries() if entry.file}
    assert set(listed) == {"good.md", "hostile.md", "hostile.tool.js"}
    assert "file-not-understood" not in [*listed["hostile.md"], *listed["hostile.tool.js"]]
    assert registry.tool("good").id == "good"
    registry.preview("hostile.md", preprocessing(code).encode())


def test_whatever_a_reader_does_not_survive_is_a_problem_of_that_file(
    root: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("good.md", name="good")
    write("hostile.md", name="hostile", custom_function="return 2;")
    fail_on(monkeypatch, b"return 2;")
    registry = ToolRegistry(root)
    [problem] = registry.find("hostile").problems
    assert (problem.code, problem.severity, problem.file) == ("file-not-understood", "error", "hostile.md")
    assert "RecursionError: too deep" in problem.message
    assert registry.tool("good").id == "good"
    assert [each.code for each in registry.preview("other.md", b"return 2;").problems] == ["file-not-understood"]


def test_a_watched_folder_goes_on_beside_a_file_that_cannot_be_understood(
    root: Path, write: Write, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fail_on(monkeypatch, b"return 2;")
    registry = ToolRegistry(root)
    with FolderWatch(registry), caplog.at_level(logging.WARNING):
        write("hostile.md", name="hostile", custom_function="return 2;")
        write("later.md", name="later")
        wait_until(lambda: {"later", "hostile"} <= {entry.id for entry in registry.entries()})
    assert caplog.records == []


def test_a_folder_that_cannot_be_looked_at_at_all_is_told_and_not_waited_for(root: Path) -> None:
    class Failing(ToolRegistry):
        def refresh(self) -> None:
            raise RecursionError("deep inside")

    with pytest.raises(PaperError, match="deep inside"), FolderWatch(Failing(root)):
        pass


def fail_on(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    """Stands for a mistake in a reader that nobody has found yet."""
    from paperagents.reading import files as file_reading  # noqa: PLC0415  changed for one test

    read = file_reading.read_markdown

    def failing(data: bytes, *rest: Any) -> FileReading:
        if content in data:
            raise RecursionError("too deep")
        return read(data, *rest)

    monkeypatch.setattr(file_reading, "read_markdown", failing)
