"""Which tools a client is offered: every one of the vault, or a search over them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import mcp_types as types

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.text import lossless_bytes
from paperagents.definitions.tool import AGENT_PREFIX, ToolDefinition
from paperagents.errors import PaperError
from paperagents.messages import text
from paperagents.registry.entry import Entry
from paperagents.tools import builtin_tools
from paperagents.vault import Vault

SEARCH, CALL = "search_tools", "call_tool"
_ALLOWED_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MADE_UP_NAME = re.compile(r"_[0-9a-f]{8}$")
_MOST_FOUND = 20


class ToolOffer:
    """The tools of a vault as MCP sees them, always as the folder is now."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._made: dict[int, tuple[Entry, types.Tool]] = {}

    def tools(self) -> list[types.Tool]:
        """What a client is shown: all tools, or with very many of them two that find and call the others."""
        tools = self.all_tools()
        return tools if len(tools) <= self._vault.settings.get("mcp.list_up_to") else [_search_tool(), _call_tool()]

    def all_tools(self) -> list[types.Tool]:
        """Every tool and agent that can be used."""
        entries = self._entries()
        effects = effects_of(
            [entry for key, entry in entries.items() if key == entry.id], self._vault.remote_servers.only_reading()
        )
        made = {
            id(entry): (entry, tool)
            for key, entry in entries.items()
            if (tool := self._tool(key, entry, effects.get(key, ANYTHING)))
        }
        # Kept with their entries, so that an unchanged file is not looked at again.
        self._made = made
        return [tool for _, tool in made.values()]

    def id_of(self, name: str) -> str:
        """What leads to the tool that is offered under this name."""
        if not _MADE_UP_NAME.search(name):
            return name
        return next((key for key in self._entries() if offered_name(key) == name), name)

    def schema(self, name: str) -> JsonObject | None:
        """The JSON Schema of a tool's arguments."""
        try:
            return self._vault.registry.tool(self.id_of(name)).schema
        except PaperError:
            return None

    def search(self, query: str) -> list[JsonObject]:
        """The tools whose name or description has most of the words."""
        words = query.casefold().split()
        scored = [(_score(tool, words), tool) for tool in self.all_tools()]
        best = sorted((each for each in scored if each[0] > 0 or not words), key=lambda each: -each[0])
        return [
            {"tool": tool.name, "description": tool.description or "", "arguments": tool.input_schema}
            for _, tool in best[:_MOST_FOUND]
        ]

    def _entries(self) -> dict[str, Entry]:
        """What can be used, by what leads to it: its id, but for an agent whose id leads to a tool."""
        usable = [each for each in self._vault.registry.entries() if each.valid or each.stale]
        tools = {each.id: each for each in usable if each.is_tool}
        agents = [each for each in usable if each.kind == "agent"]
        return tools | {f"{AGENT_PREFIX}{each.id}" if each.id in tools else each.id: each for each in agents}

    def _tool(self, key: str, entry: Entry, effects: Effects) -> types.Tool | None:
        before = self._made.get(id(entry))
        annotations = _annotations(entry, effects)
        name = offered_name(key)
        if before is not None and before[0] is entry and (before[1].name, before[1].annotations) == (name, annotations):
            return before[1]
        try:
            return _offered(name, self._vault.registry.tool(key), annotations)
        except PaperError:
            # It broke in this very moment, and is told of when somebody calls it.
            return None


def offered_name(tool_id: str) -> str:
    """A name that every client takes: where the id is none, a plain one that no other tool has."""
    if _ALLOWED_NAME.fullmatch(tool_id):
        return tool_id
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", tool_id).strip("_")[:48]
    digest = sha256(lossless_bytes(tool_id)).hexdigest()[:8]
    return f"{plain}_{digest}" if plain else f"tool_{digest}"


def record_schema(data: JsonObject) -> JsonObject:
    """JSON Schema of a record whose data is known."""
    return {
        "type": "object",
        "properties": {
            "run_id": {"type": "string"},
            "tool": {"type": "string"},
            "status": {"type": "string"},
            "success": {"type": "boolean"},
            "data": {"anyOf": [data, {"type": "null"}]},
            "error": {"type": ["object", "null"]},
        },
        "required": ["run_id", "tool", "status", "success", "data"],
    }


def _offered(name: str, tool: ToolDefinition, annotations: types.ToolAnnotations) -> types.Tool:
    return types.Tool(
        name=name,
        title=tool.name,
        description=tool.description or None,
        input_schema=_as_object(tool.schema),
        output_schema=record_schema(dict(tool.answer)) if tool.answer else None,
        annotations=annotations,
    )


def _as_object(schema: JsonObject) -> JsonObject:
    return schema if schema.get("type") == "object" else {**schema, "type": "object"}


def _annotations(entry: Entry, effects: Effects) -> types.ToolAnnotations:
    return types.ToolAnnotations(
        title=entry.name,
        read_only_hint=not effects.changes,
        destructive_hint=effects.changes,
        open_world_hint=effects.leaves_the_vault,
    )


def _score(tool: types.Tool, words: list[str]) -> int:
    name, rest = f"{tool.name} {tool.title}".casefold(), (tool.description or "").casefold()
    return sum(2 * (word in name) + (word in rest) for word in words)


def _search_tool() -> types.Tool:
    return types.Tool(
        name=SEARCH,
        description=text("mcp.search-tools"),
        input_schema={"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
        annotations=types.ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False),
    )


def _call_tool() -> types.Tool:
    properties: dict[str, Any] = {"tool": {"type": "string"}, "arguments": {"type": "object"}}
    return types.Tool(
        name=CALL,
        description=text("mcp.call-tool"),
        input_schema={"type": "object", "properties": properties, "required": ["tool"]},
        annotations=types.ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True),
    )


# --- what a tool can do to the world, as far as its file tells: hints for clients, never a decision of ours


CHANGES, WORLD = "changes", "world"
_ANYTHING = frozenset({CHANGES, WORLD})
"""Code that can call any tool, a model, another server: nobody knows beforehand."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Effects:
    """Whether something is changed, and whether it goes beyond the vault."""

    changes: bool
    leaves_the_vault: bool


ANYTHING = Effects(changes=True, leaves_the_vault=True)


def effects_of(entries: Sequence[Entry], only_reading: Collection[str] = ()) -> dict[str, Effects]:
    """The effects of every tool by its id; a chain has those of all its steps.

    ``only_reading`` are tools of other servers that are said to change nothing.
    """
    by_name = {name: entry for entry in entries for name in (entry.name, entry.id)}
    known: dict[str, frozenset[str]] = dict.fromkeys(only_reading, frozenset({WORLD}))
    for entry in entries:
        _collect(entry, by_name, known)
    return {
        entry.id: Effects(changes=CHANGES in known[entry.id], leaves_the_vault=WORLD in known[entry.id])
        for entry in entries
    }


def _collect(entry: Entry, by_name: Mapping[str, Entry], known: dict[str, frozenset[str]]) -> frozenset[str]:
    if entry.id in known:
        return known[entry.id]
    if entry.kind != "markdown":
        known[entry.id] = _effects_of_builtin(entry.id) if entry.kind == "builtin" else _ANYTHING
        return known[entry.id]
    # A circle adds nothing to what its other members do.
    known[entry.id] = frozenset()
    found: frozenset[str] = frozenset()
    for call in entry.calls:
        called = by_name.get(call.tool)
        found |= _ANYTHING if called is None else _collect(called, by_name, known)
    known[entry.id] = found
    return found


def _effects_of_builtin(tool_id: str) -> frozenset[str]:
    tool = next(each for each in builtin_tools() if each.id == tool_id)
    changes = {CHANGES} if tool.reads_when is None or tool.reads_when else set()
    return frozenset(changes | ({WORLD} if tool.leaves_the_vault else set()))
