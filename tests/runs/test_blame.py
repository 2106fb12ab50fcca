"""Whose a line is: what a replay of every change by hand says, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.approval.question import Approved
from paperagents.errors import ToolError
from paperagents.runs.blame import blame
from paperagents.runs.change_history import ChangeRow

if TYPE_CHECKING:
    from tests.desk import Desk

YES = Approved(by="Ann", via="page")

pytestmark = pytest.mark.usefixtures("each_database")


def write(desk: Desk, content: str) -> str:
    return desk.run("write_file", {"filePath": "a.md", "content": content, "overwrite": True}, YES).run_id


def owners(desk: Desk) -> list[Any]:
    return [line["run_id"] for line in desk.vault.blame("a.md")]


def test_a_line_belongs_to_the_run_that_wrote_it_and_what_is_edited_by_hand_to_nobody(desk: Desk) -> None:
    desk.note("a.md", "one\ntwo\nthree\n")
    first = write(desk, "one\n2\nthree\n")
    desk.note("a.md", "one\n2\nthree\nby hand\n")
    second = write(desk, "1\n2\nthree\nby hand\n")
    desk.note("a.md", "1\n2\nTHREE\nby hand\n")
    assert owners(desk) == [second, first, None, None]
    assert [line["approved_by"] for line in desk.vault.blame("a.md")] == ["Ann", "Ann", None, None]


def test_lines_that_an_undo_brings_back_belong_to_whom_they_belonged(desk: Desk) -> None:
    desk.note("a.md", "one\ntwo\nthree\nfour\n")
    first = write(desk, "one\n2\nthree\nfour\n")
    second = write(desk, "one\nzwei\ndrei\nfour\n")
    assert owners(desk) == [None, second, second, None]
    undo = desk.vault.undo(second, approver=lambda _: YES)
    assert owners(desk) == [None, first, None, None]
    desk.vault.undo(undo.run_id, approver=lambda _: YES)
    assert owners(desk) == [None, second, second, None]


def test_a_line_of_the_run_is_not_taken_for_one_that_its_undo_brings_back(desk: Desk) -> None:
    before = "c\na\nc\nb\ndd\nc\ndd\n\nb\n\nb\n"
    desk.note("a.md", before)
    write(desk, "c\na\nc\nx8\nb\ndd\nc\ndd\nq\nb\nz9\n\n")
    desk.vault.undo("last", approver=lambda _: YES)
    assert (desk.text("a.md"), {*owners(desk)}) == (before, {None})


def test_a_deleted_note_that_an_undo_brings_back_is_whose_it_was(desk: Desk) -> None:
    first = write(desk, "one\ntwo\n")
    gone = desk.vault.undo(first, approver=lambda _: YES)
    assert not (desk.root / "a.md").exists()
    desk.vault.undo(gone.run_id, approver=lambda _: YES)
    assert owners(desk) == [first, first]


def test_the_last_line_needs_no_end_and_an_empty_note_has_no_lines(desk: Desk) -> None:
    run = write(desk, "one\r\ntwo")
    assert [(line["line"], line["text"], line["run_id"]) for line in desk.vault.blame("a.md")] == [
        (1, "one", run), (2, "two", run),
    ]  # fmt: skip
    write(desk, "")
    assert desk.vault.blame("a.md") == []


def test_a_file_that_is_no_text_is_refused(desk: Desk) -> None:
    write(desk, "one\n")
    (desk.root / "a.md").write_bytes(b"\xff\xfe")
    with pytest.raises(ToolError) as caught:
        desk.vault.blame("a.md")
    assert caught.value.code == "not-utf8"
    assert desk.vault.changes()[0]["path"] == "a.md"


# --- the same as by hand


@dataclass(frozen=True)
class Line:
    """A line that no other is like, with its owner."""

    text: str
    owner: int | None


Edits = Sequence[tuple[int | None, Sequence[tuple[str, int]]]]
EDITS = st.lists(
    st.tuples(
        st.sampled_from(["run", "undo", None]),
        st.lists(st.tuples(st.sampled_from(["insert", "delete", "replace"]), st.integers(0, 30)), max_size=4),
    ),
    max_size=8,
)


def edit(lines: list[Line], operation: str, place: int, line: Line) -> list[Line]:
    place %= len(lines) + 1
    end = place if operation == "insert" else place + 1
    return [*lines[:place], *([] if operation == "delete" else [line]), *lines[end:]]


def to_text(lines: Sequence[Line]) -> str:
    return "".join(f"{line.text}\n" for line in lines)


def row(number: int, before: str, after: str, undoes: str = "") -> ChangeRow:
    return ChangeRow(
        seq=number, root_run=str(number), run_id=str(number), tool="t", step=1, kind="", path="a.md", before=before,
        after=after, added=0, removed=0, when="", approved_by=None, undoes=undoes, made=True, signature="",
    )  # fmt: skip


@given(edits=EDITS)
def test_blame_is_what_following_each_line_says(edits: Any) -> None:
    """Edits of runs and of people, and undoing what came directly before, which may be an undo itself."""
    lines: list[Line] = [Line(f"start {number}", None) for number in range(4)]
    rows: list[ChangeRow] = []
    made = 0
    last: tuple[int, list[Line]] | None = None
    for number, (who, operations) in enumerate(edits):
        earlier, undoes = lines, ""
        if who == "undo":
            if last is None:
                continue
            undoes, lines = str(last[0]), last[1]
        for operation, place in operations if who != "undo" else ():
            made += 1
            lines = edit(lines, operation, place, Line(f"line {made}", number if who else None))
        if who:
            # The digests are the texts themselves here.
            rows.append(row(number, to_text(earlier), to_text(lines), undoes))
        last = (number, earlier) if who else None
    found = blame(rows, lambda span: (span[0].before, span[-1].after), to_text(lines))
    assert found.lines == [line.text for line in lines]
    assert [owner and owner.seq for owner in found.owners] == [line.owner for line in lines]
