"""The tools and agents that an agent was given, and how they are called natively and by tags."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.names import ENTRY_KINDS
from paperagents.definitions.text import lossless_bytes
from paperagents.definitions.tool import AGENT_PREFIX, CONVERSATION, AgentDefinition, ToolDefinition
from paperagents.errors import PaperError
from paperagents.registry.entry import Entry
from paperagents.registry.vault_checks import fits_pattern, is_pattern

_NATIVE_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DEEPEST_LOOK = 4
FindTool = Callable[[str], ToolDefinition]


@dataclass(frozen=True, kw_only=True)
class Toolbox:
    """What one agent may call."""

    tools: Mapping[str, ToolDefinition]
    """By the name under which the pipeline finds them: an id, or ``agent:`` and an id."""
    names: Mapping[str, str]
    """The same by the name under which a model calls them natively."""

    @property
    def granted(self) -> frozenset[str]:
        """The names of all."""
        return frozenset(self.tools)

    def resolve_name(self, name: str) -> str:
        """What a model means by a name; what it was not given is left for the pipeline to refuse."""
        if name in self.names:
            return self.names[name]
        asked = f"{AGENT_PREFIX}{name}"
        return asked if asked in self.tools and name not in self.tools else name

    def native(self) -> tuple[JsonObject, ...]:
        """The functions of a request."""
        return tuple(_function(name, self.tools[meant]) for name, meant in self.names.items())

    def manual(self) -> str:
        """The same as text, for a model that writes tags."""
        return "\n".join(_manual_line(tool) for tool in self.tools.values())


def open_toolbox(agent: AgentDefinition, entries: Iterable[Entry], find: FindTool) -> Toolbox:
    """Everything the agent's note names and that can be used; a broken file is left out."""
    entries = tuple(entries)
    stores = ENTRY_KINDS if agent.memory else ()
    wanted = [*_named(agent.tools, entries, agents=False), *stores, *_named(agent.agents, entries, agents=True)]
    tools: dict[str, ToolDefinition] = {}
    for name in dict.fromkeys(wanted):
        try:
            tool = find(name)
        except PaperError:
            continue
        tools[tool.key] = tool
    tools.pop(f"{AGENT_PREFIX}{agent.id}", None)
    return Toolbox(tools=tools, names=_native_names(tools))


def is_read_only(tool: ToolDefinition, arguments: Mapping[str, JsonValue], find: FindTool, depth: int = 0) -> bool:
    """Whether a call can change nothing, as far as that is plain to see."""
    if tool.kind == "builtin":
        return tool.only_reads(arguments)
    if tool.kind != "markdown" or tool.approval == "always" or tool.log or depth >= _DEEPEST_LOOK:
        return False
    return all(_step_reads(step.tool, step.parameters, find, depth) for step in tool.all_steps() if step.tool)


def _step_reads(name: str, parameters: Mapping[str, JsonValue], find: FindTool, depth: int) -> bool:
    try:
        return is_read_only(find(name), parameters, find, depth + 1)
    except PaperError:
        return False


def _named(patterns: Iterable[str], entries: tuple[Entry, ...], *, agents: bool) -> Iterator[str]:
    for pattern in patterns:
        if not is_pattern(pattern):
            yield f"{AGENT_PREFIX}{_agent_id(pattern, entries)}" if agents else pattern
            continue
        fitting = [each for each in entries if (each.kind == "agent" if agents else each.is_tool)]
        found = [each.id for each in fitting if fits_pattern(pattern, each.id) or fits_pattern(pattern, each.name)]
        yield from (f"{AGENT_PREFIX}{each}" if agents else each for each in found)


def _agent_id(name: str, entries: tuple[Entry, ...]) -> str:
    return next((each.id for each in entries if each.kind == "agent" and name in (each.id, each.name)), name)


def _native_names(tools: Mapping[str, ToolDefinition]) -> dict[str, str]:
    """Servers take letters, digits, ``_`` and ``-``; other ids get a name that cannot be another's."""
    names: dict[str, str] = {}
    for key, tool in tools.items():
        name = tool.id
        if not _NATIVE_NAME.fullmatch(name) or name in names:
            plain = re.sub("[^A-Za-z0-9_-]+", "_", name)[:50].strip("_") or "tool"
            name = f"{plain}_{sha256(lossless_bytes(key)).hexdigest()[:8]}"
        names[name] = key
    return names


def _function(name: str, tool: ToolDefinition) -> JsonObject:
    return {
        "type": "function",
        "function": {"name": name, "description": _description(tool), "parameters": _schema(tool)},
    }


def _schema(tool: ToolDefinition) -> JsonObject:
    schema = {key: value for key, value in tool.schema.items() if key != "$schema"}
    properties = schema.get("properties")
    if tool.kind == "agent" and isinstance(properties, dict):
        schema["properties"] = {name: each for name, each in properties.items() if name != CONVERSATION}
    return schema


def _description(tool: ToolDefinition) -> str:
    return tool.description or tool.name


def _manual_line(tool: ToolDefinition) -> str:
    """One tool as a tag, with what its attributes are."""
    properties = _schema(tool).get("properties")
    required = {each.name for each in tool.parameters if each.must_be_given}
    attributes = [
        f"  - {name}{' (required)' if name in required else ''}: {_kind(schema)}{_told(schema)}"
        for name, schema in (properties.items() if isinstance(properties, dict) else ())
    ]
    head = f'subagent agent="{tool.id}"' if tool.kind == "agent" else tool.id
    return "\n".join([f"- `{{{{<{head} … />}}}}` {_description(tool)}", *attributes])


def _kind(schema: JsonValue) -> str:
    kind = schema.get("type", "any") if isinstance(schema, dict) else "any"
    return kind if isinstance(kind, str) else json.dumps(kind)


def _told(schema: JsonValue) -> str:
    told = schema.get("description") if isinstance(schema, dict) else None
    return f", {told}" if told else ""
