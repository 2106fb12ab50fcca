"""Help in the editor: suggestions, explanations, definitions and repairs, by keyboard, mouse and finger."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces
from .conftest import PHONE, SECONDS
from .test_accessibility import axe_problems, settled

CHAIN = """---
tool: true
name: Twice
description: Says it loudly.
parameters:
  - {name: said, type: string, description: What to say}
steps:
  - name: loud
    tool: shout
    parameters:
      words: "{{said}}"
  - tool:\x20
---
"""
HOSTILE = """---
tool: true
id: trap
name: "<img src=x onerror=alert(1)>"
description: "<script>document.title = 'caught'</script> **bold** `code` ![x](http://evil.example/x.png)"
custom_function: return 1;
---
"""


@pytest.fixture
def text(page: Page, served: Served) -> Locator:
    """The text of a chain whose last step has no tool yet, with the caret there."""
    served.note("tools/twice.md", CHAIN)
    page.goto(f"{served.url}/edit?file=tools/twice.md&line=12&column=11")
    settled(page)
    return page.locator("#content")


def options(page: Page) -> Locator:
    return page.get_by_role("listbox").get_by_role("option")


def test_a_tool_is_suggested_while_its_name_is_typed_and_taken_with_enter(page: Page, text: Locator) -> None:
    page.keyboard.type("sho")
    chosen = page.get_by_role("option", name="shout", selected=True)
    expect(chosen).to_be_visible()
    expect(text).to_have_attribute("aria-controls", "suggestion-list")
    expect(text).to_have_attribute("aria-activedescendant", chosen.get_attribute("id") or "")
    expect(page.locator(".suggestion-about")).to_have_text("Says it loudly.")
    assert axe_problems(page) == []
    page.keyboard.press("Enter")
    expect(text).to_have_value(CHAIN.replace("- tool:\x20", "- tool: shout"))
    expect(options(page)).to_have_count(0)
    expect(text).not_to_have_attribute("aria-controls", "suggestion-list")
    page.keyboard.press("Control+z")
    expect(text).to_have_value(CHAIN.replace("- tool:\x20", "- tool: sho"))


def test_ctrl_space_suggests_arrows_choose_tab_takes_and_escape_closes(page: Page, text: Locator) -> None:
    page.keyboard.type("shout")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    page.keyboard.type("parameters:")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+Space")
    expect(options(page)).to_have_text(["wordsstring", "timesinteger"])
    expect(page.get_by_role("option", name="words")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("option", name="times")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("option", name="words")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(options(page)).to_have_count(0)
    expect(text).to_be_focused()
    page.keyboard.press("Control+Space")
    expect(options(page)).to_have_count(2)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Tab")
    expect(text).to_have_value(CHAIN.replace("- tool:\x20", "- tool: shout\n    parameters:\n      times: "))


def test_a_list_that_comes_by_itself_takes_no_key_before_something_is_typed(page: Page, text: Locator) -> None:
    page.keyboard.press("Backspace")
    page.keyboard.type(" ")
    expect(options(page)).not_to_have_count(0)
    expect(text).not_to_have_attribute("aria-activedescendant", "suggestion-0")
    page.keyboard.press("Enter")
    expect(options(page)).to_have_count(0)
    expect(text).to_have_value(CHAIN.replace("- tool:\x20", "- tool: \n      "))


def test_fields_that_only_a_recorded_run_had_are_suggested_with_emoji_before_them(
    page: Page, served: Served, text: Locator
) -> None:
    served.note("tools/twice.md", CHAIN.replace("  - tool:\x20\n", ""))
    served.note("tools/shout.md", "---\ntool: true\nid: shout\nname: Shout\ndescription: Loud.\n"
                "parameters:\n  - {name: words, type: string, description: What}\n"
                "custom_function: |\n  return JSON.parse('{\"cry\": 1}');\n---\n")  # fmt: skip
    served.vault.run("twice", {"said": "hello"})
    text.fill(CHAIN.replace("- tool:\x20", '- tool: shout\n    parameters:\n      words: "🌱🌱 "'))
    text.press("End")
    line_end = text.input_value().index('🌱🌱 "') + len("🌱🌱 ") + 2  # each emoji has two units there
    text.evaluate("(element, at) => element.setSelectionRange(at, at)", line_end)
    page.keyboard.type("{{loud.output.")
    expect(options(page)).to_have_text(["crynumber"])
    page.keyboard.type("c")
    expect(page.get_by_role("option", name="cry", selected=True)).to_be_visible()
    page.keyboard.press("Tab")
    assert 'words: "🌱🌱 {{loud.output.cry"' in text.input_value()


def test_a_word_explains_itself_where_the_mouse_rests_and_leads_to_its_definition(page: Page, text: Locator) -> None:
    at = text.evaluate("""(element) => {
      const style = getComputedStyle(element);
      return { x: parseFloat(style.paddingLeft) + 13.5 * parseFloat(style.fontSize) * 0.6,
               y: parseFloat(style.paddingTop) + 8.5 * parseFloat(style.lineHeight) };
    }""")
    text.hover(position=at)
    box = page.get_by_role("dialog", name="Explanation")
    expect(box).to_contain_text("What to say")
    expect(box.locator("table")).to_contain_text("times")
    box.get_by_role("link", name="Defined in tools/shout.md:3").click()
    expect(page.get_by_role("heading", name="tools/shout.md")).to_be_visible()
    content = page.locator("#content")
    assert content.evaluate("element => element.value.slice(element.selectionStart)").startswith("shout\n")


def test_f1_explains_with_the_focus_and_escape_gives_it_back(page: Page, served: Served, text: Locator) -> None:
    served.vault.run("twice", {"said": "hello"})
    page.goto(f"{served.url}/edit?file=tools/twice.md&line=11&column=18")
    settled(page)
    page.keyboard.press("F1")
    box = page.get_by_role("dialog", name="Explanation")
    expect(box).to_be_focused()
    expect(box).to_contain_text("said: string")
    assert axe_problems(page) == []
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    expect(text).to_be_focused()
    page.keyboard.press("F1")
    box.get_by_role("button", name="Defined in tools/twice.md:6").click()
    expect(text).to_be_focused()
    assert text.evaluate("element => element.value.slice(element.selectionStart)").startswith("said, type")


@pytest.mark.usefixtures("text")
def test_a_hostile_manual_stays_text(page: Page, served: Served) -> None:
    served.note("tools/trap.md", HOSTILE)
    served.vault.registry.refresh()
    title = page.title()
    page.keyboard.type("tra")
    expect(page.get_by_role("option", name="trap")).to_contain_text("<img src=x onerror=alert(1)>")
    page.keyboard.press("Tab")
    page.keyboard.press("F1")
    box = page.get_by_role("dialog", name="Explanation")
    expect(box).to_contain_text("<script>document.title = 'caught'</script>")
    expect(box.locator("strong").filter(has_text="bold")).to_be_visible()
    expect(box.locator("img, script")).to_have_count(0)
    assert page.title() == title


def test_a_problem_is_repaired_from_its_line_and_from_the_list(page: Page, served: Served) -> None:
    served.note(
        "tools/broken.md", (served.folder / "tools/broken.md").read_text().replace("name: x,", 'name: x, "🌱": 1,')
    )
    page.goto(f"{served.url}/edit?file=tools/broken.md&line=8&column=1")
    settled(page)
    text = page.locator("#content")
    page.keyboard.press("Control+.")
    expect(page.get_by_role("option", name="Replace with 'search_files'", selected=True)).to_be_visible()
    page.keyboard.press("Enter")
    expect(text).to_have_value(text.input_value().replace("serch_files", "search_files"))
    assert "- tool: search_files\n" in text.input_value()
    page.locator("#problems").get_by_role("button", name="Replace with 'string'").click()
    expect(page.get_by_text("No problems found.")).to_be_visible()
    assert '"🌱": 1, type: string,' in text.input_value()
    page.keyboard.press("Control+z")
    assert '"🌱": 1, type: strin,' in text.input_value()
    page.keyboard.press("Control+Home")
    page.keyboard.press("Control+.")
    expect(page.locator("#notice")).to_have_text("No repair is known for this line.")


def test_a_missing_parameter_is_declared_from_the_explanation_of_its_problem(page: Page, served: Served) -> None:
    served.note("tools/twice.md", CHAIN.replace("  - tool:\x20\n", "").replace("{{said}}", "{{other}}"))
    page.goto(f"{served.url}/edit?file=tools/twice.md&line=11&column=18")
    settled(page)
    page.get_by_role("button", name="Explain").click()
    page.get_by_role("dialog").get_by_role("button", name="Declare the parameter 'other'").click()
    text = page.locator("#content")
    expect(text).to_be_focused()
    assert "    type: string\n" in text.input_value().partition("- name: other\n")[2]


@pytest.fixture
def phone(browser: Browser, served: Served) -> Iterator[Page]:
    served.note("tools/twice.md", CHAIN)
    context = browser.new_context(viewport=PHONE, has_touch=True, locale="de-DE")  # type: ignore[arg-type]
    context.set_default_timeout(SECONDS * 1000)
    page = context.new_page()
    page.goto(f"{served.url}/?token={served.access.new_link_token()}")
    page.goto(f"{served.url}/edit?file=tools/twice.md&line=12&column=11")
    settled(page)
    yield page
    context.close()


def test_a_finger_asks_for_suggestions_and_takes_one_in_german(phone: Page) -> None:
    phone.get_by_role("button", name="Vorschlagen").tap()
    option = phone.get_by_role("listbox", name="Vorschläge").get_by_role("option", name="shout")
    box = option.bounding_box()
    assert box is not None
    assert box["height"] >= 43.5
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    option.tap()
    text = phone.locator("#content")
    expect(text).to_have_value(CHAIN.replace("- tool:\x20", "- tool: shout"))
    expect(text).to_be_focused()
    phone.get_by_role("button", name="Erklären").tap()
    expect(phone.get_by_role("dialog", name="Erklärung")).to_contain_text("Says it loudly.")
