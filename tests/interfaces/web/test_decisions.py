"""Deciding: who wants what, nothing below a button, several at once, rules in words."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from tests.waiting import wait_until

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces

MANY = """---
tool: true
id: many_writes
name: Many writes
description: Writes three notes, and asks before each.
category: notes
steps:
  - name: write
    tool: write_file
    for_each: [alpha, beta, gamma]
    max_parallel: 3
    parameters: {filePath: "out/{{item}}.md", content: "1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n{{item}}\\n"}
---
"""
IS_SEEN = """button => {
  const at = button.getBoundingClientRect();
  const bar = document.querySelector(".places").getBoundingClientRect();
  const diff = button.closest(".question").querySelector(".diff-lines").getBoundingClientRect();
  const isOnScreen = at.bottom > 0 && at.top < bar.top;
  return !isOnScreen || diff.bottom <= at.top;
}"""


def ask_three(served: Served) -> str:
    served.note("tools/many.md", MANY)
    record = served.vault.run("many_writes", {})
    assert len(served.vault.history.questions()) == 3
    return record.run_id


def open_inbox(context: BrowserContext, served: Served) -> Page:
    page = context.new_page()
    page.goto(f"{served.url}/approvals?token={served.access.new_link_token()}")
    return page


@pytest.mark.parametrize("look", ["phone-light"])
def test_on_a_phone_no_button_lies_over_a_change_that_is_not_seen(
    context: BrowserContext, served: Served, look: str
) -> None:
    assert look
    ask_three(served)
    page = open_inbox(context, served)
    buttons = page.locator(".question [data-answer=approve]")
    expect(buttons).to_have_count(3)
    for place in range(0, 2400, 120):
        page.evaluate("place => scrollTo(0, place)", place)
        assert buttons.evaluate_all(f"all => all.every({IS_SEEN})"), place


def test_a_question_says_who_wants_what_and_which_step_it_is(context: BrowserContext, served: Served) -> None:
    ask_three(served)
    served.live.start("keep", {"title": "Beans"})
    page = open_inbox(context, served)
    wishes = page.locator(".wish")
    expect(wishes).to_have_text(
        [f"Many writes wants to create out/{name}.md" for name in ("alpha", "beta", "gamma")]
        + ["Keep wants to create kept/one.md"]
    )
    expect(page.locator(".question .facts").last).to_contain_text("step 1 of 2")
    expect(page).to_have_title(re.compile(r"^\(4\) Inbox"))


def test_all_questions_of_a_run_are_answered_with_one_press_below_them(context: BrowserContext, served: Served) -> None:
    run_id = ask_three(served)
    page = open_inbox(context, served)
    page.get_by_role("button", name="Approve all 3").click()
    expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    expect(page).to_have_title(re.compile(r"^Inbox"))
    expect(page.locator("#notice").get_by_role("link", name="See the run")).to_have_attribute("href", f"/runs/{run_id}")
    assert sorted(each.name for each in (served.folder / "out").iterdir()) == ["alpha.md", "beta.md", "gamma.md"]


def test_after_an_answer_the_next_question_has_the_focus(context: BrowserContext, served: Served) -> None:
    ask_three(served)
    served.vault.run("keep", {"title": "Beans"})
    page = open_inbox(context, served)
    page.locator(".question", has_text="gamma").get_by_role("button", name="Deny", exact=True).press("Enter")
    expect(page.locator(".wish", has_text="kept/one.md")).to_be_focused()
    expect(page.locator(".question")).to_have_count(1)
    page.locator(".question").get_by_role("button", name="Deny", exact=True).press("Enter")
    expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    expect(page.get_by_role("heading", name="Inbox")).to_be_focused()


def test_questions_that_end_with_their_run_are_told(context: BrowserContext, served: Served) -> None:
    ask_three(served)
    page = open_inbox(context, served)
    page.locator(".question").first.get_by_role("button", name="Deny", exact=True).click()
    expect(page.locator("#notice")).to_contain_text("its other questions are closed")
    expect(page.get_by_text("Nothing waits for you")).to_be_visible()


def test_a_rule_is_said_in_words_before_and_can_be_wider(context: BrowserContext, served: Served) -> None:
    served.vault.run("keep", {"title": "Beans"})
    page = open_inbox(context, served)
    page.get_by_role("button", name="Other answers").click()
    words = page.locator(".rule-words")
    expect(words).to_contain_text("keep may create kept/one.md, until")
    page.get_by_label("Where").fill("other/*")
    expect(words).to_contain_text("does not cover kept/one.md")
    always = page.get_by_role("button", name="Always approve this")
    expect(always).to_be_disabled()
    page.get_by_label("Where").fill("kept/*")
    page.get_by_label("Last day").fill("2099-12-31")
    expect(words).to_have_text("keep may create kept/*, until 2099-12-31")
    always.click()
    expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    (rule,) = served.vault.rules.rules()
    assert (rule.by, rule.mode, rule.path, rule.until[:4]) == ("keep", "create", "kept/*", "2100")
    # The answer is taken before the run has gone on.
    wait_until((served.folder / "kept/two.md").exists)


TOGETHER = """---
tool: true
id: bundle
name: Bundle
description: Changes three notes and asks once.
approval: together
steps:
  - {name: a, tool: write_file, parameters: {filePath: notes/long.md, content: "{{text}}", overwrite: true}}
  - {name: b, tool: write_file, parameters: {filePath: out/b.md, content: "b\\n"}}
  - {name: c, tool: write_file, parameters: {filePath: out/c.md, content: "c\\n"}}
parameters:
  - {name: text, type: string, description: The text}
---
"""


def test_a_change_set_is_answered_file_by_file_and_place_by_place(context: BrowserContext, served: Served) -> None:
    lines = [f"line {number}\n" for number in range(40)]
    served.note("notes/long.md", "".join(lines))
    served.note("tools/bundle.md", TOGETHER)
    changed = ["first\n", *lines[1:39], "last\n"]
    served.vault.run("bundle", {"text": "".join(changed)})
    page = open_inbox(context, served)
    expect(page.locator(".wish")).to_have_text("Bundle wants to change 3 files")
    expect(page.locator(".change-sums")).to_have_text("3 files, +4 −2")
    expect(page.locator("[data-hunk]")).to_have_count(2)
    page.locator("[data-hunk]").last.uncheck()
    page.locator(".changed-file", has_text="out/c.md").get_by_role("checkbox").uncheck()
    page.get_by_role("button", name="Approve the chosen").click()
    expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    wait_until((served.folder / "out/b.md").exists)
    assert (served.folder / "notes/long.md").read_text() == "".join(["first\n", *lines[1:]])
    assert not (served.folder / "out/c.md").exists()


def test_the_rest_of_a_run_can_be_collected_into_one_question(context: BrowserContext, served: Served) -> None:
    served.vault.run("keep", {"title": "Beans"})
    page = open_inbox(context, served)
    page.get_by_role("button", name="Other answers").click()
    page.get_by_role("button", name="collect the rest and ask once").click()
    expect(page.locator(".changed-file")).to_contain_text("kept/two.md")
    assert not (served.folder / "kept/two.md").exists()
