"""The editor: problems as one types, a preview, saving that overwrites nobody and is recorded."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces
from .notes import SHOUT


def test_problems_come_and_go_as_one_types(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/edit?file=tools/broken.md")
    expect(page.locator("#problems li")).to_have_count(2)
    problem = page.get_by_role("button", name="There is no tool named 'serch_files'")
    expect(problem).to_contain_text("8:11")
    problem.click()
    content = page.get_by_label("Content of the file")
    expect(content).to_be_focused()
    start = content.evaluate("element => element.selectionStart")
    assert content.input_value()[start:].startswith("serch_files")
    content.fill(content.input_value().replace("serch_files", "search_files").replace("strin,", "string,"))
    expect(page.get_by_text("No problems found.")).to_be_visible()
    expect(page.locator("#preview").get_by_label("x")).to_be_visible()
    assert "serch_files" in (served.folder / "tools/broken.md").read_text()


def test_every_problem_of_a_line_is_marked(page: Page, served: Served) -> None:
    served.note("tools/two.md", "---\ntool: true\nname: two\nparameters: [{name: x, type: strin}]\n---\n")
    page.goto(f"{served.url}/edit?file=tools/two.md")
    expect(page.locator(".backdrop mark").filter(has_text="strin")).to_have_count(1)
    expect(page.locator(".backdrop mark").filter(has_text="x")).not_to_have_count(0)
    shown = page.locator(".backdrop").text_content() or ""
    assert shown.rstrip("\n") == page.get_by_label("Content of the file").input_value().rstrip("\n")


def test_saving_writes_the_file_and_stands_in_the_history(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/edit?file=tools/shout.md")
    content = page.get_by_label("Content of the file")
    content.fill(SHOUT.replace("Says it loudly.", "Says it very loudly."))
    page.keyboard.press("Control+s")
    expect(page.locator("#notice")).to_have_text("Saved.")
    assert "very loudly" in (served.folder / "tools/shout.md").read_text()
    newest = served.vault.history.runs(limit=1)[0]
    assert newest["tool"] == "write_file"
    entry = served.vault.history.record(str(newest["run_id"])).execution_log[0]
    assert entry["hitl_confirmed"] is True
    assert "(page)" in str(entry["message"])
    content.fill(SHOUT)
    with page.expect_response("**/edit/save"):
        page.get_by_role("button", name="Save", exact=True).click()
    assert (served.folder / "tools/shout.md").read_text() == SHOUT


def test_a_file_that_somebody_else_has_changed_is_not_overwritten(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/edit?file=tools/shout.md")
    page.get_by_label("Content of the file").fill("mine")
    served.note("tools/shout.md", "theirs")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#conflict")).to_contain_text("Somebody else has changed the file")
    assert (served.folder / "tools/shout.md").read_text() == "theirs"
    expect(page.get_by_label("Content of the file")).to_have_value("mine")
    with page.context.expect_page() as other:
        page.get_by_role("link", name="Look at the file").click()
    expect(other.value.get_by_label("Content of the file")).to_have_value("theirs")
    served.note("tools/shout.md", "theirs again")
    page.get_by_role("button", name="Save my text").click()
    expect(page.locator("#conflict")).to_be_visible()
    assert (served.folder / "tools/shout.md").read_text() == "theirs again"
    page.get_by_role("button", name="Save my text").click()
    expect(page.locator("#notice")).to_have_text("Saved.")
    expect(page.locator("#conflict")).to_be_hidden()
    assert (served.folder / "tools/shout.md").read_text() == "mine"


def test_a_file_that_was_moved_meanwhile_is_told_as_moved(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/edit?file=tools/shout.md")
    page.get_by_label("Content of the file").fill("mine")
    (served.folder / "tools/shout.md").rename(served.folder / "tools/loud.md")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#conflict")).to_contain_text("moved or deleted")
    expect(page.get_by_role("link", name="Look at the file")).to_be_hidden()
    assert not (served.folder / "tools/shout.md").exists()
    page.on("dialog", lambda dialog: dialog.accept())


def test_a_new_tool_is_written_and_can_be_used(page: Page) -> None:
    page.get_by_role("link", name="New tool").click()
    page.get_by_label("File", exact=True).fill("tools/mine.md")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="tools/mine.md")).to_be_visible()
    page.locator("#side-tools").get_by_role("link", name="My tool").click()
    page.get_by_label("text", exact=True).fill(" hello ")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("[data-view=tree]")).to_contain_text("hello")


def test_line_ends_stay_as_they_were(page: Page, served: Served) -> None:
    (served.folder / "dos.md").write_bytes(b"one\r\ntwo\r\n")
    page.goto(f"{served.url}/edit?file=dos.md")
    content = page.get_by_label("Content of the file")
    content.fill("one\ntwo\nthree\n")
    with page.expect_response("**/edit/save"):
        page.get_by_role("button", name="Save", exact=True).click()
    assert (served.folder / "dos.md").read_bytes() == b"one\r\ntwo\r\nthree\r\n"


def test_a_file_without_a_name_is_not_sent_off(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/new/tool")
    page.locator("#file-name").fill(" ")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#notice")).to_have_text("Give the file a name first.")
    expect(page.locator("#file-name")).to_be_focused()


def test_a_field_of_an_unknown_type_is_no_object_in_the_preview(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/edit?file=tools/broken.md")
    expect(page.locator("#preview textarea")).to_have_attribute("placeholder", "")
