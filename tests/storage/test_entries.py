"""Entries are created, changed, deleted and brought back, and every version of them stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paperagents.definitions.text import ENTRY_KINDS
from paperagents.errors import PaperError, ToolError
from paperagents.storage.database import Database
from paperagents.storage.entries import FIELDS, EntryStore
from paperagents.storage.sqlite import SqliteDatabase


@pytest.fixture
def store(database: Database) -> EntryStore:
    return EntryStore(database)


def test_looking_into_an_empty_vault_makes_no_database(tmp_path: Path) -> None:
    store = EntryStore(SqliteDatabase(tmp_path / ".paper" / "paper.db"))
    assert store.get("memory", "a") is None
    assert store.entries("memory") == []
    assert store.versions("memory", "a") == []
    assert not (tmp_path / ".paper").exists()


def test_an_entry_comes_back_as_it_was_put(store: EntryStore) -> None:
    put = store.put("datavault", "a", {"content": "x", "type": "code", "description": "d"})
    assert store.get("datavault", "a") == put
    assert (put.content, put.type, put.description, put.version) == ("x", "code", "d", 1)
    assert put.created == put.updated


def test_kinds_do_not_share_names(store: EntryStore) -> None:
    for kind in ENTRY_KINDS:
        store.put(kind, "same", {"content": kind})
    assert [getattr(store.get(kind, "same"), "content", None) for kind in ENTRY_KINDS] == list(ENTRY_KINDS)


def test_a_new_task_is_pending_and_new_data_is_text(store: EntryStore) -> None:
    assert store.put("task", "t", {}).status == "pending"
    assert store.put("datavault", "d", {}).type == "text"
    assert store.put("memory", "m", {}).status is None


def test_empty_content_is_content(store: EntryStore) -> None:
    store.put("memory", "a", {"content": "x"})
    assert store.put("memory", "a", {"content": ""}).content == ""
    assert store.put("memory", "b", {"content": ""}, mode="create").content == ""


@pytest.mark.parametrize("field", FIELDS)
def test_a_change_of_one_field_keeps_the_others(store: EntryStore, field: str) -> None:
    first = store.put("task", "a", {name: f"old {name}" for name in FIELDS})
    second = store.put("task", "a", {field: "new"})
    expected = {name: "new" if name == field else f"old {name}" for name in FIELDS}
    assert {name: getattr(second, name) for name in FIELDS} == expected
    assert (second.created, second.version) == (first.created, 2)


def test_creating_an_existing_entry_is_an_error_and_leaves_it(store: EntryStore) -> None:
    store.put("goal", "a", {"content": "old"})
    with pytest.raises(ToolError) as raised:
        store.put("goal", "a", {"content": "new"}, mode="create")
    assert raised.value.code == "entry-exists"
    assert [version["version"] for version in store.versions("goal", "a")] == [1]


def test_updating_a_missing_entry_is_an_error_and_makes_none(store: EntryStore) -> None:
    with pytest.raises(ToolError) as raised:
        store.put("goal", "a", {"content": "new"}, mode="update")
    assert raised.value.code == "entry-not-found"
    assert store.get("goal", "a") is None


def test_deleting_a_missing_entry_is_an_error(store: EntryStore) -> None:
    with pytest.raises(ToolError) as raised:
        store.delete("memory", "a")
    assert raised.value.code == "entry-not-found"


def test_versions_tell_the_whole_story(store: EntryStore) -> None:
    store.put("memory", "a", {"content": "one"})
    store.put("memory", "a", {"content": "two"})
    store.delete("memory", "a")
    store.put("memory", "a", {"content": "three"}, mode="create")
    told: list[Any] = [version["fields"] for version in store.versions("memory", "a")]
    assert [fields and fields["content"] for fields in told] == ["one", "two", None, "three"]
    assert [version["version"] for version in store.versions("memory", "a")] == [1, 2, 3, 4]


def test_a_restored_entry_is_exactly_what_it_was(store: EntryStore) -> None:
    first = store.put("task", "a", {"content": "one"})
    store.put("task", "a", {"content": "two", "heading": "added later", "status": "finished"})
    restored = store.set_fields("task", "a", store.at_version("task", "a", 1).stored())
    assert {name: getattr(restored, name) for name in FIELDS} == {name: getattr(first, name) for name in FIELDS}
    assert restored.version == 3
    assert store.get("task", "a") == restored


def test_restoring_can_be_undone(store: EntryStore) -> None:
    store.put("memory", "a", {"content": "one"})
    store.put("memory", "a", {"content": "two"})
    store.set_fields("memory", "a", store.at_version("memory", "a", 1).stored())
    assert store.at_version("memory", "a", 2).content == "two"


def test_a_deleted_entry_can_be_brought_back(store: EntryStore) -> None:
    store.put("memory", "a", {"content": "one", "notes": "n"})
    store.delete("memory", "a")
    assert store.get("memory", "a") is None
    brought_back = store.at_version("memory", "a", 1)
    assert (brought_back.content, brought_back.notes) == ("one", "n")


@pytest.mark.parametrize("version", [0, -1, 2, 3, 10**6, 2**70])
def test_what_is_no_version_cannot_be_restored(store: EntryStore, version: int) -> None:
    store.put("memory", "a", {"content": "one"})
    store.delete("memory", "a")
    with pytest.raises(ToolError) as raised:
        store.at_version("memory", "a", version)
    assert raised.value.code == "entry-version-not-found"


def test_entries_are_listed_by_name(store: EntryStore) -> None:
    for identifier in ("b", "a", "c"):
        store.put("memory", identifier, {"content": identifier})
    assert [entry.identifier for entry in store.entries("memory")] == ["a", "b", "c"]


@pytest.mark.parametrize("field", [*FIELDS, "identifier"])
def test_search_looks_into_every_field_in_any_case(store: EntryStore, field: str) -> None:
    store.put("task", "Größe" if field == "identifier" else "hit", {} if field == "identifier" else {field: "GRÖSSE"})
    store.put("task", "other", {"content": "nothing"})
    assert len(store.entries("task", search="größe")) == 1


def test_search_takes_its_text_literally(store: EntryStore) -> None:
    store.put("memory", "a", {"content": "100% sure_thing"})
    store.put("memory", "b", {"content": "100 sure thing"})
    assert [entry.identifier for entry in store.entries("memory", search="0%")] == ["a"]
    assert [entry.identifier for entry in store.entries("memory", search="e_t")] == ["a"]
    assert store.entries("memory", search="' OR 1=1 --") == []


def test_all_inside_together_is_taken_back_when_something_fails(store: EntryStore) -> None:
    store.put("memory", "a", {"content": "old"})

    def change_and_fail() -> None:
        with store.together():
            store.put("memory", "a", {"content": "new"})
            store.put("memory", "b", {"content": "new"})
            store.put("memory", "a", {}, mode="create")

    with pytest.raises(PaperError):
        change_and_fail()
    assert [(entry.identifier, entry.content) for entry in store.entries("memory")] == [("a", "old")]
    assert len(store.versions("memory", "a")) == 1


def test_a_failure_that_was_caught_inside_together_costs_only_itself(store: EntryStore) -> None:
    with store.together():
        store.put("memory", "a", {"content": "1"})
        with pytest.raises(PaperError):
            store.put("memory", "a", {"content": "2"}, mode="create")
        store.put("memory", "b", {"content": "3"})
    assert [entry.content for entry in store.entries("memory")] == ["1", "3"]


@pytest.mark.parametrize("identifier", ["\udcff", "a\x00b", "'; DROP TABLE entries; --", "x" * 10**6, "", "../../a"])
def test_looking_for_a_hostile_name_finds_nothing_and_breaks_nothing(store: EntryStore, identifier: str) -> None:
    store.put("memory", "a", {"content": "kept"})
    assert store.get("memory", identifier) is None
    assert store.versions("memory", identifier) == []
    assert [entry.content for entry in store.entries("memory")] == ["kept"]


texts = st.text(st.characters(), max_size=40) | st.sampled_from(
    ["\x00", "\ud800", "\udfff\ud800", "it's", '/>}}"', "\r\n"]
)


@given(changes=st.lists(st.dictionaries(st.sampled_from(FIELDS), texts), min_size=1, max_size=5))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
def test_any_text_comes_back_character_by_character(store: EntryStore, changes: list[dict[str, str]]) -> None:
    expected: dict[str, str] = {}
    before = len(store.versions("memory", "a"))
    with store.together():
        for change in changes:
            store.put("memory", "a", change)
            expected |= change
    entry = store.get("memory", "a")
    assert entry is not None
    assert {name: getattr(entry, name) for name in expected} == expected
    assert entry.version == before + len(changes)
