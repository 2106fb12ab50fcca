"""Expressions that never go back."""

from __future__ import annotations

import pytest

from paperagents.definitions.text import compile_regex


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (r"(?:ab?c)?+", "ac"),
        (r"(?:\s\w++(?:=(?:\"[^\"]*+\"|'[^']*+'))?+)*+", " a=\"1\" b c='2'"),
        (r"(?:a|ab){0,3}+c", "aac"),
        (r"(?:-[ \t]*+)++", "- - -"),
    ],
)
def test_a_repeated_group_finds_all_it_should_under_every_release(expression: str, text: str) -> None:
    assert compile_regex(expression).fullmatch(text)


def test_what_is_written_in_a_set_of_characters_stays() -> None:
    assert compile_regex(r"[)*+]++").fullmatch(")*+")
