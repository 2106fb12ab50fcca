from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.definitions.source import Excerpt
from paperagents.reading.problems import ProblemList
from paperagents.reading.yaml_core import read_plain_yaml
from paperagents.reading.yaml_nodes import YamlMapping, read_yaml

WORDS = [
    "a",
    "Ü",
    "文",
    "tags",
    "null",
    "~",
    "true",
    "1",
    "0x1F",
    "1.5",
    "2024-01-02",
    "-",
    "--",
    "- b",
    "a/b",
    "x.y",
    "..",
    "_",
]
MARKS = [
    " ",
    "  ",
    ": ",
    ":",
    "\n",
    "\n",
    "\n  ",
    "\n- ",
    "\n  - ",
    "[",
    "]",
    ", ",
    ",",
    "#",
    " #",
    "'",
    '"',
    "\t",
    "\r\n",
    "|",
    "?",
]


def whole_yaml(text: str) -> object:
    node = read_yaml(Excerpt(text=text, file=""), ProblemList("", text.split("\n")))
    return node.plain() if isinstance(node, YamlMapping) else None


@given(st.lists(st.sampled_from(WORDS + MARKS + WORDS), max_size=14).map("".join).map("a: ".__add__))
def test_what_is_read_is_what_yaml_reads(text: str) -> None:
    plain = read_plain_yaml(text)
    assert plain is None or plain == whole_yaml(text)


@given(st.dictionaries(st.sampled_from(["a", "b-c", "d_e"]), st.lists(st.sampled_from(WORDS), min_size=1), min_size=1))
def test_lists_are_read_as_yaml_reads_them(lists: dict[str, list[str]]) -> None:
    for text in (
        "".join(f"{key}: [{', '.join(items)}]\n" for key, items in lists.items()),
        "".join(f"{key}:\n" + "".join(f"  - {item}\n" for item in items) for key, items in lists.items()),
    ):
        plain = read_plain_yaml(text)
        assert plain is None or plain == whole_yaml(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("title: My first note\nrating: 3\ndone: false\n", {"title": "My first note", "rating": 3, "done": False}),
        (
            "tags: [a, b/c]\naliases:\n  - Some name\n  - 2\nempty:",
            {"tags": ["a", "b/c"], "aliases": ["Some name", 2], "empty": None},
        ),
        ("created: 2024-01-02", {"created": "2024-01-02"}),
    ],
)
def test_common_frontmatter_is_read_here(text: str, expected: object) -> None:
    assert read_plain_yaml(text) == expected == whole_yaml(text)
