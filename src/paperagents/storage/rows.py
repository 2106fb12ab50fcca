"""A row of the database, read with care: somebody may have damaged it, or written it by hand."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn, TypeVar

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import DamagedRowError

_LOGGER = logging.getLogger("paper")
Read = TypeVar("Read")


class StoredRow:
    """One row; each column is what it must be, or a DamagedRowError names it."""

    def __init__(self, table: str, row: Mapping[str, Any]) -> None:
        self._table = table
        self._row = row

    def text(self, column: str) -> str:
        """Some words."""
        value = self._row[column]
        return value if isinstance(value, str) else self.refuse(column)

    def text_or_none(self, column: str) -> str | None:
        """Some words, or nothing."""
        return None if self._row[column] is None else self.text(column)

    def number(self, column: str) -> float:
        """A number that can be written as JSON."""
        value = self._row[column]
        return value if isinstance(value, int | float) and math.isfinite(value) else self.refuse(column)

    def whole(self, column: str) -> int:
        """A whole number."""
        value = self._row[column]
        return value if isinstance(value, int) else self.refuse(column)

    def value(self, column: str) -> JsonValue:
        """Any value, written as JSON; nothing is null."""
        written = self.text_or_none(column)
        try:
            decoded: JsonValue = _DECODER.decode(written or "null")
        except (ValueError, RecursionError):
            self.refuse(column)
        return decoded

    def object(self, column: str) -> JsonObject:
        """An object, written as JSON."""
        value = self.value(column)
        return value if isinstance(value, dict) else self.refuse(column)

    def refuse(self, column: str) -> NoReturn:
        """Say that the column is not what it must be."""
        raise DamagedRowError(self._table, column)


def readable(table: str, rows: Iterable[Mapping[str, Any]], read: Callable[[StoredRow], Read]) -> list[Read]:
    """What the rows say; one that is damaged is told and does not hide the others."""
    found: list[Read] = []
    for row in rows:
        try:
            found.append(read(StoredRow(table, row)))
        except DamagedRowError as error:
            _LOGGER.warning("%s", error)
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
