"""What a tool answers: is it what the tool's file says it returns, and what of it is to be shown?

An answer shows more than text where its field ``content`` is a list of blocks, each exactly one of::

    {"type": "text", "text": "…"}
    {"type": "image", "data": "base64", "mimeType": "image/png"}
    {"type": "audio", "data": "base64", "mimeType": "audio/wav"}
    {"type": "resource", "resource": {"uri": "…", "text": "…"}}      or "blob": "base64"
    {"type": "resource_link", "uri": "…", "name": "…"}

Its other fields are the answer as data. The blocks are those of MCP.
"""

from __future__ import annotations

import binascii
import json
from collections.abc import Mapping
from itertools import islice

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import ToolError
from paperagents.reading.json_schema import compile_schema
from paperagents.values import dataclass

CONTENT = "content"
_MOST_TOLD = 5


def check_answer(tool: ToolDefinition, answer: JsonValue) -> None:
    """Raises ToolError where the answer is not what the tool's file says."""
    found = compile_schema(json.dumps(tool.answer)).violations(split_answer(answer, tool.answer).data)
    if found:
        places = (f"{'.'.join(map(str, each.path))} ({each.rule})" if each.path else each.rule for each in found)
        raise ToolError("answer-invalid", tool=tool.id, reason="; ".join(islice(places, _MOST_TOLD)))


@dataclass(frozen=True, kw_only=True, slots=True)
class SplitAnswer:
    """What an answer shows, and what it says as data."""

    blocks: tuple[JsonObject, ...]
    """Empty for an answer that is data alone."""
    data: JsonValue


def split_answer(answer: JsonValue, returns: Mapping[str, JsonValue]) -> SplitAnswer:
    """Take the blocks out of an answer; a schema that names ``content`` describes them, and they stay in the data."""
    if not isinstance(answer, dict) or not is_block_list(answer.get(CONTENT)):
        return SplitAnswer(blocks=(), data=answer)
    blocks = answer[CONTENT]
    assert isinstance(blocks, list)
    properties = returns.get("properties")
    is_described = isinstance(properties, dict) and CONTENT in properties
    data = answer if is_described else {key: value for key, value in answer.items() if key != CONTENT}
    return SplitAnswer(blocks=tuple(each for each in blocks if isinstance(each, dict)), data=data)


def describe_bytes(answer: JsonValue) -> JsonValue:
    """The answer for a reader of text: in the place of pictures, sounds and files stands what they are."""
    if not isinstance(answer, dict) or not is_block_list(answer.get(CONTENT)):
        return answer
    blocks = answer[CONTENT]
    assert isinstance(blocks, list)
    return {**answer, CONTENT: [_describe_block(each) if isinstance(each, dict) else each for each in blocks]}


def show_answer(answer: JsonValue) -> JsonValue:
    """The answer for a person at a terminal: blocks alone are their texts, and what the others are."""
    blocks = split_answer(answer, {}).blocks
    is_blocks_alone = isinstance(answer, dict) and len(answer) == 1 and bool(blocks)
    return "\n".join(map(show_block, blocks)) if is_blocks_alone else describe_bytes(answer)


def show_block(block: JsonObject) -> str:
    """The text of a block, or what it is."""
    shown = _describe_block(block)
    inner = shown.get("resource")
    fields = inner if isinstance(inner, dict) else shown
    return str(next(fields[name] for name in ("text", "data", "blob", "uri") if name in fields))


def _describe_block(block: JsonObject) -> JsonObject:
    match block:
        case {"data": str() as data, "mimeType": str() as kind}:
            return {**block, "data": f"[{kind}, {len(binascii.a2b_base64(data))} bytes]"}
        case {"resource": {"blob": str() as blob} as resource}:
            assert isinstance(resource, dict)
            kind = str(resource.get("mimeType", "application/octet-stream"))
            return {**block, "resource": {**resource, "blob": f"[{kind}, {len(binascii.a2b_base64(blob))} bytes]"}}
    return block


def is_block_list(value: JsonValue) -> bool:
    """Whether this is a list of blocks, and nothing else is in it."""
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) and is_block(each) for each in value)


def is_block(block: JsonObject) -> bool:
    """Whether this is one of the blocks above, with all that it needs."""
    match block:
        case {"type": "text", "text": str()}:
            return True
        case {"type": "image" | "audio" as kind, "data": str() as data, "mimeType": str() as mime_type}:
            return mime_type.startswith(f"{kind}/") and is_base64(data)
        case {"type": "resource", "resource": {"uri": str(), "text": str()}}:
            return True
        case {"type": "resource", "resource": {"uri": str(), "blob": str() as blob}}:
            return is_base64(blob)
        case {"type": "resource_link", "uri": str(), "name": str()}:
            return True
    return False


def is_base64(data: str) -> bool:
    """Whether bytes are written in it."""
    try:
        binascii.a2b_base64(data, strict_mode=True)
    except (binascii.Error, ValueError):
        return False
    return bool(data)
