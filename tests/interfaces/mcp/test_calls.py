"""Calls of MCP clients of both eras, with the SDK's own client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from tests.trusting import trust_settings

from paperagents.approval.question import Approved
from paperagents.testing.model_server import ScriptedServer
from paperagents.vault import Vault

from ..served import POET, TWO_NOTES, Served  # noqa: TID252  shared by the tests of two interfaces
from .clients import ERAS, Person, meta_of, over_http, over_stdio

pytestmark = pytest.mark.parametrize("era", ERAS)
YES = {"decision": "approve"}
COLLECTING: Any = {"paperagents/together": True}
LONG = """---
tool: true
name: long
description: Says something and takes its time.
steps:
  - {tool: shout, parameters: {words: x}}
  - {tool: slow}
---
"""


def text_of(result: types.CallToolResult) -> str:
    assert isinstance(result.content[0], types.TextContent)
    return result.content[0].text


def test_every_tool_is_listed_with_schema_and_hints(served: Served, era: str) -> None:
    async def go() -> dict[str, types.Tool]:
        async with over_http(served, era) as client:
            return {tool.name: tool for tool in (await client.list_tools()).tools}

    tools = asyncio.run(go())
    assert {"shout", "slow", "two_notes", "write_file", "read_file", "poet"} <= set(tools)
    assert tools["shout"].input_schema["required"] == ["words"]
    assert tools["shout"].description == "Says it loudly."
    hints = {name: tools[name].annotations for name in ("shout", "read_file", "write_file", "two_notes")}
    assert {name: each and each.read_only_hint for name, each in hints.items()} == {
        "shout": True, "read_file": True, "write_file": False, "two_notes": False,
    }  # fmt: skip
    assert hints["two_notes"] is not None
    assert hints["two_notes"].destructive_hint
    assert tools["read_file"].output_schema is not None


def test_a_call_gives_the_answer_and_the_id_of_its_run(served: Served, era: str) -> None:
    async def go() -> types.CallToolResult:
        async with over_http(served, era) as client:
            return await client.call_tool("shout", {"words": "quiet"})

    result = asyncio.run(go())
    assert not result.is_error
    assert text_of(result) == "QUIET"
    assert result.structured_content is None
    assert meta_of(result)["status"] == "succeeded"
    assert served.vault.history.record(meta_of(result)["run_id"]).data == "QUIET"


def test_arguments_may_be_as_large_as_anywhere_else(served: Served, era: str) -> None:
    async def go() -> types.CallToolResult:
        async with over_http(served, era) as client:
            # Answered in a few words: how long an answer may be is the client's own to say.
            return await client.call_tool("shuot", {"words": "x" * 5_000_000})

    assert "shout" in text_of(asyncio.run(go()))


def test_wrong_arguments_come_back_as_an_error_a_model_can_read(served: Served, era: str) -> None:
    async def go() -> types.CallToolResult:
        async with over_http(served, era) as client:
            return await client.call_tool("shout", {"word": "quiet"})

    result = asyncio.run(go())
    assert result.is_error
    assert meta_of(result)["error"]["code"] == "invalid-arguments"
    assert "words" in text_of(result)
    # A client can follow the schema, and no command.
    assert '"required": ["words"]' in text_of(result)
    assert "paper " not in text_of(result)


def test_an_unknown_tool_is_told_with_the_nearest_name(served: Served, era: str) -> None:
    async def go() -> types.CallToolResult:
        async with over_http(served, era) as client:
            return await client.call_tool("shuot", {})

    result = asyncio.run(go())
    assert result.is_error
    assert "shout" in text_of(result)


def test_what_a_person_approves_is_done_step_by_step(served: Served, era: str) -> None:
    person = Person([YES, YES])

    async def go() -> types.CallToolResult:
        async with over_http(served, era, person) as client:
            return await client.call_tool("two_notes", {})

    result = asyncio.run(go())
    assert not result.is_error
    assert (served.folder / "one.md").read_text() == "1"
    assert (served.folder / "two.md").read_text() == "2"
    assert ["+++ b/one.md" in person.shown[0], "+++ b/two.md" in person.shown[1]] == [True, True]
    record = served.vault.history.record(meta_of(result)["run_id"])
    confirmed = [entry["hitl_confirmed"] for entry in record.execution_log]
    assert confirmed == [True, True]


def test_a_yes_for_the_run_asks_once(served: Served, era: str) -> None:
    person = Person([{"decision": "approve", "for_run": True}])

    async def go() -> types.CallToolResult:
        async with over_http(served, era, person) as client:
            return await client.call_tool("two_notes", {})

    assert not asyncio.run(go()).is_error
    assert (served.folder / "two.md").exists()


def test_changes_are_collected_and_answered_file_by_file_and_the_client_hears_what_was_refused(
    served: Served, era: str
) -> None:
    answers = [{"one.md": True}, {"one.md": {"content": "mine"}, "two.md": {"reason": "keep it"}}]
    person = Person([{**YES, "files": json.dumps(each)} for each in answers])

    async def go() -> types.CallToolResult:
        async with over_http(served, era, person) as client:
            return await client.call_tool("two_notes", {}, meta=COLLECTING)

    result = asyncio.run(go())
    assert ["+++ b/one.md" in shown and "+++ b/two.md" in shown for shown in person.shown] == [True, True]
    assert "The answer does not say what becomes of: two.md" in person.shown[1]
    assert (result.is_error, meta_of(result)["status"]) == (False, "succeeded")
    told = result.content[-1]
    assert isinstance(told, types.TextContent)
    assert told.text == "two.md was refused and stays as it was: keep it"
    assert ((served.folder / "one.md").read_text(), (served.folder / "two.md").read_text()) == ("mine", TWO_NOTES)


def test_where_all_of_it_is_refused_the_call_is_denied(served: Served, era: str) -> None:
    async def go() -> types.CallToolResult:
        async with over_http(served, era, Person([{"decision": "deny", "reason": "not today"}])) as client:
            return await client.call_tool("two_notes", {}, meta=COLLECTING)

    result = asyncio.run(go())
    assert (result.is_error, meta_of(result)["status"], "not today" in text_of(result)) == (True, "denied", True)
    assert not (served.folder / "one.md").exists()


def test_a_client_that_shows_no_forms_leaves_the_one_question_for_the_person(tmp_path: Path, era: str) -> None:
    folder = tmp_path / "notes"
    (folder / ".paper").mkdir(parents=True)
    (folder / "two_notes.md").write_text(TWO_NOTES)

    async def go() -> types.CallToolResult:
        async with over_stdio(folder, era) as client:
            return await client.call_tool("two_notes", {}, meta=COLLECTING)

    result = asyncio.run(go())
    assert meta_of(result)["status"] == "waiting"
    with Vault(folder) as vault:
        (question,) = vault.history.questions()
        assert [file["path"] for file in question.files] == ["one.md", "two.md"]
        assert vault.answer(question.id, Approved()).status == "succeeded"
    assert (folder / "two.md").read_text() == "2"


def test_nothing_is_written_when_the_person_says_no(served: Served, era: str) -> None:
    person = Person([{"decision": "deny", "reason": "not today"}])

    async def go() -> types.CallToolResult:
        async with over_http(served, era, person) as client:
            return await client.call_tool("write_file", {"filePath": "a.md", "content": "x"})

    result = asyncio.run(go())
    assert result.is_error
    assert "not today" in text_of(result)
    assert meta_of(result)["status"] == "denied"
    assert not (served.folder / "a.md").exists()


def test_a_declined_form_is_a_no(served: Served, era: str) -> None:
    async def go() -> types.CallToolResult:
        async with over_http(served, era, Person(["decline"])) as client:
            return await client.call_tool("write_file", {"filePath": "a.md", "content": "x"})

    assert meta_of(asyncio.run(go()))["status"] == "denied"


def test_a_client_without_fields_can_accept_what_was_shown(served: Served, era: str) -> None:
    async def go() -> list[types.CallToolResult]:
        async with over_http(served, era, Person([{}, {"decision": "perhaps"}])) as client:
            return [
                await client.call_tool("write_file", {"filePath": name, "content": "x"}) for name in ("a.md", "b.md")
            ]

    accepted, unclear = asyncio.run(go())
    assert not accepted.is_error
    assert (served.folder / "a.md").read_text() == "x"
    assert meta_of(unclear)["status"] == "waiting"
    assert not (served.folder / "b.md").exists()


def test_a_closed_form_leaves_the_question_open(served: Served, era: str) -> None:
    async def go() -> types.CallToolResult:
        async with over_http(served, era, Person(["cancel"])) as client:
            return await client.call_tool("write_file", {"filePath": "a.md", "content": "x"})

    result = asyncio.run(go())
    assert meta_of(result)["status"] == "waiting"
    (question,) = served.vault.history.questions()
    assert f"paper approvals approve {question.id}" in text_of(result)


def test_what_a_person_writes_instead_is_done_instead(served: Served, era: str) -> None:
    edit = json.dumps({"filePath": "b.md", "content": "mine"})

    async def go() -> types.CallToolResult:
        async with over_http(served, era, Person([{"decision": "approve", "edit": edit}])) as client:
            return await client.call_tool("write_file", {"filePath": "a.md", "content": "x"})

    assert not asyncio.run(go()).is_error
    assert (served.folder / "b.md").read_text() == "mine"
    assert not (served.folder / "a.md").exists()


def test_a_field_that_a_person_changes_is_done_instead(served: Served, era: str) -> None:
    async def go() -> types.CallToolResult:
        async with over_http(served, era, Person([{"decision": "approve", "filePath": "b.md"}])) as client:
            return await client.call_tool("write_file", {"filePath": "a.md", "content": "x"})

    assert not asyncio.run(go()).is_error
    assert (served.folder / "b.md").read_text() == "x"
    assert not (served.folder / "a.md").exists()


def test_a_slip_in_what_is_written_instead_is_told_and_asked_again(served: Served, era: str) -> None:
    person = Person([{"decision": "approve", "edit": "{oops"}, YES])

    async def go() -> types.CallToolResult:
        async with over_http(served, era, person) as client:
            return await client.call_tool("write_file", {"filePath": "a.md", "content": "x"})

    assert not asyncio.run(go()).is_error
    assert "JSON" in person.shown[1]
    assert (served.folder / "a.md").read_text() == "x"


def test_a_client_that_cannot_ask_leaves_the_run_waiting_and_is_told_how(served: Served, era: str) -> None:
    async def go() -> types.CallToolResult:
        async with over_http(served, era) as client:
            return await client.call_tool("write_file", {"filePath": "a.md", "content": "x"})

    result = asyncio.run(go())
    (question,) = served.vault.history.questions()
    assert f"paper approvals approve {question.id}" in text_of(result)
    assert meta_of(result)["status"] == "waiting"
    assert not (served.folder / "a.md").exists()


def test_progress_is_told_step_by_step(served: Served, era: str) -> None:
    told: list[tuple[float, str | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        assert total is None
        told.append((progress, message))

    async def go() -> None:
        async with over_http(served, era) as client:
            await client.call_tool("shout", {"words": "x"}, progress_callback=on_progress)

    asyncio.run(go())
    assert [progress for progress, _ in told] == [1]
    assert "shout" in str(told[0][1])


def test_progress_only_ever_grows_while_questions_are_asked_in_one_request(served: Served, era: str) -> None:
    if era != "legacy":
        pytest.skip("Here every answer is a request of its own.")
    told: list[float] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:  # noqa: ARG001  as called
        told.append(progress)

    async def go() -> types.CallToolResult:
        async with over_http(served, era, Person([YES, YES])) as client:
            return await client.call_tool("two_notes", {}, progress_callback=on_progress)

    assert not asyncio.run(go()).is_error
    assert told == sorted(set(told))
    assert len(told) > 2


def test_a_client_that_gives_up_stops_the_run(served: Served, era: str) -> None:
    async def go() -> None:
        async with over_http(served, era) as client:
            call = asyncio.create_task(client.call_tool("slow", {}))
            async with asyncio.timeout(20):
                while not served.vault.history.runs(status="running"):
                    await asyncio.sleep(0.01)
                call.cancel()
                await asyncio.gather(call, return_exceptions=True)
                while not served.vault.history.runs(status="cancelled"):
                    await asyncio.sleep(0.01)

    asyncio.run(go())


def test_everything_over_standard_input_and_output(folder: Path, era: str) -> None:
    person = Person([YES, {"decision": "deny", "reason": "enough"}])

    async def go() -> list[types.CallToolResult]:
        async with over_stdio(folder, era, person) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert {"shout", "write_file"} <= names
            return [
                await client.call_tool("shout", {"words": "hi"}),
                await client.call_tool("write_file", {"filePath": "a.md", "content": "x"}),
                await client.call_tool("write_file", {"filePath": "b.md", "content": "x"}),
                await client.call_tool("shout", {}),
            ]

    said, written, denied, wrong = asyncio.run(go())
    assert text_of(said) == "HI"
    assert not written.is_error
    assert (folder / "a.md").read_text() == "x"
    assert "enough" in text_of(denied)
    assert wrong.is_error


def test_progress_edit_and_giving_up_over_standard_input_and_output(folder: Path, era: str) -> None:
    edit = json.dumps({"filePath": "b.md", "content": "mine"})
    (folder / "long.md").write_text(LONG)
    told: list[str] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        assert (progress, total) == (1, None)
        told.append(str(message))

    async def go() -> None:
        async with over_stdio(folder, era, Person([{"decision": "approve", "edit": edit}])) as client:
            await client.call_tool("write_file", {"filePath": "a.md", "content": "x"})
            call = asyncio.create_task(client.call_tool("long", {}, progress_callback=on_progress))
            with Vault(folder) as beside:
                async with asyncio.timeout(30):
                    await until(lambda: told)
                    call.cancel()
                    await asyncio.gather(call, return_exceptions=True)
                    await until(lambda: beside.history.runs(status="cancelled"))

    asyncio.run(go())
    assert "shout" in told[0]
    assert (folder / "b.md").read_text() == "mine"
    assert not (folder / "a.md").exists()


async def until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


def test_an_agent_is_called_like_a_tool_and_its_steps_ask(served: Served, era: str) -> None:
    call = {"tool": "write_file", "arguments": {"filePath": "poem.md", "content": "Roses"}}
    served.note("scribe.md", POET.replace("poet", "scribe").replace("model:", "tools: [write_file]\nmodel:"))
    person = Person([YES])

    async def go() -> types.CallToolResult:
        async with over_http(served, era, person) as client:
            return await client.call_tool("scribe", {"query": "A poem, please."})

    with ScriptedServer([{"calls": [call]}, {"text": "The poem is written."}]) as model:
        served.note(".paper/settings.toml", f'[llm]\nbase_url = "{model.base_url}"\napi_key = "k"\n')
        trust_settings(served.folder)
        served.vault.read_settings_again()
        result = asyncio.run(go())
    assert text_of(result) == "The poem is written."
    assert "+++ b/poem.md" in person.shown[0]
    assert (served.folder / "poem.md").read_text() == "Roses"


def test_a_question_outlives_the_client_that_was_asked(served: Served, era: str) -> None:
    thinking = asyncio.Event()

    async def think(context: Any, params: Any) -> types.ElicitResult:
        assert context is not None
        assert "a.md" in params.message
        thinking.set()
        await asyncio.Event().wait()
        raise AssertionError

    async def go() -> None:
        async with over_http(served, era, think) as client:
            call = asyncio.create_task(client.call_tool("write_file", {"filePath": "a.md", "content": "x"}))
            async with asyncio.timeout(20):
                await thinking.wait()
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)

    asyncio.run(go())
    (question,) = served.vault.history.questions()
    record = served.vault.answer(question.id, Approved())
    assert record.success
    assert (served.folder / "a.md").read_text() == "x"
