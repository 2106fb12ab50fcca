"""How often, and how many at a time: limits for the runs of one tool, over all workers together."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from paperagents.errors import PaperError, UsageError
from paperagents.vault import Vault


class LimitReachedError(PaperError):
    """The tool has no free place, or was started often enough this minute; try again after so many seconds."""

    def __init__(self, tool: str, seconds: float) -> None:
        super().__init__("limit-reached", tool=tool, retryable=True)
        self.seconds = seconds


@contextmanager
def within_limits(vault: Vault, tool: str) -> Iterator[None]:
    """Inside, the run has a place. Raises LimitReachedError where there is none now."""
    limits = vault.settings.of_tool("limits", tool)
    with ExitStack() as places:
        if "concurrency" in limits:
            places.enter_context(_place(vault, tool, int(limits["concurrency"])))
        if "per_minute" in limits:
            _count_start(vault, tool, int(limits["per_minute"]))
        yield


@contextmanager
def _place(vault: Vault, tool: str, places: int) -> Iterator[None]:
    """One of so many places. Each is a lock like that of a run, so a killed worker keeps none."""
    for number in range(places):
        with ExitStack() as taken:
            try:
                taken.enter_context(vault.database.held(f"place {number} of {tool}"))
            except UsageError:
                continue
            yield
            return
    raise LimitReachedError(tool, 0.5)


def _count_start(vault: Vault, tool: str, per_minute: int) -> None:
    now = time.time()
    with vault.database.transaction(alone=f"starts of {tool}") as connection:
        connection.execute("DELETE FROM tool_starts WHERE tool = ? AND started < ?", (tool, now - 60))
        earlier = vault.database.rows("SELECT started FROM tool_starts WHERE tool = ? ORDER BY started", (tool,))
        if len(earlier) >= per_minute:
            raise LimitReachedError(tool, max(earlier[0]["started"] + 60 - now, 0.1))
        connection.execute("INSERT INTO tool_starts (tool, started) VALUES (?, ?)", (tool, now))
