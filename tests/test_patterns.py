"""Patterns that are compiled when they are first used behave as those of the standard library."""

from __future__ import annotations

import re

import pytest

from paperagents.patterns import late_pattern


def test_a_pattern_finds_what_one_of_the_standard_library_finds() -> None:
    words = late_pattern(r"(?P<first>[a-z])[a-z]*", re.IGNORECASE)
    assert words.findall("Ab c") == ["A", "c"]
    assert words.sub("-", "Ab c") == "- -"
    assert words.fullmatch("Ab") is not None
    assert words.groupindex == {"first": 1}
    assert late_pattern(rb"\n").split(b"a\nb") == [b"a", b"b"]


def test_a_wrong_pattern_is_told_when_it_is_used() -> None:
    wrong = late_pattern("(")
    with pytest.raises(re.error, match="unterminated"):
        wrong.search("a")
