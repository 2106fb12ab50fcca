"""What an agent's note says about its model, and how its answers are judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.values import dataclass

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""How much a model may think before it answers."""
RESERVED = ("model", "messages", "tools", "stream")
"""Fields of a request that the program itself writes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelOptions:
    """How a model is asked; what is None or empty is left to the server."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    """Of one answer."""
    reasoning: str | int | None = None
    """An effort, or a number of tokens."""
    stop: tuple[str, ...] = ()
    seed: int | None = None
    extra: Mapping[str, JsonValue] = field(default_factory=dict)
    """Further fields of the request, sent as they are."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ExpectedCall:
    """A call that must be made: the tool, and those of its arguments that matter."""

    tool: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Eval:
    """A question to an agent, and what must hold of the answer."""

    question: str
    expects: Mapping[str, JsonValue] = field(default_factory=dict)
    """``output`` and ``output_contains``, as far as they are given."""
    calls: tuple[ExpectedCall, ...] = ()
    not_calls: tuple[str, ...] = ()
    changes: Mapping[str, JsonValue] | None = None
    """What files must hold at the end, by path; an empty mapping: nothing is changed."""
    check: Excerpt | None = None
    """JavaScript that says of ``output`` whether it is right."""
    responses: Mapping[str, JsonValue] = field(default_factory=dict)
    """Answers of calls that would touch the world, by tool id."""
