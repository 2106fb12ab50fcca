"""Rules while tools run: who is the outermost, and what a stranger cannot inherit."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

import paperagents
from paperagents.approval.question import Approved, Denied
from paperagents.approval.rules import Rule

if TYPE_CHECKING:
    from tests.desk import Desk
    from tests.servers import Web

APPEND = "\n  - {tool: write_file, parameters: {filePath: a.md, content: x, append: true}}"


def test_the_rule_names_the_outermost_tool(desk: Desk) -> None:
    desk.note("a.md", "")
    desk.chain("inner", APPEND)
    desk.chain("outer", "\n  - {tool: inner}")
    assert desk.run("outer", {}, Approved(always=True)).success
    (rule,) = desk.vault.rules.rules()
    assert (rule.by, rule.mode, rule.path) == ("outer", "append", "a.md")
    assert desk.run("outer").success
    assert desk.run("inner").status == "waiting"


def test_a_dry_run_would_not_ask_about_what_a_rule_allows(desk: Desk) -> None:
    desk.note("a.md", "")
    desk.chain("outer", APPEND)
    for path, asks in (("b.md", True), ("a.md", False)):
        desk.vault.rules.allow(Rule(tool="write_file", mode="append", path=path))
        assert [each["would_ask"] for each in desk.vault.plan("outer").planned or ()] == [asks]


def test_a_step_that_runs_a_tool_says_who_agreed_to_what_that_did(desk: Desk) -> None:
    desk.chain("inner", APPEND)
    desk.chain("outer", "\n  - {tool: inner}")
    desk.run("outer")
    record = desk.vault.answer(desk.vault.history.questions()[0].id, Approved(by="Ann", via="page"))
    (entry,) = record.execution_log
    assert [entry[f"approved_{what}"] for what in ("by", "via")] == ["Ann", "page"]
    assert str(entry["approved_at"]) >= record.started


def test_a_waiting_run_keeps_the_rule_of_the_file_it_began_with(desk: Desk) -> None:
    desk.note("a.md", "")
    desk.chain("two", APPEND + APPEND)
    run = desk.run("two")
    desk.chain("two", APPEND, "version: 2")
    record = desk.vault.answer(desk.vault.history.questions()[0].id, Approved(always=True))
    assert (record.run_id, record.status) == (run.run_id, "succeeded")
    (rule,) = desk.vault.rules.rules()
    assert desk.vault.rules.state(rule) == "sleeping", "the file has changed since"
    assert desk.run("two").status == "waiting"


def test_another_vault_at_the_same_place_inherits_no_rule(desk: Desk) -> None:
    desk.run("write_file", {"filePath": "daily.md", "content": "x"}, Approved(always=True))
    desk.vault.rules.allow(Rule(tool="write_file", path="**"))
    desk.vault.close()
    shutil.rmtree(desk.root)
    (desk.root / ".paper").mkdir(parents=True)
    (desk.root / "daily.md").write_text("another vault's note")
    desk.vault = paperagents.open_vault(desk.root)
    record = desk.run("write_file", {"filePath": "daily.md", "content": "overwritten", "overwrite": True})
    assert (record.status, desk.text("daily.md")) == ("waiting", "another vault's note")
    assert desk.vault.rules.rules() == []


@pytest.mark.parametrize("space", ["\u00a0", "\u3000", "\u2003", " ", "\t"])
def test_a_space_before_an_address_makes_no_rule_for_every_host(desk: Desk, web: Web, space: str) -> None:
    web.answers["/x"] = (200, "{}")
    url = web.url("/x")
    desk.run("rest_request", {"url": space + url, "method": "POST"}, Approved(always=True))
    assert {rule.host for rule in desk.vault.rules.rules()} <= {f"127.0.0.1:{web.port}"}
    sent = len(web.requests)
    other = f"{space}http://127.0.0.3:{web.port}/x"
    asked = desk.run("rest_request", {"url": other, "method": "POST", "body": "notes"}, Denied())
    assert asked.status in ("denied", "failed")
    assert len(web.requests) == sent


def test_a_rule_that_is_made_while_a_file_is_there_does_not_replace_one(desk: Desk) -> None:
    desk.note("a.md", "mine")
    assert desk.run("write_file", {"filePath": "a.md", "content": "x", "append": True}, Approved(always=True)).success
    for arguments in ({"overwrite": True}, {"overwrite": True, "append": False}):
        assert desk.run("write_file", {"filePath": "a.md", "content": "y", **arguments}).status == "waiting"
    assert desk.text("a.md") == "minex"
    (desk.root / "a.md").unlink()
    assert desk.run("write_file", {"filePath": "a.md", "content": "x", "append": True}).status == "waiting"


@pytest.mark.parametrize("header", ["X-HTTP-Method-Override", "X_HTTP_Method", "x-method-override"])
def test_a_rule_for_one_method_covers_no_other_that_is_named_on_the_side(desk: Desk, web: Web, header: str) -> None:
    web.answers["/x"] = (200, "{}")
    assert desk.run("rest_request", {"url": web.url("/x"), "method": "POST"}, Approved(always=True)).success
    assert desk.run("rest_request", {"url": web.url("/x"), "method": "POST"}).success
    changed = {"url": web.url("/x"), "method": "POST", "headers": {header: "DELETE"}}
    assert desk.run("rest_request", changed).status == "waiting"
    assert desk.run("rest_request", {"url": web.url("/x?_method=DELETE"), "method": "POST"}).status == "waiting"
