"""Tools that run by the clock: each time once, whoever looks at the clock.

A schedule counts from when it is first seen. What was missed while nobody was there is made up for once, with the
latest time that passed, however many there were.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime

from paperagents.errors import PaperError, StorageError
from paperagents.reading.cron import latest_tick
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
