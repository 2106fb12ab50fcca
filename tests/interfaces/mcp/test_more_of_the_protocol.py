"""What else clients find: bytes of pictures, values while somebody types, events after a lost connection."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import mcp_types as types
import pytest
from mcp.server.streamable_http import EventMessage
from mcp.shared.exceptions import MCPError

from paperagents.interfaces.mcp.events import MOST_EVENTS, RecentEvents

from ..served import POET, Served  # noqa: TID252  shared by the tests of two interfaces
from .clients import ERAS, over_http


@pytest.mark.parametrize("era", ERAS)
def test_a_picture_of_the_vault_is_read_as_bytes(served: Served, era: str) -> None:
    (served.folder / "a.png").write_bytes(b"\x89PNG\xff")

    async def go() -> Any:
        async with over_http(served, era) as client:
            return (await client.read_resource("note:///a.png")).contents[0]

    found = asyncio.run(go())
    assert isinstance(found, types.BlobResourceContents)
    assert (found.mime_type, base64.b64decode(found.blob)) == ("image/png", b"\x89PNG\xff")


@pytest.mark.parametrize("era", ERAS)
def test_paths_and_choices_are_offered_while_somebody_types(served: Served, era: str) -> None:
    parameter = "parameters:\n  - {name: form, type: string, description: D, enum: [sonnet, song, ode]}\nmodel:"
    served.note("bard.md", POET.replace("name: poet", "name: bard").replace("model:", parameter))
    served.vault.registry.refresh()

    async def go() -> list[list[str]]:
        async with over_http(served, era) as client:
            template = types.ResourceTemplateReference(type="ref/resource", uri="note:///{+path}")
            prompt = types.PromptReference(type="ref/prompt", name="bard")
            asked: list[tuple[Any, dict[str, str]]] = [
                (template, {"name": "path", "value": "DIA"}),
                (prompt, {"name": "form", "value": "so"}),
                (types.PromptReference(type="ref/prompt", name="nobody"), {"name": "form", "value": ""}),
            ]
            return [(await client.complete(ref, argument)).completion.values for ref, argument in asked]

    assert asyncio.run(go()) == [["diary.md"], ["sonnet", "song"], []]


@pytest.mark.parametrize("era", ERAS)
def test_the_prompt_of_an_agent_that_sees_has_its_pictures(served: Served, era: str) -> None:
    (served.folder / "a.png").write_bytes(b"\x89PNG\xff")
    for name, images in (("seer", "images: true\nmodel:"), ("blind", "model:")):
        note = POET.replace("name: poet", f"name: {name}").replace("model:", images)
        served.note(f"{name}.md", f"{note}\n![[a.png]] [[gone.png]]\n")
    served.vault.registry.refresh()

    async def go() -> list[list[Any]]:
        async with over_http(served, era) as client:
            return [[each.content for each in (await client.get_prompt(name)).messages] for name in ("seer", "blind")]

    seen, unseen = asyncio.run(go())
    assert [each.type for each in seen] == ["image", "text"]
    assert (seen[0].mime_type, base64.b64decode(seen[0].data)) == ("image/png", b"\x89PNG\xff")
    assert [each.type for each in unseen] == ["text"]


@pytest.mark.parametrize("era", ERAS)
def test_a_prompt_without_an_argument_that_it_needs_is_refused_with_its_name(served: Served, era: str) -> None:
    mood = "{name: mood, type: string, description: D, default: sad}"
    parameters = f"parameters:\n  - {{name: form, type: string, description: D}}\n  - {mood}\nmodel:"
    served.note("bard.md", POET.replace("name: poet", "name: bard").replace("model:", parameters))
    served.vault.registry.refresh()

    async def go() -> types.GetPromptResult:
        async with over_http(served, era) as client:
            with pytest.raises(MCPError) as refused:
                await client.get_prompt("bard", {"query": "go"})
            assert refused.value.error.code == types.INVALID_PARAMS
            assert refused.value.error.message == "'form' is missing."
            return await client.get_prompt("bard", {"form": "ode"})

    assert asyncio.run(go()).messages


TALKATIVE = """---
tool: true
name: talkative
description: D
custom_function: |
  console.debug("a detail");
  console.log("reading");
  console.warn("a gap");
  return "done";
---
"""


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (None, []),
        ("warning", [("warning", "a gap")]),
        ("debug", [("debug", "a detail"), ("info", "reading"), ("warning", "a gap")]),
    ],
)
def test_what_a_tool_writes_to_the_console_goes_only_to_a_client_that_asks_for_it(
    served: Served, era: str, level: Any, expected: list[tuple[str, str]]
) -> None:
    served.note("talkative.md", TALKATIVE)
    served.vault.registry.refresh()
    heard: list[tuple[str, Any]] = []

    async def on_message(message: Any) -> None:
        if isinstance(message, types.LoggingMessageNotification):
            heard.append((message.params.level, message.params.data))

    async def go() -> types.CallToolResult:
        async with over_http(served, era, on_message=on_message) as client:
            if level is not None and era == "legacy":
                level_set = types.SetLevelRequest(params=types.SetLevelRequestParams(level=level))
                await client.session.send_request(level_set, types.EmptyResult)
            meta: Any = {types.LOG_LEVEL_META_KEY: level} if level is not None and era != "legacy" else None
            return await client.call_tool("talkative", {}, meta=meta)

    result = asyncio.run(go())
    assert heard == expected
    assert [each.text for each in result.content if each.type == "text"] == ["done"]


def test_what_came_after_an_event_is_sent_again_to_its_own_stream_alone() -> None:
    sent: list[str | None] = []

    async def send(event: EventMessage) -> None:
        sent.append(event.event_id)

    async def go() -> tuple[list[str], str | None, str | None]:
        events = RecentEvents()
        message = types.JSONRPCNotification(jsonrpc="2.0", method="x")
        first = await events.store_event("a", None)
        later = [await events.store_event(stream, message) for stream in ("a", "b", "a")]
        found = await events.replay_events_after(first, send)
        for _ in range(MOST_EVENTS):
            await events.store_event("b", message)
        return later, found, await events.replay_events_after(first, send)

    later, found, gone = asyncio.run(go())
    assert (found, gone) == ("a", None)
    assert sent == [later[0], later[2]]
