"""The tools and agents that an agent was given, and how they are called natively and by tags."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from hashlib import sha256

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.text import ENTRY_KINDS, lossless_bytes
from paperagents.definitions.tool import AGENT_PREFIX, HIDDEN, STORE_PREFIX, AgentDefinition, ToolDefinition
from paperagents.errors import PaperError
from paperagents.registry.entry import Entry
from paperagents.registry.vault_checks import fits_pattern, is_pattern
from paperagents.tags import TagRegistry
from paperagents.values import dataclass

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
    words: Mapping[str, str] = field(default_factory=dict)
    """How those are written as tags whose id cannot be: ``mcp_clock_now``."""

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
        functions = {name: self.tools[key] for name, key in self.names.items()}
        return tuple(
            {
                "type": "function",
                "function": {
                    "name": name,
                    "description": tool.description or tool.name,
                    "parameters": own_schema(tool),
                },
            }
            for name, tool in functions.items()
        )

    def manual(self) -> str:
        """The same as text, for a model that writes tags."""
        return "\n".join(describe_tool(tool, self.words.get(tool.key, tool.id)) for tool in self.tools.values())


def open_toolbox(agent: AgentDefinition, entries: Iterable[Entry], find: FindTool, tags: TagRegistry) -> Toolbox:
    """Everything the agent's note names and that can be used; a broken file is left out."""
    entries = tuple(entries)
    stores = [*ENTRY_KINDS, *(f"{STORE_PREFIX}{kind}" for kind in tags.own_kinds)] if agent.memory else []
    tool_names = expand_patterns(agent.tools, [each for each in entries if each.is_tool])
    agents = expand_patterns(agent.agents, [each for each in entries if each.kind == "agent"], by_name=True)
    tools: dict[str, ToolDefinition] = {}
    for name in dict.fromkeys([*tool_names, *stores, *(f"{AGENT_PREFIX}{each}" for each in agents)]):
        with suppress(PaperError):
            tool = find(name)
            tools[tool.key] = tool
    tools.pop(f"{AGENT_PREFIX}{agent.id}", None)
    words = {tag.id: tag.words[0] for tag in tags if tag.id not in tag.words and not tag.has_own_store}
    words |= {f"{STORE_PREFIX}{tag.storage}": tag.words[0] for tag in reversed([*tags]) if tag.has_own_store}
    return Toolbox(tools=tools, names=native_names(tools), words=words)


def expand_patterns(patterns: Iterable[str], entries: Sequence[Entry], *, by_name: bool = False) -> Iterator[str]:
    """The ids that a note's list means: every one that fits a pattern; a name as it is, or ``by_name`` as its id."""
    for pattern in patterns:
        if is_pattern(pattern):
            fitting = (each for each in entries if any(fits_pattern(pattern, name) for name in (each.id, each.name)))
            yield from (each.id for each in fitting)
        else:
            yield next((each.id for each in entries if by_name and pattern in (each.id, each.name)), pattern)


def is_read_only(tool: ToolDefinition, arguments: Mapping[str, JsonValue], find: FindTool, depth: int = 0) -> bool:
    """Whether a call can change nothing, as far as that is plain to see."""
    if tool.kind == "builtin":
        return tool.only_reads(arguments)
    if tool.kind != "markdown" or tool.approval == "always" or tool.log or depth >= _DEEPEST_LOOK:
        return False
    try:
        return all(
            is_read_only(find(step.tool), step.parameters, find, depth + 1) for step in tool.all_steps() if step.tool
        )
    except PaperError:
        return False


def native_names(tools: Mapping[str, ToolDefinition]) -> dict[str, str]:
    """Servers take letters, digits, ``_`` and ``-``; other ids get a name that cannot be another's."""
    names: dict[str, str] = {}
    for key, tool in tools.items():
        name = tool.id
        if not _NATIVE_NAME.fullmatch(name) or name in names:
            plain = re.sub("[^A-Za-z0-9_-]+", "_", name)[:50].strip("_") or "tool"
            name = f"{plain}_{sha256(lossless_bytes(key)).hexdigest()[:8]}"
        names[name] = key
    return names


def own_schema(tool: ToolDefinition) -> JsonObject:
    """The schema of a tool, without what a model must not set."""
    schema = {key: value for key, value in tool.schema.items() if key != "$schema"}
    properties = schema.get("properties")
    if tool.kind in ("agent", "builtin", "store") and isinstance(properties, dict):
        schema["properties"] = {name: each for name, each in properties.items() if name not in HIDDEN}
    return schema


def describe_tool(tool: ToolDefinition, word: str) -> str:
    """One tool as a tag that is written with this word, with what its attributes are."""
    properties = own_schema(tool).get("properties")
    required = {each.name for each in tool.parameters if each.must_be_given}
    lines = []
    for name, schema in properties.items() if isinstance(properties, dict) else ():
        fields: JsonObject = schema if isinstance(schema, dict) else {}
        kind, description = fields.get("type", "any"), fields.get("description")
        shown = kind if isinstance(kind, str) else json.dumps(kind)
        remark = " (required)" if name in required else ""
        lines.append(f"  - {name}{remark}: {shown}{f', {description}' if description else ''}")
    head = f'subagent agent="{tool.id}"' if tool.kind == "agent" else word
    return "\n".join([f"- `{{{{<{head} … />}}}}` {tool.description or tool.name}", *lines])
