"""Markdown: the frontmatter and the fenced blocks of a note. The one module that knows the Markdown library."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from paperagents.definitions.source import Excerpt

if TYPE_CHECKING:
    # Loaded for notes whose fences stand in lists or quotes; most do without.
    from markdown_it import MarkdownIt

_OPENING = re.compile(r"---[ \t]*\r?(?:\n|\Z)")
_FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})(.*)")
_NESTING = re.compile(r" {0,3}(?:[-+*](?:[ \t]|$)|\d{1,9}[.)]|[<>\t])| {4}| {1,3}[`~]")
_Block = tuple[str, int, str]
"""What stands behind the fence, the number of the first line, the content."""
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Fence:
    """A fenced block: the first word after the fence, and its content."""

    language: str
    content: Excerpt


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """A Markdown file in its two parts."""

    frontmatter: Excerpt | None
    body: Excerpt
    unclosed: bool = False
    """It starts like frontmatter but the closing line is missing."""


def split_note(text: str, file: str) -> Note:
    """The frontmatter, without its ``---`` lines, and the rest."""
    opening = _OPENING.match(text)
    if opening is None:
        return Note(frontmatter=None, body=Excerpt(text=text, file=file))
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        rest = Excerpt(text=text[opening.end() :], file=file, line=2)
        return Note(frontmatter=rest, body=Excerpt(text="", file=file), unclosed=True)
    body_start = min(closing.end() + 1, len(text))
    return Note(
        frontmatter=Excerpt(text=text[opening.end() : closing.start()], file=file, line=2),
        body=Excerpt(text=text[body_start:], file=file, line=text.count("\n", 0, body_start) + 1),
    )


def fences(body: Excerpt) -> list[Fence]:
    """All fenced blocks by the rules of CommonMark, those inside lists and quotes too."""
    if "```" not in body.text and "~~~" not in body.text:
        return []
    lines = body.text.split("\n")
    blocks = _top_level_blocks(lines) if "\0" not in body.text else None
    return [
        Fence(language=_first_word(info), content=_excerpt(body, lines, first, content))
        for info, first, content in (blocks if blocks is not None else _all_blocks(body.text))
    ]


def _top_level_blocks(lines: list[str]) -> list[_Block] | None:
    """The fences of a plain body; None where a list, quote, HTML or indentation asks for the whole of CommonMark."""
    blocks: list[_Block] = []
    opening: re.Match[str] | None = None
    first = 0
    for number, line in enumerate(lines):
        if opening is None:
            if _NESTING.match(line):
                return None
            opening, first = _FENCE.match(line), number + 1
        elif line.lstrip(" ").startswith(opening[1]) and _closes(line, opening[1]):
            content = lines[first:number]
            blocks.append((opening[2], first, "\n".join([*content, ""]) if content else ""))
            opening = None
    return blocks if opening is None else None


def _closes(line: str, fence: str) -> bool:
    return not line.startswith("    ") and not line.strip(" \t").strip(fence[0])


def _all_blocks(text: str) -> list[_Block]:
    tokens = (token for token in _parser().parse(text) if token.type == "fence")
    return [(token.info, token.map[0] + 1, token.content) for token in tokens if token.map is not None]


def _first_word(info: str) -> str:
    words = info.split(maxsplit=1)
    return words[0].lower() if words else ""


def _excerpt(body: Excerpt, lines: list[str], first: int, content: str) -> Excerpt:
    """The content with the width of what stands before each line: a list's indent, a quote's mark."""
    indents = []
    for number, line in enumerate(content.split("\n")):
        written = lines[first + number] if first + number < len(lines) else ""
        indents.append(len(written) - len(line) if written.endswith(line) else 0)
    return Excerpt(text=content, file=body.file, line=body.line + first, indents=tuple(indents) if any(indents) else ())


@cache
def _parser() -> MarkdownIt:
    """Only the rules that decide where a fence is."""
    from markdown_it import MarkdownIt  # noqa: PLC0415  see above

    parser = MarkdownIt("zero", {"maxNesting": 20, "html": True})
    parser.enable(["fence", "code", "blockquote", "list", "html_block", "heading", "hr"])
    parser.disable(["inline", "text_join"])
    return parser
