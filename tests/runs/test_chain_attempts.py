"""Steps that are tried again: every attempt is a call of its own, also where the run has to wait in between."""

from __future__ import annotations

import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

import pytest

from paperagents.approval.question import Approved
from paperagents.errors import UsageError

if TYPE_CHECKING:
    from tests.desk import Desk
    from tests.servers import Web

JUDGED = "if (output < 3) throw new Error('not ready'); return output;"


@pytest.fixture
def counting(desk: Desk, web: Web) -> str:
    """The address of a server that tells how often it was asked."""

    def count(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.end_headers()
        handler.wfile.write(str(len(web.requests)).encode())

    web.answers["/x"] = count
    url = web.url("/x")
    ask = f"```yaml\ntool: web_search\nparameters: {{url: '{url}'}}\n```\n"
    desk.tool("ask", body=ask)
    desk.tool("poll", body=f"{ask}```js\n// @postprocess\n{JUDGED}\n```\n")
    desk.chain("poll_by_steps", "\n  - {tool: ask}\n  - {tool: judge, parameters: {value: '{{prev_step.output}}'}}")
    desk.tool("judge", f"custom_function: |\n  const output = input.value; {JUDGED}")
    return url


@pytest.mark.parametrize(
    "step",
    [
        "{tool: poll, retry: {attempts: 4}}",
        "{tool: poll_by_steps, retry: {attempts: 4}}",
        '{tool: ask, retry: {attempts: 4}, post_processing: "JUDGED"}',
        '{tool: web_search, parameters: {url: "URL"}, retry: {attempts: 4}, post_processing: "JUDGED"}',
    ],
)
def test_each_attempt_asks_the_tool_again(desk: Desk, web: Web, counting: str, step: str) -> None:
    desk.chain("c", f"\n  - {step.replace('URL', counting).replace('JUDGED', JUDGED)}")
    record = desk.run("c")
    assert (record.data, len(web.requests)) == (3, 3)


def answered(desk: Desk, run_id: str, decision: Any) -> Any:
    """Answer the open question of a run as another process would, until there is none."""
    record = desk.vault.history.record(run_id)
    for _ in range(10):
        questions = desk.vault.history.questions()
        if not questions:
            break
        record = desk.reopened().answer(questions[0].id, decision)
    return record


@pytest.mark.parametrize(("forgiving", "status"), [("", "failed"), ("continue_on_error: true, ", "succeeded")])
def test_attempts_are_counted_over_all_answers(desk: Desk, web: Web, forgiving: str, status: str) -> None:
    web.answers["/x"] = (503, "{}")
    desk.tool("echo", "custom_function: return input.value;")
    desk.chain("c", f"""
  - {{tool: rest_request, {forgiving}retry: {{attempts: 2}}, parameters: {{url: "{web.url("/x")}", method: POST}}}}
  - {{tool: echo, parameters: {{value: after}}}}
""")  # fmt: skip
    waiting = desk.run("c")
    assert waiting.status == "waiting"
    record = answered(desk, waiting.run_id, Approved())
    assert (record.status, len(web.requests)) == (status, 2)
    assert [entry["status"] for entry in record.execution_log][:2] == ["error", "error"]


def test_a_change_before_a_failure_is_made_once_for_each_attempt(desk: Desk) -> None:
    step = (
        "{tool: write_file, retry: {attempts: 3}, post_processing: 'throw new Error(1); return 1;', "
        "parameters: {filePath: a.md, content: x, append: true}}"
    )
    desk.chain("c", f"\n  - {step}")
    waiting = desk.run("c")
    assert answered(desk, waiting.run_id, Approved()).status == "failed"
    assert desk.text("a.md") == "xxx"
    desk.chain("d", f"\n  - {step.replace('a.md', 'b.md')}")
    assert desk.run("d", {}, Approved()).status == "failed"
    assert desk.text("b.md") == "xxx"


def test_what_was_forgiven_or_repeated_is_told_once_however_often_the_run_goes_on(desk: Desk) -> None:
    desk.tool("echo", "custom_function: return input.value;")
    desk.chain("c", """
  - {tool: echo, name: asked, if: "input.a.b.c", continue_on_error: true}
  - {tool: echo, name: looped, for_each: "{{a.b}}", continue_on_error: true}
  - tool: echo
    name: tried
    retry: 2
    continue_on_error: true
    post_processing: throw new Error(1); return 1;
  - {tool: write_file, parameters: {filePath: a.md, content: a}}
  - {tool: write_file, parameters: {filePath: b.md, content: b}}
""", "parameters: [{name: a, type: object, description: d}]")  # fmt: skip
    waiting = desk.run("c", {"a": {"z": 1}})
    record = answered(desk, waiting.run_id, Approved())
    assert record.status == "succeeded"
    told = [(entry["name"], entry["status"]) for entry in record.execution_log]
    assert told[:4] == [("asked", "error"), ("looped", "error"), ("tried", "success"), ("tried", "error")]
    kept = desk.vault.history.record(waiting.run_id).execution_log
    assert [(entry["name"], entry["status"]) for entry in kept] == told


@pytest.fixture
def unknown_run(desk: Desk, web: Web) -> str:
    """A chain whose request was under way when the program was killed, taken up once: nobody knows."""
    came, over = threading.Event(), threading.Event()

    def hang(handler: BaseHTTPRequestHandler) -> None:
        came.set()
        over.wait(60)
        handler.close_connection = True

    web.answers["/x"] = hang
    step = f"{{name: sent, tool: rest_request, retry: 3, parameters: {{url: '{web.url('/x')}', method: POST}}}}"
    desk.tool("say", "custom_function: return input.status;")
    desk.chain("c", f"\n  - {step}\n  - {{tool: say, parameters: {{status: '{{{{sent.output.status}}}}'}}}}")
    command = [sys.executable, "-m", "paperagents", "--vault", str(desk.root), "run", "c", "--yes"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as program:
        assert came.wait(60)
        program.kill()
    over.set()
    (run_id,) = desk.reopened().history.running()
    record = desk.vault.resume(run_id, approver=lambda _: Approved())
    assert record.error is not None
    assert record.error["code"] == "outcome-unknown"
    web.answers["/x"] = (200, "{}")
    return run_id


def test_a_request_that_may_have_been_made_is_not_repeated(unknown_run: str, web: Web) -> None:
    assert unknown_run
    assert len(web.requests) == 1


def test_what_a_person_says_was_done_is_the_result_and_the_run_goes_on(desk: Desk, web: Web, unknown_run: str) -> None:
    desk.vault.confirm_done(unknown_run, {"status": 201}, approved=Approved(by="ada", via="terminal"))
    record = desk.vault.resume(unknown_run)
    assert (record.status, record.data, len(web.requests)) == ("succeeded", 201, 1)
    sent = record.execution_log[0]
    assert (sent["status"], sent["approved_by"], sent["output"]) == ("success", "ada", {"status": 201})
    assert "ada" in str(sent["message"])


def test_what_was_not_done_is_asked_for_again_with_the_same_key(desk: Desk, web: Web, unknown_run: str) -> None:
    record = desk.vault.resume(unknown_run, approver=lambda _: Approved())
    assert record.status == "succeeded"
    first, second = (request.headers["idempotency-key"] for request in web.requests)
    assert first == second


def test_only_what_is_unknown_can_be_said_to_be_done(desk: Desk, unknown_run: str) -> None:
    desk.vault.confirm_done(unknown_run)
    with pytest.raises(UsageError) as refused:
        desk.vault.confirm_done(unknown_run)
    assert refused.value.code == "nothing-unknown"


def test_each_agreed_request_has_a_key_of_its_own(desk: Desk, web: Web) -> None:
    web.answers["/x"] = (200, "{}")
    step = f"{{tool: rest_request, for_each: [1, 2], parameters: {{url: '{web.url('/x')}', method: POST}}}}"
    desk.chain("c", f"\n  - {step}")
    assert desk.vault.run("c", approver=lambda _: Approved()).status == "succeeded"
    assert len({request.headers["idempotency-key"] for request in web.requests}) == 2


def test_a_key_of_the_tool_is_left_as_it_is(desk: Desk, web: Web) -> None:
    web.answers["/x"] = (200, "{}")
    call = {"url": web.url("/x"), "method": "POST", "headers": {"idempotency-key": "mine"}}
    assert desk.run("rest_request", call, Approved()).status == "succeeded"
    assert web.requests[0].headers["idempotency-key"] == "mine"
