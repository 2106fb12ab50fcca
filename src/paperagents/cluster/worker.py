"""A worker on its own: looks after the runs of a vault on one machine, as many at a time as it may."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from itertools import islice
from typing import Protocol

from paperagents.cluster.operations import log_end
from paperagents.errors import (
    DamagedRowError,
    PaperError,
    RunBusyError,
    RunOverError,
    StorageError,
    UnknownRunError,
    UsageError,
)
from paperagents.inventory import schedule_of
from paperagents.reading.fields import latest_tick
from paperagents.runs.record import RunRecord
from paperagents.sandbox import Cancellation
from paperagents.shortages import error_from
from paperagents.storage.sqlite import SqliteDatabase
from paperagents.vault import Vault

CLOCK_SECONDS = 5.0
"""How often the schedules are compared with the clock; their smallest unit is a minute."""
TIDY_SECONDS = 60.0
"""How often a worker removes what is not kept any more."""
_MOST_STEPS = 20
_LOOK_SECONDS = 0.2
_logger = logging.getLogger("paper.worker")


class Worker(Protocol):
    """What ``paper worker`` and ``paper serve`` start and stop."""

    def run(self) -> None:
        """Work until told to stop."""

    def stop(self) -> None:
        """Take nothing new, and finish what goes on."""

    def hand_back(self) -> None:
        """Leave what is not done to others; the process must end right after this."""


@contextmanager
def working_beside(vault: Vault) -> Iterator[Worker]:
    """A worker that works in a thread of its own while the context is open: for ``paper serve``."""
    worker = worker_of(vault)
    thread = threading.Thread(target=worker.run, name="paper-worker", daemon=True)
    thread.start()
    try:
        yield worker
    finally:
        worker.stop()
        thread.join(vault.settings.get("worker.grace"))


def worker_of(vault: Vault) -> Worker:
    """The worker that fits the vault's database."""
    if isinstance(vault.database, SqliteDatabase):
        return LocalWorker(vault)
    from paperagents.cluster.cluster_worker import ClusterWorker  # noqa: PLC0415  an extra, and large

    return ClusterWorker(vault)


class LocalWorker:
    """Looks into the embedded database by itself: nobody else could tell it."""

    def __init__(self, vault: Vault, *, seconds: float = _LOOK_SECONDS) -> None:
        self._vault = vault
        self._seconds = seconds
        self._stopping = threading.Event()
        self._working: set[str] = set()
        self._not_before: dict[str, float] = {}
        self._next_look = self._next_tidying = 0.0

    def run(self) -> None:
        """Work until told to stop, then finish what goes on."""
        places = int(self._vault.settings.get("worker.concurrency"))
        with ThreadPoolExecutor(max_workers=places, thread_name_prefix="paper-run") as pool:
            while not self._stopping.is_set():
                for run_id in self._found(places):
                    self._working.add(run_id)
                    pool.submit(self._continue, run_id)
                self._stopping.wait(self._seconds)

    def stop(self) -> None:
        """Take nothing new, and finish what goes on."""
        self._stopping.set()

    def hand_back(self) -> None:
        """The operating system takes the locks of a process that ends, and others look by themselves."""

    def _found(self, places: int) -> list[str]:
        free = places - len(self._working)
        now = time.monotonic()
        self._not_before = {run_id: until for run_id, until in self._not_before.items() if until > now}
        try:
            self._look_at_the_clock()
            wanted = self._vault.continuation.find_continuable()
            ready = (each for each in wanted if each not in self._working and each not in self._not_before)
            return list(islice(ready, max(free, 0)))
        except StorageError:
            _logger.exception("the database cannot be used")
            return []

    def _look_at_the_clock(self) -> None:
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + CLOCK_SECONDS
            enqueue_due(self._vault)
        if time.monotonic() >= self._next_tidying:
            self._next_tidying = time.monotonic() + TIDY_SECONDS
            tidy_history(self._vault)

    def _continue(self, run_id: str) -> None:
        try:
            continue_run(self._vault, run_id)
        except LimitReachedError as error:
            self._not_before[run_id] = time.monotonic() + error.seconds
        except (UsageError, StorageError) as error:
            self._not_before[run_id] = time.monotonic() + 1
            _logger.info("run %s: %s", run_id, error.message, extra={"run_id": run_id, "code": error.code})
        except PaperError:
            _logger.exception("run %s", run_id)
            self._not_before[run_id] = time.monotonic() + 60
        finally:
            self._working.discard(run_id)


_logger = logging.getLogger("paper.worker")


def continue_run(vault: Vault, run_id: str, *, stop: Cancellation | None = None) -> RunRecord | None:
    """Carry a run on to its end or its next question; None where there is nothing to do.

    Raises RunBusyError where somebody else works on it, LimitReachedError where its tool has to wait, and
    StorageError where the database is out of reach: all three mean that it is to be tried again later.
    """
    try:
        run = vault.history.run(run_id)
        # Resuming without an answer would only ask the same question again.
        if run is None or not vault.continuation.can_continue(run):
            return None
        with within_limits(vault, run.tool):
            record = vault.resume(run_id, stop=stop, unfinished_only=True)
    except RunBusyError:
        raise
    except (UnknownRunError, RunOverError):
        return None
    except (UsageError, DamagedRowError) as error:
        _abandon(vault, run_id, error)
        return None
    except PaperError:
        raise
    except Exception as error:
        # A flaw of ours: tried again for ever, it would only hide behind itself.
        _logger.exception("run %s", run_id)
        _abandon(vault, run_id, error_from(error))
        return None
    log_end(_logger, record)
    return record


def continue_runs(vault: Vault) -> list[RunRecord]:
    """Carry on every run that can go on now, but those that others were quicker with, or whose tool has to wait."""
    records = []
    for run_id in vault.continuation.find_continuable():
        with suppress(UsageError, LimitReachedError):
            records.append(continue_run(vault, run_id))
    return [record for record in records if record is not None]


def tidy_history(vault: Vault) -> None:
    """Remove what is not kept any more, so much at a time that nobody waits for it."""
    for _ in range(_MOST_STEPS):
        if not vault.retention.step():
            return


def _abandon(vault: Vault, run_id: str, error: PaperError) -> None:
    """A run that can never be resumed, because a secret was not kept or a row is damaged, ends as failed."""
    _logger.warning("run %s cannot go on: %s", run_id, error.message, extra={"run_id": run_id, "code": error.code})
    vault.journal.abandon(run_id, error.as_json())


_logger = logging.getLogger("paper.worker")


def enqueue_due(vault: Vault, now: datetime | None = None) -> list[str]:
    """Enqueue every tool whose schedule has ticked; returns the ids of the runs."""
    started = []
    for entry in vault.registry.scheduled():
        # Whoever made the folder wrote the schedule; it runs once the user has said so, for the file as it is.
        if entry.schedule is not None and vault.trust.trusts(schedule_of(vault, entry)):
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
