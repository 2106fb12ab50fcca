"""One call inside a chain, as its file describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.source import Excerpt, Span


@dataclass(frozen=True, kw_only=True, slots=True)
class Retry:
    """How often a failing step is tried, and how long to wait in between."""

    attempts: int = 1
    delay: float = 0.0
    backoff: float = 1.0
    """The factor by which the delay grows from one attempt to the next."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """A tool to call, with parameters that may refer to what came before."""

    tool: str
    name: str
    parameters: Mapping[str, JsonValue] = field(default_factory=dict)
    post_processing: Excerpt | None = None
    condition: JsonValue = None
    """``if:`` in the file; None where there is none."""
    condition_at: Excerpt | None = None
    """Where the file has it."""
    for_each: JsonValue = None
    max_parallel: int | None = None
    """None: the items of a list one after the other, steps side by side all at once."""
    retry: Retry = Retry()
    continue_on_error: bool = False
    timeout: float | None = None
    parallel: tuple[Step, ...] = ()
    """Independent steps that run side by side; a step that has them calls no tool of its own."""
    span: Span | None = None
    """Where the file names the tool."""
    parameter_spans: Mapping[str, Span] = field(default_factory=dict)
    """Where the file names each parameter."""
