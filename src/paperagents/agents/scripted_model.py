"""A model that says what a script says: for tests, and for trying an agent without a key.

A script is a list of turns, or a mapping of agents to such lists. A turn is a text, or
``{"text": …, "calls": [{"tool": …, "arguments": {…}}], "usage": {…}, "error": {"status": 429, "message": …}}``.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from paperagents.agents.model import Listener, ModelCall, ModelRequest, ModelTurn
from paperagents.agents.turn import refusal
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

    def __init__(self, script: Script, *, piece: int = _PIECE) -> None:
        self.requests: list[ModelRequest] = []
        self._script = script
        self._piece = piece
        self._next: dict[str, int] = {}
        self._lock = threading.Lock()

    def answer(self, request: ModelRequest, listener: Listener, stop: Cancellation) -> ModelTurn:  # noqa: ARG002  at once
        """The next turn for this agent. A resumed run begins where it stood."""
        turn = self._next_turn(request)
        listener.begin()
        for start in range(0, len(turn.text), self._piece):
            listener.text(turn.text[start : start + self._piece])
        return turn

    def _next_turn(self, request: ModelRequest) -> ModelTurn:
        with self._lock:
            self.requests.append(request)
            turns = turns_for(self._script, request.agent)
            # A new process has answered nothing yet: how far the run is, the request says.
            place = self._next.get(request.agent)
            place = skip_turns(turns, request.turn - 1) if place is None else place
            if place >= len(turns):
                raise ToolError("script-over")
            self._next[request.agent] = place + 1
        return scripted_turn(turns[place])


def turns_for(script: Script, agent: str) -> Sequence[Turn]:
    """The turns of one agent."""
    if not isinstance(script, Mapping):
        return script
    return script.get(agent, ())


def scripted_turn(turn: Turn) -> ModelTurn:
    """One turn of a script. Raises ToolError where the script says so."""
    if isinstance(turn, str):
        return ModelTurn(text=turn, finish="stop")
    if error := turn.get("error"):
        raise refusal({**error, "code": error.get("status", 500)}, 500, error.get("retry_after", 0.0))
    calls = []
    for number, call in enumerate(turn.get("calls", ()), 1):
        written = write_arguments(call)
        calls.append(ModelCall(id=f"call_{number}", name=call["tool"], arguments=written, size=len(written)))
    finish, usage = "tool_calls" if calls else "stop", dict(turn.get("usage", {}))
    return ModelTurn(text=turn.get("text", ""), calls=tuple(calls), calls_made=len(calls), usage=usage, finish=finish)


def read_script(content: str, file: str) -> ScriptedModel:
    """The model of a script's text. Raises UsageError where it is none."""
    try:
        script = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UsageError("script-unreadable", file=file, reason=str(error)) from None
    lists = list(script.values()) if isinstance(script, dict) else [script]
    turns = [turn for each in lists if isinstance(each, list) for turn in each]
    if not all(isinstance(each, list) for each in lists) or not all(map(is_turn, turns)):
        raise UsageError("script-unreadable", file=file, reason="a list of turns was expected")
    return ScriptedModel(script)


def read_script_file(file: Path) -> ScriptedModel:
    """The same from a file that a person has named."""
    try:
        with file.open("rb") as opened:
            content = opened.read(_LARGEST)
    except (OSError, ValueError) as error:
        raise UsageError("script-unreadable", file=str(file), reason=system_text(error)) from None
    return read_script(content.decode("utf-8", "replace"), str(file))


def is_turn(turn: Any) -> bool:
    """Whether a value is a turn of a script."""
    if not isinstance(turn, dict):
        return isinstance(turn, str)
    calls = turn.get("calls", [])
    named = isinstance(calls, list) and all(
        isinstance(each, dict) and isinstance(each.get("tool"), str) for each in calls
    )
    return named and isinstance(turn.get("text", ""), str) and isinstance(turn.get("error", {}), dict)


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
