"""Arguments: defaults, other names, and every problem at once."""

from __future__ import annotations

from typing import Any

import pytest

from paperagents.calls.arguments import validate_arguments
from paperagents.definitions.tool import Parameter, ToolDefinition
from paperagents.errors import InvalidArgumentsError
from paperagents.messages import in_language


def tool(*, strict: bool = False) -> ToolDefinition:
    return ToolDefinition(
        id="t", name="t", kind="markdown", strict=strict, aliases={"path": "file"},
        parameters=(
            Parameter(name="file", schema={"type": "string"}),
            Parameter(name="limit", schema={"type": "integer", "minimum": 1, "default": 10}, required=False),
            Parameter(name="format", schema={"type": "string", "enum": ["json", "text"]}, required=False),
        ),
    )  # fmt: skip


def problems(arguments: dict[str, Any], *, strict: bool = False, convert: bool = False) -> dict[str, str]:
    with pytest.raises(InvalidArgumentsError) as caught:
        validate_arguments(tool(strict=strict), arguments, convert=convert)
    return {str(each["parameter"]): str(each["code"]) for each in caught.value.details["problems"]}


def test_defaults_and_other_names_are_filled_in_and_undeclared_arguments_pass() -> None:
    assert validate_arguments(tool(), {"path": "a", "more": 1}) == {"file": "a", "limit": 10, "more": 1}


def test_a_default_that_leads_back_to_itself_has_an_end() -> None:
    node: Any = {"type": "object", "properties": {"child": {"$ref": "#/$defs/node", "default": {}}}}
    whole: Any = {"type": "object", "properties": {"node": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}}
    tree = ToolDefinition(
        id="t", name="t", kind="markdown", own_schema=whole, parameters=(Parameter(name="node", schema=node),)
    )
    assert validate_arguments(tree, {"node": {"child": {}}}) == {"node": {"child": {"child": {"child": {}}}}}


def test_defaults_are_filled_in_at_any_depth() -> None:
    page = {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer", "default": 5}}}
    pages = {"type": "array", "items": page}
    book: Any = {"type": "object", "properties": {"first": {**page, "default": {}}, "pages": pages}, "default": {}}
    reader = ToolDefinition(
        id="read", name="read", kind="javascript", parameters=(Parameter(name="book", schema=book),)
    )
    assert validate_arguments(reader, {}) == {"book": {"first": {"size": 5}}}
    given: Any = {"book": {"pages": [{}, {"size": 9}], "other": 1}}
    filled = {"book": {"first": {"size": 5}, "pages": [{"size": 5}, {"size": 9}], "other": 1}}
    assert (validate_arguments(reader, given), given["book"]["pages"]) == (filled, [{}, {"size": 9}])


def test_null_for_an_optional_parameter_is_the_same_as_nothing() -> None:
    assert validate_arguments(tool(), {"file": "a", "limit": None, "format": None}) == {"file": "a", "limit": 10}


def test_all_problems_are_told_at_once() -> None:
    assert problems({"limit": 0, "format": "pdf"}) == {
        "file": "argument-missing", "limit": "argument-rule", "format": "argument-rule",
    }  # fmt: skip
    assert problems({"file": None}) == {"file": "argument-type"}


def test_a_strict_tool_takes_nothing_undeclared() -> None:
    assert problems({"file": "a", "fil": 1}, strict=True) == {"fil": "argument-unknown"}
    assert problems({"z": 1, "it's (1)": 2, "limit": 0}, strict=True) == {
        "z": "argument-unknown", "it's (1)": "argument-unknown", "limit": "argument-rule", "file": "argument-missing",
    }  # fmt: skip


def test_what_a_tool_without_parameters_does_not_take_is_told_by_name() -> None:
    closed = ToolDefinition(
        id="c", name="c", kind="javascript", own_schema={"type": "object", "additionalProperties": False}
    )
    with in_language("en"), pytest.raises(InvalidArgumentsError) as caught:
        validate_arguments(closed, {"x": "long", "y": 2})
    told_of = [str(each["message"]) for each in caught.value.details["problems"]]
    assert told_of == ["There is no parameter 'x'.", "There is no parameter 'y'."]


def test_types_are_only_converted_where_that_is_asked_for() -> None:
    assert validate_arguments(tool(), {"file": 3, "limit": "5"}, convert=True) == {"file": "3", "limit": 5}
    assert problems({"file": 3, "limit": "5"}) == {"file": "argument-type", "limit": "argument-type"}
    assert problems({"file": "a", "limit": "12abc"}, convert=True) == {"limit": "argument-type"}


def test_of_a_list_only_the_elements_that_cannot_be_converted_are_told() -> None:
    schema: Any = {"type": "array", "items": {"type": "array", "items": {"type": "number"}}}
    adding = ToolDefinition(id="add", name="add", kind="markdown", parameters=(Parameter(name="rows", schema=schema),))
    given: list[Any] = [[["1", "x"], ["2"]], '[["1", "x"], ["2"]]']
    for rows in given:
        with pytest.raises(InvalidArgumentsError) as caught:
            validate_arguments(adding, {"rows": rows}, convert=True)
        assert [each["parameter"] for each in caught.value.details["problems"]] == ["rows.0.1"]


SHAPE: Any = {
    "oneOf": [
        {"properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}}, "required": ["kind", "radius"]},
        {"properties": {"kind": {"const": "box"}, "width": {"type": "number"}}, "required": ["kind", "width"]},
    ]
}


def told(schema: Any, value: Any, language: str = "en") -> list[str]:
    drawing = ToolDefinition(id="draw", name="draw", kind="markdown", parameters=(Parameter(name="it", schema=schema),))
    with in_language(language), pytest.raises(InvalidArgumentsError) as caught:
        validate_arguments(drawing, {"it": value})
    return [str(each["message"]) for each in caught.value.details["problems"]]


def test_what_is_wrong_with_the_variant_that_was_meant_is_told_where_it_is() -> None:
    assert told(SHAPE, {"kind": "circle"}) == ["'it.radius' is missing."]
    assert told(SHAPE, {"kind": "box", "width": "9"}) == ["'it.width' must be a number such as 1.5."]
    assert told(SHAPE, {"kind": "star"}) == ["'it' has none of the forms it may have."]
    assert told({"anyOf": [{"type": "integer", "minimum": 3}, {"type": "null"}]}, 2) == ["'it' must be at least 3."]


@pytest.mark.parametrize(
    ("schema", "value", "english", "german"),
    [
        ({"exclusiveMinimum": 0}, 0, "must be greater than 0", "muss größer als 0 sein"),
        ({"multipleOf": 0.25}, 0.3, "must be a multiple of 0.25", "muss ein Vielfaches von 0.25 sein"),
        ({"minItems": 2}, [1], "at least: 2", "mindestens: 2"),
        ({"maxItems": 1}, ["long"] * 9, "at most: 1", "höchstens: 1"),
        ({"uniqueItems": True}, [1, 1], "the same element twice", "ein Element doppelt"),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "'it.b' is missing", "'it.b' ist Pflichtfeld"),
        ({"propertyNames": {"pattern": "^x"}}, {"y": 1}, "name is not allowed: 'y'", "Name nicht erlaubt ist: 'y'"),
        ({"prefixItems": [{}], "items": False}, [1, 2], "'it.1' may not be given", "„it.1“ darf nicht"),
        ({"prefixItems": [{}], "unevaluatedItems": False}, [1, 2], "too many elements", "zu viele Elemente"),
        ({"const": True}, False, "can only be: true", "kann nur dies sein: true"),
        ({"enum": ["a", None, 1]}, "b", "one of: a, null, 1", "eines davon sein: a, null, 1"),
        (
            {"properties": {"x": {}}, "additionalProperties": False},
            {"a (b)": "long", "c": 2},
            "members: 'a (b)', 'c'.",
            "nicht haben: 'a (b)', 'c'.",
        ),
        ({"additionalProperties": False}, {"a": "long"}, "not have any members", "keine Felder haben"),
        ({"oneOf": [{"type": "number"}, {"type": "integer"}]}, 1, "just one", "nur eine"),
        ({"not": {"type": "string"}}, "a", "not allowed", "nicht erlaubt"),
    ],
)
def test_every_rule_is_told_in_the_language_of_the_reader_without_the_value(
    schema: Any, value: Any, english: str, german: str
) -> None:
    [first], [second] = told(schema, value), told(schema, value, "de")
    assert english in first
    assert german in second
    assert "long" not in first


def pattern_message(value: str, **more: Any) -> str:
    version = Parameter(name="version", schema={"type": "string", "pattern": "^[0-9]+$", **more})
    with in_language("en"), pytest.raises(InvalidArgumentsError) as caught:
        validate_arguments(ToolDefinition(id="t", name="t", kind="markdown", parameters=(version,)), {"version": value})
    return str(caught.value.details["problems"][0]["message"])


def test_what_does_not_match_its_pattern_is_told_with_the_value() -> None:
    told = "'version' does not match the pattern ^[0-9]+$; 'read.output' was given."
    assert pattern_message("read.output") == told
    assert f"'{'x' * 60}…' was given" in pattern_message("x" * 1000)


@pytest.mark.parametrize("kept", [{"writeOnly": True}, {"format": "password"}])
def test_a_value_that_is_secret_is_not_told(kept: dict[str, Any]) -> None:
    assert pattern_message("hunter2", **kept) == "'version' does not match the pattern ^[0-9]+$."
