"""One thing a built-in tool is about to do: shown first, then done."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import ToolError


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What a call will do, prepared so that it can be shown, approved, done, or only planned."""

    tool: str
    arguments: JsonObject
    perform: Callable[[], JsonValue]
    asks: bool = False
    """A person must agree first."""
    preview: str = ""
    target: str = ""
    """What a rule can be about: a path, or a method and a host."""
    before: str = ""
    """The state the preview was made from. Another state is another change, and is asked again."""
    after: str | None = None
    """The state once it is done, where that can be known: how an interrupted run finds out what happened."""
    answer: JsonValue = None
    """The answer, where it can be known without doing it: for plans, and after an interruption."""
    current: Callable[[], str] = lambda: ""
    """The state now."""
    together: Callable[[], AbstractContextManager[Any]] | None = None
    """For what is kept where the runs are: one transaction, in which it is done and written down at once."""
    repeatable: bool = False
    """The other side knows it again and does it once, however often it is sent."""
    harmless_in_plans: bool = True
    """A plan may do it: it reads, or writes to the plan's own copy."""
    leaves_the_vault: bool = False
    """It reaches another machine: an example that is tried needs a made-up answer instead."""
    refusal: ToolError | None = None
    """Why it cannot be done as things stand."""
    stop: Callable[[], None] = lambda: None
    """Ends it while it is being done."""

    @property
    def digest(self) -> str:
        """Names exactly this change."""
        return digest_of({"tool": self.tool, "arguments": self.arguments, "before": self.before})


# --- a digest that is the same for the same value and different for any other


def digest_of(value: JsonValue) -> str:
    """SHA-256 of the value as canonical JSON: sorted keys, no blanks."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return sha256(canonical.encode("ascii")).hexdigest()
