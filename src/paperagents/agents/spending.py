"""What the turns of a run cost, and whether there is any left."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import ToolError
from paperagents.records.run_store import RunStore

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
