"""Variables of a tool: texts that a person has set, and the values they stand for."""

from __future__ import annotations

import json

from paperagents.calls.conversion import CannotConvertError, read_text
from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.parameter import Parameter
from paperagents.reading.json_schema import Schema


def fits(variable: Parameter, value: str) -> bool:
    """Whether the tool's own schema accepts what the text stands for."""
    try:
        return Schema(variable.schema).accepts(read_text(value, variable.schema))
    except CannotConvertError:
        return False


def as_text(value: JsonValue) -> str:
    """The text that stands for a value."""
    return value if isinstance(value, str) else json.dumps(value)
