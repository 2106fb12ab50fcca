"""A run that was killed goes on: nothing that it stored is stored twice, nothing that it spent is forgotten."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from paperagents.agents.conversation import Conversation
from paperagents.agents.model import Listener, ModelRequest, ModelTurn
from paperagents.errors import StorageError
from paperagents.runs.record import RunRecord
from paperagents.sandbox import Cancellation
from paperagents.testing import ScriptedModel

from .conftest import Desk, call, entries


class Killed(BaseException):
    """The program ends here, and nothing more is written down."""


class DyingModel(ScriptedModel):
    """Follows its script; in the place of a turn behind its end the program dies."""

    def answer(self, request: ModelRequest, listener: Listener, stop: Cancellation) -> ModelTurn:
        turns = self._script[request.agent] if isinstance(self._script, dict) else self._script
        if request.turn > len(turns):
            raise Killed
        return super().answer(request, listener, stop)


def killed_then_gone_on(desk: Desk, before: Any, after: Any) -> RunRecord:
    with pytest.raises(Killed):
        desk.vault.run("helper", {"query": "Hello"}, model=DyingModel(before))
    run = str(desk.reopened().history.runs()[0]["run_id"])
    return desk.vault.resume(run, model=ScriptedModel(after))


@pytest.mark.parametrize("action", [{}, {"action": "create"}])
def test_what_was_stored_before_a_kill_is_not_stored_again(desk: Desk, action: dict[str, str]) -> None:
    turn = {"calls": [call("datavault", id="x", content="y", **action)]}
    record = killed_then_gone_on(desk, [turn], [turn, "Done."])
    assert record.data == "Done."
    (stored,) = entries(record, "datavault")
    assert (stored["status"], stored["output"]["action"]) == ("success", "created")
    assert (stored["hitl_required"], stored["hitl_confirmed"]) == (False, None)
    kept = desk.vault.entries.get("datavault", "x")
    assert kept is not None
    assert kept.version == 1


def test_a_database_that_fails_halts_the_run_and_is_no_result_of_the_call(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise StorageError("database-busy", file="paper.db", reason="locked")

    script: list[Any] = [{"calls": [call("datavault", id="x", content="y")]}, "Done."]
    monkeypatch.setattr(desk.vault.entries, "put", fail)
    with pytest.raises(StorageError):
        desk.ask(script)
    run = str(desk.reopened().history.runs()[0]["run_id"])
    record = desk.vault.resume(run, model=ScriptedModel(script))
    assert record.data == "Done."
    assert [each["status"] for each in entries(record, "datavault")] == ["success"]


# --- what agents below have spent


def asking(tokens: int) -> dict[str, Any]:
    return {"calls": [call("clerk", query="Well?")], "usage": {"total_tokens": tokens}}


def reading(tokens: int) -> dict[str, Any]:
    return {"calls": [call("search_files", query=str(tokens))], "usage": {"total_tokens": tokens}}


def code(record: RunRecord) -> Any:
    return record.error and record.error["code"]


def test_what_a_sub_agent_spends_its_asker_spends(desk: Desk) -> None:
    desk.agent("budget: 100\nagents: [clerk]")
    desk.agent(name="clerk")
    clerk = {"text": "So.", "usage": {"total_tokens": 95}}
    record = desk.ask({"helper": [asking(10), "Done."], "clerk": [clerk]})
    assert code(record) == "agent-budget"


def test_a_sub_agent_stops_when_its_askers_budget_is_used_up(desk: Desk) -> None:
    desk.agent("budget: 100\nagents: [clerk]")
    desk.agent(name="clerk")
    record = desk.ask({"helper": [asking(10), "Done."], "clerk": [reading(91), reading(92), "So."]})
    assert code(record) == "agent-budget"
    (asked,) = entries(record, "clerk")
    assert asked["status"] == "error"


def test_a_sub_agents_budget_is_its_own(desk: Desk) -> None:
    desk.agent("agents: [clerk]")
    desk.agent("budget: 50", name="clerk")
    record = desk.ask({"helper": [asking(1000), "Done."], "clerk": [reading(51), "So."]})
    assert record.data == "Done."
    (asked,) = entries(record, "clerk")
    assert asked["status"] == "error"


def test_what_a_sub_agent_spent_before_a_kill_still_counts(desk: Desk) -> None:
    desk.agent("budget: 100\nagents: [clerk]")
    desk.agent(name="clerk")
    clerk = [{"text": "So.", "usage": {"total_tokens": 60}}]
    script = {"helper": [asking(10)], "clerk": clerk}
    record = killed_then_gone_on(desk, script, {"helper": [asking(10), reading(30), "Done."], "clerk": clerk})
    assert code(record) == "agent-budget"


def paths_on_disk(desk: Desk) -> list[str]:
    """The steps that somebody else finds in the journal just now."""
    with closing(sqlite3.connect(desk.root / ".paper" / "paper.db")) as connection:
        return [path for (path,) in connection.execute("SELECT path FROM journal ORDER BY seq")]


def test_an_answer_is_on_disk_before_its_first_call_begins(desk: Desk) -> None:
    found: list[list[str]] = []

    def on_event(event: Any) -> None:
        if event["type"] == "step-started" and event["name"] == "read_file":
            found.append(paths_on_disk(desk))

    desk.note("a.md", "Peas")
    model = ScriptedModel([{"calls": [call("read_file", filePath="a.md")]}, "Done."])
    assert desk.vault.run("helper", {"query": "Hello"}, model=model, on_event=on_event).data == "Done."
    assert ["turn/1" in paths for paths in found] == [True]


def test_a_run_that_can_go_on_is_on_disk_before_its_conversation_has_a_word(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[list[str]] = []
    add = Conversation.add

    def look_and_add(self: Conversation, role: str, said: str) -> None:
        found.append(paths_on_disk(desk))
        add(self, role, said)

    monkeypatch.setattr(Conversation, "add", look_and_add)
    assert desk.vault.run("helper", {"query": "Hello"}, model=ScriptedModel(["Done."])).data == "Done."
    assert "start" in found[0]
