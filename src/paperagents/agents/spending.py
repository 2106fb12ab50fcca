"""What the turns of a run cost, and whether there is any left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import ToolError

_CHARACTERS_PER_TOKEN = 4


class Spending:
    """Counts tokens and money. Where a server tells nothing, tokens are guessed from the length of the texts."""

    def __init__(self, budget: Mapping[str, JsonValue]) -> None:
        self._budget = budget
        self.tokens = 0
        self.money = 0.0

    def add(self, usage: JsonObject, messages: Iterable[JsonObject], answer: str) -> None:
        """One turn."""
        told = usage.get("total_tokens")
        if told is None:
            told = sum(_number(usage.get(name)) for name in ("prompt_tokens", "completion_tokens")) or None
        if told is None and "tokens" in self._budget:
            told = (
                sum(len(str(each.get("content") or "")) for each in messages) + len(answer)
            ) // _CHARACTERS_PER_TOKEN
        self.tokens += int(_number(told))
        self.money += _number(usage.get("cost"))

    def require_rest(self) -> None:
        """Raises ToolError where the budget is used up."""
        tokens, money = self._budget.get("tokens"), self._budget.get("money")
        if tokens is not None and self.tokens >= _number(tokens):
            raise ToolError("agent-budget", used=self.tokens, limit=tokens)
        if money is not None and self.money >= _number(money):
            raise ToolError("agent-budget", used=f"{self.money:g}", limit=money, case="money")


def _number(value: JsonValue) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
