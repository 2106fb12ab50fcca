"""Writing through links: what is shown, allowed and done is about the real place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from paperagents.approval.question import ApprovalRequest, Approved, Decision, Denied
from paperagents.approval.rules import Rule

if TYPE_CHECKING:
    from tests.desk import Desk


def test_a_link_inside_the_vault_is_written_through_and_all_is_about_the_real_place(
    desk: Desk, person: Callable[..., Any]
) -> None:
    desk.note("notes/a.md", "old\n")
    (desk.root / "link").symlink_to("notes")
    somebody = person(Approved(always=True))
    written = desk.vault.run(
        "write_file", {"filePath": "/link/a.md", "content": "new\n", "overwrite": True}, approver=somebody
    )
    assert written.data == {"filePath": "notes/a.md", "size": 4, "created": False}
    assert desk.text("notes/a.md") == "new\n"
    assert (desk.root / "link").is_symlink()
    [asked] = somebody.asked
    assert (asked.arguments["filePath"], asked.target) == ("notes/a.md", "notes/a.md")
    assert asked.preview.startswith("--- a/notes/a.md\n+++ b/notes/a.md\n")
    assert written.execution_log[0]["parameters"]["filePath"] == "notes/a.md"  # type: ignore[index,call-overload]  # an object
    assert [rule.path for rule in desk.vault.rules.rules()] == ["notes/a.md"]


def test_a_rule_for_one_folder_never_opens_another_by_a_link(desk: Desk) -> None:
    for name in ("open", "closed"):
        desk.note(f"{name}/x.md", "x")
    desk.vault.rules.allow(Rule(tool="write_file", path="link/a.md"))
    desk.vault.rules.allow(Rule(tool="write_file", path="open/a.md"))
    (desk.root / "link").symlink_to("closed")
    (desk.root / "open/sub").symlink_to("../closed")
    assert desk.run("write_file", {"filePath": "link/a.md", "content": "x"}).status == "waiting"
    (desk.root / "link").unlink()
    (desk.root / "link").symlink_to("open")
    assert desk.run("write_file", {"filePath": "link/a.md", "content": "x"}).status == "succeeded"
    assert (desk.root / "open/a.md").exists()
    assert not (desk.root / "closed/a.md").exists()


def test_a_yes_holds_for_the_place_that_was_shown_wherever_the_link_leads_by_then(desk: Desk) -> None:
    for name in ("one", "two"):
        (desk.root / name).mkdir()
    link = desk.root / "link"
    link.symlink_to("one")
    arguments = {"filePath": "link/a.md", "content": "x"}

    def turn_round(_: ApprovalRequest) -> Decision:
        link.unlink()
        link.symlink_to("two")
        return Approved()

    assert desk.run("write_file", arguments, turn_round).data == {"filePath": "one/a.md", "size": 1, "created": True}
    assert not (desk.root / "two/a.md").exists()

    waiting = desk.run("write_file", arguments)
    [question] = desk.vault.history.questions()
    assert "two/a.md" in question.preview
    (desk.root / "three").mkdir()
    link.unlink()
    link.symlink_to("three")
    answered = desk.vault.answer(question.id, Approved())
    assert (waiting.status, answered.status, desk.text("two/a.md")) == ("waiting", "succeeded", "x")
    assert [*(desk.root / "three").iterdir()] == []


def test_a_folder_that_becomes_a_link_while_somebody_thinks_is_not_written_through(desk: Desk) -> None:
    desk.note("notes/b.md", "b")
    (desk.root / "closed").mkdir()

    def swap(request: ApprovalRequest) -> Decision:
        if (desk.root / "notes").is_symlink():
            return Denied(reason=str(request.arguments["filePath"]))
        (desk.root / "notes").rename(desk.root / "away")
        (desk.root / "notes").symlink_to("closed")
        return Approved()

    record = desk.run("write_file", {"filePath": "notes/a.md", "content": "x"}, swap)
    assert record.error is not None
    assert (record.status, record.error["details"]) == ("denied", {"reason": "closed/a.md"})
    assert [*(desk.root / "closed").iterdir()] == []


def test_a_plan_reads_through_a_link_what_it_would_write_through_it(desk: Desk) -> None:
    (desk.root / "notes").mkdir()
    (desk.root / "link").symlink_to("notes")
    desk.chain(
        "t",
        "\n  - {tool: write_file, parameters: {filePath: link/a.md, content: planned}}"
        "\n  - {tool: read_file, parameters: {filePath: link/a.md}}"
        "\n  - {tool: search_files, parameters: {query: planned, path: link}}",
    )
    plan = desk.vault.plan("t")
    assert plan.status == "planned"
    assert plan.data["count"] == 1  # type: ignore[index,call-overload]  # an object
    assert [*(desk.root / "notes").iterdir()] == []
