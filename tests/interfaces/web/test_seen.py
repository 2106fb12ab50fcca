"""What a page shows is what there is: every character, large results in parts, nothing cut off or covered."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, Response, expect

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces
from .conftest import Watch
from .test_unknown_outcome import ORDINARY

LANES = """---
tool: true
id: lanes
name: Lanes
description: Three steps side by side.
steps:
  - parallel:
      - {name: one, tool: people}
      - {name: two, tool: people}
      - {name: three, tool: people}
  - {name: after, tool: people}
---
"""
FIVE_MEGABYTES = """---
tool: true
id: large
name: Large
description: Five megabytes.
custom_function: |
  return Array.from({ length: 20000 }, (_, n) => ({ n, text: "x".repeat(230) }));
---
"""
IS_COVERED = """bar => [...document.querySelectorAll(".brand, main h1")].some((each) => {
  const one = bar.getBoundingClientRect(), other = each.getBoundingClientRect();
  return other.width && one.bottom > other.top && one.top < other.bottom;
})"""


def run(page: Page) -> None:
    page.get_by_role("button", name="Run", exact=True).click()


def test_what_people_write_every_day_is_read_as_they_wrote_it(page: Page, served: Served) -> None:
    said = f"---\ntool: true\nid: said\nname: Said\ndescription: {json.dumps(ORDINARY)}\n"
    served.note("tools/said.md", f"{said}custom_function: 'return {{ text: {json.dumps(ORDINARY)} }};'\n---\n")
    page.goto(f"{served.url}/tools/said")
    assert page.locator(".lead").text_content() == ORDINARY
    run(page)
    assert page.locator("[data-view=tree] .text").text_content() == ORDINARY


def test_of_five_megabytes_a_page_gets_what_it_shows_and_more_when_asked(page: Page, served: Served) -> None:
    served.note("tools/large.md", FIVE_MEGABYTES)
    page.goto(f"{served.url}/tools/large")
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108  it asks for a function of Python
    run(page)
    expect(page.locator("[data-view=table] tbody tr")).to_have_count(200)
    assert sum(len(each.body()) for each in answers) < 1_000_000
    page.get_by_role("radio", name="Tree").check()
    page.locator("[data-view=tree] summary").first.click()
    page.locator("[data-view=tree] > .tree > details > ul > li > a[data-more]").click()
    expect(page.locator("[data-view=tree] .key", has_text="150").first).to_be_visible()


@pytest.mark.parametrize("look", ["desktop-light", "phone-light"])
def test_three_lanes_of_a_diagram_fit(page: Page, served: Served, look: str) -> None:
    assert look
    served.note("tools/lanes.md", LANES)
    page.set_viewport_size({**(page.viewport_size or {}), "width": 390 if look.startswith("phone") else 1366})  # type: ignore[typeddict-item]
    page.goto(f"{served.url}/tools/lanes")
    diagram = page.locator(".diagram-scroll").first
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert diagram.evaluate("each => each.scrollWidth <= each.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("look", ["phone-light"])
def test_on_a_phone_the_search_finds_as_one_types(page: Page, look: str) -> None:
    assert look
    page.locator("#search").press_sequentially("loudly")
    expect(page.locator(".groups .tool-card")).to_have_count(1)


@pytest.mark.parametrize("look", ["desktop-light", "phone-light"])
def test_a_lost_connection_is_told_beside_the_heading_and_not_over_it(
    page: Page, served: Served, watch: Watch, look: str
) -> None:
    assert look
    page.goto(f"{served.url}/runs")
    watch.may_fail = True
    bar = page.locator("#away")
    bar.evaluate("bar => (bar.hidden = false)")
    expect(bar).to_be_visible()
    assert not bar.evaluate(IS_COVERED)


def test_the_form_is_near_for_who_has_only_keys(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/keep")
    expect(page.locator("#tool-form .form-end")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    for _ in range(8):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('#tool-form *')"):
            return
    pytest.fail("the form is far from the link that skips")
