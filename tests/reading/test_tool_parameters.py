"""Parameters of a tool file become JSON Schema, and their slips are told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.tool import ToolDefinition
from paperagents.reading.files import read_markdown

FRAME = (
    "---\ntool: true\nname: x\ndescription: d\nparameters:\n  - {%s}\n---\n```js\n// @preprocess\nreturn input;\n```\n"
)


def schema_of(parameter: str) -> JsonObject:
    definition = read_markdown((FRAME % parameter).encode(), "a.md").definition
    assert isinstance(definition, ToolDefinition)
    return definition.schema


def test_no_default_inside_an_object_is_no_value_either() -> None:
    schema = schema_of("name: a, type: object, description: A, properties: {b: {type: string, default: null}}")
    assert schema["properties"]["a"]["properties"] == {"b": {"type": "string"}}  # type: ignore[index,call-overload]  # JSON


@pytest.mark.parametrize(
    ("parameter", "required"),
    [
        ("name: a, type: string, description: A", True),
        ("name: a, type: string, description: A, required: true", True),
        ("name: a, type: string, description: A, required: false", False),
        ("name: a, type: string, description: A, default: x", False),
        ("name: a, type: string, description: A, required: true, default: ''", False),
        ("name: a, type: string, description: A, default: null", False),
        ("name: a, type: object, description: A, required: [b]", True),
    ],
)
def test_a_parameter_is_required_unless_it_says_otherwise_or_has_a_default(
    parameter: str, required: bool  # noqa: FBT001  a column of the table
) -> None:  # fmt: skip
    assert schema_of(parameter).get("required", []) == (["a"] if required else [])


@pytest.mark.parametrize(
    ("parameter", "schema"),
    [
        ("name: a, type: string, description: A", {"type": "string", "description": "A"}),
        ("name: a, type: integer, description: A, default: 0x1", {"type": "integer", "description": "A", "default": 1}),
        ("name: a, type: 'null', description: A", {"type": "null", "description": "A"}),
        ("name: a, type: [string, null], description: A", {"type": ["string", "null"], "description": "A"}),
        ("name: a, description: A, enum: [yes, 1, null]", {"description": "A", "enum": ["yes", 1, None]}),
        (
            "name: a, type: object, description: A, properties: {b: {type: number}}, required: [b]",
            {"type": "object", "description": "A", "properties": {"b": {"type": "number"}}, "required": ["b"]},
        ),
        ("name: a, type: string, description: A, x-mine: 1", {"type": "string", "description": "A", "x-mine": 1}),
    ],
)  # fmt: skip
def test_the_keywords_of_json_schema_are_kept(parameter: str, schema: JsonObject) -> None:
    properties = schema_of(parameter)["properties"]
    assert isinstance(properties, dict)
    assert properties["a"] == schema


@pytest.mark.parametrize(
    ("parameter", "problems"),
    [
        ("name: a, type: string", ["6:12 warning missing-description"]),
        ("name: a, description: A", ["6:12 error missing-field"]),
        ("type: string, description: A", ["6:5 error missing-field"]),
        ("name: , type: string, description: A", ["6:5 error missing-field"]),
        ("name: [a], type: string, description: A", ["6:12 error wrong-type"]),
        ("name: a, type: array, items: {type: string}, description: 12", ["6:64 error wrong-type"]),
        ("name: a, type: text, description: A", ["6:21 error invalid-value"]),
        ("name: a, type: {b: c}, description: A", ["6:21 error invalid-value"]),
        (
            "name: a, type: [strng, null], description: A, minimum: x",
            ["6:22 error invalid-value", "6:61 error invalid-schema"],
        ),
        ("name: a, type: string, description: A, default: [x]", ["6:54 error invalid-default"]),
        ("name: a, type: number, description: A, default: 12abc", ["6:54 error invalid-default"]),
        ("name: a, type: number, description: A, default: 1", []),
        ("name: a, type: number, description: A, default: .5", []),
        ("name: a, type: boolean, description: A, default: no", ["6:55 error invalid-default"]),
        (
            "name: a, type: object, description: A, properties: {b: {properties: {c: {type: number, default: x}}}}",
            ["6:102 error invalid-default"],
        ),
        ("name: a, type: string, description: A, pattern: '('", ["6:54 error invalid-schema"]),
        (
            "name: a, type: string, description: A, pattern: '^(a+)+$', default: " + "a" * 99 + "b",
            ["6:74 error invalid-default"],
        ),
        ("name: a, type: object, description: A, $ref: 'file:///etc/passwd'", ["6:5 error invalid-schema"]),
        (
            "name: a, type: string, description: A, pattern: '([', minLength: -1, enum: q",
            ["6:54 error invalid-schema", "6:71 error invalid-schema", "6:81 error invalid-schema"],
        ),
        (
            "name: a, type: object, description: A, properties: {b: {minimum: x, maximum: y}}",
            ["6:71 error invalid-schema", "6:83 error invalid-schema"],
        ),
        (
            "name: a, type: number, description: A, minimum: x, default: zz",
            ["6:54 error invalid-schema", "6:66 error invalid-default"],
        ),
        (
            "name: a, type: number, description: A, $ref: '#/$defs/b', $defs: 3, default: zz",
            ["6:71 error invalid-schema"],
        ),
        ("name: a, type: [], description: A", ["6:15 error missing-field"]),
        ("name: a, type: null, description: A", ["6:15 error missing-field"]),
        ("name: a, type: , description: A", ["6:15 error missing-field"]),
        ("name: a, type: [string, string], description: A", ["6:21 error invalid-schema"]),
        ("name: a, type: string, description: A, enum: []", []),
        ("name: steps, type: string, description: A", ["6:12 warning shadowed-placeholder"]),
    ],
)  # fmt: skip
def test_a_slip_in_a_parameter_is_told_at_its_place(
    parameter: str, problems: list[str], check: Callable[..., list[str]]
) -> None:
    assert check(FRAME % parameter) == problems
