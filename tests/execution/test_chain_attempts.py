"""Steps that are tried again: every attempt is a call of its own, also where the run has to wait in between."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

import pytest

from paperagents.approval.decision import Approved

if TYPE_CHECKING:
    from .conftest import Desk, Web

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
    record = desk.vault.store.record(run_id)
    for _ in range(10):
        questions = desk.vault.store.approvals()
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
