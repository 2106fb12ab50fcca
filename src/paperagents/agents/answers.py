"""Answers that must fit a JSON Schema, read as models write them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from paperagents.agents.calls import DEEPEST, is_deeper_than, load_json
from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.tool import value_path
from paperagents.messages import text
from paperagents.reading.json_schema import compile_schema
from paperagents.values import dataclass

_FENCED = re.compile(r"^```(?:json)?[ \t]*\n(.*?)\n[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE)
_MOST_PROBLEMS = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class TypedAnswer:
    """The value of an answer, or what keeps it from being one."""

    value: JsonValue = None
    problems: tuple[str, ...] = ()


def read_answer(said: str, schema: Mapping[str, JsonValue]) -> TypedAnswer:
    """The value that a text stands for: JSON, also in the one fence of it; where a text is wanted, the text itself."""
    wanted = compile_schema(json.dumps(schema))
    said = said.strip()
    fenced = _FENCED.findall(said)
    try:
        value = load_json(fenced[0] if len(fenced) == 1 and not said.startswith(("{", "[", '"')) else said)
        violations = wanted.violations(value) if not is_deeper_than([value], DEEPEST) else None
    except (ValueError, RecursionError) as error:
        return TypedAnswer(value=said) if wanted.accepts(said) else TypedAnswer(problems=(str(error)[:200],))
    if violations is None:
        return TypedAnswer(problems=(text("answer.too-deep", limit=DEEPEST),))
    if not violations:
        return TypedAnswer(value=value)
    if wanted.accepts(said):
        return TypedAnswer(value=said)
    return TypedAnswer(
        problems=tuple(f"{value_path(each.path) or '/'}: {each.rule}" for each in violations[:_MOST_PROBLEMS])
    )
