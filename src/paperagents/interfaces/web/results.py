"""A result in every form that helps to read it: text, Markdown, table, tree, and the JSON itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from markupsafe import Markup

from paperagents.definitions.json_value import JsonValue
from paperagents.errors import UsageError
from paperagents.interfaces.web.rendering import pretty
from paperagents.interfaces.web.texts import looks_like_markdown, rendered

LONGEST_RAW = 100_000
_TEXT_FIELDS = ("markdown", "content", "text", "body", "report")


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultView:
    """One value, ready to be looked at."""

    markdown: Markup | None
    text: str | None
    table: Table | None
    tree: Node | None
    raw: str
    is_cut: bool
    """The text or JSON is longer than what is shown."""

    @property
    def views(self) -> tuple[str, ...]:
        """The forms there are, the most readable first."""
        forms: dict[str, Any] = {
            "markdown": self.markdown, "text": self.text, "table": self.table, "tree": self.tree, "json": self.raw
        }  # fmt: skip
        return tuple(name for name, value in forms.items() if value is not None)


def result_view(value: JsonValue) -> ResultView:
    """The views of a value."""
    own_text = value if isinstance(value, str) else None
    source = own_text if own_text is not None else _text_inside(value)
    raw = pretty(value) if own_text is None or len(own_text) <= LONGEST_RAW else pretty(own_text[:LONGEST_RAW])
    return ResultView(
        markdown=rendered(source) if source is not None and looks_like_markdown(source) else None,
        text=own_text[:LONGEST_RAW] if own_text is not None else None,
        table=_table(value),
        tree=tree(value) if isinstance(value, dict | list) else None,
        raw=raw[:LONGEST_RAW],
        is_cut=len(raw) > LONGEST_RAW or len(own_text or "") > LONGEST_RAW,
    )


def _text_inside(value: JsonValue) -> str | None:
    """The one text that an answer such as that of read_file is about."""
    if not isinstance(value, dict):
        return None
    found = [each for name in _TEXT_FIELDS if isinstance(each := value.get(name), str)]
    return found[0] if found else None


def _table(value: JsonValue) -> Table | None:
    """The table of a list of objects, also where an answer such as that of search_files wraps it."""
    if isinstance(value, dict):
        lists = [each for each in value.values() if isinstance(each, list)]
        return table(lists[0]) if len(lists) == 1 else None
    return table(value)


# --- a JSON value as a tree to unfold: a bounded part of it at once, the rest when somebody asks for it


MOST_NODES = 600
MOST_OF_ONE = 100
"""Members of one list or object at once."""
MOST_LEVELS = 8
LONGEST_TEXT = 2_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """One value: a leaf with its text, or a list or object with its members."""

    key: str
    kind: str
    text: str = ""
    count: int = 0
    children: tuple[Node, ...] = ()
    more: More | None = None
    """Where the rest is found."""
    is_open: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class More:
    """The members that are not there yet: of the value at this pointer, from this one on."""

    pointer: str
    offset: int
    left: int


def tree(value: JsonValue, *, pointer: str = "", offset: int = 0, key: str = "") -> Node:
    """The beginning of a value, or of the part of it at a pointer."""
    return _Walk(offset).node(key, part(value, pointer), pointer, 0)


def part(value: JsonValue, pointer: str) -> JsonValue:
    """The value at a JSON pointer (RFC 6901). Raises UsageError where there is none."""
    for name in pointer.split("/")[1:]:
        name = name.replace("~1", "/").replace("~0", "~")  # noqa: PLW2901  unescaped in the order the RFC gives
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif (
            isinstance(value, list) and name.isascii() and name.isdigit() and len(name) < 10 and int(name) < len(value)
        ):
            value = value[int(name)]
        else:
            raise UsageError("no-such-value", pointer=pointer[:200])
    return value


class _Walk:
    """One look at a value, as far as the number of nodes reaches."""

    def __init__(self, offset: int) -> None:
        self._left = MOST_NODES
        self._offset = offset

    def node(self, key: str, value: JsonValue, pointer: str, level: int) -> Node:
        self._left -= 1
        if not isinstance(value, dict | list):
            return _leaf(key, value, pointer)
        kind = "object" if isinstance(value, dict) else "list"
        if level >= MOST_LEVELS or (self._left <= 0 and level > 0):
            rest = More(pointer=pointer, offset=0, left=len(value)) if value else None
            return Node(key=key, kind=kind, count=len(value), more=rest)
        children = tuple(self._children(value, pointer, level))
        shown = (self._offset if level == 0 else 0) + len(children)
        rest = More(pointer=pointer, offset=shown, left=len(value) - shown) if shown < len(value) else None
        is_open = level < 2 and len(value) <= 30
        return Node(key=key, kind=kind, count=len(value), children=children, more=rest, is_open=is_open)

    def _children(self, value: dict[str, JsonValue] | list[JsonValue], pointer: str, level: int) -> Iterator[Node]:
        first = self._offset if level == 0 else 0
        for name, member in islice(_members(value), first, first + MOST_OF_ONE):
            if self._left <= 0:
                return
            yield self.node(name, member, f"{pointer}/{_escaped(name)}", level + 1)


def _leaf(key: str, value: JsonValue, pointer: str) -> Node:
    match value:
        case None:
            return Node(key=key, kind="null", text="null")
        case bool():
            return Node(key=key, kind="boolean", text="true" if value else "false")
        case int() | float():
            return Node(key=key, kind="number", text=json.dumps(value))
    shown = str(value)
    rest = More(pointer=pointer, offset=LONGEST_TEXT, left=len(shown) - LONGEST_TEXT)
    long = len(shown) > LONGEST_TEXT
    return Node(key=key, kind="text", text=shown[:LONGEST_TEXT], count=len(shown), more=rest if long else None)


def _members(value: dict[str, JsonValue] | list[JsonValue]) -> Iterator[tuple[str, JsonValue]]:
    if isinstance(value, dict):
        yield from value.items()
    else:
        yield from ((str(number), member) for number, member in enumerate(value))


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A list of objects as rows and columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    count: int
    hidden_columns: int = field(default=0)


MOST_ROWS = 200
MOST_COLUMNS = 20
LONGEST_CELL = 300


def table(value: JsonValue) -> Table | None:
    """The table of a list whose members are all objects; None for anything else."""
    if not isinstance(value, list) or not value or not all(isinstance(each, dict) for each in value[:MOST_ROWS]):
        return None
    rows = [each for each in value[:MOST_ROWS] if isinstance(each, dict)]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    if not columns:
        return None
    shown = columns[:MOST_COLUMNS]
    cells = tuple(tuple(_cell(row[name]) if name in row else "" for name in shown) for row in rows)
    return Table(columns=tuple(shown), rows=cells, count=len(value), hidden_columns=len(columns) - len(shown))


def _cell(value: JsonValue) -> str:
    written = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    return written if len(written) <= LONGEST_CELL else f"{written[:LONGEST_CELL]}…"
