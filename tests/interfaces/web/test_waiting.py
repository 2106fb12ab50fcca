"""Questions wait: over a reload, a lost server, another window. Nothing is decided by accident, nothing twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import APIResponse, Browser, BrowserContext, Page, Route, expect

from ..served import Served, serving  # noqa: TID252  shared by the tests of several interfaces
from .conftest import Watch


def begin(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/keep")
    page.get_by_label("title").fill("Beans")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_escape_decides_nothing(page: Page, served: Served) -> None:
    begin(page, served)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert len(served.vault.history.questions()) == 1
    expect(page.locator("#run-slot .question")).to_be_visible()
    page.locator("#run-slot").get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("dialog").locator("figcaption")).to_contain_text("kept/two.md")


def test_keys_that_were_meant_for_something_else_decide_nothing(page: Page, served: Served) -> None:
    begin(page, served)
    for key in ("Enter", "Space", "y", "n"):
        page.keyboard.press(key)
    expect(page.get_by_role("dialog").get_by_role("button", name="Deny", exact=True)).to_be_enabled()
    page.keyboard.press("Enter")
    assert len(served.vault.history.questions()) == 1
    assert not (served.folder / "kept").exists()
    page.get_by_role("dialog").get_by_role("button", name="Approve", exact=True).press("Enter")
    expect(page.get_by_role("dialog").locator("figcaption")).to_contain_text("kept/two.md")


def test_a_reload_while_waiting_loses_nothing(page: Page, served: Served) -> None:
    begin(page, served)
    page.reload()
    question = page.get_by_role("dialog")
    expect(question.locator("figcaption")).to_contain_text("kept/one.md")
    expect(page.get_by_label("title")).to_have_value("Beans")
    question.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("dialog").locator("figcaption")).to_contain_text("kept/two.md")


@pytest.mark.parametrize("look", ["phone-light"])
def test_the_inbox_has_every_question_and_is_answered_with_one_thumb(
    context: BrowserContext, served: Served, look: str
) -> None:
    assert look
    served.live.start("keep", {"title": "From elsewhere"})
    page = context.new_page()
    page.goto(f"{served.url}/approvals?token={served.access.new_link_token()}")
    question = page.locator(".question")
    expect(question).to_have_count(1)
    approve = question.get_by_role("button", name="Approve", exact=True)
    box = approve.bounding_box()
    assert box is not None
    assert box["height"] >= 44
    approve.click()
    expect(page.locator(".question figcaption")).to_contain_text("kept/two.md")
    page.locator(".question").get_by_role("button", name="Deny", exact=True).click()
    expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    expect(page.locator("#waiting-count")).to_be_hidden()


def test_a_question_that_comes_is_counted_on_every_page(page: Page, served: Served) -> None:
    expect(page.locator("#waiting-count")).to_be_hidden()
    served.live.start("keep", {"title": "From elsewhere"})
    expect(page.locator("#waiting-count")).to_have_text("1")


def test_a_question_answered_elsewhere_counts_no_more_while_its_run_goes_on(page: Page, served: Served) -> None:
    served.note(
        "tools/then_nap.md",
        "---\ntool: true\nname: then nap\ndescription: Writes and rests.\nsteps:\n"
        "  - {tool: write_file, parameters: {filePath: new.md, content: Peas}}\n"
        "  - {tool: nap, parameters: {milliseconds: 4000}}\n---\n",
    )
    run = served.live.start("then nap", {})
    expect(page.locator("#waiting-count")).to_have_text("1")
    (question,) = served.vault.history.questions()
    with served.person() as client:
        client.post(f"/api/approvals/{question.id}/approve", params={"wait": 0}, json={"digest": question.digest})
    expect(page.locator("#waiting-count")).to_be_hidden()
    assert served.live.record(run).status == "running"


def test_runs_below_another_are_no_reason_to_count_questions(page: Page, served: Served) -> None:
    served.note(
        "tools/often.md",
        "---\ntool: true\nname: often\ndescription: Many runs below.\nsteps:\n"
        "  - {name: each, tool: nap, for_each: [150, 150, 150, 150, 150, 150, 150, 150, 150, 150]"
        ", parameters: {milliseconds: '{{item}}'}}\n---\n",
    )
    page.goto(f"{served.url}/tools/often")
    page.wait_for_selector("html[data-connection=open]")
    page.wait_for_load_state("networkidle")
    counted: list[str] = []
    page.on("request", lambda request: counted.append(request.url) if "/approvals/count" in request.url else None)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".run[data-status=succeeded]")).to_be_visible()
    assert len(counted) <= 3, "at its beginning and at its end"


def test_what_is_opened_while_the_panel_is_renewed_stays_open(page: Page, served: Served) -> None:
    begin(page, served)
    page.keyboard.press("Escape")
    held: list[Route] = []
    page.route("**/runs/*/panel", lambda route: route.continue_() if held else held.append(route))
    (question,) = served.vault.history.questions()
    with page.expect_request("**/runs/*/panel"), served.person() as client:
        client.post(f"/api/approvals/{question.id}/deny", json={"digest": question.digest})
    page.locator(".run [data-keep=arguments] > summary").click()
    held[0].continue_()
    expect(page.locator(".run[data-status=denied]")).to_be_attached()
    expect(page.locator(".run [data-keep=arguments]")).to_have_attribute("open", "")


def test_a_question_answered_elsewhere_is_not_answered_twice(
    page: Page, context: BrowserContext, served: Served
) -> None:
    begin(page, served)
    other = context.new_page()
    other.goto(f"{served.url}/approvals")
    other.locator(".question").get_by_role("button", name="Deny", exact=True).click()
    expect(page.locator(".run[data-status=denied]")).to_be_attached()
    expect(page.locator("#notice")).to_contain_text("answered elsewhere")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert not (served.folder / "kept").exists()


def test_a_file_that_changed_meanwhile_is_shown_again(page: Page, served: Served) -> None:
    begin(page, served)
    served.note("kept/one.md", "mine\n")
    page.get_by_role("dialog").get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("dialog").locator(".diff-line.removed")).to_contain_text("mine")
    assert (served.folder / "kept/one.md").read_text() == "mine\n"


@pytest.fixture
def browser_context(browser: Browser, watch: Watch) -> Iterator[BrowserContext]:
    """Pages of somebody whose server comes and goes."""
    made = browser.new_context(locale="en-GB")
    watch.over(made)
    yield made
    made.close()


def test_a_server_that_starts_again_goes_on_with_the_question(
    browser_context: BrowserContext, folder: Path, watch: Watch
) -> None:
    with serving(folder) as first:
        page = browser_context.new_page()
        page.goto(f"{first.url}/?token={first.access.new_link_token()}")
        begin(page, first)
        port = int(first.url.rpartition(":")[2])
        watch.may_fail = True
    expect(page.locator("html[data-connection=lost]")).to_be_attached()
    expect(page.get_by_text("The connection to the server is lost.")).to_be_visible()
    with serving(folder, port=port) as second:
        expect(page.locator("html[data-connection=open]")).to_be_attached(timeout=15_000)
        expect(page.get_by_text("The connection to the server is lost.")).to_be_hidden()
        page.get_by_role("dialog").get_by_role("button", name="Approve", exact=True).click()
        expect(page.get_by_role("dialog").locator("figcaption")).to_contain_text("kept/two.md")
        assert (second.folder / "kept/one.md").exists()
        page.get_by_role("dialog").get_by_role("button", name="Approve", exact=True).click()
        expect(page.locator(".run[data-status=succeeded]")).to_be_visible()
        page.close()


def test_what_is_changed_before_a_yes_is_not_below_the_buttons(page: Page, served: Served) -> None:
    long = "".join(f"line {number}\n" for number in range(200))
    served.note("notes/long.md", long)
    served.note("tools/clear.md", CLEAR)
    page.goto(f"{served.url}/tools/clear")
    page.get_by_role("button", name="Run", exact=True).click()
    question = page.get_by_role("dialog")
    question.get_by_role("button", name="Other answers").click()
    question.get_by_role("button", name="Change before approving").click()
    field = question.get_by_label("filePath")
    expect(field).to_be_focused()
    is_on_top = """field => {
        const at = field.getBoundingClientRect();
        return document.elementFromPoint(at.x + 9, at.y + at.height / 2) === field;
    }"""
    assert field.evaluate(is_on_top)
    page.keyboard.press("Tab")
    assert question.get_by_label("content").evaluate(is_on_top)


CLEAR = """---
tool: true
name: clear
description: Empties a note.
steps:
  - {tool: write_file, parameters: {filePath: notes/long.md, content: "x", overwrite: true}}
---
"""


def test_a_second_press_while_the_server_is_slow_makes_no_second_form(page: Page, served: Served) -> None:
    held: list[Route] = []
    page.route("**/api/tools/write_file", lambda route: held.append(route))  # noqa: PLW0108  Playwright counts arguments
    begin(page, served)
    question = page.get_by_role("dialog")
    question.get_by_role("button", name="Other answers").click()
    with page.expect_request("**/api/tools/write_file"):
        question.get_by_role("button", name="Change before approving").dblclick()
    held[0].continue_()
    expect(question.locator(".edit-box")).to_be_visible()
    assert len(held) == 1


def test_the_next_question_comes_up_also_when_the_answer_to_the_last_is_late(page: Page, served: Served) -> None:
    held: list[tuple[Route, APIResponse]] = []
    page.route("**/api/approvals/**", lambda route: held.append((route, route.fetch())))
    begin(page, served)
    page.get_by_role("dialog").get_by_role("button", name="Approve", exact=True).click()
    expect(page.locator("#run-slot .question figcaption")).to_contain_text("kept/two.md")
    route, response = held[0]
    route.fulfill(response=response)
    expect(page.get_by_role("dialog").locator("figcaption")).to_contain_text("kept/two.md")


SLEEPER = """---
agent: true
id: sleeper
name: Sleeper
description: Sleeps.
model: scripted:data/sleep.json
tools: [nap]
---
Sleep.
"""
SLEEP = '[{"text": "I sleep.", "calls": [{"tool": "nap", "arguments": {"milliseconds": 60000}}]}, "Awake."]'


def test_a_conversation_goes_on_after_the_server_was_away(
    browser_context: BrowserContext, folder: Path, watch: Watch
) -> None:
    (folder / "agents/sleeper.md").write_text(SLEEPER)
    (folder / "data/sleep.json").write_text(SLEEP)
    page = browser_context.new_page()
    with serving(folder) as first:
        page.goto(f"{first.url}/agents/sleeper?token={first.access.new_link_token()}")
        page.get_by_label("Your message").fill("Sleep.")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Stop")).to_be_visible()
        port = int(first.url.rpartition(":")[2])
        watch.may_fail = True
    expect(page.locator("html[data-connection=lost]")).to_be_attached()
    with serving(folder, port=port):
        expect(page.get_by_role("button", name="Send")).to_be_enabled()
        expect(page.locator("#thinks")).to_be_hidden()
        page.close()
