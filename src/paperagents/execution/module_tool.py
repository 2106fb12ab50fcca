"""Runs a tool that is one JavaScript file: ``init``, ``execute``, ``cleanup``, with ``this.api`` at hand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import BusinessError, PlanEndsError, SandboxError, ToolError
from paperagents.sandbox.tool_module import with_module

SECONDS = 30.0
"""How long ``execute`` may take, where nothing lower is set."""

_ADVICE_OF_DENO = re.compile(r", run again with the --allow-\w+ flag")
_EXECUTE = Path(__file__).with_name("module_tool.js").read_text("utf-8")
HELPERS = {"make_api": 7, "name_failure": 8}
"""What the execution calls only where it needs it."""


def module_block(tool: ToolDefinition) -> Excerpt:
    """The file, and then its execution."""
    assert tool.module is not None
    return with_module(tool.module, _EXECUTE, packages="real" if tool.dependencies else "none")


def module_names(
    tool: ToolDefinition, arguments: JsonObject, environment: Mapping[str, str], storage: JsonObject, *, mocked: bool
) -> JsonObject:
    """What the execution sees."""
    typed: JsonObject = {name: _typed(tool, name, value) for name, value in environment.items()}
    info: JsonObject = {
        "id": tool.id,
        "name": tool.name,
        "description": tool.description,
        "version": tool.version,
        "author": tool.author,
        "category": tool.category,
        "tags": [*tool.tags],
        "dry_run": mocked,
    }
    return {"input": arguments, "environment": typed, "storage": storage, "mocked": mocked, "info": info}


@contextmanager
def told_as_not_granted(tool: ToolDefinition, plan: list[JsonObject] | None, step: int) -> Iterator[None]:
    """Around the execution: what Deno or the kernel refused is told by what the settings could grant.

    A dry run may not write nor connect; where the tool would, its plan ends.
    """
    try:
        yield
    except SandboxError as error:
        refused = error.details.get("name") == "NotCapable" or error.details.get("code") in ("EACCES", "EPERM")
        if not refused or not tool.dependencies:
            raise
        reason = _ADVICE_OF_DENO.sub("", str(error.details.get("message", "")))
        if plan is None:
            raise ToolError("npm-not-granted", tool=tool.id, reason=reason, details=error.details) from None
        plan.append({"step": step, "tool": tool.id, "arguments": {}, "preview": reason, "would_ask": False})
        raise PlanEndsError from None


class Keeping:
    """What the tool keeps between runs, as the execution leaves it."""

    def __init__(self, before: JsonObject) -> None:
        self.before = before
        self.after = before

    def keep(self, content: Any) -> None:
        """The execution's last word on it."""
        if not isinstance(content, dict):
            raise ToolError("module-answer")
        self.after = content


def outcome(answer: Any) -> JsonValue:
    """The value. Raises BusinessError for a failure the tool itself has named."""
    failure = answer.get("failure", {}) if isinstance(answer, dict) else None
    if not isinstance(failure, dict) or (failure and not {"code", "description", "retryable"} <= failure.keys()):
        raise ToolError("module-answer")
    if failure:
        raise BusinessError(failure)
    return answer.get("value")  # type: ignore[no-any-return]  # JSON gives a JSON value


def _typed(tool: ToolDefinition, name: str, value: str) -> JsonValue:
    declared = next((each.schema.get("type") for each in tool.environment if each.name == name), "string")
    if declared in ("number", "integer", "boolean", "array", "object"):
        try:
            return json.loads(value)  # type: ignore[no-any-return]  # JSON gives a JSON value
        except (ValueError, RecursionError):
            return value
    return value
