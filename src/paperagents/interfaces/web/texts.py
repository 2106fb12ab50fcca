"""Markdown of tools and models as HTML that can do nothing: no markup of its own, no pictures, harmless links."""

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


def rendered(source: str) -> Markup:
    """The HTML of a text. What the text says in HTML is shown, not done."""
    return Markup(_parser().render(source[:LONGEST]))  # noqa: S704  the parser escapes all text and makes no raw HTML


def looks_like_markdown(source: str) -> bool:
    """Whether a text gains from being shown as Markdown."""
    return "\n" in source and len(source) <= LONGEST and _SIGNS.search(source) is not None


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").enable("strikethrough").disable("image")
    # The library's own way to choose which links are links.
    setattr(parser, "validateLink", _is_harmless)  # noqa: B010  it is declared as a method
    parser.add_render_rule("link_open", _link)
    parser.core.ruler.after("inline", "boxes", _boxes)
    for rule in ("heading_open", "heading_close"):
        parser.add_render_rule(rule, _lower_heading)
    return parser


def _boxes(state: StateCore) -> None:
    """``- [ ]`` and ``- [x]`` at the beginning of an element of a list are boxes, as in other programs for notes."""
    for item, _, line in zip(state.tokens, state.tokens[1:], state.tokens[2:], strict=False):
        words = line.children[0] if item.type == "list_item_open" and line.type == "inline" and line.children else None
        if words is not None and words.content[:4] in _BOXES:
            words.content = _BOXES[words.content[:4]] + words.content[4:]


def _is_harmless(url: str) -> bool:
    return _SAFE_LINK.match(url.strip()) is not None


def _link(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, _: MutableMapping[str, Any]) -> str:
    """Other sites do not learn where they were linked from, and get no hold on this page."""
    tokens[index].attrSet("rel", "noopener noreferrer nofollow")
    tokens[index].attrSet("target", "_blank")
    return self.renderToken(tokens, index, options, {})


def _lower_heading(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, _: MutableMapping[str, Any]
) -> str:
    """Headings of a text stand below those of the page."""
    level = min(int(tokens[index].tag[1]) + 2, 6)
    tokens[index].tag = f"h{level}"
    return self.renderToken(tokens, index, options, {})


# --- what a person is asked to agree to, line by line: added, removed, kept. Read by the counts, never by the looks


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
        """How many lines come."""
        return sum(line.kind == "added" for line in self.lines)

    @property
    def removed(self) -> int:
        """How many lines go."""
        return sum(line.kind == "removed" for line in self.lines)

    def chunks(self) -> Iterator[tuple[DiffLine, ...]]:
        """The lines in pieces that a browser can leave out while nobody looks at them."""
        yield from (self.lines[start : start + CHUNK] for start in range(0, len(self.lines), CHUNK))


def read_diff(preview: str) -> Diff | None:
    """The diff in a preview of ours; None where it is something else, which is then shown as it is."""
    lines = preview.split("\n")
    if len(lines) < 2 or not lines[0].startswith("--- ") or not lines[1].startswith("+++ b/"):
        return None
    try:
        shown = tuple(_lines(lines[2:]))
    except (ValueError, IndexError):
        return None
    return Diff(path=lines[1].removeprefix("+++ b/"), is_new=lines[0] == "--- /dev/null", lines=shown)


def _lines(lines: Sequence[str]) -> Iterator[DiffLine]:
    at = 0
    while at < len(lines):
        hunk = _HUNK.fullmatch(lines[at])
        if hunk is None:
            raise ValueError(lines[at])
        old, old_left, new, new_left = map(int, hunk.groups())
        yield DiffLine(kind="place", text=lines[at])
        at += 1
        while old_left or new_left or (at < len(lines) and lines[at].startswith("\\ ")):
            line = _line(lines[at], old, new)
            at += 1
            yield line
            taken_old, taken_new = int(line.old is not None), int(line.new is not None)
            old, old_left, new, new_left = old + taken_old, old_left - taken_old, new + taken_new, new_left - taken_new
            if min(old_left, new_left) < 0:
                raise ValueError(line.text)


def _line(line: str, old: int, new: int) -> DiffLine:
    if line.startswith("\\ "):
        return DiffLine(kind="note", text=line[2:])
    kind = _KINDS.get(line[:1])
    if kind is None:
        raise ValueError(line)
    return DiffLine(
        kind=kind, text=line[1:], old=None if kind == "added" else old, new=None if kind == "removed" else new
    )


# --- moments and durations as people read them


_SECOND = 1000.0
_MINUTE = 60 * _SECOND
_ZONE: ContextVar[tzinfo | None] = ContextVar("zone", default=None)


@contextmanager
def in_zone(zone: tzinfo | None) -> Iterator[None]:
    """Inside, every moment is told in this time zone; None means the system's."""
    before = _ZONE.set(zone)
    try:
        yield
    finally:
        _ZONE.reset(before)


def local(written: str) -> datetime:
    """A recorded moment as the clocks of the vault show it. Raises ValueError where it is none."""
    return datetime.fromisoformat(written).astimezone(_ZONE.get())


def local_now() -> datetime:
    """Now, as the clocks of the vault show it."""
    return datetime.now(UTC).astimezone(_ZONE.get())


def beginning_of_day(day: str) -> str:
    """When a day begins by the clocks of the vault. Raises ValueError or OverflowError where there is no such day."""
    begins = datetime.fromisoformat(day)
    zone = _ZONE.get()
    return (begins if zone is None else begins.replace(tzinfo=zone)).astimezone(UTC).isoformat()


def duration(milliseconds: float) -> str:
    """How long: ``4 ms``, ``1.2 s``, ``3 min 5 s``."""
    if milliseconds < _SECOND:
        return f"{milliseconds:.0f} ms"
    if milliseconds < _MINUTE:
        return f"{milliseconds / _SECOND:.1f} s"
    minutes, seconds = divmod(round(milliseconds / _SECOND), 60)
    return f"{minutes} min {seconds} s"


def moment(written: str) -> str:
    """When, by the clocks of the vault: today without the date, else with it. What is no time stays as it is."""
    try:
        at = local(written)
    except ValueError:
        return written
    today = local_now().date()
    if at.date() == today:
        return text("web.today", time=f"{at:%H:%M:%S}")
    if at.date() == today - timedelta(days=1):
        return text("web.yesterday", time=f"{at:%H:%M}")
    return f"{at:%Y-%m-%d %H:%M}"
