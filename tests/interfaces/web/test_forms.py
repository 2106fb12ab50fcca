"""Forms from any JSON Schema: what goes in comes out, and what is wrong is told where it is."""

from __future__ import annotations

import json
from typing import Any

import yaml
from playwright.sync_api import Page, expect

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces
from .notes import EVERYTHING

EXAMPLE = yaml.safe_load(EVERYTHING.split("---")[1].replace('"2026-11-16"', "'2026-11-16'"))["examples"][0]["input"]


def run(page: Page) -> None:
    page.get_by_role("button", name="Run", exact=True).click()


def result(page: Page) -> Any:
    expect(page.locator(".run[data-status=succeeded]")).to_be_visible()
    return json.loads(page.locator("[data-view=json]").text_content() or "")


def test_an_example_fills_every_kind_of_field_and_comes_out_as_it_went_in(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/everything")
    page.get_by_role("button", name="All of it").click()
    expect(page.get_by_label("count")).to_have_value("2")
    run(page)
    assert result(page) == EXAMPLE


def test_fields_are_filled_in_by_hand(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/everything")
    page.get_by_label("title").fill("Harvest")
    page.get_by_label("color").select_option("blue")
    page.get_by_label("urgent").check()
    page.get_by_label("day").fill("2026-11-16")
    labels = page.get_by_role("group", name="labels")
    labels.get_by_role("button", name="Add").click()
    page.keyboard.type("one")
    labels.get_by_role("button", name="Add").click()
    page.keyboard.type("two")
    labels.get_by_role("button", name="Remove item 1").click()
    page.get_by_role("group", name="sizes").get_by_label("M").check()
    people = page.get_by_role("group", name="people")
    people.get_by_role("button", name="Add").click()
    people.get_by_label("name").fill("Ada")
    people.get_by_label("age").fill("36")
    page.get_by_label("city").fill("Berlin")
    page.get_by_role("group", name="contact").get_by_role("combobox", name="Kind").first.select_option("Mail")
    page.get_by_role("group", name="contact").get_by_label("mail").last.fill("b@example.com")
    run(page)
    assert result(page) == {
        "count": 3,
        "urgent": True,
        "title": "Harvest",
        "color": "blue",
        "day": "2026-11-16",
        "labels": ["two"],
        "sizes": ["M"],
        "people": [{"name": "Ada", "age": 36}],
        "place": {"city": "Berlin"},
        "contact": {"mail": "b@example.com"},
    }


def test_what_is_left_empty_is_not_sent_and_defaults_are_shown(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/everything")
    expect(page.get_by_label("count")).to_have_value("3")
    page.get_by_label("title").fill("Harvest")
    page.get_by_label("color").select_option("red")
    run(page)
    assert result(page) == {"count": 3, "urgent": False, "title": "Harvest", "color": "red"}


def test_problems_deep_inside_are_told_beside_their_field(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/everything")
    page.get_by_role("button", name="All of it").click()
    people = page.get_by_role("group", name="people")
    people.get_by_label("age").first.fill("-1")
    page.get_by_label("title").fill("x")
    page.get_by_label("lat").fill("north")
    run(page)
    expect(page.locator(".field-error:visible")).to_have_count(3)
    expect(people.get_by_label("age").first).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("lat")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("title")).to_be_focused()


def test_json_is_another_view_of_the_same_value(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/everything")
    page.get_by_role("button", name="All of it").click()
    page.get_by_role("button", name="JSON").click()
    raw = page.get_by_role("textbox", name="JSON")
    value = json.loads(raw.input_value())
    assert value == EXAMPLE
    raw.fill("{broken")
    page.get_by_role("button", name="Form", exact=True).click()
    expect(page.locator(".raw-json + .field-error")).to_be_visible()
    raw.fill(json.dumps({**value, "title": "By hand"}))
    page.get_by_role("button", name="Form", exact=True).click()
    expect(page.get_by_label("title")).to_have_value("By hand")
    run(page)
    assert result(page)["title"] == "By hand"


def test_the_values_of_the_last_run_are_there_again_and_can_be_left(page: Page, served: Served) -> None:
    served.vault.run("shout", {"words": "hello", "times": 3})
    page.goto(f"{served.url}/tools/shout")
    expect(page.get_by_label("words")).to_have_value("hello")
    expect(page.get_by_label("times")).to_have_value("3")
    page.get_by_role("button", name="Start fresh").click()
    expect(page.get_by_label("words")).to_have_value("")
    expect(page.get_by_label("times")).to_have_value("1")


def test_line_ends_of_a_text_survive_the_form(page: Page, served: Served) -> None:
    served.vault.run("everything", {"title": "Ends", "color": "red", "content": "one\r\ntwo\r\n"})
    page.goto(f"{served.url}/tools/everything")
    run(page)
    assert result(page)["content"] == "one\r\ntwo\r\n"
