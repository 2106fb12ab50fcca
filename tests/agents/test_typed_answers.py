"""Answers that must fit a schema, and everything else a note says about its model."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from paperagents.agents.answers import read_answer
from paperagents.agents.model import ModelRequest
from paperagents.agents.request import request_body
from paperagents.definitions.agent import ModelOptions
from paperagents.testing import ScriptedModel

from .conftest import Desk, Serve, call

SCHEMA = "output:\n  type: object\n  properties: {total: {type: integer}}\n  required: [total]\n"
WANTED: Any = {"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]}


def test_the_answer_is_the_value_and_the_schema_is_sent(desk: Desk, serve: Serve) -> None:
    server = serve(['{"total": 3}'])
    desk.agent(SCHEMA)
    record = desk.vault.run("helper", {"query": "How many?"})
    assert record.data == {"total": 3}
    sent = server.requests[0]["response_format"]
    assert (sent["type"], sent["json_schema"]["schema"]) == ("json_schema", WANTED)
    assert '"total"' in server.requests[0]["messages"][0]["content"]


@pytest.mark.parametrize("wrong", ["Three.", '{"total": "x"}', "{}", '```json\n{"sum": 1}\n```'])
def test_an_answer_that_does_not_fit_is_repaired_once(desk: Desk, wrong: str) -> None:
    desk.agent(SCHEMA)
    model = ScriptedModel([wrong, '{"total": 3}'])
    assert desk.vault.run("helper", {"query": "How many?"}, model=model).data == {"total": 3}
    assert "JSON Schema" in str(model.requests[1].messages[-1]["content"])


def test_an_answer_that_does_not_fit_twice_is_a_failure(desk: Desk) -> None:
    desk.agent(SCHEMA)
    record = desk.ask(["Three.", "Four.", '{"total": 3}'])
    assert record.error is not None
    assert (record.status, record.error["code"]) == ("failed", "answer-invalid")
    assert record.error["details"]["text"] == "Four."  # type: ignore[index,call-overload]


def test_calls_before_the_answer_are_made_as_always(desk: Desk) -> None:
    desk.agent(SCHEMA)
    desk.note("a.md", "x")
    assert desk.ask([{"calls": [call("read_file", filePath="a.md")]}, '{"total": 1}']).data == {"total": 1}


def test_a_server_that_does_not_take_the_schema_is_asked_without(desk: Desk, serve: Serve) -> None:
    server = serve([{"error": {"status": 400, "message": "no", "param": "response_format"}},
                    {"calls": [call("read_file", filePath="a.md")]}, '{"total": 3}'])  # fmt: skip
    desk.note("a.md", "x")
    desk.agent(SCHEMA)
    assert desk.vault.run("helper", {"query": "How many?"}).data == {"total": 3}
    assert ["response_format" in each for each in server.requests] == [True, False, False]
    assert all("tools" in each for each in server.requests)


def test_with_tags_the_schema_stands_in_the_prompt_alone(desk: Desk, serve: Serve) -> None:
    server = serve(['{{<final_output>}}{"total": 3}{{</final_output>}}'])
    desk.agent(f"protocol: tags\n{SCHEMA}")
    assert desk.vault.run("helper", {"query": "How many?"}).data == {"total": 3}
    assert "response_format" not in server.requests[0]


@pytest.mark.parametrize(
    ("said", "schema", "value"),
    [
        ('Here:\n```json\n{"total": 1}\n```', WANTED, {"total": 1}),
        ("yes", {"type": "string"}, "yes"),
        ('"yes"', {"type": "string"}, "yes"),
        ("42", {"type": "string"}, "42"),
        ("42", {"type": "integer"}, 42),
        ("[1, 2]", {"type": "array"}, [1, 2]),
        ("null", {"type": ["null", "string"]}, None),
    ],
)
def test_a_value_is_read_as_models_write_it(said: str, schema: Any, value: Any) -> None:
    answer = read_answer(said, schema)
    assert (answer.value, answer.problems) == (value, ())


@pytest.mark.parametrize("said", ["[" * 5000, "NaN", '{"total": 1} {"total": 2}', "", "{" * 200 + "}" * 200])
def test_nonsense_is_no_value(said: str) -> None:
    assert read_answer(said, WANTED).problems


# --- the fields of a request


def body(host: str = "localhost:1234", model: str = "m", **options: Any) -> dict[str, Any]:
    messages: Any = ({"role": "system", "content": "S"}, {"role": "user", "content": "Q"})
    return request_body(ModelRequest(agent="a", turn=1, model=model, messages=messages,
                                     options=ModelOptions(**options)), host)  # fmt: skip


def test_every_field_of_the_note_is_sent(desk: Desk, serve: Serve) -> None:
    server = serve(["Hello."])
    desk.agent("temperature: 0.5\ntop_p: 0.9\nmax_tokens: 100\nreasoning: high\nstop: [END]\nseed: 7\n"
               "extra: {provider: {order: [x]}, temperature: 0.7}")  # fmt: skip
    desk.vault.run("helper", {"query": "Go"})
    sent = server.requests[0]
    expected = {"top_p": 0.9, "max_tokens": 100, "reasoning_effort": "high", "stop": ["END"], "seed": 7,
                "provider": {"order": ["x"]}, "temperature": 0.7}  # fmt: skip
    assert {name: sent.get(name) for name in expected} == expected


def test_what_is_not_said_is_not_sent() -> None:
    assert set(body()) == {"model", "messages", "stream", "stream_options"}


def test_hosts_have_names_of_their_own() -> None:
    assert body("openrouter.ai", reasoning="low")["reasoning"] == {"effort": "low"}
    assert body("localhost", reasoning=2000)["reasoning"] == {"max_tokens": 2000}
    assert body("api.openai.com", max_tokens=5)["max_completion_tokens"] == 5


def test_a_prompt_is_marked_for_the_cache_where_that_is_taken() -> None:
    sent = body("openrouter.ai", "anthropic/claude")["messages"]
    assert sent[0]["content"] == [{"type": "text", "text": "S", "cache_control": {"type": "ephemeral"}}]
    assert body("localhost", "anthropic/claude")["messages"][0]["content"] == "S"


def test_a_server_without_streaming_is_asked_without(desk: Desk, serve: Serve) -> None:
    server = serve([{"error": {"status": 400, "message": "streaming is not supported"}}, {"text": "Hi.", "json": True}])
    assert desk.vault.run("helper", {"query": "Go"}).data == "Hi."
    assert [each["stream"] for each in server.requests] == [True, False]


def test_calls_with_the_same_id_are_told_apart(desk: Desk, serve: Serve) -> None:
    twice = [{**call("read_file", filePath=name), "id": "same"} for name in ("a.md", "b.md")]
    server = serve([{"calls": twice, "json": True}, "Read."])
    desk.note("a.md", "Peas")
    desk.note("b.md", "Beans")
    assert desk.vault.run("helper", {"query": "Go"}).data == "Read."
    said, *results = server.requests[1]["messages"][2:]
    ids = [each["id"] for each in said["tool_calls"]]
    assert ids == [each["tool_call_id"] for each in results]
    assert len(set(ids)) == 2
    assert ["Peas" in each["content"] for each in results] == [True, False]


# --- what a model can read


def test_older_results_are_shortened_to_fit_and_the_question_never(desk: Desk) -> None:
    desk.note("long.md", "word " * 2000)
    desk.note("b.md", "beans")
    desk.agent("context_tokens: 3000\nmemory: false\ntools: [read_file]")
    turns = [{"calls": [call("read_file", filePath="long.md")]}, {"calls": [call("read_file", filePath="b.md")]}]
    model = ScriptedModel([*turns, "Done."])
    assert desk.vault.run("helper", {"query": "What grows?"}, model=model).data == "Done."
    for request in model.requests:
        assert sum(len(str(each["content"])) for each in request.messages) < 3000 * 4
        assert request.messages[1]["content"] == "What grows?"
    assert "[cut: 500 of" in json.dumps(model.requests[2].messages)
    assert "beans" in json.dumps(model.requests[2].messages)


def test_results_are_cut_before_earlier_questions_are_left_out(desk: Desk) -> None:
    desk.note("long.md", "word " * 1500)
    desk.agent("memory: false\ntools: [read_file]")
    first = desk.ask([{"calls": [call("read_file", filePath="long.md")]}, "Peas."], "What grows?")
    name = first.execution_log[0]["output"]["conversation"]  # type: ignore[index,call-overload]
    desk.agent("context_tokens: 1000\nmemory: false\ntools: [read_file]")
    model = ScriptedModel(["Yes."])
    desk.vault.run("helper", {"query": "Sure?", "conversation": name}, model=model)
    told = json.dumps(model.requests[0].messages)
    assert "What grows?" in told
    assert "[cut: 500" in told


# --- pictures


def test_linked_pictures_are_sent_along(desk: Desk, serve: Serve) -> None:
    server = serve(["A leaf."])
    (desk.root / "agents").mkdir(exist_ok=True)
    (desk.root / "agents" / "logo.png").write_bytes(b"logo")
    (desk.root / "leaf.jpg").write_bytes(b"leaf")
    desk.agent("images: true", body="Look at ![](logo.png).")
    record = desk.vault.run("helper", {"query": "What is ![[leaf.jpg]] and [x](missing.png)?"})
    text, *pictures = server.requests[0]["messages"][1]["content"]
    assert text == {"type": "text", "text": "What is ![[leaf.jpg]] and [x](missing.png)?"}
    encoded = base64.b64encode(b"leaf").decode()
    assert pictures[0]["image_url"]["url"] == f"data:image/jpeg;base64,{encoded}"
    assert len(pictures) == 2
    assert "missing.png" in record.warnings[0]


def test_a_picture_that_is_linked_in_several_ways_is_sent_once(desk: Desk, serve: Serve) -> None:
    server = serve(["A leaf."])
    (desk.root / "pictures").mkdir()
    (desk.root / "pictures" / "leaf.jpg").write_bytes(b"leaf")
    desk.agent("images: true", body="Look at ![[leaf.jpg]].")
    desk.vault.run("helper", {"query": "What is ![](pictures/leaf.jpg), [[leaf.jpg]] and [x](/pictures/leaf.jpg)?"})
    _, *pictures = server.requests[0]["messages"][1]["content"]
    assert len(pictures) == 1


def test_nothing_outside_of_the_vault_is_sent(desk: Desk, serve: Serve) -> None:
    server = serve(["Nothing."])
    (desk.root.parent / "secret.png").write_bytes(b"secret")
    desk.agent("images: true")
    desk.vault.run("helper", {"query": "![](../secret.png) ![](https://example.org/a.png)"})
    assert isinstance(server.requests[0]["messages"][1]["content"], str)
