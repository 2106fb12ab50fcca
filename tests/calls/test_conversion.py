"""Bringing values to declared types: everything that loses nothing, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.calls.conversion import CannotConvertError, convert_value, read_text

FOUND = {"results": [{"path": "a.md", "name": "a"}, {"path": "b.md", "name": "b"}], "count": 2, "truncated": False}
MADE_UP = {"results": FOUND["results"], "count": 2}
KINDS = ["string", "number", "integer", "boolean", "array", "object", "null"]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("value", "schema", "result"),
    [
        ("3", {"type": "number"}, 3),
        ("-0.5e1", {"type": "number"}, -5.0),
        ("3", {"type": "integer"}, 3),
        ("3.0", {"type": "integer"}, 3),
        (3.0, {"type": "integer"}, 3),
        ("false", {"type": "boolean"}, False),
        ("True", {"type": "boolean"}, True),
        ([1, "ä"], {"type": "string"}, '[1, "ä"]'),
        ({"a": None}, {"type": "string"}, '{"a": null}'),
        (3, {"type": "string"}, "3"),
        (True, {"type": "string"}, "true"),
        ('["a"]', {"type": "array"}, ["a"]),
        ('{"a": 1}', {"type": "object"}, {"a": 1}),
        (FOUND, {"type": "array"}, ["a.md", "b.md"]),
        (FOUND, {"type": "array", "items": {}}, ["a.md", "b.md"]),
        (FOUND, {"type": "array", "items": {"type": "string"}}, ["a.md", "b.md"]),
        (FOUND, {"type": ["null", "array"]}, ["a.md", "b.md"]),
        (FOUND, {"type": "array", "items": {"type": "object"}}, FOUND["results"]),
        (FOUND, {"type": "array", "items": {"type": ["object", "null"]}}, FOUND["results"]),
        (FOUND, {"type": "array", "items": {"properties": {"path": {}}}}, FOUND["results"]),
        (MADE_UP, {"type": "array"}, ["a.md", "b.md"]),
        (FOUND["results"], {"type": "array"}, FOUND["results"]),
        (["1", 2], {"type": "array", "items": {"type": "number"}}, [1, 2]),
        (
            {"n": "1", "m": "1"},
            {"type": "object", "properties": {"n": {"type": "number"}, "m": True}},
            {"n": 1, "m": "1"},
        ),
        ({"t": 5}, {"type": "object", "properties": {"t": {"type": "string"}}}, {"t": 5}),
        ({"n": "1x"}, {"type": "object", "properties": {"n": {"type": "number"}}}, {"n": "1x"}),
        ([{"n": "1"}], {"items": {"properties": {"n": {"type": "number"}}}}, [{"n": 1}]),
        ("x", {"type": ["number", "string"]}, "x"),
        ("x", {}, "x"),
        (None, {"type": ["string", "null"]}, None),
        ("{{x}}", {"type": "string"}, "{{x}}"),
    ],
)
def test_a_value_is_brought_to_the_declared_type(value: Any, schema: dict[str, Any], result: Any) -> None:
    found = convert_value(value, schema)
    assert found == result
    assert type(found) is type(result)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("12abc", "number"), ("", "number"), (" 3", "number"), ("0x10", "number"), ("1e999", "number"),
        ("NaN", "number"),
        ("1\u0663", "number"), ("+3", "number"), ("01", "number"), (True, "number"), ([3], "number"), (None, "number"),
        ("3.5", "integer"), (3.5, "integer"), ("9" * 500, "integer"), (True, "integer"),
        ("yes", "boolean"), ("1", "boolean"), (1, "boolean"), (0, "boolean"), ("", "boolean"),
        ("a, b", "array"), ('{"a": 1}', "array"), ({"results": []}, "array"), (5, "array"), ("[" * 100_000, "array"),
        ("[" * 300 + "]" * 300, "array"), ("[1]", "object"), ("[NaN]", "array"), (None, "string"), ("null", "null"),
    ],
)  # fmt: skip
def test_nothing_is_guessed(value: Any, kind: str) -> None:
    with pytest.raises(CannotConvertError):
        convert_value(value, {"type": kind})


@given(json_values, st.sampled_from(KINDS))
def test_a_converted_value_has_the_type_and_stays_as_it_is(value: Any, kind: str) -> None:
    try:
        once = convert_value(value, {"type": kind})
    except CannotConvertError:
        return
    assert convert_value(once, {"type": kind}) == once


@given(st.lists(json_values) | st.dictionaries(st.text(), json_values))
def test_a_list_or_object_survives_the_way_through_text(value: Any) -> None:
    text = convert_value(value, {"type": "string"})
    assert isinstance(text, str)
    assert json.loads(text) == value
    assert convert_value(text, {"type": "array" if isinstance(value, list) else "object"}) == value


@given(st.text())
def test_a_text_from_a_form_stays_a_text_where_one_is_declared(text: str) -> None:
    assert read_text(text, {"type": "string"}) == text


@pytest.mark.parametrize(
    ("text", "kinds", "value"),
    [
        ("12345", ["string", "null"], "12345"),
        ("12", ["integer", "null"], 12),
        ("true", ["boolean", "null"], True),
        ('["a"]', ["array", "null"], ["a"]),
    ],
)
def test_a_text_for_one_of_several_types_is_read_as_one_of_them(text: str, kinds: list[str], value: object) -> None:
    for keyword in ("anyOf", "oneOf"):
        assert read_text(text, {keyword: [{"type": kind} for kind in kinds]}) == value
    assert read_text(text, {"type": [*kinds]}) == value


def test_where_one_of_the_ways_has_no_type_a_text_is_read_as_json() -> None:
    assert read_text("12", {"anyOf": [{"type": "string"}, {}]}) == 12
