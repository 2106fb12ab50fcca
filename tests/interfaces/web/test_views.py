"""Values, texts, chains and figures as pages show them."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import UsageError
from paperagents.interfaces.web.drawings import day_bars, day_lines, day_times, diagram, percent, tool_bars
from paperagents.interfaces.web.markdown import looks_like_markdown, render_markdown
from paperagents.interfaces.web.rendering import natural_order, page_json
from paperagents.interfaces.web.results import MOST_NODES, Node, result_view, table, tree, value_at
from paperagents.interfaces.web.texts import (
    format_duration,
    format_moment,
    in_zone,
    start_of_day,
)
from paperagents.reading.files import read_markdown

JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=5),
    max_leaves=30,
)
ALLOWED = re.compile(
    r"</?(?:p|em|strong|s|code|pre|blockquote|ul|ol|li|h[3-6]|hr|br|a|table|thead|tbody|tr|th|td)(?:\s[^>]*)?/?>"
)


def count(node: Node) -> int:
    return 1 + sum(map(count, node.children))


@given(JSON)
def test_every_value_has_a_bounded_tree(value: JsonValue) -> None:
    assert 1 <= count(tree(value)) <= MOST_NODES + 1


def test_a_huge_value_is_cut_and_its_rest_can_be_found() -> None:
    value: JsonValue = [[number] * 200 for number in range(5_000)]
    node = tree(value)
    assert count(node) <= MOST_NODES + 1
    assert node.more is not None
    following = tree(value, pointer=node.more.pointer, offset=node.more.offset)
    assert following.children[0].key == str(node.more.offset)
    deep: JsonValue = 1
    for _ in range(5_000):
        deep = [deep]
    assert count(tree(deep)) < 20


@given(JSON, st.text(max_size=30))
def test_a_pointer_leads_to_a_value_or_is_refused(value: JsonValue, pointer: str) -> None:
    with suppress(UsageError):
        value_at(value, pointer)


def test_pointers_are_those_of_the_standard() -> None:
    value: JsonValue = {"a/b": {"~": [10, 20]}}
    assert value_at(value, "/a~1b/~0/1") == 20
    with pytest.raises(UsageError):
        value_at(value, "/a~1b/~0/-1")


def test_lists_of_objects_are_tables() -> None:
    found = table([{"a": 1}, {"b": [2]}])
    assert found is not None
    assert found.columns == ("a", "b")
    assert found.rows == (("1", ""), ("", "[2]"))
    assert table([1, 2]) is None
    assert table([]) is None
    wrapped = result_view({"results": [{"path": "a.md"}], "count": 1})
    assert wrapped.table is not None
    assert wrapped.views == ("table", "tree", "json")


@given(JSON)
def test_every_value_can_be_looked_at(value: JsonValue) -> None:
    view = result_view(value)
    assert view.views[-1] == "json"


@given(st.text() | st.sampled_from(["<script>x</script>", "[a](javascript:x)", "![i](http://x/y)", "<b onclick=x>"]))
def test_markdown_makes_only_harmless_elements(source: str) -> None:
    html = str(render_markdown(source))
    assert "<" not in ALLOWED.sub("", html)
    assert not re.search(r'(?:href|src)="\s*(?:javascript|data|vbscript|file):', html, re.IGNORECASE)


def test_boxes_of_tasks_are_shown_as_boxes() -> None:
    shown = render_markdown("- [ ] sow *peas*\n- [x] water\n- [y] no\n\n1. [X] loose\n\n[ ] no list\n")
    assert ("☐ sow <em>peas</em>" in shown, "☑ water" in shown, "☑ loose" in shown) == (True, True, True)
    assert ("[y] no" in shown, "[ ] no list" in shown) == (True, True)


def test_markdown_is_told_from_plain_text() -> None:
    assert looks_like_markdown("# Title\n\ntext")
    assert not looks_like_markdown("just a line")
    assert not looks_like_markdown("two\nlines")


@given(JSON)
def test_no_value_can_end_the_data_block_of_a_page(value: JsonValue) -> None:
    assert not re.search(r"[<>&']", str(page_json(value)))


def definition(text: str) -> ToolDefinition:
    read = read_markdown(text.encode(), "x.md").definition
    assert isinstance(read, ToolDefinition)
    return read


def test_a_chain_is_drawn_with_its_parallel_steps_side_by_side() -> None:
    chain = definition(
        "---\ntool: true\nname: x\ndescription: x\nsteps:\n  - {tool: search_files, parameters: {query: a}}\n"
        "  - parallel:\n      - {name: one, tool: read_file, parameters: {path: a}}\n"
        "      - {name: two, tool: read_file, parameters: {path: b}}\n"
        "  - {name: last, tool: read_file, if: 'true', for_each: [1], retry: {attempts: 3}, parameters: {path: c}}\n"
        "---\n```js\n// @postprocess\nreturn output;\n```\n"
    )
    drawn = diagram(chain)
    assert drawn is not None
    assert [box.step for box in drawn.boxes] == [1, 2, 2, 3, 4]
    assert drawn.boxes[1].y == drawn.boxes[2].y
    assert drawn.boxes[1].x != drawn.boxes[2].x
    assert "3×" in drawn.boxes[3].detail
    assert len(drawn.lines) == 2 + 2 + 1


def test_one_block_needs_no_diagram() -> None:
    assert diagram(definition("---\ntool: true\nname: x\ndescription: x\ncustom_function: return 1;\n---\n")) is None


def test_figures_become_bars_of_the_right_length() -> None:
    figures = [
        {"tool": "a", "runs": 4, "succeeded": 3, "failed": 1, "success_rate": 0.75, "median_ms": 5.0, "p95_ms": 10.0},
        {"tool": "b", "runs": 2, "succeeded": 1, "failed": 0, "success_rate": 0.5, "median_ms": None, "p95_ms": None},
    ]
    first, second = tool_bars(figures)
    assert (first.succeeded_width, first.failed_width, first.p95_width) == (240, 80, 320)
    assert (second.other, second.rate, second.median_width) == (1, 50, 0)
    days = day_bars([{"started": "2026-11-15T10:00:00", "status": "failed"}], today=datetime(2026, 11, 16, tzinfo=UTC))
    assert [day.runs for day in days] == [0] * 12 + [1, 0]
    assert day_bars([])[0].height == 0


def test_days_are_drawn_by_outcome_and_by_time() -> None:
    today = datetime(2026, 11, 16, tzinfo=UTC)
    ended = [("succeeded", 40.0), ("succeeded", 60.0), ("failed", 900.0), ("waiting", 0.0)]
    runs = [
        {"tool": "a", "started": "2026-11-16T10:00:00+00:00", "status": each, "duration_ms": ms} for each, ms in ended
    ]
    runs += [{"tool": "b", "started": "2026-11-15T10:00:00+00:00", "status": "succeeded", "duration_ms": 100.0}]
    last = day_bars(runs, today=today)[-1]
    assert (last.height, last.failed_height, last.other_height) == (100, 25, 25)
    before, now = day_times(runs, today=today)
    assert (before.median, now.median, now.x - before.x) == (100, 50, 40), "of those that succeeded"
    assert before.y < now.y, "longer is higher"
    lines = day_lines(runs, today=today)
    assert [len(lines[tool].split()) for tool in ("a", "b")] == [14, 14]
    assert lines["a"].endswith("104.0,0.0")
    assert lines["b"].endswith("104.0,20.0")
    assert (day_times([]), day_lines([])) == ([], {})


def test_one_failure_in_a_thousand_runs_is_not_rounded_away() -> None:
    assert [percent(*each) for each in ((999, 1000), (1, 1000), (1000, 1000), (0, 3), (2, 3))] == [99, 1, 100, 0, 67]


def test_names_with_numbers_are_in_the_order_people_expect() -> None:
    names = ["Tool 10", "tool 9", "10 notes", "9 notes", "a", "笔记 2", "x" + "9" * 5000, "²"]
    assert sorted(names, key=natural_order)[:5] == ["9 notes", "10 notes", "a", "tool 9", "Tool 10"]


def test_times_are_said_as_people_say_them() -> None:
    assert [format_duration(each) for each in (4.2, 1_250, 185_000)] == ["4 ms", "1.2 s", "3 min 5 s"]
    assert format_moment("2020-01-02T03:04:05+00:00").startswith("2020-01-0")
    assert format_moment(datetime.now(UTC).isoformat()).startswith("today")
    assert format_moment("no time") == "no time"


def test_days_and_moments_are_those_of_the_vaults_time_zone() -> None:
    late = "2020-01-02T22:30:00+00:00"
    with in_zone(ZoneInfo("Pacific/Auckland")):
        assert format_moment(late) == "2020-01-03 11:30"
        assert start_of_day("2020-01-03") == "2020-01-02T11:00:00+00:00"
        days = day_bars([{"started": late, "status": "failed"}], today=datetime(2020, 1, 4, tzinfo=UTC))
    assert [day.runs for day in days] == [0] * 12 + [1, 0]


def test_of_a_long_result_no_more_json_is_written_than_is_shown() -> None:
    view = result_view([{"name": "x" * 100, "number": number} for number in range(20_000)])
    assert view.is_cut
    assert len(view.raw) == 100_000
    short = result_view({"a": ["\ud800", 1.5, None]})
    assert (short.is_cut, short.raw.count("\n")) == (False, 6)


def test_pictures_of_an_answer_are_shown_as_pictures_and_told_in_words() -> None:
    picture: JsonValue = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
    view = result_view({"content": [{"type": "text", "text": "Here."}, picture]})
    assert view.pictures == (("image/png", "data:image/png;base64,iVBORw0KGgo="),)
    assert view.text == "Here.\n[image/png, 8 bytes]"
    wrapped = result_view({"n": 1, "content": [picture]})
    assert (len(wrapped.pictures), "iVBOR" in wrapped.raw) == (1, False)
