"""Diffs are read by their counts: what is shown is exactly what changes, whatever the lines look like."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from paperagents.approval.diff import unified_diff
from paperagents.approval.invisible import escape_invisible
from paperagents.interfaces.web.texts import read_diff

LINES = st.lists(
    st.sampled_from(
        ["-- x", "--- a/x", "+++ b/x", "@@ -1,1 +1,1 @@", "\\ No newline at end of file", "- item", "+", ""]
    )
    | st.text(st.characters(blacklist_characters="\n", blacklist_categories=["Cs"]), max_size=8),
    max_size=12,
)


@given(before=st.none() | LINES, after=LINES)
def test_old_and_new_lines_are_found_again(before: list[str] | None, after: list[str]) -> None:
    old = None if before is None else "\n".join(before)
    new = "\n".join(after)
    diff = read_diff(unified_diff(old, new, "note.md"))
    assert diff is not None
    assert diff.is_new == (old is None)
    shown_old = {line.old: line.text for line in diff.lines if line.old is not None}
    shown_new = {line.new: line.text for line in diff.lines if line.new is not None}
    for shown, text in ((shown_old, old or ""), (shown_new, new)):
        lines = text.split("\n")
        assert all(escape_invisible(lines[number - 1], in_diff=True) == told for number, told in shown.items())
    changed = {number for number, line in enumerate(new.split("\n"), 1) if line not in (old or "").split("\n")}
    assert changed - {len(new.split("\n"))} <= {line.new for line in diff.lines if line.kind == "added"}


def test_a_removed_line_that_looks_like_a_head_is_a_removed_line() -> None:
    diff = read_diff(unified_diff("-- secret\n--- a/x\nkeep\n", "keep\n", "note.md"))
    assert diff is not None
    assert [line.text for line in diff.lines if line.kind == "removed"] == ["-- secret", "--- a/x"]
    assert (diff.added, diff.removed) == (0, 2)


@given(st.text())
def test_anything_else_is_no_diff_and_no_failure(text: str) -> None:
    diff = read_diff(text)
    assert diff is None or diff.path is not None


def test_a_long_diff_comes_in_pieces() -> None:
    diff = read_diff(unified_diff(None, "line\n" * 1000, "note.md"))
    assert diff is not None
    assert [len(chunk) for chunk in diff.chunks()] == [200, 200, 200, 200, 200, 1]
