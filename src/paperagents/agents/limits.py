"""What limits a run of an agent: its budget, how often a model is asked again, and repetition."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from paperagents.agents.calls import ParsedTurn
from paperagents.agents.dialogue import CallResult
from paperagents.agents.model import LanguageModel, Listener, ModelRequest, ModelTurn
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import CancelledError, ToolError
from paperagents.messages import text
from paperagents.runs.history import History
from paperagents.runs.record import child_run_id
from paperagents.sandbox import Cancellation
from paperagents.values import dataclass

_CHARACTERS_PER_TOKEN = 4
_UNFINISHED = ("running", "waiting")


class Spending:
    """Counts tokens and money against a budget. Without figures from the server, tokens are guessed from the texts.

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
        """Count one turn."""
        tokens = usage.get("total_tokens")
        if tokens is None:
            tokens = sum(_number(usage.get(name)) for name in ("prompt_tokens", "completion_tokens")) or None
        if tokens is None:
            characters = sum(len(str(each.get("content") or "")) for each in messages) + len(answer)
            tokens = characters // _CHARACTERS_PER_TOKEN
        self._without_cost = self._without_cost or "cost" not in usage
        self.spend(int(_number(tokens)), _number(usage.get("cost")))

    def spend(self, tokens: int, money: float) -> None:
        """Count this much, also for the agents above."""
        # Agents that were asked side by side spend at the same time.
        with self._lock:
            self.tokens += tokens
            self.money += money
        if self._above is not None:
            self._above.spend(tokens, money)

    def add_run(self, history: History, run_id: str) -> None:
        """Count everything that was spent in a finished run, and in those below it."""
        for turn in stored_turns(history, run_id):
            usage = turn["usage"]
            self.add(usage if isinstance(usage, dict) else {}, (), str(turn.get("text")))

    def lacks_cost(self, usage: JsonObject) -> bool:
        """Whether this is the first turn whose cost the server does not tell, though there is a budget in money."""
        return self.is_in_money() and "cost" not in usage and not self._without_cost

    def is_in_money(self) -> bool:
        """Whether there is a budget in money, here or above."""
        return self._budget.get("money") is not None or (self._above is not None and self._above.is_in_money())

    def require_budget(self) -> None:
        """Raises ToolError where the budget is used up, or that of an agent that has asked."""
        tokens, money = self._budget.get("tokens"), self._budget.get("money")
        if tokens is not None and self.tokens >= _number(tokens):
            raise ToolError("agent-budget", used=self.tokens, limit=tokens)
        if money is not None and self.money >= _number(money):
            raise ToolError("agent-budget", used=f"{self.money:g}", limit=money, case="money")
        if self._above is not None:
            self._above.require_budget()


def stored_turns(history: History, run_id: str) -> Iterator[JsonObject]:
    """The turns of a finished run, and of the runs below it."""
    run = history.run(run_id)
    if run is None or run.status in _UNFINISHED:
        return
    for path, entry in history.steps(run_id):
        turn = entry["output"]
        if path.startswith("turn/") and entry["name"] == "model" and isinstance(turn, dict) and "usage" in turn:
            yield turn
        yield from stored_turns(history, child_run_id(run_id, path))


def _number(value: JsonValue) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class RetryPolicy:
    """How often a busy model is asked again, and after how long: waits double; a time that a server names is kept."""

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
                return require_content(model.answer(request, listener, stop))
            except ToolError as error:
                seconds = self.delay(attempt, error.details.get("retry_after"))
                if not error.retryable or attempt == self.attempts or seconds > self.longest_wait:
                    raise
                on_wait(seconds, error)
            stopped = threading.Event()
            with stop.stopping(stopped.set):
                if stopped.wait(seconds):
                    raise CancelledError
        raise AssertionError("a model is asked at least once")

    def delay(self, attempt: int, retry_after: float | None) -> float:
        """Seconds to wait after this attempt."""
        if retry_after is not None:
            return retry_after
        # Many programs that were refused together must not all come back together.
        doubled: float = self.first_wait * 2.0 ** (attempt - 1)
        return doubled * random.uniform(0.75, 1.25)  # noqa: S311  no secret


CUT = ("length", "max_tokens", "model_length")
FILTERED = ("content_filter", "safety", "refusal")
BROKEN = "error"
"""Why an answer ended, in the words of several servers."""


def require_content(turn: ModelTurn) -> ModelTurn:
    """The turn. Raises ToolError where it broke off, or says and calls nothing, and no reason for that is told."""
    if turn.finish == BROKEN:
        raise ToolError("model-broken", reason=turn.native_finish or f"finish_reason: {BROKEN}", retryable=True)
    if not turn.text.strip() and not turn.calls and not turn.images and turn.finish not in (*CUT, *FILTERED):
        raise ToolError("model-empty", retryable=True)
    return turn


def require_whole(turn: ModelTurn) -> None:
    """Raise ToolError with what there is of an answer that was cut off or held back."""
    if turn.finish in (*CUT, *FILTERED):
        code = "answer-cut" if turn.finish in CUT else "answer-filtered"
        own = turn.native_finish if turn.native_finish != turn.finish else ""
        details = {"text": turn.text, "finish_reason": turn.finish, **({"provider_reason": own} if own else {})}
        raise ToolError(code, reason=own, case="provider" if own else None, details=details)


SAME_AGAIN = 3
"""So often the same calls give the same results, one turn after the other, before the model hears of it."""
SAME_WITHOUT_END = 25
"""So often before the run is stopped; more than an agent has turns that was given no other number."""


class Repetition:
    """Counts how often in a row the turns of a run were the same: the model is told first, and stopped much later."""

    def __init__(self) -> None:
        self._last = ""
        self._times = 0

    def remark(self, answer: ParsedTurn, results: Sequence[CallResult]) -> str:
        """What the model must hear after this turn. Raises ToolError where it has heard it often enough."""
        calls = [[each.tool, each.status, each.text, each.arguments] for each in results]
        turn = json.dumps([calls, answer.damage])
        self._times = self._times + 1 if turn == self._last else 1
        self._last = turn
        if self._times == SAME_WITHOUT_END:
            raise ToolError("agent-no-progress", times=self._times, details={"text": answer.text})
        return text("agent.repeats", times=self._times) if self._times >= SAME_AGAIN else ""
