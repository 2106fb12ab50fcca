"""Views of a result: text, Markdown, table, tree, and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import field, replace
from itertools import islice
from typing import Any

from markupsafe import Markup

from paperagents.calls.answers import show_answer, split_answer
from paperagents.definitions.json_value import JsonValue
from paperagents.errors import UsageError
from paperagents.interfaces.web.markdown import looks_like_markdown, render_markdown
from paperagents.interfaces.web.rendering import pretty
from paperagents.values import dataclass

LONGEST_RAW = 100_000
_TEXT_FIELDS = ("markdown", "content", "text", "body", "report")
MOST_NODES = 600
MOST_OF_ONE = 100
"""Members of one list or object at once."""
MOST_LEVELS = 8
LONGEST_TEXT = 2_000
MOST_ROWS = 200
MOST_COLUMNS = 20
LONGEST_CELL = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultView:
    """One value in all forms it has."""

    markdown: Markup | None
    text: str | None
    table: Table | None
    tree: Node | None
    raw: str
    is_cut: bool
    """Whether the text or JSON is longer than what is shown."""
    pictures: tuple[tuple[str, str], ...] = ()
    """The kind of each, and its bytes as an address."""

    @property
    def views(self) -> tuple[str, ...]:
        """The forms there are, the most readable first."""
        forms: dict[str, Any] = {
            "markdown": self.markdown, "text": self.text, "table": self.table, "tree": self.tree, "json": self.raw
        }  # fmt: skip
        return tuple(name for name, value in forms.items() if value is not None)


def result_view(value: JsonValue) -> ResultView:
    """The views of a value."""
    blocks = split_answer(value, {}).blocks
    if blocks:
        pictures = tuple((str(each["mimeType"]), f"data:{each['mimeType']};base64,{each['data']}")
                         for each in blocks if each["type"] == "image")  # fmt: skip
        return replace(result_view(show_answer(value)), pictures=pictures)
    own_text = value if isinstance(value, str) else None
    source = own_text
    if isinstance(value, dict):
        # The one text that a result such as that of read_file is about.
        source = next((each for name in _TEXT_FIELDS if isinstance(each := value.get(name), str)), None)
    raw = pretty(own_text[: LONGEST_RAW + 1]) if own_text is not None else pretty_beginning(value)
    return ResultView(
        markdown=render_markdown(source) if source is not None and looks_like_markdown(source) else None,
        text=own_text[:LONGEST_RAW] if own_text is not None else None,
        table=find_table(value),
        tree=tree(value) if isinstance(value, dict | list) else None,
        raw=raw[:LONGEST_RAW],
        is_cut=len(raw) > LONGEST_RAW or len(own_text or "") > LONGEST_RAW,
    )


def pretty_beginning(value: JsonValue) -> str:
    """JSON as people read it, no more of it than is shown: a result may have megabytes."""
    pieces, length = list[str](), 0
    for piece in json.JSONEncoder(ensure_ascii=False, indent=2).iterencode(value):
        pieces.append(piece[: LONGEST_RAW + 1])
        length += len(piece)
        if length > LONGEST_RAW:
            break
    return "".join(pieces).encode("utf-8", "backslashreplace").decode("utf-8")


def find_table(value: JsonValue) -> Table | None:
    """The table of a list of objects, also within an object such as the result of search_files."""
    if isinstance(value, dict):
        lists = [each for each in value.values() if isinstance(each, list)]
        return table(lists[0]) if len(lists) == 1 else None
    return table(value)


# --- trees: a bounded part of a JSON value at once, the rest on request


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
    """The members that are left out: of the value at this pointer, from this one on."""

    pointer: str
    offset: int
    left: int


def tree(value: JsonValue, *, pointer: str = "", offset: int = 0, key: str = "") -> Node:
    """The beginning of a value, or of the part of it at a pointer."""
    return TreeBuilder(offset).node(key, value_at(value, pointer), pointer, 0)


def value_at(value: JsonValue, pointer: str) -> JsonValue:
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


class TreeBuilder:
    """Builds one tree with at most so many nodes."""

    def __init__(self, offset: int) -> None:
        self._left = MOST_NODES
        self._offset = offset

    def node(self, key: str, value: JsonValue, pointer: str, level: int) -> Node:
        """The node of a value, with its members as far as there is room."""
        self._left -= 1
        if not isinstance(value, dict | list):
            return _leaf(key, value, pointer)
        kind = "object" if isinstance(value, dict) else "list"
        if level >= MOST_LEVELS or (self._left <= 0 and level > 0):
            rest = More(pointer=pointer, offset=0, left=len(value)) if value else None
            return Node(key=key, kind=kind, count=len(value), more=rest)
        children = tuple(self.children(value, pointer, level))
        shown = (self._offset if level == 0 else 0) + len(children)
        rest = More(pointer=pointer, offset=shown, left=len(value) - shown) if shown < len(value) else None
        is_open = level < 2 and len(value) <= 30
        return Node(key=key, kind=kind, count=len(value), children=children, more=rest, is_open=is_open)

    def children(self, value: dict[str, JsonValue] | list[JsonValue], pointer: str, level: int) -> Iterator[Node]:
        """The members of a list or object."""
        first = self._offset if level == 0 else 0
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for name, member in islice(members, first, first + MOST_OF_ONE):
            if self._left <= 0:
                return
            escaped = str(name).replace("~", "~0").replace("/", "~1")
            yield self.node(str(name), member, f"{pointer}/{escaped}", level + 1)


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A list of objects as rows and columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    count: int
    hidden_columns: int = field(default=0)


def table(value: JsonValue) -> Table | None:
    """The table of a list whose members are all objects; None for anything else."""
    if not isinstance(value, list) or not value or not all(isinstance(each, dict) for each in value[:MOST_ROWS]):
        return None
    rows = [each for each in value[:MOST_ROWS] if isinstance(each, dict)]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    if not columns:
        return None
    shown = columns[:MOST_COLUMNS]
    cells = tuple(tuple(_format_cell(row[name]) if name in row else "" for name in shown) for row in rows)
    return Table(columns=tuple(shown), rows=cells, count=len(value), hidden_columns=len(columns) - len(shown))


def _format_cell(value: JsonValue) -> str:
    written = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    return written if len(written) <= LONGEST_CELL else f"{written[:LONGEST_CELL]}…"
