"""Arguments as they come in from outside: a text that should be JSON, or values that should be."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

from paperagents.definitions.json_value import JsonObject
from paperagents.errors import UsageError
from paperagents.messages import text

DEEPEST = 100
"""How far lists and objects may stand in each other; everything that walks through values can go so far."""


def read_arguments(written: str) -> JsonObject:
    """The object a text holds. Raises UsageError where it is anything else."""
    try:
        value = json.loads(written.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        place = text("cli.run.json-place", line=error.lineno, column=error.colno)
        raise UsageError("params-not-json", reason=place) from error
    except (ValueError, RecursionError) as error:
        raise UsageError("params-not-json", reason=text("cli.run.no-json-value", limit=DEEPEST)) from error
    if not isinstance(value, dict):
        raise UsageError("params-not-json", reason=text("cli.run.not-an-object"))
    if not is_json(value):
        raise UsageError("params-not-json", reason=text("cli.run.no-json-value", limit=DEEPEST))
    return value


def json_only(arguments: Mapping[Any, Any]) -> tuple[JsonObject, list[str]]:
    """The arguments that are JSON, and the names of those that are not."""
    fine = {name: value for name, value in arguments.items() if isinstance(name, str) and is_json(value)}
    return fine, [str(name) for name in arguments if name not in fine]


def is_too_deep(value: Any, written: str) -> bool:
    """Whether a value that was read from a text is nested too deeply; most texts have not even enough brackets."""
    return written.count("[") + written.count("{") > DEEPEST and not is_json(value)


def is_json(value: Any, levels: int = DEEPEST) -> bool:
    """Whether a value can be written as JSON; a value that holds itself has no end, so it cannot."""
    match value:
        case None | bool() | int() | str():
            return True
        case float():
            return isfinite(value)
        case dict():
            return levels > 0 and all(isinstance(k, str) and is_json(each, levels - 1) for k, each in value.items())
        case list() | tuple():
            return levels > 0 and all(is_json(each, levels - 1) for each in value)
    return False
