"""The first page and the palette: what one looks for is there at once."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from paperagents.interfaces.web.palette_pages import rate

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces

TOOL = "---\ntool: true\nid: {id}\nname: {id}\ndescription: x\ncategory: {category}\ncustom_function: return 1\n---\n"


@pytest.mark.parametrize("look", ["desktop-light", "phone-dark"])
def test_the_first_page_begins_with_search_what_waits_and_what_was_used_last(
    page: Page, served: Served, look: str
) -> None:
    assert look
    for number in range(60):
        served.note(f"many/t{number}.md", TOOL.format(id=f"t{number}", category=f"kind {number % 16}"))
    served.note("many/broken.md", "---\ntool: true\nname: broken\nparameters: 5\n---\n")
    served.vault.run("people", {})
    served.vault.run("keep", {"title": "x"})
    page.goto(f"{served.url}/tools/shout")
    page.get_by_role("button", name="Pin").click()
    page.goto(served.url)
    expect(page.locator("#waiting-heading")).to_contain_text("Waiting for you")
    expect(page.locator(".home-card strong")).to_have_text(["Shout", "Keep", "People"])
    expect(page.locator(".home-card .outcome").last).to_contain_text("Succeeded")
    expect(page.locator(".problem-line > summary")).to_contain_text("files have problems")
    expect(page.locator(".problem-line .problem-file").first).to_be_hidden()
    for number in range(16):
        group = page.locator(f'.groups [data-group="kind {number}"]')
        expect(group.locator("h2")).to_contain_text("4" if number < 12 else "3")
        expect(group.locator("a").first).to_be_hidden()
        assert page.locator(f'#side-tools [data-group="kind {number}"]').count() == 1
    page.locator("#search").fill("t59")
    expect(page.locator(".groups .tool-card")).to_have_text(["t59x"])
    expect(page.locator(".home-cards")).to_be_hidden()


def test_the_search_and_the_palette_are_one_key_away(page: Page, served: Served) -> None:
    served.note("notes/peas.md", "Peas\n")
    page.goto(served.url)
    expect(page.locator("#search")).to_be_focused()
    page.goto(f"{served.url}/runs")
    page.keyboard.press("/")
    palette = page.get_by_role("dialog")
    expect(palette.get_by_role("combobox")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.keyboard.type("peas")
    expect(palette.get_by_role("option").first).to_contain_text("notes/peas")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{served.url}/notes/notes/peas.md")
    page.keyboard.press("Control+k")
    page.keyboard.type("langmod")
    expect(palette.get_by_role("option").first).to_contain_text("Language model")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{served.url}/settings#model")


def test_the_palette_runs_a_tool_with_its_last_values_and_it_asks_as_always(page: Page, served: Served) -> None:
    served.vault.run("keep", {"title": "From before"})
    page.keyboard.press("Control+k")
    page.keyboard.type("keep")
    expect(page.get_by_role("option", selected=True)).to_contain_text("Keep")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("dialog")).to_contain_text("From before")
    assert not (served.folder / "kept/one.md").exists()
    page.goto(f"{served.url}/tools/shout?run-at-once=shout")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()
    expect(page.locator(".run")).to_have_count(0)


@pytest.mark.parametrize(
    ("better", "worse"), [("search notes", "re-search"), ("deep research", "bookshelf arch"), ("a search", "sea rich")]
)
def test_what_begins_so_comes_before_what_only_has_the_letters(better: str, worse: str) -> None:
    best, other = rate("search", better), rate("search", worse)
    assert best is not None
    assert other is None or best < other
