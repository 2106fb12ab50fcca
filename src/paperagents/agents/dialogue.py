"""The messages between an agent and its model: what was said, what calls gave, and what is left out when it is long.

The rule of leaving out: the prompt, the question and the last turn always go along. When everything together is longer
than the limit, the oldest messages of earlier questions go first, then the results of the oldest calls are cut to a few
lines. What is left out still stands in the conversation's note and in the record, and the model is told so.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from paperagents.agents.model import ModelCall, ModelTurn
from paperagents.definitions.json_value import JsonObject, JsonValue

CHARACTERS = 400_000
LARGEST_RESULT = 100_000
"""Characters of one result that a model is shown."""
_CUT_RESULT = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class CallResult:
    """What came of one call, as the model is told."""

    tool: str
    status: str
    text: str
    native: ModelCall | None = None
    """The call beside the text that this answers; None for a tag."""
    arguments: JsonObject | None = None
    """As far as they could be read."""


class Dialogue:
    """The messages of one run, with those of the conversation before."""

    def __init__(self, system: str, history: Sequence[JsonObject], query: str, limit: int = CHARACTERS) -> None:
        self._system: JsonObject = {"role": "system", "content": system}
        self._history = list(history)
        self._own: list[JsonObject] = [{"role": "user", "content": query}]
        self._limit = limit
        self._last_turn = 1

    def add(self, turn: ModelTurn, results: Sequence[CallResult], remark: str = "") -> None:
        """One turn, what its calls gave, and what else the model must know about it."""
        self._last_turn = len(self._own)
        native = [result for result in results if result.native is not None]
        tagged = [result for result in results if result.native is None]
        said: JsonObject = {"role": "assistant", "content": turn.text}
        if native:
            said["tool_calls"] = [_call(each.native, each.arguments) for each in native if each.native is not None]
        self._own.append(said)
        self._own += [
            {"role": "tool", "tool_call_id": each.native.id, "content": each.text} for each in native if each.native
        ]
        if tagged:
            self._own.append({"role": "user", "content": "\n\n".join(map(_told, tagged))})
        if remark:
            self._add_remark(remark)

    def _add_remark(self, remark: str) -> None:
        """With the last result, where there is one: some servers refuse a message of ours right after a result."""
        last = self._own[-1]
        if last["role"] == "assistant":
            self._own.append({"role": "user", "content": remark})
        else:
            self._own[-1] = {**last, "content": f"{last['content']}\n\n{remark}"}

    def speak(self, other: Dialogue) -> None:
        """Go on with the prompt of another dialogue."""
        self._system = other._system

    def messages(self) -> tuple[JsonObject, ...]:
        """What is sent, within the limit."""
        history, own = self._history, self._own
        total = sum(map(_size, (self._system, *history, *own)))
        left_out = 0
        while total > self._limit and left_out < len(history):
            total -= _size(history[left_out])
            left_out += 1
        if total > self._limit:
            own = self._shortened(total)
        remark: list[JsonObject] = []
        if left_out:
            told = f"[{left_out} earlier messages are left out here. They stand in the note of this conversation.]"
            remark.append({"role": "user", "content": told})
        return (self._system, *remark, *history[left_out:], *own)

    def _shortened(self, total: int) -> list[JsonObject]:
        """The oldest results in short, as many as it takes."""
        own = list(self._own)
        for place, message in enumerate(own[: self._last_turn]):
            content = message.get("content")
            is_result = place > 0 and message["role"] != "assistant" and isinstance(content, str)
            if total > self._limit and is_result and isinstance(content, str) and len(content) > _CUT_RESULT:
                own[place] = {**message, "content": cut(content, _CUT_RESULT)}
                total -= len(content) - _CUT_RESULT
        return own


def shown(output: JsonValue) -> str:
    """A result as a model reads it: a text as it is, anything else as JSON."""
    text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
    return cut(text, LARGEST_RESULT)


def cut(text: str, limit: int) -> str:
    """The beginning of a long text, with a remark."""
    return text if len(text) <= limit else f"{text[:limit]}\n[cut: {limit} of {len(text)} characters]"


def _told(result: CallResult) -> str:
    return f"Result of {result.tool} ({result.status}):\n{result.text}"


def _call(call: ModelCall, read: JsonObject | None) -> JsonObject:
    """The call as it was written. Servers refuse a message with broken arguments: those go back as they were read."""
    arguments = call.arguments if read is not None and _is_json(call.arguments) else json.dumps(read or {})
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _size(message: JsonObject) -> int:
    content = message.get("content")
    calls = message.get("tool_calls")
    return len(content if isinstance(content, str) else "") + (len(json.dumps(calls)) if calls else 0)
