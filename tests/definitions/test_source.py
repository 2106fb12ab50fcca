"""Where something stands in a file, and what is wrong there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.definitions.source import Excerpt, Problem, Span
from paperagents.messages import LANGUAGES, in_language


def test_a_position_in_a_block_is_the_line_and_column_of_the_file() -> None:
    script = Excerpt(text="let x;\nreturn x;", line=10, indents=(4, 4))
    assert script.position(1, 1) == (10, 5)
    assert script.position(2, 8) == (11, 12)


def test_a_block_without_indentation_keeps_its_columns() -> None:
    assert Excerpt(text="return 1;", line=3).position(1, 8) == (3, 8)


def test_lines_past_the_end_have_the_indentation_of_the_last_one() -> None:
    assert Excerpt(text="x", line=5, indents=(2,)).position(4, 1) == (8, 3)


def test_a_text_whose_lines_are_not_lines_of_the_file_stands_at_its_start() -> None:
    written = Excerpt(text="a\\nb\\nc", line=7, indents=(9,))
    assert Excerpt(text="a\nb\nc", line=7, indents=(9,), written=written).position(3, 2) == (7, 10)


def test_words_of_a_folded_text_are_found_where_the_file_has_them() -> None:
    written = Excerpt(text="one two\n  three two", line=7, indents=(4, 0))
    folded = Excerpt(text="one two three two", line=7, indents=(4,), written=written)
    assert folded.span(14, 17) == Span(line=8, column=9, end_line=8, end_column=12)


def test_words_that_the_file_has_in_another_number_are_said_to_stand_at_the_start() -> None:
    written = Excerpt(text="\\t t", line=7, indents=(4,))
    assert Excerpt(text="\t t", line=7, indents=(4,), written=written).span(2, 3).column == 5


def test_a_span_covers_several_lines() -> None:
    excerpt = Excerpt(text="one\ntwo\nthree", line=20, indents=(2, 2, 2))
    assert excerpt.span(4, 13) == Span(line=21, column=3, end_line=22, end_column=8)


def test_an_empty_span_still_marks_one_character() -> None:
    assert Excerpt(text="abc").span(1, 1) == Span(line=1, column=2, end_line=1, end_column=3)


def test_a_place_in_a_filled_text_is_the_place_of_what_the_file_has_there() -> None:
    excerpt = Excerpt(text="one {x}\ntwo {y} z", line=20, indents=(2, 2))
    filled = excerpt.fill([(0, 0, "begin("), (4, 7, "a longer text"), (12, 15, "y"), (17, 17, "\n)")])
    assert filled.text == "begin(one a longer text\ntwo y z\n)"
    places = {
        word: filled.span(filled.text.index(word), filled.text.index(word) + len(word))
        for word in ("begin", "one", "longer", "two", "y z", ")")
    }
    assert places["one"] == Span(line=20, column=3, end_line=20, end_column=6)
    assert places["y z"] == Span(line=21, column=7, end_line=21, end_column=12)
    assert (places["begin"].line, places["begin"].column) == (20, 3)
    assert (places["longer"].line, places["longer"].column) == (20, 7)
    assert filled.position(2, 7) == (21, 11)


@given(st.text(alphabet="ab\n", max_size=60), st.data())
def test_every_offset_is_found_again_in_the_file(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    file = "".join(f"  {line}\n" for line in text.split("\n"))
    excerpt = Excerpt(text=text, line=1, indents=(2,) * (text.count("\n") + 1))
    span = excerpt.span(offset, min(offset + 1, len(text)))
    before = file.split("\n")[span.line - 1]
    assert before[2 : span.column - 1] == text[:offset].rsplit("\n", 1)[-1]


@given(st.text(alphabet="ab\n", max_size=60), st.data())
def test_a_span_never_ends_before_it_starts(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    span = Excerpt(text=text, line=3).span(start, end)
    assert (span.line, span.column) < (span.end_line, span.end_column)


PLACE = Span(line=3, column=7, end_line=3, end_column=12)


def problem(code: str, **values: object) -> Problem:
    return Problem(code=code, severity="error", file="a.md", span=PLACE, values=values)


def test_a_problem_is_told_in_the_language_of_the_reader() -> None:
    missing = problem("missing-field", field="name")
    told = {}
    for language in LANGUAGES:
        with in_language(language):
            told[language] = missing.message
    assert told == {"en": "'name' is missing.", "de": "„name“ fehlt.", "zh": "缺少 “name”。"}


def test_a_case_has_a_sentence_and_a_hint_of_its_own() -> None:
    with in_language("en"):
        step = problem("missing-field", field="tool", case="step")
        assert step.message == "This step does not say which tool it calls."
        assert step.hint == "Add tool: or name: with the name of a tool."


def test_a_case_without_a_sentence_has_that_of_its_code() -> None:
    with in_language("en"):
        assert problem("unknown-tool", name="x", suggestion="", case=None).message == "There is no tool named 'x'."
        assert problem("unknown-tool", name="x", case="unheard of").hint is None


def test_braces_in_a_value_stay_as_they_are() -> None:
    with in_language("en"):
        assert problem("missing-field", field="{{x}} {0} {y!r}").message == "'{{x}} {0} {y!r}' is missing."


def test_the_json_form_has_exactly_the_promised_keys() -> None:
    with in_language("en"):
        assert problem("missing-field", field="name").as_json() == {
            "file": "a.md",
            "line": 3,
            "column": 7,
            "end_line": 3,
            "end_column": 12,
            "severity": "error",
            "code": "missing-field",
            "message": "'name' is missing.",
            "hint": "Add a line: name: …",
        }


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_code_is_the_same_in_every_language(language: str) -> None:
    with in_language(language):
        assert problem("missing-field", field="name").as_json()["code"] == "missing-field"
