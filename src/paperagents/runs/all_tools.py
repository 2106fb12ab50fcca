"""The tools that the gate itself carries out, by their keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from paperagents.approval.question import Effect
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.tool import STORE_PREFIX
from paperagents.runs.pending import Prepare


class AllTools(dict[str, Prepare]):
    """The built-in tools; everything else with a name of that kind is a store of one's own, or another server's."""

    def __init__(
        self,
        own: dict[str, Prepare],
        remote: Callable[[str], Prepare],
        in_store: Callable[[str, JsonObject], Effect],
        guard: Callable[[Effect], Effect],
    ) -> None:
        super().__init__(own)
        self._guard = guard
        self._remote = remote
        self._in_store = in_store

    def __getitem__(self, key: str) -> Prepare:
        prepare = super().__getitem__(key)
        return lambda arguments: self._guard(prepare(arguments))

    def __missing__(self, key: str) -> Prepare:
        return partial(self._in_store, key) if key.startswith(STORE_PREFIX) else self._remote(key)
