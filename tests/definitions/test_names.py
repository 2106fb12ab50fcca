"""Names: slugs, suggestions for slips, and which of them JavaScript takes."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.calls.references import Names
from paperagents.definitions.text import MAX_LENGTH, closest, guess_name, is_javascript_variable, slug


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Über Nacht: Backup!", "ueber-nacht-backup"),
        ("U\u0308ber", "ueber"),
        ("chain_beispiel", "chain_beispiel"),
        ("Größe", "groesse"),
        ("Café  crème", "cafe-creme"),
        ("../../etc/passwd", "etc-passwd"),
        ("笔记", ""),
        ("", ""),
        ("笔记 2", "2"),
        ("---", ""),
    ],
)
def test_a_name_becomes_its_slug(name: str, expected: str) -> None:
    assert slug(name) == expected


@given(st.text(max_size=200))
def test_a_slug_has_only_harmless_characters(name: str) -> None:
    assert re.fullmatch(r"[a-z0-9_]?[a-z0-9_-]*", slug(name))
    assert len(slug(name)) <= MAX_LENGTH


@given(st.text(max_size=200))
def test_a_slug_of_a_slug_is_itself(name: str) -> None:
    assert slug(slug(name)) == slug(name)


TOOLS = ["read_file", "write_file", "search_files", "rest_request"]


def test_the_nearest_name_comes_first() -> None:
    assert closest("read_fil", TOOLS)[0] == "read_file"


def test_names_that_are_merely_a_little_alike_are_left_out() -> None:
    assert closest("banana", TOOLS) == []


def test_case_does_not_matter_and_the_known_spelling_is_told() -> None:
    assert closest("READ_FILE", ["Read_File"]) == ["Read_File"]


def test_no_more_names_than_asked_for_are_told() -> None:
    assert len(closest("note", [f"note{number}" for number in range(9)], count=2)) == 2


@pytest.mark.parametrize(
    "written",
    ["descriptin", "descrption", "decsription", "descriptionn", "Description", "descirptino"],
    ids=["missing", "left out", "swapped", "extra", "capital", "two swaps"],
)
def test_a_slip_of_the_finger_is_recognised(written: str) -> None:
    assert guess_name(written, ["name", "description"]) == "description"


def test_a_hyphen_instead_of_an_underscore_is_a_slip() -> None:
    assert guess_name("custom-function", ["custom_function"]) == "custom_function"


@pytest.mark.parametrize("written", ["descr", "title", "conscription-like", ""])
def test_another_word_is_no_slip(written: str) -> None:
    assert guess_name(written, ["name", "description"]) is None


@pytest.mark.parametrize("written", ["person", "session"])
def test_a_word_that_begins_otherwise_and_has_another_letter_changed_is_no_slip(written: str) -> None:
    assert guess_name(written, ["version"]) is None


def test_short_names_must_be_exact_because_every_short_word_is_near_another() -> None:
    assert guess_name("ib", ["id"]) is None


@given(st.text(max_size=40), st.lists(st.text(max_size=40), max_size=8))
def test_a_suggestion_is_always_one_of_the_known_names(name: str, known: list[str]) -> None:
    assert set(closest(name, known)) <= set(known)
    assert guess_name(name, known) in {None, *known}


@given(st.text(alphabet="abcdefgh_", min_size=7, max_size=30), st.data())
def test_leaving_out_one_letter_of_a_long_name_is_always_a_slip(name: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(name) - 1))
    assert guess_name(name[:place] + name[place + 1 :], [name]) == name


@pytest.mark.parametrize("function", ["closest", "guess_name"])
def test_names_of_absurd_length_do_not_hold_up_the_program(function: str) -> None:
    code = f"""
from paperagents.definitions.text import {function}
name = "".join(chr(0x4E00 + number * number % 9973) for number in range(200_000))
{function}(name, [name[::-1]])
"""
    # In a process of its own, because a thread that compares letters cannot be stopped.
    subprocess.run([sys.executable, "-I", "-c", code], check=True, timeout=10)


@pytest.mark.parametrize("name", ["a", "_", "$x", "ä", "of", "async", "NaN"])
def test_a_name_that_javascript_takes_is_one(name: str) -> None:
    assert is_javascript_variable(name)
    assert name in Names(arguments={name: 1}).for_script()


@pytest.mark.parametrize("name", ["", "1a", "a-b", "a b", "class", "undefined", "await", "arguments", "eval", "null"])
def test_any_other_is_not_seen_by_expressions(name: str) -> None:
    assert not is_javascript_variable(name)
    assert name not in Names(arguments={name: 1}).for_script()
