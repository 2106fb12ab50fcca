"""The log of one run: every block as it happened, and what need not happen again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import Block, ToolDefinition
from paperagents.errors import CancelledError, DeniedError, PaperError, PlanEndsError, StorageError, WaitingError
from paperagents.messages import text
from paperagents.runs.journal import RunStore
from paperagents.runs.record import LogEntry, StepStatus
from paperagents.secrets.redaction import Redaction, has_mask

_NO_RESULTS = (WaitingError, CancelledError, PlanEndsError, StorageError)
"""What halts a run says nothing about the step it happens in: that is still to be done."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where in a run something happens."""

    path: str
    """Unique in the run: ``pre``, ``2``, ``2[7]``, ``3/1``, ``post``."""
    step: int
    block: Block
    name: str


@dataclass(kw_only=True)
class OpenEntry:
    """What is known about a block while it runs."""

    parameters: JsonObject
    output: JsonValue = None
    status: StepStatus = "success"
    message: str | None = None
    console: list[JsonValue] = field(default_factory=list)
    hitl_required: bool = False
    hitl_confirmed: bool | None = None
    recognisable: bool = False
    """What it did can be seen from outside, so that its entry may be lost with the power and still be known."""
    repeatable: bool = False
    """To do it again has no effect: it only computes, or has a journal of its own."""
    settled: bool = False
    """It failed, and that is its result: it is not tried again."""
    tool: str | None = None
    """The tool that was called, once it is found."""
    code: str | None = None
    """Why it failed."""

    def take_over_approvals(self, run_id: str, entries: Sequence[JsonObject]) -> None:
        """What was asked in a run below belongs into this record, too; its id tells where the rest stands."""
        self.message = text("run.done-below", run=run_id)
        asked = [each for each in entries if each["hitl_required"]]
        if asked:
            self.hitl_required = True
            answers = [each["hitl_confirmed"] for each in asked]
            self.hitl_confirmed = None if None in answers else all(answers)
            told = " ".join(f"{each['name']}: {each['message']}" for each in asked)
            self.message = f"{self.message} {told}"


class RunLog:
    """Collects entries, keeps them in the store, and knows the results of an interrupted run."""

    def __init__(  # noqa: PLR0913  everything that an entry goes through
        self,
        run_id: str,
        store: RunStore | None,
        masking: Redaction,
        tell: Callable[[Mapping[str, JsonValue]], None],
        results: Mapping[str, JsonObject] | None = None,
        *,
        asked: Mapping[str, JsonObject] | None = None,
        reason: Callable[[PaperError], PaperError] = lambda error: error,
    ) -> None:
        self.run_id = run_id
        self.entries: list[JsonObject] = []
        self._store = store
        self._masking = masking
        self._known = masking.known
        self._tell = tell
        self._reason = reason
        self.goes_on = results is not None
        """Whether the run was begun before, and stood still."""
        self._results = dict(results or {})
        self._repeated = store.repeated(run_id) if store is not None and self.goes_on else {}
        self._asked = dict(asked or {})
        self._done = text("run.done")
        self._lock = threading.Lock()

    @property
    def is_outdated(self) -> bool:
        """Whether something may have turned out to be a secret after it was written down here."""
        return self.goes_on or self._masking.known != self._known

    def replayed(self, place: Place) -> JsonObject | None:
        """The entry of this place from before the interruption; it is not done again."""
        entry = self._results.get(place.path)
        if entry is not None:
            with self._lock:
                self.entries.append(entry)
        return entry

    def asked_with(self, place: Place) -> JsonObject | None:
        """The arguments of a call that somebody was asked about and has yet to see done.

        A script that is run again may come to others: a time, a random word. What was shown is what is done.
        """
        entry = self._asked.get(place.path)
        shown = entry["parameters"] if entry is not None and entry["name"] == place.name else None
        return shown if isinstance(shown, dict) and not has_mask(shown) else None

    def is_done(self, place: Place) -> bool:
        """Whether there is a result of this place from before the interruption."""
        return place.path in self._results

    def forget(self, beginning: str) -> None:
        """What was done below this path before the interruption belongs to something that was never finished."""
        self._results = {path: entry for path, entry in self._results.items() if not path.startswith(beginning)}

    def forgiven(self, place: Place) -> None:
        """The chain goes on after this failure, also when it goes on later."""
        if self._store is not None:
            self._store.settle(self.run_id, place.path)

    def repeated(self, place: Place) -> None:
        """Another attempt follows this one, also when the run goes on later."""
        if self._store is not None:
            self._store.set_aside(self.run_id, place.path)

    def was_repeated(self, place: Place) -> bool:
        """Whether another attempt followed this one before the interruption; then that is where to go on."""
        if not self._repeated:
            return False
        entries = [self._repeated[path] for path in (place.path, f"{place.path}:post") if path in self._repeated]
        with self._lock:
            self.entries += entries
        return bool(entries)

    def was_forgiven(self, place: Place) -> bool:
        """Whether the chain went on after a failure here, before the interruption."""
        return self._results.get(place.path, {}).get("status") in ("error", "denied")

    @contextmanager
    def block(
        self, place: Place, parameters: JsonObject, *, forgives: Callable[[], bool] = bool
    ) -> Iterator[OpenEntry]:
        """Everything inside belongs to this place; however it ends, there is an entry.

        Where ``forgives`` says so, a failure is a result, too.
        """
        entry = OpenEntry(parameters=parameters)
        started = datetime.now(UTC)
        clock = time.perf_counter()
        self._tell({"type": "step-started", "run_id": self.run_id, "path": place.path, "step": place.step,
                    "block": place.block, "name": place.name})  # fmt: skip
        try:
            yield entry
        except PaperError as failure:
            error = self._reason(failure)
            entry.status = _status_of(error)
            entry.message, entry.code = error.message, error.code
            entry.settled = forgives() and not isinstance(error, _NO_RESULTS)
            error.happened_at(place.step, place.block)
            raise error from failure.__cause__
        except BaseException as flaw:
            # Nobody foresaw it; what broke off here is no success, and is done when the run goes on.
            entry.status, entry.code = "error", "internal-error"
            entry.message = text("internal-error", reason=f"{type(flaw).__name__}: {flaw}")
            raise
        finally:
            duration = (time.perf_counter() - clock) * 1000
            self._add(place, entry, started.isoformat(timespec="milliseconds"), duration)

    def skipped(self, place: Place, message: str) -> None:
        """A step that was left out."""
        entry = OpenEntry(parameters={}, status="skipped", message=message)
        self._add(place, entry, datetime.now(UTC).isoformat(timespec="milliseconds"), 0.0)

    def _add(self, place: Place, entry: OpenEntry, timestamp: str, duration_ms: float) -> None:
        parameters, output = self._masking.value(entry.parameters), self._masking.value(entry.output)
        assert isinstance(parameters, dict)
        logged = LogEntry(
            step=place.step,
            block=place.block,
            name=place.name,
            status=entry.status,
            message=self._masking.text(entry.message or self._done),
            timestamp=timestamp,
            duration_ms=round(duration_ms, 3),
            parameters=parameters,
            output=output,
            hitl_required=entry.hitl_required,
            hitl_confirmed=entry.hitl_confirmed,
            console=entry.console,
        )
        shown = logged.as_json()
        with self._lock:
            self.entries.append(shown)
        if self._store is not None:
            incomplete = output != entry.output
            # A run that goes on needs what was masked here, and can get it again where that is possible.
            final = (entry.settled or entry.status in ("success", "skipped")) and not (entry.repeatable and incomplete)
            durable = not entry.recognisable
            self._store.append(self.run_id, place.path, logged, final=final, incomplete=incomplete, durable=durable)
        self._tell({"type": "step-finished", "run_id": self.run_id, "path": place.path, "entry": shown,
                    "tool": entry.tool, "code": entry.code})  # fmt: skip


def _status_of(error: PaperError) -> StepStatus:
    if isinstance(error, WaitingError):
        return "waiting"
    if isinstance(error, PlanEndsError):
        return "skipped"
    return "denied" if isinstance(error, DeniedError) else "error"


# --- one run while it goes on


@dataclass(frozen=True, kw_only=True)
class Frame:
    """Which run it is, what it runs, and where it writes down what happens."""

    run_id: str
    root_run: str
    """The run that somebody started; the same as ``run_id`` at the top."""
    depth: int
    root_step: int | None = None
    """For a run below another: the step of the one at the top that it belongs to."""
    tool: ToolDefinition
    arguments: JsonObject
    clock: dict[str, str]
    log: RunLog
    forgives: bool = False
    """What a call of it fails with is a result like any other: the run goes on, also later."""
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
