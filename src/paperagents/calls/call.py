"""A call: a tool's name and its arguments, whoever it comes from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from paperagents.calls.conversion import CannotConvertError, read_text
from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.tool import Parameter, ToolDefinition
from paperagents.errors import MissingVariableError, WrongVariableError
from paperagents.reading.json_schema import Schema


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """What a person, a chain step, a tag, an agent or an MCP client wants to have done."""

    tool: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    as_text: bool = False
    """The arguments were written as text, in a tag: they are brought to the types the tool declares."""


# --- variables of a tool: texts that a person has set, and the values they stand for


def read_variables(tool: ToolDefinition, configured: Mapping[str, str]) -> dict[str, str]:
    """The variables a tool declares, set or by default. What is missing or wrong is told by name."""
    missing = [each.name for each in tool.environment if each.must_be_given and each.name not in configured]
    if missing:
        code = "MISSING_ENV_VAR" if tool.kind == "javascript" else "missing-variable"
        raise MissingVariableError(tool.id, missing, code=code)
    given = [each for each in tool.environment if each.name in configured]
    wrong = [each.name for each in given if not accepts_value(each, configured[each.name])]
    if wrong:
        code = "INVALID_ENV_VAR" if tool.kind == "javascript" else "wrong-variable"
        raise WrongVariableError(tool.id, wrong, code=code)
    with_default = [each for each in tool.environment if "default" in each.schema]
    defaults = {each.name: variable_text(each.schema["default"]) for each in with_default}
    return {**defaults, **{each.name: configured[each.name] for each in given}}


def accepts_value(variable: Parameter, value: str) -> bool:
    """Whether the tool's own schema accepts what the text stands for."""
    try:
        return Schema(variable.schema).accepts(read_text(value, variable.schema))
    except CannotConvertError:
        return False


def variable_text(value: JsonValue) -> str:
    """The text that stands for a value."""
    return value if isinstance(value, str) else json.dumps(value)
