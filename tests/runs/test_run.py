"""Records, secrets, resuming, logs in notes, plans and examples: what a run leaves behind, and what it does not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

import paperagents
from paperagents.approval.question import Approved, Denied
from paperagents.errors import InvalidArgumentsError, UsageError
from paperagents.runs.note_log import format_yaml_log
from paperagents.runs.statistics import tool_statistics

if TYPE_CHECKING:
    from pathlib import Path

    from tests.desk import Desk
    from tests.servers import Web

KEY = "sk-very-secret-key"
HEADER = "Bearer abc-def-ghi"


# --- secrets


@pytest.fixture
def _with_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPER_LLM_API_KEY", KEY)


@pytest.mark.usefixtures("_with_key")
def test_secrets_are_masked_in_records_events_previews_questions_and_errors(
    desk: Desk, web: Web, person: Callable[..., Any]
) -> None:
    web.answers["/x"] = (500, json.dumps({"echo": KEY}))
    desk.tool("talk", f"custom_function: |\n  console.log('{KEY}'); throw new Error('{KEY}'); return 1;")
    headers = {"Authorization": HEADER, "X-Api-Key": HEADER, "Cookie": HEADER, "Accept": "*/*"}
    arguments: Any = {"url": web.url("/x"), "method": "POST", "body": {"key": KEY}, "headers": headers}
    events: list[Any] = []
    somebody = person(Approved())
    shown: list[Any] = [desk.vault.run("rest_request", arguments, approver=somebody, on_event=events.append).as_json()]
    desk.run("rest_request", arguments)
    shown += [request.as_json() for request in somebody.asked + desk.vault.history.questions()]
    shown.append(desk.vault.plan("rest_request", arguments).as_json())
    shown.append(desk.vault.run("talk", on_event=events.append).as_json())
    shown += [desk.vault.history.record(run["run_id"]).as_json() for run in desk.vault.history.runs()]  # type: ignore[arg-type]
    everything = json.dumps([shown, events], default=str)
    assert KEY not in everything
    assert HEADER not in everything
    assert "***" in everything
    assert "*/*" in everything
    assert all(KEY.encode() in request.body for request in web.requests), "what goes out is the real thing"


def test_a_secret_that_another_process_sets_while_this_one_works_is_masked_too(desk: Desk) -> None:
    desk.chain("keep", "\n  - {tool: datavault, parameters: {id: x, content: '{{env.TOKEN}}'}}", "environment: [TOKEN]")
    assert desk.run("search_files", {"query": "x"}).success
    with paperagents.open_vault(desk.root) as other:
        other.environments.set("keep", {"TOKEN": KEY})
    record = desk.run("keep")
    assert record.success
    assert KEY not in json.dumps(record.as_json())
    assert desk.vault.vault_content("x") == KEY


def test_an_edit_keeps_the_secret_behind_a_mask_that_was_left_alone(desk: Desk, web: Web) -> None:
    received: list[str] = []

    def page(handler: Any) -> None:
        received.append(handler.headers["Authorization"])
        handler.send_response(204)
        handler.end_headers()

    web.answers["/x"] = page

    def edit(request: Any) -> Approved:
        assert request.arguments["headers"] == {"Authorization": "***"}
        return Approved(arguments={**request.arguments, "body": "changed"})

    arguments = {"url": web.url("/x"), "method": "POST", "headers": {"Authorization": HEADER}}
    assert desk.run("rest_request", arguments, edit).success
    assert received == [HEADER]
    assert web.requests[0].body == b"changed"


# --- history


def test_history_is_searched_by_tool_status_and_time(desk: Desk) -> None:
    desk.tool("one", "custom_function: return 1;")
    desk.tool("bad", "custom_function: throw new Error('x'); return 1;")
    first, _, third = desk.run("one"), desk.run("bad"), desk.run("one")
    history = desk.vault.history
    assert [run["run_id"] for run in history.runs(tool="one")] == [third.run_id, first.run_id]
    assert [run["tool"] for run in history.runs(status="failed")] == ["bad"]
    assert history.runs(since="9999") == []
    assert len(history.runs(limit=2)) == 2
    figures = {each["tool"]: each for each in tool_statistics(desk.vault.journal)}
    assert (figures["one"]["runs"], figures["one"]["success_rate"], figures["bad"]["failed"]) == (2, 1.0, 1)


def test_a_stored_record_equals_the_one_that_was_returned(desk: Desk) -> None:
    desk.tool("one", "custom_function: |\n  console.log('hi'); return {a: [1, 'ä', null], s: '\\ud800'};")
    record = desk.run("one")
    assert desk.vault.history.record(record.run_id).as_json() == record.as_json()
    assert desk.vault.history.record(record.run_id[:8]).run_id == record.run_id


def test_a_tool_called_by_its_name_is_recorded_under_its_id(desk: Desk) -> None:
    desk.note("t.md", "---\ntool: true\nid: my_id\nname: My Tool\ndescription: d\ncustom_function: return 1;\n---\n")
    assert desk.run("My Tool").tool == "my_id"


def test_a_run_that_is_over_is_not_resumed_and_an_unknown_one_is_told(desk: Desk) -> None:
    desk.tool("one", "custom_function: return 1;")
    record = desk.run("one")
    for run_id, code in ((record.run_id, "run-is-over"), ("nope", "unknown-run"), ("", "unknown-run")):
        with pytest.raises(UsageError) as caught:
            desk.vault.resume(run_id)
        assert caught.value.code == code


def test_a_run_below_another_is_resumed_only_with_the_one_above_it(desk: Desk) -> None:
    desk.chain("inner", "\n  - {tool: write_file, parameters: {filePath: a.md, content: x}}")
    desk.chain("outer", "\n  - {tool: inner, parameters: {}}")
    above = desk.run("outer").run_id
    assert desk.vault.history.record(f"{above}.1").status == "waiting"
    with pytest.raises(UsageError) as caught:
        desk.vault.resume(f"{above}.1", approver=lambda _: Approved())
    assert caught.value.code == "unknown-run"
    assert not (desk.root / "a.md").exists()


def test_a_file_that_is_edited_while_a_run_begins_does_not_pass_for_what_it_was(desk: Desk) -> None:
    file = desk.chain("c", """
  - {tool: write_file, parameters: {filePath: a.md, content: x}}
  - {tool: write_file, parameters: {filePath: b.md, content: first}}
""")  # fmt: skip
    first = file.read_text()

    def edit(event: Any) -> None:
        if event["type"] == "run-started":
            desk.note("tools/c.md", first.replace("first", "edited"))

    desk.vault.run("c", on_event=edit)
    desk.note("tools/c.md", first)
    run = desk.reopened().run("c").run_id
    desk.note("tools/c.md", first.replace("first", "later"))
    assert desk.reopened().resume(run, approver=lambda _: Approved()).success
    assert desk.text("b.md") == "first"


def test_a_failed_run_goes_on_after_its_last_result(desk: Desk) -> None:
    desk.chain("c", """
  - {tool: write_file, parameters: {filePath: log.md, content: "x", append: true}}
  - {tool: read_file, parameters: {filePath: late.md}}
""")  # fmt: skip
    record = desk.run("c", {}, Approved())
    assert record.status == "failed"
    desk.note("late.md", "now")
    again = desk.vault.resume(record.run_id)
    assert again.status == "succeeded"
    assert desk.text("log.md") == "x"
    assert [entry["status"] for entry in again.execution_log] == ["success", "success"]


@pytest.mark.parametrize("flaw", [ValueError("a flaw"), KeyboardInterrupt()])
def test_a_step_that_broke_off_unforeseen_is_no_success_and_is_done_when_the_run_goes_on(
    desk: Desk, flaw: BaseException
) -> None:
    def broken(_: object) -> Approved:
        raise flaw

    desk.chain("c", """
  - {tool: write_file, parameters: {filePath: a.md, content: "x"}}
""")  # fmt: skip
    with suppress(KeyboardInterrupt):
        desk.run("c", {}, broken)
    [run] = desk.vault.history.runs()
    record = desk.vault.history.record(str(run["run_id"]))
    assert [each["status"] for each in record.execution_log] == ["error"]
    assert desk.vault.resume(record.run_id, approver=lambda _: Approved()).success
    assert desk.text("a.md") == "x"


def test_a_failure_the_chain_went_on_after_is_not_tried_again_when_it_is_resumed(desk: Desk) -> None:
    desk.chain("c", """
  - {tool: read_file, name: maybe, continue_on_error: true, parameters: {filePath: late.md}}
  - {tool: write_file, parameters: {filePath: a.md, content: "{{maybe.output}}."}}
""")  # fmt: skip
    assert desk.run("c").status == "waiting"
    desk.note("late.md", "now")
    record = desk.vault.answer(desk.vault.history.questions()[0].id, Approved())
    assert [entry["status"] for entry in record.execution_log] == ["error", "success"]
    assert desk.text("a.md") == "."


def test_wrong_arguments_are_all_told_at_once_and_nothing_runs(desk: Desk) -> None:
    parameters = "  - {name: a, type: string, description: d}\n  - {name: b, type: number, description: d}"
    desk.tool("t", f"parameters:\n{parameters}\ncustom_function: return 1;")
    record = desk.run("t", {"b": "three"})
    assert (record.status, record.exit_code) == ("failed", 2)
    assert record.error is not None
    assert {problem["parameter"] for problem in record.error["details"]["problems"]} == {"a", "b"}  # type: ignore[index, call-overload, union-attr]


def test_wrong_arguments_of_a_tag_called_as_a_tool_are_the_callers(desk: Desk) -> None:
    for tool, arguments in (("memory", {}), ("task", {"identifier": "no blanks"}), ("datavault", {"content": "x"})):
        record = desk.run(tool, arguments)
        assert (record.error and record.error["code"], record.exit_code) == ("invalid-arguments", 2)
    desk.chain("c", "\n  - {tool: memory, parameters: {content: x}}")
    assert desk.run("c").exit_code == 1


def test_an_unknown_tool_is_told_with_the_nearest_name(desk: Desk) -> None:
    record = desk.run("read_fil")
    assert record.error is not None
    assert record.exit_code == 2
    assert "read_file" in str(record.error["hint"])


def test_preprocessing_must_give_an_object(desk: Desk) -> None:
    desk.tool("t", "", "\n```js\n// @preprocess\nreturn 5;\n```\n")
    error = desk.run("t").error
    assert error is not None
    assert (error["code"], error["block"]) == ("preprocess-not-an-object", "preprocess")


def test_blocks_run_in_order_and_see_input_output_and_context(desk: Desk) -> None:
    desk.tool("t", "parameters:\n  - {name: a, type: number, description: d, default: 1}", """
```js
// @preprocess
return { ...input, b: input.a + 1 };
```
```yaml
tool: js_execute
parameters:
  code: "return 40;"
```
```js
// @postprocess
return [output, input.b, context.parameters.a, context.date.length, typeof context.random_id];
```
""")  # fmt: skip
    record = desk.run("t", {"undeclared": True})
    assert record.data == [40, 2, 1, 10, "string"]
    assert [entry["block"] for entry in record.execution_log] == ["preprocess", "tool", "postprocess"]


def test_a_call_cannot_give_another_date_to_a_tool_that_does_not_ask_for_one(desk: Desk) -> None:
    block = """
```js
// @preprocess
return { ...input, script: '{{date}}', same: '{{date}}' === context.date };
```
```yaml
tool: js_execute
parameters: {code: "return ['{{date}}', '{{script}}', {{same}}];"}
```
"""
    parameter = "parameters:\n  - {name: date, type: string, description: d}"
    desk.tool("fixed", "type: single", block)
    desk.tool("asking", parameter, block)
    answer: Any = desk.run("fixed", {"date": "../x"}).data
    date, script, same = answer
    assert (date, same, len(date)) == (script, True, 10)
    assert desk.run("asking", {"date": "../x"}).data == ["../x", "../x", False]


# --- logs in notes


def test_a_tool_that_wants_it_gets_its_log_into_its_file_or_another_note(desk: Desk) -> None:
    desk.tool("own", "log: file\ncustom_function: |\n  throw new Error('```'); return 1;")
    desk.tool("other", "log: logs/all.md\ncustom_function: return 1;")
    desk.run("own", None, Approved())
    desk.run("own")
    desk.run("other", None, Approved())
    assert desk.text("tools/own.md").count("## Execution log") == 1
    assert desk.text("tools/own.md").count("execution_log:") == 2
    assert desk.text("logs/all.md").startswith("## Execution log\n")
    assert desk.vault.registry.tool("own").id == "own"


@pytest.mark.parametrize("path", ["../out.md", ".paper/settings.toml", "/etc/x"])
def test_a_log_never_leaves_the_vault(desk: Desk, own_home: Path, path: str) -> None:
    desk.tool("t", f"log: {path}\ncustom_function: return 1;")
    before = {*desk.root.parent.iterdir(), own_home}
    desk.run("t")
    assert set(desk.root.parent.iterdir()) <= before
    assert not (desk.root / ".paper" / "settings.toml").exists()


def test_the_log_as_yaml_has_the_documented_fields(desk: Desk) -> None:
    desk.tool("t", "custom_function: return 1;")
    assert format_yaml_log(desk.run("t")) == (
        'execution_log:\n  - step: 1\n    block: "custom_function"\n    name: "t"\n    status: "success"\n'
        '    message: "Done."\n'
    )


# --- plans


def test_a_plan_changes_nothing_and_later_steps_see_the_pending_writes(desk: Desk, web: Web) -> None:
    desk.note("old.md", "old")
    desk.chain("c", f"""
  - {{tool: write_file, parameters: {{filePath: n/new.md, content: "fresh #pending"}}}}
  - {{tool: write_file, parameters: {{filePath: old.md, content: " more", append: true}}}}
  - {{tool: read_file, name: x, parameters: {{filePath: old.md}}}}
  - {{tool: search_files, parameters: {{query: "tag:#pending"}}}}
  - {{tool: write_file, parameters: {{path: s, content: "{{{{x.output.content}}}} {{{{prev_step.output.count}}}}"}}}}
  - {{tool: rest_request, parameters: {{url: "{web.url("/x")}", method: POST}}}}
  - {{tool: write_file, parameters: {{filePath: never.md, content: "{{{{prev_step.output}}}}"}}}}
""")  # fmt: skip
    desk.vault.plan("c")
    before = desk.everything()
    record = desk.vault.plan("c")
    assert desk.everything() == before
    assert (record.status, record.success, record.exit_code, record.error) == ("planned", True, 0, None)
    assert record.planned is not None
    assert [(call["tool"], call["would_ask"]) for call in record.planned] == [
        ("write_file", True), ("write_file", True), ("read_file", False), ("search_files", False),
        ("write_file", True), ("rest_request", True),
    ]  # fmt: skip
    assert record.planned[4]["arguments"]["content"] == "old more 1"  # type: ignore[index, call-overload]
    assert list(record.planned[0]) == ["step", "tool", "arguments", "preview", "would_ask"]
    assert web.requests == []


def test_a_plan_that_cannot_be_made_says_why(desk: Desk) -> None:
    desk.note("a.md", "there")
    record = desk.vault.plan("write_file", {"filePath": "a.md", "content": "x"})
    assert (record.status, record.exit_code) == ("failed", 1)
    assert record.error is not None
    assert record.error["code"] == "file-exists"


# --- examples


def test_examples_pass_fail_with_a_difference_and_want_made_up_answers(desk: Desk, web: Web) -> None:
    desk.tool("t", """parameters:
  - {name: q, type: string, description: d}
examples:
  - {name: good, input: {q: a}, output: [1], responses: {web_search: [1]}}
  - {name: part, input: {q: a}, output_contains: [2], responses: {web_search: [1, 2, 3]}}
  - {name: bad, input: {q: a}, output: [1], responses: {web_search: [2]}}
  - {name: error, input: {}, error: invalid-arguments}
  - {name: alone, input: {q: a}, output: [1]}""", f"""
```yaml
tool: web_search
parameters: {{url: "{web.url("/")}?q={{{{q}}}}"}}
```
""")  # fmt: skip
    desk.vault.test("t")
    before = desk.everything()
    results = {each.example: each for each in desk.vault.test("t")}
    assert {name: each.passed for name, each in results.items()} == {
        "good": True, "part": True, "bad": False, "error": True, "alone": False,
    }  # fmt: skip
    assert "-  1\n+  2" in str(results["bad"].difference)
    assert "example-needs-response" in str(results["alone"].difference)
    assert web.requests == []
    assert desk.everything() == before


def test_an_example_can_tell_true_from_one(desk: Desk) -> None:
    desk.tool("t", "examples:\n  - {input: {}, output: {a: 1}}\n  - {input: {}, output: {a: true}}\n"
              "custom_function: 'return {a: true};'")  # fmt: skip
    assert [each.passed for each in desk.vault.test("t")] == [False, True]


# --- traps


def test_overwrite_as_a_reference_to_false_does_not_overwrite(desk: Desk) -> None:
    desk.note("a.md", "old")
    desk.chain("c", '\n  - {tool: write_file, parameters: {filePath: a.md, content: x, overwrite: "{{ow}}"}}',
               "parameters:\n  - {name: ow, type: boolean, description: d}")  # fmt: skip
    assert desk.run("c", {"ow": False}, Approved()).error is not None
    assert desk.text("a.md") == "old"
    assert desk.run("c", {"ow": True}, Approved()).success
    assert desk.text("a.md") == "x"


@pytest.mark.parametrize(
    "value",
    ["{{x}} {{date}}", "$& $1 $$", "{{<tag/>}}", "'\"`\\ \r\n\t\x00é\U0001f600", "input.x", "\\{{", "prev_step.output"],
)
def test_values_arrive_byte_for_byte(desk: Desk, value: str) -> None:
    desk.chain("c", """
  - {tool: write_file, parameters: {filePath: a.md, content: "{{x}}", overwrite: true}}
  - {tool: read_file, parameters: {filePath: a.md}}
  - {tool: write_file, parameters: {filePath: b.md, content: "<{{prev_step.output.content}}>", overwrite: true}}
""", "parameters:\n  - {name: x, type: string, description: d}")  # fmt: skip
    assert desk.run("c", {"x": value}, Approved()).status == "succeeded"
    assert (desk.root / "a.md").read_bytes() == value.encode()
    assert (desk.root / "b.md").read_bytes() == f"<{value}>".encode()


@pytest.mark.parametrize(
    "literal",
    ['"{{t}}"', "'{{t}}'", "`{{t}}`", "/{{t}}/.source && input.t", "(/* {{t}} */ input.t)", '"" + // {{t}}\n  input.t'],
)
@pytest.mark.parametrize(
    "title", ['"; evil()//', "'; evil();'", "${evil()}", "*/ evil(); /*", "\n evil()\n", "\u2028evil()\\"]
)
def test_a_title_in_javascript_never_leaves_its_literal(desk: Desk, literal: str, title: str) -> None:
    desk.tool("t", "parameters:\n  - {name: t, type: string, description: d}", f"""
```js
// @postprocess
globalThis.evil = () => {{ throw new Error("out"); }};
return {literal};
```
""")  # fmt: skip
    assert desk.run("t", {"t": title}).data == title


@pytest.mark.parametrize("path", ["../x.md", "/../x.md", "a/../../x", ".paper/paper.db", "pipe"])
@pytest.mark.parametrize("tool", ["read_file", "write_file"])
def test_tools_do_not_leave_the_vault_nor_touch_what_is_no_file(desk: Desk, path: str, tool: str) -> None:
    os.mkfifo(desk.root / "pipe")
    arguments = {"filePath": path, "overwrite": True, "content": "x"} if tool == "write_file" else {"filePath": path}
    record = desk.run(tool, arguments, Approved())
    assert record.status == "failed"


def test_a_folder_does_not_match_its_longer_namesake(desk: Desk) -> None:
    desk.note("notes/a.md", "word")
    desk.note("notes-old/b.md", "word")
    data = desk.run("search_files", {"query": "word", "path": "/notes"}).data
    assert isinstance(data, dict)
    assert [each["path"] for each in data["results"]] == ["notes/a.md"]  # type: ignore[index, call-overload, union-attr]


def test_several_processes_write_runs_at_the_same_time(desk: Desk) -> None:
    desk.tool("one", "custom_function: return 1;")
    code = (
        "import sys, paperagents\n"
        "with paperagents.open_vault(sys.argv[1]) as vault:\n"
        "    assert all(vault.run('one').success for _ in range(10))\n"
    )
    started = [subprocess.Popen([sys.executable, "-c", code, str(desk.root)]) for _ in range(4)]
    assert [each.wait(60) for each in started] == [0] * 4
    assert len(desk.vault.history.runs(limit=1000)) == 40


def test_a_denied_step_in_a_nested_tool_denies_the_whole(desk: Desk) -> None:
    desk.chain("inner", "\n  - {tool: write_file, parameters: {filePath: a.md, content: x}}")
    desk.chain("outer", "\n  - {tool: inner, parameters: {}}")
    record = desk.run("outer", {}, Denied(reason="why"))
    assert (record.status, record.exit_code) == ("denied", 3)


# --- arguments that are no JSON


def _holding_itself() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["again"] = value
    return value


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), [{"deep": float("nan")}], b"bytes", {1, 2}, {1: 2}, _holding_itself()]
)
def test_an_argument_that_is_no_json_is_refused_by_name_and_kept_out_of_the_record(desk: Desk, value: Any) -> None:
    desk.tool("echo", "custom_function: return input;")
    given = {"good": 1, "odd": value}
    for record in (desk.vault.run("echo", given), desk.vault.plan("echo", given)):
        told: Any = json.loads(json.dumps(record.as_json(), allow_nan=False))
        assert (record.status, record.exit_code) == ("failed", 2)
        assert [each["parameter"] for each in told["error"]["details"]["problems"]] == ["odd"]
    with pytest.raises(InvalidArgumentsError):
        desk.vault.enqueue("echo", {"odd": value})
