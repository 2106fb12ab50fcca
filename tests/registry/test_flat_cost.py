"""What one name costs in a large vault: looks at files are counted, not seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.waiting import wait_until

from paperagents.errors import BrokenFileError, UnknownToolError
from paperagents.registry import folder_scan, vault_state
from paperagents.registry.folder_scan import Stamp
from paperagents.registry.tool_registry import ToolRegistry

Write = Callable[..., Path]
NOTES = 60


class Looks:
    """Which files were looked at, and how many folders were listed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
        self.files: list[str] = []
        self.walks = 0
        stamp, listing = folder_scan._stamp, folder_scan._Listing

        def counted_stamp(path: str, now: int) -> Stamp | None:
            if path.endswith(".md"):
                self.files.append(path.removeprefix(f"{root}/"))
            return stamp(path, now)

        def counted_listing(top: str) -> folder_scan._Listing:
            self.walks += 1
            return listing(top)

        monkeypatch.setattr(folder_scan, "_stamp", counted_stamp)
        monkeypatch.setattr(folder_scan, "_Listing", counted_listing)

    def forget(self) -> None:
        self.files.clear()
        self.walks = 0


@pytest.fixture
def cache(root: Path) -> Path:
    (root / ".paper").mkdir()
    return root / ".paper" / "cache" / "files.db"


@pytest.fixture
def large(root: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault that counts as large, with notes, chains and a few that are wrong."""
    monkeypatch.setattr(vault_state, "FEW_FILES", 10)
    for number in range(NOTES):
        write(f"notes/{number}.md", f"# Note {number}\n")
    write("tools/leaf.md", name="leaf")
    write("tools/chain.md", id="chain", name="The chain", steps="[{tool: leaf}, {tool: middle}]")
    write("tools/middle.md", name="middle", steps="[{tool: leaf}]")
    write("tools/same-1.md", id="same", name="same 1")
    write("tools/same-2.md", id="same", name="same 2")
    write("tools/missing.md", name="missing", steps="[{tool: leef}]")
    write("tools/round.md", name="round", steps="[{tool: about}]")
    write("tools/about.md", name="about", steps="[{tool: round}]")
    write("tools/log.md", name="log", log="tools/leaf.md")
    write("agents/helper.md", "---\nagent: true\nname: Helper\ndescription: d\ntools: [leaf]\n---\nHello.\n")
    write("agents/all.md", "---\nagent: true\nname: All\ndescription: d\ntools: [le*, x*]\n---\nHello.\n")
    settle(root)
    return root


def settle(root: Path) -> None:
    newest = max(each.stat().st_ctime_ns for each in root.rglob("*"))
    wait_until(lambda: time.time_ns() - newest > 200_000_000)


@pytest.fixture
def looks(large: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Looks:
    """Counts from when the cache has been written."""
    ToolRegistry(large, cache_file=cache).refresh()
    settle(large)
    return Looks(monkeypatch, large)


def test_a_known_name_is_found_by_a_look_at_its_own_file(large: Path, cache: Path, looks: Looks) -> None:
    registry = ToolRegistry(large, cache_file=cache)
    assert registry.tool("leaf").file == "tools/leaf.md"
    assert (set(looks.files), looks.walks, registry.files_read) == ({"tools/leaf.md"}, 0, 0)


@pytest.mark.parametrize("name", ["chain", "The chain"])
def test_a_chain_is_checked_by_looks_at_what_it_calls(name: str, large: Path, cache: Path, looks: Looks) -> None:
    registry = ToolRegistry(large, cache_file=cache)
    assert registry.tool(name).file == "tools/chain.md"
    assert set(looks.files) == {"tools/chain.md", "tools/leaf.md", "tools/middle.md"}
    assert looks.walks == 0


def test_an_agent_is_found_the_same_way(large: Path, cache: Path, looks: Looks) -> None:
    assert ToolRegistry(large, cache_file=cache).agent("Helper").file == "agents/helper.md"
    assert ToolRegistry(large, cache_file=cache).tool("agent:helper").file == "agents/helper.md"
    assert (set(looks.files), looks.walks) == ({"agents/helper.md", "tools/leaf.md"}, 0)


@pytest.mark.usefixtures("looks")
def test_what_is_looked_up_is_what_is_listed(large: Path, cache: Path) -> None:
    listed = [entry for entry in ToolRegistry(large, cache_file=cache).entries() if entry.file]
    assert {each.code for entry in listed for each in entry.problems} == {
        "duplicate-id", "unknown-tool", "endless-chain", "invalid-log", "pattern-matches-nothing",
    }  # fmt: skip
    for entry in (each for each in listed if each.id != "same"):
        assert ToolRegistry(large, cache_file=cache).find(entry.id) == entry
        assert ToolRegistry(large, cache_file=cache).find(entry.name) == entry
    with pytest.raises(BrokenFileError):
        ToolRegistry(large, cache_file=cache).tool("same")


def test_an_edited_file_is_read_alone_and_kept(large: Path, cache: Path, looks: Looks, write: Write) -> None:
    write("tools/leaf.md", name="leaf", description="Edited.")
    settle(large)
    registry = ToolRegistry(large, cache_file=cache)
    assert registry.tool("leaf").description == "Edited."
    assert (looks.walks, registry.files_read) == (0, 1)
    again = ToolRegistry(large, cache_file=cache)
    assert again.tool("leaf").description == "Edited."
    assert again.files_read == 0


def test_a_name_of_which_nothing_is_known_is_looked_for_everywhere_once(
    large: Path, cache: Path, looks: Looks, write: Write
) -> None:
    write("notes/7.md", name="late")
    registry = ToolRegistry(large, cache_file=cache)
    assert registry.tool("late").file == "notes/7.md"
    assert looks.walks == 1
    with pytest.raises(UnknownToolError, match="'leaf'"):
        ToolRegistry(large, cache_file=cache).tool("leav")
    with pytest.raises(UnknownToolError, match="'helper'"):
        ToolRegistry(large, cache_file=cache).agent("helpr")


def test_an_unknown_name_that_is_asked_for_again_costs_a_look_at_the_folders(
    large: Path, cache: Path, looks: Looks, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vault_state, "FRESH_SECONDS", 1_000.0)
    registry = ToolRegistry(large, cache_file=cache)
    for _ in range(3):
        with pytest.raises(UnknownToolError):
            registry.tool("late")
    assert looks.walks == 1
    write("notes/new.md", name="late")
    assert registry.tool("late").file == "notes/new.md"


def test_who_follows_the_vault_looks_at_no_file_for_an_unknown_name(
    large: Path, cache: Path, looks: Looks, write: Write
) -> None:
    registry = ToolRegistry(large, cache_file=cache)
    registry.refresh()
    registry.follow(is_followed=True)
    looks.forget()
    with pytest.raises(UnknownToolError, match="'leaf'"):
        registry.tool("leav")
    assert (looks.files, looks.walks) == ([], 0)
    write("notes/new.md", name="leav")
    assert registry.tool("leav").file == "notes/new.md"


@pytest.mark.usefixtures("looks")
def test_a_tool_that_is_gone_renamed_or_moved_is_not_found_where_it_was(large: Path, cache: Path, write: Write) -> None:
    (large / "tools" / "leaf.md").rename(large / "moved.md")
    assert ToolRegistry(large, cache_file=cache).tool("leaf").file == "moved.md"
    write("moved.md", name="other")
    with pytest.raises(UnknownToolError):
        ToolRegistry(large, cache_file=cache).tool("leaf")
    (large / "moved.md").unlink()
    with pytest.raises(UnknownToolError):
        ToolRegistry(large, cache_file=cache).tool("other")


def test_a_name_that_was_looked_up_once_is_looked_up_again_by_one_look(large: Path, cache: Path, looks: Looks) -> None:
    registry = ToolRegistry(large, cache_file=cache)
    registry.tool("chain")
    looks.forget()
    assert registry.tool("chain").file == "tools/chain.md"
    assert looks.files == ["tools/chain.md"]


@pytest.mark.usefixtures("looks")
def test_another_process_may_change_the_cache_meanwhile(large: Path, cache: Path, write: Write) -> None:
    registry = ToolRegistry(large, cache_file=cache)
    first = registry.tool("leaf")
    write("notes/1.md", id="leaf", name="another")
    ToolRegistry(large, cache_file=cache).refresh()
    assert registry.tool("leaf") is first
    with pytest.raises(BrokenFileError):
        registry.tool("another")
    (large / "notes" / "1.md").unlink()
    ToolRegistry(large, cache_file=cache).refresh()
    with pytest.raises(UnknownToolError):
        registry.tool("another")
    assert registry.find("leaf").valid


def test_a_tag_of_a_large_vault_is_suggested_to_nobody(large: Path, cache: Path, write: Write) -> None:
    write("words/LEAF.md", "---\ntag: true\nid: LEAF\nname: LEAF\ndescription: d\ntype: block\n---\n")
    settle(large)
    ToolRegistry(large, cache_file=cache).refresh()
    with pytest.raises(UnknownToolError, match="'leaf'"):
        ToolRegistry(large, cache_file=cache).find("LEAF")
