"""Arguments of native calls: read as they are, repaired only where there is one reading."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperagents.agents.calls import DEEPEST, parse_turn, read_arguments
from paperagents.agents.model import LARGEST_ARGUMENTS, ModelCall, ModelTurn
from paperagents.agents.toolbox import Toolbox
from paperagents.errors import ToolError
from paperagents.tags import TagRegistry, read_tags

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=5)


def read(text: str) -> Any:
    return read_arguments(ModelCall(id="1", name="tool", arguments=text, size=len(text)))


@settings(deadline=None)
@given(OBJECTS)
def test_good_arguments_are_what_json_says(value: dict[str, Any]) -> None:
    assert read(json.dumps(value)) == value


@settings(deadline=None)
@given(OBJECTS)
def test_a_fence_blanks_and_a_last_comma_change_nothing(value: dict[str, Any]) -> None:
    text = json.dumps(value, indent=1)
    assert read(f"\ufeff  {text}\n") == value
    assert read(f"```json\n{text}\n```") == value
    if value:
        assert read(f"{text[:-2]},\n}}") == value


@settings(deadline=None)
@given(OBJECTS.filter(bool), st.data())
def test_what_breaks_off_is_never_carried_out(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    with pytest.raises(ToolError) as caught:
        read(text[: data.draw(st.integers(1, len(text) - 1))])
    assert caught.value.code == "call-not-json"


@pytest.mark.parametrize(
    "text",
    [
        '{"a": tru}',
        '{"a": NaN}',
        "{a: 1}",
        "{'a': 1}",
        '{"a": 1}{"b": 2}',
        "{,}",
        '{"a": [,]}',
        '{"a": 1,,}',
        '{"a" 1}',
    ],
)
def test_nothing_is_guessed(text: str) -> None:
    with pytest.raises(ToolError) as caught:
        read(text)
    assert caught.value.code == "call-not-json"


@pytest.mark.parametrize("value", [{}, {"a": 'x "y"', "b": [1]}])
def test_an_object_that_was_written_as_a_text_is_that_object(value: dict[str, Any]) -> None:
    assert read(json.dumps(json.dumps(value))) == value


def test_a_text_in_a_text_in_a_text_is_none() -> None:
    with pytest.raises(ToolError) as caught:
        read(json.dumps(json.dumps(json.dumps({}))))
    assert caught.value.code == "call-not-an-object"


def test_the_model_is_told_where_the_text_breaks() -> None:
    with pytest.raises(ToolError) as caught:
        read('{"a": 1,\n "b": }')
    assert "line 2 column 7" in caught.value.message


def test_a_comma_inside_a_text_stays() -> None:
    assert read('{"a": "x,]", "b": [1,],}') == {"a": "x,]", "b": [1]}


def test_no_arguments_are_an_empty_object() -> None:
    assert read("") == {}
    assert read("  ") == {}


@pytest.mark.parametrize("text", ["[1]", '"x"', "5", "null"])
def test_anything_but_an_object_is_refused(text: str) -> None:
    with pytest.raises(ToolError) as caught:
        read(text)
    assert caught.value.code == "call-not-an-object"


@pytest.mark.parametrize("depth", [DEEPEST + 5, 100_000])
def test_deep_nesting_is_refused(depth: int) -> None:
    with pytest.raises(ToolError) as caught:
        read('{"a":' * depth + "1" + "}" * depth)
    assert caught.value.code == "call-not-json"


@pytest.mark.parametrize(
    "text", ['"\\' + '"' * 400_000, '{"a": "' + "\\" * 400_001, "{" + '"' * 400_001, "," * 400_000 + "]"]
)
def test_hostile_text_is_read_in_linear_time(text: str) -> None:
    started = time.process_time()
    with pytest.raises(ToolError):
        read(text)
    assert time.process_time() - started < 5


def test_too_large_arguments_are_not_even_looked_at() -> None:
    with pytest.raises(ToolError) as caught:
        read_arguments(ModelCall(id="1", name="tool", arguments="", size=LARGEST_ARGUMENTS + 1))
    assert caught.value.code == "call-too-large"


@pytest.mark.parametrize("tags", [TagRegistry(), None])
def test_an_answer_inside_the_content_of_another_call_is_data(tags: TagRegistry | None) -> None:
    written = "{{<final_output>}}x{{</final_output>}}"
    text = f'{{{{<memory identifier="a">}}}}{written}{{{{</memory>}}}}'
    box = Toolbox(tools={}, names={})
    assert parse_turn(ModelTurn(text=text), read_tags(text), box, tags).final is None
    thought = f"{{{{<reasoning_text>}}}}{written}{{{{</reasoning_text>}}}}"
    assert parse_turn(ModelTurn(text=thought), read_tags(thought), box, tags).final == "x"
