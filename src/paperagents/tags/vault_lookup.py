"""Where the entries of the data vault come from: the open vault says so, for the process or for one task."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

Lookup: TypeAlias = Callable[[str], str | None] | Mapping[str, str]
"""Gives the content of an entry by its identifier, or None where there is none."""

_chosen: ContextVar[Lookup | None] = ContextVar("vault_lookup", default=None)
_default: Lookup | None = None


def use_vault_lookup(lookup: Lookup | None) -> None:
    """Read entries from here in this process; None means that there are none."""
    global _default  # noqa: PLW0603  the one vault that a process has open
    _default = lookup


@contextmanager
def in_vault_lookup(lookup: Lookup) -> Iterator[None]:
    """Read entries from here inside this block."""
    token = _chosen.set(lookup)
    try:
        yield
    finally:
        _chosen.reset(token)


def reader_of(lookup: Lookup | None) -> Callable[[str], str | None]:
    """The function that reads an entry: the given one, else the one in use, else one that has nothing."""
    chosen = lookup if lookup is not None else _chosen.get()
    chosen = chosen if chosen is not None else _default
    if chosen is None:
        return _nothing
    return chosen if callable(chosen) else chosen.get


def _nothing(_identifier: str) -> None:
    return None
