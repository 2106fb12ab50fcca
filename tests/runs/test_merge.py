"""Three-way merge: what two sides have made of one text, in one, and where they cannot go together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.runs.merge import Conflict, Merged, merge


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ("a\nb\nc\n", "a\nb\nC\n", "A\nb\nc\n", "A\nb\nC\n"),
        ("a\nb\n", "a\nb\nmore\n", "a\n", "a\nmore\n"),
        ("a\nb", "a\nb\nmore", "a", "a\nmore"),
        ("a\nb\nc\n", "a\nB\nc\n", "a\nb\nC\n", "a\nB\nC\n"),
        ("a\nb\n", "a\nb\n", "x\n", "x\n"),
        ("a\nb\n", "x\n", "a\nb\n", "x\n"),
        ("a\nb\n", "a\nx\n", "a\nx\n", "a\nx\n"),
        ("a\r\nb\r\n", "a\r\nb\r\nc\r\n", "b\r\n", "b\r\nc\r\n"),
        ("\ufeffa\nb\n", "\ufeffa\nB\n", "\ufeffA\nb\n", "\ufeffA\nB\n"),
        ("", "", "a", "a"),
    ],
    ids=[
        "far apart", "appended later", "appended later without line ends", "directly beside", "only theirs",
        "only ours", "both the same", "other line ends", "byte order mark", "empty",
    ],
)  # fmt: skip
def test_changes_of_different_lines_go_together(base: str, ours: str, theirs: str, merged: str) -> None:
    assert merge(base, ours, theirs) == Merged(text=merged)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "lines"),
    [
        ("a\nb\nc\n", "a\nX\nc\n", "a\nY\nc\n", (2, 2)),
        ("a\nb\nc\n", "a\nc\n", "a\nY\nc\n", (2, 2)),
        ("a\nb\nc\nd\n", "a\n1\n2\n3\nd\n", "a\nb\nC\nd\n", (2, 4)),
        ("a\nc\n", "a\nX\nc\n", "a\nY\nc\n", (2, 2)),
        ("a\nb\nc\nd\n", "a\nb\nX\nc\nd\n", "a\nd\n", (3, 3)),
    ],
    ids=["changed", "deleted", "some of many", "put into the same place", "put into what goes"],
)
def test_changes_of_the_same_lines_are_named_by_our_lines(
    base: str, ours: str, theirs: str, lines: tuple[int, int]
) -> None:
    assert merge(base, ours, theirs) == Conflict(lines=(lines,))


LINES = st.lists(st.integers(0, 3).map(str), max_size=8).map("\n".join)


@given(base=LINES, ours=LINES)
def test_a_side_that_changed_nothing_leaves_the_other_as_it_is(base: str, ours: str) -> None:
    assert merge(base, ours, base) == Merged(text=ours)
    assert merge(base, base, ours) == Merged(text=ours)


@given(base=LINES, ours=LINES, theirs=LINES)
def test_both_sides_come_to_the_same(base: str, ours: str, theirs: str) -> None:
    one, other = merge(base, ours, theirs), merge(base, theirs, ours)
    assert one == other or (isinstance(one, Conflict) and isinstance(other, Conflict))
