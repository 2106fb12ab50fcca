"""What an example expects, and what it says where something else came."""

from __future__ import annotations

import pytest

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import Example, ToolDefinition
from paperagents.runs.examples import run_examples
from paperagents.runs.record import RunRecord


def _passes(expects: JsonObject, error: JsonObject | None, data: JsonValue = 1) -> bool:
    tool = ToolDefinition(id="t", name="t", kind="markdown", examples=(Example(expects=expects),))
    record = RunRecord(
        run_id="r",
        tool="t",
        status="failed" if error else "succeeded",
        started="",
        duration_ms=0,
        data=data,
        error=error,
    )
    (result,) = run_examples(tool, lambda _tool, _example: record)
    return result.passed


@pytest.mark.parametrize("nothing", [None, False])
def test_an_error_that_is_nothing_expects_that_all_goes_well(nothing: bool | None) -> None:  # noqa: FBT001  YAML has it
    assert _passes({"output": 1, "error": nothing}, None)
    assert not _passes({"output": 2, "error": nothing}, None)
    assert not _passes({"error": nothing}, {"code": "boom", "message": "Boom."})


@pytest.mark.parametrize(
    ("expected", "passes"),
    [
        ({"message": "disk full"}, True),
        ({"message": "network down"}, False),
        ({"code": "javascript-error", "message": "full"}, True),
        ({"code": "javascript-error", "message": "network down"}, False),
        ({"code": "http-status"}, False),
        ("disk", True),
    ],
)
def test_an_expected_error_has_all_that_is_said_of_it(expected: JsonValue, passes: bool) -> None:  # noqa: FBT001  a table
    assert _passes({"error": expected}, {"code": "javascript-error", "message": "Error: disk full"}) == passes


@pytest.mark.parametrize(("expected", "passes"), [("argument-missing", True), ("argument-rule", False)])
def test_of_wrong_arguments_the_code_of_one_is_enough(expected: str, passes: bool) -> None:  # noqa: FBT001  a table
    problems: JsonValue = [{"code": "argument-missing", "parameter": "text", "message": "'text' is missing."}]
    error: JsonObject = {"code": "invalid-arguments", "message": "…", "details": {"problems": problems}}
    assert _passes({"error": expected}, error) == passes


@pytest.mark.parametrize(
    ("data", "part", "passes"),
    [
        ([1, 2, 3], 2, True),
        ([1, 2, 3], 4, False),
        ([True], 1, False),
        ({"x": 'say "hi"\nagain'}, 'say "hi"\nagain', True),
        ({"x": ["foobar"]}, "oba", True),
        ({"x": 1}, '"x": 1', True),
        ({"x": 1}, "y", False),
        (None, None, True),
    ],
)
def test_a_part_is_found_wherever_it_stands(data: JsonValue, part: JsonValue, passes: bool) -> None:  # noqa: FBT001  a table
    assert _passes({"output_contains": part}, None, data) == passes
