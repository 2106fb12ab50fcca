"""What a schema says about values that are hard to read."""

from __future__ import annotations

from typing import Any

import pytest

from paperagents.reading.json_schema import Schema

HALF = "\ud800"
"""Half a character, as JavaScript has them."""


@pytest.mark.parametrize(
    ("schema", "value", "keyword"),
    [
        ({"type": "number"}, HALF, "type"),
        ({"type": "number"}, [HALF], "type"),
        ({"type": "number"}, {HALF: 1}, "type"),
        ({"enum": ["a"]}, HALF, "enum"),
        ({"pattern": "^a$"}, HALF, "pattern"),
        ({"maxLength": 1}, f"a{HALF}", "maxLength"),
        ({"additionalProperties": False}, {HALF: 1}, "additionalProperties"),
    ],
)
def test_half_a_character_is_refused_like_anything_else(schema: dict[str, Any], value: Any, keyword: str) -> None:
    (violation,) = Schema(schema).violations(value)
    assert violation.keyword == keyword


@pytest.mark.parametrize(
    ("schema", "value"),
    [({"maxLength": 1}, HALF), ({"pattern": "."}, HALF), ({"propertyNames": {"maxLength": 1}}, {HALF: HALF})],
)
def test_half_a_character_counts_as_one(schema: dict[str, Any], value: Any) -> None:
    assert Schema(schema).violations(value) == []
