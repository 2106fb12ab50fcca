"""Choose a tool, fill in its form, see it run, decide, look at the result."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces
from .conftest import LOOKS


def run(page: Page) -> None:
    page.get_by_role("button", name="Run", exact=True).click()


@pytest.mark.parametrize("look", LOOKS)
def test_a_person_chooses_fills_repairs_runs_and_approves(page: Page, served: Served, look: str) -> None:
    assert look
    page.get_by_role("main").get_by_role("link", name="Keep").click()
    expect(page.get_by_role("heading", name="Keep", level=1)).to_be_visible()
    run(page)
    expect(page.locator(".field-error:visible")).to_contain_text("'title' is missing")
    page.get_by_label("title").fill("Beans")
    run(page)
    question = page.get_by_role("dialog")
    expect(question.locator("figcaption", has_text="kept/one.md")).to_be_visible()
    expect(question.locator(".diff-line.added", has_text="# Beans")).to_be_visible()
    question.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("dialog").locator("figcaption", has_text="kept/two.md")).to_be_visible()
    assert (served.folder / "kept/one.md").read_text() == "# Beans\n\nfirst\n"
    page.get_by_role("dialog").get_by_role("button", name="Approve", exact=True).click()
    expect(page.locator(".run[data-status=succeeded]")).to_be_visible()
    assert (served.folder / "kept/two.md").read_text() == "# Beans\n\nsecond\n"


def test_wrong_input_is_told_beside_every_field_at_once(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/shout")
    page.get_by_label("words").fill("x")
    page.get_by_label("times").fill("many")
    run(page)
    expect(page.locator(".field-error:visible")).to_have_count(2)
    words = page.get_by_label("words")
    expect(words).to_be_focused()
    expect(words).to_have_attribute("aria-invalid", "true")
    described = words.get_attribute("aria-describedby") or ""
    told = " ".join(page.locator(f"#{each}").inner_text() for each in described.split() if each.endswith("error"))
    assert "words" in told
    words.fill("hello")
    page.get_by_label("times").fill("2")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-view=text]")).to_have_text("HELLO HELLO")
    expect(page.locator(".field-error:visible")).to_have_count(0)


def test_wrong_input_is_told_once_also_where_the_server_finds_it_late(page: Page, served: Served) -> None:
    page.route("**/api/runs?wait=*", lambda route: route.continue_(url=f"{served.url}/api/runs?wait=0"))
    page.goto(f"{served.url}/tools/keep")
    for _ in range(2):
        run(page)
        expect(page.locator(".field-error:visible")).to_have_count(1)
        expect(page.get_by_text("'title' is missing")).to_have_count(1)
        expect(page.locator(".run")).to_have_count(0)
    expect(page.get_by_label("title")).to_be_focused()
    page.get_by_label("title").fill("Beans")
    run(page)
    expect(page.get_by_role("dialog").locator("figcaption", has_text="kept/one.md")).to_be_visible()


def walk_to(page: Page, name: str) -> None:
    """With the Tab key from the heading of the question, which is read out first."""
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading").first).to_be_focused()
    button = dialog.get_by_role("button", name=name, exact=True)
    expect(button).to_be_enabled()
    for _ in range(8):
        page.keyboard.press("Tab")
        if button.evaluate("each => each === document.activeElement"):
            return
    pytest.fail(f"{name} is not reached with the Tab key")


def test_everything_can_be_done_with_the_keyboard(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/keep")
    page.get_by_label("title").focus()
    page.keyboard.type("Peas")
    page.keyboard.press("Enter")
    walk_to(page, "Approve")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").locator("figcaption", has_text="kept/two.md")).to_be_visible()
    walk_to(page, "Deny")
    page.keyboard.press("Enter")
    expect(page.locator(".run[data-status=denied]")).to_be_visible()
    assert not (served.folder / "kept/two.md").exists()


def test_a_run_can_be_stopped(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/slow")
    run(page)
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".run[data-status=cancelled]")).to_be_visible()
    assert served.vault.history.runs(limit=1)[0]["status"] == "cancelled"


def test_nothing_is_written_when_the_person_says_no_and_the_reason_is_recorded(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/keep")
    page.get_by_label("title").fill("Beans")
    run(page)
    question = page.get_by_role("dialog")
    question.get_by_role("button", name="Other answers").click()
    question.get_by_label("Reason for a no").fill("not in winter")
    question.get_by_role("button", name="Deny with this reason").click()
    expect(page.locator(".run[data-status=denied]")).to_be_visible()
    expect(page.locator(".failure")).to_contain_text("not in winter")
    assert not (served.folder / "kept").exists()


def test_what_the_person_changes_is_what_is_written(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/keep")
    page.get_by_label("title").fill("Beans")
    run(page)
    question = page.get_by_role("dialog")
    question.get_by_role("button", name="Other answers").click()
    question.get_by_role("button", name="Change before approving").click()
    question.get_by_label("content").fill("# Better\n")
    expect(question.locator(".effect .diff-lines")).to_contain_text("# Better")
    question.get_by_label("filePath").fill("notes/peas.md")
    expect(question.locator(".effect .diff-lines")).to_contain_text("They like to climb.")
    question.get_by_label("filePath").fill("../outside.md")
    expect(question.locator(".effect")).to_contain_text("outside")
    question.get_by_label("filePath").fill("kept/one.md")
    expect(question.locator(".effect figcaption")).to_contain_text("kept/one.md")
    expect(question.get_by_role("button", name="Approve")).to_have_count(1)
    question.get_by_role("button", name="Approve with these changes").click()
    expect(page.get_by_role("dialog").locator("figcaption", has_text="kept/two.md")).to_be_visible()
    assert (served.folder / "kept/one.md").read_text() == "# Better\n"


def test_a_slip_in_a_change_is_told_and_the_question_stays(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/keep")
    page.get_by_label("title").fill("Beans")
    run(page)
    question = page.get_by_role("dialog")
    question.get_by_role("button", name="Other answers").click()
    question.get_by_role("button", name="Change before approving").click()
    question.get_by_label("filePath").fill("../outside.md")
    question.get_by_role("button", name="Approve with these changes").click()
    expect(question.get_by_role("alert").filter(has_text="outside")).to_be_visible()
    assert len(served.vault.history.questions()) == 1


def test_a_yes_for_the_run_asks_no_more(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/keep")
    page.get_by_label("title").fill("Beans")
    run(page)
    question = page.get_by_role("dialog")
    question.get_by_role("button", name="Other answers").click()
    question.get_by_role("button", name="Approve this and the rest of the run").click()
    expect(page.locator(".run[data-status=succeeded]")).to_be_visible()
    assert (served.folder / "kept/two.md").exists()


def test_a_lasting_yes_becomes_a_rule_that_can_be_revoked(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/keep")
    page.get_by_label("title").fill("Beans")
    run(page)
    question = page.get_by_role("dialog")
    question.get_by_role("button", name="Other answers").click()
    question.get_by_role("button", name="Always approve this").click()
    expect(page.get_by_role("dialog").locator("figcaption", has_text="kept/two.md")).to_be_visible()
    page.goto(f"{served.url}/settings")
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("button", name="Revoke")).to_have_count(0)
    assert served.vault.rules.rules() == []


def test_a_dry_run_shows_what_would_happen_and_changes_nothing(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/keep")
    page.get_by_label("title").fill("Beans")
    page.get_by_role("button", name="Dry run").click()
    expect(page.locator("#run-slot")).to_contain_text("+# Beans")
    expect(page.locator("#run-slot .tag")).to_have_count(2)
    assert not (served.folder / "kept").exists()


def test_results_are_shown_as_what_they_are(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/people")
    run(page)
    expect(page.get_by_role("cell", name="left early")).to_be_visible()
    page.get_by_role("radio", name="JSON").check()
    expect(page.locator("[data-view=json]")).to_contain_text('"Ada"')
    page.goto(f"{served.url}/tools/report")
    run(page)
    expect(page.locator("[data-view=markdown] strong")).to_have_text("two")
    link = page.get_by_role("link", name="a link")
    expect(link).to_have_attribute("rel", "noopener noreferrer nofollow")


def test_an_error_leads_to_its_place_in_the_file(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/boom")
    run(page)
    expect(page.locator(".failure-message")).to_contain_text("missing is not defined")
    page.locator(".failure").get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="tools/boom.md")).to_be_visible()
    start = page.evaluate("document.querySelector('#content').selectionStart")
    content = (served.folder / "tools/boom.md").read_text()
    assert content[start:].startswith("missing.value") or content.count("\n", 0, start) == 7


def test_a_new_file_appears_at_the_side_without_a_reload(page: Page, served: Served) -> None:
    served.note(
        "tools/late.md", "---\ntool: true\nname: Latecomer\ndescription: New.\ncustom_function: return 1;\n---\n"
    )
    expect(page.locator("#side-tools").get_by_role("link", name="Latecomer")).to_be_visible()
    expect(page.locator("#side-search")).to_be_hidden()  # the page has its own
    page.goto(f"{served.url}/tools/latecomer")
    page.locator("#side-search").fill("loudly")
    expect(page.locator("#side-tools a")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Shout", level=1)).to_be_visible()


def test_how_a_failed_run_stands_is_read_in_one_line(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/boom")
    run(page)
    facts = page.locator(".run[data-status=failed] .run-head .facts")
    expect(facts).to_be_visible()
    box = facts.bounding_box()
    assert box is not None
    assert box["height"] < 60
