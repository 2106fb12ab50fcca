"""The tools of a server: what it says about them, how they are called, and what they answer."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from paperagents.calls.answers import CONTENT
from paperagents.calls.conversion import DEEPEST, is_json
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import ToolError
from paperagents.mcp_client.resources import describe_resources_and_prompts
from paperagents.messages import text
from paperagents.reading.json_schema import find_schema_mistakes

if TYPE_CHECKING:
    import mcp_types as types
    from mcp import Client

LARGEST_ANSWER = 16 * 1024 * 1024
TASK = "task"
"""The field of a remembered tool that says that it can be called only as a task."""
ANSWER_SECONDS = 300.0
CANCEL_SECONDS = 5.0


async def list_offered(client: Client) -> list[JsonObject]:
    """What a server says about its tools, and those that stand for its resources and prompts."""
    tools = await list_tools(client)
    names = {each["name"] for each in tools}
    return [*tools, *(each for each in await describe_resources_and_prompts(client) if each["name"] not in names)]


async def list_tools(client: Client) -> list[JsonObject]:
    """What a server says about its tools."""
    described: list[JsonObject] = []
    cursor: str | None = None
    for _ in range(100):
        page = await client.list_tools(cursor=cursor, cache_mode="bypass")
        described += [describe(tool) for tool in page.tools]
        if (cursor := page.next_cursor) is None:
            break
    return described


def describe(tool: types.Tool) -> JsonObject:
    """A tool as it is remembered."""
    returns = tool.output_schema
    read_only = tool.annotations is not None and tool.annotations.read_only_hint is True
    return {
        "name": tool.name,
        "description": tool.description or tool.title or "",
        "schema": tool.input_schema,
        "returns": {} if not returns or find_schema_mistakes(json.dumps(returns)) else returns,
        "read_only": read_only,
        **({TASK: True} if tool.execution is not None and tool.execution.task_support == "required" else {}),
    }


async def call_as_task(
    client: Client, tool: str, arguments: JsonObject, seconds: float | None, meta: Any
) -> types.CallToolResult:
    """Call a tool that works as a task: it is started, and its result is waited for."""
    import mcp_types as types  # noqa: PLC0415  the library is large

    params = {"name": tool, "arguments": arguments, "task": {}, **({"_meta": meta} if meta else {})}
    # Past the session, which takes only a result for an answer to such a request.
    dispatcher = client.session._dispatcher  # noqa: SLF001  the library offers no other way
    started = await dispatcher.send_raw_request("tools/call", params, {"timeout": seconds or ANSWER_SECONDS})
    task = types.CreateTaskResult.model_validate(started, by_name=False).task.task_id
    wanted = types.GetTaskPayloadRequest(params=types.GetTaskPayloadRequestParams(task_id=task))
    try:
        return await client.session.send_request(wanted, types.CallToolResult, seconds)
    except asyncio.CancelledError:
        # Nobody waits for it any more, and without a word it would go on.
        given_up = types.CancelTaskRequest(params=types.CancelTaskRequestParams(task_id=task))
        with suppress(Exception):
            await client.session.send_request(given_up, types.CancelTaskResult, CANCEL_SECONDS)
        raise


def read_result(result: types.CallToolResult, tool: str) -> JsonValue:
    """The value that a tool answered with. Raises ToolError for an error, and for what is no value of ours."""
    texts = [each.text for each in result.content if each.type == "text"]
    if result.is_error:
        raise ToolError("remote-tool-failed", tool=tool, reason="\n".join(texts)[:10_000])
    structured = result.structured_content
    blocks: list[JsonValue] = [
        each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in result.content
    ]
    answer: JsonValue = structured
    if structured is None:
        answer = texts[0] if len(blocks) == len(texts) == 1 else {CONTENT: blocks} if blocks else None
    elif len(texts) < len(blocks) and isinstance(structured, dict):
        # What is to be shown goes with the data; texts alone only repeat it.
        answer = {CONTENT: blocks, **structured}
    return require_value(answer, tool)


def require_value(answer: JsonValue, tool: str) -> JsonValue:
    """The answer, where it is a value of ours and not too large. Raises ToolError."""
    if len(str(answer)) > LARGEST_ANSWER:
        raise ToolError("remote-answer-too-large", tool=tool, limit=LARGEST_ANSWER)
    if not is_json(answer):
        raise ToolError("remote-answer-invalid", tool=tool, reason=text("cli.run.no-json-value", limit=DEEPEST))
    return answer
