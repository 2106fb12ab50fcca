"""What a note says an agent is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.parameter import Parameter
from paperagents.definitions.source import Excerpt, Span

Protocol = Literal["native", "tags", "auto"]
DEFAULT_TOOLS = ("search_files", "read_file")
"""What an agent may use whose note names no tools: it can look, and change nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentDefinition:
    """A language model with a prompt, tools and limits."""

    id: str
    name: str
    prompt: Excerpt
    description: str = ""
    model: str | None = None
    parameters: tuple[Parameter, ...] = ()
    """What it may be told besides the question; placeholders of the prompt."""
    tools: tuple[str, ...] = DEFAULT_TOOLS
    """Ids, names or patterns such as ``search_*``."""
    protocol: Protocol = "auto"
    max_iterations: int = 20
    temperature: float | None = None
    memory: bool = True
    budget: Mapping[str, JsonValue] = field(default_factory=dict)
    """``tokens`` and/or ``money``; empty is no limit."""
    timeout: float | None = None
    approval: str | None = None
    """``always``: a person is asked before the agent is."""
    agents: tuple[str, ...] = ()
    """Other agents it may ask: ids, names or patterns."""
    wanted: Mapping[str, Span] = field(default_factory=dict)
    """Where the note names each of its tools and agents."""
    version: str | None = None
    category: str | None = None
    tags: tuple[str, ...] = ()
    author: str | None = None
    file: str | None = None
    span: Span | None = None
    """Where the file says its id or name."""
    digest: str = ""
