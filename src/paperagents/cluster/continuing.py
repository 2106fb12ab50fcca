"""Going on with a run that nobody watches: what a worker does, on one machine or many."""

from __future__ import annotations

import logging
from contextlib import suppress

from paperagents.cluster.operations import log_end
from paperagents.cluster.schedules import LimitReachedError, within_limits
from paperagents.errors import DamagedRowError, PaperError, UsageError
from paperagents.runs.history import StoredRun
from paperagents.runs.record import RunRecord
from paperagents.sandbox import Cancellation
from paperagents.vault import Vault

_logger = logging.getLogger("paper.worker")


def continue_run(vault: Vault, run_id: str, *, stop: Cancellation | None = None) -> RunRecord | None:
    """Carry a run on to its end or its next question; None where there is nothing to do.

    Raises UsageError ``run-is-running`` where somebody else works on it, LimitReachedError where its tool has to wait,
    and StorageError where the database is out of reach: all three mean that it is to be tried again later.
    """
    try:
        run = vault.store.stored(run_id)
        if run is None or not _can_go_on(vault, run):
            return None
        with within_limits(vault, run.tool):
            record = vault.resume(run_id, stop=stop, unfinished_only=True)
    except UsageError as error:
        if error.code == "run-is-running":
            raise
        _give_up(vault, run_id, error)
        return None
    except DamagedRowError as error:
        _give_up(vault, run_id, error)
        return None
    except PaperError:
        raise
    except Exception as error:
        # A flaw of ours: tried again for ever, it would only hide behind itself.
        _logger.exception("run %s", run_id)
        _give_up(vault, run_id, PaperError("internal-error", reason=f"{type(error).__name__}: {error}"))
        return None
    log_end(_logger, record)
    return record


def continue_runs(vault: Vault) -> list[RunRecord]:
    """Carry on every run that can go on now, but those that others were quicker with, or whose tool has to wait."""
    records = []
    for run_id in to_continue(vault):
        with suppress(UsageError, LimitReachedError):
            records.append(continue_run(vault, run_id))
    return [record for record in records if record is not None]


def to_continue(vault: Vault) -> list[str]:
    """Runs that could go on now: queued, answered, or left by a process that is gone."""
    left = [run_id for run_id in vault.store.interrupted() if not vault.database.is_held(run_id)]
    return [*left, *vault.store.to_go_on()]


def _can_go_on(vault: Vault, run: StoredRun) -> bool:
    if run.status == "waiting":
        # Going on without an answer would only take the question back and ask it again.
        return bool(vault.store.answers(run.run_id))
    return run.status in ("queued", "running")


def _give_up(vault: Vault, run_id: str, error: PaperError) -> None:
    """A run that can never go on, because a secret was not kept or a row is damaged, ends as failed."""
    _logger.warning("run %s cannot go on: %s", run_id, error.message, extra={"run_id": run_id, "code": error.code})
    if error.code not in ("run-is-over", "unknown-run"):
        vault.store.give_up(run_id, error.as_json())
