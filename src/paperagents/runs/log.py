"""The log of one run while it goes on: every block as it happens, and what a resumed run need not do again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from datetime import UTC, datetime

from paperagents.approval.question import Approved, Denied
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import (
    CancelledError,
    DeniedError,
    OutcomeUnknownError,
    PaperError,
    PlanEndsError,
    StorageError,
    WaitingError,
)
from paperagents.messages import text
from paperagents.runs.journal import Journal, State
from paperagents.runs.record import LogEntry, Place, StepStatus
from paperagents.runs.usage import Usage, add_up
from paperagents.secrets.redaction import Redaction, has_mask
from paperagents.shortages import error_from
from paperagents.values import dataclass

HALTS = (WaitingError, CancelledError, PlanEndsError, StorageError)
"""No failures of a step: the run stands still, or is over. The step is still to be done."""
_MOST_WARNINGS = 100
"""Of one run: a loop over thousands of notes could have one of each."""


@dataclass(kw_only=True)
class OpenEntry:
    """What is known about a block while it runs."""

    parameters: JsonObject
    output: JsonValue = None
    status: StepStatus = "success"
    message: str | None = None
    warnings: list[str] = field(default_factory=list)
    """What a person should know of a result that is one: it stands in the message, and among those of the run."""
    console: list[JsonValue] = field(default_factory=list)
    hitl_required: bool = False
    hitl_confirmed: bool | None = None
    is_collected: bool = False
    """Its change is pending, and asked about at the end of the run."""
    approved: Approved | None = None
    """Who has agreed to it, when and how, where that is known."""
    denied: Denied | None = None
    """Who has said no to it, when and how."""
    is_recognisable: bool = False
    """What it did can be seen from outside, so that its entry may be lost with the power and still be known."""
    is_idempotent: bool = False
    """To do it again has no effect: it only computes, or has a journal of its own."""
    is_final: bool = False
    """It failed, and that is its result: it is not tried again."""
    is_unknown: bool = False
    """Nobody knows whether it was done; a person may say so later."""
    leaves_the_vault: bool = False
    """Somebody else has seen it: it is journaled at once, so that they do not see it twice."""
    tool: str | None = None
    """The tool that was called, once it is found."""
    code: str | None = None
    """Why it failed."""

    def note_approvals(self, run_id: str, entries: Sequence[JsonObject]) -> None:
        """What was asked in a run below belongs into this entry, too; its id tells where the rest stands."""
        self.message = text("run.done-below", run=run_id)
        asked = [each for each in entries if each["hitl_required"]]
        if asked:
            self.hitl_required = True
            answers = [each["hitl_confirmed"] for each in asked]
            self.hitl_confirmed = None if None in answers else all(answers)
            self.approved = next(filter(None, map(_decision_in, reversed(asked))), None)
            told = " ".join(f"{each['name']}: {each['message']}" for each in asked)
            self.message = f"{self.message} {told}"


@dataclass(frozen=True, kw_only=True)
class Replay:
    """What a resumed run knows from before, each by its path."""

    results: Mapping[str, JsonObject]
    superseded: Mapping[str, JsonObject]
    waiting: Mapping[str, JsonObject]


class RunLog:
    """Collects the entries of one run, journals them, and replays those from before an interruption."""

    def __init__(  # noqa: PLR0913  everything that an entry goes through
        self,
        run_id: str,
        journal: Journal,
        redaction: Redaction,
        tell: Callable[[Mapping[str, JsonValue]], None],
        *,
        replay: Replay | None = None,
        warnings: Sequence[str] = (),
        reason: Callable[[PaperError], PaperError] = lambda error: error,
    ) -> None:
        self.run_id = run_id
        self.entries: list[JsonObject] = []
        self.warnings = list(warnings)
        """What a person should know of results that are some, each once."""
        self._usage: dict[str, Usage] = {}
        """What models have used: by the path of a turn, or the id of a run below."""
        self.is_resumed = replay is not None
        self._journal = journal
        self._redaction = redaction
        self._known_secrets = redaction.known
        self._tell = tell
        self._reason = reason
        self._results = dict(replay.results) if replay is not None else {}
        self._superseded = replay.superseded if replay is not None else {}
        self._waiting = replay.waiting if replay is not None else {}
        self._by_path: dict[str, JsonObject] = {}
        self._done = text("run.done")
        self._lock = threading.Lock()

    @property
    def usage(self) -> Usage | None:
        """What models have used so far, here and below; None where none was asked."""
        return add_up(self._usage.values())

    def add_usage(self, place: str, usage: Usage | None) -> None:
        """Count a turn, or a run below; what is done again counts once."""
        if usage is not None:
            with self._lock:
                self._usage[place] = usage

    @property
    def may_hold_secrets(self) -> bool:
        """Whether something may have turned out to be a secret after it was logged here."""
        return self.is_resumed or self._redaction.known != self._known_secrets

    # --- what happened before

    def replay(self, place: Place) -> JsonObject | None:
        """The entry of this place from before the interruption; it is not done again."""
        entry = self._results.get(place.path)
        if entry is not None:
            with self._lock:
                self.entries.append(entry)
                self._by_path[place.path] = entry
        return entry

    def entry_at(self, path: str) -> JsonObject | None:
        """The entry of this place, from before the interruption or from now."""
        return self._by_path.get(path)

    def replay_superseded(self, place: Place) -> bool:
        """Whether another attempt followed this one before the interruption; then that is where to go on."""
        if not self._superseded:
            return False
        paths = (place.path, place.path.post_processing())
        entries = [self._superseded[path] for path in paths if path in self._superseded]
        with self._lock:
            self.entries += entries
        return bool(entries)

    def replay_failure(self, place: Place) -> JsonObject | None:
        """The entry of a failure here that the run went on after, before the interruption."""
        has_failed = self._results.get(place.path, {}).get("status") in ("error", "denied")
        return self.replay(place) if has_failed else None

    def has_result(self, place: Place) -> bool:
        """Whether there is a result of this place from before the interruption."""
        return place.path in self._results

    def forget(self, beginning: str) -> None:
        """Do again what was done below this path: it belongs to something that was never finished."""
        self._results = {path: entry for path, entry in self._results.items() if not path.startswith(beginning)}

    def arguments_shown(self, place: Place) -> JsonObject | None:
        """The arguments of a call that somebody was asked about and that is not done yet.

        A script that is run again may come to others: a time, a random word. What was shown is what is done.
        """
        entry = self._waiting.get(place.path)
        shown = entry["parameters"] if entry is not None and entry["name"] == place.name else None
        return shown if isinstance(shown, dict) and not has_mask(shown) else None

    # --- what happens now

    def mark_final(self, place: Place) -> None:
        """The chain goes on after this failure, also when it is resumed."""
        self._journal.mark_final(self.run_id, place.path)

    def mark_superseded(self, place: Place) -> None:
        """Another attempt follows this one, also when the run is resumed."""
        self._journal.mark_superseded(self.run_id, place.path)

    @contextmanager
    def block(
        self, place: Place, parameters: JsonObject, *, failures_are_results: Callable[[], bool] = bool
    ) -> Iterator[OpenEntry]:
        """Everything inside belongs to this place; however it ends, there is an entry."""
        entry = OpenEntry(parameters=parameters)
        started = datetime.now(UTC)
        clock = time.perf_counter()
        self._tell({"type": "step-started", "run_id": self.run_id, "path": place.path, "step": place.step,
                    "block": place.block, "name": place.name, "rounds": place.rounds})  # fmt: skip
        try:
            yield entry
        except PaperError as failure:
            error = self._reason(failure)
            entry.status = _status_of(error)
            entry.message, entry.code = error.message, error.code
            entry.is_unknown = isinstance(error, OutcomeUnknownError)
            entry.is_final = failures_are_results() and not isinstance(error, HALTS)
            error.happened_at(place.step, place.block)
            raise error from failure.__cause__
        except BaseException as flaw:
            # Nobody foresaw it; what broke off here is no success, and is done when the run is resumed.
            error = error_from(flaw)
            entry.status, entry.code, entry.message = "error", error.code, error.message
            raise
        finally:
            duration = (time.perf_counter() - clock) * 1000
            self._add(place, entry, started, duration)

    def warn(self, message: str) -> None:
        """Tell something of the run that a person should know, unless it has been told."""
        message = self._redaction.text(message)
        with self._lock:
            if message in self.warnings or len(self.warnings) >= _MOST_WARNINGS:
                return
            self.warnings.append(message)
            self._journal.set_warnings(self.run_id, self.warnings)
        self._tell({"type": "run-warned", "run_id": self.run_id, "message": message})

    def skip(self, place: Place) -> None:
        """Log a step that is left out."""
        self._add(place, OpenEntry(parameters={}, status="skipped", message=text("run.skipped")), datetime.now(UTC), 0)

    def _add(self, place: Place, entry: OpenEntry, started: datetime, duration_ms: float) -> None:
        parameters, output = self._redaction.value(entry.parameters), self._redaction.value(entry.output)
        assert isinstance(parameters, dict)
        decision = entry.denied or entry.approved
        logged = LogEntry(
            step=place.step,
            block=place.block,
            name=place.name,
            status=entry.status,
            message=self._redaction.text(" ".join(filter(None, (entry.message, *entry.warnings))) or self._done),
            timestamp=started.isoformat(timespec="milliseconds"),
            duration_ms=round(duration_ms, 3),
            parameters=parameters,
            output=output,
            hitl_required=entry.hitl_required,
            hitl_confirmed=entry.hitl_confirmed,
            approved_by=decision.by if decision else None,
            approved_at=decision.at if decision else None,
            approved_via=decision.via if decision else None,
            console=entry.console,
        )
        shown = logged.as_json()
        with self._lock:
            self.entries.append(shown)
            self._by_path[place.path] = shown
        redacted = output != entry.output
        self._journal.append(
            self.run_id, place.path, logged, state=_state_of(entry, redacted=redacted), redacted=redacted,
            durable=not entry.is_recognisable, at_once=entry.leaves_the_vault, collected=entry.is_collected,
        )  # fmt: skip
        self._tell({"type": "step-finished", "run_id": self.run_id, "path": place.path, "entry": shown,
                    "rounds": place.rounds,
                    "tool": entry.tool, "code": entry.code})  # fmt: skip
        for warning in entry.warnings:
            self.warn(warning)


@dataclass(frozen=True, kw_only=True)
class RunContext:
    """One run while it goes on: which it is, what it runs, and where it is logged."""

    run_id: str
    root_run: str
    """The run that somebody started; the same as ``run_id`` at the top."""
    depth: int
    outermost: ToolDefinition
    """The tool of the run that somebody started."""
    root_step: int | None = None
    """For a run below another: the step of the one at the top that it belongs to."""
    tool: ToolDefinition
    arguments: JsonObject
    clock: dict[str, str]
    log: RunLog
    failures_are_results: bool = False
    """What a call of it fails with is a result like any other: the run goes on, also when it is resumed."""
    granted: frozenset[str] | None = None
    """The keys of the tools that may be called from here; None is every tool."""
    in_script: bool = False
    """It is below a tool in one JavaScript file, whose requests are only shown in a dry run."""
    replays: bool = False
    """What it works with may come from before an interruption, when results were kept without their secrets."""
    agents: int = 0
    """How many agents are above it, each asked by the one before."""
    spending: object = None
    """What the agents above it have spent, theirs to count."""


def _decision_in(entry: JsonObject) -> Approved | None:
    """Who decided about what an entry tells, when and how; None while nobody has."""
    match entry:
        case {"approved_by": str(by), "approved_at": str(at), "approved_via": str(via)}:
            return Approved(by=by, at=at, via=via)
    return None


def _state_of(entry: OpenEntry, *, redacted: bool) -> State:
    if entry.is_unknown and not entry.is_final:
        return "unknown"
    is_result = entry.is_final or entry.status in ("success", "skipped")
    # A resumed run needs what was redacted here, and can get it again where to do it again has no effect.
    return "final" if is_result and not (entry.is_idempotent and redacted) else "open"


def _status_of(error: PaperError) -> StepStatus:
    match error:
        case WaitingError():
            return "waiting"
        case PlanEndsError():
            return "skipped"
        case DeniedError():
            return "denied"
    return "error"
