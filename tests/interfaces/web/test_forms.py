"""Forms from any JSON Schema: what goes in comes out, and what is wrong is told where it is."""

from __future__ import annotations

import json
from typing import Any

import yaml
from playwright.sync_api import Page, expect

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces
from .notes import EVERYTHING, SHOUT

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
    unfold(page)
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


ODD = """---
tool: true
id: odd
name: Odd
description: Values that forms like to lose.
parameters:
  - {name: title, type: string, description: May be empty}
  - {name: maybe, type: [string, "null"], default: something, description: May be null}
  - {name: level, enum: [1, 2.5, null, "1", true], description: One of many kinds}
  - {name: list, type: array, items: {type: string}, description: May be empty}
  - {name: big, type: integer, required: false, description: A big number}
  - {name: many, type: number, required: false, description: A number}
  - {name: any, required: false, description: Anything, type: [string, number, boolean, object, array, "null"]}
  - {name: extra, type: object, required: false, description: Any object}
  - {name: day, type: string, required: false, description: A day, format: date}
  - {name: sizes, type: object, required: false, description: Names and numbers, additionalProperties: {type: integer}}
  - name: either
    type: object
    required: false
    description: One of the two
    properties: {a: {type: string}, b: {type: string}}
    oneOf: [{required: [a]}, {required: [b]}]
  - {name: both, type: object, required: false, description: x and y,
     allOf: [{properties: {x: {type: integer}}}, {properties: {y: {type: string}}}]}
steps:
  - {tool: write_file, parameters: {filePath: odd.json, content: "{{input}}", overwrite: true}}
---
"""
ODD_VALUES: dict[str, Any] = {
    "title": "",
    "maybe": None,
    "level": None,
    "list": [],
    "big": 2**53 + 1,
    "many": 0,
    "any": "123",
    "extra": {},
    "sizes": {"small": 1, "large": 2**53 + 1},
    "either": {"b": "1"},
    "both": {"x": 1, "y": "😀"},
}


def open_odd(page: Page, served: Served) -> None:
    served.note("tools/odd.md", ODD)
    page.goto(f"{served.url}/tools/odd")
    unfold(page)


def unfold(page: Page) -> None:
    """Show the fields that are out of the way."""
    expect(page.locator("#tool-form .form-end")).to_be_attached()
    for fold in page.locator(".more-fields:not([open]) > summary").all():
        fold.click()


def fill_in_json(page: Page, value: Any) -> None:
    page.get_by_role("button", name="JSON").click()
    page.get_by_role("textbox", name="JSON").fill(json.dumps(value))
    page.get_by_role("button", name="Form", exact=True).click()


def sent(page: Page) -> Any:
    with page.expect_request(lambda request: "/api/runs" in request.url) as asked:
        run(page)
    return json.loads(asked.value.post_data or "")["arguments"]


def test_empty_null_and_big_values_come_out_of_the_form_as_they_went_in(page: Page, served: Served) -> None:
    open_odd(page, served)
    fill_in_json(page, ODD_VALUES)
    assert sent(page) == ODD_VALUES
    expect(page.get_by_role("dialog")).to_be_visible()
    page.reload()
    page.keyboard.press("Escape")
    assert sent(page) == ODD_VALUES


def test_a_required_field_can_be_given_as_empty(page: Page, served: Served) -> None:
    open_odd(page, served)
    page.get_by_label("level").select_option("null")
    run(page)
    page.get_by_role("button", name="Use empty text").click()
    page.get_by_role("button", name="Use empty list").click()
    expect(page.get_by_text("Sent as: empty text")).to_be_visible()
    values = sent(page)
    assert (values["title"], values["list"], values["level"]) == ("", [], None)


def test_a_number_that_is_too_big_is_told_and_never_changed(page: Page, served: Served) -> None:
    open_odd(page, served)
    page.get_by_label("big").fill("9007199254740993")
    page.get_by_label("many").fill("1e400")
    values = sent(page)
    assert (values["big"], values["many"]) == (2**53 + 1, "1e400")
    expect(page.get_by_label("many")).to_have_attribute("aria-invalid", "true")


def test_a_variant_has_the_fields_that_all_variants_have(page: Page, served: Served) -> None:
    open_odd(page, served)
    either = page.get_by_role("group", name="either").first
    either.get_by_role("combobox", name="Kind").select_option("b")
    either.get_by_label("a", exact=True).fill("one")
    page.get_by_role("group", name="both").get_by_label("x", exact=True).fill("7")
    assert sent(page)["either"] == {"a": "one"}


def test_a_problem_of_a_variant_is_told_where_somebody_sees_it(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/everything")
    unfold(page)
    contact = page.get_by_role("group", name="contact").first
    contact.get_by_role("combobox", name="Kind").first.select_option("Phone")
    contact.get_by_role("textbox", name="phone").fill("1")
    contact.get_by_role("combobox", name="Kind").first.select_option("Mail")
    contact.get_by_role("textbox", name="mail").fill("nobody")
    run(page)
    expect(contact.locator(".field-error:visible")).not_to_have_count(0)


def test_a_day_that_is_none_is_shown_and_not_dropped(page: Page, served: Served) -> None:
    open_odd(page, served)
    fill_in_json(page, {"day": "soon"})
    expect(page.get_by_label("day")).to_have_value("soon")


def test_lines_that_are_pasted_stay_lines(page: Page, served: Served) -> None:
    open_odd(page, served)
    text = page.get_by_label("title", exact=True)
    text.evaluate(
        """field => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", "one\\ntwo\\n");
            field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
        }"""
    )
    expect(page.get_by_label("title", exact=True)).to_have_value("one\ntwo")
    assert sent(page)["title"] == "one\ntwo"


def test_what_was_typed_is_there_after_a_reload_and_on_the_way_back(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/shout")
    page.get_by_label("words").fill("not sent yet")
    page.reload()
    expect(page.get_by_label("words")).to_have_value("not sent yet")
    page.get_by_role("link", name="Settings").first.click()
    expect(page.get_by_role("heading", name="Settings", level=1)).to_be_visible()
    page.go_back()
    expect(page.get_by_label("words")).to_have_value("not sent yet")
    page.get_by_role("button", name="JSON").click()
    page.get_by_role("textbox", name="JSON").fill("{half")
    page.reload()
    expect(page.get_by_role("textbox", name="JSON")).to_have_value("{half")


def test_what_was_sent_is_no_draft_any_more(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/shout")
    page.get_by_label("words").fill("sent")
    run(page)
    assert result(page) == "SENT"
    served.vault.run("shout", {"words": "newer"})
    page.goto(f"{served.url}/settings")
    page.goto(f"{served.url}/tools/shout")
    page.reload()
    expect(page.get_by_label("words")).to_have_value("newer")


def test_a_form_says_that_its_tool_has_changed_and_the_new_one_keeps_what_was_typed(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/shout")
    page.get_by_label("words").fill("hello")
    served.note("tools/shout.md", SHOUT.replace("name: times", "name: repeat").replace("input.times", "input.repeat"))
    expect(page.get_by_text("This tool has changed")).to_be_visible()
    page.get_by_role("button", name="Load the page again").click()
    expect(page.get_by_label("repeat")).to_be_visible()
    expect(page.get_by_label("words")).to_have_value("hello")
    served.note("tools/shout.md", f"{(served.folder / 'tools/shout.md').read_text()}\nMore about it.\n")
    (served.folder / "tools/people.md").unlink()
    expect(page.locator("#side-tools").get_by_role("link", name="People")).to_have_count(0)
    expect(page.get_by_text("This tool has changed")).to_be_hidden()
    (served.folder / "tools/shout.md").unlink()
    expect(page.get_by_text("This tool has changed")).to_be_visible()


def test_names_and_values_of_ones_own_are_filled_in_as_rows(page: Page, served: Served) -> None:
    open_odd(page, served)
    sizes = page.get_by_role("group", name="sizes")
    for word, number in (("small", "1"), ("wrong", "x"), ("große", "3")):
        sizes.get_by_role("button", name="Add").click()
        page.keyboard.type(word)
        page.keyboard.press("Tab")
        page.keyboard.type(number)
    sizes.get_by_role("button", name="Remove item 2").click()
    assert sent(page)["sizes"] == {"small": 1, "große": 3}


def test_what_a_tool_no_longer_names_is_sent_openly(page: Page, served: Served) -> None:
    served.vault.run("shout", {"words": "hello", "whisper": True})
    page.goto(f"{served.url}/tools/shout")
    expect(page.get_by_text("Also sent: whisper")).to_be_visible()
    page.get_by_role("button", name="Start fresh").click()
    expect(page.get_by_text("Also sent")).to_have_count(0)


LEFT = """---
tool: true
name: left
description: Things that need not be given, with constants and defaults inside.
parameters:
  - {name: agreed, const: true, required: false, description: Only one thing can be said}
  - name: shape
    type: object
    required: false
    description: A circle or a box
    oneOf:
      - {title: Circle, properties: {kind: {const: circle}, radius: {type: number}}, required: [kind, radius]}
      - {title: Box, properties: {kind: {const: box}, width: {type: number}}, required: [kind, width]}
  - name: page
    type: object
    required: false
    description: A default beside something that must be given
    properties: {size: {type: integer, default: 10}, book: {type: string}}
    allOf: [{required: [book]}]
  - name: order
    type: object
    required: false
    description: The same, deeper inside
    properties: {page: {type: object, required: [book], properties: {size: {type: integer, default: 10}}}}
  - name: headers
    type: object
    required: false
    description: Names by a pattern
    patternProperties: {"^x-": {type: string}}
    additionalProperties: false
  - {name: summary, type: string, required: false, description: Long, format: multiline}
custom_function: |
  return input;
---
"""


def open_left(page: Page, served: Served) -> None:
    served.note("tools/left.md", LEFT)
    page.goto(f"{served.url}/tools/left")


def test_what_need_not_be_given_is_left_out_as_long_as_nobody_touches_it(page: Page, served: Served) -> None:
    open_left(page, served)
    assert sent(page) == {}
    expect(page.locator(".run[data-status=succeeded]")).to_be_visible()


def test_a_variant_that_was_chosen_is_sent_and_can_be_left_again(page: Page, served: Served) -> None:
    open_left(page, served)
    kind = page.get_by_role("group", name="shape").first.get_by_role("combobox", name="Kind")
    kind.select_option("Box")
    page.get_by_label("agreed").select_option("true")
    assert sent(page) == {"shape": {"kind": "box"}, "agreed": True}
    expect(page.get_by_text("'shape.width' is missing.")).to_be_visible()
    expect(page.get_by_role("textbox", name="width")).to_be_focused()
    kind.select_option("–")
    assert sent(page) == {"agreed": True}


def test_an_object_with_a_default_is_sent_whole_once_somebody_fills_it(page: Page, served: Served) -> None:
    open_left(page, served)
    page.get_by_role("group", name="page").first.get_by_label("book").fill("Emma")
    assert sent(page) == {"page": {"size": 10, "book": "Emma"}}


def test_members_by_a_pattern_are_rows_and_a_text_of_many_lines_has_room(page: Page, served: Served) -> None:
    open_left(page, served)
    headers = page.get_by_role("group", name="headers")
    headers.get_by_role("button", name="Add").click()
    page.keyboard.type("x-one")
    headers.get_by_role("textbox").last.fill("1")
    expect(page.locator("textarea:visible")).to_have_count(1)
    page.get_by_label("summary").fill("two\nlines")
    assert sent(page) == {"headers": {"x-one": "1"}, "summary": "two\nlines"}


def test_a_tool_without_parameters_says_so(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/people")
    expect(page.locator("#tool-form").get_by_text("This tool needs no input.")).to_be_visible()
    page.goto(f"{served.url}/tools/shout")
    expect(page.get_by_label("words")).to_be_visible()
    expect(page.locator("#tool-form").get_by_text("This tool needs no input.")).to_have_count(0)


def test_a_list_of_anything_is_written_as_lines_or_as_json(page: Page, served: Served) -> None:
    served.note(
        "tools/lines.md",
        "---\ntool: true\nname: lines\ndescription: Gives them back.\nparameters:\n"
        "  - {name: items, type: array, description: Some things}\ncustom_function: return input.items;\n---\n",
    )
    served.vault.registry.refresh()
    for typed, given in (("a\n b c\n\n3\n", ["a", "b c", "3"]), ('[1, {"x": 2}]', [1, {"x": 2}])):
        page.goto(f"{served.url}/tools/lines")
        expect(page.locator(".about").first).to_have_text("Some things. One entry per line, or JSON.")
        page.get_by_label("items").fill(typed)
        run(page)
        assert result(page) == given
    page.get_by_label("items").fill("[1,")
    run(page)
    expect(page.locator(".field-error:visible")).to_have_count(1)


MANY = """---
tool: true
id: many
name: Many
description: Wants a lot.
parameters:
  - {name: title, type: string, description: The title}
{more}
custom_function: return input;
---
"""


def test_of_many_fields_the_optional_ones_are_folded_until_they_are_wanted_or_wrong(page: Page, served: Served) -> None:
    more = "\n".join(f"  - {{name: f{n}, type: integer, required: false, description: x}}" for n in range(12))
    served.note("tools/many.md", MANY.replace("{more}", more))
    page.goto(f"{served.url}/tools/many")
    fold = page.locator(".more-fields")
    expect(fold.locator("> summary")).to_have_text("5 more")
    expect(page.get_by_label("f6")).to_be_visible()
    expect(page.get_by_label("f11")).to_be_hidden()
    left, right = (page.get_by_label(name).bounding_box() for name in ("title", "f0"))
    assert left is not None
    assert right is not None
    assert left["y"] == right["y"], "side by side where there is room"
    page.get_by_label("title").fill("x")
    fill_in_json(page, {"title": "x", "f11": "no number"})
    expect(page.get_by_label("f11")).to_be_visible()
    run(page)
    expect(page.get_by_label("f11")).to_have_attribute("aria-invalid", "true")
