"""Arguments: defaults, other names, and every problem at once."""

from __future__ import annotations

from typing import Any

import pytest

from paperagents.calls.argument_validation import validated
from paperagents.definitions.parameter import Parameter
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import InvalidArgumentsError


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
        validated(tool(strict=strict), arguments, convert=convert)
    return {str(each["parameter"]): str(each["code"]) for each in caught.value.details["problems"]}


def test_defaults_and_other_names_are_filled_in_and_undeclared_arguments_pass() -> None:
    assert validated(tool(), {"path": "a", "more": 1}) == {"file": "a", "limit": 10, "more": 1}


def test_defaults_are_filled_in_at_any_depth() -> None:
    page = {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer", "default": 5}}}
    pages = {"type": "array", "items": page}
    book: Any = {"type": "object", "properties": {"first": {**page, "default": {}}, "pages": pages}, "default": {}}
    reader = ToolDefinition(
        id="read", name="read", kind="javascript", parameters=(Parameter(name="book", schema=book),)
    )
    assert validated(reader, {}) == {"book": {"first": {"size": 5}}}
    given: Any = {"book": {"pages": [{}, {"size": 9}], "other": 1}}
    filled = {"book": {"first": {"size": 5}, "pages": [{"size": 5}, {"size": 9}], "other": 1}}
    assert (validated(reader, given), given["book"]["pages"]) == (filled, [{}, {"size": 9}])


def test_null_for_an_optional_parameter_is_the_same_as_nothing() -> None:
    assert validated(tool(), {"file": "a", "limit": None, "format": None}) == {"file": "a", "limit": 10}


def test_all_problems_are_told_at_once() -> None:
    assert problems({"limit": 0, "format": "pdf"}) == {
        "file": "argument-missing", "limit": "argument-rule", "format": "argument-rule",
    }  # fmt: skip
    assert problems({"file": None}) == {"file": "argument-type"}


def test_a_strict_tool_takes_nothing_undeclared() -> None:
    assert problems({"file": "a", "fil": 1}, strict=True) == {"fil": "argument-unknown"}


def test_types_are_only_converted_where_that_is_asked_for() -> None:
    assert validated(tool(), {"file": 3, "limit": "5"}, convert=True) == {"file": "3", "limit": 5}
    assert problems({"file": 3, "limit": "5"}) == {"file": "argument-type", "limit": "argument-type"}
    assert problems({"file": "a", "limit": "12abc"}, convert=True) == {"limit": "argument-type"}
