"""Blocks that no engine can read are told before they run; the parser alone does not see all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperagents.registry.tool_registry import ToolRegistry

NOTE = "---\ntool: true\nname: t\ndescription: d\nparameters: [{name: x, type: string, description: d}]\n---\n"
WRONG = [
    "return a ?? b || 3;",
    "return “abc”;",
    "const {x, y} = input; const y = 1; return y;",
    "const f = (z) => { const z = 1; return z; }; return f(1);",
    "input?.a = 1; return input;",
    "return -1 ** 2;",
    "const {a, ...b, c} = input; return a;",
]
RIGHT = [
    "return input;",
    "const a = await Promise.resolve(1); return { a };",
    "const { x } = input; return { x, at: '{{date}}', same: '{{x}}' };",
    "function transform(input) { return input; }\nreturn transform(input);",
    "let output = 1; return { output };",
    "let input = { a: 1 }; return input;",
    "return [...'{{x}}'].map((each, index) => `${each}-${index}`);",
]


def problems(folder: Path, code: str) -> list[tuple[int, str]]:
    (folder / "t.md").write_text(f"{NOTE}\nText.\n\n```js\n// @preprocess\n{code}\n```\n", encoding="utf-8")
    registry = ToolRegistry(folder)
    found = [each for entry in registry.entries() for each in entry.problems if each.severity == "error"]
    tried = registry.preview("t.md", (folder / "t.md").read_bytes())
    assert [each for each in tried.problems if each.severity == "error"] == found
    return [(each.span.line, each.code) for each in found]


@pytest.mark.parametrize("code", WRONG)
def test_what_the_engine_cannot_read_is_told_at_its_line(tmp_path: Path, code: str) -> None:
    assert problems(tmp_path, code) == [(12, "javascript-syntax")]


def test_a_pattern_that_cannot_be_read_is_told_at_the_beginning_of_its_block(tmp_path: Path) -> None:
    assert problems(tmp_path, "return 'a'.match(/[b-a]/);") == [(11, "javascript-syntax")]


@pytest.mark.parametrize("code", RIGHT)
def test_what_the_engine_can_read_is_fine(tmp_path: Path, code: str) -> None:
    assert problems(tmp_path, code) == []


def test_a_block_that_would_never_end_is_only_read(tmp_path: Path) -> None:
    assert problems(tmp_path, "let n = 0; do { n += 1; } while (n > 0); return n;") == []
