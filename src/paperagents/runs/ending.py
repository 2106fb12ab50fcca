"""How a run ends: the one place where an error becomes a result, and where that is journaled."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import (
    CancelledError,
    DeniedError,
    PaperError,
    PlanEndsError,
    StorageError,
    WaitingError,
)
from paperagents.runs.log import RunLog
from paperagents.runs.record import RunRecord, RunStatus, StoredRun
from paperagents.runs.session import Services, Session
from paperagents.secrets.redaction import Redaction
from paperagents.shortages import error_from
from paperagents.values import dataclass

_logger = logging.getLogger("paper")


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending:
    """How a run ended: for the record, and for the run above it."""

    record: RunRecord
    data: JsonValue
    failure: PaperError | None


def finish_run(
    services: Services, session: Session, run: StoredRun, log: RunLog, journey: Callable[[], JsonValue]
) -> Ending:
    """Take a run through its journey, and journal and tell how it ended."""
    started = time.perf_counter()
    trace: JsonObject = {"trace": run.trace} if run.trace is not None else {}
    session.on_event({"type": "run-started", "run_id": run.run_id, "tool": run.tool, "started": run.started, **trace})
    data, failure = _run_catching(journey, run.run_id)
    took = (time.perf_counter() - started) * 1000
    redact: Callable[[Any], Any] = services.redaction.value
    is_error = failure is not None and not isinstance(failure, PlanEndsError)
    record = RunRecord(
        run_id=run.run_id,
        tool=run.tool,
        status=_status(failure, session),
        started=run.started,
        duration_ms=round(run.duration_ms + took, 3),
        data=redact(data),
        error=redact(failure.as_json()) if is_error and failure is not None else None,
        execution_log=tuple(redact(log.entries) if log.may_hold_secrets else log.entries),
        parent_run=run.parent_run,
        warnings=tuple(map(services.redaction.text, log.warnings)),
        usage=log.usage,
        exit_code=_exit_code(failure),
        planned=tuple(session.plan) if session.plan is not None and run.parent_run is None else None,
    )
    kept = run if record.status == "waiting" else redact_arguments(run, services.redaction)
    services.journal.finish(
        record, kept.arguments, redacted=kept.redacted, redact=redact if log.may_hold_secrets else None
    )
    # Only now: whoever hears of the end finds it journaled.
    code = record.error["code"] if record.error is not None else None
    session.on_event({"type": "run-finished", "run_id": run.run_id, "status": record.status, "code": code})
    return Ending(record=record, data=data, failure=failure)


def redact_arguments(run: StoredRun, redaction: Redaction) -> StoredRun:
    """The run as it may be kept for ever."""
    arguments: Any = redaction.value(run.arguments)
    return replace(run, arguments=arguments, redacted=run.redacted or arguments != run.arguments)


def _run_catching(journey: Callable[[], JsonValue], run_id: str) -> tuple[JsonValue, PaperError | None]:
    """What came of it: a value, or what went wrong."""
    try:
        return journey(), None
    except StorageError:
        # The run is as it was last journaled, and that is what whoever resumes it begins with.
        raise
    except PaperError as error:
        return error.answer if isinstance(error, DeniedError) else None, error
    except Exception as error:
        # A flaw of ours must not leave a run that seems to go on for ever.
        failure = error_from(error)
        if failure.code == "internal-error":
            _logger.exception("run %s", run_id)
        return None, failure


def _status(failure: PaperError | None, session: Session) -> RunStatus:
    match failure:
        case None | PlanEndsError():
            return "planned" if session.plan is not None else "succeeded"
        case WaitingError():
            return "waiting"
        case CancelledError():
            return "cancelled"
        case DeniedError():
            return "denied"
    return "cancelled" if session.stopped else "failed"


def _exit_code(failure: PaperError | None) -> int:
    """0 done, 1 failed, 2 called wrongly, 3 denied or waiting."""
    match failure:
        case None | PlanEndsError():
            return 0
        case DeniedError() | WaitingError():
            return 3
    return failure.exit_code if failure.is_the_callers else 1
