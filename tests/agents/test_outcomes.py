"""How an answer ends, which model gives it, what it cost, and what becomes of a server that does not take something."""

from __future__ import annotations

import json
from typing import Any

import pytest

from paperagents.testing import ScriptedModel

from .conftest import Desk, Serve, call, entries

REFUSED_TOOLS = {"error": {"status": 400, "message": "nope", "param": "tools"}}
ROUTED = {"status": 400, "message": "Provider returned error",
          "metadata": {"provider_name": "Google", "raw": '{"error": {"message": "needs reasoning"}}'}}  # fmt: skip


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paperagents.agents.limits.RetryPolicy.delay", lambda *_: 0.0)


@pytest.mark.parametrize(("finish", "code"), [("length", "answer-cut"), ("content_filter", "answer-filtered")])
@pytest.mark.parametrize("text", ["The three reasons are: first", ""])
def test_an_answer_that_is_not_whole_is_a_failure_with_what_there_is(
    desk: Desk, serve: Serve, finish: str, code: str, text: str
) -> None:
    server = serve([{"text": text, "finish": finish}])
    record = desk.vault.run("helper", {"query": "Why?"})
    assert record.error is not None
    assert (record.status, record.error["code"], record.exit_code) == ("failed", code, 1)
    assert record.error["details"]["text"] == text  # type: ignore[index,call-overload]
    assert entries(record, "model")[0]["output"]["text"] == text
    assert record.usage is not None
    assert record.usage.input_tokens == 10
    assert len(server.requests) == 1


def test_a_call_of_an_answer_that_was_cut_off_is_not_made(desk: Desk) -> None:
    cut = {"calls": [call("memory", identifier="a", content="b")], "finish": "length"}
    assert desk.ask([cut]).status == "failed"
    assert desk.vault.entries.get("memory", "a") is None


def test_the_providers_own_reason_is_told(desk: Desk, serve: Serve) -> None:
    serve([{"error": ROUTED}, {"error": ROUTED}])
    error = desk.vault.run("helper", {"query": "Go"}).error
    assert error is not None
    assert "Google: needs reasoning" in str(error["message"])
    assert error["details"]["provider"] == "Google"  # type: ignore[index,call-overload]


def ended(finish: str, native: str, text: str = "Peas are") -> dict[str, Any]:
    """A turn that ends as a router tells it, with the provider's own word for it."""
    choice = {"delta": {"content": text}, "finish_reason": finish, "native_finish_reason": native}
    answer = json.dumps({"choices": [choice]})
    return {"raw": f"data: {answer}\n\ndata: [DONE]\n\n", "content_type": "text/event-stream"}


@pytest.mark.parametrize(("finish", "native"), [("content_filter", "PROHIBITED_CONTENT"), ("length", "MAX_TOKENS")])
def test_why_an_answer_is_not_whole_is_told_in_the_providers_word(
    desk: Desk, serve: Serve, finish: str, native: str
) -> None:
    serve([ended(finish, native)])
    error: Any = desk.vault.run("helper", {"query": "Go"}).error
    assert native in error["message"]
    assert error["details"] == {"text": "Peas are", "finish_reason": finish, "provider_reason": native}


def test_an_answer_that_ends_with_an_error_is_asked_for_again(desk: Desk, serve: Serve) -> None:
    broken = ended("error", "MALFORMED_RESPONSE")
    serve([broken, "Peas are green.", *[broken] * 5])
    assert desk.vault.run("helper", {"query": "Go"}).data == "Peas are green."
    error: Any = desk.vault.run("helper", {"query": "Go"}).error
    assert (error["code"], "MALFORMED_RESPONSE" in error["message"]) == ("model-broken", True)


# --- what a server does not take


def test_a_server_that_names_the_tools_is_asked_by_tags(desk: Desk, serve: Serve) -> None:
    server = serve([REFUSED_TOOLS, "Hello."])
    record = desk.vault.run("helper", {"query": "Go"})
    assert record.data == "Hello."
    assert ["tools" in each for each in server.requests] == [True, False]


@pytest.mark.parametrize(
    "error",
    [
        {"message": "maximum context length is 8192 tokens, however you requested 9000 (2000 of tool input)"},
        {"message": "no", "code": "context_length_exceeded"},
        {"message": "bad tool temperature", "param": "temperature"},
        {"message": "unknown tool", "code": "model_not_found"},
    ],
)
def test_another_reason_is_no_reason_to_write_tags(desk: Desk, serve: Serve, error: dict[str, Any]) -> None:
    server = serve([{"error": {"status": 400, **error}}, "Hello."])
    record = desk.vault.run("helper", {"query": "Go"})
    assert record.error is not None
    assert (record.status, record.error["code"], len(server.requests)) == ("failed", "model-refused", 1)
    assert entries(record, "model")[0]["parameters"]["protocol"] == "native"


def test_a_server_that_is_down_is_not_asked_as_often_again_in_every_simpler_way(desk: Desk, serve: Serve) -> None:
    desk.agent("output: {type: object}")
    server = serve([{"error": {"status": 500, "message": "down"}}] * 20)
    error: Any = desk.vault.run("helper", {"query": "Go"}).error
    assert error["code"] == "model-busy"
    sent = [("response_format" in each, "tools" in each) for each in server.requests]
    assert sent == [*[(True, True)] * 5, (False, True), (False, False)]


@pytest.mark.parametrize(("status", "advice"), [(401, "PAPER_LLM_API_KEY"), (402, "fallback"), (404, "llm.model")])
def test_a_refusal_has_advice(desk: Desk, serve: Serve, status: int, advice: str) -> None:
    desk.agent("protocol: native")
    serve([{"error": {"status": status, "message": "no"}}])
    assert advice in str((desk.vault.run("helper", {"query": "Go"}).error or {})["hint"])


def test_a_request_that_is_too_long_has_advice(desk: Desk, serve: Serve) -> None:
    serve([{"error": {"status": 400, "message": "no", "code": "context_length_exceeded"}}])
    error = desk.vault.run("helper", {"query": "Go"}).error
    assert error is not None
    assert "context_tokens" in str(error["hint"])


def test_where_the_server_refuses_both_ways_the_first_reason_is_told(desk: Desk, serve: Serve) -> None:
    serve([{"error": {"status": 400, "message": "first"}}, {"error": {"status": 400, "message": "second"}}])
    error = desk.vault.run("helper", {"query": "Go"}).error
    assert error is not None
    assert "first" in str(error["message"])


# --- other models


@pytest.mark.parametrize(
    "turns",
    [
        [{"error": {"status": 402, "message": "pay"}}],
        [{"error": {"status": 404, "message": "gone"}}],
        [{"error": {"status": 429, "message": "slow"}}] * 5,
        [{"error": {"status": 503, "message": "busy"}}] * 5,
        [""] * 5,
    ],
    ids=["402", "404", "429", "503", "empty"],
)
def test_another_model_answers_where_the_first_cannot(desk: Desk, serve: Serve, turns: list[Any]) -> None:
    server = serve([*turns, {"calls": [call("read_file", filePath="a.md")]}, "From another."])
    desk.note("a.md", "x")
    desk.agent("fallback: [other/model, third/model]")
    record = desk.vault.run("helper", {"query": "Go"})
    assert record.data == "From another."
    expected = ["some/model"] * len(turns) + ["other/model"] * 2
    assert [each["model"] for each in server.requests] == expected
    assert "other/model" in record.warnings[0]


@pytest.mark.parametrize(
    "turn",
    [
        {"error": {"status": 401, "message": "who"}},
        {"error": {"status": 403, "message": "no"}},
        {"text": "Half", "finish": "content_filter"},
        {"text": "Half", "finish": "length"},
    ],
    ids=["401", "403", "filtered", "cut"],
)
def test_some_failures_are_no_reason_to_ask_another_model(desk: Desk, serve: Serve, turn: dict[str, Any]) -> None:
    server = serve([turn, "From another."])
    desk.agent("fallback: [other/model]")
    assert desk.vault.run("helper", {"query": "Go"}).status == "failed"
    assert {each["model"] for each in server.requests} == {"some/model"}


def test_no_other_model_is_asked_after_a_call_of_the_same_turn(desk: Desk, serve: Serve) -> None:
    broken = {"text": '{{<read_file filePath="a.md" />}} and', "stream_error": {"message": "x", "code": 502}}
    server = serve([*[broken] * 5, "From another."])
    desk.note("a.md", "x")
    desk.agent("protocol: tags\nfallback: [other/model]")
    assert desk.vault.run("helper", {"query": "Go"}).status == "failed"
    assert {each["model"] for each in server.requests} == {"some/model"}


# --- what it cost


def test_usage_is_summed_over_turns_and_agents_below(desk: Desk) -> None:
    told: dict[str, Any] = {"prompt_tokens": 10, "completion_tokens": 4, "cost": 0.1}
    told |= {"prompt_tokens_details": {"cached_tokens": 3}, "completion_tokens_details": {"reasoning_tokens": 2}}
    desk.agent(name="expert")
    desk.agent("agents: [expert]")
    model = ScriptedModel({
        "helper": [{"calls": [call("expert", query="Why?")], "usage": told}, {"text": "Because.", "usage": told}],
        "expert": [{"text": "So.", "usage": {**told, "cost": 0.2}}],
    })  # fmt: skip
    record = desk.vault.run("helper", {"query": "Hi"}, model=model)
    expected = {"model_calls": 3, "input_tokens": 30, "output_tokens": 12, "cached_tokens": 9, "reasoning_tokens": 6,
                "cost": 0.4}  # fmt: skip
    assert record.as_json()["usage"] == expected
    assert desk.vault.history.record(record.run_id).as_json()["usage"] == expected


def test_a_run_without_models_has_no_usage_and_a_silent_server_none_to_tell(desk: Desk, serve: Serve) -> None:
    assert desk.vault.run("search_files", {"query": "x"}).as_json()["usage"] is None
    serve([{"text": "Hello.", "usage": None}])
    usage = desk.vault.run("helper", {"query": "Hi"}).as_json()["usage"]
    assert usage == {"model_calls": 1, "input_tokens": 0, "output_tokens": 0, "cached_tokens": 0,
                     "reasoning_tokens": 0, "cost": None}  # fmt: skip


@pytest.mark.parametrize("usage", [{"prompt_tokens": "many"}, {"cost": float("nan")}, {"prompt_tokens": -3}, []])
def test_figures_that_are_none_count_as_nothing(desk: Desk, usage: Any) -> None:
    record = desk.ask([{"text": "Hello.", "usage": usage}])
    assert json.loads(json.dumps(record.as_json()["usage"]))["input_tokens"] == 0


def test_what_was_used_before_an_interruption_counts_once(desk: Desk) -> None:
    from paperagents import Approved  # noqa: PLC0415

    told = {"prompt_tokens": 10, "completion_tokens": 1}
    desk.agent(name="expert")
    desk.agent("agents: [expert]\ntools: [write_file]")
    model = ScriptedModel({
        "helper": [{"calls": [call("expert", query="Why?")], "usage": told},
                   {"calls": [call("write_file", filePath="b.md", content="x")], "usage": told},
                   {"text": "Done.", "usage": told}],
        "expert": [{"text": "So.", "usage": told}],
    })  # fmt: skip
    waiting = desk.vault.run("helper", {"query": "Hi"}, model=model)
    assert waiting.usage is not None
    assert waiting.usage.input_tokens == 30
    done = desk.vault.answer(desk.vault.history.questions()[0].id, Approved(), model=model)
    assert done.usage is not None
    assert (done.data, done.usage.model_calls, done.usage.input_tokens) == ("Done.", 4, 40)


def test_statistics_count_what_a_resumed_run_used_once(desk: Desk) -> None:
    from paperagents import Approved  # noqa: PLC0415
    from paperagents.runs.statistics import tool_statistics  # noqa: PLC0415
    from paperagents.runs.usage_totals import total_usage  # noqa: PLC0415

    told = {"prompt_tokens": 10, "completion_tokens": 1, "cost": 0.5}
    desk.agent("tools: [write_file]")
    asked = {"calls": [call("write_file", filePath="b.md", content="x")], "usage": told}
    model = ScriptedModel([asked, {"text": "Done.", "usage": told}, {"text": "Again.", "usage": told}])
    desk.vault.run("helper", {"query": "Hi"}, model=model)
    desk.vault.answer(desk.vault.history.questions()[0].id, Approved(), model=model)
    desk.vault.run("helper", {"query": "Hi"}, model=model)
    used = total_usage(desk.vault.database)
    assert used is not None
    assert (used.model_calls, used.input_tokens, used.cost) == (3, 30, 1.5)
    line = next(each for each in tool_statistics(desk.vault.journal) if each["tool"] == "helper")
    assert line["usage"] == used.as_json()
