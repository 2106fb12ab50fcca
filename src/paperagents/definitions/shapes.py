"""What is known of a value before there is one: its shape, which is a JSON Schema, and what a reference finds in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.text import closest
from paperagents.definitions.tool import declared_types
from paperagents.values import dataclass

Shape = Mapping[str, JsonValue]
ANY_SHAPE: JsonObject = {}
MAX_NAMES = 100
"""As many names are compared and told; nor is a longer name a slip of the finger."""
ANSWER_OF = "answer-of"
"""In place of a shape: the tool whose answer it is, which another file describes."""
_MAY_NAME_FIELDS = frozenset({
    "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas",
    "additionalProperties", "unevaluatedProperties",
})  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Missing:
    """Why a reference cannot exist, and what there is instead."""

    case: str
    names: Sequence[str] = ()
    wanted: str = ""
    """The name that is not there; where only its output is missing, the step."""
    may_be_given: bool = False
    """Whether a caller can bring it along as an argument that is not declared."""
    may_be_there: bool = False
    """Whether a schema allows it that only names others."""

    def near(self) -> list[str]:
        """The names that were probably meant."""
        return closest(self.wanted, self.names[:MAX_NAMES]) if len(self.wanted) <= MAX_NAMES else []


def walk_shape(shape: Shape, path: Sequence[str | int], *, named_only: bool = False) -> Missing | None:
    """Follow a path into a shape as far as the shape is known.

    With ``named_only``, a field is missing that is not named, also where the schema does not forbid others.
    """
    for segment in path:
        kinds = declared_types(shape)
        kind = kinds[0] if len(kinds) == 1 else None
        properties = shape.get("properties")
        if kind == "object" and isinstance(properties, dict):
            below = properties.get(str(segment))
            is_closed = shape.get("additionalProperties", True) is False
            is_all_named = named_only and _MAY_NAME_FIELDS.isdisjoint(shape)
            if below is None and (is_closed or is_all_named):
                return Missing(case="field", names=list(properties), wanted=str(segment), may_be_there=not is_closed)
            shape = below if isinstance(below, dict) else ANY_SHAPE
        elif kind == "array":
            is_index = isinstance(segment, int) or segment.isdigit()
            if not is_index and segment != "length":
                return Missing(case="list", wanted=str(segment))
            items = shape.get("items")
            shape = items if isinstance(items, dict) else ANY_SHAPE
        elif kind in ("string", "number", "integer", "boolean"):
            return None if kind == "string" and segment == "length" else Missing(case="value", wanted=str(segment))
        else:
            return None
    return None


def shape_at(shape: Shape, path: Sequence[str | int]) -> Shape:
    """What is known of the value that a path leads to."""
    for segment in path:
        kinds, properties = declared_types(shape), shape.get("properties")
        below: JsonValue = None
        if kinds == ["object"] and isinstance(properties, dict):
            below = properties.get(str(segment))
        elif kinds == ["array"] and isinstance(segment, int):
            below = shape.get("items")
        shape = below if isinstance(below, dict) else ANY_SHAPE
    return shape


def shape_of_items(shape: Shape) -> Shape:
    """What is known of the entries of a list; a whole answer of ``search_files`` is the list of its paths."""
    properties, items = shape.get("properties"), shape.get("items")
    if isinstance(properties, dict) and properties.keys() - {"truncated"} == {"results", "count"}:
        return {"type": "string"}
    return items if declared_types(shape) == ["array"] and isinstance(items, dict) else ANY_SHAPE


def find_answer(shape: Shape, path: Sequence[str | int]) -> tuple[str, tuple[str | int, ...]] | None:
    """The tool into whose answer a path leads, and the rest of the path."""
    for place, segment in enumerate(path):
        if ANSWER_OF in shape:
            return str(shape[ANSWER_OF]), tuple(path[place:])
        items = shape.get("items")
        if not isinstance(segment, int) or not isinstance(items, dict):
            return None
        shape = items
    return None


def describe_missing(reference: str, missing: Missing) -> dict[str, str]:
    """The values of the sentence about a reference that cannot exist."""
    names, near, case = missing.names[:MAX_NAMES], missing.near(), missing.case
    if near:
        case = "suggestion"
    elif names and case in ("field", "name"):
        case = "names"
    return {
        "reference": reference,
        "case": case,
        "suggestion": ", ".join(f"'{name}'" for name in near),
        "names": ", ".join(names),
        "wanted": missing.wanted,
    }
