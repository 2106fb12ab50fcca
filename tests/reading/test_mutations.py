"""Files broken by a script in one place: the problem is told at that place, and nothing else is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any


def test_a_slip_is_told_at_its_place_and_nothing_else(mutation: Any, check: Callable[..., list[str]]) -> None:
    assert check(mutation.text) in (sorted(mutation.problems), sorted(mutation.or_else))


def test_line_endings_and_a_byte_order_mark_change_nothing(mutation: Any, check: Callable[..., list[str]]) -> None:
    windows = "\ufeff" + mutation.text.replace("\n", "\r\n")
    assert check(windows) == check(mutation.text)


def test_the_files_that_are_broken_were_good(mutations: dict[str, Any], check: Callable[..., list[str]]) -> None:
    assert {name: check(text) for name, text in mutations["GOOD"].items()} == {name: [] for name in mutations["GOOD"]}


def test_there_are_enough_mutations_to_mean_something(mutations: dict[str, Any]) -> None:
    made = mutations["MUTATIONS"]
    assert len(made) >= 60
    assert Counter(each.text for each in made).most_common(1)[0][1] == 1
    assert len({problem.split()[-1] for each in made for problem in each.problems}) >= 14
