"""One request of the chat interface, in the words that its server takes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from paperagents.agents.model import ModelRequest
from paperagents.definitions.agent import ModelOptions
from paperagents.definitions.json_value import JsonObject, JsonValue

_MARK: JsonObject = {"type": "ephemeral"}


def request_body(request: ModelRequest, host: str, left_out: Collection[str] = ()) -> JsonObject:
    """The body of a request to this host, without the fields that it does not take."""
    is_router = host.endswith("openrouter.ai")
    messages = list(request.messages)
    if is_router and request.model.startswith("anthropic/"):
        messages = mark_for_cache(messages)
    body: JsonObject = {"model": request.model, "messages": [*messages], "stream": "stream" not in left_out}
    if "stream_options" not in left_out:
        body["stream_options"] = {"include_usage": True}
    if request.tools:
        body["tools"] = list(request.tools)
    if request.output is not None:
        body["response_format"] = response_format(request.agent, request.output)
    if is_router:
        body["usage"] = {"include": True}
    return {**body, **option_fields(request.options, host), **request.options.extra}


def option_fields(options: ModelOptions, host: str) -> JsonObject:
    """What a note says of the answer, in the names that this host knows."""
    # The first server of this interface has another name for it, and its newer models know only that one.
    limit = "max_completion_tokens" if host == "api.openai.com" else "max_tokens"
    fields: JsonObject = {
        "temperature": options.temperature,
        "top_p": options.top_p,
        limit: options.max_tokens,
        "stop": list(options.stop) or None,
        "seed": options.seed,
    }
    match options.reasoning:
        case int() as budget:
            fields["reasoning"] = {"max_tokens": budget}
        case str() as effort if host.endswith("openrouter.ai"):
            fields["reasoning"] = {"effort": effort}
        case effort:
            fields["reasoning_effort"] = effort
    return {name: value for name, value in fields.items() if value is not None}


def response_format(agent: str, schema: JsonObject) -> JsonObject:
    """The schema of an answer; strict only where it is one of those that strict servers take."""
    named = "".join(each if each.isascii() and (each.isalnum() or each in "_-") else "_" for each in agent)[:64]
    wanted = {key: value for key, value in schema.items() if key != "$schema"}
    return {
        "type": "json_schema",
        "json_schema": {"name": named or "answer", "schema": wanted, "strict": is_closed(wanted)},
    }


def is_closed(schema: JsonValue) -> bool:
    """Whether every object of a schema names all its fields, and wants all of them."""
    if isinstance(schema, list):
        return all(map(is_closed, schema))
    if not isinstance(schema, dict):
        return True
    properties = schema.get("properties")
    if schema.get("type") == "object" or isinstance(properties, dict):
        names, required = list(properties) if isinstance(properties, dict) else [], schema.get("required", [])
        if schema.get("additionalProperties") is not False or not isinstance(required, list):
            return False
        if any(name not in required for name in names):
            return False
    return all(map(is_closed, schema.values()))


def mark_for_cache(messages: list[JsonObject]) -> list[JsonObject]:
    """The messages with marks behind the prompt and the last one: what stands before need not be read again."""
    places = {0, len(messages) - 1}
    return [_marked(message) if place in places else message for place, message in enumerate(messages)]


def _marked(message: Mapping[str, Any]) -> JsonObject:
    content = message.get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) and content else content
    if not isinstance(parts, list) or not parts:
        return dict(message)
    return {**message, "content": [*parts[:-1], {**parts[-1], "cache_control": _MARK}]}
