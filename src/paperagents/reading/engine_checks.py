"""Mistakes that only the engine finds: it reads the JavaScript of a tool, and runs none of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from paperagents.definitions.problem import Problem
from paperagents.definitions.source import Excerpt, Span
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import SandboxError
from paperagents.reading.file_reading import FileReading, guarded
from paperagents.reading.javascript_syntax import masked
from paperagents.reading.reference_syntax import BUILT_IN_NAMES
from paperagents.sandbox import Limits, run_javascript

_LIMITS = Limits(seconds=2.0, memory_mb=64)
_BEFORE = ("input", "context")
_AFTER = ("input", "context", "output")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Block:
    script: Excerpt
    names: Sequence[str]
    """What it finds, and so cannot declare itself."""


def read_by_engine(reading: FileReading) -> FileReading:
    """The same file with what the engine says about its blocks, where nobody else has found an error."""
    return guarded(reading.file, lambda: _read_by_engine(reading))


def _read_by_engine(reading: FileReading) -> FileReading:
    tool = reading.definition
    if not reading.valid or not isinstance(tool, ToolDefinition) or tool.module is not None:
        return reading
    blocks = list(_blocks(tool))
    whole = "\n".join(f"async ({','.join(each.names)}) => {{\n{each.script.text}\n}};" for each in blocks)
    # All at once, since nearly every file is right.
    if not blocks or _mistake(_Block(script=Excerpt(text=whole), names=())) is None:
        return reading
    mistakes = [
        Problem(
            code="javascript-syntax", severity="error", file=reading.file, span=found[0], values={"reason": found[1]}
        )
        for each in blocks
        if (found := _mistake(each)) is not None
    ]
    problems = sorted((*reading.problems, *mistakes), key=lambda each: (each.span.line, each.span.column))
    return replace(reading, problems=tuple(problems))


def _blocks(tool: ToolDefinition) -> Iterator[_Block]:
    written = [
        (tool.preprocess, _BEFORE),
        (tool.custom_function, _BEFORE),
        *((step.post_processing, _AFTER) for step in tool.all_steps()),
        (tool.postprocess, _AFTER),
    ]
    filled_in = [*(each.name for each in tool.parameters), *BUILT_IN_NAMES]
    for script, names in written:
        if script is not None:
            yield _Block(script=replace(script, text=masked(script.text, filled_in)), names=names)


def _mistake(block: _Block) -> tuple[Span, str] | None:
    """What the engine stumbles over before it would run anything."""
    at = block.script
    # On a line of its own, so that an error points to where the file has it.
    unrun = replace(at, text=f"return null;\n{at.text}", line=at.line - 1, indents=(0, *at.indents))
    try:
        run_javascript(unrun, names=dict.fromkeys(block.names), limits=_LIMITS)
    except SandboxError as error:
        if error.code != "sandbox-syntax":
            return None
        stack = error.details.get("stack") or [{}]
        line, column = max(stack[0].get("line") or at.line, at.line), stack[0].get("column") or 1
        return Span(line=line, column=column, end_line=line, end_column=column + 1), str(error.details["message"])
    return None
