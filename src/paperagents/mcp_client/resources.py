"""What a server offers beside tools: its resources and prompts, each behind one tool of ours.

``mcp:NAME/read_resource`` and ``mcp:NAME/get_prompt`` give what is asked for by its address or name, and without one
the list. A server's own tool of such a name is the server's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from paperagents.calls.answers import CONTENT
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.messages import text

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import ReadResourceResult

READ_RESOURCE, GET_PROMPT = "read_resource", "get_prompt"
OFFERS = "offers"
"""The field of a remembered tool that says which of these it stands for."""
MOST_NAMED = 30
MOST_PAGES = 100


async def describe_resources_and_prompts(client: Client) -> list[JsonObject]:
    """The tools for what a server has; none for what it has not."""
    can = client.server_capabilities
    resources = await list_resources(client) if can.resources is not None else []
    prompts = await list_prompts(client) if can.prompts is not None else []
    found: tuple[tuple[str, str, JsonObject, list[str]], ...] = (
        (READ_RESOURCE, "resources", {"uri": {"type": "string"}}, [str(each["uri"]) for each in resources]),
        (GET_PROMPT, "prompts", {"name": {"type": "string"}, "arguments": {"type": "object"}},
         [str(each["name"]) for each in prompts]),
    )  # fmt: skip
    return [
        {
            "name": name,
            "description": text(f"mcp.{offers}", names=", ".join(names[:MOST_NAMED])),
            "schema": {"type": "object", "properties": properties},
            "returns": {},
            "read_only": True,
            OFFERS: offers,
        }
        for name, offers, properties, names in found
        if names
    ]


async def get_offered(client: Client, offers: str, arguments: JsonObject) -> JsonValue:
    """What one of these tools answers."""
    if offers == "resources":
        uri = str(arguments.get("uri") or "")
        return read_contents(await client.read_resource(uri)) if uri else [*await list_resources(client)]
    name, given = str(arguments.get("name") or ""), arguments.get("arguments")
    if not name:
        return [*await list_prompts(client)]
    # Arguments of prompts are texts.
    texts = {key: str(value) for key, value in given.items()} if isinstance(given, dict) else {}
    return (await client.get_prompt(name, texts)).model_dump(
        mode="json", by_alias=True, exclude_none=True, include={"description", "messages"}
    )


async def list_resources(client: Client) -> list[JsonObject]:
    """Addresses with names; those with places to fill in come last."""
    found: list[JsonObject] = []
    cursor: str | None = None
    with _allow_unknown_method():
        for _ in range(MOST_PAGES):
            page = await client.list_resources(cursor=cursor, cache_mode="bypass")
            found += [
                {"uri": str(each.uri), "name": each.title or each.name, "description": each.description or "",
                 "mimeType": each.mime_type or ""}
                for each in page.resources
            ]  # fmt: skip
            if (cursor := page.next_cursor) is None:
                break
    with _allow_unknown_method():
        templates = await client.list_resource_templates(cache_mode="bypass")
        found += [
            {"uri": each.uri_template, "name": each.title or each.name, "description": each.description or "",
             "mimeType": each.mime_type or ""}
            for each in templates.resource_templates
        ]  # fmt: skip
    return found


async def list_prompts(client: Client) -> list[JsonObject]:
    """Names with what they are for and the arguments they take."""
    found: list[JsonObject] = []
    cursor: str | None = None
    with _allow_unknown_method():
        for _ in range(MOST_PAGES):
            page = await client.list_prompts(cursor=cursor, cache_mode="bypass")
            found += [
                {"name": each.name, "description": each.description or each.title or "",
                 "arguments": [{"name": one.name, "description": one.description or "",
                                "required": one.required is True} for one in each.arguments or ()]}
                for each in page.prompts
            ]  # fmt: skip
            if (cursor := page.next_cursor) is None:
                break
    return found


@contextmanager
def _allow_unknown_method() -> Iterator[None]:
    """Servers that have resources often know no templates of them: a list that they do not know is empty."""
    from mcp.shared.exceptions import MCPError  # noqa: PLC0415  the library is large
    from mcp_types import METHOD_NOT_FOUND  # noqa: PLC0415  see above

    try:
        yield
    except MCPError as error:
        if error.error.code != METHOD_NOT_FOUND:
            raise


def read_contents(result: ReadResourceResult) -> JsonValue:
    """One text as such; several, or bytes, as embedded resources that can be handed on."""
    contents = [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in result.contents]
    if len(contents) == 1 and "text" in contents[0]:
        return str(contents[0]["text"])
    return {CONTENT: [{"type": "resource", "resource": each} for each in contents]}
