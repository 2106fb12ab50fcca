"""Brings a value to the type a parameter declares, where that loses nothing. Nothing is guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import declared_types
from paperagents.errors import UsageError
from paperagents.messages import text
from paperagents.patterns import late_pattern

_NUMBER = late_pattern(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_WORDS = {"true": True, "false": False}


class CannotConvertError(Exception):
    """The value cannot be brought to that type."""


def convert_value(value: JsonValue, schema: Mapping[str, JsonValue]) -> JsonValue:
    """The value in the type the schema declares. Raises CannotConvertError.

    What stands inside a list or object and cannot be brought to its type stays as it is: the list is one all the same.
    """
    kinds = declared_types(schema)
    if not kinds or any(is_of_type(value, kind) for kind in kinds):
        return _convert_inside(value, dict(schema))
    for kind in kinds:
        try:
            return _convert_inside(_convert_to(str(kind), value, schema), dict(schema))
        except CannotConvertError:
            continue
    raise CannotConvertError


def read_text(text: str, schema: Mapping[str, JsonValue]) -> JsonValue:
    """A text from a command line or form as the declared type; a string stays as it is."""
    kinds = declared_types(schema)
    if not kinds:
        return json_or_text(text)
    if "string" in kinds and len(kinds) == 1:
        return text
    return convert_value(text, schema)


def _convert_inside(value: JsonValue, schema: JsonValue) -> JsonValue:
    items, properties = (schema.get("items"), schema.get("properties")) if isinstance(schema, dict) else (None, None)
    if isinstance(value, list) and isinstance(items, dict):
        return [_convert_if_possible(each, items) for each in value]
    if isinstance(value, dict) and isinstance(properties, dict):
        # Only texts: a number where a text is declared is more likely a mistake than a reference.
        return {
            name: (_convert_if_possible if isinstance(each, str) else _convert_inside)(each, properties.get(name))
            for name, each in value.items()
        }
    return value


def _convert_if_possible(value: JsonValue, schema: JsonValue) -> JsonValue:
    try:
        return convert_value(value, schema) if isinstance(schema, dict) else value
    except CannotConvertError:
        return value


def is_of_type(value: JsonValue, kind: JsonValue) -> bool:
    """Whether the value already has this type of JSON Schema; a boolean is no number."""
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    kinds: dict[JsonValue, type | tuple[type, ...]] = {
        "string": str, "boolean": bool, "array": list, "object": dict, "null": type(None),
    }  # fmt: skip
    return isinstance(value, kinds.get(kind, ()))


def _convert_to(kind: str, value: JsonValue, schema: Mapping[str, JsonValue]) -> JsonValue:
    match kind:
        case "string" if value is not None:
            return json.dumps(value, ensure_ascii=False)
        case "number":
            return _to_number(value)
        case "integer":
            return _to_integer(value)
        case "boolean" if isinstance(value, str) and value.lower() in _WORDS:
            return _WORDS[value.lower()]
        case "array":
            return _to_array(value, schema)
        case "object":
            return _parse(value, dict)
    raise CannotConvertError


def _to_number(value: JsonValue) -> int | float:
    # Longer digits take quadratic time to read, and no number needs them.
    if isinstance(value, str) and len(value) < 400 and _NUMBER.fullmatch(value):
        number: int | float = json.loads(value)
        if abs(number) != float("inf"):
            return number
    raise CannotConvertError


def _to_integer(value: JsonValue) -> int:
    number = value if isinstance(value, float) else _to_number(value)
    if isinstance(number, float) and not number.is_integer():
        raise CannotConvertError
    return int(number)


def _to_array(value: JsonValue, schema: Mapping[str, JsonValue]) -> JsonValue:
    """A list; of a whole answer of ``search_files`` the paths, or its objects where ``items`` are declared as such."""
    # An answer that an example makes up may leave out whether it was cut.
    if not isinstance(value, dict) or value.keys() - {"truncated"} != {"results", "count"}:
        return _parse(value, list)
    results, items = value["results"], schema.get("items")
    if not isinstance(results, list):
        raise CannotConvertError
    kinds = items.get("type", "object" if "properties" in items else None) if isinstance(items, dict) else None
    if "object" in (kinds if isinstance(kinds, list) else [kinds]):
        return results
    return [each["path"] if isinstance(each, dict) and "path" in each else each for each in results]


def _parse(value: JsonValue, kind: type) -> JsonValue:
    """The way back from the JSON text that a list or object becomes inside a text."""
    parsed = json_or_text(value) if isinstance(value, str) else None
    if isinstance(parsed, kind):
        return parsed
    raise CannotConvertError


def json_or_text(text: str) -> JsonValue:
    """What the text is as JSON, else the text itself. ``NaN`` and ``Infinity`` are no JSON."""
    try:
        value: JsonValue = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return text
    return text if is_too_deep(value, text) else value


def _refuse_constant(constant: str) -> JsonValue:
    raise ValueError(constant)


# --- arguments from outside


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


def split_json(arguments: Mapping[Any, Any]) -> tuple[JsonObject, list[str]]:
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
