"""Schedules and limits of tools, over all workers together.

Each tick of a schedule starts one run, however many workers look. A schedule counts from when it is first seen. Of the
ticks that were missed while no worker ran, only the latest is made up for.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime

from paperagents.errors import PaperError, StorageError, UsageError
from paperagents.reading.fields import latest_tick
from paperagents.vault import Vault

_logger = logging.getLogger("paper.worker")


def enqueue_due(vault: Vault, now: datetime | None = None) -> list[str]:
    """Enqueue every tool whose schedule has ticked; returns the ids of the runs."""
    started = []
    for entry in vault.registry.entries():
        if entry.schedule is not None and entry.valid:
            moment = now or datetime.now(UTC).astimezone(vault.settings.zone)
            run_id = enqueue_tick(vault, entry.id, entry.schedule, moment)
            started += [run_id] if run_id is not None else []
    return started


def enqueue_tick(vault: Vault, tool: str, schedule: str, now: datetime) -> str | None:
    """Enqueue a tool for the latest tick of its schedule, unless that has been done."""
    tick = latest_tick(schedule, now).astimezone(UTC).isoformat(timespec="seconds")
    # Without a transaction first: most of the time there is nothing to do.
    query = "SELECT schedule, last_tick FROM schedules WHERE tool = ?"
    rows = vault.database.rows(query, (tool,)) if vault.database.exists() else []
    if rows and rows[0]["schedule"] == schedule and rows[0]["last_tick"] >= tick:
        return None
    try:
        # The tick is claimed and the run enqueued in one transaction: a crash leaves both or neither.
        with vault.database.transaction(durable=True):
            return vault.enqueue(tool).run_id if claim_tick(vault, tool, schedule, tick) else None
    except StorageError:
        raise
    except PaperError as error:
        _logger.warning("%s at %s: %s", tool, tick, error.message, extra={"tool": tool, "code": error.code})
        return None


def claim_tick(vault: Vault, tool: str, schedule: str, tick: str) -> bool:
    """Whether the tick is ours. Never that of a new or changed schedule: it counts from now on."""
    with vault.database.transaction() as connection:
        # Compare and set: of all workers that see the tick, one changes the row.
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


# --- limits: runs of a tool at a time and per minute


class LimitReachedError(PaperError):
    """The tool has reached its limit; try again after so many seconds."""

    def __init__(self, tool: str, seconds: float) -> None:
        super().__init__("limit-reached", tool=tool, retryable=True)
        self.seconds = seconds


@contextmanager
def within_limits(vault: Vault, tool: str) -> Iterator[None]:
    """Inside, the run counts towards the limits of its tool. Raises LimitReachedError where they are reached."""
    limits = vault.settings.of_tool("limits", tool)
    with ExitStack() as slots:
        if "concurrency" in limits:
            lock_slot(vault, tool, int(limits["concurrency"]), slots)
        if "per_minute" in limits:
            count_start(vault, tool, int(limits["per_minute"]))
        yield


def lock_slot(vault: Vault, tool: str, count: int, stack: ExitStack) -> None:
    """Lock one of so many slots. Each is a lock like that of a run, so a killed worker keeps none."""
    for number in range(count):
        with suppress(UsageError):
            stack.enter_context(vault.database.held(f"place {number} of {tool}"))
            return
    raise LimitReachedError(tool, 0.5)


def count_start(vault: Vault, tool: str, per_minute: int) -> None:
    """Record a start. Raises LimitReachedError where there were too many in the last minute."""
    now = time.time()
    # Alone: two workers that count at the same time would both find room for one.
    with vault.database.transaction(alone=f"starts of {tool}") as connection:
        connection.execute("DELETE FROM tool_starts WHERE tool = ? AND started < ?", (tool, now - 60))
        earlier = vault.database.rows("SELECT started FROM tool_starts WHERE tool = ? ORDER BY started", (tool,))
        if len(earlier) >= per_minute:
            raise LimitReachedError(tool, max(earlier[0]["started"] + 60 - now, 0.1))
        connection.execute("INSERT INTO tool_starts (tool, started) VALUES (?, ?)", (tool, now))
