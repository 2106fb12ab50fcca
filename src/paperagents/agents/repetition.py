"""Notices an agent that turns in circles: the model is told first, and stopped only when that does not help."""

from __future__ import annotations

import json
from collections.abc import Sequence

from paperagents.agents.dialogue import CallResult
from paperagents.agents.written_calls import Answer
from paperagents.definitions.json_value import JsonValue
from paperagents.errors import ToolError
from paperagents.messages import text

SAME_AGAIN = 3
"""So often the same calls give the same results, one turn after the other, before the model hears of it."""
SAME_WITHOUT_END = 25
"""So often before the run is stopped; more than an agent has turns that was given no other number."""


class Repetition:
    """Counts how often in a row the turns of a run were the same."""

    def __init__(self) -> None:
        self._last = ""
        self._times = 0

    def remark(self, answer: Answer, results: Sequence[CallResult]) -> str:
        """What the model must hear after this turn. Raises ToolError where it has heard it often enough."""
        turn = json.dumps([[*map(_sameness, results)], answer.damage])
        self._times = self._times + 1 if turn == self._last else 1
        self._last = turn
        if self._times == SAME_WITHOUT_END:
            raise ToolError("agent-no-progress", times=self._times, details={"text": answer.text})
        return text("agent.repeats", times=self._times) if self._times >= SAME_AGAIN else ""


def _sameness(result: CallResult) -> list[JsonValue]:
    return [result.tool, result.status, result.text, result.arguments]
