"""Markdown of strangers as harmless HTML: links between notes work, pictures are those of the vault, HTML is text."""

from __future__ import annotations

import re
from collections.abc import Callable, MutableMapping, Sequence
from functools import cache
from posixpath import dirname, normpath
from typing import Any
from urllib.parse import quote, unquote

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markupsafe import Markup

from paperagents.definitions.text import utf8

LONGEST = 200_000
PICTURES = {"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}
"""Raster images: nothing in them can be done, only seen."""
_SAFE_LINK = re.compile(r"^(https?://|mailto:|#|/(?![/\\])|(?![a-z][a-z0-9+.-]*:)[^/\\])", re.IGNORECASE)
_OUTSIDE = re.compile(r"^(https?:|mailto:|#|/)", re.IGNORECASE)
_SIGNS = re.compile(r"(?m)^#{1,6} |^\s*[-*+] |^\s*\d+\. |^```|^> |\*\*|^\|.*\||\[[^\]]+\]\(|\[\[[^\]\n]+\]\]")
_WIKILINK = re.compile(r"(!?)\[\[([^\[\]\n|#]{0,300})(#[^\[\]\n|]{0,200})?(?:\|([^\[\]\n]{0,300}))?\]\]")
_ALIGNMENT = re.compile(r"text-align:(left|right|center)")
_BOXES = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}
_Environment = MutableMapping[str, Any]


def render_markdown(
    source: str,
    *,
    note: str | None = None,
    picture: Callable[[str], str | None] | None = None,
    embed: Callable[[str], str] | None = None,
) -> Markup:
    """Untrusted Markdown as HTML: HTML in it is shown as text, links are harmless, nothing is loaded from elsewhere.

    ``note`` is the path of the note whose text it is. ``picture`` gives the address of a picture of the vault,
    ``embed`` the HTML of a note that is embedded in a paragraph of its own; without them both are links.
    """
    html = markdown_parser().render(source[:LONGEST], {"note": note, "picture": picture, "embed": embed})
    return Markup(html)  # noqa: S704  the parser escapes all text and makes no raw HTML


def looks_like_markdown(source: str) -> bool:
    """Whether a text gains from being shown as Markdown."""
    return "\n" in source and len(source) <= LONGEST and _SIGNS.search(source) is not None


def note_address(target: str, note: str | None) -> str | None:
    """The page of what a link in a note means; None where that is outside of the vault."""
    path = unquote(target).split("#", 1)[0].strip()
    if ".." in path.split("/") or path.startswith("./"):
        # Browsers would resolve the dots against the address of the page.
        path = normpath(f"{dirname(note or '')}/{path}".lstrip("/"))
    if not path.strip("/") or path.startswith("..") or not path.isprintable():
        return None
    beside = f"?from={quote(utf8(note), safe='')}" if note else ""
    return f"/notes/{quote(utf8(path.lstrip('/')), safe='/')}{beside}"


def is_picture(path: str) -> bool:
    """Whether this is the name of a raster image."""
    return path.rpartition(".")[2].lower() in PICTURES


@cache
def markdown_parser() -> MarkdownIt:
    """The parser with our rules."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").enable("strikethrough")
    # The library's own way to choose which links are links.
    setattr(parser, "validateLink", lambda url: _SAFE_LINK.match(url.strip()) is not None)  # noqa: B010  a method there
    parser.inline.ruler.before("link", "wikilink", read_wikilink)
    parser.core.ruler.after("inline", "boxes", draw_checkboxes)
    parser.core.ruler.after("inline", "embeds", place_embeds)
    parser.add_render_rule("link_open", render_link)
    parser.add_render_rule("embedded", render_embedded)
    parser.add_render_rule("image", render_image)
    for rule in ("heading_open", "heading_close"):
        parser.add_render_rule(rule, lower_heading)
    for rule in ("th_open", "td_open"):
        parser.add_render_rule(rule, align_cell)
    return parser


def read_wikilink(state: StateInline, silent: bool) -> bool:  # noqa: FBT001  the library calls it so
    """``[[note]]``, ``[[note#heading|words]]`` and ``![[picture.png]]``."""
    found = _WIKILINK.match(state.src, state.pos, state.posMax)
    if found is None or not (found[2].strip() or found[3]):
        return False
    state.pos = found.end()
    if silent:
        return True
    shown, target = (found[4] or found[0].strip("![]").replace("|", "")).strip(), found[2].strip()
    if found[1] and is_picture(target):
        token = state.push("image", "img", 0)
        token.attrs, token.content = {"src": quote(utf8(target))}, "" if found[4] is None else shown
        return True
    state.push("link_open", "a", 1).attrs = {"href": quote(utf8(target)), "class": "wikilink"}
    state.push("text", "", 0).content = shown
    state.push("link_close", "a", -1)
    if found[1]:
        state.push("embedded", "", 0).meta = {"target": target}
    return True


def draw_checkboxes(state: StateCore) -> None:
    """``- [ ]`` and ``- [x]`` at the beginning of a list item are checkboxes."""
    for item, _, line in zip(state.tokens, state.tokens[1:], state.tokens[2:], strict=False):
        words = line.children[0] if item.type == "list_item_open" and line.type == "inline" and line.children else None
        if words is not None and words.content[:4] in _BOXES:
            words.content = _BOXES[words.content[:4]] + words.content[4:]
            item.attrSet("class", "task")


def place_embeds(state: StateCore) -> None:
    """A note that is embedded in a paragraph of its own takes the place of the paragraph."""
    for begin, line, end in zip(state.tokens, state.tokens[1:], state.tokens[2:], strict=False):
        children = line.children or []
        if begin.type == "paragraph_open" and len(children) == 4 and children[3].type == "embedded":
            begin.tag = end.tag = "div"
            begin.attrSet("class", "embed")
            children[3].meta["is_alone"] = True


def render_embedded(
    _: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, environment: _Environment
) -> str:
    """The text of an embedded note, below the link to it."""
    embed, meta = environment.get("embed"), tokens[index].meta
    return f"<div>{embed(meta['target'])}</div>" if embed is not None and meta.get("is_alone") else ""


def render_link(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, environment: _Environment
) -> str:
    """A link to a note on its page; any other in a new tab, without referrer and without access to this page."""
    token = tokens[index]
    target = str(token.attrGet("href") or "")
    is_wikilink = token.attrGet("class") == "wikilink"
    if is_wikilink or not _OUTSIDE.match(target):
        token.attrSet("href", note_address(target, environment.get("note")) or "#")
    else:
        token.attrSet("rel", "noopener noreferrer nofollow")
        token.attrSet("target", "_blank")
    return self.renderToken(tokens, index, options, {})


def render_image(_: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, environment: _Environment) -> str:
    """A picture of the vault in a note; any other only as a link: nothing is loaded from elsewhere."""
    token, note = tokens[index], environment.get("note")
    target = str(token.attrGet("src") or "")
    words = token.content or unquote(target)
    if _OUTSIDE.match(target) and not target.startswith("/"):
        new_tab = 'rel="noopener noreferrer nofollow" target="_blank"'
        return f'<a href="{escapeHtml(target)}" {new_tab}>{escapeHtml(words)}</a>'
    find = environment.get("picture")
    if is_picture(target) and find is not None and (address := find(unquote(target))):
        return f'<img src="{escapeHtml(address)}" alt="{escapeHtml(words)}" loading="lazy">'
    address = note_address(target, note)
    return f'<a href="{escapeHtml(address)}">{escapeHtml(words)}</a>' if address else escapeHtml(words)


def lower_heading(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, environment: _Environment
) -> str:
    """Headings of a text stand below those of the page: of a note that is its title, of a result a heading more."""
    level = min(int(tokens[index].tag[1]) + (1 if environment.get("note") else 2), 6)
    tokens[index].tag = f"h{level}"
    return self.renderToken(tokens, index, options, {})


def align_cell(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, _: _Environment) -> str:
    """The alignment of a column as a class: the policy of the pages allows no styles."""
    token = tokens[index]
    if found := _ALIGNMENT.search(str(token.attrs.pop("style", ""))):
        token.attrSet("class", f"to-{found[1]}")
    return self.renderToken(tokens, index, options, {})
