"""A model that says what a script says: for tests, and for trying an agent without a key.

A script is a list of turns, or a mapping of agents to such lists. A turn is a text, or
``{"text": …, "calls": [{"tool": …, "arguments": {…}}], "usage": {…}, "error": {"status": 429, "message": …}}``;
``finish`` says why it ended, ``message`` has further fields of it (``reasoning_details``), and so has each call.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from paperagents.agents.model import Listener, ModelRequest, ModelTurn
from paperagents.agents.refusals import refusal
from paperagents.agents.turn import StreamedTurn
from paperagents.errors import ToolError, UsageError
from paperagents.messages import system_text
from paperagents.sandbox import Cancellation

SCHEME = "scripted:"
_PIECE = 16
_LARGEST = 16 * 1024 * 1024
Turn = str | Mapping[str, Any]
Script = Sequence[Turn] | Mapping[str, Sequence[Turn]]


class ScriptedModel:
    """Answers with the turns of a script, in order, and keeps the requests."""

    def __init__(self, script: Script, *, piece: int = _PIECE, repeats: bool = False) -> None:
        self.requests: list[ModelRequest] = []
        self._script = script
        self._repeats = repeats
        """A question after the last turn begins anew."""
        self._piece = piece
        self._next: dict[str, int] = {}
        self._lock = threading.Lock()

    def answer(self, request: ModelRequest, listener: Listener, stop: Cancellation) -> ModelTurn:  # noqa: ARG002  at once
        """The next turn for this agent. A resumed run begins where it stood."""
        turn = self._next_turn(request)
        if error := turn.get("error"):
            raise refusal(error, error.get("status", 500), error.get("retry_after", 0.0))
        listener.begin()
        streamed = StreamedTurn(listener)
        for delta in deltas(turn, self._piece):
            streamed.take({"choices": [{"delta": delta}]})
        streamed.take({"choices": [{"finish_reason": finish_of(turn)}], "usage": turn.get("usage")})
        return streamed.turn()

    def _next_turn(self, request: ModelRequest) -> Mapping[str, Any]:
        with self._lock:
            self.requests.append(request)
            turns = turns_for(self._script, request.agent)
            # A new process has answered nothing yet: how far the run is, the request says.
            place = self._next.get(request.agent)
            place = skip_turns(turns, request.turn - 1) if place is None else place
            place = 0 if self._repeats and request.turn == 1 and place >= len(turns) else place
            if place >= len(turns):
                raise ToolError("script-over")
            self._next[request.agent] = place + 1
        turn = turns[place]
        return {"text": turn} if isinstance(turn, str) else turn


def turns_for(script: Script, agent: str) -> Sequence[Turn]:
    """The turns of one agent."""
    if not isinstance(script, Mapping):
        return script
    return script.get(agent, ())


def finish_of(turn: Mapping[str, Any]) -> str:
    """Why a turn of a script ends."""
    return str(turn.get("finish") or ("tool_calls" if turn.get("calls") else "stop"))


def deltas(turn: Mapping[str, Any], size: int) -> Iterator[dict[str, Any]]:
    """The message of a turn in pieces, as a server streams it: calls side by side, each with its arguments cut."""
    if message := turn.get("message"):
        yield dict(message)
    for piece in split(turn.get("text", ""), size):
        yield {"content": piece}
    calls = turn.get("calls", [])
    for index, call in enumerate(calls):
        yield {"tool_calls": [{**written_call(call, index), "index": index}]}
    for row in zip_longest(*(list(split(write_arguments(call), size)) for call in calls)):
        for index, piece in enumerate(row):
            if piece is not None:
                yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def written_call(call: Mapping[str, Any], index: int, arguments: str = "") -> dict[str, Any]:
    """A call of a script as a server writes it, with all that stands beside its tool and arguments."""
    more = {name: value for name, value in call.items() if name not in ("tool", "arguments")}
    function = {"name": call["tool"], "arguments": arguments}
    return {"id": f"call_{index + 1}", "type": "function", "function": function, **more}


def split(text: str, size: int) -> Iterator[str]:
    """The text in pieces of this size."""
    yield from (text[start : start + size] for start in range(0, len(text), size))


def read_script(content: str, file: str, *, repeats: bool = False) -> ScriptedModel:
    """The model of a script's text. Raises UsageError where it is none."""
    try:
        script = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UsageError("script-unreadable", file=file, reason=str(error)) from None
    lists = list(script.values()) if isinstance(script, dict) else [script]
    turns = [turn for each in lists if isinstance(each, list) for turn in each]
    if not all(isinstance(each, list) for each in lists) or not all(map(is_turn, turns)):
        raise UsageError("script-unreadable", file=file, reason="a list of turns was expected")
    return ScriptedModel(script, repeats=repeats)


def read_script_file(file: Path, *, repeats: bool = False) -> ScriptedModel:
    """The same from a file that a person has named."""
    try:
        with file.open("rb") as opened:
            content = opened.read(_LARGEST)
    except (OSError, ValueError) as error:
        raise UsageError("script-unreadable", file=str(file), reason=system_text(error)) from None
    return read_script(content.decode("utf-8", "replace"), str(file), repeats=repeats)


def is_turn(turn: Any) -> bool:
    """Whether a value is a turn of a script."""
    if not isinstance(turn, dict):
        return isinstance(turn, str)
    calls = turn.get("calls", [])
    named = isinstance(calls, list) and all(
        isinstance(each, dict) and isinstance(each.get("tool"), str) for each in calls
    )
    objects = all(isinstance(turn.get(name, {}), dict) for name in ("error", "message"))
    return named and isinstance(turn.get("text", ""), str) and objects


def write_arguments(call: Mapping[str, Any]) -> str:
    """Arguments as a model writes them; a text is taken as it is, so that a script can have damaged ones."""
    arguments = call.get("arguments", {})
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def skip_turns(turns: Sequence[Turn], answered: int) -> int:
    """The place behind so many turns that were answers and no errors."""
    for place, turn in enumerate(turns):
        if answered == 0:
            return place
        answered -= isinstance(turn, str) or not turn.get("error")
    return len(turns)
