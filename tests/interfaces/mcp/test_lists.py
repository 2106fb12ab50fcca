"""Notes as resources, agents as prompts, and the news that something has changed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError
from tests.waiting import wait_until

from ..served import POET, SHOUT, Served  # noqa: TID252  shared by the tests of two interfaces
from .clients import ERAS, meta_of, over_http, over_stdio

LOUDER = SHOUT.replace("name: shout", "name: louder")


@pytest.mark.parametrize("era", ERAS)
def test_notes_are_listed_and_read(served: Served, era: str) -> None:
    served.note("ordner/grüße.md", "Hallo")

    async def go() -> tuple[list[types.Resource], Any, list[types.ResourceTemplate]]:
        async with over_http(served, era) as client:
            listed = (await client.list_resources()).resources
            found = next(each for each in listed if each.name == "ordner/grüße.md")
            templates = (await client.list_resource_templates()).resource_templates
            return listed, (await client.read_resource(found.uri)).contents[0], templates

    listed, contents, templates = asyncio.run(go())
    assert {"diary.md", "shout.md"} <= {each.name for each in listed}
    assert contents.text == "Hallo"
    assert templates[0].uri_template == "note:///{+path}"


@pytest.mark.parametrize(
    "uri",
    ["note:///../secret", "note:///.paper/paper.db", "note:///%2e%2e/secret", "file:///etc/passwd", "note:///no.md"],
)
def test_what_is_not_a_note_is_not_read(served: Served, uri: str) -> None:
    served.note("../secret", "hidden")

    async def go() -> None:
        async with over_http(served, "legacy") as client:
            with pytest.raises(MCPError):
                await client.read_resource(uri)

    asyncio.run(go())


def test_long_lists_of_notes_come_in_pages(served: Served) -> None:
    for number in range(1100):
        served.note(f"many/{number:04}.md", "x")

    async def go() -> tuple[int, int]:
        async with over_http(served, "legacy") as client:
            first = await client.list_resources()
            second = await client.list_resources(cursor=first.next_cursor)
            assert second.next_cursor is None
            names = {each.name for each in (*first.resources, *second.resources)}
            return len(first.resources), len(names)

    assert asyncio.run(go()) == (1000, 1105)


@pytest.mark.parametrize("era", ERAS)
def test_agents_are_prompts(served: Served, era: str) -> None:
    async def go() -> tuple[types.Prompt, types.GetPromptResult]:
        async with over_http(served, era) as client:
            (prompt,) = (await client.list_prompts()).prompts
            return prompt, await client.get_prompt(prompt.name, {"query": "About rain."})

    prompt, got = asyncio.run(go())
    assert prompt.description == "Writes poems."
    texts = [message.content.text for message in got.messages if isinstance(message.content, types.TextContent)]
    assert texts == ["You write poems.", "About rain."]


def test_a_prompt_is_filled_in_as_for_the_agent_itself(served: Served) -> None:
    declared = "parameters:\n  - {name: form, type: string, description: Which form}\nmodel:"
    prompt = 'Write a {{form}} on {{date}}. {{<vaultref id="style" />}}'
    served.note("bard.md", POET.replace("poet", "bard").replace("model:", declared).replace("You write poems.", prompt))
    # A list shows what was seen last; the test is not to wait for the watcher.
    served.vault.registry.refresh()
    served.vault.run("datavault", {"id": "style", "content": "Be brief: {{date}}"})

    async def go() -> tuple[types.ListPromptsResult, types.GetPromptResult]:
        async with over_http(served, "legacy") as client:
            return await client.list_prompts(), await client.get_prompt("bard", {"form": "sonnet"})

    listed, got = asyncio.run(go())
    (bard,) = [each for each in listed.prompts if each.name == "bard"]
    assert [(each.name, each.required) for each in bard.arguments or ()] == [("query", False), ("form", True)]
    (message,) = got.messages
    assert isinstance(message.content, types.TextContent)
    assert re.fullmatch(r"Write a sonnet on \d{4}-\d\d-\d\d\. Be brief: \{\{date\}\}", message.content.text)


@pytest.mark.parametrize("taken", ["shout", "read_file"])
def test_an_agent_with_the_id_of_a_tool_is_offered_under_a_name_of_its_own(served: Served, taken: str) -> None:
    served.note("agents/second.md", POET.replace("name: poet", f"name: {taken}"))
    wait_until(lambda: any(entry.file == "agents/second.md" for entry in served.vault.registry.entries()))

    async def go() -> tuple[list[str], Any]:
        async with over_http(served, "legacy") as client:
            names = [each.name for each in (await client.list_tools()).tools]
            own = next(name for name in names if name.startswith(f"agent_{taken}_"))
            return names, meta_of(await client.call_tool(own, {}))

    names, refused = asyncio.run(go())
    assert len(names) == len(set(names))
    assert taken in names
    assert "query" in str(refused["error"])


def test_an_unknown_prompt_is_told_with_the_nearest(served: Served) -> None:
    async def go() -> None:
        async with over_http(served, "legacy") as client:
            with pytest.raises(MCPError, match="poet"):
                await client.get_prompt("poed")

    asyncio.run(go())


class News:
    """Collects the kinds of notifications that come."""

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self.came = asyncio.Event()

    async def __call__(self, message: Any) -> None:
        self.kinds.add(getattr(message, "method", type(message).__name__))
        self.came.set()

    async def wait_for(self, wanted: Callable[[set[str]], bool]) -> None:
        async with asyncio.timeout(20):
            while not wanted(self.kinds):
                self.came.clear()
                await self.came.wait()


@pytest.mark.filterwarnings("ignore:resources/subscribe is removed")
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_older_clients_hear_of_new_tools_and_of_notes_they_subscribed_to(
    served: Served, folder: Path, transport: str
) -> None:
    async def go() -> set[str]:
        news = News()
        connect = over_http(served, "legacy", None, news) if transport == "http" else over_stdio(
            folder, "legacy", None, news
        )  # fmt: skip
        async with connect as client:
            await client.list_tools()
            await client.subscribe_resource("note:///diary.md")
            served.note("louder.md", LOUDER)
            served.note("diary.md", "Rain.")
            await news.wait_for(lambda kinds: "notifications/resources/updated" in kinds)
            assert "notifications/tools/list_changed" in news.kinds
            return {tool.name for tool in (await client.list_tools()).tools}

    assert "louder" in asyncio.run(go())


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_clients_of_the_new_era_listen(served: Served, folder: Path, transport: str) -> None:
    async def go() -> tuple[list[str], set[str]]:
        era = "2026-07-28"
        connect = over_http(served, era) if transport == "http" else over_stdio(folder, era)
        async with connect as client, asyncio.timeout(20):
            seen: list[str] = []
            uris = ["note:///diary.md"]
            async with client.listen(tools_list_changed=True, resource_subscriptions=uris) as events:
                served.note("louder.md", LOUDER)
                served.note("diary.md", "Rain.")
                async for event in events:
                    seen.append(type(event).__name__)
                    if {"ToolsListChanged", "ResourceUpdated"} <= set(seen):
                        break
            return seen, {tool.name for tool in (await client.list_tools()).tools}

    _, names = asyncio.run(go())
    assert "louder" in names


def test_with_many_tools_a_search_can_be_offered_instead(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPER_MCP_LIST_UP_TO", "5")
    from ..served import serving  # noqa: PLC0415, TID252  after the setting

    async def go(served: Served) -> tuple[set[str], Any, Any]:
        async with over_http(served, "2026-07-28") as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            found = await client.call_tool("search_tools", {"query": "loudly"})
            called = await client.call_tool("call_tool", {"tool": "shout", "arguments": {"words": "hi"}})
            return names, found.structured_content, called.content[0]

    with serving(folder) as served:
        names, found, called = asyncio.run(go(served))
    assert names == {"search_tools", "call_tool"}
    assert found["tools"][0]["tool"] == "shout"
    assert found["tools"][0]["arguments"]["required"] == ["words"]
    assert called.text == "HI"
