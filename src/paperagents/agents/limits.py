"""What the turns of a run cost, and whether there is any left."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from paperagents.agents.calls import ParsedTurn
from paperagents.agents.dialogue import CallResult
from paperagents.agents.model import LanguageModel, Listener, ModelRequest, ModelTurn
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import CancelledError, ToolError
from paperagents.messages import text
from paperagents.runs.journal import RunStore
from paperagents.sandbox import Cancellation

_CHARACTERS_PER_TOKEN = 4
_STANDING_STILL = ("running", "waiting")


class Spending:
    """Counts tokens and money. Where a server tells nothing, tokens are guessed from the length of the texts.

    What an agent spends that another one has asked is spent by both.
    """

    def __init__(self, budget: Mapping[str, JsonValue], above: Spending | None = None) -> None:
        self._budget = budget
        self._above = above
        self._lock = threading.Lock()
        self.tokens = 0
        self.money = 0.0
        self._without_cost = False

    def add(self, usage: JsonObject, messages: Iterable[JsonObject], answer: str) -> None:
        """One turn."""
        told = usage.get("total_tokens")
        if told is None:
            told = sum(_number(usage.get(name)) for name in ("prompt_tokens", "completion_tokens")) or None
        if told is None:
            characters = sum(len(str(each.get("content") or "")) for each in messages) + len(answer)
            told = characters // _CHARACTERS_PER_TOKEN
        self._without_cost = self._without_cost or "cost" not in usage
        self.spend(int(_number(told)), _number(usage.get("cost")))

    def spend(self, tokens: int, money: float) -> None:
        """So much, also for those above."""
        with self._lock:
            self.tokens += tokens
            self.money += money
        if self._above is not None:
            self._above.spend(tokens, money)

    def add_run(self, store: RunStore, run_id: str) -> None:
        """Everything that was spent in a run that is over, and in those below it."""
        for turn in _turns(store, run_id):
            usage = turn["usage"]
            self.add(usage if isinstance(usage, dict) else {}, (), str(turn.get("text")))

    def loses_sight(self, usage: JsonObject) -> bool:
        """Whether this is the first turn whose cost the server does not tell, though there is a budget in money."""
        return self.is_in_money() and "cost" not in usage and not self._without_cost

    def is_in_money(self) -> bool:
        """Whether there is a budget in money, here or above."""
        return self._budget.get("money") is not None or (self._above is not None and self._above.is_in_money())

    def require_rest(self) -> None:
        """Raises ToolError where the budget is used up, or that of an agent that has asked."""
        tokens, money = self._budget.get("tokens"), self._budget.get("money")
        if tokens is not None and self.tokens >= _number(tokens):
            raise ToolError("agent-budget", used=self.tokens, limit=tokens)
        if money is not None and self.money >= _number(money):
            raise ToolError("agent-budget", used=f"{self.money:g}", limit=money, case="money")
        if self._above is not None:
            self._above.require_rest()


def _turns(store: RunStore, run_id: str) -> Iterator[JsonObject]:
    run = store.stored(run_id)
    if run is None or run.status in _STANDING_STILL:
        return
    for path, entry in store.steps(run_id):
        turn = entry["output"]
        if path.startswith("turn/") and entry["name"] == "model" and isinstance(turn, dict) and "usage" in turn:
            yield turn
        yield from _turns(store, f"{run_id}.{path}")


def _number(value: JsonValue) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


# --- a model that is busy, or whose answer broke off, is asked again after a while


@dataclass(frozen=True, kw_only=True, slots=True)
class Patience:
    """How often, and after how long; the waits double, and a server that names a time is believed."""

    attempts: int = 5
    first_wait: float = 0.5
    longest_wait: float = 60.0

    def answer(
        self,
        model: LanguageModel,
        request: ModelRequest,
        listener: Listener,
        stop: Cancellation,
        on_wait: Callable[[float, ToolError], None],
    ) -> ModelTurn:
        """The first good answer. Raises the last error where there is none."""
        for attempt in range(1, self.attempts + 1):
            try:
                return _said_something(model.answer(request, listener, stop))
            except ToolError as error:
                seconds = self._wait(attempt, error.details.get("retry_after"))
                if not error.retryable or attempt == self.attempts or seconds > self.longest_wait:
                    raise
                on_wait(seconds, error)
            _sleep(seconds, stop)
        raise AssertionError("a model is asked at least once")

    def _wait(self, attempt: int, told: float | None) -> float:
        if told is not None:
            return told
        # Many programs that were refused together must not all come back together.
        doubled: float = self.first_wait * 2.0 ** (attempt - 1)
        return doubled * random.uniform(0.75, 1.25)  # noqa: S311  no secret


def _said_something(turn: ModelTurn) -> ModelTurn:
    if not turn.text.strip() and not turn.calls:
        # What a filter holds back, it holds back the next time, too.
        case = turn.finish if turn.finish in ("content_filter", "length") else None
        raise ToolError("model-empty", retryable=case != "content_filter", case=case)
    return turn


def _sleep(seconds: float, stop: Cancellation) -> None:
    stopped = threading.Event()
    with stop.stopping(stopped.set):
        if stopped.wait(seconds):
            raise CancelledError


# --- notices an agent that turns in circles: the model is told first, and stopped only when that does not help


SAME_AGAIN = 3
"""So often the same calls give the same results, one turn after the other, before the model hears of it."""
SAME_WITHOUT_END = 25
"""So often before the run is stopped; more than an agent has turns that was given no other number."""


class Repetition:
    """Counts how often in a row the turns of a run were the same."""

    def __init__(self) -> None:
        self._last = ""
        self._times = 0

    def remark(self, answer: ParsedTurn, results: Sequence[CallResult]) -> str:
        """What the model must hear after this turn. Raises ToolError where it has heard it often enough."""
        turn = json.dumps([[*map(_sameness, results)], answer.damage])
        self._times = self._times + 1 if turn == self._last else 1
        self._last = turn
        if self._times == SAME_WITHOUT_END:
            raise ToolError("agent-no-progress", times=self._times, details={"text": answer.text})
        return text("agent.repeats", times=self._times) if self._times >= SAME_AGAIN else ""


def _sameness(result: CallResult) -> list[JsonValue]:
    return [result.tool, result.status, result.text, result.arguments]
