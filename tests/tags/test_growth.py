"""The work that a text makes grows as the text does, whatever it says and however it comes."""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time

import pytest

from paperagents.tags import TagReader, parse_attributes, read_tags, resolve_vault_references

TIMES_AS_LONG = 8
MOST_GROWTH = 28
"""Far above the eight times of work in proportion, far below the sixty-four of work that grows with the square."""


def growth(work: Callable[[str], object], text_of: Callable[[int], str], size: int) -> float:
    """How many times the work of a short text a text makes that is so many times as long."""
    return least_effort(work, text_of(size * TIMES_AS_LONG)) / least_effort(work, text_of(size))


def least_effort(work: Callable[[str], object], text: str) -> float:
    efforts = []
    for _ in range(5):
        before = thread_time()
        work(text)
        efforts.append(thread_time() - before)
    return max(min(efforts), 0.0002)


def read_one_by_one(text: str) -> None:
    reader = TagReader()
    for character in text:
        reader.feed(character)
    reader.close()


def repeated(piece: str) -> Callable[[int], str]:
    return lambda size: piece * (size // len(piece))


@pytest.mark.parametrize(
    "piece",
    [
        '{{<memory k=x" b="',
        "{{<memory k=x' b='",
        '{{<memory k=x"b="',
        "{{<memory k=it's b='",
        '{{<js_execute a=x" b="',
        '{{<nobody k=x" b="',
        '{{<memory k=x" b=">}}',
    ],
)
@pytest.mark.parametrize("work", [read_tags, read_one_by_one])
def test_quotes_that_close_nothing_are_read_in_proportion(piece: str, work: Callable[[str], object]) -> None:
    assert growth(work, repeated(piece), 2500) < MOST_GROWTH


def test_references_with_quotes_that_close_nothing_are_resolved_in_proportion() -> None:
    assert growth(resolve_vault_references, repeated('{{<vaultref k=x" b="'), 5000) < MOST_GROWTH


@pytest.mark.parametrize("text_of", [repeated(" "), repeated("\n"), lambda size: 'a="x"' + "," * size + "!"])
def test_attributes_are_found_in_proportion_to_the_blanks_between_them(text_of: Callable[[int], str]) -> None:
    assert growth(parse_attributes, text_of, 5000) < MOST_GROWTH


@pytest.mark.parametrize(
    "text_of",
    [
        repeated("`"),
        lambda size: "{{<" + " \n" * (size // 2) + "memory />}}",
        lambda size: "{{<memory a" + " " * size + "=" + "\t" * size + "'b' />}}",
        lambda size: "{{<memory a=b /" + " " * size + ">}}",
        lambda size: "{{<memory" + " " * size + "key=value />}}",
        lambda size: "{{<memory>}}{{</memory" + " " * size + ">}}",
    ],
)
def test_more_of_the_same_character_by_character_is_read_in_proportion(text_of: Callable[[int], str]) -> None:
    assert growth(read_one_by_one, text_of, 8000) < MOST_GROWTH


@pytest.mark.parametrize("piece", ["\\``", "\\``\n", "> \\``\n"])
@pytest.mark.parametrize("work", [read_tags, read_one_by_one])
def test_backticks_without_a_partner_are_read_in_proportion(piece: str, work: Callable[[str], object]) -> None:
    assert growth(lambda text: work(text + "{{<memory />}}"), repeated(piece), 500) < MOST_GROWTH


@pytest.mark.parametrize("piece", ["> ~~~\n", "> ```js\nx\n", "> ~~~\nx\n"])
@pytest.mark.parametrize("work", [read_tags, read_one_by_one])
def test_fences_in_quotes_are_read_in_proportion(piece: str, work: Callable[[str], object]) -> None:
    assert growth(work, repeated(piece), 5000) < MOST_GROWTH
