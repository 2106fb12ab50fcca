"""Schemas of OpenAPI as JSON Schema: exact, or looser, never one that refuses what the service takes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperagents.importing.openapi_document import Document
from paperagents.importing.openapi_schemas import LARGEST, translate_schema
from paperagents.reading.json_schema import Schema


def document(version: str = "3.1.0", /, **schemas: Any) -> Document:
    return Document(content={"openapi": version, "paths": {}, "components": {"schemas": schemas}})


def translate(schema: Any, version: str = "3.1.0", /, **schemas: Any) -> dict[str, Any]:
    return translate_schema(document(version, **schemas), schema)[0]


def to(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def test_json_schema_passes_as_it_is() -> None:
    schema = {
        "type": "object",
        "required": ["count"],
        "properties": {
            "count": {"anyOf": [{"type": "integer"}, {"type": "null"}], "title": "Count"},
            "price": {"anyOf": [{"type": "integer"}, {"type": "number"}], "default": 1},
            "kind": {"const": None},
        },
    }
    assert translate(schema) == schema


@pytest.mark.parametrize(
    ("schema", "becomes"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "enum": ["a"], "nullable": True}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"type": "integer", "minimum": 1, "exclusiveMinimum": True}, {"type": "integer", "exclusiveMinimum": 1}),
        ({"type": "integer", "maximum": 9, "exclusiveMaximum": False}, {"type": "integer", "maximum": 9}),
        ({"type": "string", "example": "x"}, {"type": "string", "examples": ["x"]}),
        ({"type": "string", "xml": {"name": "x"}, "x-more": 1}, {"type": "string"}),
        ({"allOf": [{"type": "object"}], "nullable": True}, {"type": ["object", "null"]}),
    ],
)
def test_the_words_of_3_0_are_translated(schema: dict[str, Any], becomes: dict[str, Any]) -> None:
    assert translate(schema, "3.0.3") == becomes


def test_parts_that_hold_together_become_one_schema_where_that_means_the_same() -> None:
    one = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    other = {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}
    merged = translate({"allOf": [to("One"), to("Other")], "description": "Both"}, One=one, Other=other)
    assert merged == {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "required": ["a", "b"],
        "description": "Both",
    }
    closed = translate({"allOf": [to("One"), {**other, "additionalProperties": False}]}, One=one)
    assert closed["allOf"] == [{**other, "additionalProperties": False}]


def test_a_discriminator_says_which_way_is_meant() -> None:
    branch = {"type": "object", "properties": {"kind": {"type": "string"}}}
    discriminator = {"propertyName": "kind", "mapping": {"a": "#/components/schemas/A"}}
    schema = Schema(translate({"oneOf": [to("A"), to("B")], "discriminator": discriminator}, A=branch, B=branch))
    assert schema.accepts({"kind": "a"})
    assert schema.accepts({"kind": "B"})
    assert not schema.accepts({"kind": "A"})
    assert not schema.accepts({})


def test_a_schema_that_contains_itself_is_written_out_a_few_times() -> None:
    tree = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": to("Tree")}},
    }
    found, losses = translate_schema(document(Tree=tree), to("Tree"))
    schema = Schema(found)
    assert not schema.accepts({"children": [{"name": 7}]})
    assert schema.accepts({"children": [{"children": [{"children": [{"children": [{"name": "deep"}]}]}]}]})
    assert ("rounds", "Tree") in losses


def test_what_became_looser_refuses_nothing_that_is_right() -> None:
    loop = {
        "oneOf": [
            {"type": "object", "required": ["a"], "properties": {"a": to("Loop")}},
            {"type": "object", "properties": {"b": to("Loop")}},
        ]
    }
    found, _ = translate_schema(document(Loop=loop), to("Loop"))
    value: dict[str, Any] = {"b": {}}
    for _ in range(6):
        value = {"b": value}
    assert Schema(found).accepts(value)


def test_what_only_answers_have_is_neither_required_nor_filled_in() -> None:
    book = {
        "type": "object",
        "required": ["id", "title"],
        "properties": {"id": {"readOnly": True, "default": 4}, "title": {}},
    }
    found = translate(to("Book"), Book=book)
    assert found["required"] == ["title"]
    assert found["properties"]["id"] == {"readOnly": True}


def test_what_is_no_json_schema_is_left_out_and_told() -> None:
    found, losses = translate_schema(
        document(), {"type": "string", "pattern": "[z-a]", "minLength": "1", "maxLength": 3}
    )
    assert found == {"type": "string", "maxLength": 3}
    assert set(losses) == {("keyword", "pattern"), ("keyword", "minLength")}


def test_references_out_of_the_document_are_not_followed() -> None:
    found, losses = translate_schema(document(), {"properties": {"a": {"$ref": "file:///etc/passwd"}}})
    assert found == {"properties": {"a": {}}}
    assert losses == [("reference", "file:///etc/passwd")]


@pytest.mark.parametrize("reference", ["#/paths/" + "9" * 5_000, "#/x/" * 5_000, "", "#", "#/components/schemas/~2"])
def test_strange_references_lead_nowhere(reference: str) -> None:
    found, losses = translate_schema(document(), {"items": {"$ref": reference}})
    assert found["items"] == {}
    assert bool(losses) == (reference != "#")


def test_a_document_that_would_grow_without_end_is_cut() -> None:
    bomb = {f"S{n}": {"type": "object", "properties": {str(k): to(f"S{n + 1}") for k in range(10)}} for n in range(12)}
    found, losses = translate_schema(document("3.1.0", **bomb), to("S0"))
    assert json.dumps(found).count("type") <= LARGEST
    assert ("depth", "2") in losses or ("depth", "3") in losses
    circle = {"A": to("B"), "B": to("A")}
    assert translate(to("A"), "3.1.0", **circle) == {}


KEYWORD = st.sampled_from(
    [
        "type",
        "items",
        "properties",
        "allOf",
        "oneOf",
        "anyOf",
        "not",
        "if",
        "enum",
        "const",
        "$ref",
        "nullable",
        "required",
        "pattern",
        "default",
        "discriminator",
        "additionalProperties",
        "unevaluatedProperties",
        "minimum",
        "example",
    ]
)
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["string", "object", "#/components/schemas/A", "#", "#/paths/0"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYWORD, inner, max_size=4),
    max_leaves=25,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(KEYWORD, ANYTHING, max_size=5), st.sampled_from(["3.0.0", "3.1.0"]))
def test_whatever_a_document_has_as_a_schema_becomes_one(schema: dict[str, Any], version: str) -> None:
    Schema(translate(schema, version, A=schema))
