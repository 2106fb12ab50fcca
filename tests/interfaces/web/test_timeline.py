"""A run as one timeline: what runs is said, what is over is over, rounds are one row, data is read side by side."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Locator, Page, expect

from paperagents.definitions.json_value import JsonObject
from paperagents.interfaces.serving.live_runs import RunningStep
from paperagents.interfaces.web.timeline import as_ranges, build_timeline, items_from, split_path

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces

OFTEN = """---
tool: true
name: often
description: Many steps.
steps:
  - {name: numbers, tool: numbers}
  - {name: each, tool: nap, for_each: "{{prev_step.output}}", parameters: {milliseconds: "{{item}}"}}
---
"""
NUMBERS = """---
tool: true
name: numbers
description: Counts.
custom_function: |
  return Array.from({ length: 3000 }, (_, number) => 5 + number % 2);
---
"""
BESIDE = """---
tool: true
name: beside
description: A slow one and a quick one side by side, then both in a run of its own.
steps:
  - parallel:
      - {name: quick, tool: nap, parameters: {milliseconds: 10}}
      - {name: long, tool: nap, parameters: {milliseconds: 3500}}
  - {name: inner, tool: people}
---
"""
READ_ALL = """---
tool: true
name: read all
id: read_all
description: Reads what it finds.
steps:
  - {name: find, tool: search_files, parameters: {query: peas}}
  - name: read
    tool: read_file
    for_each: [notes/peas.md, data/script.json, tools/nap.md]
    parameters: {filePath: "{{item}}"}
    post_processing: return output.content.length;
---
"""


def run(page: Page) -> None:
    page.get_by_role("button", name="Run", exact=True).click()


def row(page: Page, name: str) -> Locator:
    return page.locator(f"//li[details/summary//span[@class='row-name' and normalize-space()='{name}']]")


def test_a_step_side_by_side_with_others_is_done_when_it_is_done(page: Page, served: Served) -> None:
    served.note("tools/beside.md", BESIDE)
    page.goto(f"{served.url}/tools/beside")
    run(page)
    expect(row(page, "quick")).to_have_attribute("data-state", "success")
    page.locator(".diagram-toggle > summary").click()
    assert row(page, "long").get_attribute("data-state") == "running"
    expect(page.locator('[data-box="1/2"]')).to_have_class("box tool running")
    expect(page.locator('.timeline-card > .timeline > .row[data-path="1"]')).to_have_attribute("data-state", "running")
    expect(row(page, "inner")).to_have_attribute("data-state", "pending")
    expect(page.locator(".run[data-status=succeeded]")).to_be_visible()
    expect(page.locator(".timeline .row.success")).to_have_count(4)
    expect(page.locator(".diagram .box.success")).to_have_count(3)


def test_what_runs_is_said_with_its_time_also_after_a_reload(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/slow")
    run(page)
    expect(row(page, "two")).to_have_attribute("data-state", "running")
    page.reload()
    expect(row(page, "one")).to_have_attribute("data-state", "success")
    expect(row(page, "two")).to_have_attribute("data-state", "running")
    expect(row(page, "two").locator(".took")).to_contain_text("s")
    expect(page.locator(".run-took")).to_contain_text("s")
    expect(row(page, "three")).to_have_attribute("data-state", "pending")
    expect(page.locator(".run[data-status=succeeded]")).to_be_visible()
    expect(page.locator(".timeline .row.success")).to_have_count(3)


def test_nothing_moves_for_whoever_asked_for_less_motion(page: Page, served: Served) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{served.url}/tools/slow")
    run(page)
    expect(row(page, "two")).to_have_attribute("data-state", "running")
    assert page.evaluate("document.getAnimations().length") == 0


def test_a_block_of_the_tool_itself_is_named_by_what_it_does(page: Page, served: Served) -> None:
    head = "---\ntool: true\nname: trim all\nid: trim_all\ndescription: Trims.\n---\n"
    note = f"{head}```js\n// @preprocess\nreturn input;\n```\n"
    served.note("tools/trim_all.md", note)
    page.goto(f"{served.url}/tools/trim_all")
    run(page)
    expect(page.locator(".timeline .row-name")).to_have_text(["preprocess"])


def test_a_loop_is_one_row_that_unfolds_into_rounds_named_by_their_item(page: Page, served: Served) -> None:
    served.note("tools/read_all.md", READ_ALL)
    record = served.vault.run("read_all", {})
    page.goto(f"{served.url}/runs/{record.run_id}")
    expect(page.locator(".timeline-card > .timeline > .row")).to_have_count(2)
    read = row(page, "read")
    expect(read.locator(".row-count").first).to_have_text("3 of 3")
    read.locator("summary").first.click()
    rounds = read.locator("[data-rows] > .row")
    expect(rounds).to_have_count(3)
    expect(rounds.first.locator(".row-name").first).to_have_text("notes/peas.md")
    # Block kinds stand below the round they belong to.
    expect(rounds.first.locator(".rows .row-name")).to_have_text("postprocess")


def test_a_loop_that_was_unfolded_before_it_began_shows_its_rounds(page: Page, served: Served) -> None:
    served.note(
        "tools/later.md",
        "---\ntool: true\nname: later\ndescription: Rests, then counts.\nsteps:\n"
        "  - {name: rest, tool: nap, parameters: {milliseconds: 3000}}\n"
        "  - {name: each, tool: nap, for_each: [1, 2, 2500, 3000], parameters: {milliseconds: '{{item}}'}}\n---\n",
    )
    page.goto(f"{served.url}/tools/later")
    run(page)
    expect(row(page, "rest")).to_have_attribute("data-state", "running")
    row(page, "each").locator("summary").first.click()
    expect(row(page, "each").locator("[data-rows] > .row").first).to_be_visible()
    assert page.locator(".run").get_attribute("data-status") == "running"


def test_an_opened_row_shows_input_and_output_side_by_side_and_unbroken(page: Page, served: Served) -> None:
    served.note("tools/read_all.md", READ_ALL)
    record = served.vault.run("read_all", {})
    page.goto(f"{served.url}/runs/{record.run_id}")
    find = row(page, "find")
    find.locator("summary").first.click()
    sides = find.locator(".in-out > div")
    expect(sides).to_have_count(2)
    first, second = (sides.nth(place).bounding_box() for place in range(2))
    assert first is not None
    assert second is not None
    assert first["y"] == second["y"]
    assert first["x"] < second["x"]
    key = find.locator(".tree summary", has_text="results")
    box = key.locator(".key").bounding_box()
    assert box is not None
    assert box["height"] < 30
    assert key.evaluate("each => getComputedStyle(each).display") == "list-item"


def test_a_run_below_is_read_in_its_row(page: Page, served: Served) -> None:
    served.note("tools/beside.md", BESIDE)
    record = served.vault.run("beside", {})
    page.goto(f"{served.url}/runs/{record.run_id}")
    inner = row(page, "inner")
    inner.locator("summary").first.click()
    expect(inner.locator(".timeline .row-name")).to_have_text("people")


def test_the_question_stands_in_the_row_that_waits(page: Page, served: Served) -> None:
    record = served.vault.run("keep", {"title": "Beans"})
    page.goto(f"{served.url}/runs/{record.run_id}")
    page.keyboard.press("Escape")
    expect(row(page, "first").locator(".question")).to_have_count(1)
    expect(row(page, "first")).to_have_attribute("data-state", "waiting")
    expect(row(page, "second")).to_have_attribute("data-state", "pending")


def test_thousands_of_rounds_are_counted_while_they_run_and_never_all_drawn(page: Page, served: Served) -> None:
    served.note("tools/numbers.md", NUMBERS)
    served.note("tools/often.md", OFTEN)
    page.goto(f"{served.url}/tools/often")
    messages: list[str | bytes] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: messages.append(frame)))  # noqa: PLW0108  Playwright counts arguments
    run(page)
    each = row(page, "each")
    expect(each.locator(".row-count").first).to_contain_text("of 3000")
    each.locator("summary").first.click()
    expect(each.locator("[data-rows] > .row").first).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".run[data-status=cancelled]")).to_be_visible()
    assert page.locator(".timeline .row").count() < 250
    # Two events for each step, in few messages.
    assert len(messages) < int(page.locator(".run").get_attribute("data-steps") or 0)


def test_a_run_that_was_stopped_is_grey_and_not_red(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/tools/slow")
    run(page)
    expect(row(page, "two")).to_have_attribute("data-state", "running")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".run[data-status=cancelled]")).to_be_visible()
    red = page.evaluate("getComputedStyle(document.querySelector('.deny') ?? document.body).color")
    colours = page.locator(".run .failure-message, .run .dot, .run .message").evaluate_all(
        "all => all.map(each => getComputedStyle(each).color)"
    )
    assert "rgb(163, 34, 25)" not in colours, red


# --- the rows themselves


def entry(step: int, status: str = "success", **parameters: str) -> JsonObject:
    return {"step": step, "block": "tool", "name": f"s{step}", "status": status, "message": "", "timestamp": "",
            "duration_ms": 2.0, "parameters": {**parameters}, "output": None, "console": []}  # fmt: skip


def test_paths_are_taken_apart() -> None:
    assert split_path("2[7]/1~2:post") == ["2", "[7]", "/1", "~2", ":post"]
    assert split_path("turn/3/call/1") == ["turn/3", "/call/1"]
    assert split_path("fn/call-12") == ["fn", "/call-12"]


@given(st.text(max_size=30))
def test_every_path_has_a_row(path: str) -> None:
    rows = build_timeline("r", [(path, entry(1))]).rows
    assert len(rows) == 1


def test_the_last_attempt_counts() -> None:
    (row,) = build_timeline("r", [("1", entry(1, "error")), ("1~2", entry(1))]).rows
    assert row.state == "success"
    (row,) = build_timeline("r", [("1", entry(1)), ("1:post", entry(1, "error"))]).rows
    assert row.state == "error"


def test_a_loop_with_rounds_to_come_still_runs() -> None:
    done = [("1[0]", entry(1, path="a")), ("1[1]", entry(1, path="b"))]
    (row,) = build_timeline("r", done, rounds={"1": 3}, is_over=False).rows
    assert (row.state, row.done, row.total) == ("running", [0, 1], 3)
    now = RunningStep(run_id="r", path="1[2]", block="tool", name="s1")
    (row,) = build_timeline("r", done, running=[now], is_over=False).rows
    assert row.state == "running"
    (row,) = build_timeline("r", done).rows
    assert (row.state, [each.label for each in items_from(row.items, 0)]) == ("success", ["a", "b"])


@pytest.mark.parametrize(("numbers", "written"), [([], ""), ([0, 1, 2, 5], "0-2 5"), ([3], "3")])
def test_numbers_are_written_as_ranges(numbers: list[int], written: str) -> None:
    assert as_ranges(numbers) == written
