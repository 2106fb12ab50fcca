"""The frontmatter and the fences of a note."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from paperagents.definitions.source import Excerpt
from paperagents.reading.markdown import find_fences, find_top_level_blocks, parse_blocks, split_note


@pytest.mark.parametrize(
    ("text", "frontmatter"),
    [
        ("---\na: 1\n---\nbody", "a: 1\n"),
        ("---\n---\nbody", ""),
        ("---  \na: 1\n---\t\nbody", "a: 1\n"),
        ("---\na: 1\n...\nbody", "a: 1\n"),
        ("---\na: 1\n---", "a: 1\n"),
        ("---\na: x---\nb: ' ---'\n---\n", "a: x---\nb: ' ---'\n"),
        ("----\na: 1\n---\n", None),
        ("\n---\na: 1\n---\n", None),
        (" ---\na: 1\n---\n", None),
        ("--- a\n---\n", None),
        ("text", None),
        ("", None),
    ],
)
def test_the_frontmatter_stands_between_two_lines_of_dashes(text: str, frontmatter: str | None) -> None:
    note = split_note(text, "a.md")
    assert (note.frontmatter.text if note.frontmatter is not None else None) == frontmatter
    assert not note.unclosed


@pytest.mark.parametrize("text", ["---\na: 1\n", "---", "---\na: 1\n ---\n", "---\na: 1\n----\n"])
def test_frontmatter_without_an_end_is_known_as_such(text: str) -> None:
    assert split_note(text, "a.md").unclosed


def test_the_body_begins_on_the_line_after_the_frontmatter() -> None:
    body = split_note("---\na: 1\n---\nfirst\n", "a.md").body
    assert (body.text, body.line) == ("first\n", 4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```js\na\n```", [("js", "a\n")]),
        ("~~~js\na\n~~~", [("js", "a\n")]),
        ("~~~js\na\n```\n~~~", [("js", "a\n```\n")]),
        ("````js\n```\n````", [("js", "```\n")]),
        ("```js\na\n`````", [("js", "a\n")]),
        ("```js\na\n``` b\n```", [("js", "a\n``` b\n")]),
        ("```js\na", [("js", "a")]),
        ("```\na\n```", [("", "a\n")]),
        ("```JavaScript {1,2} title=x\na\n```", [("javascript", "a\n")]),
        ("``` js \na\n```", [("js", "a\n")]),
        ("   ```js\n   a\n    b\n   ```", [("js", "a\n b\n")]),
        ("    ```js\n    a\n    ```", []),
        ("``js\na\n``", []),
        ("```js a`b\nx\n```", [("", "")]),
        ("text\n```js\na\n```", [("js", "a\n")]),
        ("# head\n```js\n\na\n```\n~~~yml\nb\n~~~", [("js", "\na\n"), ("yml", "b\n")]),
        ("> ```js\n> a\n> ```", [("js", "a\n")]),
        ("> ```js\n> a\nb", [("js", "a\n")]),
        ("- ```js\n  a\n  ```", [("js", "a\n")]),
        ("1. x\n\n   ```js\n   a\n   ```", [("js", "a\n")]),
        ("> - > ```js\n>   > a\n>   > ```", [("js", "a\n")]),
        ("<!--\n```js\na\n```\n-->", []),
        ("````md\n```js\na\n```\n````", [("md", "```js\na\n```\n")]),
    ],
)
def test_fences_follow_commonmark(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(fence.language, fence.content.text) for fence in find_fences(Excerpt(text=text))] == expected


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("```js\nX\n```", (2, 1)),
        ("a\n\n```js\n  X\n```", (4, 3)),
        ("- ```js\n  X\n  ```", (2, 3)),
        ("> 1. ```js\n>    äX\n>    ```", (2, 7)),
        ("  ~~~js\n   X\n  ~~~", (2, 4)),
    ],
)
def test_a_place_in_a_fence_is_known_in_the_file(text: str, place: tuple[int, int]) -> None:
    (fence,) = find_fences(Excerpt(text=text))
    offset = fence.content.text.index("X")
    span = fence.content.span(offset, offset + 1)
    assert (span.line, span.column) == place


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["```", "~~~", "````", "js", "\n", "> ", "- ", "1. ", "   ", "\t", "a", "<!--"])))
def test_every_line_of_a_fence_ends_a_line_of_the_note(pieces: list[str]) -> None:
    text = "".join(pieces)
    lines = text.split("\n")
    for fence in find_fences(Excerpt(text=text)):
        for number, line in enumerate(fence.content.text.splitlines()):
            assert lines[fence.content.line + number - 1].strip("\t >").endswith(line.strip("\t >"))


LINES = st.sampled_from([
    "```", "````", "~~~", "~~~~", "```js", "``` yaml a", "~~~js ```", "```a`b", " ```", "    ```", "```\t", "  ```  ",
    "text", "# title", "---", "***", "===", "- item", "1. item", "> quote", "<div>", "-->", "", "  ", "\t", "    code",
    "\x0c", "\x0b```", "\u2028", "\xa0```", "[a]: b", "|a|b|", "\\", "&amp;", "```\\js",
])  # fmt: skip


@given(st.lists(LINES, max_size=12))
def test_a_plain_body_has_the_fences_that_the_library_finds(lines: list[str]) -> None:
    found = find_top_level_blocks(lines)
    assume(found is not None)
    assert [(info.strip(), *rest) for info, *rest in found or ()] == [
        (info.strip(), *rest) for info, *rest in parse_blocks("\n".join(lines))
    ]


def test_the_content_of_a_fence_may_look_like_anything() -> None:
    (fence,) = find_fences(Excerpt(text="```yaml\n- a\n> b\n    c\n<d>\n```\n", line=5))
    assert fence.content.text == "- a\n> b\n    c\n<d>\n"
    assert fence.content.position(2, 1) == (7, 1)
