"""What is known of values before and after they are there: JSON Schemas, declared or seen in recorded runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import declared_types

Shape = Mapping[str, JsonValue]
ANYTHING: JsonObject = {}
MOST_FIELDS = 200
MOST_ITEMS = 20
DEEPEST = 8
_TYPES: dict[type, str] = {
    str: "string", bool: "boolean", int: "number", float: "number", list: "array", dict: "object", type(None): "null",
}  # fmt: skip


def observe(value: JsonValue, depth: int = 0) -> JsonObject:
    """The shape of a value that was seen."""
    shape: JsonObject = {"type": _TYPES[type(value)]}
    if depth >= DEEPEST:
        return shape
    if isinstance(value, dict):
        fields = list(value.items())[:MOST_FIELDS]
        shape["properties"] = {name: observe(each, depth + 1) for name, each in fields}
    elif isinstance(value, list) and value:
        shape["items"] = dict(merge(*(observe(each, depth + 1) for each in value[:MOST_ITEMS])))
    return shape


def merge(*shapes: Shape) -> Shape:
    """One shape that says what any of several say; the first has the last word about a type."""
    known = [each for each in shapes if each]
    if len(known) < 2:
        return known[0] if known else ANYTHING
    first, *others = known
    merged: JsonObject = dict(first)
    properties = {name: None for each in known for name in fields_of(each)}
    if properties:
        merged["properties"] = {
            name: dict(merge(*(found for each in known if (found := fields_of(each).get(name)) is not None)))
            for name in list(properties)[:MOST_FIELDS]
        }
    items = [each["items"] for each in known if isinstance(each.get("items"), dict)]
    if items:
        merged["items"] = dict(merge(*(each for each in items if isinstance(each, dict))))
    if "type" not in merged:
        merged |= next(({"type": each["type"]} for each in others if "type" in each), {})
    return merged


def fields_of(shape: Shape) -> dict[str, Shape]:
    """The fields that a value of this shape is known to have."""
    properties = shape.get("properties")
    fields = properties if isinstance(properties, dict) else {}
    return {name: each if isinstance(each, dict) else ANYTHING for name, each in fields.items()}


def follow(shape: Shape, path: Sequence[str | int]) -> Shape | None:
    """The shape at a path; None where it is known that there is nothing, or nothing is known."""
    for segment in path:
        fields = fields_of(shape)
        if str(segment) in fields:
            shape = fields[str(segment)]
        elif isinstance(segment, int) or segment.isdigit():
            items = shape.get("items")
            if not isinstance(items, dict):
                return None
            shape = items
        elif segment == "length" and set(declared_types(shape)) & {"array", "string"}:
            shape = {"type": "number"}
        else:
            return None
    return shape


def find_value(value: JsonValue, path: Iterable[str | int]) -> tuple[JsonValue] | None:
    """The value at a path in another, as a tuple of one; None where there is none."""
    for segment in path:
        if isinstance(value, dict) and str(segment) in value:
            value = value[str(segment)]
        elif isinstance(value, list) and str(segment).isdigit() and int(segment) < len(value):
            value = value[int(segment)]
        elif segment == "length" and isinstance(value, str | list):
            value = len(value)
        else:
            return None
    return (value,)


def describe_type(shape: Shape, depth: int = 0) -> str:
    """The type in a few signs: ``string``, ``{path, score}[]``; empty where it is not known."""
    kinds = [str(each) for each in declared_types(shape)]
    if kinds == ["array"] or (not kinds and "items" in shape):
        items = shape.get("items")
        inner = describe_type(items, depth + 1) if isinstance(items, dict) else ""
        return f"{inner or 'any'}[]" if " | " not in inner else f"({inner})[]"
    if kinds == ["object"] or (not kinds and "properties" in shape):
        names = list(fields_of(shape))
        if not names or depth > 1:
            return "object"
        return f"{{{', '.join(names[:4])}{', …' if len(names) > 4 else ''}}}"
    return " | ".join(kinds)
