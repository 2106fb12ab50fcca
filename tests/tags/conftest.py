from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from paperagents.tags import TagReader


class Read(NamedTuple):
    """All that reading a text gives."""

    operations: list[dict[str, Any]]
    diagnostics: list[dict[str, Any]]


@pytest.fixture(scope="session")
def read_in_pieces() -> Callable[[list[str] | list[bytes]], Read]:
    def read(pieces: list[str] | list[bytes]) -> Read:
        reader = TagReader()
        given = [operation for piece in pieces for operation in reader.feed(piece)]
        given += reader.close()
        operations = reader.operations
        assert sorted(map(id, given)) == sorted(map(id, operations)), "each call is given exactly once"
        return Read(operations=list(operations), diagnostics=reader.diagnostics)

    return read
