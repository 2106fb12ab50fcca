"""What JavaScript calls: shown, asked once, and done as it was shown, however often the script has to be run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.desk import Person

from paperagents.approval.question import Approved, Decision, Denied

if TYPE_CHECKING:
    from tests.desk import Desk
    from tests.servers import Web

    from paperagents.runs.record import RunRecord

TOOL = """module.exports = {
  getMetadata() { return { id: "stamp", name: "stamp", description: "d" }; },
  getSchema() { return { parameters: { type: "object", properties: {} } }; },
  async execute() { CODE }
};"""
STAMPED = """const content = `${Date.now()} ${Math.random()}`;
    return await this.api.callTool("write_file", { filePath: "log.md", content, append: true });"""
SCRIPT = """  - tool: js_execute
    parameters:
      code: |
        return await callTool("write_file", {filePath: "log.md", content: String(Math.random()), append: true});
"""


def answered(desk: Desk, decision: Decision) -> tuple[str, RunRecord]:
    """What was shown, and what came of an answer that another process was given."""
    (question,) = desk.vault.history.questions()
    return str(question.arguments["content"]), desk.reopened().answer(question.id, decision)


@pytest.fixture(params=["module", "step", "script"])
def waiting(desk: Desk, request: pytest.FixtureRequest) -> RunRecord:
    """A run that waits: what it wants to write is another thing each time it is computed."""
    desk.note("stamp.tool.js", TOOL.replace("CODE", STAMPED))
    desk.chain("c", "\n  - {tool: stamp}\n" if request.param == "step" else f"\n{SCRIPT}")
    record = desk.run("stamp" if request.param == "module" else "c")
    assert record.status == "waiting"
    return record


@pytest.mark.usefixtures("waiting")
@pytest.mark.parametrize("decision", [Approved(), Approved(for_run=True)])
def test_what_was_shown_is_what_is_written(desk: Desk, decision: Decision) -> None:
    shown, record = answered(desk, decision)
    assert record.status == "succeeded"
    assert desk.text("log.md") == shown


@pytest.mark.usefixtures("waiting")
def test_one_no_is_enough(desk: Desk) -> None:
    _, record = answered(desk, Denied(reason="not now"))
    assert record.status == "denied"
    assert not (desk.root / "log.md").exists()


@pytest.mark.usefixtures("waiting")
def test_a_file_that_changed_meanwhile_is_asked_about_again(desk: Desk) -> None:
    desk.note("log.md", "before ")
    shown, record = answered(desk, Approved())
    assert record.status == "waiting"
    again, record = answered(desk, Approved())
    assert (again, record.status) == (shown, "succeeded")
    assert desk.text("log.md") == f"before {shown}"


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_dry_run_of_a_javascript_file_shows_requests_and_sends_none(desk: Desk, web: Web, method: str) -> None:
    call = f'{{ url: "{web.url("/x")}", method: "{method}" }}'
    desk.note("stamp.tool.js", TOOL.replace("CODE", f'return await this.api.callTool("rest_request", {call});'))
    record = desk.vault.plan("stamp")
    assert record.planned is not None
    assert [(each["tool"], each["would_ask"]) for each in record.planned] == [("rest_request", method == "POST")]
    assert (record.status, web.requests) == ("planned", [])


def test_a_dry_run_shows_where_a_search_goes(desk: Desk, web: Web) -> None:
    web.answers["/x"] = (200, "1")
    record = desk.vault.plan("web_search", {"url": web.url("/x")})
    assert record.planned is not None
    assert record.planned[0]["preview"] == f"GET {web.url('/x')}"


def test_a_dry_run_shows_scripts(desk: Desk) -> None:
    desk.tool("echo", "custom_function: return input.value;")
    desk.chain("c", "\n  - {tool: js_execute, parameters: {code: return 1}}\n  - {tool: echo}\n")
    record = desk.vault.plan("c")
    assert record.planned is not None
    assert [(each["step"], each["tool"]) for each in record.planned] == [(1, "js_execute"), (2, "echo")]


@pytest.mark.parametrize("answer", [True, None, "yes", Approved])
def test_an_approver_that_decides_nothing_approves_nothing(desk: Desk, answer: object) -> None:
    record = desk.vault.run("write_file", {"filePath": "a.md", "content": "x"}, approver=lambda _: answer)  # type: ignore[arg-type,return-value]
    assert record.status == "failed"
    assert not (desk.root / "a.md").exists()


def test_a_tool_that_runs_as_a_step_writes_its_log_too(desk: Desk) -> None:
    desk.tool("inner", "log: logs/inner.md\ncustom_function: return 1;")
    desk.chain("c", "\n  - {tool: inner, for_each: [1, 2, 3, 4, 5, 6], max_parallel: 6}")
    somebody = Person([Approved()])
    record = desk.vault.run("c", approver=somebody)
    log = desk.text("logs/inner.md")
    assert len(somebody.asked) == 1
    assert [f"{record.run_id}.1[{number}]" in log for number in range(6)] == [True] * 6


def test_the_log_says_that_a_file_cannot_be_used(desk: Desk) -> None:
    desk.note(
        "broken.md", "---\ntool: true\nname: broken\ndescription: d\n---\n```js\n// @preprocess\nreturn {;\n```\n"
    )
    (entry,) = desk.run("broken").execution_log
    assert (entry["name"], entry["status"]) == ("broken", "error")
    assert "broken.md" in str(entry["message"])


def test_a_made_up_answer_does_not_hide_wrong_arguments(desk: Desk) -> None:
    example = "examples: [{input: {}, output: {status: 200}, responses: {%s: {status: 200}}}]"
    step = "\n  - {name: get, tool: rest_request, parameters: {url: 'http://a.example', timeout: %s}}"
    desk.chain("good", step % "3", example % "get")
    desk.chain("wrong", step % "'{{random_id}}'", example % "get")
    assert [each.passed for each in desk.vault.test("good")] == [True]
    assert [each.passed for each in desk.vault.test("wrong")] == [False]


@pytest.mark.parametrize("name", ["my-inner", "My Inner", "label"])
def test_a_made_up_answer_is_found_by_every_name(desk: Desk, name: str) -> None:
    desk.note("tools/i.md", "---\ntool: true\nname: My Inner\ndescription: d\ncustom_function: return 1;\n---\n")
    desk.chain(
        "c", "\n  - {name: label, tool: My Inner}", f"examples: [{{input: {{}}, output: 2, responses: {{{name}: 2}}}}]"
    )
    assert [each.passed for each in desk.vault.test("c")] == [True]


def test_a_dry_run_of_a_javascript_file_sends_nothing_by_way_of_another_tool_either(desk: Desk, web: Web) -> None:
    desk.tool("ask", body=f"```yaml\ntool: web_search\nparameters: {{url: '{web.url('/x')}'}}\n```\n")
    desk.note("stamp.tool.js", TOOL.replace("CODE", 'return await this.api.callTool("ask", {});'))
    record = desk.vault.plan("stamp")
    assert record.planned is not None
    assert [each["tool"] for each in record.planned] == ["web_search"]
    assert (record.status, web.requests) == ("planned", [])


@pytest.mark.parametrize(
    ("front", "body", "block"),
    [
        ("", "```js\n// @preprocess\nreturn {;\n```\n", "preprocess"),
        ("", "```js\n// @preprocess\nreturn input;\n```\n```js\n// @postprocess\nreturn {;\n```\n", "postprocess"),
        ("custom_function: |\n  const a = 1;\n  return {;", "", "custom_function"),
        ("custom_function: return 1;\ntimeout: soon", "", "tool"),
    ],
)
def test_the_log_names_the_block_that_cannot_be_used(desk: Desk, front: str, body: str, block: str) -> None:
    desk.tool("broken", front, body)
    record = desk.run("broken")
    assert record.error is not None
    assert [entry["block"] for entry in record.execution_log] == [record.error["block"]] == [block]


def test_a_missing_variable_is_in_the_log(desk: Desk) -> None:
    desk.tool("needy", "environment: [TOKEN]\ncustom_function: return 1;")
    record = desk.run("needy")
    assert record.error is not None
    (entry,) = record.execution_log
    assert (entry["step"], entry["status"], entry["message"]) == (1, "error", record.error["message"])


def test_steps_are_numbered_without_gaps(desk: Desk) -> None:
    before, after = "```js\n// @preprocess\nreturn input;\n```\n", "```js\n// @postprocess\nreturn output;\n```\n"
    desk.tool("both", "", before + after)
    desk.tool("last", "", after)
    desk.tool("all", "custom_function: return input;", before + after)
    numbers = {name: [entry["step"] for entry in desk.run(name).execution_log] for name in ("both", "last", "all")}
    assert numbers == {"both": [1, 2], "last": [1], "all": [1, 2, 3]}
