"""A worker of a cluster: takes jobs from the queue in PostgreSQL, and those of workers that are gone.

The queue only says that a run is to go on. Whether, from where, and by whom is decided by the run's journal and its
holder: a job that comes twice, too late, or for a run that somebody else has, does nothing.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import procrastinate
import psycopg
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job
from procrastinate.worker import Worker as QueueWorker

from paperagents.cluster.worker import (
    CLOCK_SECONDS,
    TIDY_SECONDS,
    LimitReachedError,
    continue_run,
    enqueue_due,
    tidy_history,
)
from paperagents.errors import PaperError, StorageError
from paperagents.runs.history import ANSWERED, ON_TOP
from paperagents.storage.postgres import QUEUE, TASK, PostgresDatabase
from paperagents.vault import Vault

BEATS = 3
"""A worker that has been silent for so many heartbeats is taken for dead."""
_logger = logging.getLogger("paper.worker")
_UNWATCHED = (
    f"SELECT run_id FROM (SELECT run_id, started, rowid AS place FROM runs WHERE status = 'running' AND {ON_TOP} "  # noqa: S608  fixed words
    f"UNION ALL SELECT run_id, started, rowid FROM runs WHERE status = 'queued' AND {ON_TOP} UNION ALL {ANSWERED}) "
    "AS resumable WHERE NOT EXISTS (SELECT 1 FROM procrastinate_jobs WHERE lock = resumable.run_id "
    "AND procrastinate_jobs.status IN ('todo', 'doing')) LIMIT 1000"
)


class ClusterWorker:
    """One of any number of workers for the same vault."""

    def __init__(self, vault: Vault) -> None:
        assert isinstance(vault.database, PostgresDatabase)
        self._vault = vault
        self._database = vault.database
        self._beat: float = vault.settings.get("worker.heartbeat")
        self._places = int(vault.settings.get("worker.concurrency"))
        self._stopping = threading.Event()
        self._queue: QueueWorker | None = None

    # --- the two ends of its life

    def run(self) -> None:
        """Work until told to stop; a database that is out of reach is waited for."""
        while not self._stopping.is_set():
            try:
                asyncio.run(self._work())
            except (ConnectorException, psycopg.Error, StorageError, OSError) as error:
                _logger.warning("the database is out of reach: %s", error)
            self._stopping.wait(min(self._beat, 1.0))

    def stop(self) -> None:
        """Take nothing new, and finish what goes on."""
        self._stopping.set()
        if self._queue is not None:
            self._queue.stop()  # type: ignore[no-untyped-call]

    def hand_back(self) -> None:
        """Be taken for dead at once: others go on with what is not done, as after a kill."""
        if self._queue is None or self._queue.worker_id is None:
            return
        query = "UPDATE procrastinate_workers SET last_heartbeat = 'epoch' WHERE id = ?"
        with self._database.transaction(durable=True) as connection:
            connection.execute(query, (self._queue.worker_id,))

    # --- working

    async def _work(self) -> None:
        connector = procrastinate.PsycopgConnector(conninfo=self._database.conninfo, min_size=1, max_size=4, timeout=10)
        app = procrastinate.App(connector=connector)
        # Each run has a thread of its own; the usual number of them would be a limit nobody has set.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(self._places + len(self._chores(app))))
        app.task(name=TASK, queue=QUEUE, retry=_Later())(self._continue)
        async with app.open_async():
            self._queue = self._queue_worker(app)
            if self._stopping.is_set():
                return
            aside = [asyncio.create_task(self._again_and_again(*each)) for each in self._chores(app)]
            try:
                await self._queue.run()  # type: ignore[no-untyped-call]
            finally:
                for each in aside:
                    each.cancel()

    def _queue_worker(self, app: procrastinate.App) -> QueueWorker:
        return QueueWorker(
            app=app,
            queues=[QUEUE],
            name="paper",
            concurrency=self._places,
            fetch_job_polling_interval=min(self._beat, 5.0),
            delete_jobs="successful",
            install_signal_handlers=False,
            update_heartbeat_interval=self._beat,
            stalled_worker_timeout=BEATS * self._beat,
        )

    def _continue(self, run_id: str) -> None:
        continue_run(self._vault, run_id)

    # --- chores beside the work

    def _chores(self, app: procrastinate.App) -> list[tuple[float, Callable[[], Awaitable[None]]]]:
        async def take_over() -> None:
            await _take_over(app, BEATS * self._beat)

        async def look_around() -> None:
            await asyncio.to_thread(self._look_around)

        async def look_at_the_clock() -> None:
            await asyncio.to_thread(enqueue_due, self._vault)

        async def tidy() -> None:
            await asyncio.to_thread(tidy_history, self._vault)

        beat = min(self._beat, 10.0)
        chores = [(beat, take_over), (beat, look_around), (CLOCK_SECONDS, look_at_the_clock)]
        return [*chores, (TIDY_SECONDS, tidy)]

    async def _again_and_again(self, seconds: float, chore: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await chore()
            except (ConnectorException, PaperError, OSError) as error:
                _logger.warning("%s: %s", getattr(chore, "__name__", "chore"), error)
            await asyncio.sleep(seconds)

    def _look_around(self) -> None:
        """Runs that no job speaks of, because whoever had them was no worker, get one when nobody has them."""
        for row in self._database.rows(_UNWATCHED):
            if not self._database.is_held(row["run_id"]):
                self._vault.journal.announce(row["run_id"])


async def _take_over(app: procrastinate.App, seconds: float) -> None:
    """Put the jobs of dead workers back into the queue."""
    manager = app.job_manager
    for job in await manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=seconds):
        # Another worker may have been first.
        with suppress(ConnectorException):
            await manager.retry_job(job)
            _logger.info("took over job %s", job.id, extra={"job_id": job.id, "run_id": job.lock})
    await manager.prune_stalled_workers(seconds * 2)


class _Later(procrastinate.BaseRetryStrategy):
    """Whatever kept a run from going on, it is tried again: what is wrong with the run itself is in its record."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> procrastinate.RetryDecision:
        wait = exception.seconds if isinstance(exception, LimitReachedError) else min(0.5 * (job.attempts + 1), 5.0)
        return procrastinate.RetryDecision(retry_at=datetime.now(UTC) + timedelta(seconds=wait))
