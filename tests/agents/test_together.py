"""An agent whose changes are collected: one question, and one more word after a no."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.agents.conftest import call

from paperagents.approval.question import Approved, Decision, Denied

if TYPE_CHECKING:
    from tests.agents.conftest import Serve
    from tests.desk import Desk

AGENT = (
    "---\nagent: true\nname: tidy\ndescription: d\nmodel: m\ntools: [write_file, read_file]\n{more}\n---\nTidy up.\n"
)
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
    """Thirty-one whole, two by hunk, one edited, six refused; two of those made are undone later."""
    body = "".join(f"line {number}\n" for number in range(30))
    paths = [f"notes/{number:02}.md" for number in range(40)]
    for path in paths:
        desk.note(path, f"old title\n{body}old end\n")
    whole, by_hunk, edited, refused = paths[:31], paths[31:33], paths[33], paths[34:]
    calls = [call("write_file", filePath=path, content=f"new title\n{body}new end\n", overwrite=True) for path in paths]
    server = serve([{"calls": calls}, {"text": "All are in order."}, {"text": "Six stay as they were."}])
    desk.note("tidy.md", AGENT.format(more="approval: together"))
    run_id = desk.vault.run("agent:tidy", {"query": "go"}).run_id
    (question,) = desk.vault.history.questions()
    files: Any = question.files
    assert [len(file["hunks"]) for file in files] == [2] * 40
    assert all(desk.text(path).startswith("old title") for path in paths)

    record = desk.vault.answer(
        question.id,
        Approved(
            by="ada",
            files={
                **dict.fromkeys(whole, True),
                **{path: {"hunks": [2]} for path in by_hunk},
                edited: {"content": "my own\n"},
                **dict.fromkeys(refused, False),
            },
        ),
    )
    assert (record.status, record.data) == ("succeeded", "Six stay as they were.")
    assert all(path in str(server.requests[-1]) for path in refused)
    assert len([each for each in record.warnings if any(path in each for path in refused)]) == 6
    assert {desk.text(path) for path in whole} == {f"new title\n{body}new end\n"}
    assert {desk.text(path) for path in by_hunk} == {f"old title\n{body}new end\n"}
    assert desk.text(edited) == "my own\n"
    assert {desk.text(path) for path in refused} == {f"old title\n{body}old end\n"}
    assert {each["path"] for each in desk.vault.changes(run=run_id)} == {*whole, *by_hunk, edited}
    last = desk.vault.blame(by_hunk[0])[-1]
    assert (last["text"], last["run_id"], last["approved_by"]) == ("new end", run_id, "ada")

    # Somebody has gone on writing in one of the two.
    desk.note(whole[0], f"new title\n{body}new end\nmine\n")
    assert desk.vault.undo(run_id, files=[whole[0], edited], approver=lambda _: Approved()).status == "succeeded"
    assert desk.text(whole[0]) == f"old title\n{body}old end\nmine\n"
    assert desk.text(edited) == f"old title\n{body}old end\n"
    assert {desk.text(path) for path in whole[1:]} == {f"new title\n{body}new end\n"}
