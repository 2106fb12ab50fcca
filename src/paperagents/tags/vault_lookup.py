"""Where the entries of the data vault come from: the caller says so, for one call or for one task.

There is nothing that a whole process shares: several vaults may be open in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

Lookup: TypeAlias = Callable[[str], str | None] | Mapping[str, str]
"""Gives the content of an entry by its identifier, or None where there is none."""

_chosen: ContextVar[Lookup | None] = ContextVar("vault_lookup", default=None)


@contextmanager
def in_vault_lookup(lookup: Lookup) -> Iterator[None]:
    """Calls without a ``lookup`` read from here inside this block, in this thread and task only."""
    token = _chosen.set(lookup)
    try:
        yield
    finally:
        _chosen.reset(token)


def reader_of(lookup: Lookup | None) -> Callable[[str], str | None]:
    """The function that reads an entry: the given one, else that of the block, else one that has nothing."""
    chosen = lookup if lookup is not None else _chosen.get()
    if chosen is None:
        return _nothing
    return chosen if callable(chosen) else chosen.get


def _nothing(_identifier: str) -> None:
    return None
