"""Approval: what is shown is what is done, and nothing is done without a yes to exactly that."""

from __future__ import annotations

import inspect
import json
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

import pytest
from tests.desk import Person

import paperagents
from paperagents.approval.question import ApprovalRequest, Approved, Denied, Pending
from paperagents.approval.rules import Rule
from paperagents.errors import UsageError
from paperagents.interfaces.command_line.app import COMMANDS
from paperagents.runs.session import Session
from paperagents.vault import Vault

if TYPE_CHECKING:
    from pathlib import Path

    from tests.desk import Desk
    from tests.servers import Web

    from paperagents.runs.record import RunRecord

WRITE = {"filePath": "a.md", "content": "new"}


def write_chain(desk: Desk, name: str = "two") -> None:
    desk.chain(name, """
  - {tool: write_file, parameters: {filePath: one.md, content: "1"}}
  - {tool: write_file, parameters: {filePath: two.md, content: "2"}}
""")  # fmt: skip


# --- asking


@pytest.mark.parametrize("url", ["http://a℀b/", "http://[::1", "http://[x]/", "http://\ud800/"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_address_that_cannot_be_read_is_refused_as_one(desk: Desk, url: str, method: str) -> None:
    record = desk.run("rest_request", {"url": url, "method": method}, Approved())
    assert record.error is not None
    assert record.error["code"] == "url-invalid"


def test_nothing_is_written_when_nobody_is_there_and_the_run_waits(desk: Desk) -> None:
    record = desk.run("write_file", WRITE)
    assert (record.status, record.exit_code, record.success) == ("waiting", 3, False)
    assert record.execution_log[0]["status"] == "waiting"
    assert (record.execution_log[0]["hitl_required"], record.execution_log[0]["hitl_confirmed"]) == (True, None)
    assert not (desk.root / "a.md").exists()


def test_nobody_is_asked_about_a_file_that_cannot_be_written(desk: Desk, person: Callable[..., Any]) -> None:
    (desk.root / "link").symlink_to(desk.root.parent)
    somebody = person(Approved())
    through_link = {"filePath": "link/a.md", "content": "x"}
    too_large = {"filePath": "a.md", "content": "x" * 17_000_000}
    for arguments, code in ((through_link, "path-outside-vault"), (too_large, "file-too-large")):
        record = desk.vault.run("write_file", arguments, approver=somebody)
        assert (record.status, record.error and record.error["code"]) == ("failed", code)
        assert desk.vault.plan("write_file", arguments).status == "failed"
    assert somebody.asked == []


@pytest.mark.parametrize(("more", "code"), [({}, "file-exists"), ({"overwrite": True}, "not-utf8")])
def test_a_file_that_is_no_text_is_left_alone(desk: Desk, more: dict[str, Any], code: str) -> None:
    (desk.root / "a.md").write_bytes(b"\xff\xfe")
    record = desk.run("write_file", {**WRITE, **more}, Approved())
    assert (record.status, record.error and record.error["code"]) == ("failed", code)
    assert (desk.root / "a.md").read_bytes() == b"\xff\xfe"


def test_nothing_is_written_when_the_person_says_no_and_the_reason_reaches_the_caller(desk: Desk) -> None:
    record = desk.run("write_file", WRITE, Denied(reason="not today"))
    assert (record.status, record.exit_code) == ("denied", 3)
    assert record.error is not None
    assert record.error["details"] == {"reason": "not today"}
    assert "not today" in str(record.error["message"])
    assert record.execution_log[0]["hitl_confirmed"] is False
    assert not (desk.root / "a.md").exists()


def test_the_log_says_who_said_no_when_and_how(desk: Desk) -> None:
    record = desk.run("write_file", WRITE, Denied(by="ada", via="page"))
    entry = record.execution_log[0]
    assert (entry["approved_by"], entry["approved_via"]) == ("ada", "page")
    assert str(entry["approved_at"]) >= record.started
    desk.run("write_file", WRITE)
    later = desk.vault.answer(desk.vault.history.questions()[0].id, Denied(by="bob", via="api"))
    assert (later.execution_log[0]["approved_by"], later.execution_log[0]["approved_via"]) == ("bob", "api")


def test_the_request_shows_the_diff_the_tool_the_run_and_the_step(desk: Desk, person: Callable[..., Any]) -> None:
    desk.note("a.md", "one\ntwo\n")
    desk.chain("c", '\n  - {tool: write_file, parameters: {filePath: /a.md, content: "one\\n2\\n", overwrite: true}}')
    somebody = person(Approved())
    record = desk.vault.run("c", approver=somebody)
    (request,) = somebody.asked
    assert request.preview == "--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,2 @@\n one\n-two\n+2"
    assert (request.tool, request.run_id, request.step) == ("write_file", record.run_id, 1)
    assert desk.text("a.md") == "one\n2\n"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "post", " post ", "Patch", "PURGE", "x"])
def test_every_method_but_the_reading_ones_asks(desk: Desk, web: Web, method: str) -> None:
    web.answers["/"] = (200, "{}")
    record = desk.run("rest_request", {"url": web.url("/"), "method": method})
    assert record.status == "waiting"
    assert web.requests == []


@pytest.mark.parametrize("method", ["GET", "head", " options "])
def test_reading_methods_do_not_ask(desk: Desk, web: Web, method: str) -> None:
    web.answers["/"] = (200, "{}")
    assert desk.run("rest_request", {"url": web.url("/"), "method": method}).status == "succeeded"


def test_web_search_cannot_be_made_to_change_anything(desk: Desk, web: Web) -> None:
    record = desk.run("web_search", {"url": web.url("/"), "method": "POST"})
    assert record.error is not None
    assert record.error["code"] == "method-changing"
    assert web.requests == []


def test_a_nested_tool_asks_the_same_person(desk: Desk, person: Callable[..., Any]) -> None:
    write_chain(desk, "inner")
    desk.chain("outer", "\n  - {tool: inner, parameters: {}}")
    somebody = person(Approved())
    record = desk.vault.run("outer", approver=somebody)
    assert record.status == "succeeded"
    assert [request.arguments["filePath"] for request in somebody.asked] == ["one.md", "two.md"]
    assert {request.run_id for request in somebody.asked} == {record.run_id}


def test_a_tool_that_wants_it_is_asked_about_as_a_whole(desk: Desk) -> None:
    desk.tool("careful", "approval: always\nparameters:\n  - {name: x, type: string, description: d}\n"
              "custom_function: return input.x;")  # fmt: skip
    assert desk.run("careful", {"x": "1"}).status == "waiting"
    assert desk.run("careful", {"x": "1"}, Denied()).status == "denied"
    assert desk.run("careful", {"x": "1"}, Approved()).data == "1"
    edited = desk.run("careful", {"x": "1"}, Approved(arguments={"x": "2"}))
    assert edited.data == "2"


def test_a_tool_file_cannot_ask_for_less(desk: Desk) -> None:
    desk.chain("c", "\n  - {tool: write_file, parameters: {filePath: a.md, content: x}}", "approval: never")
    assert desk.run("c").status in ("waiting", "failed")
    assert not (desk.root / "a.md").exists()


# --- changes between asking and doing


def test_a_file_that_changes_while_the_person_thinks_is_shown_again(desk: Desk, person: Callable[..., Any]) -> None:
    desk.note("a.md", "old\n")

    def change_and_agree(_: ApprovalRequest) -> Approved:
        desk.note("a.md", "changed\n")
        return Approved()

    somebody = person(change_and_agree, Denied())
    record = desk.vault.run("write_file", {**WRITE, "overwrite": True}, approver=somebody)
    assert record.status == "denied"
    assert "-changed" in somebody.asked[1].preview
    assert record.warnings == ("a.md is no longer as it was shown, so it is asked again.",)
    assert desk.text("a.md") == "changed\n"


def test_a_file_that_appears_while_the_person_thinks_is_left_alone(desk: Desk, person: Callable[..., Any]) -> None:
    def appear_and_agree(_: ApprovalRequest) -> Approved:
        desk.note("a.md", "somebody else's")
        return Approved()

    record = desk.vault.run("write_file", WRITE, approver=person(appear_and_agree))
    assert record.error is not None
    assert record.error["code"] == "file-exists"
    assert desk.text("a.md") == "somebody else's"


def test_a_stored_yes_to_an_older_content_is_asked_again(desk: Desk) -> None:
    desk.note("a.md", "old\n")
    desk.run("write_file", {**WRITE, "overwrite": True})
    (request,) = desk.vault.history.questions()
    desk.note("a.md", "changed\n")
    assert desk.vault.answer(request.id, Approved()).status == "waiting"
    (again,) = desk.vault.history.questions()
    assert again.digest != request.digest
    assert desk.text("a.md") == "changed\n"
    assert desk.vault.answer(again.id, Approved()).status == "succeeded"


def test_what_an_edit_says_is_validated_done_and_recorded(desk: Desk) -> None:
    record = desk.run("write_file", WRITE, Approved(arguments={"filePath": "b.md", "content": "mine"}))
    assert desk.text("b.md") == "mine"
    assert not (desk.root / "a.md").exists()
    entry = record.execution_log[0]
    assert entry["parameters"] == {"filePath": "b.md", "content": "mine", "overwrite": False, "append": False}
    assert "changed arguments" in str(entry["message"])


@pytest.mark.parametrize("arguments", [{"filePath": "b.md"}, {"filePath": 3, "content": "x"}, {**WRITE, "extra": 1}])
def test_an_edit_that_is_no_valid_call_writes_nothing(desk: Desk, arguments: dict[str, Any]) -> None:
    record = desk.run("write_file", WRITE, Approved(arguments=arguments))
    assert record.error is not None
    assert record.error["code"] == "invalid-arguments"
    assert [each.name for each in desk.root.iterdir() if each.name != "tools"] == [".paper"]


@pytest.mark.parametrize("path", ["../out.md", ".paper/settings.toml", "/.paper/x", "a/../../b", ".paper"])
def test_an_edit_cannot_lead_out_of_the_vault(desk: Desk, path: str) -> None:
    record = desk.run("write_file", WRITE, Approved(arguments={"filePath": path, "content": "x"}))
    assert record.status == "failed"
    assert not (desk.root.parent / "out.md").exists()
    assert not (desk.root / ".paper" / "settings.toml").exists()


# --- more than once


def test_a_yes_for_this_run_covers_the_tool_until_the_run_ends(desk: Desk, person: Callable[..., Any]) -> None:
    write_chain(desk)
    somebody = person(Approved(for_run=True), Denied())
    record = desk.vault.run("two", approver=somebody)
    assert record.status == "succeeded"
    assert len(somebody.asked) == 1
    assert record.execution_log[1]["approved_at"] == record.execution_log[0]["approved_at"]
    assert desk.run("write_file", WRITE).status == "waiting"


def test_a_yes_for_this_run_is_none_for_the_next_call_of_the_same_text(desk: Desk, person: Callable[..., Any]) -> None:
    written = '{{<write_file filePath="%s" content="x" />}}'
    somebody = person(Approved(for_run=True), Denied())
    results = desk.vault.apply(written % "one.md" + written % "two.md", approver=somebody)
    assert [each["status"] for each in results] == ["success", "denied"]
    assert not (desk.root / "two.md").exists()


def test_a_yes_for_this_run_still_holds_after_the_run_has_waited_for_something_else(desk: Desk) -> None:
    desk.vault.entries.put("datavault", "x", {"content": "y"})
    steps = ("{tool: write_file, parameters: {filePath: one.md, content: x}}",
             "{tool: datavault, parameters: {id: x, action: delete}}",
             "{tool: write_file, parameters: {filePath: two.md, content: x}}")  # fmt: skip
    desk.chain("c", "".join(f"\n  - {each}" for each in steps))
    run = desk.run("c")
    waiting = desk.vault.answer(desk.vault.history.questions()[0].id, Approved(for_run=True))
    assert waiting.status == "waiting"
    assert desk.reopened().history.resumable() == []
    (question,) = desk.vault.history.questions()
    assert question.tool == "datavault"
    assert desk.vault.answer(question.id, Approved()).success
    assert (desk.root / "two.md").exists()
    assert desk.vault.questions.allowed_tools(run.run_id) == {}


def test_an_always_is_a_rule_for_exactly_this_tool_and_target(desk: Desk, own_home: Path) -> None:
    desk.note("a.md", "old")
    desk.run("write_file", {**WRITE, "overwrite": True}, Approved(by="Ann", always=True))
    (rule,) = desk.vault.rules.rules()
    assert (rule.tool, rule.by, rule.mode, rule.path) == ("write_file", "write_file", "overwrite", "a.md")
    again = desk.run("write_file", {"filePath": "/a.md", "content": "again", "overwrite": True})
    assert again.status == "succeeded"
    (entry,) = again.execution_log
    assert rule.id in str(entry["message"])
    assert (entry["approved_by"], entry["approved_via"]) == ("Ann", "rule")
    for path in ("b.md", "a.md/x", "a.md2", "x/a.md"):
        assert desk.run("write_file", {"filePath": path, "content": "x"}).status in ("waiting", "failed")
    assert list(own_home.rglob("rules.json"))
    assert not [name for name in desk.everything() if "rules" in name]
    assert desk.vault.rules.revoke(rule.id)
    assert desk.run("write_file", {**WRITE, "overwrite": True}).status == "waiting"


def test_a_rule_that_cannot_be_kept_costs_the_approved_change_nothing(desk: Desk, own_home: Path) -> None:
    rules = desk.vault.rules._file
    assert own_home in rules.parents
    rules.with_suffix(".lock").mkdir(parents=True)
    record = desk.run("write_file", WRITE, Approved(always=True))
    assert (record.status, (desk.root / "a.md").read_text()) == ("succeeded", "new")
    assert "cannot be written" in str(record.execution_log[0]["message"])
    assert desk.vault.rules.rules() == []


def test_an_always_for_a_request_covers_its_method_and_host_only(desk: Desk, web: Web) -> None:
    web.answers["/x"] = web.answers["/y"] = (200, "{}")
    assert desk.run("rest_request", {"url": web.url("/x"), "method": "POST"}, Approved(always=True)).success
    assert desk.run("rest_request", {"url": web.url("/y"), "method": "post"}).success
    assert desk.run("rest_request", {"url": web.url("/y"), "method": "PUT"}).status == "waiting"
    for url in (f"http://127.0.0.1:{web.port}@example.com/", f"http://example.com\\@127.0.0.1:{web.port}/"):
        record = desk.run("rest_request", {"url": url, "method": "POST"})
        assert record.status in ("waiting", "failed")
    assert len(web.requests) == 2


# --- waiting


def test_a_waiting_run_goes_on_in_another_process_with_the_tool_as_it_was(desk: Desk) -> None:
    write_chain(desk)
    run = desk.run("two")
    desk.chain("two", "\n  - {tool: write_file, parameters: {filePath: evil.md, content: evil}}")
    vault = desk.reopened()
    assert vault.answer(vault.history.questions()[0].id, Approved()).status == "waiting"
    vault = desk.reopened()
    record = vault.answer(vault.history.questions()[0].id, Approved())
    assert (record.status, record.run_id) == ("succeeded", run.run_id)
    assert (desk.text("one.md"), desk.text("two.md")) == ("1", "2")
    assert not (desk.root / "evil.md").exists()
    assert [entry["status"] for entry in record.execution_log] == ["success", "success"]
    assert vault.history.questions() == []


def test_a_no_to_a_waiting_run_ends_it(desk: Desk) -> None:
    write_chain(desk)
    desk.run("two")
    record = desk.vault.answer(desk.vault.history.questions()[0].id, Denied(reason="no"))
    assert record.status == "denied"
    with pytest.raises(UsageError) as caught:
        desk.vault.resume(record.run_id)
    assert caught.value.code == "run-is-over"


def test_a_nested_run_that_waits_goes_on_from_where_it_stood(desk: Desk) -> None:
    write_chain(desk, "inner")
    desk.chain("outer", "\n  - {tool: inner, parameters: {}}\n  - {tool: read_file, parameters: {filePath: two.md}}")
    desk.run("outer")
    desk.vault.answer(desk.vault.history.questions()[0].id, Approved())
    record = desk.vault.answer(desk.vault.history.questions()[0].id, Approved())
    assert record.status == "succeeded"
    assert isinstance(record.data, dict)
    assert record.data["content"] == "2"


# --- a vault from somebody else


def planted(desk: Desk, statement: str, *values: Any) -> None:
    """Change the database as somebody could who prepares a vault for others."""
    desk.vault.close()
    with sqlite3.connect(desk.root / ".paper" / "paper.db") as connection:
        connection.execute(statement, values)
    connection.close()


def test_a_question_whose_picture_was_swapped_is_no_question(desk: Desk) -> None:
    desk.run("write_file", {"filePath": "a.md", "content": "evil"})
    (request,) = desk.vault.history.questions()
    for column, value in (("preview", "--- harmless"), ("arguments", '{"filePath": "b.md"}'), ("tool", "read_file")):
        planted(desk, f"UPDATE questions SET {column} = ?", value)
        vault = desk.reopened()
        assert vault.history.questions() == []
        with pytest.raises(UsageError):
            vault.answer(request.id, Approved())
    assert not (desk.root / "a.md").exists()


def test_planted_intents_and_journal_entries_write_nothing(desk: Desk) -> None:
    write_chain(desk)
    run = desk.run("two")
    planted(desk, "INSERT INTO intents VALUES (?, '1', 'x', 'x', 'x', '{}', '{}', '{}', 1)", run.run_id)
    planted(desk, "INSERT INTO intents VALUES (?, '2', 'x', 'absent', 'absent', '{}', '{}', '{}', 1)", run.run_id)
    planted(desk, "UPDATE runs SET status = 'running'")
    record = desk.reopened().resume(run.run_id)
    assert record.status == "waiting"
    assert not (desk.root / "one.md").exists()
    assert not (desk.root / "two.md").exists()


def test_settings_of_a_vault_cannot_allow_a_write(desk: Desk) -> None:
    for text in ('approval = "never"\n', "[rules]\nwrite_file = true\n", "yes = true\n"):
        (desk.root / ".paper" / "settings.toml").write_text(text, encoding="utf-8")
        (desk.root / ".paper" / "rules.json").write_text(
            json.dumps({str(desk.root): [{"tool": "write_file", "target": "*"}]}), encoding="utf-8"
        )
        vault = desk.reopened()
        with suppress(UsageError):
            assert vault.run("write_file", WRITE).status != "succeeded"
        assert not (desk.root / "a.md").exists()


def test_a_database_beside_a_planted_link_is_refused_and_the_target_untouched(desk: Desk, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious" * 1000)
    for name in ("paper.db", "paper.db-wal", "paper.db-shm", "paper.db-journal", "runs.lock"):
        link = desk.root / ".paper" / name
        for each in (desk.root / ".paper").iterdir():
            if each.is_file() or each.is_symlink():
                each.unlink()
        link.symlink_to(victim)
        vault = desk.reopened()
        with pytest.raises(paperagents.PaperError) as caught:
            vault.run("read_file", {"filePath": "x.md"})
        assert caught.value.code == "database-failed"
        assert victim.read_bytes() == b"precious" * 1000
        link.unlink()


# --- no way around


WAYS_IN_PYTHON = {"run", "install", "resume", "answer", "apply", "plan", "test", "enqueue", "leave_answer", "undo"}
WAYS_THAT_READ = {
    "blame", "changes", "checked_answer", "close", "confirm_done", "entry_kinds", "evaluate", "find_changing_run",
    "find_tool", "find_tool_or_none", "follow", "proposed_text", "read_settings_again", "require_possible",
    "show_changes", "tag_registry", "undo_arguments", "variables", "vault_content",
}  # fmt: skip


def test_every_public_way_in_asks_before_it_writes(desk: Desk) -> None:
    public = {name for name, value in vars(Vault).items() if callable(value) and not name.startswith("_")}
    assert public <= WAYS_IN_PYTHON | WAYS_THAT_READ, "a new way in: show here that it asks"
    functions = {each for each in paperagents.__all__ if inspect.isroutine(getattr(paperagents, each))}
    assert functions == {"open_vault", "open_vault_async"}, "the rest are values: no way in"
    desk.chain("c", "\n  - {tool: write_file, parameters: {filePath: a.md, content: x}}",
               "examples:\n  - {input: {}, output_contains: {filePath: a.md}}")  # fmt: skip
    run = desk.vault.run("c")
    assert desk.vault.resume(run.run_id).status == "waiting"
    assert desk.vault.answer(desk.vault.history.questions()[0].id, Pending()).status == "waiting"
    assert desk.vault.enqueue("c").status == "queued"
    assert desk.vault.resume(desk.vault.enqueue("c").run_id).status == "waiting"
    (asked,) = [each.id for each in desk.vault.history.questions() if each.run_id == run.run_id]
    assert desk.vault.continuation.answer(asked, Denied(), announce=True) == run.run_id
    assert desk.vault.resume(run.run_id).status == "denied"
    assert desk.vault.plan("c").status == "planned"
    desk.run("write_file", {"filePath": "made.md", "content": "x"}, Approved())
    assert desk.vault.undo().status == "waiting"
    assert (desk.root / "made.md").exists()
    assert desk.vault.test("c")[0].passed
    results = desk.vault.apply("{{<c />}} and {{<c />}}")
    assert [each["status"] for each in results] == ["waiting", "waiting"]
    scripted = desk.vault.run(
        "js_execute", {"code": 'return await callTool("write_file", {filePath: "a.md", content: "x"});'}
    )
    assert scripted.status == "waiting"
    assert not (desk.root / "a.md").exists()


def test_every_command_is_known_to_the_tests_of_the_gate() -> None:
    reading = {"init", "list", "show", "new", "check", "search", "stats", "config", "doctor", "completion", "resolve",
               "backup", "trust", "eval", "obsidian", "blame", "changes"}  # fmt: skip
    asking = {"run", "test", "runs", "approvals", "extract", "store", "install", "import", "undo", "lsp"}
    later = {"env", "chat", "ask", "serve", "mcp", "worker"}
    assert set(COMMANDS) <= reading | asking | later, "a new command: does it ask?"


def test_a_session_starts_with_nobody_there() -> None:
    assert isinstance(Session().approver.decide(None), Pending)  # type: ignore[arg-type]


def _keys_sent(web: Web) -> list[str | None]:
    """The keys that arrive at /x, from now on."""
    sent: list[str | None] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        sent.append(handler.headers["Authorization"])
        handler.send_response(204)
        handler.end_headers()

    web.answers["/x"] = answer
    return sent


def test_a_request_that_waited_is_sent_with_the_key_that_its_tool_put_into_the_headers(desk: Desk, web: Web) -> None:
    sent = _keys_sent(web)
    desk.tool("t", "parameters: [{name: key, type: string, description: d}]", f"""
```js
// @preprocess
return {{headers: {{Authorization: "Bearer " + input.key}}}};
```

```yaml
tool: rest_request
parameters: {{url: "{web.url("/x")}", method: POST, headers: input.headers}}
```
""")  # fmt: skip
    for _ in range(2):
        assert desk.run("t", {"key": "HEADERSECRET"}).status == "waiting"
        (question,) = desk.vault.history.questions()
        record = desk.reopened().answer(question.id, Approved())
        assert record.status == "succeeded"
        assert "HEADERSECRET" not in str(record.as_json())
    assert sent == ["Bearer HEADERSECRET"] * 2


def test_a_tool_that_was_agreed_to_goes_on_with_the_key_it_was_given(desk: Desk, web: Web) -> None:
    sent = _keys_sent(web)
    call = f'tool: rest_request\nparameters: {{url: "{web.url("/x")}", method: POST, headers: input.headers}}'
    parameter = "parameters: [{name: headers, type: object, description: d}]"
    desk.tool("t", f"approval: always\n{parameter}", f"```yaml\n{call}\n```\n")
    record = desk.run("t", {"headers": {"Authorization": "Bearer HEADERSECRET"}})
    for _ in range(2):
        assert record.status == "waiting"
        (question,) = desk.vault.history.questions()
        record = desk.reopened().answer(question.id, Approved())
    assert record.status == "succeeded"
    assert "HEADERSECRET" not in str(record.as_json())
    assert sent == ["Bearer HEADERSECRET"]


def test_a_chain_that_waited_sends_the_key_that_a_step_gave(desk: Desk, web: Web) -> None:
    sent = _keys_sent(web)
    desk.tool("key", 'custom_function: |\n  return {headers: {Authorization: "Bearer STEPSECRET"}};')
    desk.chain("c", f"""
  - {{tool: key, name: key}}
  - tool: rest_request
    parameters: {{url: "{web.url("/x")}", method: POST, headers: "{{{{key.output.headers}}}}"}}
""")  # fmt: skip
    desk.run("c")
    (question,) = desk.vault.history.questions()
    record = desk.reopened().answer(question.id, Approved())
    assert record.status == "succeeded"
    assert "STEPSECRET" not in str(record.as_json())
    assert sent == ["Bearer STEPSECRET"]


def test_a_mask_is_never_sent_in_the_place_of_a_key(desk: Desk, web: Web) -> None:
    def cookie(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(204)
        handler.send_header("set-cookie", "COOKIESECRET")
        handler.end_headers()

    web.answers["/cookie"] = cookie
    web.answers["/x"] = (200, "{}")
    desk.chain("c", f"""
  - {{tool: rest_request, name: first, parameters: {{url: "{web.url("/cookie")}"}}}}
  - tool: rest_request
    parameters: {{url: "{web.url("/x")}", method: POST, headers: {{Cookie: "{{{{first.output.headers.set-cookie}}}}"}}}}
""")  # fmt: skip
    desk.run("c")
    (question,) = desk.vault.history.questions()
    record = desk.reopened().answer(question.id, Approved())
    assert record.error is not None
    assert record.error["code"] == "secrets-not-kept"
    assert [request.path for request in web.requests] == ["/cookie"]


def _gives_back_the_key(web: Web) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = json.dumps({"key": handler.headers["Cookie"]}).encode()
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    web.answers["/key"] = answer


@pytest.mark.parametrize(
    "place",
    [
        'url: "URL?key={{first.output.json.key}}", body: b',
        'url: URL, body: "key={{first.output.json.key}}"',
        'url: URL, body: {deep: ["{{first.output.json.key}}"]}',
    ],
)
@pytest.mark.parametrize("nested", [False, True])
def test_a_mask_is_never_sent_in_an_address_or_a_body(desk: Desk, web: Web, place: str, *, nested: bool) -> None:
    _gives_back_the_key(web)
    web.answers["/x"] = (200, "{}")
    desk.tool("send", "parameters: [{name: request, type: object, description: d}]", """
```yaml
tool: rest_request
parameters: {url: "{{request.url}}", method: POST, body: "{{request.body}}"}
```
""")  # fmt: skip
    request = place.replace("URL", web.url("/x"))
    below = f"{{tool: send, parameters: {{request: {{{request}}}}}}}"
    direct = f"{{tool: rest_request, parameters: {{method: POST, {request}}}}}"
    desk.chain("c", f"""
  - {{tool: rest_request, name: first, parameters: {{url: "{web.url("/key")}", headers: {{Cookie: ECHOSECRET}}}}}}
  - {{tool: write_file, parameters: {{filePath: a.md, content: a}}}}
  - {below if nested else direct}
""")  # fmt: skip
    record = desk.run("c")
    while record.status == "waiting":
        (question,) = desk.vault.history.questions()
        record = desk.reopened().answer(question.id, Approved())
    assert record.error is not None
    assert record.error["code"] == "secrets-not-kept"
    assert [request.path for request in web.requests] == ["/key"]


def test_three_stars_that_hide_nothing_go_on_like_any_text(desk: Desk) -> None:
    desk.chain("c", """
  - {tool: write_file, name: first, parameters: {filePath: a.md, content: "one *** two"}}
  - {tool: read_file, name: text, parameters: {filePath: a.md}}
  - {tool: write_file, parameters: {filePath: b.md, content: "{{text.output.content}}"}}
""")  # fmt: skip
    record = desk.run("c")
    for _ in range(2):
        (question,) = desk.vault.history.questions()
        record = desk.reopened().answer(question.id, Approved())
    assert record.status == "succeeded"
    assert desk.text("b.md") == "one *** two"


def test_a_run_with_a_secret_inside_an_argument_is_not_done_again_without_it(desk: Desk, web: Web) -> None:
    web.answers["/x"] = (200, "{}")
    headers = {"Authorization": "INNERSECRET"}
    desk.run("rest_request", {"url": web.url("/x"), "headers": headers})
    record = desk.run("rest_request", {"url": web.url("/x?key=INNERSECRET")})
    with pytest.raises(UsageError) as refused:
        desk.vault.history.arguments(record.run_id)
    assert refused.value.code == "secrets-not-kept"
    plain = desk.run("rest_request", {"url": web.url("/x?stars=***")})
    assert desk.vault.history.arguments(plain.run_id)[1]["url"] == web.url("/x?stars=***")


def test_an_address_that_is_edited_around_its_key_is_sent_with_the_key(desk: Desk, web: Web) -> None:
    web.answers["/x"] = (200, "{}")
    call = {"url": web.url("/x?page=1&key=EDITSECRET"), "method": "POST", "headers": {"Authorization": "EDITSECRET"}}

    def edited(new: str) -> RunRecord:
        desk.run("rest_request", call)
        (question,) = desk.vault.history.questions()
        assert "EDITSECRET" not in str(question.as_json())
        arguments = {**question.arguments, "url": str(question.arguments["url"]).replace("page=1", new)}
        return desk.vault.answer(question.id, Approved(arguments=arguments))

    assert edited("page=2").status == "succeeded"
    assert edited("page=***").error["code"] == "mask-in-edit"  # type: ignore[index]
    assert [request.path for request in web.requests] == ["/x?page=2&key=EDITSECRET"]


def test_an_edit_of_a_file_that_changed_meanwhile_is_asked_about_again(desk: Desk) -> None:
    desk.note("a.md", "first")
    shown: list[str] = []

    def person(request: ApprovalRequest) -> Approved | Denied:
        shown.append(request.preview)
        if len(shown) > 1:
            return Denied(reason="not over that")
        desk.note("a.md", "somebody else's")
        return Approved(arguments={**request.arguments, "content": "edited"})

    call: dict[str, Any] = {"filePath": "a.md", "content": "new", "overwrite": True}
    record = desk.vault.run("write_file", call, approver=person)
    assert record.status == "denied"
    assert "-somebody else's" in shown[1]
    assert "+edited" in shown[1]
    assert desk.text("a.md") == "somebody else's"


# --- approval.reads


READS: list[tuple[str, dict[str, Any]]] = [
    ("read_file", {"filePath": "a.md"}),
    ("search_files", {"query": "word"}),
    ("rest_request", {"url": "http://127.0.0.1:9/"}),
    ("web_search", {"url": "http://127.0.0.1:9/"}),
]


@pytest.mark.parametrize(("tool", "arguments"), READS)
def test_reads_searches_and_gets_are_asked_where_the_settings_say_so(
    desk: Desk, tool: str, arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.note("a.md", "word\n")
    assert desk.run(tool, arguments).status != "waiting"
    monkeypatch.setenv("PAPER_APPROVAL_READS", "true")
    desk.reopened()
    assert desk.run(tool, arguments).status == "waiting"
    somebody = Person([Denied(reason="private")])
    record = desk.vault.run(tool, arguments, approver=somebody)
    assert record.status == "denied"
    assert str(next(iter(arguments.values()))) in somebody.asked[0].preview
    (entry,) = record.execution_log
    assert (entry["hitl_required"], entry["hitl_confirmed"]) == (True, False)


def test_an_agreed_read_is_carried_out_and_one_that_is_always_allowed_not_asked_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.note("a.md", "word\n")
    desk.note("b.md", "other\n")
    monkeypatch.setenv("PAPER_APPROVAL_READS", "true")
    desk.reopened()
    record = desk.run("read_file", {"filePath": "a.md"}, Approved(always=True))
    assert isinstance(record.data, dict)
    assert record.data["content"] == "word\n"
    assert desk.run("read_file", {"filePath": "/a.md"}).success
    assert desk.run("read_file", {"filePath": "./a.md"}).success
    assert desk.run("read_file", {"filePath": "b.md"}).status == "waiting"
    assert desk.run("write_file", {"filePath": "a.md", "content": "x", "overwrite": True}).status == "waiting"


def test_a_rule_for_a_place_is_none_for_what_a_link_there_leads_to(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.note("open/a.md", "word\n")
    desk.note("closed/b.md", "word\n")
    (desk.root / "open" / "b.md").symlink_to("../closed/b.md")
    (desk.root / "open" / "closed").symlink_to("../closed")
    monkeypatch.setenv("PAPER_APPROVAL_READS", "true")
    desk.reopened()
    for tool in ("read_file", "search_files"):
        desk.vault.rules.allow(Rule(tool=tool, path="open/**"))
    assert desk.run("read_file", {"filePath": "open/a.md"}).success
    assert desk.run("read_file", {"filePath": "open/b.md"}).status == "waiting"
    assert desk.run("search_files", {"query": "word", "path": "open/closed"}).status == "waiting"
