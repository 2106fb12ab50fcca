"""The bytes of a file become a definition and its problems. Never raises, whatever the bytes are."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

from paperagents.definitions.agent import AgentDefinition
from paperagents.definitions.problem import Problem
from paperagents.definitions.source import Span
from paperagents.definitions.tag import TagNote
from paperagents.definitions.tool import ToolDefinition
from paperagents.reading.agent_markdown import read_agent
from paperagents.reading.file_text import check_encoding, text_of
from paperagents.reading.markdown_sections import Note, split_note
from paperagents.reading.problem_list import ProblemList
from paperagents.reading.tag_markdown import read_tag
from paperagents.reading.tool_markdown import read_tool
from paperagents.reading.yaml_nodes import YamlMapping, YamlScalar, read_yaml

MAX_BYTES = 2_000_000
Definition = ToolDefinition | AgentDefinition | TagNote
_READERS: dict[str, Callable[..., Definition]] = {"tool": read_tool, "agent": read_agent, "tag": read_tag}

_MARKED_LINE = re.compile(
    r"""^[ \t]*["']?(?:tool|agent|tag)["']?[ \t]*:[ \t]*["']?(?:true|yes|on)["']?[ \t]*(?:#.*)?$""",
    re.IGNORECASE | re.MULTILINE,
)
_MARKED_IN_BRACES = re.compile(
    r"""(?:[{,]|^)\s*["']?(?:tool|agent|tag)["']?\s*:\s*["']?(?:true|yes|on)["']?[ \t]*(?:[,}#]|$)""",
    re.IGNORECASE | re.MULTILINE,
)
_OUR_KEY = re.compile(rb"""(?:[\r\n{,?])[ \t]*["']?(?:tool|agent|tag)["']?[ \t]*:""")
_START = Span(line=1, column=1, end_line=1, end_column=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class FileReading:
    """What a file is. Neither definition nor problems: it is an ordinary note."""

    file: str
    definition: Definition | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def concerns_us(self) -> bool:
        """Whether the file is, or tries to be, a tool, an agent or a tag."""
        return self.definition is not None or bool(self.problems)

    @property
    def valid(self) -> bool:
        """Whether the definition can be used."""
        return self.definition is not None and all(problem.severity != "error" for problem in self.problems)


def may_concern_us(data: bytes) -> bool:
    """A quick look that rules out ordinary notes: frontmatter, and in it one of our words."""
    head = data[:MAX_BYTES].removeprefix(b"\xef\xbb\xbf")
    if not head.startswith(b"---"):
        return False
    end = head.find(b"\n---", 3)
    return _OUR_KEY.search(head, 0, end if end > 0 else len(head)) is not None


def read_definition(data: bytes, file: str) -> FileReading:
    """Read a file as what its name says it is. ``file`` is its path in the vault, with slashes."""
    read = read_script if file.lower().endswith(".tool.js") else read_markdown
    return guarded(file, lambda: read(data, file))


def guarded(file: str, read: Callable[[], FileReading]) -> FileReading:
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


def read_markdown(data: bytes, file: str) -> FileReading:
    """Read a Markdown file."""
    if not may_concern_us(data):
        return FileReading(file=file)
    text = text_of(data)
    problems = ProblemList(file, text.split("\n"))
    note = split_note(text, file)
    if note.frontmatter is None:
        return FileReading(file=file)
    if note.unclosed:
        return _unclosed(note, problems)
    if len(data) > MAX_BYTES:
        return _too_large(note, len(data), problems)
    return _read(note, data, problems)


def read_script(data: bytes, file: str) -> FileReading:
    """Read a ``.tool.js`` file."""
    from paperagents.reading.tool_javascript import read_tool_javascript  # noqa: PLC0415  it starts the sandbox

    if len(data) > MAX_BYTES:
        values = {"case": "definition", "size": len(data), "limit": MAX_BYTES}
        large = Problem(code="file-too-large", severity="error", file=file, span=_START, values=values)
        return FileReading(file=file, problems=(large,))
    definition, problems = read_tool_javascript(data, file)
    return FileReading(file=file, definition=definition, problems=problems)


def _read(note: Note, data: bytes, problems: ProblemList) -> FileReading:
    assert note.frontmatter is not None
    found = problems.apart()
    front = read_yaml(note.frontmatter, found)
    if not isinstance(front, YamlMapping):
        if front is None and (marked := _marked(note.frontmatter.text)):
            problems.take(found)
            if not problems.has_errors():
                problems.error("yaml-syntax", note.frontmatter.span(*marked.span()), reason="")
        return FileReading(file=problems.file, problems=problems.in_order())
    kind = _kind(front, problems)
    if kind is None:
        return FileReading(file=problems.file, problems=problems.in_order())
    problems.take(found)
    check_encoding(data, problems)
    definition: Definition = _READERS[kind](note, front, digest=sha256(data).hexdigest(), problems=problems)
    return FileReading(file=problems.file, definition=definition, problems=problems.in_order())


def _marked(text: str) -> re.Match[str] | None:
    """Where a frontmatter that cannot be read says that the file is one of ours, in either way of writing YAML."""
    in_braces = _MARKED_IN_BRACES.search(text) if text.lstrip().startswith("{") else None
    return in_braces or _MARKED_LINE.search(text)


def _kind(front: YamlMapping, problems: ProblemList) -> str | None:
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


def _unclosed(note: Note, problems: ProblemList) -> FileReading:
    assert note.frontmatter is not None
    if _marked(note.frontmatter.text[:4096]):
        problems.error("frontmatter-unclosed", Span(line=1, column=1, end_line=1, end_column=4))
    return FileReading(file=problems.file, problems=problems.in_order())


def _too_large(note: Note, size: int, problems: ProblemList) -> FileReading:
    assert note.frontmatter is not None
    if _marked(note.frontmatter.text[:4096]):
        problems.error("file-too-large", _START, case="definition", size=size, limit=MAX_BYTES)
    return FileReading(file=problems.file, problems=problems.in_order())
