"""Everything one run of an agent needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Protocol

from paperagents.agents.conversation import Conversation
from paperagents.agents.dialogue import Dialogue
from paperagents.agents.limits import RetryPolicy, Spending
from paperagents.agents.model import LanguageModel
from paperagents.agents.toolbox import Toolbox
from paperagents.calls.arguments import ToolCall
from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.tool import AgentDefinition
from paperagents.runs.log import RunContext
from paperagents.runs.record import Place
from paperagents.runs.session import Services, Session
from paperagents.runs.together import Collector
from paperagents.tags import TagRegistry
from paperagents.values import dataclass

NO_MODEL = "default"
"""The name that is sent where nobody has chosen a model."""


class StepRunner(Protocol):
    """The pipeline, as far as an agent needs it."""

    services: Services
    session: Session
    collector: Collector

    def step(self, call: ToolCall, place: Place, frame: RunContext) -> JsonValue:
        """Perform one call."""


@dataclass(frozen=True, kw_only=True)
class AgentRun:
    """Everything one run of an agent needs."""

    agent: AgentDefinition
    pipeline: StepRunner
    frame: RunContext
    """In which failures are results, and only the agent's own tools can be called."""
    model: LanguageModel
    model_name: str
    toolbox: Toolbox
    tags: TagRegistry
    dialogue: Callable[[bool], Dialogue]
    """The messages so far; with what a model must know that writes tags, or without."""
    spending: Spending
    conversation: Conversation | None = None
    retries: RetryPolicy = field(default_factory=RetryPolicy)
