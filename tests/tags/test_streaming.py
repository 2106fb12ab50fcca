from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperagents.tags import TagReader

Pieces = list[str] | list[bytes]

# Each text is given as the parts between its interesting places: every way of cutting there is tried.
TEXTS: tuple[str, ...] = (
    '{|{|<|memory| a=|"|x|"| |/|>|}|}',
    "{|{|<|memory| a=|'|it\"|s|'|/|>|}|}",
    "{|{|<|memory| a=|b|/|c|/|>|}|}",
    '{|{|<|memory| a="|\\|"|\\|\\|"|/>|}|}',
    "{{<|memory|>|}|}|x|{|{|<|/|memory|>}|}",
    "{{<memory| |,|a| |=| |1| |/| |>|}}",
    "{{<memory| a| b|=| c|=|1| d| |/>}}",
    '{{<memory a="1"|b|=|"|2"|c|/|>|}|}',
    "{{<memory a=|b|{|{|<|task|/|>|}|}",
    '{{<memory a="|x /|>}}| |{{<task b=|"|t|"|/|>}}',
    '{{<memory a=\'|x| |{{<task b=|"|t|"|/|>}}',
    "{{<memory a|/|}|}| |{|{|<|task/|>|}|}",
    "{{<|memory|\n|\n|a|\n|/|>|}}",
    "{{< |/| |memory| |>|}}|{{<task|/>}}",
    "{{<memory|>}}|{{<memory|/|>}}|{{</|memory|>}}|x",
    "{{<me|mory| /|>}}{|{<|unk|nown|/>|}}",
    "`|{{<task|/>}}|`|{{<memory|/>}}|`",
    "`|`|{{<task/>}}|`| |`|`|{{<memory/>}}",
    "`|`|`|\n|{{<task/>}}|\n|`|`|`|\n|{{<memory/>}}",
    "~|~|~|\n|{{<task/>}}|\n|~|~|~|\n|{{<memory/>}}",
    "~|~|~|~|\n|~~~|\n|{{<task/>}}|\n|~~~~|{{<memory/>}}",
    "```|js|\n|`{{<task/>}}|\n|```| |\n|{{<memory/>}}",
    "```|js |`|x|`|{{<task/>}}|\n|```|{{<memory/>}}",
    "a|`|b|\n|\n|{{<task/>}}|`|c",
    "a|`|b|\n|#| |{{<task/>}}|`|c",
    "a|`|b|\n|-| |{{<task/>}}|`|c",
    "a|`|b|\n|-|-|-|\n|{{<task/>}}|`",
    "a|`|b|\n|1|.| |{{<task/>}}|`|c",
    "a|`|b|\n|=|=|\n|{{<task/>}}|`",
    "a|``|`|\n|```|\n|{{<task/>}}|\n|```|x",
    "a|```|\n|``|`|\n|{{<task/>}}|\n|```",
    "\\|`|{{<task/>}}|`|{{<memory/>}}|\\|\\|`|x",
    "\\|\\|`|{{<task/>}}|`|{{<memory/>}}",
    "\\|\\|\\|`|{{<task/>}}|`|{{<memory/>}}",
    ">| |```|\n|>| {{<task/>}}|\n|{{<memory/>}}|\n|```",
    ">|```|\n|>|```|\n|{{<memory/>}}|`",
    "-| |```|\n| |{{<task/>}}|\n| |```|\n|{{<memory/>}}",
    "1|.| |~|~|~|\n|{{<task/>}}|\n|~~~|\n|{{<memory/>}}",
    " | | |```|\n|{{<task/>}}|\n| |```|\n|{{<memory/>}}",
    "{{<js_execute|>}}|`|{{<task|/>}}|{{</js_|execute|>}}|`|{{<memory/>}}",
    "{{<js_execute>}}|a|{{<task/>}}|{{<js_execute|>}}|b|{{</js_execute>}}|c",
    "{{<js_execute>}}|a|{{<task/>}}|`|{{<memory/>}}|\n|\n",
    "{{<js_execute>}}|{|{|<|/|js_execute| |>|}|}|{{<task/>}}",
    "{{<datavault type=|code|>}}|`|{{<task/>}}|{{</datavault|>}}|{{<memory/>}}",
    "{{<datavault|>}}|```|\n|a|\n|```|{{</datavault>}}|{{<memory/>}}",
    "{{<final_output>}}|~~~|\n|{{</final_output>}}|\n|~~~|\n|{{</final_output>}}",
    "{{<reasoning_text>}}|{{<memory|/>}}|{{<task>|}}|{{</reasoning_text|>}}|{{</task>}}",
    "{{<memory>}}|{{<task>}}|{{</memory>}}|{{</task>}}|{{<goal/>}}",
    "{|{{|{{<|<|{{<task|/>}}|}}|{",
    "{{<|{{<|{{<memory|{{<task|/|>}}|/>}}",
    "{{<|?|{{<memory a=?|?|/>}}|{{<m|?|/>}}",
    '{{<memory a="|ä|€|😀|"|/>}}|é|{{<task/>}}',
    "\r|\n|```|\r|\n|{{<task/>}}|\r|\n|```|\r|\n|{{<memory/>}}",
    "\ufeff|```|\n|{{<task/>}}|\n|```|\n|{{<memory/>}}",
    "{{<memory a= |b=|1| c =|2| />}}",
    "{{<memory a=|/| |/| |/| >|}}|{{<task/>}}",
    "{{<memory a=b/|>|}|x| |/>|}|}",
    "{{<memory a=b|>|}| |>|}|}|{{</memory>}}",
    "{{</memory| |x|>}}|{{</|{{<task/>}}|{{</memory|>}}",
    "{{<memory\ta='\\|'|\\|\\'|'|/>}}|{{<task/>}}",
    "***|\n|`|\n|*|*|*|\n|{{<task/>}}|`",
    "`|a|\n|>| |{{<task/>}}|`|{{<memory/>}}",
    "~~|~|`|{{<task/>}}|`|\n|~~~|{{<memory/>}}",
    "x~|~~|\n|{{<task/>}}|`|`|`|{{<memory/>}}",
    "{{<memory a=|it|'|s| b='|x|'|c=|'|y|'| />}}",
    "{{<| | |\n|memory| | |a| | |=| | |'b'| |/| |>}}",
    "#| |a|{{<task/>}}|`|\n|`|{{<task/>}}|`|{{<memory/>}}",
    "a|`|\n| |>| |{{<task/>}}|`|{{<memory/>}}",
    ">| |a|`|\n|>|{{<task/>}}|`|{{<memory/>}}",
    "```|\n|>| ```|\n|{{<task/>}}|\n|```|{{<memory/>}}",
    "\\|`|`|\\|`|`|`|{{<task/>}}|`|`|{{<memory/>}}",
)
MOST_CUTS = 12


def cuttings(parts: list[str]) -> list[list[str]]:
    """Every way of joining neighbours, so every way of cutting the text at the interesting places."""
    return [
        ["".join(group) for group in _groups(parts, cuts)]
        for cuts in itertools.product((False, True), repeat=len(parts) - 1)
    ]


def _groups(parts: list[str], cuts: tuple[bool, ...]) -> list[list[str]]:
    groups = [[parts[0]]]
    for cut, part in zip(cuts, parts[1:], strict=True):
        if cut:
            groups.append([part])
        else:
            groups[-1].append(part)
    return groups


def test_there_are_enough_texts_to_cut() -> None:
    assert len(TEXTS) >= 60
    assert len(set(TEXTS)) == len(TEXTS)


@pytest.mark.parametrize("text", TEXTS)
def test_every_way_of_cutting_a_text_gives_the_same(text: str, read_in_pieces: Callable[[Pieces], Any]) -> None:
    parts = text.split("|")
    parts = [*parts[:MOST_CUTS], "".join(parts[MOST_CUTS:])]
    expected = read_in_pieces(["".join(parts)])
    for pieces in cuttings(parts):
        assert read_in_pieces(pieces) == expected, pieces


@pytest.mark.parametrize("text", TEXTS)
def test_characters_and_bytes_one_by_one_give_the_same(text: str, read_in_pieces: Callable[[Pieces], Any]) -> None:
    whole = text.replace("|", "")
    expected = read_in_pieces([whole])
    encoded = whole.encode()
    assert read_in_pieces(list(whole)) == expected
    assert read_in_pieces([encoded[at : at + 1] for at in range(len(encoded))]) == expected


FRAGMENTS = [
    *sorted({part for text in TEXTS for part in text.split("|")}),
    "word " * 30,
    '{{<memory identifier="key" heading="It\'s" content="a > b />}} c" />}}\n',
    "x" * 5000,
    " " * 100,
    "`" * 7,
    "\\" * 9,
    'a="' + "v" * 500 + '"',
]
long_texts = st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join)


@settings(max_examples=500, deadline=None)
@given(text=long_texts, data=st.data())
def test_long_texts_cut_anywhere_give_the_same(text: str, data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.sampled_from((1, 1, 2, 3, 5, 17, 90, 1000)), min_size=1, max_size=40))
    whole, parts = TagReader(), TagReader()
    whole.feed(text)
    whole.close()
    position = 0
    for size in itertools.cycle(sizes):
        if position >= len(text):
            break
        parts.feed(text[position : position + size])
        position += size
    parts.close()
    assert parts.operations == whole.operations
    assert parts.diagnostics == whole.diagnostics


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=60) | long_texts, size=st.integers(1, 7))
def test_bytes_cut_anywhere_give_the_same(text: str, size: int) -> None:
    encoded = text.encode("utf-8", "replace")
    whole, parts = TagReader(), TagReader()
    whole.feed(encoded.decode())
    whole.close()
    for at in range(0, len(encoded), size):
        parts.feed(encoded[at : at + size])
    parts.close()
    assert parts.operations == whole.operations
    assert parts.diagnostics == whole.diagnostics


def test_bytes_that_are_no_text_do_not_stop_the_reading() -> None:
    reader = TagReader()
    reader.feed(b"\xff\xfe {{<memory a=\xc3")
    reader.feed(b"\x28 />}} \xe2\x82")
    reader.close()
    assert [operation["tool_id"] for operation in reader.operations] == ["memory"]


def test_calls_are_given_in_the_order_of_their_ends() -> None:
    reader = TagReader()
    assert reader.feed("{{<reasoning_text>}}{{<goal id=a>}}{{<memory />}}")[0]["tool_id"] == "memory"
    given = reader.feed("{{<task />}}{{</goal>}}{{<goal>}}{{<memory />}}{{</goal>}}{{</reasoning_text>}}{{<task />}}")
    assert [operation["tool_id"] for operation in given] == ["task", "goal", "memory", "goal", "reasoning_text", "task"]
    assert reader.close() == []


def test_a_block_behind_a_deep_nest_is_given_once() -> None:
    reader = TagReader()
    reader.feed("{{<goal>}}" * 120)
    assert len(reader.feed("{{</goal>}}" * 120)) == 100
    assert len(reader.feed("{{<goal>}}{{</goal>}}")) == 1
    assert len(reader.operations) == 101
