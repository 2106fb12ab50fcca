"""One thing a built-in tool is about to do: shown first, then done."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import ToolError


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What a call will do, prepared so that it can be shown, approved, performed, or only planned."""

    tool: str
    arguments: JsonObject
    perform: Callable[[], JsonValue]
    needs_approval: bool = False
    preview: str = ""
    target: str = ""
    """What a rule can be about: a path, or a method and a host."""
    before: str = ""
    """The state the preview was made from. Another state is another change, and is asked again."""
    after: str | None = None
    """The state once it is performed, where that can be known: how a resumed run finds out what happened."""
    answer: JsonValue = None
    """The answer, where it can be known without performing it: for plans, and after an interruption."""
    current: Callable[[], str] = lambda: ""
    """The state now."""
    transaction: Callable[[], AbstractContextManager[Any]] | None = None
    """For what is kept in the journal's own database: performed and journaled in one transaction."""
    is_idempotent: bool = False
    """The other side recognises a repetition, so that it may be sent again."""
    runs_in_plan: bool = True
    """A plan may perform it: it reads, or writes to the plan's own copy."""
    leaves_the_vault: bool = False
    """It reaches another machine: an example needs a made-up answer instead."""
    refusal: ToolError | None = None
    """Why it cannot be performed as things stand."""
    cancel: Callable[[], None] = lambda: None
    """Ends it while it is being performed."""

    @cached_property
    def digest(self) -> str:
        """Names exactly this change."""
        return digest_of({"tool": self.tool, "arguments": self.arguments, "before": self.before})

    def require_possible(self) -> Effect:
        """Raise why it cannot be performed, if anything."""
        if self.refusal is not None:
            raise self.refusal
        return self


def digest_of(value: JsonValue) -> str:
    """SHA-256 of the value as canonical JSON: sorted keys, no blanks."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return sha256(canonical.encode("ascii")).hexdigest()
