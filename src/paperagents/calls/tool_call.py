"""A call: a tool's name and its arguments, whoever it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from paperagents.definitions.json_value import JsonValue


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """What a person, a chain step, a tag, an agent or an MCP client wants to have done."""

    tool: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    as_text: bool = False
    """The arguments were written as text, in a tag: they are brought to the types the tool declares."""
