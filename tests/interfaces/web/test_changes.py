"""Changes on the pages: of a run, taken back and made again, beside a question, and edited before the yes."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page, expect
from tests.waiting import wait_until

from paperagents.approval.question import Approved

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces
from .conftest import Watch
from .test_decisions import TOGETHER, open_inbox

SENDING = """---
tool: true
id: sending
name: Sending
description: Writes a note and sends it.
approval: together
steps:
  - {name: a, tool: write_file, parameters: {filePath: out/a.md, content: "a\\n"}}
  - {name: b, tool: rest_request, parameters: {method: POST, url: "http://127.0.0.1:9/", body: hello}}
---
"""


def open_run(context: BrowserContext, served: Served, run_id: str) -> Page:
    page = context.new_page()
    page.goto(f"{served.url}/runs/{run_id}?token={served.access.new_link_token()}")
    return page


def test_what_a_run_changed_is_shown_taken_back_and_made_again(context: BrowserContext, served: Served) -> None:
    served.note("kept/one.md", "before\n")
    run_id = served.vault.run("keep", {"title": "Beans"}, approver=lambda _: Approved()).run_id
    page = open_run(context, served, run_id)
    changes = page.locator(".run-changes")
    expect(changes.locator("summary")).to_have_text(
        ["kept/one.mdchanged+3 −1", "kept/two.mdnew+3 −0"], use_inner_text=False
    )
    changes.locator("summary").first.click()
    expect(changes.locator(".diff-line.removed")).to_contain_text("before")
    changes.get_by_role("button", name="Undo").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".wish")).to_have_text("Take back what Keep changed?")
    expect(dialog.locator(".changed-file", has_text="kept/two.md").locator(".diff-line.removed")).to_have_count(3)
    assert (served.folder / "kept/two.md").exists()
    dialog.get_by_role("button", name="Approve", exact=True).click()
    expect(changes.locator(".tag", has_text="undone")).to_be_visible()
    assert (served.folder / "kept/one.md").read_text() == "before\n"
    assert not (served.folder / "kept/two.md").exists()
    changes.get_by_role("button", name="Redo").click()
    expect(dialog.locator(".wish")).to_have_text("Make again what was taken back?")
    dialog.get_by_role("button", name="Approve", exact=True).click()
    expect(changes.get_by_role("button", name="Undo")).to_be_visible()
    assert (served.folder / "kept/two.md").exists()


def test_an_undo_of_some_files_leaves_the_others(context: BrowserContext, served: Served) -> None:
    run_id = served.vault.run("keep", {"title": "Beans"}, approver=lambda _: Approved()).run_id
    page = open_run(context, served, run_id)
    page.get_by_role("button", name="Undo").click()
    dialog = page.get_by_role("dialog")
    dialog.locator(".changed-file", has_text="kept/one.md").get_by_role("checkbox").uncheck()
    dialog.get_by_role("button", name="Approve the chosen").click()
    expect(page.locator(".run-changes li", has_text="two.md").locator(".tag", has_text="undone")).to_be_visible()
    assert (served.folder / "kept/one.md").exists()
    assert not (served.folder / "kept/two.md").exists()


def test_an_undo_that_is_not_answered_waits_in_the_inbox_and_a_conflict_is_told(
    context: BrowserContext, served: Served
) -> None:
    run_id = served.vault.run("keep", {"title": "Beans"}, approver=lambda _: Approved()).run_id
    page = open_run(context, served, run_id)
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("dialog").get_by_role("button", name="Decide later").click()
    expect(page.locator("#notice")).to_contain_text("the question waits in the inbox")
    expect(page.locator("#waiting-count")).to_have_text("1")
    served.note("kept/one.md", "mine\n")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#notice")).to_contain_text("kept/one.md")
    assert (served.folder / "kept/one.md").read_text() == "mine\n"


def test_what_leaves_the_vault_is_asked_with_the_pending_changes_beside(
    context: BrowserContext, served: Served
) -> None:
    served.note("tools/sending.md", SENDING)
    served.vault.run("sending", {})
    page = open_inbox(context, served)
    pending = page.locator(".pending-changes")
    expect(pending.locator("summary")).to_contain_text("out/a.md")
    expect(page.locator(".question .request")).to_contain_text("hello")
    expect(page.locator(".question .request")).not_to_contain_text("out/a.md")
    pending.locator("summary").click()
    expect(pending.locator(".diff-line.added")).to_have_count(1)


def test_the_new_text_of_a_file_can_be_written_otherwise(context: BrowserContext, served: Served) -> None:
    served.note("tools/bundle.md", TOGETHER)
    served.note("notes/long.md", "old\n")
    served.vault.run("bundle", {"text": "new\n"})
    page = open_inbox(context, served)
    page.get_by_role("button", name="Edit the new text of notes/long.md").click()
    area = page.get_by_role("textbox", name="The new text of notes/long.md")
    expect(area).to_have_value("new\n")
    area.fill("mine\n")
    page.get_by_role("button", name="Approve with these changes").click()
    expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    # The answer is taken before the run has gone on.
    wait_until((served.folder / "out/b.md").exists)
    assert (served.folder / "notes/long.md").read_text() == "mine\n"
    assert (served.folder / "out/b.md").read_text() == "b\n"


def test_only_files_of_the_question_have_a_new_text(served: Served) -> None:
    served.note("tools/bundle.md", TOGETHER)
    served.vault.run("bundle", {"text": "new\n"})
    (question,) = served.vault.history.questions()
    at = f"/api/approvals/{question.id}/text"
    with served.client() as api:
        assert api.get(at, params={"file": "out/b.md"}).json() == {"path": "out/b.md", "content": "b\n"}
        refused = api.get(at, params={"file": "notes/peas.md"})
    assert (refused.status_code, refused.json()["code"]) == (400, "files-no-text")


def test_whoever_may_not_come_in_and_whoever_goes_astray_gets_a_page_that_helps(
    context: BrowserContext, served: Served, watch: Watch
) -> None:
    watch.may_fail = True
    page = context.new_page()
    page.goto(f"{served.url}/approvals")
    expect(page.locator("main")).to_contain_text("Open the link that paper serve prints")
    assert page.locator("main").evaluate("main => getComputedStyle(main).maxWidth") != "none"
    page.goto(f"{served.url}/nothing-here?token={served.access.new_link_token()}")
    expect(page.get_by_role("heading", name="There is no page at /nothing-here.")).to_be_visible()
    expect(page.locator("main")).to_contain_text("may have been renamed or deleted")
