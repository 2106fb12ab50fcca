"""How a run ends: the one place where an error becomes a result, and where that is written down."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from paperagents.definitions.json_value import JsonValue
from paperagents.errors import CancelledError, DeniedError, PaperError, PlanEndsError, StorageError, WaitingError
from paperagents.runs.history import StoredRun
from paperagents.runs.log import RunLog
from paperagents.runs.record import RunRecord, RunStatus
from paperagents.runs.session import Services, Session
from paperagents.secrets.redaction import Redaction

_logger = logging.getLogger("paper")


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending:
    """How a run ended: for the record, and for the run above it."""

    record: RunRecord
    data: JsonValue
    failure: PaperError | None


class Endings:
    """Ends the runs of one session."""

    def __init__(self, services: Services, session: Session) -> None:
        self.services = services
        self.session = session

    def of(self, run: StoredRun, log: RunLog, journey: Callable[[], JsonValue]) -> Ending:
        """What the journey of a run came to, written down and told."""
        started = time.perf_counter()
        self.session.on_event({"type": "run-started", "run_id": run.run_id, "tool": run.tool, "started": run.started})
        data, failure = _tried(journey, run.run_id)
        took = (time.perf_counter() - started) * 1000
        record = self._record(replace(run, duration_ms=run.duration_ms + took), log, data, failure)
        self._finish(record, run, log)
        return Ending(record=record, data=data, failure=failure)

    def _record(self, run: StoredRun, log: RunLog, data: JsonValue, failure: PaperError | None) -> RunRecord:
        is_top = run.parent_run is None
        return RunRecord(
            run_id=run.run_id,
            tool=run.tool,
            status=self._status(failure),
            started=run.started,
            duration_ms=round(run.duration_ms, 3),
            data=self._masked(data),
            error=None if failure is None or isinstance(failure, PlanEndsError) else self._masked(failure.as_json()),
            execution_log=tuple(self._masked(log.entries) if log.is_outdated else log.entries),
            parent_run=run.parent_run,
            exit_code=_exit_code(failure),
            planned=tuple(self.session.plan) if self.session.plan is not None and is_top else None,
        )

    def _finish(self, record: RunRecord, run: StoredRun, log: RunLog) -> None:
        """Write down how it ended, then tell: whoever hears of it finds it written."""
        if self.services.store is not None:
            kept = run if record.status == "waiting" else without_secrets(run, self.services.masking)
            masked = self._masked if log.is_outdated else None
            self.services.store.finish(record, kept.arguments, incomplete=kept.incomplete, masked=masked)
        code = record.error["code"] if record.error is not None else None
        self.session.on_event({"type": "run-finished", "run_id": run.run_id, "status": record.status, "code": code})

    def _status(self, failure: PaperError | None) -> RunStatus:
        match failure:
            case None | PlanEndsError():
                return "planned" if self.session.plan is not None else "succeeded"
            case WaitingError():
                return "waiting"
            case CancelledError():
                return "cancelled"
            case DeniedError():
                return "denied"
        return "cancelled" if self.session.stopped else "failed"

    def _masked(self, value: Any) -> Any:
        return self.services.masking.value(value)


def _tried(journey: Callable[[], JsonValue], run_id: str) -> tuple[JsonValue, PaperError | None]:
    """What came of it: a value, or what went wrong."""
    try:
        return journey(), None
    except StorageError:
        # It is as it was last written, and that is what whoever goes on with it begins with.
        raise
    except PaperError as error:
        return None, error
    except Exception as error:
        # A flaw of ours must not leave a run that seems to go on for ever.
        _logger.exception("run %s", run_id)
        return None, PaperError("internal-error", reason=f"{type(error).__name__}: {error}")


def _exit_code(failure: PaperError | None) -> int:
    """0 done, 1 failed, 2 called wrongly, 3 denied or waiting."""
    match failure:
        case None | PlanEndsError():
            return 0
        case DeniedError() | WaitingError():
            return 3
    return failure.exit_code if failure.is_the_callers else 1


def without_secrets(run: StoredRun, masking: Redaction) -> StoredRun:
    """The run as it may be kept for ever."""
    arguments: Any = masking.value(run.arguments)
    return replace(run, arguments=arguments, incomplete=run.incomplete or arguments != run.arguments)
