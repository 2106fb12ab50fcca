"""Traces: a run is a span, its steps are spans below it, and nothing secret is in any of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode, format_trace_id
from tests.desk import Desk
from tests.servers import Collector, Web

from paperagents.approval.question import Approved, Denied
from paperagents.runs import open_telemetry
from paperagents.runs.open_telemetry import ids_of, provider_for
from paperagents.runs.tracing import are_wanted, continue_trace, tell_of_missing_extra, traced
from paperagents.testing import ScriptedModel, ScriptedServer

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
SECRET = "very-secret-words-4711"
TWO_STEPS = """
  - name: first
    tool: read_file
    parameters: {filePath: a.md}
  - name: second
    tool: shout
    parameters: {words: "prev_step.output.content"}
"""


class Traces:
    """Every span that was handed on."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        self.tracer = provider_for(SimpleSpanProcessor(self._exporter)).get_tracer("test")

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return tuple(self._exporter.get_finished_spans())

    def one(self, name: str) -> ReadableSpan:
        found = [each for each in self.spans if each.name == name]
        assert len(found) == 1, [each.name for each in self.spans]
        return found[0]

    def tree(self) -> set[tuple[str, str | None]]:
        """Each span's name and the name of the one above it."""
        names = {_span_id(each): each.name for each in self.spans}
        return {(each.name, names[each.parent.span_id] if each.parent else None) for each in self.spans}


def _span_id(span: ReadableSpan) -> int:
    assert span.context is not None
    return int(span.context.span_id)


def _told(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


@pytest.fixture
def traces(monkeypatch: pytest.MonkeyPatch) -> Traces:
    made = Traces()
    monkeypatch.setenv(ENDPOINT, "http://127.0.0.1:9")
    monkeypatch.setattr(open_telemetry, "tracer", lambda: made.tracer)
    return made


@pytest.fixture
def chains(desk: Desk) -> Desk:
    desk.note("a.md", SECRET)
    desk.tool("shout", "parameters:\n  - {name: words, type: string}\ncustom_function: return input.words + '!';")
    desk.chain("two", TWO_STEPS)
    return desk


def test_a_run_is_a_span_with_its_steps_below(chains: Desk, traces: Traces) -> None:
    record = chains.run("two")
    assert traces.tree() == {
        ("run two", None),
        ("execute_tool read_file", "run two"),
        ("execute_tool shout", "run two"),
        ("run shout", "execute_tool shout"),
        ("step shout", "run shout"),
    }
    top, first = traces.one("run two"), traces.one("execute_tool read_file")
    assert _told(top) == {"paper.run_id": record.run_id, "paper.tool": "two", "paper.status": "succeeded"}
    assert _told(first) == {
        "paper.run_id": record.run_id,
        "paper.tool": "read_file",
        "paper.step": 1,
        "paper.step_name": "first",
        "paper.block": "tool",
        "paper.status": "success",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "read_file",
    }
    assert {each.context.trace_id for each in traces.spans if each.context} == {ids_of(record.run_id)[0]}
    assert all(each.end_time and top.end_time and each.end_time <= top.end_time for each in traces.spans)


def test_nothing_of_arguments_results_and_messages_is_in_a_span(chains: Desk, traces: Traces) -> None:
    chains.run("two")
    chains.run("read_file", {"filePath": f"{SECRET}.md"})
    chains.run("write_file", {"filePath": "b.md", "content": SECRET}, Denied(reason=SECRET))
    assert len(traces.spans) > 6
    for span in traces.spans:
        assert SECRET not in span.to_json()
        assert not span.events
        assert {*_told(span)} <= {
            "paper.run_id", "paper.tool", "paper.status", "paper.step", "paper.step_name", "paper.block", "error.type",
            "gen_ai.operation.name", "gen_ai.tool.name",
        }  # fmt: skip
        assert {*span.resource.attributes} <= {
            "service.name", "service.version", "service.instance.id",
            "telemetry.sdk.language", "telemetry.sdk.name", "telemetry.sdk.version",
        }  # fmt: skip


def test_a_secret_that_a_model_takes_for_a_tool_is_masked(
    desk: Desk, traces: Traces, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPER_LLM_API_KEY", SECRET)
    desk.vault.read_settings_again()
    desk.run(f"tool-{SECRET}-{'x' * 10_000}")
    assert "***" in traces.spans[0].name
    assert SECRET not in traces.spans[0].to_json()
    assert len(traces.spans[0].to_json()) < 3_000


def test_a_failure_is_told_by_its_code(chains: Desk, traces: Traces) -> None:
    chains.chain("fails", "\n  - name: gone\n    tool: read_file\n    parameters: {filePath: none.md}\n")
    record = chains.run("fails")
    assert record.error is not None
    for name, status in (("run fails", "failed"), ("execute_tool read_file", "error")):
        span = traces.one(name)
        assert _told(span)["error.type"] == record.error["code"]
        assert _told(span)["paper.status"] == status
        assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, None)


def test_every_attempt_and_what_is_left_out_are_spans_too(chains: Desk, traces: Traces) -> None:
    chains.chain(
        "many",
        """
  - name: never
    if: "false"
    tool: read_file
    parameters: {filePath: a.md}
  - name: again
    tool: read_file
    parameters: {filePath: none.md}
    retry: {attempts: 3, delay: 0}
    continue_on_error: true
  - name: each
    for_each: [1, 2, 3]
    max_parallel: 3
    tool: shout
    parameters: {words: "{{item}}"}
""",
    )
    assert chains.run("many").success
    names = [each.name for each in traces.spans]
    assert (names.count("execute_tool never"), names.count("execute_tool read_file")) == (1, 3)
    assert names.count("execute_tool shout") == 3
    assert names.count("run shout") == 3
    assert _told(traces.one("execute_tool never"))["paper.status"] == "skipped"
    assert ("run shout", "execute_tool shout") in traces.tree()
    assert len({_span_id(each) for each in traces.spans}) == len(traces.spans)


def test_a_run_that_waits_and_goes_on_elsewhere_is_one_trace_and_one_span(
    chains: Desk, traces: Traces, monkeypatch: pytest.MonkeyPatch
) -> None:
    chains.chain(
        "waits",
        "\n  - {name: look, tool: read_file, parameters: {filePath: a.md}}"
        "\n  - {name: put, tool: write_file, parameters: {filePath: b.md, content: x}}\n",
    )
    waiting = chains.run("waits")
    assert waiting.status == "waiting"
    assert sorted(each.name for each in traces.spans) == ["execute_tool read_file", "execute_tool write_file"]
    elsewhere = Traces()
    monkeypatch.setattr(open_telemetry, "tracer", lambda: elsewhere.tracer)
    vault = chains.reopened()
    assert vault.resume(waiting.run_id, approver=lambda _: Approved()).success
    assert elsewhere.tree() == {("run waits", None), ("execute_tool write_file", "run waits")}
    top, before = elsewhere.one("run waits"), traces.one("execute_tool read_file")
    assert before.parent is not None
    assert (before.parent.trace_id, before.parent.span_id) == ids_of(waiting.run_id)
    assert _span_id(top) == before.parent.span_id
    assert top.start_time is not None
    assert before.start_time is not None
    assert top.start_time <= before.start_time


def test_turns_of_a_model_and_the_calls_it_makes_are_spans(chains: Desk, traces: Traces) -> None:
    chains.note("agents/helper.md", "---\nagent: true\nname: helper\ntools: [read_file]\n---\nHelp.")
    turns: list[Any] = [{"text": SECRET, "calls": [{"tool": "read_file", "arguments": {"filePath": "a.md"}}],
                        "usage": {"prompt_tokens": 7, "completion_tokens": 2}}, "Done."]  # fmt: skip
    record = chains.vault.run("helper", {"query": SECRET}, model=ScriptedModel(turns))
    assert record.success
    names = [each.name for each in traces.spans]
    assert names.count("chat given") == 2
    assert ("execute_tool read_file", "invoke_agent helper") in traces.tree()
    chat = next(each for each in traces.spans if each.name == "chat given")
    assert chat.kind is SpanKind.CLIENT
    expected = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "given", "gen_ai.usage.input_tokens": 7,
                "gen_ai.usage.output_tokens": 2}  # fmt: skip
    assert expected.items() <= _told(chat).items()
    assert _told(traces.one("execute_tool read_file"))["gen_ai.tool.name"] == "read_file"
    assert _told(traces.one("invoke_agent helper"))["gen_ai.agent.name"] == "helper"
    assert not any(SECRET in each.to_json() for each in traces.spans)


CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def test_a_run_that_goes_on_elsewhere_still_belongs_to_the_trace_of_its_caller(
    chains: Desk, traces: Traces, monkeypatch: pytest.MonkeyPatch
) -> None:
    with continue_trace(CALLER):
        waiting = chains.run("write_file", {"filePath": "b.md", "content": "x"})
    assert waiting.status == "waiting"
    assert {format_trace_id(each.context.trace_id) for each in traces.spans if each.context} == {CALLER[3:35]}
    elsewhere = Traces()
    monkeypatch.setattr(open_telemetry, "tracer", lambda: elsewhere.tracer)
    assert chains.reopened().resume(waiting.run_id, approver=lambda _: Approved()).success
    top = elsewhere.one("run write_file")
    assert top.parent is not None
    assert (format_trace_id(top.parent.trace_id), f"{top.parent.span_id:016x}") == tuple(CALLER.split("-")[1:3])


@pytest.mark.parametrize("wanted", [True, False])
def test_requests_that_go_out_say_which_step_they_belong_to(
    chains: Desk, web: Web, monkeypatch: pytest.MonkeyPatch, *, wanted: bool
) -> None:
    made = Traces()
    monkeypatch.setattr(open_telemetry, "tracer", lambda: made.tracer)
    if wanted:
        monkeypatch.setenv(ENDPOINT, "http://127.0.0.1:9")
    chains.note("agents/helper.md", "---\nagent: true\nname: helper\ntools: [rest_request]\nmodel: m\n---\nHelp.")
    asked = {"tool": "rest_request", "arguments": {"url": web.answer("/thing"), "method": "GET"}}
    with ScriptedServer([{"calls": [asked]}, "Done."]) as server:
        monkeypatch.setenv("PAPER_LLM_BASE_URL", server.base_url)
        chains.vault.read_settings_again()
        with continue_trace(CALLER):
            assert chains.vault.run("helper", {"query": "Go"}).data == "Done."
        sent = [each.get("traceparent") for each in server.headers]
    sent.append({name.lower(): value for name, value in web.requests[-1].headers.items()}.get("traceparent"))
    steps = [each for each in made.spans if each.name in ("chat m", "execute_tool rest_request")]
    expected = [f"00-{CALLER.split('-')[1]}-{_span_id(each):016x}-01" for each in steps] if wanted else [None] * 3
    assert sorted(sent, key=str) == sorted(expected, key=str)


def test_a_trace_that_a_call_itself_names_is_kept(chains: Desk, traces: Traces, web: Web) -> None:
    arguments = {"url": web.answer("/thing"), "method": "GET", "headers": {"TraceParent": CALLER}}
    assert chains.run("rest_request", arguments).success
    assert [value for name, value in web.requests[-1].headers.items() if name.lower() == "traceparent"] == [CALLER]
    assert traces.spans


def test_plans_and_examples_are_not_traced(chains: Desk, traces: Traces) -> None:
    assert chains.vault.plan("two").success
    chains.vault.test("shout")
    assert traces.spans == ()


def test_whatever_is_wrong_with_traces_the_run_goes_on(
    chains: Desk, traces: Traces, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("traces are broken")

    monkeypatch.setattr(traces.tracer, "start_span", fail)
    assert chains.run("two").success
    assert "RuntimeError" in caplog.text


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({}, False),
        ({ENDPOINT: ""}, False),
        ({ENDPOINT: "http://127.0.0.1:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}, True),
        ({ENDPOINT: "http://127.0.0.1:4318", "OTEL_SDK_DISABLED": "True"}, False),
        ({ENDPOINT: "http://127.0.0.1:4318", "OTEL_TRACES_EXPORTER": "none"}, False),
        ({ENDPOINT: "http://127.0.0.1:4318", "OTEL_TRACES_EXPORTER": "console, otlp"}, True),
    ],
)
def test_the_usual_variables_say_whether_traces_are_wanted(environment: dict[str, str], wanted: bool) -> None:  # noqa: FBT001  a row
    assert are_wanted(environment) is wanted


def test_without_the_extra_nothing_is_traced_and_nothing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENDPOINT, "http://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "paperagents.runs.open_telemetry", None)
    told: list[object] = []
    assert traced(told.append, str) == told.append


def test_variables_that_cannot_be_meant_trace_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENDPOINT, "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "-1")
    open_telemetry.tracer.cache_clear()
    try:
        assert traced(print, str) is print
    finally:
        open_telemetry.tracer.cache_clear()


# --- as a process


def paper(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "paperagents", "--vault", str(folder), *arguments],
        capture_output=True, text=True, timeout=60, check=False, env={**os.environ, **environment},
    )  # fmt: skip


def test_a_command_sends_its_spans_before_it_ends(chains: Desk, collector: Collector) -> None:
    web = collector.web
    answer = paper(chains.root, "run", "two", "--json", **{ENDPOINT: web.url("")})
    assert (answer.returncode, answer.stderr) == (0, "")
    run_id = json.loads(answer.stdout)["run_id"]
    assert {request.path for request in web.requests} == {"/v1/traces"}
    assert sorted(each.name for each in collector.spans) == [
        "execute_tool read_file",
        "execute_tool shout",
        "run shout",
        "run two",
        "step shout",
    ]
    assert {each.trace_id.hex() for each in collector.spans} == {format_trace_id(ids_of(run_id)[0])}
    assert not any(SECRET.encode() in request.body for request in web.requests)


def test_a_collector_that_is_not_there_changes_nothing(chains: Desk) -> None:
    answer = paper(chains.root, "run", "two", "--json", **{ENDPOINT: "http://127.0.0.1:9"})
    assert (answer.returncode, answer.stderr) == (0, "")
    assert json.loads(answer.stdout)["success"]


def test_a_vault_cannot_have_anything_sent(chains: Desk, collector: Collector) -> None:
    address = collector.web.url("")
    for file in (".env", ".paper/.env", "otel.toml"):
        chains.note(file, f"{ENDPOINT}={address}\n")
    assert paper(chains.root, "run", "two").returncode == 0
    (chains.root / ".paper" / "settings.toml").write_text(f'[otel]\nendpoint = "{address}"\n')
    assert paper(chains.root, "run", "two").returncode == 2
    assert collector.web.requests == []


@pytest.mark.parametrize("command", [("--version",), ("run", "shout", "-p", "words=x")])
def test_nothing_is_loaded_where_nobody_asked(chains: Desk, command: tuple[str, ...]) -> None:
    code = (
        "import sys; from paperagents.interfaces.command_line.app import run; "
        f"run({['--vault', str(chains.root), *command]!r}); "
        "sys.exit(any(name.startswith('opentelemetry.sdk') for name in sys.modules))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
    assert answer.returncode == 0


TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


def test_the_trace_of_a_caller_is_continued(chains: Desk, traces: Traces) -> None:
    with continue_trace(PARENT):
        record = chains.run("two")
    top = traces.one("run two")
    assert top.context is not None
    assert top.parent is not None
    assert format_trace_id(top.context.trace_id) == TRACE
    assert f"{top.parent.span_id:016x}" == "00f067aa0ba902b7"
    assert _span_id(top) == ids_of(record.run_id)[1]
    assert {format_trace_id(each.context.trace_id) for each in traces.spans if each.context} == {TRACE}


@pytest.mark.parametrize("wrong", ["", "00-0", f"01-{TRACE}-00f067aa0ba902b7-01", f"00-{'0' * 32}-00f067aa0ba902b7-01"])
def test_what_is_no_trace_is_passed_over(chains: Desk, traces: Traces, wrong: str) -> None:
    with continue_trace(wrong):
        record = chains.run("two")
    top = traces.one("run two")
    assert top.context is not None
    assert (top.context.trace_id, top.parent) == (ids_of(record.run_id)[0], None)


def test_a_missing_extra_is_said_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv(ENDPOINT, "http://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "paperagents.runs.open_telemetry", None)
    tell_of_missing_extra.cache_clear()
    for _ in range(2):
        traced(lambda _: None, str)
    assert capsys.readouterr().err.count("paperagents[otel]") == 1
