"""A change costs what it touches, and what is known afterwards is what a fresh look would find."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperagents.definitions.source import Span
from paperagents.registry import vault_index
from paperagents.registry.entry import CallSite, Entry
from paperagents.registry.folder_scan import FileRecord
from paperagents.registry.tool_registry import ToolRegistry
from paperagents.registry.vault_checks import FileChecks
from paperagents.registry.vault_index import VaultIndex

Write = Callable[..., Path]
PLACE = Span(line=1, column=1, end_line=1, end_column=2)
NAMES = ("one", "two", "three", "One", "agent:two", "t*")


def entry(file: str, kind: str, names: tuple[str, str], calls: tuple[str, ...], *, readable: bool, log: int) -> Entry:
    sites = tuple(CallSite(tool=each, span=PLACE, conditional=kind == "agent") for each in calls)
    if kind == "tag":
        return Entry(id=names[0], name=names[1], kind="tag", type="tag", file=file, words={names[1]: PLACE}, span=PLACE)
    kind_of = {"tool": "markdown", "agent": "agent"}[kind]
    type_of = "agent" if kind == "agent" else "chain" if readable else None
    return Entry(
        id=names[0], name=names[1], kind=kind_of, type=type_of, file=file, calls=sites, span=PLACE, log=f"{log}.md"
    )  # fmt: skip


CHANGES = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.none()
        | st.tuples(
            st.sampled_from(["tool", "tool", "agent", "tag"]),
            st.tuples(st.sampled_from(NAMES[:4]), st.sampled_from(NAMES[:4])),
            st.lists(st.sampled_from(NAMES), max_size=3).map(tuple),
            st.booleans(),
            st.integers(0, 7),
        ),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=300, deadline=None)
@given(CHANGES, st.sampled_from([1, 100]))
def test_after_any_changes_the_problems_are_those_of_a_fresh_index(changes: list[Any], many: int) -> None:
    given_entries = (Entry(id="built", name="built", kind="builtin", type="single"),)
    index = VaultIndex(lambda: given_entries)
    files: dict[str, FileRecord | None] = {}
    for number, made in changes:
        file = f"{number}.md"
        record = None
        if made is not None:
            kind, names, calls, readable, log = made
            record = FileRecord(stamp=None, entry=entry(file, kind, names, calls, readable=readable, log=log))
        files[file] = record
        index.apply({file: record} if many == 1 else dict(files))
        fresh = VaultIndex(lambda: given_entries)
        fresh.apply({file: each for file, each in files.items() if each is not None})
        assert index.entries() == fresh.entries()
        for name in (*NAMES, "thre"):
            assert index.find(name) == fresh.find(name)
            assert index.closest(name) == fresh.closest(name)


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were checked."""
    files: list[str] = []

    class Counted(FileChecks):
        def __init__(self, index: VaultIndex, entry: Entry) -> None:
            files.append(str(entry.file))
            super().__init__(index, entry)

    monkeypatch.setattr(vault_index, "FileChecks", Counted)
    return files


def test_a_saved_note_checks_nothing_again(root: Path, write: Write, checked: list[str]) -> None:
    for number in range(20):
        write(f"{number}.md", name=f"tool{number}")
    write("note.md", "# Note\n")
    registry = ToolRegistry(root)
    before = registry.entries()
    checked.clear()
    write("note.md", "# Another note\n")
    registry.update(["note.md"])
    assert registry.entries() is before
    assert checked == []


def test_a_changed_tool_checks_itself_and_those_that_refer_to_it(root: Path, write: Write, checked: list[str]) -> None:
    for number in range(20):
        write(f"{number}.md", name=f"tool{number}")
    write("caller.md", name="caller", steps="[{tool: tool3}]")
    write("far.md", name="far", steps="[{tool: caller}]")
    registry = ToolRegistry(root)
    registry.entries()
    checked.clear()
    write("3.md", name="tool3", strict="true", description="Changed.")
    registry.update(["3.md"])
    registry.entries()
    assert sorted(checked) == ["3.md", "caller.md"]


def test_thousands_of_files_with_one_id_name_a_few_others() -> None:
    count = 4_000
    files = [f"folder/with/a/long/name/{number:05}.md" for number in range(count)]
    index = VaultIndex()
    tracemalloc.start()
    index.apply({
        file: FileRecord(stamp=None, entry=Entry(id="same", name="same", kind="markdown", type="single", file=file))
        for file in files
    })  # fmt: skip
    listed = index.entries()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30_000_000
    assert [problem.code for problem in listed[7].problems] == ["duplicate-id"]
    assert listed[7].problems[0].values["files"] == ", ".join([files[7], *files[:5]])
    assert listed[0].problems[0].values["files"] == ", ".join(files[:6])


def test_schedules_follow_their_files(root: Path, write: Write) -> None:
    write("plain.md", name="plain")
    write("daily.md", name="daily", schedule="'@daily'")
    write("broken.md", name="broken", schedule="'@daily'", custom_function="return (;")
    registry = ToolRegistry(root)
    assert [entry.id for entry in registry.scheduled()] == ["daily"]
    write("plain.md", name="plain", schedule="'@hourly'")
    write("daily.md", name="daily", description="No more by itself.")
    registry.update(["plain.md", "daily.md"])
    assert [(entry.id, entry.schedule) for entry in registry.scheduled()] == [("plain", "@hourly")]


def test_a_definition_is_described_as_it_is_listed(root: Path, write: Write) -> None:
    write("one.md", name="one", steps="[{tool: one_more}]", id="one")
    write("one_more.md", name="one_more", parameters="[{name: text, type: string}]")
    registry = ToolRegistry(root)
    described = registry.describe(registry.tool("one_more"))
    assert described in registry.entries()
    assert [problem.code for problem in described.problems] == ["missing-description"]


def test_names_are_told_of_ids_alone(root: Path, write: Write) -> None:
    write("one.md", name="The first", id="one")
    assert ToolRegistry(root).names_of(["one", "The first", "gone"]) == {"one": "The first"}
