"""Changes, blame and undo over REST."""

from __future__ import annotations

import pytest

from paperagents.approval.question import ApproveEverything
from paperagents.definitions.json_value import JsonObject
from paperagents.interfaces.serving.callers import RIGHTS

from ..served import Served  # noqa: TID252  shared by the tests of two interfaces


@pytest.fixture
def changed(served: Served) -> str:
    """A run that has added a line to a note."""
    served.note("a.md", "one\n")
    arguments: JsonObject = {"filePath": "a.md", "content": "two\n", "append": True}
    return served.vault.run("write_file", arguments, approver=ApproveEverything()).run_id


def test_changes_and_blame_are_those_of_the_vault(served: Served, changed: str) -> None:
    with served.program(*RIGHTS) as client:
        assert client.get("/api/changes", params={"file": "a.md"}).json() == served.vault.changes()
        assert client.get(f"/api/runs/{changed}/changes").json() == served.vault.show_changes(changed)
        assert client.get("/api/blame", params={"file": "a.md"}).json() == served.vault.blame("a.md")
        assert client.get("/api/changes", params={"run": "ffff"}).status_code == 404


def test_an_undo_is_planned_then_waits_and_is_made_after_a_yes(served: Served, changed: str) -> None:
    with served.program(*RIGHTS) as client:
        planned = client.post(f"/api/runs/{changed}/undo", json={"dry_run": True}).json()
        assert planned["status"] == "planned"
        waiting = client.post("/api/runs/last/undo", json={"files": ["a.md"]})
        assert (waiting.status_code, waiting.json()["status"]) == (202, "waiting")
        (question,) = client.get("/api/approvals").json()
        assert "-two" in question["preview"]
        approved = client.post(f"/api/approvals/{question['id']}/approve", json={"digest": question["digest"]})
        assert approved.json()["status"] == "succeeded", approved.text
        assert client.get("/api/changes", params={"run": changed}).json()[0]["undone"]
    assert (served.vault.root / "a.md").read_text() == "one\n"
