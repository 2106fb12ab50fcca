"""References: every root, both notations, and values that are never read again."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.calls.references import Names, escape_literal, fill_script, resolve
from paperagents.definitions.source import Excerpt
from paperagents.errors import ReferenceMissingError
from paperagents.messages import in_language

NAMES = Names(
    arguments={"title": "T", "count": 3, "none": None, "date": "mine", "both": "argument", "odd name": 1},
    input={"title": "T", "count": 3, "made": {"list": [1, {"k": "v"}], "odd key": 5}, "both": "input"},
    declared=frozenset({"title", "count", "none", "date", "both"}),
    built_in={"date": "2026-11-16", "time": "10:00:00", "random_id": "id"},
    previous=[{"path": "a.md"}],
    has_previous=True,
    labels={"find": {"results": ["r"]}, "last": [{"path": "a.md"}]},
    loop={"item": {"n": 7}, "index": 0},
    environment={"KEY": "secret"},
)


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{{title}}", "T"), ("{{ count }}", 3), ("{{none}}", None), ("{{date}}", "mine"), ("{{time}}", "10:00:00"),
        ("{{both}}", "argument"), ("{{made}}", {"list": [1, {"k": "v"}], "odd key": 5}), ("{{made.list[1].k}}", "v"),
        ("{{made['odd key']}}", 5), ('{{made["odd key"]}}', 5), ("{{made.list.length}}", 2),
        ("input.count", 3), ("input.both", "input"), ("preprocess.made.list[0]", 1), ("input.none", None),
        ("{{input.count}}", 3), ("{{preprocess.made.list}}", [1, {"k": "v"}]),
        ("prev_step.output", [{"path": "a.md"}]), ("{{prev_step.output[0].path}}", "a.md"), ("output[0].path", "a.md"),
        ("steps.find.output.results[0]", "r"), ("{{steps.find.output}}", {"results": ["r"]}),
        ("{{find.output}}", {"results": ["r"]}),
        ("{{item.n}}", 7), ("{{index}}", 0), ("{{env.KEY}}", "secret"),
        ("a {{count}} b {{none}} c {{made.list}}", 'a 3 b  c [1, {"k": "v"}]'), ("{{title}}{{count}}", "T3"),
        ("\\{{title}}", "{{title}}"), ("\\input.title", "input.title"), ("input", "input"), ("title", "title"),
        ("input.title and more", "input.title and more"), ("{{<title />}}", "{{<title />}}"), ("{{title", "{{title"),
        ("}} {{title}}", "}} T"), ("", ""), (5, 5), (None, None), ([{"x": "{{count}}"}], [{"x": 3}]),
    ],
)  # fmt: skip
def test_a_reference_stands_for_its_value_and_a_whole_one_keeps_its_type(template: Any, value: Any) -> None:
    assert resolve(template, NAMES) == value
    assert type(resolve(template, NAMES)) is type(value)


@pytest.mark.parametrize(
    ("template", "nearest"),
    [
        ("{{titel}}", "title"), ("input.cuont", "count"), ("{{made.lst}}", "list"), ("steps.fnd.output", "find"),
        ("{{find.output.result}}", "results"), ("{{env.KEI}}", "KEY"), ("prev_step.output[0].pth", "path"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_told_with_the_nearest_name(template: str, nearest: str) -> None:
    with pytest.raises(ReferenceMissingError) as caught:
        resolve(template, NAMES)
    assert caught.value.code == "unknown-reference"
    assert nearest in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize(
    "template", ["{{made.list[9]}}", "{{count.x}}", "{{none.x}}", "{{nothing_like_it}}", "prev_step.output.x"]
)
def test_a_way_that_leads_nowhere_is_an_error(template: str) -> None:
    with pytest.raises(ReferenceMissingError):
        resolve(template, NAMES)


def test_a_way_through_null_is_told_as_such() -> None:
    with pytest.raises(ReferenceMissingError) as caught:
        resolve("steps.skipped.output.path", Names().after("skipped", None))
    assert "null" in caught.value.message
    assert "if:" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("template", "hint"),
    [
        ("input.txt", "write \\input.txt"),
        ("output.md", "write \\output.md"),
        ("input.zzzzz", "None"),
        ("{{input.txt}}", "None"),
    ],
)
def test_what_may_be_the_name_of_a_file_is_told_how_to_write_it(template: str, hint: str) -> None:
    with in_language("en"), pytest.raises(ReferenceMissingError) as caught:
        resolve(template, Names().after("one", {}))
    assert hint in str(caught.value.hint)


def test_the_first_step_has_nothing_before_it() -> None:
    with pytest.raises(ReferenceMissingError):
        resolve("prev_step.output", Names())


@pytest.mark.parametrize("template", ["{{}}", "{{ a b }}", "{{a..b}}", "{{a[}}", "{{(x)}}"])
def test_braces_around_something_else_are_an_error(template: str) -> None:
    with pytest.raises(ReferenceMissingError) as caught:
        resolve(template, NAMES)
    assert caught.value.code == "invalid-reference"


nasty = st.text() | st.sampled_from(
    ["{{x}}", "{{title}}", "$&", "{{<tag/>}}", "\\{{", "input.x", "}}", "{{", "'\"`${}\n\\"]
)


@given(st.lists(nasty, min_size=1, max_size=4).map("".join))
def test_a_substituted_value_is_never_read_again(value: str) -> None:
    names = Names(arguments={"x": value}, input={"x": value}, previous=value, has_previous=True)
    for template in ("{{x}}", "input.x", "prev_step.output"):
        assert resolve(template, names) == value
    assert resolve("<{{x}}|{{prev_step.output}}>", names) == f"<{value}|{value}>"
    assert resolve({"k": ["{{x}}{{x}}"]}, names) == {"k": [value + value]}


@given(nasty)
def test_an_argument_in_javascript_is_letters_digits_and_escapes(value: str) -> None:
    filled = escape_literal(value)
    assert all(character.isascii() and (character.isalnum() or character == "\\") for character in filled)
    units = filled.encode("ascii").decode("unicode_escape") if "\\" in filled else filled
    assert units.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass") == value


def test_only_names_that_are_known_are_filled_in() -> None:
    code = "return {{title}} + {{date}} + {{time}} + {{unknown}} + {a: {b: 1}};"
    assert fill_script(Excerpt(text=code), NAMES).text == "return T + mine + 10:00:00 + {{unknown}} + {a: {b: 1}};"


def test_what_stands_behind_a_placeholder_keeps_its_place_in_the_file() -> None:
    filled = fill_script(Excerpt(text="'{{date}}' + x", line=7), Names(built_in={"date": "2026-11-16"}))
    assert filled.span(filled.text.index("x"), len(filled.text)).column == 14


def test_only_a_declared_argument_takes_the_place_of_the_date() -> None:
    given = {"date": "given", "time": "given"}
    names = Names(
        arguments=given,
        declared=frozenset({"time"}),
        input={"random_id": "made"},
        built_in={"date": "2026-11-16", "time": "10:00:00", "random_id": "id"},
    )
    assert resolve("{{date}} {{time}} {{random_id}}", names) == "2026-11-16 given id"
    assert resolve("input.random_id", names) == "made"
    assert fill_script(Excerpt(text="'{{date}} {{time}} {{random_id}}'"), names).text == "'2026-11-16 given id'"
    assert [names.for_script()[name] for name in ("date", "time")] == ["2026-11-16", "given"]
    assert names.context()["parameters"] == given


def test_of_a_step_there_is_only_its_output() -> None:
    for template, words in (("{{find.results}}", "'find.output'"), ("{{steps.find.results}}", "'steps.find.output'")):
        with in_language("en"), pytest.raises(ReferenceMissingError) as caught:
            resolve(template, NAMES)
        assert words in str(caught.value.hint)


@given(st.text(max_size=200))
def test_any_template_gives_a_value_or_an_error_of_ours(template: str) -> None:
    with suppress(ReferenceMissingError):
        resolve(template, NAMES)
