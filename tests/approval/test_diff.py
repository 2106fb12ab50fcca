"""The diff a person agrees to shows everything that changes, and nothing invisible."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperagents.approval.diff import unified_diff

lines = st.lists(st.sampled_from(["a", "b", "-- c", "++ d", "@@ e", " f", "", "\\ No newline"]), max_size=8)


@given(lines, lines)
def test_old_and_new_can_be_read_off_the_diff(old: list[str], new: list[str]) -> None:
    before, after = "".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new)
    shown = unified_diff(before, after, "x").split("\n")[2:]
    removed = [line[1:] for line in shown if line.startswith("-")]
    added = [line[1:] for line in shown if line.startswith("+")]
    assert len(old) - len(removed) == len(new) - len(added)
    assert all(line in old for line in removed)
    assert all(line in new for line in added)
    assert bool(removed or added) == (old != new)


@settings(max_examples=15, deadline=None)
@given(old=lines, new=lines)
def test_patch_turns_the_old_into_the_new(
    tmp_path_factory: pytest.TempPathFactory, old: list[str], new: list[str]
) -> None:
    folder: Path = tmp_path_factory.mktemp("diff")
    before, after = "\n".join(["start", *old]), "\n".join(["start", *new])
    (folder / "x").write_text(before, encoding="utf-8")
    diff = unified_diff(before, after, "x") + "\n"
    if before != after:
        subprocess.run(["git", "apply", "--unidiff-zero", "-"], cwd=folder, input=diff.encode(), check=True)
    assert (folder / "x").read_text(encoding="utf-8") == after


def test_a_new_file_and_a_missing_line_end_are_said() -> None:
    assert unified_diff(None, "a", "n\u202e.md") == (
        "--- /dev/null\n+++ b/n\\u202e.md\n@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file"
    )


def test_a_long_file_is_shown_completely() -> None:
    after = "".join(f"{number}\n" for number in range(10_000))
    assert unified_diff(None, after, "x").count("\n+") == 10_001


def test_a_file_of_equal_lines_is_compared_as_quickly_as_any_other() -> None:
    before = "x\n" * 300_000
    assert unified_diff(before, f"{before}y\n", "x").split("\n")[2:] == ["@@ -299998,3 +299998,4 @@", *[" x"] * 3, "+y"]


def test_lines_that_come_again_and_again_are_all_shown() -> None:
    shown = unified_diff("a\nb\n" * 800, "b\na\nc\n" * 750, "x").split("\n")[2:]
    assert [line[1:] for line in shown if line[0] in " -"] == ["a", "b"] * 800
    assert [line[1:] for line in shown if line[0] in " +"] == ["b", "a", "c"] * 750


def test_changes_close_together_share_their_surroundings() -> None:
    before = [str(number) for number in range(40)]
    after = [*before[:10], "new", *before[10:16], "newer", *before[16:30], "newest", *before[30:]]
    shown = unified_diff("\n".join(before) + "\n", "\n".join(after) + "\n", "x").split("\n")[2:]
    assert [line for line in shown if line.startswith("@@")] == ["@@ -8,12 +8,14 @@", "@@ -28,6 +30,7 @@"]
