"""Brings a value to the type a parameter declares, where that loses nothing. Nothing is guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import UsageError
from paperagents.messages import text

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_WORDS = {"true": True, "false": False}


class CannotConvertError(Exception):
    """The value cannot be brought to that type."""


def convert_value(value: JsonValue, schema: Mapping[str, JsonValue]) -> JsonValue:
    """The value in the type the schema declares. Raises CannotConvertError.

    An element of a list that cannot be brought to its type stays as it is: the list is one all the same.
    """
    declared = schema.get("type")
    kinds = declared if isinstance(declared, list) else [declared]
    if declared is None or any(_is(value, kind) for kind in kinds):
        return _with_items(value, schema)
    for kind in kinds:
        try:
            return _with_items(_TO[str(kind)](value, schema), schema)
        except CannotConvertError:
            continue
    raise CannotConvertError


def read_text(text: str, schema: Mapping[str, JsonValue]) -> JsonValue:
    """A text from a command line or form as the declared type; a string stays as it is."""
    declared = schema.get("type")
    if declared is None:
        return _json_or_text(text)
    kinds = declared if isinstance(declared, list) else [declared]
    if "string" in kinds and len(kinds) == 1:
        return text
    return convert_value(text, schema)


def _with_items(value: JsonValue, schema: Mapping[str, JsonValue]) -> JsonValue:
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, dict):
        return [_converted_or_same(each, items) for each in value]
    return value


def _converted_or_same(value: JsonValue, schema: Mapping[str, JsonValue]) -> JsonValue:
    try:
        return convert_value(value, schema)
    except CannotConvertError:
        return value


def _is(value: JsonValue, kind: JsonValue) -> bool:
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    kinds: dict[JsonValue, type | tuple[type, ...]] = {
        "string": str, "boolean": bool, "array": list, "object": dict, "null": type(None),
    }  # fmt: skip
    return isinstance(value, kinds.get(kind, ()))


def _to_string(value: JsonValue, _: Mapping[str, JsonValue]) -> JsonValue:
    if value is None:
        raise CannotConvertError
    return json.dumps(value, ensure_ascii=False)


def _to_number(value: JsonValue, _: Mapping[str, JsonValue]) -> JsonValue:
    if isinstance(value, str) and len(value) < 400 and _NUMBER.fullmatch(value):
        number: float = json.loads(value)
        if abs(number) != float("inf"):
            return number
    raise CannotConvertError


def _to_integer(value: JsonValue, schema: Mapping[str, JsonValue]) -> JsonValue:
    number = value if isinstance(value, float) else _to_number(value, schema)
    if isinstance(number, int) and not isinstance(number, bool):
        return number
    if isinstance(number, float) and number.is_integer():
        return int(number)
    raise CannotConvertError


def _to_boolean(value: JsonValue, _: Mapping[str, JsonValue]) -> JsonValue:
    if isinstance(value, str) and value.lower() in _WORDS:
        return _WORDS[value.lower()]
    raise CannotConvertError


def _to_array(value: JsonValue, schema: Mapping[str, JsonValue]) -> JsonValue:
    if isinstance(value, dict) and set(value) == {"results", "count"} and isinstance(value["results"], list):
        items = schema.get("items")
        wants_texts = isinstance(items, dict) and items.get("type") == "string"
        return [_path_of(each) if wants_texts else each for each in value["results"]]
    return _parsed(value, list)


def _path_of(result: JsonValue) -> JsonValue:
    return result["path"] if isinstance(result, dict) and "path" in result else result


def _to_object(value: JsonValue, _: Mapping[str, JsonValue]) -> JsonValue:
    return _parsed(value, dict)


def _parsed(value: JsonValue, kind: type) -> JsonValue:
    """The way back from the JSON text that a list or object becomes inside a text."""
    if isinstance(value, str):
        parsed = _json_or_text(value)
        if isinstance(parsed, kind):
            return parsed
    raise CannotConvertError


def _json_or_text(text: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text
    return text if is_too_deep(value, text) else value


def _refuse(constant: str) -> JsonValue:
    raise ValueError(constant)


def _to_nothing(_value: JsonValue, _: Mapping[str, JsonValue]) -> JsonValue:
    raise CannotConvertError


_TO: dict[str, Callable[[JsonValue, Mapping[str, JsonValue]], JsonValue]] = {
    "string": _to_string,
    "number": _to_number,
    "integer": _to_integer,
    "boolean": _to_boolean,
    "array": _to_array,
    "object": _to_object,
    "null": _to_nothing,
}


# --- arguments as they come in from outside: a text that should be JSON, or values that should be


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
