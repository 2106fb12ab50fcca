"""The record of a run, the same everywhere."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Literal

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import Block
from paperagents.errors import UsageError

RunStatus = Literal["queued", "running", "succeeded", "failed", "denied", "waiting", "cancelled", "planned"]
StepStatus = Literal["success", "error", "denied", "skipped", "waiting"]


@dataclass(frozen=True, kw_only=True, slots=True)
class LogEntry:
    """One block that ran, or one step that did not."""

    step: int
    block: Block
    name: str
    status: StepStatus
    message: str
    timestamp: str
    duration_ms: float
    parameters: JsonObject = field(default_factory=dict)
    output: JsonValue = None
    hitl_required: bool = False
    hitl_confirmed: bool | None = None
    console: list[JsonValue] = field(default_factory=list)

    def as_json(self) -> JsonObject:
        """The entry of ``execution_log``."""
        return {
            "step": self.step,
            "block": self.block,
            "name": self.name,
            "status": self.status,
            "message": self.message,
            "parameters": self.parameters,
            "output": self.output,
            "hitl_required": self.hitl_required,
            "hitl_confirmed": self.hitl_confirmed,
            "console": self.console,
            "timestamp": self.timestamp,
            "duration_ms": self.duration_ms,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRecord:
    """What a run was and how it ended."""

    run_id: str
    tool: str
    status: RunStatus
    started: str
    duration_ms: float
    data: JsonValue = None
    error: JsonObject | None = None
    execution_log: tuple[JsonObject, ...] = ()
    parent_run: str | None = None
    planned: tuple[JsonObject, ...] | None = None
    exit_code: int = 0
    """For the command line: 0 done, 1 failed, 2 called wrongly, 3 denied or waiting."""

    def __post_init__(self) -> None:
        """What was done side by side ended in any order; it is read in the order of the steps."""
        in_order = tuple(sorted(self.execution_log, key=lambda entry: int(str(entry["step"]))))
        object.__setattr__(self, "execution_log", in_order)

    @property
    def success(self) -> bool:
        """Whether it did, or could do, what was asked."""
        return self.status in ("succeeded", "planned")

    def as_json(self) -> JsonObject:
        """The one form of a record."""
        record: JsonObject = {
            "run_id": self.run_id,
            "tool": self.tool,
            "status": self.status,
            "success": self.success,
            "data": self.data,
            "error": self.error,
            "execution_log": list(self.execution_log),
            "started": self.started,
            "duration_ms": self.duration_ms,
            "parent_run": self.parent_run,
        }
        if self.planned is not None:
            record["planned"] = list(self.planned)
        return record


# --- dates and times that people write, as runs have them


_YEAR_OR_MONTH = re.compile(r"\d{4}(?:-(?:0[1-9]|1[0-2]))?", re.ASCII)


def moment_of(written: str) -> str:
    """A date or time of ISO 8601: in UTC, also where it names no time zone. Raises UsageError for anything else."""
    if _YEAR_OR_MONTH.fullmatch(written):
        return written
    try:
        return date.fromisoformat(written).isoformat()
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(written)
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError):
        raise UsageError("invalid-date", date=written) from None
