"""A database that the program keeps its records in: one interface, embedded or on a server."""

from __future__ import annotations

import json
import logging
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NoReturn, Protocol, TypeVar

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import DamagedRowError


class Result(Protocol):
    """What a statement did."""

    @property
    def rowcount(self) -> int:
        """How many rows it changed."""


class Connection(Protocol):
    """Where statements are carried out, inside a transaction. Values stand for question marks."""

    def execute(self, statement: str, values: Sequence[Any] = ..., /) -> Result:
        """Carry out one statement."""


class Database(ABC):
    """What the stores need of a database; all SQL beyond that is the stores' own, and the same for each kind."""

    @property
    @abstractmethod
    def place(self) -> str:
        """Where it is, as a person may be told."""

    @abstractmethod
    def transaction(self, *, durable: bool = False, alone: str = "") -> AbstractContextManager[Connection]:
        """All or nothing. ``durable`` also survives the loss of power once it is done.

        One inside another is part of it: what the inner one did counts when the outer one is done, and is
        taken back alone when only the inner one fails. What is read to be changed names itself in ``alone``:
        only one transaction of that name goes on at a time.
        """

    @abstractmethod
    def rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """What a query gives; each row is read by the names of its columns."""

    @abstractmethod
    def exists(self) -> bool:
        """Whether there is a database yet; looking does not make one."""

    @abstractmethod
    def held(self, run_id: str, *, tool: str | None = None) -> AbstractContextManager[None]:
        """Inside, the run is ours. Raises RunBusyError where somebody else has it."""

    @abstractmethod
    def is_held(self, run_id: str) -> bool:
        """Whether somebody who is alive works on the run."""

    def shared_name(self) -> str | None:
        """The name of a database that several machines use; None where it belongs to the folder it is in."""
        return None

    def require_held(self, connection: Connection, run_id: str) -> None:  # noqa: B027  a lock that cannot be lost
        """Raises StorageError where the run was ours and is somebody else's now."""

    def announce(self, connection: Connection, run_id: str) -> None:  # noqa: B027  workers here look by themselves
        """Tell the workers, once the transaction is done, that a run is to go on."""

    def size(self) -> int | None:
        """How many bytes it takes on a disk of this machine; None where that is the server's affair."""
        return None

    def give_back(self, pages: int | None = None) -> None:  # noqa: B027  a server does so by itself
        """Give room that is free back to the disk: so many pages, or all."""

    @abstractmethod
    def check(self) -> list[str]:
        """What is wrong with what is stored, in the database's own words; empty where nothing is."""

    @abstractmethod
    def close(self) -> None:
        """Let go of it."""


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

    def number_or_none(self, column: str) -> float | None:
        """A number, or nothing."""
        return None if self._row[column] is None else self.number(column)

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


# Escaped: lone surrogates from JavaScript cannot be written as UTF-8. Made once: it costs more than a small value.
encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
