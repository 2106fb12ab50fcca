"""Following a vault: every change takes effect without a restart."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import watchfiles
from tests.waiting import wait_until

from paperagents.errors import UnknownToolError
from paperagents.registry.folder_watch import FolderWatch
from paperagents.registry.tool_registry import ToolRegistry
from paperagents.vault import open_vault

Write = Callable[..., Path]


@pytest.fixture
def registry(root: Path, write: Write) -> Iterator[ToolRegistry]:
    """A registry that follows its folder, with one tool in it."""
    write("first.md", name="first")
    followed = ToolRegistry(root)
    with FolderWatch(followed):
        yield followed


def files(registry: ToolRegistry) -> set[str]:
    return {str(entry.file) for entry in registry.entries() if entry.kind != "builtin"}


def description(registry: ToolRegistry, name: str) -> str | None:
    try:
        return registry.tool(name).description
    except UnknownToolError:
        return None


def test_a_new_file_is_a_tool_at_once(registry: ToolRegistry, write: Write) -> None:
    write("second.md", name="second")
    wait_until(lambda: "second.md" in files(registry))
    assert registry.tool("second").file == "second.md"


def test_a_file_in_a_new_folder_is_a_tool_too(registry: ToolRegistry, write: Write) -> None:
    write("new/folder/second.md", name="second")
    wait_until(lambda: "new/folder/second.md" in files(registry))


def test_an_edit_takes_effect(registry: ToolRegistry, write: Write) -> None:
    write("first.md", name="first", description="Edited.")
    wait_until(lambda: description(registry, "first") == "Edited.")


def test_an_atomic_save_takes_effect(registry: ToolRegistry, root: Path, write: Write) -> None:
    write(".first.md.tmp", name="first", description="Saved.").replace(root / "first.md")
    wait_until(lambda: description(registry, "first") == "Saved.")


def test_a_renamed_file_is_found_under_its_new_name_only(registry: ToolRegistry, root: Path) -> None:
    (root / "first.md").rename(root / "renamed.md")
    wait_until(lambda: files(registry) == {"renamed.md"})
    assert registry.find("first").valid


def test_a_deleted_file_is_gone(registry: ToolRegistry, root: Path) -> None:
    (root / "first.md").unlink()
    wait_until(lambda: files(registry) == set())


def test_folders_are_renamed_moved_in_and_deleted_with_their_tools(
    registry: ToolRegistry, root: Path, tmp_path: Path, write: Write
) -> None:
    place = write("a/deep/second.md", name="second")
    wait_until(lambda: "a/deep/second.md" in files(registry))
    (root / "a").rename(root / "b")
    wait_until(lambda: files(registry) == {"first.md", "b/deep/second.md"})
    (root / "b").rename(tmp_path / "elsewhere")
    wait_until(lambda: files(registry) == {"first.md"})
    (tmp_path / "elsewhere").rename(root / "back")
    wait_until(lambda: files(registry) == {"first.md", "back/deep/second.md"})
    shutil.rmtree(root / "back")
    wait_until(lambda: files(registry) == {"first.md"})
    assert not place.exists()


def test_a_folder_that_becomes_hidden_takes_its_tools_along(registry: ToolRegistry, root: Path, write: Write) -> None:
    write("shown/second.md", name="second")
    wait_until(lambda: "shown/second.md" in files(registry))
    (root / "shown").rename(root / ".hidden")
    wait_until(lambda: files(registry) == {"first.md"})


def test_a_broken_edit_keeps_the_last_good_version_and_says_so(registry: ToolRegistry, write: Write) -> None:
    write("first.md", "---\ntool: true\nname: first\ntype: chain\n---\n")
    wait_until(lambda: registry.find("first").stale)
    entry = registry.find("first")
    assert not entry.valid
    assert "missing-steps" in {problem.code for problem in entry.problems}
    assert registry.tool("first").description == "For a test."
    write("first.md", name="first", description="Repaired.")
    wait_until(lambda: description(registry, "first") == "Repaired.")
    assert not registry.find("first").stale
    assert registry.find("first").valid


def test_broken_yaml_keeps_the_last_good_version_too(registry: ToolRegistry, write: Write) -> None:
    write("first.md", "---\ntool: true\nname: [\n---\n")
    wait_until(lambda: registry.find("first").stale)
    assert registry.tool("first").description == "For a test."


def test_a_deleted_tool_does_not_go_on_serving(registry: ToolRegistry, root: Path, write: Write) -> None:
    write("first.md", "---\ntool: true\nname: [\n---\n")
    wait_until(lambda: registry.find("first").stale)
    (root / "first.md").unlink()
    wait_until(lambda: files(registry) == set())
    with pytest.raises(UnknownToolError):
        registry.tool("first")


def test_a_new_file_can_repair_a_chain_that_missed_it(registry: ToolRegistry, write: Write) -> None:
    write("chain.md", name="chain", steps="\n  - tool: helper")
    wait_until(lambda: "chain.md" in files(registry) and not registry.find("chain").valid)
    write("helper.md", name="helper")
    wait_until(lambda: registry.find("chain").valid)


def test_a_link_made_inside_the_vault_hides_nothing(registry: ToolRegistry, root: Path, write: Write) -> None:
    (root / "link.md").symlink_to("first.md")
    write("later.md", name="later")
    wait_until(lambda: "later.md" in files(registry))
    assert registry.tool("first").name == "first"


def test_a_change_behind_a_link_out_of_the_vault_is_none_of_ours(root: Path, tmp_path: Path, write: Write) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "folder").symlink_to(outside)
    (root / "loop").symlink_to(root)
    registry = ToolRegistry(root)
    with FolderWatch(registry):
        write("../outside/evil.md", name="evil")
        write("later.md", name="later")
        wait_until(lambda: "later.md" in files(registry))
        write("even-later.md", name="even-later")
        wait_until(lambda: "even-later.md" in files(registry))
        assert files(registry) == {"later.md", "even-later.md"}


def test_a_file_name_that_is_not_utf8_does_not_end_the_following(
    registry: ToolRegistry, root: Path, write: Write
) -> None:
    odd = write("odd.txt", name="odd")
    odd.rename(os.fsdecode(os.fsencode(root) + b"/\xff.md"))
    write("later.md", name="later")
    wait_until(lambda: "later.md" in files(registry))
    wait_until(lambda: os.fsdecode(b"\xff.md") in files(registry))


def test_many_changes_at_once_are_all_seen(registry: ToolRegistry, write: Write) -> None:
    for number in range(300):
        write(f"many/{number % 7}/{number}.md", name=f"tool{number}")
    wait_until(lambda: len(files(registry)) == 301)


def test_whoever_listens_is_told_after_the_change_is_in_force(root: Path, write: Write) -> None:
    seen: list[set[str]] = []
    vault = open_vault(root)
    with vault.follow(lambda: seen.append(files(vault.registry))):
        write("a.md", name="a")
        wait_until(lambda: seen and "a.md" in seen[-1])


def test_a_listener_that_fails_once_does_not_end_the_following(root: Path, write: Write) -> None:
    registry = ToolRegistry(root)
    told: list[int] = []

    def fail() -> None:
        told.append(1)
        raise ValueError

    with FolderWatch(registry, fail):
        write("a.md", name="a")
        wait_until(lambda: told)
        write("b.md", name="b")
        wait_until(lambda: "b.md" in files(registry))


def test_nobody_has_to_wait_for_the_first_look_and_is_told_when_it_is_over(root: Path, write: Write) -> None:
    first_look, told = threading.Event(), threading.Event()

    class Slow(ToolRegistry):
        def folders(self) -> frozenset[str]:
            first_look.wait()
            return super().folders()

    registry = Slow(root)
    watch = FolderWatch(registry, told.set)
    watch.start()
    write("early.md", name="early")
    assert registry.tool("early").file == "early.md"
    assert not told.is_set()
    first_look.set()
    wait_until(told.is_set)
    write("late.md", name="late")
    wait_until(lambda: "late.md" in files(registry))
    watch.__exit__()


def test_it_stops_cleanly(root: Path) -> None:
    before = set(threading.enumerate())
    with FolderWatch(ToolRegistry(root)):
        assert set(threading.enumerate()) > before
    assert set(threading.enumerate()) == before


def test_a_folder_that_is_not_there_is_an_error_and_not_a_wait_without_end(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from paperagents.errors import PaperError
from paperagents.registry.folder_watch import FolderWatch
from paperagents.registry.tool_registry import ToolRegistry
try:
    FolderWatch(ToolRegistry(Path(sys.argv[1]))).__enter__()
except (PaperError, OSError):
    print("refused")
"""
    # In a process of its own, because a wait without end cannot be interrupted here.
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, str(tmp_path / "gone")],
        capture_output=True, text=True, timeout=20, check=False,
    )  # fmt: skip
    assert done.stdout == "refused\n"


@pytest.mark.parametrize(
    "refusal", [OSError("OS file watch limit reached."), RuntimeError("Too many open files (os error 24)")]
)
def test_where_no_more_folders_can_be_watched_they_are_looked_at(
    refusal: Exception, root: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = watchfiles.watch

    def limited(*folders: Path, force_polling: bool, **options: Any) -> Iterator[Any]:
        if not force_polling:
            raise refusal
        return watch(*folders, force_polling=True, **{**options, "poll_delay_ms": 20})

    monkeypatch.setattr("watchfiles.watch", limited)
    write("first.md", name="first")
    registry = ToolRegistry(root)
    with FolderWatch(registry):
        write("new/second.md", name="second")
        wait_until(lambda: "new/second.md" in files(registry))
        write("new/second.md", name="second", description="Edited.")
        wait_until(lambda: description(registry, "second") == "Edited.")
