"""Writing in the editor: indentation, colours, running what was saved, and changes from outside."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces


def test_enter_keeps_the_indentation_and_tab_indents_until_escape(page: Page, served: Served) -> None:
    served.note("plain.md", "")
    page.goto(f"{served.url}/edit?file=plain.md")
    text = page.locator("#content")
    text.focus()
    for line in ("parameters:", "- name: a", "enum: [x]"):
        page.keyboard.type(line)
        page.keyboard.press("Enter")
    expect(text).to_have_value("parameters:\n  - name: a\n    enum: [x]\n    ")
    page.keyboard.press("Tab")
    page.keyboard.type("b")
    page.keyboard.press("Shift+Tab")
    expect(text).to_have_value("parameters:\n  - name: a\n    enum: [x]\n    b")
    page.keyboard.press("Control+z")
    expect(text).to_have_value("parameters:\n  - name: a\n    enum: [x]\n      b")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(text).not_to_be_focused()
    assert page.evaluate("[...CSS.highlights.keys()].every(name => name.startsWith('code-'))")
    assert page.evaluate("CSS.highlights.get('code-name').size") > 0
    expect(page.locator(".backdrop *")).to_have_count(0)


def test_a_tool_is_saved_and_run_from_its_text(page: Page, served: Served) -> None:
    served.vault.run("shout", {"words": "again", "times": 1})
    entry = next(each for each in served.vault.registry.entries() if each.id == "shout")
    page.goto(f"{served.url}/edit?file={entry.file}")
    text = page.locator("#content")
    text.fill(text.input_value().replace("toUpperCase", "toLowerCase"))
    page.get_by_role("button", name="Save and run").click()
    expect(page.locator(".result")).to_contain_text("again")
    expect(page).to_have_url(f"{served.url}/tools/shout?run={page.locator('.run').get_attribute('data-run')}")


def test_a_change_from_outside_is_told_at_once(page: Page, served: Served) -> None:
    served.note("plain.md", "one\n")
    page.goto(f"{served.url}/edit?file=plain.md")
    page.locator("#content").fill("mine")
    served.note("plain.md", "theirs\n")
    served.live.tell({"type": "vault-changed", "files": ["plain.md"]})
    expect(page.locator("#conflict")).to_be_visible()
    expect(page.locator("#content")).to_have_value("mine")


def test_what_is_run_is_what_was_typed_last(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/edit?file=tools/people.md")
    text = page.locator("#content")
    expect(page.get_by_role("button", name="Save and run")).to_be_visible()
    text.fill(text.input_value().replace("id: people", "id: folk"))
    page.get_by_role("button", name="Save and run").click()
    expect(page.locator(".run[data-status=succeeded]")).to_contain_text("Ada")
    expect(page).to_have_url(re.compile("/tools/folk"))
