"""A run: how it was started, what happened in it, and its record, the same everywhere."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import field
from datetime import UTC, datetime
from shlex import quote
from typing import Any, Literal, get_args

from paperagents.approval.question import Approved
from paperagents.approval.trust import Brought, brought
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import Block
from paperagents.errors import UsageError
from paperagents.runs.usage import Usage
from paperagents.storage.database import StoredRow
from paperagents.values import dataclass

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
    approved_by: str | None = None
    approved_at: str | None = None
    approved_via: str | None = None
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
            "approved_by": self.approved_by,
            "approved_at": self.approved_at,
            "approved_via": self.approved_via,
            "console": self.console,
            "timestamp": self.timestamp,
            "duration_ms": self.duration_ms,
        }


_OF_AN_ENTRY: Mapping[str, Any] = {
    "step": int, "block": str, "name": str, "status": str, "message": str, "timestamp": str, "duration_ms": int | float,
    "parameters": dict, "console": list,
}  # fmt: skip
"""What whoever shows an entry of the log relies on."""
_LARGE: Mapping[str, Any] = {"parameters": dict, "console": list}


def read_step(row: StoredRow, *, is_outline: bool = False) -> tuple[str, JsonObject]:
    """A row of the journal as the path of a step and its entry. Raises DamagedRowError.

    In an outline, what is large in the entry is left out.
    """
    entry = row.object("entry")
    if is_outline:
        entry |= {name: kind() for name, kind in _LARGE.items() if entry.get(name) is None}
    if not all(isinstance(entry.get(name), kind) for name, kind in _OF_AN_ENTRY.items()):
        row.refuse("entry")
    return row.text("path"), entry


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
    warnings: tuple[str, ...] = ()
    usage: Usage | None = None
    """What models have used, here and in the runs below; None where none was asked."""
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
            "warnings": list(self.warnings),
            "usage": self.usage.as_json() if self.usage is not None else None,
        }
        if self.planned is not None:
            record["planned"] = list(self.planned)
        return record


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredRun:
    """A run as it was started: enough to go on with it."""

    run_id: str
    parent_run: str | None
    tool: str
    status: str
    started: str
    duration_ms: float
    arguments: JsonObject
    definition: str | None
    clock: dict[str, str]
    redacted: bool = False
    """Whether secrets among the arguments were left out."""
    warnings: tuple[str, ...] = ()
    """Of what was done of it so far."""
    trace: str | None = None
    """The ``traceparent`` of whoever started it, where they told it."""

    def as_brought(self, where: str = "") -> Brought:
        """The run as something that came with the vault."""
        content: JsonValue = [self.tool, self.definition, self.arguments]
        return brought("run", self.run_id, content, what=f"{self.tool} {self.run_id}", where=where)

    def require_complete(self) -> StoredRun:
        """Raise UsageError where secrets are missing: they are not kept once a run is over."""
        if self.redacted:
            raise UsageError("secrets-not-kept", id=self.run_id, tool=quote(self.tool))
        return self


@dataclass(frozen=True, kw_only=True, slots=True)
class Intent:
    """A change that was about to be made, journaled before it was."""

    digest: str
    before: str
    after: str | None
    answer: JsonValue
    arguments: JsonObject
    """What was agreed on, without secrets; a person may have edited what the run itself would come to."""
    approved: Approved | None = None
    """Who has agreed to it, when and how."""
    is_agreed: bool = True
    """False where no signature proves it: then it names no change that may be made without asking."""

    @property
    def is_commit(self) -> bool:
        """Whether it is about changes that are made together: these are named by their texts."""
        return self.digest == self.before


def new_run(  # noqa: PLR0913  the last three have good defaults
    tool: str,
    arguments: JsonObject,
    clock: dict[str, str],
    *,
    run_id: str | None = None,
    parent_run: str | None = None,
    trace: str | None = None,
) -> StoredRun:
    """A run that begins now."""
    return StoredRun(
        run_id=run_id or new_run_id(),
        parent_run=parent_run,
        tool=tool,
        status="running",
        started=datetime.now(UTC).isoformat(timespec="milliseconds"),
        duration_ms=0.0,
        arguments=arguments,
        definition=None,
        clock=clock,
        trace=trace,
    )


def new_run_id() -> str:
    """A name for a run that no other run has."""
    return secrets.token_hex(8)


def read_run(row: StoredRow) -> StoredRun:
    """A row of the table of runs. Raises DamagedRowError."""
    return StoredRun(
        run_id=row.text("run_id"),
        parent_run=row.text_or_none("parent_run"),
        tool=row.text("tool"),
        status=read_status(row),
        started=row.text("started"),
        duration_ms=row.number("duration_ms"),
        arguments=row.object("arguments"),
        definition=row.text_or_none("definition"),
        clock={name: str(moment) for name, moment in row.object("clock").items()},
        redacted=bool(row.whole("redacted")),
        warnings=read_warnings(row),
        trace=row.text_or_none("trace"),
    )


def read_warnings(row: StoredRow) -> tuple[str, ...]:
    """The warnings in a row of the table of runs. Raises DamagedRowError."""
    warnings = row.value("warnings") or []
    is_right = isinstance(warnings, list) and all(isinstance(each, str) for each in warnings)
    return tuple(map(str, warnings)) if is_right and isinstance(warnings, list) else row.refuse("warnings")


def signed_parts(run: StoredRow) -> tuple[JsonValue, ...]:
    """What a run is signed over: where one of these was changed, it is not the run that was started."""
    return "run", run.text("run_id"), run.text("tool"), run.text_or_none("definition"), run.text("arguments")


def read_status(row: StoredRow) -> RunStatus:
    """The status in a row of the table of runs. Raises DamagedRowError."""
    status = row.text("status")
    return status if status in get_args(RunStatus) else row.refuse("status")  # type: ignore[return-value]  # one of them


class StepPath(str):
    """The name of a place in a run, unique there: ``pre``, ``2``, ``2[7]``, ``3/1``, ``2~3``, ``2:post``, ``turn/1``.

    A text, because that is how the journal keeps it; only this class knows how it is put together.
    """

    __slots__ = ()

    def item(self, index: int) -> StepPath:
        """One round of a ``for_each``."""
        return StepPath(f"{self}[{index}]")

    def branch(self, number: int) -> StepPath:
        """One of the steps of ``parallel``."""
        return StepPath(f"{self}/{number}")

    def attempt(self, number: int) -> StepPath:
        """One attempt of a step with ``retry``; the first has the step's own path."""
        return self if number == 1 else StepPath(f"{self}~{number}")

    def post_processing(self) -> StepPath:
        """The ``post_processing`` of a step."""
        return StepPath(f"{self}:post")

    def script_call(self, number: int) -> StepPath:
        """A call that a script of this step makes."""
        return StepPath(f"{self}/call-{number}")

    def model_calls(self) -> StepPath:
        """Above all calls of this turn of a model."""
        return StepPath(f"{self}/call")

    @property
    def turn(self) -> StepPath | None:
        """The turn of a model that made this call; None for what is no model's call."""
        above, found, _ = self.partition("/call/")
        return StepPath(above) if found else None


PREPROCESS, FUNCTION, POSTPROCESS = StepPath("pre"), StepPath("fn"), StepPath("post")
ARGUMENTS, ENVIRONMENT, WHOLE_TOOL, PACKAGES = map(StepPath, ("arguments", "environment", "ask", "npm"))
ANSWER = StepPath("answer")
NOTE_LOG, TOGETHER = StepPath("log"), StepPath("together")


def child_run_id(run_id: str, path: StepPath) -> str:
    """The id of the run that a step of another run is."""
    return f"{run_id}.{path}"


def root_of(run_id: str) -> str:
    """The run that somebody started; the ids of those below it begin with its id and a dot."""
    return run_id.partition(".")[0]


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A step or block of a run: its path, and what people see of it."""

    path: StepPath
    step: int
    block: Block
    name: str
    rounds: int | None = None
    """Of the ``for_each`` that this is a round of: how many there are."""
