"""The fields of an agent's note that say how its model is asked."""

from __future__ import annotations

from paperagents.definitions.agent import EFFORTS, RESERVED, ModelOptions
from paperagents.definitions.json_value import JsonObject
from paperagents.reading.fields import Fields
from paperagents.reading.yaml_nodes import YamlMapping, YamlScalar

REASONING_FIELDS = ("effort", "budget")
SYNONYMS = {
    "response_format": "output", "output_schema": "output", "output_type": "output", "json_schema": "output",
    "max_completion_tokens": "max_tokens", "max_output_tokens": "max_tokens",
    "reasoning_effort": "reasoning", "thinking": "reasoning", "thinking_budget": "reasoning",
    "context_length": "context_tokens", "context_window": "context_tokens", "context_size": "context_tokens",
    "num_ctx": "context_tokens", "stop_sequences": "stop", "fallback_models": "fallback", "extra_body": "extra",
    "vision": "images", "max_turns": "max_iterations", "max_steps": "max_iterations",
}  # fmt: skip
"""What other programs call the fields of an agent."""


def read_options(fields: Fields) -> ModelOptions:
    """How the model is asked."""
    return ModelOptions(
        temperature=read_bounded(fields, "temperature", 2),
        top_p=read_bounded(fields, "top_p", 1),
        max_tokens=fields.whole_number("max_tokens", least=1),
        reasoning=read_reasoning(fields),
        stop=fields.texts("stop"),
        seed=read_seed(fields),
        extra=read_extra(fields),
    )


def read_bounded(fields: Fields, name: str, most: float) -> float | None:
    """A number from 0 to this."""
    value = fields.number(name, least=0)
    if value is not None and value > most:
        span = fields.mapping.entries[name][1].span
        fields.problems.error("invalid-value", span, field=name, value=f"{value:g}", options=f"0 – {most:g}")
        return None
    return value


def read_reasoning(fields: Fields) -> str | int | None:
    """An effort as a word, a budget of tokens as a number, or a mapping with one of both."""
    node = fields.mapping.get("reasoning")
    if isinstance(node, YamlMapping):
        inner = Fields(node, fields.problems)
        inner.warn_of_slips(REASONING_FIELDS, synonyms={"max_tokens": "budget", "budget_tokens": "budget"})
        budget = inner.whole_number("budget", least=1)
        return budget if budget is not None else inner.choice("effort", EFFORTS)
    if isinstance(node, YamlScalar) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return fields.whole_number("reasoning", least=1)
    return fields.choice("reasoning", EFFORTS)


def read_seed(fields: Fields) -> int | None:
    """A whole number of any size."""
    node = fields.given("seed")
    if node is None:
        return None
    value = node.value if isinstance(node, YamlScalar) else None
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    fields.problems.error("wrong-type", node.span, field="seed", case="integer")
    return None


def read_extra(fields: Fields) -> JsonObject:
    """Further fields of a request, but none that the program itself writes."""
    mapping = fields.mapping_of("extra")
    if mapping is None:
        return {}
    for name in RESERVED:
        if name in mapping.entries:
            fields.problems.error("extra-reserved", mapping.key(name).span, field=name)
    return mapping.plain()
