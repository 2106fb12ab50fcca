"""What an MCP client gets of a run: its answer, or what went wrong; never its log.

A model reads what a client gets, so it must not see what postprocessing held back. The record of a run stays here and
is found by the run id in ``_meta``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import mcp_types as types
from pydantic import TypeAdapter, ValidationError

from paperagents.calls.answers import split_answer
from paperagents.calls.arguments import ARGUMENT_CODES
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.text import value_without_surrogates, without_surrogates
from paperagents.definitions.tool import ToolDefinition
from paperagents.messages import join_sentences, text
from paperagents.runs.record import RunRecord

RESULT = "result"
"""The field that an answer goes out in which is no object."""
LONGEST_SCHEMA = 4_000
_TOLD_OF_ERRORS = ("code", "message", "hint", "step", "retryable")
_BLOCKS: TypeAdapter[list[types.ContentBlock]] = TypeAdapter(list[types.ContentBlock])
_WITH_VALUES = frozenset({"const", "enum", "default", "examples"})


def answer_result(record: RunRecord, tool: ToolDefinition | None) -> types.CallToolResult:
    """The result of a run that has ended."""
    if record.error is not None:
        return error_result(dict(record.error), tool, run_id=record.run_id, status=record.status)
    returns = returns_of(tool)
    whole = value_without_surrogates(record.data)
    answer = split_answer(whole, returns)
    content = read_blocks(answer.blocks)
    data = answer.data if content else whole
    # Pictures alone are no data.
    structured = structure(data, returns) if data or returns or not content else None
    content = content or [types.TextContent(type="text", text=data if isinstance(data, str) else to_json(data))]
    if record.warnings:
        # A model must know, for example, which of its changes a person has refused.
        content.append(types.TextContent(type="text", text=without_surrogates("\n".join(record.warnings))))
    meta = {"run_id": record.run_id, "status": record.status}
    return types.CallToolResult(content=content, structured_content=structured, _meta=meta)


def returns_of(tool: ToolDefinition | None) -> Mapping[str, JsonValue]:
    """The schema of a tool's answer; an agent that just writes a text has promised nothing."""
    is_just_text = tool is not None and tool.kind == "agent" and tool.answer == {"type": "string"}
    return {} if tool is None or is_just_text else tool.answer


def read_blocks(blocks: Sequence[JsonObject]) -> list[types.ContentBlock]:
    """The blocks as the library has them; none where it does not take one of them."""
    try:
        return _BLOCKS.validate_python(blocks)
    except ValidationError:
        return []


def structure(data: JsonValue, returns: Mapping[str, JsonValue]) -> dict[str, Any] | None:
    """The answer as an object; without a schema, what is no object is told as text alone."""
    if isinstance(data, dict):
        return data
    return {RESULT: data} if returns else None


def error_result(
    error: JsonObject, tool: ToolDefinition | None = None, *, run_id: str | None = None, status: str = "failed"
) -> types.CallToolResult:
    """What went wrong, in words for a model, and in ``_meta`` for a program.

    Not as structured content: that is the answer, and clients check it against the tool's schema.
    """
    if error["code"] in ARGUMENT_CODES and tool is not None:
        # The hint in the record is a command, which a client cannot run.
        schema = to_json(tool.schema)
        error = {**error, "hint": text("mcp.arguments", schema=schema) if len(schema) <= LONGEST_SCHEMA else None}
    told = {key: error[key] for key in _TOLD_OF_ERRORS if error.get(key) is not None}
    words = join_sentences(str(error["message"]), str(error["hint"] or ""))
    return failure(words, status=status, error=told, **({"run_id": run_id} if run_id else {}))


def failure(words: str, **meta: Any) -> types.CallToolResult:
    """A result that is no answer."""
    content = types.TextContent(type="text", text=without_surrogates(words))
    return types.CallToolResult(content=[content], is_error=True, _meta=value_without_surrogates(meta))


def search_result(found: list[JsonObject]) -> types.CallToolResult:
    """What a search over the tools has found."""
    cleaned: list[JsonValue] = value_without_surrogates([*found])
    shown = types.TextContent(type="text", text=to_json(cleaned))
    return types.CallToolResult(content=[shown], structured_content={"tools": cleaned})


def to_json(value: JsonValue) -> str:
    """A value as text."""
    return json.dumps(value, ensure_ascii=False)


# --- the schema of what goes out


def output_schema(returns: Mapping[str, JsonValue]) -> JsonObject | None:
    """The schema of the structured content: older clients take none whose root is not of type ``object``."""
    if not returns:
        return None
    if returns.get("type") == "object":
        return dict(returns)
    if is_never_object(returns):
        return {"type": "object", **wrap(returns, "#")}
    # An object goes out as it is, everything else wrapped.
    return {"type": "object", "anyOf": [move_references(dict(returns), "#/anyOf/0"), wrap(returns, "#/anyOf/1")]}


def wrap(returns: Mapping[str, JsonValue], place: str) -> JsonObject:
    """The schema of an object with the answer as its only field."""
    inner = move_references(dict(returns), f"{place}/properties/{RESULT}")
    return {"properties": {RESULT: inner}, "required": [RESULT]}


def is_never_object(schema: Mapping[str, JsonValue]) -> bool:
    """Whether the schema says of which types a value is, and none of them is an object."""
    kinds = schema.get("type")
    return kinds is not None and "object" not in (kinds if isinstance(kinds, list) else [kinds])


def move_references(schema: Any, place: str) -> Any:
    """The schema for another place inside a whole one: what it refers to in itself is there now."""
    if isinstance(schema, list):
        return [move_references(each, place) for each in schema]
    if not isinstance(schema, dict) or "$id" in schema:
        return schema
    moved = {key: value if key in _WITH_VALUES else move_references(value, place) for key, value in schema.items()}
    target = schema.get("$ref")
    if isinstance(target, str) and (target == "#" or target.startswith("#/")):
        moved["$ref"] = place + target.removeprefix("#")
    return moved
