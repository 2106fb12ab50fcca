"""A copy is whole, overwrites nothing, and can be put back; what is damaged is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperagents.errors import StorageError, UsageError
from paperagents.storage.backup import back_up, restore
from paperagents.storage.database import Database
from paperagents.storage.entries import EntryStore
from paperagents.storage.sqlite import SqliteDatabase


@pytest.fixture
def embedded(tmp_path: Path) -> SqliteDatabase:
    return SqliteDatabase(tmp_path / ".paper" / "paper.db")


def test_what_was_backed_up_comes_back(embedded: SqliteDatabase, tmp_path: Path) -> None:
    store = EntryStore(embedded)
    store.put("memory", "a", {"content": "then"})
    copy = tmp_path / "copy.db"
    back_up(embedded, copy)
    store.put("memory", "a", {"content": "now"})
    restore(embedded, copy)
    assert store.content("memory", "a") == "then"
    earlier = EntryStore(SqliteDatabase(embedded.file.with_name("paper.db.before-restore")))
    assert earlier.content("memory", "a") == "now"
    embedded.close()


def test_a_copy_is_the_owners_alone_and_overwrites_nothing(embedded: SqliteDatabase, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    back_up(embedded, copy)
    assert copy.stat().st_mode & 0o077 == 0
    with pytest.raises(UsageError) as caught:
        back_up(embedded, copy)
    assert caught.value.code == "backup-exists"
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".copy")] == []
    embedded.close()


def test_a_copy_can_be_made_while_somebody_writes(embedded: SqliteDatabase, tmp_path: Path) -> None:
    with SqliteDatabase(embedded.file).transaction() as connection:
        connection.execute("INSERT INTO tag_counts VALUES ('open', 1, 1, 1, 1.0)")
        back_up(embedded, tmp_path / "copy.db")
    copied = SqliteDatabase(tmp_path / "copy.db")
    assert copied.rows("SELECT * FROM tag_counts") == []
    copied.close()
    embedded.close()


@pytest.mark.parametrize("content", [b"", b"no database" * 100])
def test_a_damaged_copy_is_refused_and_nothing_changes(
    embedded: SqliteDatabase, tmp_path: Path, content: bytes
) -> None:
    store = EntryStore(embedded)
    store.put("memory", "a", {"content": "kept"})
    (tmp_path / "bad.db").write_bytes(content)
    with pytest.raises(UsageError) as caught:
        restore(embedded, tmp_path / "bad.db")
    assert caught.value.code == "backup-damaged"
    assert store.content("memory", "a") == "kept"
    embedded.close()


def test_a_missing_copy_is_told(embedded: SqliteDatabase, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        restore(embedded, tmp_path / "none.db")
    assert caught.value.code == "no-such-file"


def test_a_server_makes_its_own_copies(database: Database, tmp_path: Path) -> None:
    if isinstance(database, SqliteDatabase):
        pytest.skip("it is a file")
    with pytest.raises(UsageError) as caught:
        back_up(database, tmp_path / "copy.db")
    assert caught.value.code == "backup-by-server"


# --- when it cannot be written


def test_a_full_disk_is_told_and_what_was_written_stays(embedded: SqliteDatabase) -> None:
    store = EntryStore(embedded)
    store.put("memory", "a", {"content": "kept"})
    pages = embedded.rows("PRAGMA page_count")[0][0]
    embedded.rows(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StorageError) as caught:
        store.put("memory", "b", {"content": "x" * 100_000})
    assert caught.value.code == "database-full"
    assert [entry.identifier for entry in store.entries("memory")] == ["a"]
    embedded.close()


def test_a_database_that_may_only_be_read_can_be_read(embedded: SqliteDatabase) -> None:
    EntryStore(embedded).put("memory", "a", {"content": "kept"})
    embedded.close()
    embedded.rows("SELECT 1")
    embedded.rows("PRAGMA query_only = ON")
    store = EntryStore(embedded)
    assert store.content("memory", "a") == "kept"
    with pytest.raises(StorageError) as caught:
        store.put("memory", "b", {})
    assert caught.value.code == "database-read-only"
    embedded.close()


def test_a_folder_that_may_only_be_read_can_be_read(embedded: SqliteDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    EntryStore(embedded).put("memory", "a", {"content": "kept"})
    embedded.close()
    # The superuser, as whom tests may run, may write everywhere.
    monkeypatch.setattr("os.access", lambda *_: False)
    store = EntryStore(embedded)
    assert store.content("memory", "a") == "kept"
    with pytest.raises(StorageError) as caught:
        store.put("memory", "b", {})
    assert caught.value.code == "database-read-only"
    embedded.close()


def test_the_check_finds_a_damaged_page(embedded: SqliteDatabase) -> None:
    store = EntryStore(embedded)
    for number in range(200):
        store.put("memory", f"entry-{number}", {"content": "x" * 500})
    assert embedded.check() == []
    embedded.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    embedded.close()
    content = bytearray(embedded.file.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = b"\xff" * 4096
    embedded.file.write_bytes(content)
    damaged = SqliteDatabase(embedded.file)
    assert damaged.check() != []
    damaged.close()
