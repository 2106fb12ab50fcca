"""The border: what goes in comes out, and nothing else gets through."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperagents.errors import SandboxError
from paperagents.sandbox import Limits, Sandbox
from paperagents.sandbox.values import from_json, to_json

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NUMBERS = st.integers(-(2**53), 2**53) | st.floats(-(2.0**53), 2.0**53) | st.sampled_from([1e300, -5e-324, 1e21])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS | st.sampled_from(["__proto__", "\0", "\u2028", "toJSON", "then"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(TEXTS | st.sampled_from(["__proto__", "constructor", "length", "0"]), inner, max_size=4)
    ),
    max_leaves=20,
)


@pytest.fixture(scope="module")
def roomy() -> Any:
    with Sandbox(limits=Limits(), size=1) as pool:
        yield pool


@given(value=VALUES)
@settings(max_examples=150, deadline=None)
def test_every_json_value_goes_in_and_comes_out_equal(roomy: Sandbox, value: Any) -> None:
    assert roomy.run("return input", names={"input": value}).value == value


@given(value=VALUES)
@settings(max_examples=60, deadline=None)
def test_javascript_sees_the_same_value_python_sends(roomy: Sandbox, value: Any) -> None:
    text = roomy.run("return JSON.stringify(input)", names={"input": value}).value
    assert isinstance(text, str)
    assert json.loads(text) == value


@given(text=st.text(st.characters(), max_size=30))
@settings(max_examples=100, deadline=None)
def test_any_text_at_all_goes_in_with_its_length(roomy: Sandbox, text: str) -> None:
    units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    assert roomy.run("return input.length", names={"input": text}).value == units


@given(code=st.text(st.characters(), max_size=60))
@settings(max_examples=150, deadline=None)
def test_any_text_at_all_as_code_gives_an_answer_or_an_error(roomy: Sandbox, code: str) -> None:
    try:
        roomy.run(code, limits=Limits(seconds=1))
    except SandboxError as error:
        str(error).encode("utf-8")


@given(
    body=st.binary(max_size=200)
    | TEXTS.map(str.encode)
    | st.text('[]{}",:1eE+-.\\u d8NaIfity', max_size=60).map(str.encode)
)
def test_any_bytes_at_all_are_a_value_or_an_error(body: bytes) -> None:
    try:
        value = from_json(body)
    except (ValueError, RecursionError, SandboxError):
        return
    json.dumps(value, allow_nan=False)


@given(value=VALUES)
def test_what_is_written_is_read_back(value: Any) -> None:
    text = to_json(value, "input")
    assert text.isascii()
    assert from_json(text.encode()) == value


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (math.nan, "input"),
        ([1, {"a": math.inf}], "input[1].a"),
        ({"a": {1, 2}}, "input.a"),
        ({"a": {5: 1}, "b": {2}}, 'input.a["5"]'),
        ([b"bytes"], "input[0]"),
        ([10**400], "input[0]"),
    ],
)
def test_what_is_no_json_does_not_go_in(value: Any, path: str) -> None:
    with pytest.raises(SandboxError) as caught:
        to_json(value, "input")
    assert caught.value.code == "sandbox-value"
    assert caught.value.details["path"] == path


def test_a_value_that_contains_itself_does_not_go_in() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    with pytest.raises(SandboxError, match="200"):
        to_json(cycle, "input")


def test_a_deep_value_does_not_go_in_and_an_allowed_one_goes_through(roomy: Sandbox) -> None:
    deep: Any = 1
    for _ in range(199):
        deep = [deep]
    assert roomy.run("return input", names={"input": deep}).value == deep
    for _ in range(10):
        deep = [deep]
    with pytest.raises(SandboxError) as caught:
        roomy.run("return input", names={"input": deep})
    assert caught.value.code == "sandbox-value"


def test_whole_numbers_beyond_the_safe_ones_lose_digits_as_in_all_javascript(roomy: Sandbox) -> None:
    assert roomy.run("return input", names={"input": 2**53 + 1}).value == 2**53
    assert roomy.run("return String(input)", names={"input": 12345678901234567890}).value == "12345678901234567000"


def test_a_large_value_goes_through(roomy: Sandbox) -> None:
    rows: Any = [{"id": n, "name": f"row, [{n}]", "price": n / 4} for n in range(50_000)]
    assert roomy.run("return input", names={"input": rows}).value == rows
    text = "[,{" * 2_000_000
    assert roomy.run("return input", names={"input": text}).value == text


def test_an_input_that_is_too_large_is_refused_before_any_worker_is_asked(roomy: Sandbox) -> None:
    with pytest.raises(SandboxError) as caught:
        roomy.run("return 1", names={"input": "x" * (65 << 20)})
    assert caught.value.code == "sandbox-input"
