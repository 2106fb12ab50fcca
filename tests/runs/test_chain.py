"""The steps of a chain: references, conditions, loops, retries, time, and what the record says of them."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

import pytest

from paperagents.approval.question import Approved, Denied
from paperagents.sandbox import Cancellation

if TYPE_CHECKING:
    from tests.desk import Desk
    from tests.servers import Web

LOG_FIELDS = [
    "step", "block", "name", "status", "message", "parameters", "output", "hitl_required", "hitl_confirmed",
    "approved_by", "approved_at", "approved_via", "console", "timestamp", "duration_ms",
]  # fmt: skip


@pytest.fixture(autouse=True)
def echo(desk: Desk) -> None:
    """A tool that gives back what it gets."""
    desk.tool("echo", "custom_function: |\n  return input.value;")


def outputs(record: Any) -> list[Any]:
    return [entry["output"] for entry in record.execution_log]


def test_labels_previous_outputs_and_post_processing_are_references(desk: Desk) -> None:
    desk.chain("c", """
  - tool: echo
    name: first
    parameters: {value: [1, 2, 3]}
    post_processing: return output.map(each => each * 10);
  - tool: echo
    name: second
    parameters: {value: "prev_step.output[1]"}
  - tool: echo
    parameters: {value: {a: "{{first.output[2]}}", b: "steps.second.output", c: "is {{prev_step.output}}!"}}
""")  # fmt: skip
    record = desk.run("c")
    assert record.data == {"a": 30, "b": 20, "c": "is 20!"}
    assert record.status == "succeeded"


def test_a_repeated_label_means_the_latest(desk: Desk) -> None:
    desk.chain("c", """
  - {tool: echo, name: again, parameters: {value: 1}}
  - {tool: echo, name: again, parameters: {value: 2}}
  - {tool: echo, parameters: {value: "{{again.output}}"}}
""")  # fmt: skip
    assert desk.run("c").data == 2


def test_an_argument_nobody_declared_is_there_when_it_is_given(desk: Desk) -> None:
    desk.note("a.md", "Inside.")
    front = "parameters:\n  - {name: other, type: string, description: d, required: false}\n"
    steps = "steps:\n  - tool: read_file\n    parameters: {filePath: '{{file}}.md'}\n"
    desk.tool("reads", front + steps)
    read = desk.run("reads", {"file": "a"}).data
    assert isinstance(read, dict)
    assert read["content"] == "Inside."
    missing = desk.run("reads").error
    assert missing is not None
    assert (missing["code"], missing["hint"]) == ("unknown-reference", "There is: other, date, time, random_id.")


def test_every_entry_of_the_log_has_every_field(desk: Desk) -> None:
    desk.chain("c", "\n  - {tool: echo, parameters: {value: 1}}\n  - {tool: echo, if: 'false', parameters: {value: 2}}")
    record = desk.run("c").as_json()
    assert list(record) == [
        "run_id", "tool", "status", "success", "data", "error", "execution_log", "started", "duration_ms", "parent_run",
        "warnings", "usage",
    ]  # fmt: skip
    for entry in record["execution_log"]:  # type: ignore[union-attr]
        assert list(entry) == LOG_FIELDS  # type: ignore[arg-type]
    assert [entry["status"] for entry in record["execution_log"]] == ["success", "skipped"]  # type: ignore[index, union-attr, call-overload]
    assert record["data"] is None


def test_a_failing_step_ends_the_chain_and_the_record_says_where(desk: Desk) -> None:
    desk.chain("c", """
  - {tool: echo, parameters: {value: 1}}
  - {tool: read_file, name: look, parameters: {filePath: missing.md}}
  - {tool: echo, parameters: {value: 3}}
""")  # fmt: skip
    record = desk.run("c")
    assert (record.status, record.exit_code) == ("failed", 1)
    assert [entry["status"] for entry in record.execution_log] == ["success", "error"]
    assert record.error is not None
    assert list(record.error) == ["code", "message", "hint", "step", "block", "retryable", "details"]
    assert (record.error["code"], record.error["step"], record.error["block"]) == ("file-not-found", 2, "tool")


def test_a_nested_tool_gives_its_bare_result_and_has_a_record_of_its_own(desk: Desk) -> None:
    desk.chain("inner", "\n  - {tool: echo, parameters: {value: {deep: true}}}")
    desk.chain("outer", "\n  - {tool: inner, parameters: {}}")
    record = desk.run("outer")
    assert record.data == {"deep": True}
    child = desk.vault.history.record(f"{record.run_id}.1")
    assert (child.tool, child.parent_run, child.status) == ("inner", record.run_id, "succeeded")
    assert [run["tool"] for run in desk.vault.history.runs()] == ["outer"]


def test_a_nested_run_is_found_by_its_tool(desk: Desk) -> None:
    desk.chain("inner", "\n  - {tool: echo, parameters: {value: 1}}")
    desk.chain("outer", "\n  - {tool: inner, parameters: {}}")
    outer, inner = desk.run("outer").run_id, desk.run("inner").run_id
    history = desk.vault.history
    assert [run["run_id"] for run in history.runs(tool="inner")] == [inner, f"{outer}.1"]
    assert [run["run_id"] for run in history.runs(tool="inner", nested=False)] == [inner]
    assert history.runs(tool="inner", status="failed") == []
    assert [run["run_id"] for run in history.runs(status="succeeded")] == [inner, outer]


def test_tools_that_call_each_other_too_deeply_are_told_so(desk: Desk) -> None:
    for number in range(17):
        desk.chain(f"level{number}", f"\n  - {{tool: level{number + 1}, parameters: {{}}}}")
    desk.chain("level17", "\n  - {tool: echo, parameters: {value: 1}}")
    assert desk.run("level3").data == 1
    record = desk.run("level2")
    assert record.error is not None
    assert record.error["code"] == "too-deep"
    assert "16" in str(record.error["message"])


# --- if


@pytest.mark.parametrize(
    ("condition", "value", "holds"),
    [
        ("{{box.v}}", True, True),
        ("{{box.v}}", False, False),
        ("input.box.v", [], True),
        ("{{box.v}} === 'x'", "x", True),
        ("'{{box.v}}' === 'x'", "x", True),
        ('"{{box.v}}" !== ""', None, False),
        ("box.v > 2 && prev_step.output == 1", 3, True),
        ("steps.one.output === 1", 0, True),
        ("{{box.v}} == 1", "1) || (1", False),
        ("'{{box.v}}' == 'a'", "' || true || '", False),
        ("'{{box.v}}'.length == 3", "'\n\\", True),
        ("'<{{box.v}}>' === '<x>'", "x", True),
        ("'<{{box.v}}>' === '<>'", "' + '", False),
        ("`<{{box.v}}>`.length === 6", "${1}", True),
        ("date === 'mine'", 1, True),
        ("one.output === 1", 0, True),
        ("preprocess.box.v === 4", 4, True),
    ],
)
def test_a_condition_is_a_reference_or_an_expression_and_values_stay_values(
    desk: Desk,
    condition: str,
    value: Any,
    holds: bool,  # noqa: FBT001  a column of the table
) -> None:
    desk.chain("c", f"""
  - {{tool: echo, name: one, parameters: {{value: 1}}}}
  - tool: echo
    if: {json.dumps(condition)}
    parameters: {{value: ran}}
""", "parameters:\n  - {name: box, type: object, description: d}\n  - {name: class, type: string, description: d}\n"
         "  - {name: date, type: string, description: d}")  # fmt: skip
    record = desk.run("c", {"box": {"v": value}, "class": "reserved", "date": "mine"})
    assert record.error is None
    assert record.data == ("ran" if holds else None)
    assert record.execution_log[1]["status"] == ("success" if holds else "skipped")


# --- loops and parallel steps


@pytest.mark.parametrize("at_once", [1, 4])
def test_a_loop_keeps_the_order_of_its_items(desk: Desk, at_once: int) -> None:
    desk.chain("c", f"""
  - tool: echo
    for_each: "{{{{items}}}}"
    max_parallel: {at_once}
    parameters: {{value: "{{{{index}}}}:{{{{item}}}}"}}
    post_processing: |
      if (output.startsWith("0")) {{ let n = 0; for (let i = 0; i < 300000; i++) n += i; }}
      return output;
""", "parameters:\n  - {name: items, type: array, description: d}")  # fmt: skip
    assert desk.run("c", {"items": ["a", "b", "c"]}).data == ["0:a", "1:b", "2:c"]
    assert desk.run("c", {"items": []}).data == []


def test_the_javascript_of_a_step_in_a_loop_sees_the_item(desk: Desk) -> None:
    desk.chain("c", """
  - tool: echo
    for_each: [a, b]
    parameters: {value: "!"}
    post_processing: return item + output + index;
  - tool: echo
    for_each: [[1, 2]]
    parameters: {value: 1}
    post_processing: "const [item] = [3]; return item + index;"
  - {tool: echo, parameters: {value: ["{{echo.output}}"]}}
""")  # fmt: skip
    assert desk.problems("tools/c.md") == []
    record = desk.run("c")
    assert record.data == [[3]]
    assert [each["output"] for each in record.execution_log if each["block"] == "postprocess"] == ["a!0", "b!1", 3]


def test_a_loop_over_something_else_than_a_list_is_an_error(desk: Desk) -> None:
    desk.chain("c", '\n  - {tool: echo, for_each: "{{x}}", parameters: {value: 1}}',
               "parameters:\n  - {name: x, type: string, description: d}")  # fmt: skip
    error = desk.run("c", {"x": "text"}).error
    assert error is not None
    assert (error["code"], error["step"]) == ("for-each-not-a-list", 1)


def test_a_failure_in_a_parallel_loop_starts_no_further_items(desk: Desk) -> None:
    desk.chain("c", """
  - tool: read_file
    for_each: "{{items}}"
    max_parallel: 2
    parameters: {filePath: "missing-{{item}}.md"}
""", "parameters:\n  - {name: items, type: array, description: d}")  # fmt: skip
    record = desk.run("c", {"items": list(range(200))})
    assert record.status == "failed"
    assert len(record.execution_log) < 100


def test_parallel_steps_run_side_by_side_and_can_be_referred_to(desk: Desk, web: Web) -> None:
    both_are_there = threading.Barrier(2, timeout=20)

    def meet(handler: BaseHTTPRequestHandler) -> None:
        both_are_there.wait()
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.end_headers()
        handler.wfile.write(b'"met"')

    web.answers["/meet"] = meet
    desk.chain("c", f"""
  - name: both
    parallel:
      - {{tool: web_search, name: left, parameters: {{url: "{web.url("/meet")}"}}}}
      - {{tool: web_search, name: right, parameters: {{url: "{web.url("/meet")}"}}}}
  - {{tool: echo, parameters: {{value: ["{{{{left.output}}}}", "steps.right.output", "prev_step.output"]}}}}
""")  # fmt: skip
    assert desk.run("c").data == ["met", "met", ["met", "met"]]


def test_what_a_group_of_parallel_steps_says_about_failing_holds_for_each_of_them(desk: Desk) -> None:
    desk.chain("c", """
  - name: both
    continue_on_error: true
    retry: {attempts: 2}
    parallel:
      - {tool: read_file, name: left, parameters: {filePath: missing.md}}
      - {tool: echo, name: right, parameters: {value: 1}}
  - {tool: echo, parameters: {value: ["{{left.output}}", "{{right.output}}", "{{both.output}}"]}}
""")  # fmt: skip
    record = desk.run("c")
    assert record.data == [None, 1, [None, 1]]
    left = [entry["status"] for entry in record.execution_log if entry["name"] == "left"]
    assert left == ["error", "error"]


def test_a_group_of_parallel_steps_ends_when_its_time_is_over(desk: Desk, web: Web) -> None:
    let_go = hanging(web)
    desk.chain("c", f"""
  - timeout: 0.2
    parallel:
      - {{tool: rest_request, parameters: {{url: "{web.url("/hang")}"}}}}
""")  # fmt: skip
    record = desk.run("c")
    let_go.set()
    assert record.error is not None
    assert record.error["code"] == "step-timeout"


@pytest.mark.parametrize(("of_the_group", "of_the_step"), [(0.2, 600), (600, 0.2)])
def test_of_the_times_of_a_group_and_of_its_step_the_shorter_counts(
    desk: Desk, web: Web, of_the_group: float, of_the_step: float
) -> None:
    let_go = hanging(web)
    desk.chain("c", f"""
  - timeout: {of_the_group}
    parallel:
      - {{tool: rest_request, timeout: {of_the_step}, parameters: {{url: "{web.url("/hang")}"}}}}
""")  # fmt: skip
    record = desk.run("c")
    let_go.set()
    assert record.error is not None
    assert record.error["code"] == "step-timeout"


def test_a_group_of_parallel_steps_can_be_repeated_and_processed(desk: Desk) -> None:
    desk.chain("c", """
  - name: both
    for_each: [1, 2]
    post_processing: return output.join("+");
    parallel:
      - {tool: echo, name: left, parameters: {value: "{{item}}"}}
      - {tool: echo, name: right, parameters: {value: "{{index}}"}}
  - {tool: echo, parameters: {value: ["{{both.output}}", "{{left.output}}", "{{right.output}}"]}}
""")  # fmt: skip
    assert desk.run("c").data == [["1+0", "2+1"], 2, 1]


def test_a_group_whose_processing_fails_may_be_forgiven(desk: Desk) -> None:
    desk.chain("c", """
  - continue_on_error: true
    post_processing: return output.no.such;
    parallel:
      - {tool: echo, name: left, parameters: {value: 1}}
  - {tool: echo, parameters: {value: ["prev_step.output", "{{left.output}}"]}}
""")  # fmt: skip
    assert desk.run("c").data == [None, 1]


def test_steps_of_a_group_that_was_left_out_have_the_output_null(desk: Desk) -> None:
    desk.chain("c", """
  - if: "false"
    parallel:
      - {tool: echo, name: left, parameters: {value: 1}}
      - parallel:
          - {tool: echo, name: deep, parameters: {value: 1}}
  - {tool: echo, parameters: {value: ["{{left.output}}", "{{deep.output}}"]}}
""")  # fmt: skip
    record = desk.run("c")
    assert record.data == [None, None]
    assert {entry["name"]: entry["status"] for entry in record.execution_log}["deep"] == "skipped"


def test_a_group_inside_a_group_can_be_referred_to(desk: Desk) -> None:
    desk.chain("c", """
  - parallel:
      - {tool: echo, name: left, parameters: {value: 1}}
      - parallel:
          - {tool: echo, name: deep, parameters: {value: 2}}
  - {tool: echo, parameters: {value: ["{{left.output}}", "{{deep.output}}", "prev_step.output"]}}
""")  # fmt: skip
    assert desk.run("c").data == [1, 2, [1, [2]]]


def test_two_parallel_writes_both_wait_and_both_can_be_answered(desk: Desk) -> None:
    desk.chain("c", """
  - parallel:
      - {tool: write_file, name: a, parameters: {filePath: a.md, content: a}}
      - {tool: write_file, name: b, parameters: {filePath: b.md, content: b}}
""")  # fmt: skip
    assert desk.run("c").status == "waiting"
    first, second = desk.vault.history.questions()
    assert desk.vault.answer(first.id, Approved()).status == "waiting"
    (left,) = desk.vault.history.questions()
    assert left.digest == second.digest
    assert desk.vault.answer(left.id, Approved()).status == "succeeded"
    assert (desk.text("a.md"), desk.text("b.md")) == ("a", "b")


def test_an_item_that_waits_lets_all_others_come_to_their_questions(desk: Desk) -> None:
    desk.chain("c", """
  - for_each: input.items
    max_parallel: 2
    tool: write_file
    parameters: {filePath: "{{item}}.md", content: x}
""", "parameters: [{name: items, type: array, description: d}]")  # fmt: skip
    assert desk.run("c", {"items": list(range(30))}).status == "waiting"
    asked = {question.arguments["filePath"] for question in desk.vault.history.questions()}
    assert asked == {f"{number}.md" for number in range(30)}


# --- failing, again


def test_a_step_is_tried_again_until_it_works(desk: Desk, web: Web) -> None:
    def fail_twice(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200 if len(web.requests) == 3 else 503)
        handler.send_header("content-type", "application/json")
        handler.end_headers()
        handler.wfile.write(b"3")

    web.answers["/x"] = fail_twice
    desk.chain("c", f"""
  - tool: web_search
    retry: {{attempts: 3, delay: 0.01, backoff: 2}}
    parameters: {{url: "{web.url("/x")}"}}
""")  # fmt: skip
    record = desk.run("c")
    assert record.data == 3
    assert [entry["status"] for entry in record.execution_log] == ["error", "error", "success"]


def test_a_changing_request_that_failed_is_asked_and_sent_again(desk: Desk, web: Web, person: Any) -> None:
    web.answers["/x"] = (503, "{}")
    desk.chain("c", f"""
  - tool: rest_request
    retry: {{attempts: 2}}
    parameters: {{url: "{web.url("/x")}", method: POST}}
""")  # fmt: skip
    somebody = person(Approved())
    record = desk.vault.run("c", approver=somebody)
    assert record.error is not None
    assert record.error["code"] == "http-status"
    assert len(somebody.asked) == len(web.requests) == 2


def test_a_no_is_not_asked_again(desk: Desk, person: Any) -> None:
    desk.chain("c", "\n  - {tool: write_file, retry: {attempts: 5}, parameters: {filePath: a.md, content: a}}")
    somebody = person(Denied(reason="because"))
    assert desk.vault.run("c", approver=somebody).status == "denied"
    assert len(somebody.asked) == 1


def test_a_chain_goes_on_after_a_step_that_may_fail(desk: Desk) -> None:
    desk.chain("c", """
  - {tool: read_file, name: maybe, continue_on_error: true, parameters: {filePath: missing.md}}
  - {tool: echo, parameters: {value: {got: "{{maybe.output}}"}}}
""")  # fmt: skip
    record = desk.run("c")
    assert record.data == {"got": None}
    assert [entry["status"] for entry in record.execution_log] == ["error", "success"]


# --- time and stopping


def hanging(web: Web) -> threading.Event:
    """A page that answers when the event is set, or sets it itself where nobody does."""
    let_go = threading.Event()

    def hang(handler: BaseHTTPRequestHandler) -> None:
        let_go.wait(20)
        let_go.set()
        handler.send_response(204)
        handler.end_headers()

    web.answers["/hang"] = hang
    return let_go


@pytest.mark.parametrize("place", ["step", "tool"])
def test_a_request_ends_when_the_time_of_the_step_or_tool_is_over(desk: Desk, web: Web, place: str) -> None:
    let_go = hanging(web)
    limit = "timeout: 0.2, " if place == "step" else ""
    desk.chain("c", f'\n  - {{tool: rest_request, {limit}parameters: {{url: "{web.url("/hang")}"}}}}',
               "timeout: 0.2" if place == "tool" else "")  # fmt: skip
    record = desk.run("c")
    assert not let_go.is_set()
    let_go.set()
    assert record.error is not None
    assert record.error["code"] == f"{place}-timeout"
    assert record.error["step"] == 1


def test_the_record_says_that_the_time_was_over_also_where_the_chain_goes_on(desk: Desk) -> None:
    desk.tool("busy", "custom_function: |\n  while (input) {} return 1;")
    desk.chain("c", """
  - {tool: busy, timeout: 0.2, continue_on_error: true}
  - {tool: echo, parameters: {value: 1}}
""")  # fmt: skip
    record = desk.run("c")
    assert record.data == 1
    assert record.execution_log[0]["status"] == "error"
    assert "0.2 s" in str(record.execution_log[0]["message"])
    below = desk.vault.history.record(f"{record.run_id}.1")
    assert below.error is not None
    assert (below.status, below.error["code"]) == ("failed", "step-timeout")


def test_a_step_that_may_fail_does_not_forgive_that_the_time_of_the_tool_is_over(desk: Desk) -> None:
    desk.tool("busy", "custom_function: |\n  while (input) {} return 1;")
    desk.chain("c", "\n  - {tool: busy, continue_on_error: true, retry: 3}", "timeout: 0.2")
    record = desk.run("c")
    assert record.error is not None
    assert record.error["code"] == "tool-timeout"
    assert len(record.execution_log) == 1


def test_the_time_a_person_thinks_does_not_count(desk: Desk) -> None:
    desk.chain(
        "c", "\n  - {tool: write_file, timeout: 0.15, parameters: {filePath: a.md, content: a}}", "timeout: 0.15"
    )

    def think(_: Any) -> Approved:
        threading.Event().wait(0.4)
        return Approved()

    assert desk.run("c", {}, think).status == "succeeded"


@pytest.mark.parametrize("what", ["javascript", "request", "wait"])
def test_stopping_ends_the_run_in_the_middle_and_is_recorded(desk: Desk, web: Web, what: str) -> None:
    let_go = hanging(web)
    desk.tool("loop", "custom_function: |\n  let i = 0; while (i >= 0) { i = (i + 1) % 10; }\n  return i;")
    steps = {
        "javascript": "{tool: loop, parameters: {}}",
        "request": f'{{tool: rest_request, parameters: {{url: "{web.url("/hang")}"}}}}',
        "wait": "{tool: read_file, retry: {attempts: 2, delay: 60}, parameters: {filePath: missing.md}}",
    }
    desk.chain("c", f"\n  - {steps[what]}\n  - {{tool: echo, parameters: {{value: 2}}}}")
    stop = Cancellation()
    begun = "step-finished" if what == "wait" else "step-started"

    def on_event(event: Any) -> None:
        if event["type"] == begun:
            threading.Timer(0.1, stop.cancel).start()

    record = desk.vault.run("c", stop=stop, on_event=on_event)
    let_go.set()
    assert record.status == "cancelled"
    assert record.error is not None
    assert (record.error["code"], record.error["step"], record.error["block"]) == ("cancelled", 1, "tool")
    stored = desk.vault.history.record(record.run_id)
    assert stored.status == "cancelled"
    assert [entry["name"] for entry in stored.execution_log] == [record.execution_log[0]["name"]]


# --- side by side


def test_the_failure_that_came_first_is_the_failure_of_the_chain(desk: Desk) -> None:
    slow = "const until = Date.now() + 300; while (Date.now() < until) {} throw new Error('late'); return 1;"
    desk.tool("late", f"custom_function: |\n  {slow}")
    desk.tool("early", "custom_function: |\n  throw new Error('early'); return 1;")
    desk.chain("c", "\n  - parallel:\n      - {tool: late}\n      - {tool: early}")
    error = desk.run("c").error
    assert error is not None
    assert "early" in str(error["message"])


def test_side_by_side_may_mean_one_at_a_time(desk: Desk, web: Web) -> None:
    under_way = list[int]()
    most = list[int]()

    def count(handler: BaseHTTPRequestHandler) -> None:
        under_way.append(1)
        most.append(len(under_way))
        threading.Event().wait(0.1)
        under_way.pop()
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.end_headers()
        handler.wfile.write(b"1")

    web.answers["/x"] = count
    step = f"{{tool: web_search, parameters: {{url: '{web.url('/x')}'}}}}"
    desk.chain("c", f"\n  - max_parallel: 1\n    parallel:\n      - {step}\n      - {step}")
    assert desk.run("c").data == [1, 1]
    assert max(most) == 1
    desk.chain("d", f"\n  - parallel:\n      - {step}\n      - {step}")
    assert desk.run("d").data == [1, 1]
    assert max(most) == 2
