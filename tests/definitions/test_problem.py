"""A problem and its sentence."""

from __future__ import annotations

import pytest

from paperagents.definitions.source import Problem, Span
from paperagents.messages import LANGUAGES, in_language

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
