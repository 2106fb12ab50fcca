"""The schemas that ``getSchema()`` gives: of the arguments, and of the variables."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from paperagents.definitions.parameter import Parameter
from paperagents.definitions.source import Span
from paperagents.reading.fields import MAX_UNKNOWN
from paperagents.reading.json_schema import NotASchemaError, Schema, mistakes_in
from paperagents.reading.problem_list import ProblemList
from paperagents.reading.tool_javascript_fields import SHOWN, Places, warn_of_slips

PARTS = ("parameters", "environment")
_WITH_SCHEMAS = frozenset({
    "$defs", "definitions", "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames",
    "dependentSchemas", "dependentRequired", "dependencies", "not", "if", "then", "else", "items", "contains",
    "unevaluatedItems", "contentSchema", "default", "const", "$vocabulary",
})  # fmt: skip
"""What may have an object as its value where a schema names no properties."""
_REFERRED_TO = ("$id", "$schema", "$defs", "definitions", "properties")


def read_schemas(told: Mapping[str, Any], places: Places, problems: ProblemList) -> tuple[dict[str, Any], ...]:
    """The schema of the arguments and that of the variables; empty ones where nothing is told."""
    span = places.of("getSchema")
    slips = warn_of_slips(told, PARTS, "getSchema", places, problems)
    flat = {key: value for key, value in told.items() if key != "environment"}
    schemas = (told.get("parameters", flat), told.get("environment"))
    for schema in schemas:
        _warn_of_missing_properties(schema, (*slips, *_WITH_SCHEMAS), places, problems)
    return tuple(_checked_schema(schema, span, problems) for schema in schemas)


def parameters_of(schema: Mapping[str, Any]) -> tuple[Parameter, ...]:
    """The properties of an object, one by one."""
    properties = schema.get("properties")
    required = schema.get("required")
    if not isinstance(properties, dict):
        return ()
    named = required if isinstance(required, list) else []
    return tuple(
        Parameter(name=name, schema=value if isinstance(value, dict) else {}, required=name in named)
        for name, value in properties.items()
    )


def _warn_of_missing_properties(schema: Any, fine: Collection[str], places: Places, problems: ProblemList) -> None:
    """What is described beside ``properties`` instead of in it is described to nobody."""
    if not isinstance(schema, dict) or "properties" in schema:
        return
    described = [name for name, value in schema.items() if isinstance(value, dict) and name not in fine]
    for name in described[:MAX_UNKNOWN]:
        meant = f"properties: {{ {name[:SHOWN]}: … }}"
        problems.warning("unknown-field", places.of(name, "getSchema"), field=name[:SHOWN], suggestion=meant)


def _checked_schema(told: Any, span: Span, problems: ProblemList) -> dict[str, Any]:
    """The schema of an object, where it is one and its defaults fit."""
    schema: dict[str, Any] = told if isinstance(told, dict) else {}
    # What is no schema at all is judged inside one.
    mistakes = mistakes_in(json.dumps(schema if told is None or schema else {"properties": {"getSchema": told}}))
    for mistake in mistakes:
        name = ".".join(map(str, mistake.path if schema else mistake.path[-1:])) or "getSchema"
        problems.error("invalid-schema", span, name=name, reason=mistake.reason)
    if mistakes:
        return {}
    _check_defaults(schema, span, problems)
    return _without_null_defaults(schema)


def _check_defaults(schema: dict[str, Any], span: Span, problems: ProblemList) -> None:
    """Every default, at any depth, must be what its own schema says."""
    inner = {path: each for path, each in _inner_schemas(schema) if each.get("default") is not None}
    if not inner:
        return
    # In a list each has a place of its own, and what the whole says about an object does not matter.
    referred = {key: schema[key] for key in _REFERRED_TO if key in schema}
    try:
        violations = Schema({**referred, "prefixItems": [*inner.values()]}).violations(
            [each["default"] for each in inner.values()]
        )
    except NotASchemaError:
        return  # A reference leads to another part of the whole.
    first = {violation.path[0]: violation for violation in reversed(violations)}
    for place, path in enumerate(inner):
        if place in first:
            problems.error("invalid-default", span, name=path, reason=first[place].message)


def _without_null_defaults(schema: dict[str, Any]) -> dict[str, Any]:
    """``default: null`` is how people write that there is none, unless null is one of the values."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return schema
    inner = {
        name: _without_null_defaults(each) if isinstance(each, dict) else each for name, each in properties.items()
    }
    for name, each in inner.items():
        if isinstance(each, dict) and each.get("default", "") is None and not _takes_null(each):
            inner[name] = {key: value for key, value in each.items() if key != "default"}
    return {**schema, "properties": inner}


def _takes_null(schema: dict[str, Any]) -> bool:
    try:
        return Schema(schema).accepts(None)
    except NotASchemaError:
        return True  # A reference leads to another part of the whole.


def _inner_schemas(schema: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    properties = schema.get("properties")
    for name, each in properties.items() if isinstance(properties, dict) else ():
        if isinstance(each, dict):
            yield f"{before}{name}", each
            yield from _inner_schemas(each, f"{before}{name}.")
