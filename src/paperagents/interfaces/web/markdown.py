"""Markdown of tools and models as HTML that can do nothing: no markup of its own, no pictures, harmless links."""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup

LONGEST = 200_000
_SAFE_LINK = re.compile(r"^(https?://|mailto:|#|/(?![/\\])|(?![a-z][a-z0-9+.-]*:)[^/\\])", re.IGNORECASE)
_SIGNS = re.compile(r"(?m)^#{1,6} |^\s*[-*+] |^\s*\d+\. |^```|^> |\*\*|^\|.*\||\[[^\]]+\]\(")

_BOXES = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}


def rendered(source: str) -> Markup:
    """The HTML of a text. What the text says in HTML is shown, not done."""
    return Markup(_parser().render(source[:LONGEST]))  # noqa: S704  the parser escapes all text and makes no raw HTML


def looks_like_markdown(source: str) -> bool:
    """Whether a text gains from being shown as Markdown."""
    return "\n" in source and len(source) <= LONGEST and _SIGNS.search(source) is not None


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").enable("strikethrough").disable("image")
    # The library's own way to choose which links are links.
    setattr(parser, "validateLink", _is_harmless)  # noqa: B010  it is declared as a method
    parser.add_render_rule("link_open", _link)
    parser.core.ruler.after("inline", "boxes", _boxes)
    for rule in ("heading_open", "heading_close"):
        parser.add_render_rule(rule, _lower_heading)
    return parser


def _boxes(state: StateCore) -> None:
    """``- [ ]`` and ``- [x]`` at the beginning of an element of a list are boxes, as in other programs for notes."""
    for item, _, line in zip(state.tokens, state.tokens[1:], state.tokens[2:], strict=False):
        words = line.children[0] if item.type == "list_item_open" and line.type == "inline" and line.children else None
        if words is not None and words.content[:4] in _BOXES:
            words.content = _BOXES[words.content[:4]] + words.content[4:]


def _is_harmless(url: str) -> bool:
    return _SAFE_LINK.match(url.strip()) is not None


def _link(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, _: MutableMapping[str, Any]) -> str:
    """Other sites do not learn where they were linked from, and get no hold on this page."""
    tokens[index].attrSet("rel", "noopener noreferrer nofollow")
    tokens[index].attrSet("target", "_blank")
    return self.renderToken(tokens, index, options, {})


def _lower_heading(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, _: MutableMapping[str, Any]
) -> str:
    """Headings of a text stand below those of the page."""
    level = min(int(tokens[index].tag[1]) + 2, 6)
    tokens[index].tag = f"h{level}"
    return self.renderToken(tokens, index, options, {})
