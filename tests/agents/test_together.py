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
