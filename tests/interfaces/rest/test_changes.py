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


CHAIN = """---
tool: true
name: tidy
description: d
type: chain
---
```yaml
steps:
  - {tool: write_file, parameters: {filePath: x.md, content: x}}
  - {tool: write_file, parameters: {filePath: y.md, content: y}}
```
"""


def test_changes_are_collected_and_answered_file_by_file(served: Served) -> None:
    served.note("tidy.md", CHAIN)
    with served.program(*RIGHTS) as client:
        waiting = client.post("/api/runs", json={"tool": "tidy", "together": True})
        assert (waiting.status_code, waiting.json()["status"]) == (202, "waiting"), waiting.text
        (question,) = client.get("/api/approvals").json()
        assert [each["path"] for each in question["files"]] == ["x.md", "y.md"]
        yes = f"/api/approvals/{question['id']}/approve"
        refused = client.post(yes, json={"digest": question["digest"], "files": {"x.md": True}})
        assert (refused.status_code, refused.json()["code"]) == (400, "files-missing")
        assert [each["id"] for each in client.get("/api/approvals").json()] == [question["id"]]
        files = {"x.md": {"content": "mine"}, "y.md": False}
        record = client.post(yes, json={"digest": question["digest"], "files": files}).json()
    assert (record["status"], len(record["warnings"])) == ("succeeded", 1)
    root = served.vault.root
    assert ((root / "x.md").read_text(), (root / "y.md").exists()) == ("mine", False)


def test_a_waiting_run_that_is_cancelled_drops_its_changes_and_says_so(served: Served) -> None:
    served.note("tidy.md", CHAIN)
    with served.program(*RIGHTS) as client:
        run = client.post("/api/runs", json={"tool": "tidy", "together": True}).json()["run_id"]
        client.post(f"/api/runs/{run}/cancel")
        record = client.get(f"/api/runs/{run}").json()
        assert (record["status"], client.get("/api/approvals").json()) == ("cancelled", [])
    assert any("x.md" in each for each in record["warnings"]), record["warnings"]
    assert not (served.vault.root / "x.md").exists()
