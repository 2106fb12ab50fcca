"""An answer is the same however it is cut into pieces."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperagents.agents.model import LARGEST_ARGUMENTS, MOST_CALLS, Listener, ModelTurn, read_turn
from paperagents.agents.refusals import refusal
from paperagents.agents.turn import StreamedTurn, events
from paperagents.errors import ToolError
from paperagents.testing.model_server import stream

TURNS = st.fixed_dictionaries(
    {
        "text": st.text(max_size=60),
        "calls": st.lists(
            st.fixed_dictionaries(
                {"tool": st.sampled_from(["a", "b_c"]), "arguments": st.dictionaries(st.text(), st.text())}
            ),
            max_size=4,
        ),
    }
)


class Heard(Listener):
    def __init__(self) -> None:
        self.pieces: list[str] = []

    def text(self, piece: str) -> None:
        self.pieces.append(piece)


def read(pieces: Iterator[bytes] | list[bytes], heard: Heard | None = None) -> ModelTurn:
    streamed = StreamedTurn(heard or Heard())
    for data in events(pieces, limit=10_000_000):
        if data != "[DONE]":
            streamed.take(json.loads(data))
    return streamed.turn()


@settings(deadline=None)
@given(TURNS, st.integers(1, 20), st.lists(st.integers(0, 3000), max_size=30))
def test_any_fragments_and_any_cuts_give_the_same_turn(turn: dict[str, Any], fragment: int, cuts: list[int]) -> None:
    whole = b"".join(stream(turn, fragment))
    places = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    heard = Heard()
    result = read([whole[start:end] for start, end in pairwise(places)], heard)
    assert result.text == turn["text"] == "".join(heard.pieces)
    assert [(call.name, json.loads(call.arguments)) for call in result.calls] == [
        (call["tool"], call["arguments"]) for call in turn["calls"]
    ]
    assert result.usage["total_tokens"] == 15
    assert read_turn(json.loads(json.dumps(result.as_json()))) == result


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_can_be_read_as_events(data: bytes) -> None:
    assert all(isinstance(event, str) for event in events([data], limit=1000))


def test_comments_other_fields_and_both_line_ends_are_fine() -> None:
    data = b': hello\r\nevent: x\r\nid: 1\r\ndata: {"a":\r\ndata: 1}\r\n\r\ndata:[DONE]'
    assert list(events([data], limit=1000)) == ['{"a":\n1}', "[DONE]"]


def test_an_endless_stream_is_ended() -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield b"data: {}\n\n" * 100

    with pytest.raises(ToolError) as caught:
        list(events(endless(), limit=100_000))
    assert caught.value.code == "model-endless"


def deltas(*calls: dict[str, Any]) -> ModelTurn:
    streamed = StreamedTurn(Listener())
    for each in calls:
        streamed.take({"choices": [{"delta": {"tool_calls": [each]}}]})
    return streamed.turn()


def test_calls_without_an_index_are_told_apart_by_their_ids() -> None:
    turn = deltas(
        {"id": "x", "function": {"name": "a", "arguments": "{}"}},
        {"id": "y", "function": {"name": "a", "arguments": '{"b":'}},
        {"function": {"arguments": " 1}"}},
    )
    assert [(call.id, call.arguments) for call in turn.calls] == [("x", "{}"), ("y", '{"b": 1}')]


def test_calls_that_all_have_the_same_index_are_told_apart_by_their_ids() -> None:
    turn = deltas(
        {"index": 0, "id": "x", "function": {"name": "a", "arguments": "{}"}},
        {"index": 0, "id": "y", "function": {"name": "a", "arguments": '{"b":'}},
        {"index": 0, "function": {"arguments": " 1}"}},
    )
    assert [(call.id, call.arguments) for call in turn.calls] == [("x", "{}"), ("y", '{"b": 1}')]


@pytest.mark.parametrize("identity", [{}, {"id": ""}, {"id": None}])
def test_whole_calls_that_all_have_the_same_index_and_no_id_are_told_apart(identity: dict[str, Any]) -> None:
    turn = deltas(
        {"index": 0, **identity, "function": {"name": "a", "arguments": '{"x": 1}'}},
        {"index": 0, **identity, "function": {"name": "a", "arguments": '{"x": 2}'}},
        {"index": 0, **identity, "function": {"name": "b", "arguments": "{"}},
        {"index": 0, **identity, "function": {"name": "b", "arguments": "}"}},
    )
    assert [(call.name, call.arguments) for call in turn.calls] == [("a", '{"x": 1}'), ("a", '{"x": 2}'), ("b", "{}")]
    assert len({call.id for call in turn.calls}) == 3


@pytest.mark.parametrize("part", ["delta", "message"])
def test_a_call_in_the_older_form_is_a_call(part: str) -> None:
    streamed = StreamedTurn(Listener())
    for piece in ({"name": "read", "arguments": ""}, {"arguments": '{"a":'}, {"arguments": " 1}"}):
        streamed.take({"choices": [{part: {"content": None, "function_call": piece}}]})
    assert [(call.name, call.arguments) for call in streamed.turn().calls] == [("read", '{"a": 1}')]


def test_a_call_in_both_forms_is_one_call() -> None:
    function = {"name": "read", "arguments": "{}"}
    streamed = StreamedTurn(Listener())
    message = {"function_call": function, "tool_calls": [{"id": "x", "function": function}]}
    streamed.take({"choices": [{"message": message}]})
    assert [call.id for call in streamed.turn().calls] == ["x"]


def test_a_refusal_is_what_the_model_says() -> None:
    heard = Heard()
    streamed = StreamedTurn(heard)
    for piece in ("I cannot ", "do that."):
        streamed.take({"choices": [{"delta": {"content": None, "refusal": piece}}]})
    assert streamed.turn().text == "".join(heard.pieces) == "I cannot do that."


def test_a_mark_of_the_byte_order_before_the_first_event_is_fine() -> None:
    assert list(events([b"\xef\xbb", b"\xbfdata: a\n\ndata: b\n\n"], limit=100)) == ["a", "b"]


def test_pieces_that_get_a_new_id_each_are_still_one_call() -> None:
    turn = deltas(
        {"index": 0, "id": "x", "function": {"name": "a", "arguments": "{"}},
        {"index": 0, "id": "y", "function": {"arguments": "}"}},
    )
    assert [(call.id, call.arguments) for call in turn.calls] == [("x", "{}")]


def test_whole_calls_without_any_id_are_counted() -> None:
    turn = deltas({"function": {"name": "a", "arguments": {"x": 1}}}, {"function": {"name": "b", "arguments": None}})
    assert [(call.id, call.name, call.arguments) for call in turn.calls] == [
        ("call_1", "a", '{"x": 1}'),
        ("call_2", "b", ""),
    ]


def test_a_name_that_is_repeated_with_every_piece_is_still_that_name() -> None:
    turn = deltas(
        {"index": 0, "id": "x", "function": {"name": "read", "arguments": "{"}},
        {"index": 0, "id": "x", "function": {"name": "read", "arguments": "}"}},
    )
    assert [(call.name, call.arguments) for call in turn.calls] == [("read", "{}")]


def test_huge_arguments_are_counted_and_not_kept() -> None:
    piece = "x" * 500_000
    turn = deltas(*({"index": 0, "function": {"name": "a", "arguments": piece}} for _ in range(20)))
    assert turn.calls[0].size == 10_000_000 > LARGEST_ARGUMENTS
    assert turn.calls[0].arguments == ""


def test_ten_thousand_calls_are_counted_and_not_kept() -> None:
    turn = deltas(*({"index": number, "function": {"name": "a", "arguments": "{}"}} for number in range(10_000)))
    assert len(turn.calls) == MOST_CALLS
    assert turn.calls_made == 10_000


@pytest.mark.parametrize(
    "chunk", [{}, {"choices": None}, {"choices": [None]}, {"choices": [{"delta": None}]}, {"choices": [{"delta": 5}]},
              {"choices": [{"delta": {"content": 5, "tool_calls": [7, {"function": 3}]}}]}, {"usage": [1]},
              {"usage": {"total_tokens": True, "cost": "x"}}],
)  # fmt: skip
def test_odd_pieces_do_no_harm(chunk: dict[str, Any]) -> None:
    streamed = StreamedTurn(Listener())
    streamed.take(chunk)
    assert streamed.turn().text == ""


def test_text_in_parts_is_put_together() -> None:
    streamed = StreamedTurn(Listener())
    streamed.take({"choices": [{"delta": {"content": [{"type": "text", "text": "Hel"}, {"text": "lo"}]}}]})
    assert streamed.turn().text == "Hello"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ({"message": "overloaded"}, "model-busy"),
        ({"message": "x", "code": 502}, "model-busy"),
        ({"message": "x", "code": "429"}, "model-busy"),
        ({"message": "x", "code": 400}, "model-refused"),
        ({"message": "x", "code": "context_length_exceeded"}, "model-refused"),
        ({"message": "x", "code": "rate_limit_exceeded"}, "model-busy"),
        ({"message": "x", "code": "whatever"}, "model-busy"),
        ("just words", "model-busy"),
    ],
)
def test_an_error_in_the_middle_is_told_apart(error: Any, code: str) -> None:
    with pytest.raises(ToolError) as caught:
        StreamedTurn(Listener()).take({"error": error})
    assert caught.value.code == code
    assert caught.value.retryable == (code == "model-busy")


def test_an_error_without_a_name_is_told_too() -> None:
    with pytest.raises(ToolError) as caught:
        StreamedTurn(Listener()).take({"object": "error", "message": "too long", "code": 400})
    assert (caught.value.code, caught.value.values["reason"]) == ("model-refused", "too long")


def test_a_refusal_without_words_has_those_of_its_number() -> None:
    assert refusal("", 502).message.endswith("(502): Bad Gateway")
    assert refusal("", 599).message.endswith("(599): ?")


def test_a_refusal_keeps_its_reason_short() -> None:
    assert len(refusal({"message": "x" * 10_000}, 400).message) < 500
