"""A JSON Schema that a note writes for an answer."""

from __future__ import annotations

import json

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.reading.fields import Fields
from paperagents.reading.json_schema import find_schema_mistakes
from paperagents.reading.tool_parameters import find_node


def read_schema(fields: Fields, name: str) -> JsonObject | None:
    """The schema of this field; what is wrong with it is told where it stands."""
    mapping = fields.mapping_of(name)
    if mapping is None:
        return None
    schema = {key: quote_null(value, key) for key, value in mapping.plain().items()}
    mistakes = find_schema_mistakes(json.dumps(schema))
    for mistake in mistakes:
        span = find_node(mapping, mistake.path).span
        fields.problems.error("invalid-schema", span, name=name, reason=mistake.reason, case="field")
    return None if mistakes else schema


def quote_null(value: JsonValue, key: str) -> JsonValue:
    """The value of a keyword; the type of null is also written without quotes."""
    if isinstance(value, dict):
        return {inner: quote_null(each, inner) for inner, each in value.items()}
    if isinstance(value, list):
        return [quote_null(each, key) for each in value]
    return "null" if value is None and key == "type" else value
