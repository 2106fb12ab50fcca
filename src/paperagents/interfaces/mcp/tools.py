"""The tools that a client is offered: every one of the vault, or a search over them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from typing import Any

import mcp_types as types

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.text import lossless_bytes
from paperagents.definitions.tool import AGENT_PREFIX, ToolDefinition
from paperagents.errors import PaperError
from paperagents.interfaces.mcp.answers import output_schema, returns_of
from paperagents.messages import text
from paperagents.registry.entry import Entry
from paperagents.tools import builtin_tools
from paperagents.tools.built_in import always_reads
from paperagents.values import dataclass
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
        """All tools; with very many of them, two that find and call the others."""
        tools = self.all_tools()
        return tools if len(tools) <= self._vault.settings.get("mcp.list_up_to") else search_and_call()

    def all_tools(self) -> list[types.Tool]:
        """Every tool and agent that can be used."""
        entries = self.usable_entries()
        tools = [entry for key, entry in entries.items() if key == entry.id]
        effects = effects_of(tools, self._vault.remote_servers.read_only_tools())
        made = ((entry, self.make_tool(key, entry, effects.get(key, ANYTHING))) for key, entry in entries.items())
        # Kept with their entries, so that the tool of an unchanged file is not made again.
        self._made = {id(entry): (entry, tool) for entry, tool in made if tool is not None}
        return [tool for _, tool in self._made.values()]

    def id_of(self, name: str) -> str:
        """The id of the tool that is offered under this name."""
        if not _MADE_UP_NAME.search(name):
            return name
        return next((key for key in self.usable_entries() if offered_name(key) == name), name)

    def schema(self, name: str) -> JsonObject | None:
        """The JSON Schema of a tool's arguments."""
        tool = self.find(self.id_of(name))
        return tool.schema if tool is not None else None

    def find(self, tool_id: str) -> ToolDefinition | None:
        """The tool, where it can be used."""
        try:
            return self._vault.registry.tool(tool_id)
        except PaperError:
            return None

    def search(self, query: str) -> list[JsonObject]:
        """The tools whose name or description has most of the words."""
        words = query.casefold().split()

        def score(tool: types.Tool) -> int:
            name, rest = f"{tool.name} {tool.title}".casefold(), (tool.description or "").casefold()
            return sum(2 * (word in name) + (word in rest) for word in words)

        scored = [(score(tool), tool) for tool in self.all_tools()]
        best = sorted((each for each in scored if each[0] > 0 or not words), key=lambda each: -each[0])
        return [
            {"tool": tool.name, "description": tool.description or "", "arguments": tool.input_schema}
            for _, tool in best[:_MOST_FOUND]
        ]

    def usable_entries(self) -> dict[str, Entry]:
        """Valid tools and agents by id; an agent with the id of a tool has a prefix."""
        usable = [each for each in self._vault.registry.entries() if each.valid or each.stale]
        tools = {each.id: each for each in usable if each.is_tool}
        agents = [each for each in usable if each.kind == "agent"]
        return tools | {f"{AGENT_PREFIX}{each.id}" if each.id in tools else each.id: each for each in agents}

    def make_tool(self, key: str, entry: Entry, effects: Effects) -> types.Tool | None:
        """The tool for MCP; the one made before where nothing has changed."""
        before = self._made.get(id(entry))
        annotations = types.ToolAnnotations(
            title=entry.name,
            read_only_hint=not effects.changes,
            destructive_hint=effects.changes,
            open_world_hint=effects.leaves_the_vault,
        )
        name = offered_name(key)
        # Compared by identity as well: the id of a deleted entry may have been given to another.
        if before is not None and before[0] is entry and (before[1].name, before[1].annotations) == (name, annotations):
            return before[1]
        try:
            tool = self._vault.registry.tool(key)
        except PaperError:
            # The file broke in this very moment; that is reported when somebody calls the tool.
            return None
        return types.Tool(
            name=name,
            title=tool.name,
            description=tool.description or None,
            input_schema={**tool.schema, "type": "object"},
            output_schema=output_schema(returns_of(tool)),
            annotations=annotations,
        )


def offered_name(tool_id: str) -> str:
    """A name that every client accepts: the id, or a plain name with a digest of the id."""
    if _ALLOWED_NAME.fullmatch(tool_id):
        return tool_id
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", tool_id).strip("_")[:48]
    digest = sha256(lossless_bytes(tool_id)).hexdigest()[:8]
    return f"{plain}_{digest}" if plain else f"tool_{digest}"


def search_and_call() -> list[types.Tool]:
    """The tools that stand for all others where there are too many to list."""
    query: dict[str, Any] = {"query": {"type": "string"}}
    call: dict[str, Any] = {"tool": {"type": "string"}, "arguments": {"type": "object"}}
    return [
        types.Tool(
            name=SEARCH,
            description=text("mcp.search-tools"),
            input_schema={"type": "object", "properties": query, "required": ["query"]},
            annotations=types.ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False),
        ),
        types.Tool(
            name=CALL,
            description=text("mcp.call-tool"),
            input_schema={"type": "object", "properties": call, "required": ["tool"]},
            annotations=types.ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True),
        ),
    ]


# --- effects of tools as far as their files tell: hints for clients, never the ground of a decision


CHANGES, WORLD = "changes", "world"
_ANYTHING = frozenset({CHANGES, WORLD})
"""Code that can call any tool, a model, another server."""


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
        collect_effects(entry, by_name, known)
    return {
        entry.id: Effects(changes=CHANGES in known[entry.id], leaves_the_vault=WORLD in known[entry.id])
        for entry in entries
    }


def collect_effects(entry: Entry, by_name: Mapping[str, Entry], known: dict[str, frozenset[str]]) -> frozenset[str]:
    """The effects of an entry, added to those that are known."""
    if entry.id in known:
        return known[entry.id]
    if entry.kind != "markdown":
        known[entry.id] = _ANYTHING
        for tool in builtin_tools() if entry.kind == "builtin" else ():
            if tool.id == entry.id:
                changes = {CHANGES} if tool.reads_when is not always_reads else set()
                known[entry.id] = frozenset(changes | ({WORLD} if tool.leaves_the_vault else set()))
        return known[entry.id]
    # Set first: a cycle of calls adds nothing to what its other members do.
    known[entry.id] = frozenset()
    found: frozenset[str] = frozenset()
    for call in entry.calls:
        called = by_name.get(call.tool)
        found |= _ANYTHING if called is None else collect_effects(called, by_name, known)
    known[entry.id] = found
    return found
