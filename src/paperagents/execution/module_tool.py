"""Runs a tool that is one JavaScript file: ``init``, ``execute``, ``cleanup``, with ``this.api`` at hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import BusinessError, ToolError
from paperagents.sandbox.tool_module import with_module

SECONDS = 30.0
"""How long ``execute`` may take, where nothing lower is set."""

_EXECUTE = Path(__file__).with_name("module_tool.js").read_text("utf-8")


def module_block(tool: ToolDefinition) -> Excerpt:
    """The file, and then its execution."""
    if tool.dependencies:
        raise ToolError("npm-not-installed", tool=tool.id, names=", ".join(tool.dependencies))
    assert tool.module is not None
    return with_module(tool.module, _EXECUTE)


def module_names(
    tool: ToolDefinition, arguments: JsonObject, environment: Mapping[str, str], storage: JsonObject, *, mocked: bool
) -> JsonObject:
    """What the execution sees."""
    typed: JsonObject = {name: _typed(tool, name, value) for name, value in environment.items()}
    info: JsonObject = {"id": tool.id, "name": tool.name, "version": tool.version, "dry_run": mocked}
    return {"input": arguments, "environment": typed, "storage": storage, "mocked": mocked, "info": info}


def outcome(answer: Any) -> tuple[JsonValue, JsonObject]:
    """The value and what the tool keeps. Raises BusinessError for a failure the tool itself has named."""
    if not isinstance(answer, dict) or not isinstance(answer.get("storage"), dict):
        raise ToolError("module-answer")
    if isinstance(answer.get("failure"), dict):
        raise BusinessError(answer["failure"])
    return answer.get("value"), answer["storage"]


def _typed(tool: ToolDefinition, name: str, value: str) -> JsonValue:
    declared = next((each.schema.get("type") for each in tool.environment if each.name == name), "string")
    if declared in ("number", "integer", "boolean", "array", "object"):
        try:
            return json.loads(value)  # type: ignore[no-any-return]  # JSON gives a JSON value
        except ValueError:
            return value
    return value
