"""What is left out of a conversation when it is longer than its model can read.

The prompt and the question are always sent whole. Results of older calls are cut first, then the oldest messages of
earlier questions are left out, then the older turns of this one are cut, and at last the newest results. What is left
out still stands in the conversation's note and in the record, and the model is told so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.values import dataclass

USUAL = 400_000
"""Bytes, where a note does not say how much its model can read."""
BYTES_PER_TOKEN = 3
"""A cautious guess for every language: four letters of English, or one Chinese character."""
EARLIER_RESULT = "Result of an earlier call: "
_CUT_RESULT = 500
_CUT_VALUE = 200
_PICTURE = 3_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Messages:
    """Everything that could be sent."""

    system: JsonObject
    history: Sequence[JsonObject]
    """Of earlier questions."""
    own: Sequence[JsonObject]
    """The question, and all turns since."""
    last_turn: int
    """Where the last turn begins in ``own``."""


@dataclass(kw_only=True)
class _Shortening:
    limit: int
    total: int
    left_out: int = 0

    def apply(self, messages: list[JsonObject], change: Callable[[JsonObject], JsonObject]) -> None:
        """Change the messages one after the other, until it is enough."""
        for place, message in enumerate(messages):
            if self.total <= self.limit:
                return
            messages[place] = change(message)
            self.total -= message_size(message) - message_size(messages[place])


def room_for_messages(context_tokens: int | None, max_tokens: int | None) -> int:
    """Bytes for messages and tools: what the model can read, without what it may answer."""
    if context_tokens is None:
        return USUAL
    answer = min(max_tokens or context_tokens // 4, context_tokens // 2)
    return (context_tokens - answer) * BYTES_PER_TOKEN


def shorten(messages: Messages, limit: int) -> tuple[JsonObject, ...]:
    """What is sent of them."""
    system, history, own = messages.system, list(messages.history), list(messages.own)
    work = _Shortening(limit=limit, total=sum(map(message_size, (system, *history, *own))))
    question, older, newest = own[:1], own[1 : messages.last_turn], own[max(messages.last_turn, 1) :]
    work.apply(history, _cut_result)
    work.apply(older, _cut_result)
    while work.total > limit and history:
        work.total -= message_size(history.pop(0))
        work.left_out += 1
    work.apply(older, _cut_turn)
    results = [message for message in newest if message["role"] != "assistant"]
    room = (limit - work.total + sum(map(message_size, results))) // max(len(results), 1)
    work.apply(newest, lambda message: _cut_result(message, max(room, _CUT_RESULT)))
    remark: list[JsonObject] = []
    if work.left_out:
        content = f"[{work.left_out} earlier messages are left out here. They stand in the note of this conversation.]"
        remark.append({"role": "user", "content": content})
    return (system, *remark, *history, *question, *older, *newest)


def _cut_result(message: JsonObject, limit: int = _CUT_RESULT) -> JsonObject:
    """A result in short. Those of tags are messages of ours, and so are those of earlier questions."""
    content = message.get("content")
    is_result = message["role"] == "tool" or (
        message["role"] == "user" and isinstance(content, str) and content.startswith((EARLIER_RESULT, "Result of "))
    )
    return {**message, "content": cut(content, limit)} if is_result and isinstance(content, str) else message


def _cut_turn(message: JsonObject) -> JsonObject:
    """A turn of the model in short: its text, and the arguments of its calls."""
    content, calls = message.get("content"), message.get("tool_calls")
    short = {**message, "content": cut(content, _CUT_RESULT) if isinstance(content, str) else content}
    if isinstance(calls, list):
        short["tool_calls"] = [_cut_call(call) for call in calls]
    return short


def _cut_call(call: JsonValue) -> JsonValue:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(call, dict) or not isinstance(function, dict):
        return call
    written = str(function.get("arguments"))
    arguments = json.loads(written) if len(written) > _CUT_VALUE else {}
    if not isinstance(arguments, dict) or not arguments:
        return call
    short = {name: cut(each, _CUT_VALUE) if isinstance(each, str) else each for name, each in arguments.items()}
    return {**call, "function": {**function, "arguments": json.dumps(short, ensure_ascii=False)}}


def cut(text: str, limit: int) -> str:
    """The beginning of a long text, with a remark."""
    return text if len(text) <= limit else f"{text[:limit]}\n[cut: {limit} of {len(text)} characters]"


def message_size(message: JsonObject) -> int:
    """Bytes of a message, with a guess for pictures."""
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": content or ""}]
    size = 0
    for part in parts:
        is_text = isinstance(part, dict) and part.get("type") == "text"
        size += len(str(part["text"]).encode("utf-8", "replace")) if is_text and isinstance(part, dict) else _PICTURE
    others = {name: value for name, value in message.items() if name not in ("role", "content", "tool_call_id")}
    return size + (len(json.dumps(others)) if others else 0)
