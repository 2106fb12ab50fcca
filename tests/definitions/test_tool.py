"""The JSON Schema of a tool's arguments."""

from __future__ import annotations

from paperagents.definitions.tool import DIALECT, Parameter, json_schema

URL = Parameter(name="url", schema={"type": "string", "format": "uri"})
LIMIT = Parameter(name="limit", schema={"type": "integer", "default": 5})
NOTE = Parameter(name="note", schema={"type": "string"}, required=False)


def test_the_schema_is_of_the_2020_dialect_with_every_parameter() -> None:
    assert json_schema([URL, LIMIT, NOTE]) == {
        "$schema": DIALECT,
        "type": "object",
        "properties": {
            "url": {"type": "string", "format": "uri"},
            "limit": {"type": "integer", "default": 5},
            "note": {"type": "string"},
        },
        "required": ["url"],
    }


def test_a_default_satisfies_required() -> None:
    assert not LIMIT.must_be_given


def test_a_default_that_is_null_or_false_is_a_default_too() -> None:
    assert not Parameter(name="flag", schema={"default": False}).must_be_given
    assert not Parameter(name="nothing", schema={"default": None}).must_be_given


def test_without_required_parameters_there_is_no_empty_required_list() -> None:
    assert "required" not in json_schema([NOTE])


def test_a_strict_tool_refuses_other_arguments() -> None:
    assert json_schema([], strict=True)["additionalProperties"] is False
    assert "additionalProperties" not in json_schema([])


def test_a_tool_may_be_given_as_any_iterable() -> None:
    assert json_schema(iter([URL]))["required"] == ["url"]
