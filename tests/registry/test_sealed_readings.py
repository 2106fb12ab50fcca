"""What was read from a tool's file is kept for its user, and what anybody else has written there is never opened."""

from __future__ import annotations

import os
import pickle
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.waiting import wait_until

from paperagents.approval.signatures import UserKey
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import BrokenFileError
from paperagents.reading import files
from paperagents.registry.tool_registry import ToolRegistry

Write = Callable[..., Path]


@pytest.fixture
def cache(root: Path) -> Path:
    (root / ".paper").mkdir()
    return root / ".paper" / "cache" / "files.db"


@pytest.fixture
def key(tmp_path: Path) -> UserKey:
    return UserKey(tmp_path / "user")


def find_tool(root: Path, cache: Path, key: UserKey, name: str = "good") -> ToolDefinition:
    """As a new process finds it, in files that are old enough for their times to tell every change."""
    newest = max(each.stat().st_ctime_ns for each in root.glob("*.md"))
    wait_until(lambda: time.time_ns() - newest > 200_000_000)
    registry = ToolRegistry(root, cache_file=cache, seal=key.seal)
    registry.refresh()
    return ToolRegistry(root, cache_file=cache, seal=key.seal).tool(name)


def rows(cache: Path) -> list[tuple[bytes, bytes]]:
    with closing(sqlite3.connect(cache)) as database:
        return database.execute("SELECT file, sealed FROM readings").fetchall()


def refuse_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("the file was read again")

    monkeypatch.setattr(files, "read_definition", fail)


def test_a_file_whose_bytes_were_read_before_is_not_read_again(
    root: Path, cache: Path, key: UserKey, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.md", name="good")
    first = find_tool(root, cache, key)
    refuse_to_read(monkeypatch)
    assert ToolRegistry(root, cache_file=cache, seal=key.seal).tool("good") == first


def test_other_bytes_are_read_whatever_was_kept(root: Path, cache: Path, key: UserKey, write: Write) -> None:
    write("a.md", name="good")
    first = find_tool(root, cache, key)
    write("a.md", name="good", custom_function="return 2;")
    assert find_tool(root, cache, key).digest != first.digest


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return os.mkdir, (str(self._place),)


def test_what_carries_no_seal_of_the_user_is_not_opened(
    root: Path, cache: Path, key: UserKey, write: Write, tmp_path: Path
) -> None:
    write("a.md", name="good")
    first = find_tool(root, cache, key)
    ours = rows(cache)[0][1][:32]
    for seal in (b"", bytes(32), ours, UserKey(tmp_path / "other").seal(b"")):
        with closing(sqlite3.connect(cache)) as database, database:
            database.execute("UPDATE readings SET sealed = ?", (seal + pickle.dumps(Trap(tmp_path / "sprung")),))
        assert find_tool(root, cache, key) == first
        assert not (tmp_path / "sprung").exists()


def test_a_sealed_reading_counts_for_no_other_file(root: Path, cache: Path, key: UserKey, write: Write) -> None:
    write("a.md", name="good")
    find_tool(root, cache, key)
    ((_, sealed),) = rows(cache)
    write("b.md", name="other")
    assert find_tool(root, cache, key, "other").id == "other"
    with closing(sqlite3.connect(cache)) as database, database:
        database.execute("REPLACE INTO readings VALUES (?, ?)", (b"b.md", sealed))
    assert find_tool(root, cache, key, "other").id == "other"


def test_another_user_reads_the_file(root: Path, cache: Path, key: UserKey, write: Write, tmp_path: Path) -> None:
    write("a.md", name="good")
    first = find_tool(root, cache, key)
    ours = rows(cache)
    assert find_tool(root, cache, UserKey(tmp_path / "other")) == first
    assert rows(cache) != ours


def test_what_cannot_be_used_is_not_kept(root: Path, cache: Path, key: UserKey, write: Write) -> None:
    write("a.md", "---\ntool: true\nname: bad\ndescription: d\ntype: chain\n---\n")
    with pytest.raises(BrokenFileError):
        find_tool(root, cache, key, "bad")
    assert rows(cache) == []


def test_the_reading_of_a_file_that_is_gone_goes_with_it(root: Path, cache: Path, key: UserKey, write: Write) -> None:
    place = write("a.md", name="good")
    find_tool(root, cache, key)
    assert len(rows(cache)) == 1
    place.unlink()
    ToolRegistry(root, cache_file=cache, seal=key.seal).refresh()
    assert rows(cache) == []
