"""The bytes of a file become a definition and its problems. Never raises, whatever the bytes are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from paperagents.definitions.file_reading import MAX_BYTES, Definition, FileReading
from paperagents.definitions.shapes import Shape
from paperagents.definitions.source import Excerpt, Problem, Span
from paperagents.definitions.tool import AgentDefinition, ToolDefinition, tool_of_agent
from paperagents.errors import BrokenFileError, SandboxError, ScriptSyntaxError
from paperagents.patterns import late_pattern
from paperagents.reading.agent_markdown import read_agent
from paperagents.reading.javascript_syntax import mask_placeholders
from paperagents.reading.markdown import Note, split_note
from paperagents.reading.problems import ProblemList, check_encoding, decode_text
from paperagents.reading.references import BUILT_IN_NAMES
from paperagents.reading.tag_markdown import read_tag
from paperagents.reading.tool_markdown import read_tool
from paperagents.reading.yaml_nodes import YamlMapping, YamlScalar, read_yaml
from paperagents.sandbox import Limits, run_javascript
from paperagents.values import dataclass

_READERS: dict[str, Callable[..., Definition]] = {"tool": read_tool, "agent": read_agent, "tag": read_tag}

_MARKED_LINE = late_pattern(
    r"""^[ \t]*["']?(?:tool|agent|tag)["']?[ \t]*:[ \t]*["']?(?:true|yes|on)["']?[ \t]*(?:#.*)?$""",
    re.IGNORECASE | re.MULTILINE,
)
_MARKED_IN_BRACES = late_pattern(
    r"""(?:[{,]|^)\s*["']?(?:tool|agent|tag)["']?\s*:\s*["']?(?:true|yes|on)["']?[ \t]*(?:[,}#]|$)""",
    re.IGNORECASE | re.MULTILINE,
)
_OUR_KEY = late_pattern(rb"""(?:[\r\n{,?])[ \t]*["']?(?:tool|agent|tag)["']?[ \t]*:""")
_START = Span(line=1, column=1, end_line=1, end_column=1)


def may_define_something(data: bytes) -> bool:
    """A quick look that rules out ordinary notes: frontmatter, and in it one of our words."""
    head = data[:MAX_BYTES].removeprefix(b"\xef\xbb\xbf")
    if not head.startswith(b"---"):
        return False
    end = head.find(b"\n---", 3)
    return _OUR_KEY.search(head, 0, end if end > 0 else len(head)) is not None


def read_definition(data: bytes, file: str, answers: Mapping[str, Shape] = MappingProxyType({})) -> FileReading:
    """Read a file as what its name says it is. ``file`` is its path in the vault, with slashes.

    ``answers`` are the JSON Schemas of what built-in tools answer: references to them are checked.
    """
    if file.lower().endswith(".tool.js"):
        return read_guarded(file, lambda: read_script(data, file))
    return read_guarded(file, lambda: read_markdown(data, file, answers))


def read_guarded(file: str, read: Callable[[], FileReading]) -> FileReading:
    """Whatever a file does to its reader is a problem of that file alone. What the disk does is not its own."""
    try:
        return read()
    except OSError:
        raise
    except Exception as error:
        values = {"reason": f"{type(error).__name__}: {error}"}
        return FileReading(
            file=file,
            problems=(Problem(code="file-not-understood", severity="error", file=file, span=_START, values=values),),
        )


def read_markdown(data: bytes, file: str, answers: Mapping[str, Shape] = MappingProxyType({})) -> FileReading:
    """Read a Markdown file."""
    if not may_define_something(data):
        return FileReading(file=file)
    text = decode_text(data)
    problems = ProblemList(file, text.split("\n"))
    note = split_note(text, file)
    if note.frontmatter is None:
        return FileReading(file=file)
    if not note.unclosed and len(data) <= MAX_BYTES:
        return _read(note, note.frontmatter, data, problems, answers)
    # Whoever meant a tool is told; another note may be as it likes.
    if find_marker(note.frontmatter.text[:4096]) and note.unclosed:
        problems.error("frontmatter-unclosed", Span(line=1, column=1, end_line=1, end_column=4))
    elif find_marker(note.frontmatter.text[:4096]):
        problems.error("file-too-large", _START, case="definition", limit=MAX_BYTES)
    return FileReading(file=file, problems=problems.in_order())


def read_script(data: bytes, file: str) -> FileReading:
    """Read a ``.tool.js`` file."""
    from paperagents.reading.tool_javascript import read_tool_javascript  # noqa: PLC0415  it starts the sandbox

    if len(data) > MAX_BYTES:
        values = {"case": "definition", "limit": MAX_BYTES}
        large = Problem(code="file-too-large", severity="error", file=file, span=_START, values=values)
        return FileReading(file=file, problems=(large,))
    definition, problems = read_tool_javascript(data, file)
    return FileReading(file=file, definition=definition, problems=problems)


def _read(
    note: Note, frontmatter: Excerpt, data: bytes, problems: ProblemList, answers: Mapping[str, Shape]
) -> FileReading:
    # Apart, because what is wrong with the YAML of an ordinary note is none of our business.
    found = problems.new_list()
    front = read_yaml(frontmatter, found)
    if not isinstance(front, YamlMapping):
        if front is None and (marker := find_marker(frontmatter.text)):
            problems.extend(found)
            if not problems.has_errors():
                problems.error("yaml-syntax", frontmatter.span(*marker.span()))
        return FileReading(file=problems.file, problems=problems.in_order())
    kind = find_kind(front, problems)
    if kind is None:
        return FileReading(file=problems.file, problems=problems.in_order())
    problems.extend(found)
    check_encoding(data, problems)
    read = partial(read_tool, answers=answers) if kind == "tool" else _READERS[kind]
    definition: Definition = read(note, front, data=data, problems=problems)
    return FileReading(file=problems.file, definition=definition, problems=problems.in_order())


def find_marker(text: str) -> re.Match[str] | None:
    """Where a frontmatter that cannot be read says that the file is one of ours, in either way of writing YAML."""
    in_braces = _MARKED_IN_BRACES.search(text) if text.lstrip().startswith("{") else None
    return in_braces or _MARKED_LINE.search(text)


def find_kind(front: YamlMapping, problems: ProblemList) -> str | None:
    """Whether the frontmatter says that the note is a tool, an agent or a tag."""
    for kind in _READERS:
        node = front.get(kind)
        if not isinstance(node, YamlScalar):
            continue
        if node.value is True:
            return kind
        if isinstance(node.value, str) and node.value.casefold() in ("true", "yes", "on"):
            # In YAML 1.2 these are words, not truth values; somebody surely meant true.
            problems.warning("not-true", node.span, field=kind, value=node.value)
    return None


# --- what only the engine finds: it reads the JavaScript of a tool, and runs none of it


_LIMITS = Limits(seconds=2.0, memory_mb=64)
_MOST_AT_ONCE = 200_000
"""Characters of JavaScript that the engine surely reads within these limits."""
_BEFORE = ("input", "context")
_AFTER = ("input", "context", "output")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Block:
    script: Excerpt
    names: Sequence[str]
    """What it finds, and so cannot declare itself."""


def check_with_engine(readings: Sequence[FileReading]) -> list[FileReading]:
    """The same files with what the engine says about their blocks, where nobody else has found an error.

    The engine is asked once for all, since nearly every file is right; only where it stumbles it is asked for fewer.
    """
    if len(readings) == 1:
        return [read_guarded(readings[0].file, lambda: _check_with_engine(readings[0]))]
    if _are_accepted(readings):
        return list(readings)
    middle = len(readings) // 2
    return [*check_with_engine(readings[:middle]), *check_with_engine(readings[middle:])]


def _are_accepted(readings: Sequence[FileReading]) -> bool:
    """Whether the engine reads all of them at once."""
    try:
        whole = _join([block for each in readings for block in _blocks(each)])
        if len(whole) > _MOST_AT_ONCE:
            return False
        if whole:
            run_javascript(Excerpt(text=f"return null;\n{whole}"), names={}, limits=_LIMITS)
    except Exception:
        # Whatever it is, and whoever is to blame: it is found when each is looked at alone.
        return False
    return True


def _check_with_engine(reading: FileReading) -> FileReading:
    blocks = list(_blocks(reading))
    if not blocks or find_engine_mistake(_Block(script=Excerpt(text=_join(blocks)), names=())) is None:
        return reading
    mistakes = [
        Problem(
            code="javascript-syntax", severity="error", file=reading.file, span=found[0], values={"reason": found[1]}
        )
        for each in blocks
        if (found := find_engine_mistake(each)) is not None
    ]
    problems = sorted((*reading.problems, *mistakes), key=lambda each: (each.span.line, each.span.column))
    return replace(reading, problems=tuple(problems))


def _join(blocks: Sequence[_Block]) -> str:
    return "\n".join(f"async ({','.join(each.names)}) => {{\n{each.script.text}\n}};" for each in blocks)


def _blocks(reading: FileReading) -> Iterator[_Block]:
    tool = reading.definition
    if not reading.valid or not isinstance(tool, ToolDefinition) or tool.module is not None:
        return
    written = [
        (tool.preprocess, _BEFORE),
        (tool.custom_function, _BEFORE),
        *((step.post_processing, _AFTER) for step in tool.all_steps()),
        (tool.postprocess, _AFTER),
    ]
    filled_in = [*(each.name for each in tool.parameters), *BUILT_IN_NAMES]
    for script, names in written:
        if script is not None:
            text = mask_placeholders(script.text, filled_in)
            yield _Block(script=script if text == script.text else replace(script, text=text), names=names)


def find_engine_mistake(block: _Block) -> tuple[Span, str] | None:
    """What the engine stumbles over before it would run anything."""
    at = block.script
    # On a line of its own, so that an error points to where the file has it.
    unrun = replace(at, text=f"return null;\n{at.text}", line=at.line - 1, indents=(0, *at.indents))
    try:
        run_javascript(unrun, names=dict.fromkeys(block.names), limits=_LIMITS)
    except ScriptSyntaxError as error:
        stack = error.details.get("stack") or [{}]
        line, column = max(stack[0].get("line") or at.line, at.line), stack[0].get("column") or 1
        return Span(line=line, column=column, end_line=line, end_column=column + 1), str(error.details["message"])
    except SandboxError:
        return None
    return None


def read_pinned_tool(file: str, content: bytes) -> ToolDefinition:
    """The tool in a file as it was when a run began. Raises BrokenFileError."""
    reading = read_definition(content, file)
    if reading.valid and isinstance(reading.definition, AgentDefinition):
        return tool_of_agent(reading.definition)
    if not reading.valid or not isinstance(reading.definition, ToolDefinition):
        raise BrokenFileError(file, reading.problems)
    return reading.definition
