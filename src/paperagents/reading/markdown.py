"""Markdown: the frontmatter and the fenced blocks of a note. The one module that knows the Markdown library."""

from __future__ import annotations

import re
from dataclasses import field
from functools import cache
from typing import TYPE_CHECKING

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.source import Excerpt
from paperagents.definitions.text import guess_name
from paperagents.patterns import late_pattern
from paperagents.reading.problems import ProblemList
from paperagents.reading.yaml_core import read_plain_yaml
from paperagents.reading.yaml_nodes import YamlMapping, read_yaml
from paperagents.values import dataclass

if TYPE_CHECKING:
    # Loaded for notes whose fences stand in lists or quotes; most do without.
    from markdown_it import MarkdownIt

_OPENING = late_pattern(r"---[ \t]*\r?(?:\n|\Z)")
_FENCE = late_pattern(r"(`{3,}(?=[^`]*$)|~{3,})(.*)")
_NESTING = late_pattern(r" {0,3}(?:[-+*](?:[ \t]|$)|\d{1,9}[.)]|[<>\t])| {4}| {1,3}[`~]")
_Block = tuple[str, int, str]
"""What stands behind the fence, the number of the first line, the content."""
_CLOSING = late_pattern(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)


MAX_PROPERTIES = 100_000
"""Characters of the properties of an ordinary note; longer ones count as none."""


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


def read_properties(text: str) -> tuple[JsonObject, str]:
    """The properties of a note and the text below them. Broken frontmatter has no properties."""
    text = text.removeprefix("\ufeff")
    note = split_note(text, "")
    if note.frontmatter is None or note.unclosed:
        return {}, text
    if len(note.frontmatter.text) > MAX_PROPERTIES:
        return {}, note.body.text
    plain = read_plain_yaml(note.frontmatter.text)
    if plain is not None:
        return plain, note.body.text
    node = read_yaml(note.frontmatter, ProblemList("", note.frontmatter.text.split("\n")))
    return node.plain() if isinstance(node, YamlMapping) else {}, note.body.text


def find_fences(body: Excerpt) -> list[Fence]:
    """All fenced blocks by the rules of CommonMark, those inside lists and quotes too."""
    if "```" not in body.text and "~~~" not in body.text:
        return []
    lines = body.text.split("\n")
    # The library replaces this character, and its lines would no longer be those of the file.
    blocks = find_top_level_blocks(lines) if "\0" not in body.text else None
    return [
        Fence(language=next(iter(info.lower().split(maxsplit=1)), ""), content=_excerpt(body, lines, first, content))
        for info, first, content in (blocks if blocks is not None else parse_blocks(body.text))
    ]


def find_top_level_blocks(lines: list[str]) -> list[_Block] | None:
    """The fences of a plain body; None where a list, quote, HTML or indentation asks for the whole of CommonMark."""
    blocks: list[_Block] = []
    opening: re.Match[str] | None = None
    first = 0
    for number, line in enumerate(lines):
        if opening is None:
            if _NESTING.match(line):
                return None
            opening, first = _FENCE.match(line), number + 1
        elif line.lstrip(" ").startswith(opening[1]) and closes_fence(line, opening[1]):
            content = lines[first:number]
            blocks.append((opening[2], first, "\n".join([*content, ""]) if content else ""))
            opening = None
    return blocks if opening is None else None


def closes_fence(line: str, fence: str) -> bool:
    """Whether a line of nothing but the fence's own signs ends it: code of four blanks does not."""
    return not line.startswith("    ") and not line.strip(" \t").strip(fence[0])


def parse_blocks(text: str) -> list[_Block]:
    """All fences, found by the Markdown library."""
    tokens = (token for token in _parser().parse(text) if token.type == "fence")
    return [(token.info, token.map[0] + 1, token.content) for token in tokens if token.map is not None]


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


# --- the fenced blocks of a note that execute


MARKER = late_pattern(r"\s*//[ \t]*@(\w[\w-]*)")
_CONTENT = late_pattern(r"^([ \t]*)(?!#|---|[ \t]|$)", re.MULTILINE)
_OF_A_BLOCK = r"""["']?(?:tool["']?[ \t]*:(?![ \t]*true\b)|steps["']?[ \t]*:)"""
"""``tool: true`` shows how a file becomes a tool."""
_BLOCK_KEY = late_pattern(rf"^([ \t]*){_OF_A_BLOCK}", re.MULTILINE)
_BLOCK_KEY_IN_BRACES = late_pattern(rf"[{{,]\s*{_OF_A_BLOCK}")


@dataclass(kw_only=True)
class Blocks:
    """The parts of the body that execute."""

    preprocess: Excerpt | None = None
    postprocess: Excerpt | None = None
    tool: YamlMapping | None = None
    steps: YamlMapping | None = None
    found: dict[str, ProblemList] = field(default_factory=dict)
    """What is wrong with the YAML of either; only one of them is more than documentation."""
    broken: bool = False
    """There is a tool block or a list of steps, but it cannot be read."""


def read_blocks(body: Excerpt, problems: ProblemList, *, expects_block: bool) -> Blocks:
    """What the body of a note carries out; ``expects_block`` where the frontmatter does not say it."""
    blocks = Blocks()
    for fence in find_fences(body):
        if fence.language in ("javascript", "js"):
            _read_script_fence(fence, blocks, problems)
        elif fence.language in ("yaml", "yml"):
            _read_yaml_fence(fence, blocks, problems, expected=expects_block)
    return blocks


def _read_script_fence(fence: Fence, blocks: Blocks, problems: ProblemList) -> None:
    marker = MARKER.match(fence.content.text)
    if marker is None:
        return
    word, span = marker[1], fence.content.span(marker.start(1) - 1, marker.end(1))
    if word not in ("preprocess", "postprocess"):
        if meant := guess_name(word, ("preprocess", "postprocess")):
            problems.warning("unknown-marker", span, marker=word, suggestion=meant)
    elif getattr(blocks, word) is not None:
        problems.error("duplicate-block", span, marker=word, line=getattr(blocks, word).line)
    else:
        setattr(blocks, word, fence.content)


def _read_yaml_fence(fence: Fence, blocks: Blocks, problems: ProblemList, *, expected: bool) -> None:
    """The first fence with ``tool`` and the first with ``steps`` count; all others are documentation.

    A fence that is broken YAML is reported where it was surely meant to be that block.
    """
    if blocks.tool is not None and blocks.steps is not None:
        return
    found = problems.new_list()
    mapping = read_yaml(fence.content, found)
    open_yet = expected and blocks.tool is None and blocks.steps is None
    if isinstance(mapping, YamlMapping) and "steps" in mapping.entries and blocks.steps is None:
        blocks.steps, blocks.found["steps"] = mapping, found
    elif isinstance(mapping, YamlMapping) and calls_tool(mapping) and blocks.tool is None:
        blocks.tool, blocks.found["tool"] = mapping, found
    elif mapping is None and open_yet and names_what_to_run(fence.content.text):
        blocks.broken = True
        problems.extend(found)


def names_what_to_run(broken: str) -> bool:
    """Whether a text that is no YAML was to have one of our keys, and not somewhere inside another one."""
    content = _CONTENT.search(broken)
    if content is None:
        return False
    if broken.startswith("{", content.end()):
        return _BLOCK_KEY_IN_BRACES.search(broken) is not None
    return any(len(key[1]) <= len(content[1]) for key in _BLOCK_KEY.finditer(broken))


def calls_tool(mapping: YamlMapping) -> bool:
    """Whether it names a tool. ``tool: true`` is no call: it shows how a file becomes a tool."""
    node = mapping.get("tool")
    return node is not None and node.plain() is not True
