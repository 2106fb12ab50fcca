"""Markdown: the frontmatter and the fenced blocks of a note. The one module that knows the Markdown library."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt

from paperagents.definitions.source import Excerpt

_OPENING = re.compile(r"---[ \t]*\r?(?:\n|\Z)")
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
    found = []
    for token in _parser().parse(body.text):
        if token.type == "fence" and token.map is not None:
            words = token.info.split(maxsplit=1)
            first = token.map[0] + 1
            content = _excerpt(body, lines, first, token.content)
            found.append(Fence(language=words[0].lower() if words else "", content=content))
    return found


def _excerpt(body: Excerpt, lines: list[str], first: int, content: str) -> Excerpt:
    """The content with the width of what stands before each line: a list's indent, a quote's mark."""
    indents = []
    for number, line in enumerate(content.split("\n")):
        written = lines[first + number].removesuffix("\r") if first + number < len(lines) else ""
        indents.append(len(written) - len(line) if written.endswith(line) else 0)
    return Excerpt(text=content, file=body.file, line=body.line + first, indents=tuple(indents))


@cache
def _parser() -> MarkdownIt:
    """Only the rules that decide where a fence is."""
    parser = MarkdownIt("zero", {"maxNesting": 20, "html": True})
    parser.enable(["fence", "code", "blockquote", "list", "html_block", "heading", "hr"])
    parser.disable(["inline", "text_join"])
    return parser
