"""Tools that run by the clock: each time once, whoever looks at the clock.

A schedule counts from when it is first seen. What was missed while nobody was there is made up for once, with the
latest time that passed, however many there were.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime

from paperagents.errors import PaperError, StorageError, UsageError
from paperagents.reading.fields import latest_tick
from paperagents.vault import Vault

_logger = logging.getLogger("paper.worker")


def start_what_is_due(vault: Vault, now: datetime | None = None) -> list[str]:
    """Put every tool whose time has come into the queue; gives their runs."""
    started = []
    for entry in vault.registry.entries():
        if entry.schedule is not None and entry.valid:
            run_id = _start(vault, entry.id, entry.schedule, now or _now(vault))
            started += [run_id] if run_id is not None else []
    return started


def _start(vault: Vault, tool: str, schedule: str, now: datetime) -> str | None:
    tick = latest_tick(schedule, now).astimezone(UTC).isoformat(timespec="seconds")
    if not _is_new(vault, tool, schedule, tick):
        return None
    try:
        # The time is taken and the run written down in one step: neither without the other.
        with vault.database.transaction(durable=True):
            return vault.enqueue(tool).run_id if _take(vault, tool, schedule, tick) else None
    except StorageError:
        raise
    except PaperError as error:
        _logger.warning("%s at %s: %s", tool, tick, error.message, extra={"tool": tool, "code": error.code})
        return None


def _is_new(vault: Vault, tool: str, schedule: str, tick: str) -> bool:
    """A quick look, which is all that is needed most of the time."""
    query = "SELECT schedule, last_tick FROM schedules WHERE tool = ?"
    rows = vault.database.rows(query, (tool,)) if vault.database.exists() else []
    return not rows or rows[0]["schedule"] != schedule or rows[0]["last_tick"] < tick


def _take(vault: Vault, tool: str, schedule: str, tick: str) -> bool:
    """Whether the time is ours. Not where the schedule is new, or changed: its past times are not its own."""
    with vault.database.transaction() as connection:
        ours = connection.execute(
            "UPDATE schedules SET last_tick = ? WHERE tool = ? AND schedule = ? AND last_tick < ?",
            (tick, tool, schedule, tick),
        )
        if ours.rowcount == 1:
            return True
        connection.execute(
            "INSERT INTO schedules (tool, schedule, last_tick) VALUES (?, ?, ?) ON CONFLICT (tool) DO UPDATE "
            "SET schedule = excluded.schedule, last_tick = excluded.last_tick WHERE schedules.schedule <> ?",
            (tool, schedule, tick, schedule),
        )
    return False


def _now(vault: Vault) -> datetime:
    return datetime.now(UTC).astimezone(vault.settings.zone)


# --- how often, and how many at a time: limits for the runs of one tool, over all workers together


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
