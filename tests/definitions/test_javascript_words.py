"""Names under which a value can be given to a script."""

from __future__ import annotations

import pytest

from paperagents.calls.references import Names
from paperagents.definitions.names import is_javascript_variable


@pytest.mark.parametrize("name", ["a", "_", "$x", "ä", "of", "async", "NaN"])
def test_a_name_that_javascript_takes_is_one(name: str) -> None:
    assert is_javascript_variable(name)
    assert name in Names(arguments={name: 1}).for_script()


@pytest.mark.parametrize("name", ["", "1a", "a-b", "a b", "class", "undefined", "await", "arguments", "eval", "null"])
def test_any_other_is_not_seen_by_expressions(name: str) -> None:
    assert not is_javascript_variable(name)
    assert name not in Names(arguments={name: 1}).for_script()
