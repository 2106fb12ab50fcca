"""Who may answer over MCP: over HTTP a token that was made for it, over pipes the person whose client it is."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest

from paperagents.approval.question import system_user
from paperagents.vault import Vault

from ..served import Served  # noqa: TID252  shared by the tests of two interfaces
from .clients import ERAS, Person, meta_of, over_http, over_stdio

CALL = {"filePath": "a.md", "content": "x"}
YES: dict[str, Any] = {"decision": "approve", "always": True}


@pytest.mark.parametrize("era", ERAS)
def test_a_program_that_may_only_call_is_not_asked(served: Served, era: str) -> None:
    person = Person([YES])

    async def go() -> types.CallToolResult:
        async with over_http(served, era, person, token=served.access.token) as client:
            return await client.call_tool("write_file", CALL)

    result = asyncio.run(go())
    assert result.is_error
    assert meta_of(result)["status"] == "waiting"
    assert person.shown == []
    assert len(served.vault.history.questions()) == 1
    assert not (served.folder / "a.md").exists()


@pytest.mark.parametrize("era", ERAS)
def test_a_yes_carries_the_name_of_the_token(served: Served, era: str) -> None:
    token = served.tokens.create("desk", ["call", "answer"])

    async def go() -> types.CallToolResult:
        async with over_http(served, era, Person([YES]), token=token) as client:
            return await client.call_tool("write_file", CALL)

    meta = meta_of(asyncio.run(go()))
    assert meta["status"] == "succeeded"
    entry = served.vault.history.record(meta["run_id"]).execution_log[0]
    assert (entry["approved_by"], entry["approved_via"]) == ("desk", "mcp")


def test_over_pipes_the_person_answers(folder: Path) -> None:
    async def go() -> types.CallToolResult:
        async with over_stdio(folder, "legacy", Person([YES])) as client:
            return await client.call_tool("write_file", CALL)

    meta = meta_of(asyncio.run(go()))
    assert meta["status"] == "succeeded"
    with Vault(folder) as vault:
        entry = vault.history.record(meta["run_id"]).execution_log[0]
    assert (entry["approved_by"], entry["approved_via"]) == (system_user(), "mcp")


def test_another_token_cannot_hand_in_the_yes(served: Served) -> None:
    """What was asked of one caller is not answered by another, who may only call."""
    may_answer = served.new_token("call", "answer")

    async def go() -> None:
        async with over_http(served, "2026-07-28", Person(), token=may_answer) as client:
            asked = await client.session.call_tool("write_file", CALL, allow_input_required=True)
        assert isinstance(asked, types.InputRequiredResult)
        given: Any = {key: types.ElicitResult(action="accept", content={**YES}) for key in asked.input_requests or {}}
        async with over_http(served, "2026-07-28", Person(), token=served.access.token) as client:
            result = await client.session.call_tool(
                "write_file", CALL, input_responses=given, request_state=asked.request_state
            )
        assert meta_of(result)["status"] == "waiting"

    asyncio.run(go())
    assert len(served.vault.history.questions()) == 1
    assert not (served.folder / "a.md").exists()


def test_a_token_that_may_not_call_calls_nothing(served: Served) -> None:
    async def go() -> types.CallToolResult:
        async with over_http(served, "legacy", token=served.new_token("answer")) as client:
            return await client.call_tool("shout", {"words": "a"})

    result = asyncio.run(go())
    assert result.is_error
    assert meta_of(result)["error"]["code"] == "right-missing"
