"""A conversation is a Markdown note in ``.paper/conversations/``: readable, written as it goes, and continued from.

    ---
    conversation: librarian
    ---
    ## You
    …
    ## Agent
    …

A line in a text that looks like one of these headings gets a backslash before it, so that nobody can put words into
another's mouth. Each section is added in one piece. After a kill, sections that stand there already are found again
and the rest of a broken one is added: what the record has, the note has once.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from paperagents.agents.shortening import EARLIER_RESULT, cut
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.text import utf8
from paperagents.errors import ToolError, UsageError
from paperagents.messages import LANGUAGES, in_language, system_text, text
from paperagents.secrets.redaction import Redaction
from paperagents.values import dataclass

FOLDER = "conversations"
LAST = "last"
LARGEST = 64 * 1024 * 1024
SHOWN_RESULT = 2_000
"""Characters of a result that the note shows; the record has all of it."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_FRONT = re.compile(r"\A\ufeff?---[ \t]*\n((?:.*\n)*?)---[ \t]*(?:\n|\Z)")
_AGENT = re.compile(r"^conversation:[ \t]*(.*)", re.MULTILINE)
_HEAD = 10_000
"""Bytes of a note in which its properties are looked for."""
_HEADING = 40
"""Characters of a section that tell it from most others."""
_ROLES = ("you", "agent", "tools")


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """What one side said."""

    role: str
    """``you``, ``agent`` or ``tools``."""
    text: str


class Conversation:
    """One note, open for writing."""

    def __init__(self, descriptor: int, name: str, agent: str, run_id: str, masking: Redaction) -> None:
        self.name = name
        self._descriptor = descriptor
        self._masking = masking
        content = self._read(agent)
        if content and (other := agent_of(content)) != agent:
            raise ToolError("conversation-of-another", name=name, agent=other or agent, case=None if other else "none")
        marker = f"<!-- {run_id} -->\n"
        before, found, self._tail = content.partition(marker)
        self._place = 0
        if not found:
            beginning = f"{closing_fence(before)}\n{marker}"
            there = overlap(before, beginning)
            before = before[: len(before) - there]
            self._write(beginning[there:])
        self.history = read_sections(before)
        """What was said before this run."""

    def ask(self, query: str) -> list[Section]:
        """Add what a person asks, and return what was said before it.

        A question that stands at the end without an answer, as after a failed run, is not written twice.
        """
        asked = self._masking.text(query).replace("\r\n", "\n").strip()
        if self.history and self.history[-1] == Section(role="you", text=asked):
            return self.history[:-1]
        self.add("you", query)
        return self.history

    def add(self, role: str, said: str) -> None:
        """A section, once: where it stands there already from before an interruption, it is only passed by."""
        shown = escape_headings(self._masking.text(said)).strip()
        section = f"\n## {text(f'agent.{role}')}\n\n{shown}\n{closing_fence(said)}"
        found = self._tail.find(section, self._place)
        if found >= 0:
            self._place = found + len(section)
            return
        # A kill may have cut the last section short: only the rest of it is written.
        there = overlap(self._tail[self._place :], section)
        self._tail = ""
        self._place = 0
        self._write(section[there:])

    def add_result(self, tool: str, status: str, result: str) -> None:
        """The result of a call, in short, inside a fence that is longer than any in it."""
        shown = cut(result, SHOWN_RESULT)
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", shown)), default=0))
        self.add("tools", f"`{tool}` {status}\n\n{fence}\n{shown}\n{fence}")

    def _read(self, agent: str) -> str:
        """The note as it is. A new one gets its head, and one that a kill has cut off is repaired."""
        status = os.fstat(self._descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            raise ToolError("conversation-unreadable", name=self.name, reason=f"> {LARGEST}")
        data = os.pread(self._descriptor, LARGEST, 0)
        content = data.decode("utf-8", "ignore")
        # A kill in the middle of a character leaves up to three bytes that are none.
        whole = len(content.encode())
        if 0 < len(data) - whole <= 3 and data[:whole].decode("utf-8", "ignore") == content:
            os.ftruncate(self._descriptor, whole)
        content = content.replace("\r\n", "\n")
        head = f"---\nconversation: {agent}\n---\n"
        if not head.startswith(content):
            return content
        self._write(head[len(content) :])
        return head

    def _write(self, added: str) -> None:
        data = memoryview(utf8(added))
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError as error:
            raise ToolError("conversation-unreadable", name=self.name, reason=system_text(error)) from error


def read_sections(content: str) -> list[Section]:
    """What a note says, whoever wrote it: a heading begins a section, everything below belongs to it."""
    found: list[tuple[str, list[str]]] = []
    for line in _FRONT.sub("", content).split("\n"):
        role = role_of(line)
        if role is not None:
            found.append((role, []))
        elif found and not re.fullmatch(r"<!-- \S{1,200} -->", line):
            found[-1][1].append(line.removeprefix("\\") if is_reserved(line.lstrip("\\")) else line)
    said = [Section(role=role, text="\n".join(lines).strip()) for role, lines in found]
    return [section for section in said if section.text]


def as_messages(said: list[Section]) -> list[JsonObject]:
    """A conversation as a model reads it again."""
    roles = {"you": "user", "agent": "assistant", "tools": "user"}
    return [
        {
            "role": roles[each.role],
            "content": f"{EARLIER_RESULT}{each.text}" if each.role == "tools" else each.text,
        }
        for each in said
    ]


def escape_headings(said: str) -> str:
    """A text in which no line is a heading of ours, nor a mark."""
    lines = said.replace("\r\n", "\n").split("\n")
    return "\n".join(f"\\{line}" if is_reserved(line.lstrip("\\")) else line for line in lines)


@contextmanager
def open_conversation(kept: Path, name: str, agent: str, run_id: str, masking: Redaction) -> Iterator[Conversation]:
    """The note of this name, made where there is none, and locked."""
    with _open_folder(kept) as folder, _open_locked(folder, name) as descriptor:
        try:
            yield Conversation(descriptor, name, agent, run_id, masking)
        finally:
            os.fsync(descriptor)


def fork_conversation(kept: Path, agent: str, said: Sequence[Section], name: str) -> None:
    """A new note of this name that begins with what was said in another."""
    sections = (
        f"\n## {text(f'agent.{each.role}')}\n\n{escape_headings(each.text)}\n{closing_fence(each.text)}"
        for each in said
    )
    with _open_folder(kept) as folder, _open_locked(folder, name, os.O_EXCL) as descriptor:
        data = memoryview(utf8(f"---\nconversation: {agent}\n---\n{''.join(sections)}"))
        while data:
            data = data[os.write(descriptor, data) :]
        os.fsync(descriptor)


def list_conversations(kept: Path, agent: str) -> list[str]:
    """The conversations with an agent, the newest last."""
    with suppress(OSError):
        files = [each for each in (kept / FOLDER).glob("*.md") if each.is_file() and not each.is_symlink()]
        ours = [each for each in files if agent_of(_read_head(each)) == agent]
        return [each.stem for each in sorted(ours, key=lambda each: (each.stat().st_mtime, each.stem))]
    return []


def resolve_conversation(wanted: str, known: Sequence[str]) -> str:
    """The conversation of this name; ``last`` is the newest one. Raises UsageError where there is none yet."""
    if wanted != LAST:
        return wanted
    if not known:
        raise UsageError("conversation-unknown", name=wanted)
    return known[-1]


@contextmanager
def _open_folder(kept: Path) -> Iterator[int]:
    """The folder of the conversations, opened so that neither it nor the one above can be a link."""
    try:
        with suppress(FileExistsError):
            kept.mkdir()
        above = os.open(kept, _FOLDER)
        try:
            with suppress(FileExistsError):
                os.mkdir(FOLDER, 0o700, dir_fd=above)
            folder = os.open(FOLDER, _FOLDER, dir_fd=above)
        finally:
            os.close(above)
    except OSError as error:
        raise ToolError("conversation-unreadable", name=FOLDER, reason=system_text(error)) from error
    try:
        yield folder
    finally:
        os.close(folder)


@contextmanager
def _open_locked(folder: int, name: str, also: int = 0) -> Iterator[int]:
    try:
        descriptor = os.open(f"{name}.md", _FILE | also, 0o600, dir_fd=folder)
    except OSError as error:
        raise ToolError("conversation-unreadable", name=name, reason=system_text(error)) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ToolError("conversation-in-use", name=name) from None
        yield descriptor
    finally:
        os.close(descriptor)


def agent_of(content: str) -> str:
    """The agent that the properties of a note name, or nothing."""
    front = _FRONT.match(content)
    found = _AGENT.search(front[1]) if front else None
    return found[1].strip().strip("\"'") if found else ""


def is_reserved(line: str) -> bool:
    """Whether a line is a heading or a mark of ours."""
    return role_of(line) is not None or line.startswith("<!-- ")


def _read_head(file: Path) -> str:
    with file.open("rb") as opened:
        return opened.read(_HEAD).decode("utf-8", "replace").replace("\r\n", "\n")


def role_of(line: str) -> str | None:
    """Who speaks below this line, where it is a heading of ours in any language."""
    return headings().get(line.strip()) if line.startswith("## ") else None


@cache
def headings() -> dict[str, str]:
    """The headings of a conversation, and who speaks below them."""
    found: dict[str, str] = {}
    for language in LANGUAGES:
        with in_language(language):
            found.update({f"## {text(f'agent.{role}')}": role for role in _ROLES})
    return found


def closing_fence(content: str) -> str:
    """The end of a code fence that was left open, so that it swallows nothing that follows."""
    fence = ""
    for line in content.split("\n"):
        found = re.match(r" {0,3}(`{3,}|~{3,})(.*)", line)
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence) and not found[2].strip():
            fence = ""
    return f"\n{fence}\n" if fence else ""


def overlap(tail: str, section: str) -> int:
    """How much of the section's beginning the tail ends with; what stands before it ends its own line."""
    head = section[:_HEADING]
    for before in range(max(len(tail) - len(section), 0), len(tail)):
        begins_a_line = before == 0 or tail[before - 1] == "\n"
        # All of it is only compared where the heading is the same: a note may be long.
        if begins_a_line and head.startswith(tail[before : before + _HEADING]) and section.startswith(tail[before:]):
            return len(tail) - before
    return 0
