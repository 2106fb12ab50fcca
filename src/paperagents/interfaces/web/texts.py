"""Texts for pages: Markdown as harmless HTML, diffs line by line, moments and durations."""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup

from paperagents.messages import text

LONGEST = 200_000
_SAFE_LINK = re.compile(r"^(https?://|mailto:|#|/(?![/\\])|(?![a-z][a-z0-9+.-]*:)[^/\\])", re.IGNORECASE)
_SIGNS = re.compile(r"(?m)^#{1,6} |^\s*[-*+] |^\s*\d+\. |^```|^> |\*\*|^\|.*\||\[[^\]]+\]\(")

_BOXES = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}


def render_markdown(source: str) -> Markup:
    """Untrusted Markdown as HTML: HTML in it is shown as text, there are no images, and links are harmless."""
    return Markup(markdown_parser().render(source[:LONGEST]))  # noqa: S704  the parser escapes all text and makes no raw HTML


def looks_like_markdown(source: str) -> bool:
    """Whether a text gains from being shown as Markdown."""
    return "\n" in source and len(source) <= LONGEST and _SIGNS.search(source) is not None


@cache
def markdown_parser() -> MarkdownIt:
    """The parser with our rules."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").enable("strikethrough").disable("image")
    # The library's own way to choose which links are links.
    setattr(parser, "validateLink", lambda url: _SAFE_LINK.match(url.strip()) is not None)  # noqa: B010  a method there
    parser.add_render_rule("link_open", render_link)
    parser.core.ruler.after("inline", "boxes", draw_checkboxes)
    for rule in ("heading_open", "heading_close"):
        parser.add_render_rule(rule, lower_heading)
    return parser


def draw_checkboxes(state: StateCore) -> None:
    """``- [ ]`` and ``- [x]`` at the beginning of a list item are checkboxes."""
    for item, _, line in zip(state.tokens, state.tokens[1:], state.tokens[2:], strict=False):
        words = line.children[0] if item.type == "list_item_open" and line.type == "inline" and line.children else None
        if words is not None and words.content[:4] in _BOXES:
            words.content = _BOXES[words.content[:4]] + words.content[4:]


def render_link(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, _: MutableMapping[str, Any]
) -> str:
    """A link in a new tab, without referrer and without access to this page."""
    tokens[index].attrSet("rel", "noopener noreferrer nofollow")
    tokens[index].attrSet("target", "_blank")
    return self.renderToken(tokens, index, options, {})


def lower_heading(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, _: MutableMapping[str, Any]
) -> str:
    """Headings of a text stand below those of the page."""
    level = min(int(tokens[index].tag[1]) + 2, 6)
    tokens[index].tag = f"h{level}"
    return self.renderToken(tokens, index, options, {})


# --- diffs: parsed by the counts of their hunks, so that no content can look like another line


LineKind = Literal["kept", "added", "removed", "place", "note"]
_HUNK = re.compile(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@")
_KINDS: dict[str, LineKind] = {" ": "kept", "-": "removed", "+": "added"}
CHUNK = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class DiffLine:
    """One line as it is shown."""

    kind: LineKind
    text: str
    old: int | None = None
    new: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Diff:
    """The change of one file."""

    path: str
    is_new: bool
    lines: tuple[DiffLine, ...]

    @property
    def added(self) -> int:
        """How many lines are added."""
        return sum(line.kind == "added" for line in self.lines)

    @property
    def removed(self) -> int:
        """How many lines are removed."""
        return sum(line.kind == "removed" for line in self.lines)

    def chunks(self) -> Iterator[tuple[DiffLine, ...]]:
        """The lines in pieces that a browser need not lay out while they are off screen."""
        yield from (self.lines[start : start + CHUNK] for start in range(0, len(self.lines), CHUNK))


def read_diff(preview: str) -> Diff | None:
    """The diff in a preview; None where it is something else."""
    lines = preview.split("\n")
    if len(lines) < 2 or not lines[0].startswith("--- ") or not lines[1].startswith("+++ b/"):
        return None
    try:
        shown = tuple(read_hunks(lines[2:]))
    except (ValueError, IndexError):
        return None
    return Diff(path=lines[1].removeprefix("+++ b/"), is_new=lines[0] == "--- /dev/null", lines=shown)


def read_hunks(lines: Sequence[str]) -> Iterator[DiffLine]:
    """The lines of all hunks with their numbers. Raises ValueError or IndexError where the counts do not fit."""
    at = 0
    while at < len(lines):
        hunk = _HUNK.fullmatch(lines[at])
        if hunk is None:
            raise ValueError(lines[at])
        old, old_left, new, new_left = map(int, hunk.groups())
        yield DiffLine(kind="place", text=lines[at])
        at += 1
        # By the counts of the hunk: a line of the file may itself look like a heading.
        while old_left or new_left or (at < len(lines) and lines[at].startswith("\\ ")):
            line = read_line(lines[at], old, new)
            at += 1
            yield line
            taken_old, taken_new = int(line.old is not None), int(line.new is not None)
            old, old_left, new, new_left = old + taken_old, old_left - taken_old, new + taken_new, new_left - taken_new
            if min(old_left, new_left) < 0:
                raise ValueError(line.text)


def read_line(line: str, old: int, new: int) -> DiffLine:
    """One line of a hunk."""
    if line.startswith("\\ "):
        return DiffLine(kind="note", text=line[2:])
    kind = _KINDS.get(line[:1])
    if kind is None:
        raise ValueError(line)
    return DiffLine(
        kind=kind, text=line[1:], old=None if kind == "added" else old, new=None if kind == "removed" else new
    )


# --- moments and durations


_SECOND = 1000.0
_MINUTE = 60 * _SECOND
_ZONE: ContextVar[tzinfo | None] = ContextVar("zone", default=None)


@contextmanager
def in_zone(zone: tzinfo | None) -> Iterator[None]:
    """Inside, moments are shown in this time zone; None means the system's."""
    before = _ZONE.set(zone)
    try:
        yield
    finally:
        _ZONE.reset(before)


def to_local(written: str) -> datetime:
    """A recorded moment in the time zone of the vault. Raises ValueError where it is none."""
    return datetime.fromisoformat(written).astimezone(_ZONE.get())


def local_now() -> datetime:
    """Now, in the time zone of the vault."""
    return datetime.now(UTC).astimezone(_ZONE.get())


def start_of_day(day: str) -> str:
    """When a day begins in the time zone of the vault. Raises ValueError or OverflowError for no day."""
    begins = datetime.fromisoformat(day)
    zone = _ZONE.get()
    return (begins if zone is None else begins.replace(tzinfo=zone)).astimezone(UTC).isoformat()


def format_duration(milliseconds: float) -> str:
    """A duration: ``4 ms``, ``1.2 s``, ``3 min 5 s``."""
    if milliseconds < _SECOND:
        return f"{milliseconds:.0f} ms"
    if milliseconds < _MINUTE:
        return f"{milliseconds / _SECOND:.1f} s"
    minutes, seconds = divmod(round(milliseconds / _SECOND), 60)
    return f"{minutes} min {seconds} s"


def format_moment(written: str) -> str:
    """A moment in the time zone of the vault: today without the date, else with it. Other texts stay as they are."""
    try:
        at = to_local(written)
    except ValueError:
        return written
    today = local_now().date()
    if at.date() == today:
        return text("web.today", time=f"{at:%H:%M:%S}")
    if at.date() == today - timedelta(days=1):
        return text("web.yesterday", time=f"{at:%H:%M}")
    return f"{at:%Y-%m-%d %H:%M}"
