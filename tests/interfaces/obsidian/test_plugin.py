"""The plugin for Obsidian in a real browser: pair, find, form, run, approve, undo by hunks, talk, on a phone.

Obsidian itself is not here: its interface is that of ``obsidian-test-mocks``, which refuses what is not part of it.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from paperagents.interfaces.serving.pairing import open_pairing

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces
from .conftest import NOTE, Open


def pair(page: Page, served: Served) -> None:
    """Type address and code into the settings, as a person does."""
    page.get_by_placeholder("https://").fill(served.url)
    page.get_by_placeholder("https://").press("Tab")
    page.get_by_placeholder("XXXX-XXXX").fill(open_pairing(served.vault).new_code())
    page.locator("#settings .mod-cta, #settings button").first.click()
    expect(page.locator("#notices")).to_contain_text("obsidian-phone")


def begin_tidy(page: Page) -> Locator:
    """Find the tool in the sidebar, fill in its form and run it; the question."""
    page.locator("#ribbon button").click()
    page.get_by_role("searchbox").fill("beginning")
    page.locator(".paper-entry", has_text="Tidy").click()
    page.get_by_label(re.compile("^path")).fill("note.md")
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".paper-added").first).to_contain_text("+")
    return dialog


def run_tidy(page: Page) -> None:
    """Run it and say yes."""
    begin_tidy(page).get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Succeeded")


@pytest.mark.parametrize("is_phone", [False, True])
def test_a_tool_is_found_filled_in_run_and_approved(open_plugin: Open, served: Served, *, is_phone: bool) -> None:
    page = open_plugin(isPhone=is_phone)
    pair(page, served)
    run_tidy(page)
    assert (served.folder / "note.md").read_text("utf-8").startswith("new first\nline 2\n")
    expect(page.locator(".paper-timeline li")).to_have_count(3)
    record = served.vault.history.record(str(served.vault.history.runs(limit=1)[0]["run_id"]))
    assert "obsidian-phone" in {entry["approved_by"] for entry in record.execution_log}
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= page.viewport_size["width"], "nothing stands out of the page"  # type: ignore[index]


def test_of_an_undo_single_hunks_can_be_left_out(open_plugin: Open, served: Served) -> None:
    page = open_plugin()
    pair(page, served)
    run_tidy(page)
    page.get_by_role("button", name="Undo", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Change 2 of 2").uncheck()
    dialog.get_by_role("button", name="Approve the chosen").click()
    expect(page.get_by_role("status")).to_contain_text(re.compile("Succeeded|Denied|Failed"))
    written = (served.folder / "note.md").read_text("utf-8").splitlines()
    assert (written[0], written[-1]) == ("line 1", "new last")


def test_nothing_is_written_when_the_person_says_no(open_plugin: Open, served: Served) -> None:
    page = open_plugin(note="tidy.md", frontmatter={"tool": True})
    pair(page, served)
    page.locator("#palette").get_by_role("button", name="Run the tool of this note").click()
    page.get_by_label(re.compile("^path")).fill("note.md")
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Reason for a no").fill("not today")
    dialog.get_by_role("button", name="Deny").click()
    expect(page.get_by_role("status")).to_contain_text("Denied")
    expect(page.locator("#sidebar")).to_contain_text("not today")
    assert (served.folder / "note.md").read_text("utf-8") == NOTE


def test_always_is_told_in_words_before_and_after_and_can_be_wider(open_plugin: Open, served: Served) -> None:
    page = open_plugin()
    pair(page, served)
    dialog = begin_tidy(page)
    dialog.get_by_text("Other answers").click()
    rule = dialog.get_by_role("group", name="Always allow")
    expect(rule.get_by_role("status")).to_contain_text("note.md")
    rule.get_by_label("Place").fill("elsewhere/*")
    rule.get_by_label("Place").press("Tab")
    expect(rule.get_by_role("button")).to_be_disabled()
    rule.get_by_label("Place").fill("*.md")
    rule.get_by_label("Place").press("Tab")
    expect(rule.get_by_role("status")).to_contain_text("*.md")
    told = rule.get_by_role("status").inner_text()
    assert served.vault.rules.rules() == []
    rule.get_by_role("button", name="allow this from now on").click()
    expect(page.locator("#notices")).to_contain_text(told)
    expect(page.get_by_role("status")).to_contain_text("Succeeded")
    [made] = served.vault.rules.rules()
    assert (made.tool, made.path, made.by) == ("write_file", "*.md", "tidy")


def test_the_arguments_can_be_changed_before_the_yes(open_plugin: Open, served: Served) -> None:
    page = open_plugin()
    pair(page, served)
    dialog = begin_tidy(page)
    dialog.get_by_text("Other answers").click()
    dialog.get_by_role("button", name="Edit the arguments").click()
    dialog.get_by_label(re.compile("^content")).fill("mine\n")
    dialog.get_by_role("button", name="Approve the changed arguments").click()
    expect(page.get_by_role("status")).to_contain_text("Succeeded")
    assert (served.folder / "note.md").read_text("utf-8") == "mine\n"


def test_a_question_of_another_is_counted_in_the_ribbon(open_plugin: Open, served: Served) -> None:
    page = open_plugin()
    pair(page, served)
    with served.client() as program:
        program.post("/api/runs", json={"tool": "tidy", "arguments": {"path": "note.md"}})
    page.locator("#palette").get_by_role("button", name="Answer the next question").click()
    expect(page.locator("#ribbon button")).to_have_attribute("data-count", "1")
    page.get_by_role("dialog").get_by_role("button", name="Decide later").click()
    assert len(served.vault.history.questions()) == 1


def test_a_tool_takes_the_selection(open_plugin: Open, served: Served) -> None:
    page = open_plugin(note="note.md", selection="marked")
    pair(page, served)
    page.locator("#palette").get_by_role("button", name="Run a tool on the selection").click()
    page.get_by_role("dialog").get_by_role("button", name="Tidy").click()
    expect(page.get_by_label(re.compile("^path"))).to_have_value("note.md")
    expect(page.get_by_label(re.compile("^mark"))).to_have_value("marked")
    page.get_by_role("button", name="Dry run").click()
    expect(page.locator("#sidebar")).to_contain_text("would ask")
    assert (served.folder / "note.md").read_text("utf-8") == NOTE


def test_one_talks_to_an_agent(open_plugin: Open, served: Served) -> None:
    page = open_plugin()
    pair(page, served)
    page.locator("#ribbon button").click()
    page.locator(".paper-entry", has_text="Talker").click()
    page.get_by_label("Your message").fill("Hi")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("log")).to_contain_text("Hello, Ada.")


def test_a_wrong_code_is_told_and_nothing_is_sent_before_pairing(open_plugin: Open, served: Served) -> None:
    page = open_plugin()
    page.get_by_placeholder("https://").fill(served.url)
    page.get_by_placeholder("https://").press("Tab")
    page.get_by_placeholder("XXXX-XXXX").fill("AAAA-AAAA")
    page.locator("#settings .mod-cta, #settings button").first.click()
    expect(page.locator("#notices")).to_contain_text("paper serve pair")
    page.locator("#ribbon button").click()
    expect(page.get_by_role("alert")).to_contain_text("Not paired yet")


@pytest.mark.parametrize(("language", "words"), [("de", "Tools suchen"), ("zh-TW", "搜索工具"), ("fr", "Search tools")])
def test_it_speaks_the_language_of_obsidian(open_plugin: Open, served: Served, language: str, words: str) -> None:
    page = open_plugin(language=language)
    pair(page, served)
    page.locator("#ribbon button").click()
    expect(page.get_by_placeholder(words)).to_be_visible()
