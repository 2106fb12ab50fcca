"""The queue of a cluster, kept by Procrastinate in the same PostgreSQL: one kind of job, "go on with this run"."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import procrastinate

TASK = "paper.continue_run"
QUEUE = "paper"


@cache
def _deferring() -> procrastinate.App:
    """Enough of the library to put jobs into the queue on a connection of ours."""
    import procrastinate  # noqa: PLC0415  only a vault with a cluster needs it

    return procrastinate.App(connector=procrastinate.SyncPsycopgConnector())


def enqueue(server: Any, run_id: str) -> None:
    """Add a job in the transaction that is going on; jobs of one run are never done side by side."""
    task = _deferring().configure_task(TASK, queue=QUEUE, lock=run_id, connection=server, allow_unknown=True)
    task.defer(run_id=run_id)


def prepare(server: Any) -> None:
    """The library's own tables, where they are missing."""
    found = server.execute("SELECT to_regclass('procrastinate_jobs') IS NOT NULL AS found").fetchone()
    if not found["found"]:
        from procrastinate.schema import SchemaManager  # noqa: PLC0415  needed once in the life of a database

        server.execute(SchemaManager.get_schema())
