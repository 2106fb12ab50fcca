"""A database that the program keeps its records in: one interface, embedded or on a server."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol


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

    def take_over(self, run_id: str) -> None:  # noqa: B027  whoever may use a server's database is trusted
        """Before a run goes on: what a stranger has agreed to is no yes. Raises RunBusyError where somebody has it."""

    def is_foreign(self, run_id: str) -> bool:  # noqa: ARG002  whoever may use a server's database is trusted
        """Whether the run came with somebody else's database, and this user has not gone on with it since."""
        return False

    def require_held(self, connection: Connection, run_id: str) -> None:  # noqa: B027  a lock that cannot be lost
        """Raises StorageError where the run was ours and is somebody else's now."""

    def announce(self, connection: Connection, run_id: str) -> None:  # noqa: B027  workers here look by themselves
        """Tell the workers, once the transaction is done, that a run is to go on."""

    @abstractmethod
    def check(self) -> list[str]:
        """What is wrong with what is stored, in the database's own words; empty where nothing is."""

    @abstractmethod
    def close(self) -> None:
        """Let go of it."""
