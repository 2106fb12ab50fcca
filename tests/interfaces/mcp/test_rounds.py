"""What a client of 2026-07-28 hands back: a sealed word that names the run and what was shown."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

import paperagents
from paperagents.approval.question import ApprovalRequest, Approved, Decision

from ..served import Served, serving  # noqa: TID252  shared by the tests of two interfaces
from .clients import Person, meta_of, over_http

ERA = "2026-07-28"
YES = {"decision": "approve"}


async def ask(client: Any, **more: Any) -> types.InputRequiredResult:
    arguments = {"filePath": "a.md", "content": "x", **more}
    result = await client.session.call_tool("write_file", arguments, allow_input_required=True)
    assert isinstance(result, types.InputRequiredResult)
    return result


async def answer(client: Any, asked: types.InputRequiredResult, **changes: Any) -> Any:
    responses = {key: types.ElicitResult(action="accept", content={**YES}) for key in asked.input_requests or {}}
    request = {"arguments": {"filePath": "a.md", "content": "x"}, "request_state": asked.request_state, **changes}
    return await client.session.call_tool("write_file", input_responses=responses, allow_input_required=True, **request)


def test_an_answer_is_good_after_a_restart(folder: Path) -> None:
    async def before(served: Served) -> types.InputRequiredResult:
        async with over_http(served, ERA, Person()) as client:
            return await ask(client)

    async def after(served: Served, asked: types.InputRequiredResult) -> Any:
        async with over_http(served, ERA, Person()) as client:
            return await answer(client, asked)

    with serving(folder) as first:
        asked = asyncio.run(before(first))
    with serving(folder) as second:
        result = asyncio.run(after(second, asked))
    assert not result.is_error
    assert (folder / "a.md").read_text() == "x"


def test_a_forged_state_is_refused(served: Served) -> None:
    async def go() -> None:
        async with over_http(served, ERA, Person()) as client:
            asked = await ask(client)
            state = asked.request_state or ""
            for forged in (state[:-4] + "AAAA", "{}", '{"run": "x", "asked": {}}'):
                with pytest.raises(MCPError, match="requestState"):
                    await answer(client, asked, request_state=forged)

    asyncio.run(go())
    assert not (served.folder / "a.md").exists()


def test_a_yes_to_one_call_is_none_to_another(served: Served) -> None:
    async def go() -> None:
        async with over_http(served, ERA, Person()) as client:
            asked = await ask(client)
            with pytest.raises(MCPError, match="requestState"):
                await answer(client, asked, arguments={"filePath": "a.md", "content": "evil"})

    asyncio.run(go())
    assert not (served.folder / "a.md").exists()


def test_a_yes_counts_once(served: Served) -> None:
    async def go() -> list[Any]:
        async with over_http(served, ERA, Person()) as client:
            asked = await ask(client)
            return [await answer(client, asked), await answer(client, asked)]

    first, second = asyncio.run(go())
    assert meta_of(first)["run_id"] == meta_of(second)["run_id"]
    assert len(served.vault.history.runs()) == 1


def test_the_end_of_a_run_that_somebody_answers_elsewhere_is_waited_for(served: Served) -> None:
    begun, over = threading.Event(), threading.Event()

    def elsewhere(run_id: str) -> str:
        def decide(_: ApprovalRequest) -> Decision:
            begun.set()
            assert over.wait(60)
            return Approved()

        with paperagents.open_vault(served.folder) as vault:
            return vault.resume(run_id, approver=decide).status

    async def go() -> Any:
        async with over_http(served, ERA, Person()) as client:
            asked = await ask(client)
            (run,) = served.vault.history.runs()
            other = asyncio.create_task(asyncio.to_thread(elsewhere, str(run["run_id"])))
            await asyncio.to_thread(begun.wait, 60)
            told = asyncio.create_task(answer(client, asked))
            for _ in range(20):
                await client.list_tools()
            over.set()
            assert await other == "succeeded"
            return await told

    result = asyncio.run(go())
    assert meta_of(result)["status"] == "succeeded"


def test_a_file_that_changed_meanwhile_is_shown_again(served: Served) -> None:
    served.note("a.md", "old")

    async def go() -> Any:
        async with over_http(served, ERA, Person()) as client:
            asked = await ask(client, overwrite=True)
            served.note("a.md", "edited by hand")
            return await answer(client, asked, arguments={"filePath": "a.md", "content": "x", "overwrite": True})

    again = asyncio.run(go())
    assert isinstance(again, types.InputRequiredResult)
    assert (served.folder / "a.md").read_text() == "edited by hand"


def test_an_answer_that_cannot_be_used_is_not_asked_for_without_end(served: Served) -> None:
    async def go() -> tuple[int, Any]:
        async with over_http(served, ERA, Person()) as client:
            asked: Any = await ask(client)
            rounds = 1
            while isinstance(asked, types.InputRequiredResult):
                useless = types.ElicitResult(action="accept", content={**YES, "edit": "{oops"})
                asked = await client.session.call_tool(
                    "write_file",
                    {"filePath": "a.md", "content": "x"},
                    input_responses=dict.fromkeys(asked.input_requests or {}, useless),
                    request_state=asked.request_state,
                    allow_input_required=True,
                )
                rounds += 1
            return rounds, asked

    rounds, result = asyncio.run(go())
    assert (rounds, meta_of(result)["status"]) == (4, "waiting")
