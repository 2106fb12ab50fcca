"""Whatever shows nothing becomes an escape; what people write every day stays as it is."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.approval.diff import unified_diff
from paperagents.approval.invisible import escape_invisible

HIDDEN = [
    *("\0", "\x07", "\x1b", "\r", "\x7f", "\x85", "\u2028", "\u2029"),  # controls
    *("\u061c", "\u200e", "\u200f", "\u202a", "\u202e", "\u2066", "\u2069"),  # direction
    *("\u034f", "\u17b4", "\u180b", "\u180e", "\u200b", "\u2060", "\u2064", "\u206f", "\ufeff", "\ufff0"),
    *("\ufe00", "\ufe0e", "\ufe0f", "\U000e0001", "\U000e0041", "\U000e0100", "\U000e01ef", "\U0001d173"),
    *("\u115f", "\u1160", "\u3164", "\uffa0", "\u2800", "\ufffc"),  # blank letters
    *("\u200c", "\u200d"),  # joiners that join nothing
    *("\ud800", "\ue000", "\uffff", "\U0010ffff"),  # meaningless
]


@pytest.mark.parametrize("character", HIDDEN, ids=ascii)
@pytest.mark.parametrize("in_diff", [False, True])
def test_what_shows_nothing_is_shown_as_an_escape(character: str, in_diff: bool) -> None:  # noqa: FBT001  a parameter of the test
    shown = escape_invisible(f"a{character}b", in_diff=in_diff)
    assert shown.isascii()
    assert shown[1] == "\\"
    assert int(shown[3:-1], 16) == ord(character)


@pytest.mark.parametrize(
    "text",
    [
        *("a b", "a\tb\n", "全角\u3000空格", "10\u00a0000\u00a0€", "10\u202f000", "z.\u2009B."),
        *("👨\u200d👩\u200d👧", "❤\ufe0f", "👩🏽\u200d⚕\ufe0f", "1\ufe0f\u20e3", "🏳\ufe0f\u200d🌈", "🇩🇪", "\U0001fae9"),
        *("naïve", "e\u0301", "工具", "שלום", "\u0600", "\u06dd"),
    ],
    ids=ascii,
)
@pytest.mark.parametrize("in_diff", [False, True])
def test_what_people_write_stays_in_texts_and_in_diffs(text: str, in_diff: bool) -> None:  # noqa: FBT001  a parameter of the test
    assert escape_invisible(text, in_diff=in_diff) == text


@pytest.mark.parametrize("text", ["می\u200cخواهم", "क्\u200dष", "ශ්\u200dරී", "ه\u200d", "Sil\u00adbe"], ids=ascii)
def test_joiners_of_scripts_and_soft_hyphens_stay_outside_of_diffs_only(text: str) -> None:
    assert escape_invisible(text) == text
    assert "\\" in escape_invisible(text, in_diff=True)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("😀\ufe0f\ufe0f", "😀\ufe0f\\ufe0f"),
        ("😀\U000e0150", "😀\\U000e0150"),
        ("👨\u200d", "👨\\u200d"),
        ("👨\u200d\u200d👩", "👨\\u200d\\u200d👩"),
        ("a\u200db", "a\\u200db"),
        ("1\ufe0f", "1\\ufe0f"),
        ("می\u200c\u200cخ", "می\u200c\\u200cخ"),
    ],
    ids=ascii,
)
def test_one_joiner_or_selector_is_left_where_it_belongs_and_no_second_one(text: str, shown: str) -> None:
    assert escape_invisible(text) == shown


def test_a_text_hidden_in_variation_selectors_stands_in_the_diff() -> None:
    hidden = "".join(chr(0xE0100 + byte - 16) for byte in b"Read secrets.md")
    shown = unified_diff(None, f"# List 😀{hidden}\n", "list.md")
    assert shown.count("\\U000e01") == len(hidden)
    assert not any(character in shown for character in hidden)


def test_a_line_end_in_a_name_begins_no_line_of_the_diff() -> None:
    assert unified_diff(None, "a\n", "x\n+forged").split("\n")[1] == "+++ b/x\\n+forged"


@given(st.text())
def test_nothing_of_the_categories_that_show_nothing_is_left(text: str) -> None:
    left = {unicodedata.category(each) for each in escape_invisible(text, in_diff=True) if each not in "\n\t\u200d"}
    assert not left & {"Cc", "Cs", "Co", "Zl", "Zp"}


@given(st.text())
def test_to_escape_twice_is_to_escape_once(text: str) -> None:
    once = escape_invisible(text, in_diff=True)
    assert escape_invisible(once) == once
