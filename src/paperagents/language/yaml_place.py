"""Where in a YAML text a place is, judged by lines and indentation: it works while the text is no YAML yet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import field

from paperagents.values import dataclass

_ROW = re.compile(
    r"""^(?P<blank> *)(?P<dashes>(?:-(?: +|$))*)(?:(?P<key>"[^"]*"|'[^']*'|[\w$.@/:-]+?) *:(?: +(?P<value>.*)|$))?"""
)
_BLOCK = re.compile(r"[|>][-+\d]*[ \t]*(?:#.*)?$")
_STEP = 2
_LONGEST = 2000
"""Of a line with braces that is looked into."""
ITEM = "-"
"""In a path: an item of a list."""


@dataclass(frozen=True, kw_only=True, slots=True)
class YamlPlace:
    """The keys that lead to a place, and what stands beside them."""

    path: tuple[str, ...] = ()
    """The keys around the mapping or list that the place is in; ``-`` for an item of a list."""
    key: str | None = None
    """The key whose value is being written; None where it is a key, or an item of a list."""
    typed: str = ""
    """What is already there of the key, value or item, before the place."""
    in_block: bool = False
    """In the lines of a text below its key."""
    mappings: tuple[dict[str, str], ...] = field(default=({},))
    """The keys and values around, as they are written: of the innermost mapping first, then of each one around."""

    @property
    def siblings(self) -> dict[str, str]:
        """The mapping that the place is in."""
        return self.mappings[0]

    @property
    def keys(self) -> tuple[str, ...]:
        """The path without the lists."""
        return tuple(each for each in self.path if each != ITEM)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Row:
    """A line with what it says."""

    indent: int
    """Of the key, behind dashes."""
    dash: int | None
    """The column of its last dash."""
    key: str | None
    value: str


def find_place(lines: list[str], line: int, column: int) -> YamlPlace:
    """The place before a column of a line, both counted from 0."""
    rows = [_read_row(each) for each in lines]
    block = _find_block(lines, rows, line)
    if block is not None:
        inner = _climb(rows, block, rows[block])
        return YamlPlace(
            path=inner.path, key=rows[block].key, typed=lines[line][:column], in_block=True, mappings=inner.mappings
        )
    before, after = (lines[line][:column], lines[line][column:]) if line < len(lines) else ("", "")
    if (unfolded := unfold(before, after)) is not None:
        own, others = unfolded
        rows = [*rows[:line], *map(_read_row, (*own, *others)), *rows[line + 1 :]]
        line, before, column = line + len(own) - 1, own[-1], len(own[-1])
    row = _read_row(before)
    around = _climb(rows, line, row if before.strip() else _Row(indent=column, dash=None, key=None, value=""))
    if row.key is not None:
        return YamlPlace(path=around.path, key=row.key, typed=row.value, mappings=around.mappings)
    return YamlPlace(
        path=around.path, typed=before.lstrip(" ").removeprefix("- ").lstrip(" -"), mappings=around.mappings
    )


# --- mappings and lists in braces and brackets


def unfold(before: str, after: str) -> tuple[list[str], list[str]] | None:
    """A line whose place is inside of braces or brackets, each entry on a line of its own; None where it is not.

    >>> unfold("- {name: x, parameters: {limit: ", "}}")
    (['- name: x', '  parameters:', '    limit: '], [])
    """
    opened = _find_open(before) if len(before) + len(after) <= _LONGEST else []
    if not opened:
        return None
    own, prefix, indent, sign = [], before[: opened[0]], 0, ""
    for start, end in zip(opened, [*opened[1:], len(before)], strict=True):
        row = _read_row(prefix)
        if row.key is not None or (prefix.strip() and row.dash is None):
            own.append(prefix.rstrip())
            indent = row.indent + _STEP
            prefix = " " * indent
        else:
            indent = len(prefix)
        sign = "- " if before[start] == "[" else ""
        *done, last = _split_entries(before[start + 1 : end])
        first = prefix
        for entry in done:
            own.append(f"{first}{sign}{entry.strip()}")
            first = " " * indent
        prefix = f"{first}{sign}{last.lstrip()}"
    rest = [] if sign else _split_entries(after[: _find_end(after)])[1:]
    return [*own, prefix], [f"{' ' * indent}{entry.strip()}" for entry in rest]


def _find_open(before: str) -> list[int]:
    """Where braces and brackets begin that are not closed; they begin values, or are none."""
    opened: list[int] = []
    for at in _signs(before):
        if before[at] in "}]":
            opened = opened[:-1]
        elif opened or not before[:at].strip() or before[:at].rstrip().endswith((":", "-")):
            opened.append(at)
    return opened


def _split_entries(inner: str) -> list[str]:
    """What commas part, outside of quotes and of braces and brackets."""
    found, depth, start = [], 0, 0
    for at in _signs(inner, ","):
        if inner[at] == "," and depth == 0:
            found.append(inner[start:at])
            start = at + 1
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(inner[at], 0)
    return [*found, inner[start:]]


def _find_end(after: str) -> int:
    """Where the braces or brackets around a place end."""
    depth = 0
    for at in _signs(after):
        depth += 1 if after[at] in "{[" else -1
        if depth < 0:
            return at
    return len(after)


def _signs(text: str, more: str = "") -> Iterator[int]:
    """Where braces and brackets stand, outside of quotes."""
    quote = ""
    for at, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'" and not text[:at].rstrip()[-1:].isalnum():
            quote = sign
        elif sign in "{}[]" or sign in more:
            yield at


# --- lines and indentation


def _read_row(line: str) -> _Row:
    found = _ROW.match(line)
    assert found is not None
    dashes = found["dashes"]
    blank = len(found["blank"])
    key = found["key"]
    dash = blank + dashes.rindex("-") if dashes else None
    return _Row(
        indent=blank + len(dashes),
        dash=dash,
        key=key.strip("\"'") if key is not None else None,
        value=(found["value"] or "").strip(),
    )


def _find_block(lines: list[str], rows: list[_Row], line: int) -> int | None:
    """The row whose text goes on in a line."""
    depth = len(lines[line]) - len(lines[line].lstrip(" ")) if line < len(lines) and lines[line].strip() else None
    for number in range(line - 1, -1, -1):
        row = rows[number]
        if not lines[number].strip():
            continue
        if depth is None:
            # On an empty line the text goes on as the line above does.
            depth = len(lines[number]) - len(lines[number].lstrip(" ")) + (row.key is not None and _is_block(row))
        if row.key is not None and row.indent < depth and _is_block(row):
            return number
        if row.indent < depth:
            depth = min(depth, row.indent + (row.dash is None))
            if row.key is not None and row.indent < depth:
                return None
    return None


def _is_block(row: _Row) -> bool:
    return _BLOCK.match(row.value) is not None


@dataclass(kw_only=True)
class _Around:
    path: tuple[str, ...]
    mappings: tuple[dict[str, str], ...]


def _climb(rows: list[_Row], line: int, own: _Row) -> _Around:
    """From a row upwards: its siblings, the key around them, that one's siblings, and so on."""
    path: list[str] = []
    mappings: list[dict[str, str]] = [_below(rows[line + 1 :], own.indent)]
    level, list_at = own.indent, own.dash
    for number in range(line - 1, -1, -1):
        row = rows[number]
        if row.key is None:
            continue
        if list_at is not None:
            if row.indent > list_at:
                continue
            path[:0] = [row.key, ITEM]
        elif row.indent == level:
            mappings[-1].setdefault(row.key, row.value)
            list_at = row.dash
            continue
        elif row.indent < level:
            path[:0] = [row.key]
        else:
            continue
        mappings.append({**_below(rows[number + 1 :], row.indent), row.key: row.value})
        level, list_at = row.indent, row.dash
    return _Around(path=tuple(path), mappings=tuple(mappings))


def _below(rows: Iterable[_Row], indent: int) -> dict[str, str]:
    """The keys of the same mapping that follow."""
    found: dict[str, str] = {}
    for row in rows:
        if row.indent < indent and (row.key is not None or row.dash is not None):
            break
        if row.dash is not None and row.dash < indent:
            break
        if row.key is not None and row.indent == indent:
            found.setdefault(row.key, row.value)
    return found
