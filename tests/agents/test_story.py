"""One evening with an agent: it searches, reads, is refused, writes something better, and remembers why."""

from __future__ import annotations

from typing import Any

from paperagents.approval.question import Approved, Denied
from paperagents.testing import ScriptedApprover

from .conftest import Desk, Serve, call, entries

PROPOSAL = "# Summary\n\nPeas and beans.\n"
BETTER = "# Summary\n\nPeas in March, beans in May.\n"


def test_an_agent_searches_reads_writes_what_was_agreed_and_remembers(desk: Desk, serve: Serve) -> None:
    desk.note("notes/peas.md", "# Peas\nSow in March.\n")
    desk.note("notes/beans.md", "# Beans\nSow in May.\n")
    desk.agent("tools: [search_files, read_file, write_file]")
    first: list[Any] = [
        {"text": "I search.", "calls": [call("search_files", query="Sow")]},
        {"calls": [call("read_file", filePath="notes/peas.md"), call("read_file", filePath="notes/beans.md")]},
        {"text": "A proposal.", "calls": [call("write_file", filePath="summary.md", content=PROPOSAL)]},
        {"text": "With months, then.", "calls": [call("write_file", filePath="summary.md", content=BETTER)]},
        {"calls": [call("memory", identifier="months", content="Summaries must name the months.")]},
        "The summary is in summary.md.",
    ]
    server = serve([*first, "You like months in summaries."], by_messages=False)
    person = ScriptedApprover(Denied(reason="Name the months, please"), Approved())
    record = desk.vault.run("helper", {"query": "Summarise what I sow."}, approver=person)

    assert (record.status, record.data) == ("succeeded", "The summary is in summary.md.")
    assert [entry["status"] for entry in entries(record, "write_file")] == ["denied", "success"]
    assert [entry["hitl_confirmed"] for entry in entries(record, "write_file")] == [False, True]
    assert "Name the months, please" in str(server.requests[3]["messages"][-1])
    assert (desk.root / "summary.md").read_text() == BETTER
    assert len(entries(record, "read_file")) == 2

    desk.reopened()
    again = desk.vault.run("helper", {"query": "What do I like?"})
    assert again.data == "You like months in summaries."
    assert "Summaries must name the months." in server.requests[-1]["messages"][0]["content"]
    note = (desk.root / ".paper" / "conversations").glob("*.md")
    assert any("Name the months, please" in each.read_text() for each in note)
