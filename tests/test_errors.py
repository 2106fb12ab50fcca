"""Errors: code, sentence, hint, exit code, JSON."""

from __future__ import annotations

import pickle

import pytest

from paperagents.definitions.source import Problem, Span
from paperagents.errors import (
    BrokenFileError,
    PaperError,
    SandboxError,
    SettingsError,
    ToolError,
    UnknownToolError,
    UsageError,
)
from paperagents.messages import in_language

ERROR_KEYS = {"code", "message", "hint", "step", "block", "retryable", "details"}


def problem(line: int, severity: str = "error") -> Problem:
    place = Span(line=line, column=2, end_line=line, end_column=3)
    return Problem(code="missing-steps", severity=severity, file="a.md", span=place)  # type: ignore[arg-type]


def test_an_unknown_tool_tells_the_nearest_names() -> None:
    with in_language("en"):
        error = UnknownToolError("read_fil", ["read_file"])
        assert str(error) == "There is no tool named 'read_fil'. Did you mean 'read_file'?"
    assert error.details == {"nearest": ["read_file"]}


def test_without_near_names_there_is_no_suggestion() -> None:
    with in_language("en"):
        assert str(UnknownToolError("x")) == "There is no tool named 'x'."


def test_a_broken_file_carries_all_problems_and_names_the_first_error() -> None:
    error = BrokenFileError("a.md", [problem(1, "warning"), problem(4), problem(9)])
    with in_language("en"):
        assert "a.md:4:2: A chain needs steps." in error.message
    assert len(error.details["problems"]) == 3
    assert len(error.problems) == 3


@pytest.mark.parametrize(
    ("error", "exit_code"),
    [
        (PaperError("internal-error", reason="x"), 1),
        (ToolError("internal-error", reason="x"), 1),
        (SandboxError("internal-error", reason="x"), 1),
        (BrokenFileError("a.md", [problem(1)]), 1),
        (UsageError("no-such-file", path="x"), 2),
        (UnknownToolError("x"), 2),
        (SettingsError("unknown-setting", name="x", origin="y"), 2),
    ],
)
def test_every_error_knows_its_exit_code_and_its_json_form(error: PaperError, exit_code: int) -> None:
    assert error.exit_code == exit_code
    assert set(error.as_json()) == ERROR_KEYS


def test_the_sentence_is_looked_up_when_it_is_shown_not_when_it_is_raised() -> None:
    with in_language("zh"):
        error = UsageError("no-such-file", path="x")
    with in_language("de"):
        assert error.message == "Es gibt keine Datei und keinen Ordner „x“."


def test_braces_in_a_name_stay_as_they_are() -> None:
    with in_language("en"):
        assert UnknownToolError("{{x}} {name}").message == "There is no tool named '{{x}} {name}'."


def test_an_error_says_itself_even_when_it_is_only_printed() -> None:
    with in_language("en"), pytest.raises(PaperError, match="no file or folder 'x'"):
        raise UsageError("no-such-file", path="x")


def test_errors_are_exceptions_that_can_be_logged() -> None:
    error = UsageError("no-such-file", path="x")
    assert "no-such-file" in repr(error)
    assert pickle.dumps(str(error))
