"""Plain bodies are read line by line; the answer must be the one of the whole of CommonMark."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from paperagents.definitions.source import Excerpt
from paperagents.reading.markdown import find_fences, find_top_level_blocks, parse_blocks

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
