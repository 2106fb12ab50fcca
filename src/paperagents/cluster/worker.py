"""A worker on its own: looks after the runs of a vault on one machine, as many at a time as it may."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Protocol

from paperagents.cluster.operations import log_end
from paperagents.cluster.schedules import LimitReachedError, enqueue_due, within_limits
from paperagents.errors import (
    DamagedRowError,
    PaperError,
    RunBusyError,
    RunOverError,
    StorageError,
    UnknownRunError,
    UsageError,
)
from paperagents.runs.record import RunRecord
from paperagents.sandbox import Cancellation
from paperagents.storage.sqlite import SqliteDatabase
from paperagents.vault import Vault

CLOCK_SECONDS = 5.0
"""How often the schedules are compared with the clock; their smallest unit is a minute."""
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
        self._next_look = 0.0

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
        try:
            self._look_at_the_clock()
            wanted = self._vault.continuation.find_continuable() if free > 0 else []
        except StorageError:
            _logger.exception("the database cannot be used")
            return []
        now = time.monotonic()
        self._not_before = {run_id: until for run_id, until in self._not_before.items() if until > now}
        return [each for each in wanted if each not in self._working and each not in self._not_before][:free]

    def _look_at_the_clock(self) -> None:
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + CLOCK_SECONDS
            enqueue_due(self._vault)

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
        _abandon(vault, run_id, PaperError("internal-error", reason=f"{type(error).__name__}: {error}"))
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


def _abandon(vault: Vault, run_id: str, error: PaperError) -> None:
    """A run that can never be resumed, because a secret was not kept or a row is damaged, ends as failed."""
    _logger.warning("run %s cannot go on: %s", run_id, error.message, extra={"run_id": run_id, "code": error.code})
    vault.journal.abandon(run_id, error.as_json())
