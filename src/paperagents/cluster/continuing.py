"""Going on with a run that nobody watches: what a worker does, on one machine or many."""

from __future__ import annotations

import logging
from contextlib import suppress

from paperagents.cluster.operations import log_end
from paperagents.cluster.schedules import LimitReachedError, within_limits
from paperagents.errors import DamagedRowError, PaperError, RunBusyError, RunOverError, UnknownRunError, UsageError
from paperagents.runs.record import RunRecord
from paperagents.sandbox import Cancellation
from paperagents.vault import Vault

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
