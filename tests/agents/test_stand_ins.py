"""What is shipped for tests of one's own."""

from __future__ import annotations

import os

import pytest

import paperagents.testing
from paperagents.agents.model import Listener, ModelRequest
from paperagents.approval.question import ApprovalRequest, Approved, Denied
from paperagents.errors import ToolError
from paperagents.sandbox import Cancellation
from paperagents.testing import ScriptedApprover, ScriptedModel, ScriptedServer, temporary_vault

HELPER = "---\nagent: true\nname: helper\ndescription: d\ntools: [write_file]\n---\nHelp."
WRITE = {"calls": [{"tool": "write_file", "arguments": {"filePath": "a.md", "content": "x"}}]}


def request(agent: str = "a", turn: int = 1) -> ModelRequest:
    return ModelRequest(agent=agent, turn=turn, model="m", messages=())


def test_the_example_in_the_documentation_works() -> None:
    code = (paperagents.testing.__doc__ or "").partition("\n\n")[2]
    exec(code, {})


def test_a_temporary_vault_knows_nothing_of_the_user_and_is_gone_afterwards() -> None:
    before = os.environ.get("XDG_CONFIG_HOME")
    with temporary_vault({"agents/helper.md": HELPER}) as vault:
        assert os.environ["XDG_CONFIG_HOME"] != before
        root = vault.root
        person = ScriptedApprover(Denied(reason="no"), Approved())
        record = vault.run("helper", {"query": "Hi"}, model=ScriptedModel([WRITE, WRITE, "Done."]), approver=person)
        assert record.data == "Done."
        assert [each.tool for each in person.asked] == ["write_file", "write_file"]
        assert (root / "a.md").read_text() == "x"
    assert not root.exists()
    assert os.environ.get("XDG_CONFIG_HOME") == before


def test_an_answer_may_depend_on_the_question() -> None:
    def only_notes(asked: ApprovalRequest) -> Approved | Denied:
        return Approved() if asked.target.startswith("notes/") else Denied(reason="only notes")

    with temporary_vault({"agents/helper.md": HELPER}) as vault:
        record = vault.run(
            "helper", {"query": "Hi"}, model=ScriptedModel([WRITE, "Done."]), approver=ScriptedApprover(only_notes)
        )
        assert "only notes" in str(record.execution_log)


def test_a_scripted_model_begins_where_a_run_stood() -> None:
    model = ScriptedModel(["one", {"error": {"status": 500}}, "two", "three"])
    assert model.answer(request(turn=3), Listener(), Cancellation()).text == "three"
    with pytest.raises(ToolError):
        model.answer(request(turn=4), Listener(), Cancellation())


def test_each_agent_has_turns_of_its_own() -> None:
    model = ScriptedModel({"a": ["for a"], "b": ["for b"]})
    assert model.answer(request("b"), Listener(), Cancellation()).text == "for b"
    assert model.answer(request("a"), Listener(), Cancellation()).text == "for a"
    assert [each.agent for each in model.requests] == ["b", "a"]


def test_the_server_wants_its_key() -> None:
    from paperagents.agents.client import ChatModel  # noqa: PLC0415  the HTTP library is large

    with ScriptedServer(["Hello"], key="right") as server:
        for key, code in (("wrong", "model-refused"), (None, "model-refused")):
            model = ChatModel(server.base_url, key)
            with pytest.raises(ToolError) as caught:
                model.answer(request(), Listener(), Cancellation())
            assert caught.value.code == code
            model.close()
