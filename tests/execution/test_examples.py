"""What an example expects, and what it says where something else came."""

from __future__ import annotations

import pytest

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.tool import Example, ToolDefinition
from paperagents.execution.examples import try_examples
from paperagents.records.record import RunRecord


def _passes(expects: JsonObject, error: JsonObject | None) -> bool:
    tool = ToolDefinition(id="t", name="t", kind="markdown", examples=(Example(expects=expects),))
    record = RunRecord(
        run_id="r", tool="t", status="failed" if error else "succeeded", started="", duration_ms=0, data=1, error=error
    )
    (result,) = try_examples(tool, lambda _: record)
    return result.passed


@pytest.mark.parametrize("nothing", [None, False])
def test_an_error_that_is_nothing_expects_that_all_goes_well(nothing: bool | None) -> None:  # noqa: FBT001  YAML has it
    assert _passes({"output": 1, "error": nothing}, None)
    assert not _passes({"output": 2, "error": nothing}, None)
    assert not _passes({"error": nothing}, {"code": "boom", "message": "Boom."})
