"""The fenced blocks of a note that execute: JavaScript before and after, and what is called between."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from paperagents.definitions.closest import misspelt
from paperagents.definitions.source import Excerpt
from paperagents.reading.markdown_sections import Fence, fences
from paperagents.reading.problem_list import ProblemList
from paperagents.reading.yaml_nodes import YamlMapping, read_yaml

_MARKER = re.compile(r"\s*//[ \t]*@(\w[\w-]*)")
_CONTENT = re.compile(r"^([ \t]*)(?!#|---|[ \t]|$)", re.MULTILINE)
_OF_A_BLOCK = r"""["']?(?:tool["']?[ \t]*:(?![ \t]*true\b)|steps["']?[ \t]*:)"""
"""``tool: true`` shows how a file becomes a tool."""
_BLOCK_KEY = re.compile(rf"^([ \t]*){_OF_A_BLOCK}", re.MULTILINE)
_BLOCK_KEY_IN_BRACES = re.compile(rf"[{{,]\s*{_OF_A_BLOCK}")


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
    for fence in fences(body):
        if fence.language in ("javascript", "js"):
            _read_script_fence(fence, blocks, problems)
        elif fence.language in ("yaml", "yml"):
            _read_yaml_fence(fence, blocks, problems, expected=expects_block)
    return blocks


def _read_script_fence(fence: Fence, blocks: Blocks, problems: ProblemList) -> None:
    marker = _MARKER.match(fence.content.text)
    if marker is None:
        return
    word, span = marker[1], fence.content.span(marker.start(1) - 1, marker.end(1))
    if word not in ("preprocess", "postprocess"):
        if meant := misspelt(word, ("preprocess", "postprocess")):
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
    found = problems.apart()
    mapping = read_yaml(fence.content, found)
    open_yet = expected and blocks.tool is None and blocks.steps is None
    if isinstance(mapping, YamlMapping) and "steps" in mapping.entries and blocks.steps is None:
        blocks.steps, blocks.found["steps"] = mapping, found
    elif isinstance(mapping, YamlMapping) and _calls_a_tool(mapping) and blocks.tool is None:
        blocks.tool, blocks.found["tool"] = mapping, found
    elif mapping is None and open_yet and _says_what_to_run(fence.content.text):
        blocks.broken = True
        problems.take(found)


def _says_what_to_run(broken: str) -> bool:
    """Whether a text that is no YAML was to have one of our keys, and not somewhere inside another one."""
    content = _CONTENT.search(broken)
    if content is None:
        return False
    if broken.startswith("{", content.end()):
        return _BLOCK_KEY_IN_BRACES.search(broken) is not None
    return any(len(key[1]) <= len(content[1]) for key in _BLOCK_KEY.finditer(broken))


def _calls_a_tool(mapping: YamlMapping) -> bool:
    """``tool: true`` is no call: it shows how a file becomes a tool."""
    node = mapping.get("tool")
    return node is not None and node.plain() is not True
