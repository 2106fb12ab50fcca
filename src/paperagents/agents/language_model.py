"""What is asked of a language model, and what it answers, whoever it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from paperagents.definitions.json_value import JsonObject
from paperagents.sandbox import Cancellation

MOST_CALLS = 128
"""In one answer. A model that makes more has lost its way."""
LARGEST_TEXT = 4_000_000
"""Characters of one answer."""
LARGEST_ARGUMENTS = 2_000_000
"""Characters of the arguments of one call."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelRequest:
    """One turn, as a model is asked for it."""

    agent: str
    turn: int
    """Which turn of the run it is, from 1."""
    model: str
    messages: tuple[JsonObject, ...]
    tools: tuple[JsonObject, ...] = ()
    temperature: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelCall:
    """A call that a model made beside its text; the arguments as it wrote them."""

    id: str
    name: str
    arguments: str = ""
    size: int = 0
    """How long the arguments were; more than is kept of them where they were too large."""

    def as_json(self) -> JsonObject:
        """The form that the record keeps."""
        return {"id": self.id, "name": self.name, "arguments": self.arguments, "size": self.size}


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelTurn:
    """One answer of a model."""

    text: str = ""
    calls: tuple[ModelCall, ...] = ()
    calls_made: int = 0
    """How many calls there were; more than ``calls`` where they were too many to keep."""
    usage: JsonObject = field(default_factory=dict)
    """``prompt_tokens``, ``completion_tokens``, ``total_tokens`` and ``cost``, as far as the server tells."""
    finish: str = ""
    """Why it ended: ``stop``, ``tool_calls``, ``length`` …"""

    def as_json(self) -> JsonObject:
        """The form that the record keeps."""
        return {
            "text": self.text,
            "calls": [call.as_json() for call in self.calls],
            "calls_made": self.calls_made,
            "usage": self.usage,
            "finish": self.finish,
        }


def turn_of_record(kept: Any) -> ModelTurn:
    """A turn from the record: it is not asked for again."""
    calls = tuple(ModelCall(**call) for call in kept["calls"])
    return ModelTurn(
        text=kept["text"], calls=calls, calls_made=kept["calls_made"], usage=kept["usage"], finish=kept["finish"]
    )


class Listener:
    """Follows an answer while it is being written. This one does not care."""

    def begin(self) -> None:
        """An answer begins, perhaps anew after one that broke off."""

    def text(self, piece: str) -> None:
        """The next piece of its text."""


class LanguageModel(Protocol):
    """Anything that can answer."""

    def answer(self, request: ModelRequest, listener: Listener, stop: Cancellation) -> ModelTurn:
        """One turn. Raises ToolError; a retryable one where another attempt may succeed."""
