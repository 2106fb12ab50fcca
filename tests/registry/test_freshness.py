"""A process that stays up sees every change without being told, also when nobody follows the folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperagents.errors import BrokenFileError, UnknownToolError
from paperagents.registry.tool_registry import ToolRegistry


def tool(name: str, description: str = "x") -> str:
    return f"---\ntool: true\nname: {name}\ndescription: {description}\n---\n```js\n// @preprocess\nreturn input\n```\n"


def test_an_edit_counts_at_the_next_use(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(tool("a", "first"))
    registry = ToolRegistry(tmp_path)
    assert registry.tool("a").description == "first"
    (tmp_path / "a.md").write_text(tool("a", "second"))
    assert registry.tool("a").description == "second"


def test_a_new_file_is_found_when_its_tool_is_asked_for(tmp_path: Path) -> None:
    registry = ToolRegistry(tmp_path)
    with pytest.raises(UnknownToolError):
        registry.tool("late")
    (tmp_path / "late.md").write_text(tool("late"))
    assert registry.tool("late").name == "late"


def test_a_deleted_or_renamed_tool_is_gone_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(tool("a"))
    registry = ToolRegistry(tmp_path)
    registry.tool("a")
    (tmp_path / "a.md").write_text(tool("b"))
    with pytest.raises(UnknownToolError):
        registry.tool("a")
    assert registry.tool("b").name == "b"
    (tmp_path / "a.md").unlink()
    with pytest.raises(UnknownToolError):
        registry.tool("b")


def test_a_broken_edit_keeps_the_last_good_version_serving_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(tool("a", "good"))
    registry = ToolRegistry(tmp_path)
    registry.tool("a")
    (tmp_path / "a.md").write_text(tool("a", "good").replace("return input", "return ("))
    assert registry.tool("a").description == "good"
    assert registry.find("a").stale
    assert not registry.find("a").valid


def test_a_tool_that_was_never_good_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(tool("a").replace("return input", "return ("))
    with pytest.raises(BrokenFileError):
        ToolRegistry(tmp_path).tool("a")


def test_a_broken_edit_is_told_with_the_problems_of_the_file_as_it_is(tmp_path: Path) -> None:
    chain = "---\ntool: true\nname: a\ndescription: d\nsteps: [{tool: b}, {tool: missing, if: input.x}]\n---\n"
    (tmp_path / "a.md").write_text(chain)
    (tmp_path / "b.md").write_text(tool("b"))
    (tmp_path / "missing.md").write_text(tool("missing"))
    registry = ToolRegistry(tmp_path)
    registry.tool("a")
    (tmp_path / "missing.md").unlink()
    (tmp_path / "b.md").write_text(chain.replace("name: a", "name: b").replace("tool: b", "tool: a"))
    (tmp_path / "a.md").write_text("---\ntool: true\nname: [\n---\n")
    registry.refresh()
    assert [each.code for each in registry.find("a").problems] == ["yaml-syntax"]


def test_a_tool_that_becomes_a_broken_agent_is_no_tool_any_more(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(tool("a"))
    registry = ToolRegistry(tmp_path)
    registry.tool("a")
    (tmp_path / "a.md").write_text(
        "---\nagent: true\nname: a\ndescription: d\ntools: [nobody]\nprotocol: x\n---\nHi.\n"
    )
    registry.refresh()
    (entry,) = registry.entries()
    assert (entry.kind, entry.stale, entry.valid) == ("agent", False, False)
