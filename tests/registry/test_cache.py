"""What a scan leaves for the next command, and what a damaged or hostile cache cannot do."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.waiting import wait_until

from paperagents.errors import BrokenFileError, UnknownToolError
from paperagents.registry.cache_records import DAMAGED, read_record
from paperagents.registry.entry import Entry
from paperagents.registry.folder_scan import FileRecord, FolderScan
from paperagents.registry.tool_registry import ToolRegistry
from paperagents.vault import open_vault

Write = Callable[..., Path]
Settle = Callable[[], None]

BROKEN = "---\ntool: true\nname: broken\ndescription: d\ntype: chain\n---\n"


@pytest.fixture
def cache(root: Path) -> Path:
    """Where a vault keeps what the last scan found."""
    (root / ".paper").mkdir()
    return root / ".paper" / "cache" / "files.db"


@pytest.fixture
def settle(root: Path) -> Settle:
    """Wait until the files are old enough for their time stamps to tell every change."""

    def wait() -> None:
        newest = max(each.stat().st_ctime_ns for each in root.rglob("*"))
        wait_until(lambda: time.time_ns() - newest > 200_000_000)

    return wait


def entries(root: Path, cache: Path) -> list[Entry]:
    return [entry for entry in ToolRegistry(root, cache_file=cache).entries() if entry.kind != "builtin"]


def fill(root: Path, cache: Path) -> None:
    """Scan the vault, so that the cache is written."""
    ToolRegistry(root, cache_file=cache).refresh()


def change(cache: Path, statement: str, *values: object) -> None:
    """What somebody else may have done to the cache."""
    with closing(sqlite3.connect(cache)) as database, database:
        database.execute(statement, values)


def damage_entry(cache: Path, **fields: object) -> None:
    """Let the cache say something else about a.md."""
    with closing(sqlite3.connect(cache)) as database, database:
        ((text,),) = database.execute("SELECT record FROM definitions WHERE file = ?", (b"a.md",))
        entry, problems = json.loads(text)
        database.execute("UPDATE definitions SET record = ?", (json.dumps([{**entry, **fields}, problems]),))


def files_in(cache: Path) -> list[str]:
    with closing(sqlite3.connect(cache)) as database:
        return [os.fsdecode(row[0]) for row in database.execute("SELECT file FROM files ORDER BY file")]


def test_a_second_scan_of_an_unchanged_vault_reads_no_file(
    root: Path, cache: Path, write: Write, settle: Settle
) -> None:
    for number in range(20):
        write(f"{number}.md", name=f"tool{number}")
    write("note.md", "# only a note\n")
    write("broken.md", BROKEN)
    write("almost.md", "---\ntool: yes\n---\n")
    settle()
    first = ToolRegistry(root, cache_file=cache)
    second = ToolRegistry(root, cache_file=cache)
    assert first.entries() == second.entries()
    assert first.loose_problems() == second.loose_problems()
    assert first.files_read == 23
    assert second.files_read == 0


def test_a_tool_known_from_the_cache_is_read_from_its_file_before_it_is_used(
    root: Path, cache: Path, write: Write, settle: Settle
) -> None:
    write("a.md", name="good")
    settle()
    fill(root, cache)
    assert ToolRegistry(root, cache_file=cache).tool("good").custom_function is not None


def test_a_tool_known_from_the_cache_is_read_once_however_often_it_is_used(
    root: Path, cache: Path, write: Write, settle: Settle
) -> None:
    write("a.md", name="good")
    settle()
    fill(root, cache)
    registry = ToolRegistry(root, cache_file=cache)
    first = registry.tool("good")
    assert registry.tool("good") is first
    registry.refresh()
    assert registry.tool("good") is first
    write("a.md", name="good", custom_function="return 2;")
    assert registry.tool("good").digest != first.digest


def test_only_the_changed_file_is_read_again(root: Path, cache: Path, write: Write, settle: Settle) -> None:
    write("a.md", name="one")
    write("b.md", name="two")
    settle()
    fill(root, cache)
    write("b.md", name="three")
    registry = ToolRegistry(root, cache_file=cache)
    assert [entry.file for entry in registry.entries() if entry.id == "three"] == ["b.md"]
    assert registry.files_read == 1


def test_an_edit_is_noticed_even_when_size_and_time_are_restored(
    root: Path, cache: Path, write: Write, settle: Settle
) -> None:
    place = write("a.md", name="one")
    settle()
    fill(root, cache)
    before = place.stat()
    write("a.md", name="two")
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = place.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert ToolRegistry(root, cache_file=cache).tool("two").file == "a.md"


def test_a_file_put_in_the_place_of_another_is_noticed(root: Path, cache: Path, write: Write, settle: Settle) -> None:
    write("a.md", name="one")
    other = write("b.txt", name="two")
    settle()
    fill(root, cache)
    other.replace(root / "a.md")
    assert ToolRegistry(root, cache_file=cache).tool("two").file == "a.md"


def test_a_file_so_new_that_a_change_could_look_the_same_is_read_again(root: Path, cache: Path, write: Write) -> None:
    write("a.md", name="one")
    ToolRegistry(root, cache_file=cache).refresh()
    write("a.md", name="two")
    assert ToolRegistry(root, cache_file=cache).tool("two").file == "a.md"


def test_deleted_files_leave_the_cache(root: Path, cache: Path, write: Write, settle: Settle) -> None:
    place = write("a.md", name="one")
    settle()
    fill(root, cache)
    place.unlink()
    fill(root, cache)
    assert files_in(cache) == []
    with pytest.raises(UnknownToolError):
        ToolRegistry(root, cache_file=cache).tool("one")


def test_nothing_is_written_where_there_is_no_keeping_folder(root: Path, write: Write, settle: Settle) -> None:
    write("a.md", name="one")
    settle()
    assert open_vault(root).registry.tool("one").file == "a.md"
    assert [each.name for each in root.iterdir()] == ["a.md"]


def test_a_vault_with_a_keeping_folder_keeps_the_cache_there(root: Path, cache: Path, write: Write) -> None:
    write("a.md", name="one")
    assert open_vault(root).registry.tool("one").file == "a.md"
    assert cache.is_file()


def test_file_names_that_are_not_utf8_are_kept_too(root: Path, cache: Path, write: Write, settle: Settle) -> None:
    write("a.md", name="one").rename(os.fsdecode(os.fsencode(root) + b"/\xff.md"))
    settle()
    fill(root, cache)
    registry = ToolRegistry(root, cache_file=cache)
    assert registry.tool("one").file == os.fsdecode(b"\xff.md")
    assert registry.files_read == 0


# --- damaged and hostile caches


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"SQLite format 3\0", b"[" * 200_000])
def test_a_cache_that_is_none_is_made_again(
    content: bytes, root: Path, cache: Path, write: Write, settle: Settle
) -> None:
    write("a.md", name="one")
    settle()
    cache.parent.mkdir()
    cache.write_bytes(content)
    assert [entry.id for entry in entries(root, cache)] == ["one"]
    assert files_in(cache) == ["a.md"]


@pytest.mark.parametrize("length", [0, 100, 4096, 5000, 20_000])
def test_a_cache_that_was_cut_off_or_overwritten_is_made_again(
    length: int, root: Path, cache: Path, write: Write, settle: Settle
) -> None:
    for number in range(50):
        write(f"{number}.md", name=f"tool{number}")
    settle()
    fill(root, cache)
    whole = cache.read_bytes()
    cache.write_bytes(whole[:length] + b"\xa5" * (len(whole) - length))
    assert len(entries(root, cache)) == 50
    assert ToolRegistry(root, cache_file=cache).tool("tool7").file == "7.md"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE format SET format = '99'",
        "DELETE FROM format",
        "INSERT INTO format SELECT * FROM format",
        "DROP TABLE names",
        "CREATE TABLE more (x)",
        "CREATE TRIGGER more AFTER INSERT ON files BEGIN DELETE FROM names; END",
        "CREATE VIEW more AS SELECT * FROM files",
    ],
)
def test_a_cache_of_another_version_or_with_anything_else_in_it_is_made_again(
    statement: str, root: Path, cache: Path, write: Write, settle: Settle
) -> None:
    write("a.md", name="one")
    settle()
    fill(root, cache)
    change(cache, statement)
    registry = ToolRegistry(root, cache_file=cache)
    assert registry.tool("one").file == "a.md"
    assert registry.files_read == 1
    again = ToolRegistry(root, cache_file=cache)
    assert again.tool("one").file == "a.md"
    assert again.files_read == 0


def test_a_cache_cannot_make_a_broken_tool_run(root: Path, cache: Path, write: Write, settle: Settle) -> None:
    write("a.md", BROKEN)
    settle()
    fill(root, cache)
    damage_entry(cache, problems=[])
    with pytest.raises(BrokenFileError):
        ToolRegistry(root, cache_file=cache).tool("broken")


def test_a_cache_cannot_give_a_tool_the_name_of_another(root: Path, cache: Path, write: Write, settle: Settle) -> None:
    write("a.md", name="evil")
    settle()
    fill(root, cache)
    damage_entry(cache, id="good", name="good")
    change(cache, "UPDATE names SET name = ?", b"good")
    with pytest.raises(UnknownToolError):
        ToolRegistry(root, cache_file=cache).tool("good")


def test_a_tool_whose_record_is_missing_is_read_again(root: Path, cache: Path, write: Write, settle: Settle) -> None:
    write("a.md", name="one")
    settle()
    fill(root, cache)
    change(cache, "DELETE FROM definitions")
    assert [entry.id for entry in entries(root, cache)] == ["one"]


def test_a_vault_that_cannot_be_written_is_read_by_its_cache(
    root: Path, cache: Path, write: Write, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("a.md", name="one")
    settle()
    fill(root, cache)
    # The superuser may write everywhere, so the question is answered for him.
    monkeypatch.setattr(os, "access", lambda *_: False)
    write("b.md", name="two")
    settle()
    registry = ToolRegistry(root, cache_file=cache)
    assert [registry.tool(name).file for name in ("one", "two")] == ["a.md", "b.md"]
    assert registry.files_read == 1
    assert files_in(cache) == ["a.md"]


PLACE = {"line": 1, "column": 1, "end_line": 1, "end_column": 1}


@pytest.mark.parametrize(
    "damage",
    [
        ("id", {}),
        ("id", 5),
        ("name", []),
        ("name", None),
        ("description", None),
        ("kind", "builtin"),
        ("kind", "agent"),
        ("kind", 1),
        ("type", "weird"),
        ("file", None),
        ("file", "../../etc/passwd"),
        ("file", "other.md"),
        ("span", {**PLACE, "line": "x"}),
        ("span", 5),
        ("aliases", 5),
        ("required", [[]]),
        ("parameters", 3),
        ("calls", [{"tool": 5, "span": PLACE, "arguments": {}, "conditional": False}]),
        ("problems", [{"code": "nope", "severity": "error", "file": "a.md", "span": PLACE, "values": {}}]),
        ("problems", [{"code": "not-utf8", "severity": "error", "file": "a.md", "span": PLACE, "values": {}}]),
        ("problems", [{"code": "missing-steps", "severity": "x", "file": "a.md", "span": PLACE, "values": {}}]),
        ("problems", [{"code": "missing-steps", "severity": "error", "file": "a.md", "span": {}, "values": 5}]),
    ],
)
def test_a_damaged_entry_never_ends_the_program(
    damage: tuple[str, object], root: Path, cache: Path, write: Write, settle: Settle
) -> None:
    write("a.md", name="good")
    settle()
    fill(root, cache)
    damage_entry(cache, **dict([damage]))
    registry = ToolRegistry(root, cache_file=cache)
    for entry in registry.entries():
        assert isinstance(entry.as_json(), dict)
    try:
        assert registry.tool("good").custom_function is not None
    except (UnknownToolError, BrokenFileError) as error:
        assert str(error)  # noqa: PT017  a lie about a file may hide it, in our own words


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_a_record_or_none(value: object) -> None:
    with suppress(*DAMAGED):
        assert read_record(json.dumps(value), "a.md", None) == FileRecord(stamp=None)


def test_records_of_files_that_are_gone_are_dropped(root: Path, write: Write) -> None:
    write("a.md", name="one")
    scan = FolderScan(root=root)
    scan.note(scan.refresh())
    (root / "a.md").unlink()
    assert scan.refresh() == {"a.md": None}


def test_a_planted_link_cannot_make_the_cache_write_elsewhere(
    root: Path, cache: Path, tmp_path: Path, write: Write
) -> None:
    write("a.md", name="one")
    precious = tmp_path / "precious"
    precious.write_text("precious", encoding="utf-8")
    cache.parent.mkdir()
    cache.symlink_to(precious)
    (cache.parent / f"{cache.name}-journal").symlink_to(precious)
    assert [entry.id for entry in entries(root, cache)] == ["one"]
    assert precious.read_text(encoding="utf-8") == "precious"


def test_a_cache_folder_that_is_a_link_is_not_written_through(
    root: Path, cache: Path, tmp_path: Path, write: Write
) -> None:
    write("a.md", name="one")
    outside = tmp_path / "outside"
    outside.mkdir()
    cache.parent.symlink_to(outside)
    assert [entry.id for entry in entries(root, cache)] == ["one"]
    assert list(outside.iterdir()) == []


def test_a_cache_folder_that_is_a_file_is_no_reason_to_fail(root: Path, cache: Path, write: Write) -> None:
    write("a.md", name="one")
    cache.parent.write_text("", encoding="utf-8")
    assert [entry.id for entry in entries(root, cache)] == ["one"]
