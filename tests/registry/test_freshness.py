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
