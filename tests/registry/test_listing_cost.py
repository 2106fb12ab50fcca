"""Listing a vault has a total limit: files that compute for ever hold up nobody for longer than that."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperagents.registry.folder_scan import FolderScan
from paperagents.registry.tool_registry import ToolRegistry

LOOPING = "module.exports = { getMetadata() { for (;;) {} }, getSchema() { return {} }, execute() { return 1 } };"
GOOD = "module.exports = { getMetadata() { return {} }, getSchema() { return {} }, execute() { return 1 } };"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, code in (("a", LOOPING), ("b", LOOPING), ("c", GOOD)):
        (tmp_path / f"{name}.tool.js").write_text(code, encoding="utf-8")
    (tmp_path / "note.md").write_text("---\ntool: true\nid: plain\nname: plain\n---\n", encoding="utf-8")
    return tmp_path


def codes(scan: FolderScan) -> dict[str, list[str]]:
    """What a look at the folder finds; files that are too new are found each time."""
    found = scan.refresh()
    scan.note(found)
    entries = {file: record.entry for file, record in found.items() if record is not None}
    return {file: [each.code for each in entry.problems] for file, entry in entries.items() if entry is not None}


def test_what_comes_after_the_limit_is_told_and_read_at_the_next_look(root: Path) -> None:
    scan = FolderScan(root=root, javascript_seconds=0.0)
    found = codes(scan)
    assert (found["a.tool.js"], found["b.tool.js"], found["c.tool.js"]) == (
        ["tool-not-evaluated"], ["tool-not-read"], ["tool-not-read"],
    )  # fmt: skip
    assert "tool-not-read" not in found["note.md"]
    (root / "a.tool.js").unlink()
    found = codes(scan)
    assert (found["b.tool.js"], found["c.tool.js"]) == (["tool-not-evaluated"], ["tool-not-read"])


def test_harmless_files_do_not_use_up_the_limit(root: Path) -> None:
    for name in ("a", "b"):
        (root / f"{name}.tool.js").write_text(GOOD, encoding="utf-8")
    scan = FolderScan(root=root)
    assert not any("tool-not-read" in each for each in codes(scan).values())


def test_a_tool_that_was_not_read_yet_is_read_when_it_is_used(root: Path) -> None:
    registry = ToolRegistry(root)
    registry._scan.javascript_seconds = 0.0
    registry.refresh()
    listed = {entry.id: entry for entry in registry.entries()}
    assert [each.code for each in listed["c"].problems] == ["tool-not-read"]
    assert registry.tool("c").id == "c"
