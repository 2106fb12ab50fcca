"""What the language models of a run have used, and what that cost as far as their servers tell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from paperagents.definitions.json_value import JsonObject
from paperagents.messages import text
from paperagents.values import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Sums over the calls of models, also those of the runs below."""

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None
    """None where no server told one."""

    def as_json(self) -> JsonObject:
        """The form of the record."""
        return {
            "model_calls": self.model_calls,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cached_tokens": self.cached_tokens,
            "reasoning_tokens": self.reasoning_tokens,
            "cost": self.cost,
        }


def describe_usage(usage: Usage | None) -> str:
    """What was used, in one line; nothing where no server told."""
    if usage is None or not (usage.input_tokens or usage.output_tokens or usage.cost):
        return ""
    figures = {name: f"{value:,}" for name, value in usage.as_json().items() if isinstance(value, int)}
    if usage.cost is None:
        return text("usage.tokens", **figures)
    return text("usage.cost", **figures, price=f"{usage.cost:.4f}")


def add_up(usages: Iterable[Usage]) -> Usage | None:
    """The sum; None where there is nothing to add."""
    each = list(usages)
    costs = [one.cost for one in each if one.cost is not None]
    if not each:
        return None
    return Usage(
        model_calls=sum(one.model_calls for one in each),
        input_tokens=sum(one.input_tokens for one in each),
        output_tokens=sum(one.output_tokens for one in each),
        cached_tokens=sum(one.cached_tokens for one in each),
        reasoning_tokens=sum(one.reasoning_tokens for one in each),
        # Sums of small prices are rounded: 0.1 + 0.2 is nobody's price.
        cost=round(sum(costs), 10) if costs else None,
    )


def usage_of_turn(told: Mapping[str, Any]) -> Usage:
    """One call of a model, by the figures of its server; what it does not tell counts as nothing."""
    counts = read_counts(told)
    written = counts.get("completion_tokens", 0)
    return Usage(
        model_calls=1,
        input_tokens=int(counts.get("prompt_tokens", max(counts.get("total_tokens", 0) - written, 0))),
        output_tokens=int(written),
        cached_tokens=int(counts.get("cached_tokens", 0)),
        reasoning_tokens=int(counts.get("reasoning_tokens", 0)),
        cost=counts.get("cost"),
    )


def read_usage(kept: Any) -> Usage | None:
    """The usage that a record keeps; None where that is none."""
    if not isinstance(kept, dict):
        return None
    figures = {name: _figure(kept.get(name)) for name in Usage().as_json()}
    whole = {name: int(value or 0) for name, value in figures.items() if name != "cost"}
    return Usage(**whole, cost=figures["cost"])


_NAMES = {
    "prompt_tokens": ("prompt_tokens", "input_tokens"),
    "completion_tokens": ("completion_tokens", "output_tokens"),
    "total_tokens": ("total_tokens",),
    "cached_tokens": ("cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens"),
    "reasoning_tokens": ("reasoning_tokens",),
    "cost": ("cost", "total_cost", "estimated_cost"),
}
"""Under which names servers tell the same figure."""
_INSIDE = ("prompt_tokens_details", "input_tokens_details", "completion_tokens_details", "output_tokens_details")


def read_counts(told: Mapping[str, Any]) -> dict[str, float]:
    """The figures of one answer, whatever the server calls them."""
    inside = [told[name] for name in _INSIDE if isinstance(told.get(name), dict)]
    found: dict[str, float] = {}
    for name, others in _NAMES.items():
        figures = (_figure(place.get(other)) for place in (told, *inside) for other in others)
        figure = next((each for each in figures if each is not None), None)
        if figure is not None:
            found[name] = figure
    return found


def _figure(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    # JSON as Python reads it has numbers that are none.
    return value if is_number and math.isfinite(value) and 0 <= value < 1e15 else None
