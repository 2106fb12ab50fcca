"""What is stored, on pages: looked at, changed, deleted after a yes, and brought back."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces


@pytest.mark.parametrize("look", ["desktop-light", "phone-dark"])
def test_an_entry_is_made_changed_deleted_after_a_yes_and_brought_back(page: Page, served: Served, look: str) -> None:
    assert look
    page.goto(f"{served.url}/entries")
    page.get_by_text("New entry").click()
    page.get_by_label("Identifier").fill("tea")
    page.get_by_role("textbox", name="Content").fill("Green, **two** minutes")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".prose strong")).to_have_text("two")
    page.get_by_text("Edit", exact=True).click()
    page.get_by_label("Heading").fill("How tea is made")
    page.get_by_role("textbox", name="Content").fill("Green, **three** minutes")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="How tea is made", level=1)).to_be_visible()
    expect(page.locator(".prose strong")).to_have_text("three")
    page.get_by_role("button", name="Delete").click()
    question = page.get_by_role("dialog")
    expect(question).to_contain_text("memory/tea")
    assert served.vault.entries.get("memory", "tea") is not None
    question.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_text("No entries yet.")).to_be_visible()
    assert served.vault.entries.get("memory", "tea") is None
    page.goto(f"{served.url}/entries/memory/tea")
    page.get_by_text("Version 1", exact=True).click()
    page.get_by_role("button", name="Bring this version back").click()
    question = page.get_by_role("dialog")
    expect(question.locator(".wish")).to_have_text("Bring back this version of memory/tea?")
    assert served.vault.entries.get("memory", "tea") is None
    question.get_by_role("button", name="Approve", exact=True).click()
    expect(page.locator(".prose strong")).to_have_text("two")
    assert served.vault.entries.content("memory", "tea") == "Green, **two** minutes"


def test_a_new_entry_takes_no_place_and_a_wrong_name_is_told(page: Page, served: Served) -> None:
    served.vault.entries.put("task", "sow", {"content": "peas", "status": "ongoing"})
    page.goto(f"{served.url}/entries/task")
    page.get_by_text("New entry").click()
    page.get_by_label("Identifier").fill("sow")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("There is an entry 'sow' already.")).to_be_visible()
    page.get_by_label("Identifier").fill("sow the peas!")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".field-error:visible")).to_have_count(1)
    assert [entry.content for entry in served.vault.entries.entries("task")] == ["peas"]


def test_only_what_was_changed_is_changed(page: Page, served: Served) -> None:
    served.vault.entries.put("task", "sow", {"heading": "Sow", "content": "peas", "status": "ongoing"})
    page.goto(f"{served.url}/entries/task/sow")
    page.get_by_text("Edit", exact=True).click()
    page.get_by_label("Status").select_option("finished")
    page.get_by_label("Heading").fill("")
    served.vault.entries.put("task", "sow", {"content": "beans"})
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".tag", has_text="finished")).to_be_visible()
    changed = served.vault.entries.get("task", "sow")
    assert changed is not None
    assert (changed.content, changed.status, changed.heading) == ("beans", "finished", "")


def test_entries_of_every_kind_are_listed_searched_and_read_without_scripts(served: Served) -> None:
    served.vault.entries.put("memory", "tea", {"content": "<b>green</b>"})
    served.vault.entries.put("memory", "milk", {"content": "none"})
    served.vault.entries.put("datavault", "code", {"type": "code", "content": "a < b"})
    served.vault.entries.put("recipes", "soup", {"content": "leek"})
    with served.client() as client:
        listed = client.get("/entries/memory").text
        assert "/entries/memory/tea" in listed
        assert "<b>green" not in listed
        found = client.get("/entries/memory", params={"q": "GREEN"}).text
        assert "/entries/memory/tea" in found
        assert "/entries/memory/milk" not in found
        assert "a &lt; b" in client.get("/entries/datavault/code").text
        assert "/entries/recipes" in listed
        assert "leek" in client.get("/entries/recipes/soup").text
        for path in ("/entries/memory/nothing", "/entries/nothing", "/entries/memory/%2e%2e"):
            assert client.get(path).status_code == 404, path
