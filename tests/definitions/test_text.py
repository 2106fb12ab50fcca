"""Halves of characters, and regular expressions that never go back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.text import (
    compile_regex,
    has_surrogates,
    lossless_bytes,
    utf8,
    value_without_surrogates,
    without_surrogates,
)

TEXTS = st.text(alphabet=st.characters() | st.sampled_from("\ud83d\ude00\udfff\ud800\ufeff"))


@given(TEXTS)
def test_what_is_written_can_be_read_again_and_whole_texts_stay(text: str) -> None:
    cleaned = without_surrogates(text)
    assert not has_surrogates(cleaned)
    assert utf8(text).decode() == cleaned
    if not has_surrogates(text):
        assert cleaned == text


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("a\ud800b", "a\ufffdb"),
        ("\udc00", "\ufffd"),
        ("x\ud800", "x\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ufeffa", "\ufeffa"),
    ],
)
def test_a_half_becomes_a_mark_and_two_that_belong_together_their_character(text: str, cleaned: str) -> None:
    assert without_surrogates(text) == cleaned


def test_a_value_is_cleaned_in_texts_and_keys() -> None:
    broken: JsonObject = {"a\ud800": ["\udc00", 1, None]}
    assert value_without_surrogates(broken) == {"a\ufffd": ["\ufffd", 1, None]}
    whole = json.loads('{"a": [1.5, "ä"]}')
    assert value_without_surrogates(whole) is whole


@given(TEXTS, TEXTS)
def test_different_texts_have_different_bytes_for_digests(one: str, other: str) -> None:
    assert (lossless_bytes(one) == lossless_bytes(other)) == (one == other)


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
