"""An agent whose changes are collected: one question, and one more word after a no."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests import forty_notes
from tests.agents.conftest import call
from tests.forty_notes import AGENT, BY_HUNK, EDITED, REFUSED, WHOLE

from paperagents.approval.question import Approved, Decision, Denied

if TYPE_CHECKING:
    from tests.agents.conftest import Serve
    from tests.desk import Desk

SCRIPT = [
    {"calls": [call("write_file", filePath="a.md", content="a"), call("write_file", filePath="b.md", content="b")]},
    {"text": "Both are written."},
    {"text": "Only one is written."},
]


@pytest.mark.parametrize(
    ("decision", "status", "answer"),
    [
        (Approved(), "succeeded", "Both are written."),
        (Approved(files={"a.md": True, "b.md": {"reason": "keep it"}}), "succeeded", "Only one is written."),
        (Denied(reason="not now"), "denied", "Only one is written."),
    ],
)
def test_an_agent_is_asked_once_more_where_something_was_refused(
    desk: Desk, serve: Serve, decision: Decision, status: str, answer: str
) -> None:
    server = serve(SCRIPT)
    desk.note("tidy.md", AGENT.format(more="approval: together"))
    assert desk.vault.run("agent:tidy", {"query": "go"}).status == "waiting"
    (question,) = desk.vault.history.questions()
    assert [file["path"] for file in question.files] == ["a.md", "b.md"]
    record = desk.vault.answer(question.id, decision)
    assert (record.status, record.data) == (status, answer)
    sent: Any = server.requests[-1]
    if answer.startswith("Only"):
        assert "b.md" in str(sent)


def test_the_questions_of_one_turn_are_open_at_once(desk: Desk, serve: Serve) -> None:
    serve(SCRIPT)
    desk.note("tidy.md", AGENT.format(more=""))
    assert desk.vault.run("agent:tidy", {"query": "go"}).status == "waiting"
    first, second = desk.vault.history.questions()
    assert desk.vault.answer(first.id, Denied()).status == "waiting"
    assert desk.vault.answer(second.id, Approved()).status == "succeeded"
    assert (desk.root / "b.md").exists()
    assert not (desk.root / "a.md").exists()


def test_a_person_decides_on_forty_notes_one_by_one_and_takes_two_back(desk: Desk, serve: Serve) -> None:
    forty_notes.write_notes(desk.root)
    server = serve(forty_notes.SCRIPT)
    desk.note("tidy.md", AGENT.format(more="approval: together"))
    run_id = desk.vault.run("agent:tidy", {"query": "go"}).run_id
    (question,) = desk.vault.history.questions()
    files: Any = question.files
    assert [len(file["hunks"]) for file in files] == [2] * 40
    assert {*forty_notes.texts(desk.root).values()} == {forty_notes.OLD}

    answers: dict[str, Any] = {
        **dict.fromkeys(WHOLE, True),
        **{path: {"hunks": [2]} for path in BY_HUNK},
        EDITED: {"content": forty_notes.MINE},
        **dict.fromkeys(REFUSED, False),
    }
    record = desk.vault.answer(question.id, Approved(by="ada", files=answers))
    assert (record.status, record.data) == ("succeeded", forty_notes.ANSWER)
    assert all(path in str(server.requests[-1]) for path in REFUSED)
    assert len([each for each in record.warnings if any(path in each for path in REFUSED)]) == 6
    assert forty_notes.texts(desk.root) == forty_notes.decided()
    assert {each["path"] for each in desk.vault.changes(run=run_id)} == {*WHOLE, *BY_HUNK, EDITED}
    last = desk.vault.blame(BY_HUNK[0])[-1]
    assert (last["text"], last["run_id"], last["approved_by"]) == ("new end", run_id, "ada")

    forty_notes.go_on_writing(desk.root)
    assert desk.vault.undo(run_id, files=forty_notes.UNDONE, approver=lambda _: Approved()).status == "succeeded"
    assert forty_notes.texts(desk.root) == forty_notes.undone()
