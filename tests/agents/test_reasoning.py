"""What a model thinks is kept, given back as it came, and never taken for its answer."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperagents.agents.model import Listener
from paperagents.agents.reasoning import ThoughtReader, reasoning_text
from paperagents.agents.turn import StreamedTurn

from .conftest import Desk, Serve, call, entries


class Heard(Listener):
    def __init__(self) -> None:
        self.said, self.thought = "", ""

    def text(self, piece: str) -> None:
        self.said += piece

    def reasoning(self, piece: str) -> None:
        self.thought += piece


def read(*deltas: dict[str, Any], heard: Heard | None = None) -> Any:
    streamed = StreamedTurn(heard or Heard())
    for delta in deltas:
        streamed.take({"choices": [{"delta": delta}]})
    return streamed.turn()


@settings(deadline=None)
@given(
    st.text(max_size=40), st.text(max_size=40), st.lists(st.integers(0, 90), max_size=10), st.sampled_from(["", "\n"])
)
def test_a_thought_is_told_from_the_answer_wherever_the_text_is_cut(
    thought: str, answer: str, cuts: list[int], blank: str
) -> None:
    if "</think>" in thought or "<think>" in answer or "</think>" in answer:
        return
    whole = f"{blank}<think>{thought}</think>\n\n{answer}"
    places = sorted({0, len(whole), *(min(each, len(whole)) for each in cuts)})
    heard = Heard()
    turn = read(*({"content": whole[a:b]} for a, b in pairwise(places)), heard=heard)
    assert turn.text == heard.said == answer.lstrip()
    assert heard.thought == thought
    assert turn.thought + turn.text == whole


@settings(deadline=None)
@given(st.text(alphabet="<think>/ \nab", max_size=30), st.integers(1, 5))
def test_no_text_is_lost_or_told_twice(text: str, size: int) -> None:
    reader = ThoughtReader()
    told = [reader.feed(text[start : start + size]) for start in range(0, len(text), size)]
    told.append(reader.finish())
    assert reader.thought + "".join(said for _, said in told) == text


@pytest.mark.parametrize(
    ("content", "thought", "text"),
    [
        ("<think>Hm.</think>Yes.", "Hm.", "Yes."),
        ("<thinking>Hm.</thinking>\nYes.", "Hm.", "Yes."),
        ("<thought>Hm.</thought>Yes.", "Hm.", "Yes."),
        ("◁think▷Hm.◁/think▷Yes.", "Hm.", "Yes."),
        ("<think>Hm.</think>\n<think>So.</think>\n\nYes.", "Hm.\n\nSo.", "Yes."),
        ("<think></think><think>So.</think>Yes, <think>.", "So.", "Yes, <think>."),
        ("Hm, well.\n</think>\n\nYes.", "Hm, well.", "Yes."),
        ("<think>Never closed", "Never closed", ""),
        ("Use the <think> tag.", "", "Use the <think> tag."),
        ("`</think>` ends it.", "", "`</think>` ends it."),
        ("<thin", "", "<thin"),
    ],
)
def test_marks_around_a_thought_are_no_part_of_the_answer(content: str, thought: str, text: str) -> None:
    turn = read(*({"content": each} for each in content))
    assert (turn.text, reasoning_text(turn.as_json())) == (text, thought)
    assert turn.thought + turn.text == content


def test_details_in_pieces_are_joined_by_their_index_and_kind() -> None:
    heard = Heard()
    turn = read(
        {"reasoning": "Let ", "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "Let "}]},
        {"reasoning": "me.", "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "me."}]},
        {"reasoning_details": [{"type": "reasoning.text", "index": 1, "text": "Then"}]},
        {"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "", "signature": "sig-1"}]},
        {"reasoning_details": [{"type": "reasoning.encrypted", "index": 0, "id": "a", "data": "AA"}]},
        {"reasoning_details": [{"type": "reasoning.encrypted", "index": 0, "id": "b", "data": "BB"}]},
        {"reasoning_details": [{"type": "reasoning.encrypted", "index": 0, "id": "b", "data": "CC"}]},
        {"content": "Yes."},
        heard=heard,
    )
    assert turn.reasoning["reasoning"] == "Let me."
    assert turn.reasoning["reasoning_details"] == [
        {"type": "reasoning.text", "index": 0, "text": "Let me.", "signature": "sig-1"},
        {"type": "reasoning.text", "index": 1, "text": "Then"},
        {"type": "reasoning.encrypted", "index": 0, "id": "a", "data": "AA"},
        {"type": "reasoning.encrypted", "index": 0, "id": "b", "data": "BBCC"},
    ]
    assert (turn.text, heard.thought) == ("Yes.", "Let me.Then")


def test_blocks_without_an_index_end_with_their_signature() -> None:
    turn = read(
        {"thinking_blocks": [{"type": "thinking", "thinking": "One", "signature": None}]},
        {"thinking_blocks": [{"type": "thinking", "thinking": "", "signature": "s1"}]},
        {"thinking_blocks": [{"type": "thinking", "thinking": "Two"}]},
        {"content": "Yes."},
    )
    assert turn.reasoning["thinking_blocks"] == [
        {"type": "thinking", "thinking": "One", "signature": "s1"},
        {"type": "thinking", "thinking": "Two"},
    ]


def test_pieces_inside_of_an_object_are_joined_as_those_beside_it() -> None:
    turn = read(
        {"provider_specific_fields": {"thinking_blocks": [{"type": "thinking", "thinking": "On", "signature": ""}]}},
        {"provider_specific_fields": {"thinking_blocks": [{"type": "thinking", "thinking": "e", "signature": ""}]}},
        {"provider_specific_fields": {"thinking_blocks": [{"type": "thinking", "thinking": "", "signature": "s"}]}},
        {"provider_specific_fields": {"thought_signatures": ["a"]}},
        {"provider_specific_fields": {"thought_signatures": ["b"]}},
        {"content": "Yes."},
    )
    assert turn.reasoning["provider_specific_fields"] == {
        "thinking_blocks": [{"type": "thinking", "thinking": "One", "signature": "s"}],
        "thought_signatures": ["a", "b"],
    }


@pytest.mark.parametrize(
    "fields",
    [
        {"reasoning": "Hm.", "reasoning_details": [{"type": "reasoning.encrypted", "data": "X", "index": 0}]},
        {"reasoning_content": "Hm."},
        {"extra_content": {"google": {"thought_signature": "sig"}}},
        {"reasoning_content": ""},
        {"reasoning_text": "Hm.", "reasoning_opaque": "sealed"},
        {"reasoning": {"content": "Hm."}},
        {"provider_specific_fields": {"thought_signatures": ["sig"]}},
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_reasoning_goes_back_in_the_fields_it_came_in(
    desk: Desk, serve: Serve, *, fields: dict[str, Any], as_json: bool
) -> None:
    signed = {**call("read_file", filePath="a.md"), "extra_content": {"google": {"thought_signature": "of the call"}}}
    server = serve([{"calls": [signed], "message": fields, "json": as_json}, "Read."])
    desk.note("a.md", "x")
    record = desk.vault.run("helper", {"query": "Go"})
    assert record.data == "Read."
    said = server.requests[1]["messages"][2]
    assert {name: said.get(name) for name in fields} == fields
    assert said["tool_calls"][0]["extra_content"] == signed["extra_content"]
    assert entries(record, "model")[0]["output"]["reasoning"] == fields


def test_a_thought_before_the_text_goes_back_as_it_was_written(desk: Desk, serve: Serve) -> None:
    written = "<think>I should read.</think>\nI read."
    server = serve([{"text": written, "calls": [call("read_file", filePath="a.md")]}, "<think>So.</think>\n\nRead."])
    desk.note("a.md", "x")
    events: list[Any] = []
    record = desk.vault.run("helper", {"query": "Go"}, on_event=events.append)
    assert record.data == "Read."
    assert server.requests[1]["messages"][2]["content"] == written
    assert "should" not in desk.conversation()
    told = {kind: "".join(each["text"] for each in events if each["type"] == kind)
            for kind in ("model-text", "model-reasoning")}  # fmt: skip
    assert told == {"model-text": "I read.Read.", "model-reasoning": "I should read.So."}


def test_a_call_that_is_only_thought_of_is_not_made(desk: Desk) -> None:
    desk.agent("protocol: tags")
    record = desk.ask(['<think>{{<memory identifier="a" content="b" />}}</think>Nothing.'])
    assert record.data == "Nothing."
    assert desk.vault.entries.get("memory", "a") is None


def test_a_resumed_run_sends_the_reasoning_back_too(desk: Desk, serve: Serve) -> None:
    fields = {"reasoning": "Hm."}
    asked = call("write_file", filePath="b.md", content="x")
    server = serve([{"calls": [asked], "message": fields}, "Written."])
    desk.agent("tools: [write_file]")
    waiting = desk.vault.run("helper", {"query": "Go"})
    assert waiting.status == "waiting"
    question = desk.vault.history.questions()[0]
    from paperagents import Approved  # noqa: PLC0415

    assert desk.vault.answer(question.id, Approved()).data == "Written."
    assert server.requests[-1]["messages"][2]["reasoning"] == "Hm."
    assert json.dumps(server.requests[-1]).count("Hm.") == 1
