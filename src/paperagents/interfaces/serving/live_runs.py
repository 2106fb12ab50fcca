"""Runs that go on outside the request that started them: started, followed, answered and stopped from anywhere.

A run has one of a bounded number of threads while it works. One that waits for an answer has none: it rests in
the store, and goes on with a thread when the answer comes.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from paperagents.approval.question import ApprovalRequest, Decision
from paperagents.cluster.operations import log_end
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import PaperError, UsageError
from paperagents.interfaces.serving.event_log import EventLog
from paperagents.runs.history import new_run_id
from paperagents.runs.record import RunRecord
from paperagents.runs.session import Event
from paperagents.sandbox import Cancellation
from paperagents.vault import Vault

AT_ONCE = 32
MOST_QUEUED = 2_000
_LOGGER = logging.getLogger("paper")
_HEAVY = ("parameters", "output", "console")
"""Fields of a step that the feed of everything leaves out: they are in the record."""


class Work(Protocol):
    """Something that makes a run go on."""

    def __call__(self, on_event: OnEvent, stop: Cancellation) -> RunRecord:
        """Carry the run on, to its end or to the next question."""


class OnEvent(Protocol):
    """Who is told what happens."""

    def __call__(self, event: Event, /) -> None:
        """One thing that has happened."""


@dataclass(kw_only=True)
class _Active:
    """A run that has a thread, or is about to get one."""

    run_id: str
    tool: str
    arguments: JsonObject = field(default_factory=dict)
    log: EventLog = field(default_factory=EventLog)
    stop: Cancellation = field(default_factory=Cancellation)
    started: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="milliseconds"))
    given: dict[str, Decision] = field(default_factory=dict)
    """Answers it goes on with."""
    later: dict[str, Decision] = field(default_factory=dict)
    """Answers that came while it was going on."""
    questions: list[JsonObject] = field(default_factory=list)
    unanswered: dict[str, ApprovalRequest] = field(default_factory=dict)
    """What it asked before it went on; it will ask again, under the same name, what has no answer yet."""
    done: Future[RunRecord] = field(default_factory=Future)


class LiveRuns:
    """The runs of one vault that this process works on."""

    def __init__(self, vault: Vault, *, at_once: int = AT_ONCE, most_queued: int = MOST_QUEUED) -> None:
        self.vault = vault
        self._pool = ThreadPoolExecutor(max_workers=at_once, thread_name_prefix="paper-run")
        self._most = at_once + most_queued
        self._active: dict[str, _Active] = {}
        self._feed = EventLog(most=2_000)
        self.farewells: list[Callable[[], None]] = []
        """What others who keep something open do when all of it ends."""
        self._lock = threading.Lock()

    # --- making runs go on

    def start(self, tool: str, arguments: Mapping[str, JsonValue] | None = None, *, run_id: str | None = None) -> str:
        """Begin a run; the answer is its id."""
        run_id = run_id or new_run_id()

        def work(on_event: OnEvent, stop: Cancellation) -> RunRecord:
            return self.vault.run(tool, arguments, on_event=on_event, stop=stop, run_id=run_id)

        self._begin(_Active(run_id=run_id, tool=tool, arguments=dict(arguments or {})), work)
        return run_id

    def resume(self, run_id: str, decisions: Mapping[str, Decision] | None = None) -> str:
        """Go on with a run that waits or was interrupted; a beginning of its id is enough."""
        record = self.vault.store.record(run_id)
        unanswered = {each.id: each for each in self.vault.store.approvals(record.run_id)}
        active = _Active(run_id=record.run_id, tool=record.tool, given=dict(decisions or {}), unanswered=unanswered)

        def work(on_event: OnEvent, stop: Cancellation) -> RunRecord:
            return self.vault.resume(active.run_id, decisions=active.given, on_event=on_event, stop=stop)

        self._begin(active, work)
        return active.run_id

    def answer(self, approval_id: str, decision: Decision, *, digest: str) -> str:
        """Answer a question as it was shown; the run goes on. Raises UsageError where another thing was shown."""
        root_run, decisions = self._checked(approval_id, decision)
        if digest not in decisions:
            raise UsageError("approval-changed", id=approval_id)
        self._go_on_with(root_run, approval_id, decisions)
        return root_run

    def cancel(self, run_id: str) -> str:
        """Stop a run, or give up one that waits; the answer is its whole id. Raises UsageError where it is over."""
        record = self.record(run_id)
        if (active := self._active.get(record.run_id)) is not None:
            active.stop.cancel()
        elif record.status in ("waiting", "running"):
            self._begin_cancelled(record.run_id)
        else:
            raise UsageError("run-is-over", id=record.run_id, status=record.status)
        return record.run_id

    def say_goodbye(self) -> None:
        """Stop all runs and let everybody go who looks on; nobody waits for anything after this."""
        for active in list(self._active.values()):
            active.stop.cancel()
        self._feed.end()
        for farewell in self.farewells:
            farewell()

    def close(self) -> None:
        """Stop everything and wait until it has been recorded."""
        self.say_goodbye()
        self._pool.shutdown(wait=True)

    # --- looking on

    def follow(self, run_id: str, *, after: int = 0) -> AsyncIterator[JsonObject]:
        """What happens in a run until it ends or waits; for one that stands still, what its record says."""
        active = self._active.get(run_id)
        return active.log.follow(after) if active is not None else self._told_again(run_id, after)

    def everything(self, *, after: int | None = None) -> AsyncIterator[JsonObject]:
        """What happens in all runs and in the folder, from now on or from a number on; without the data."""
        return self._feed.follow(self._feed.last if after is None else after)

    @property
    def last_event(self) -> int:
        """The number of the newest event of all."""
        return self._feed.last

    def tell(self, event: Event) -> None:
        """Something that everybody who looks on should know."""
        self._feed.append(event)

    async def finished(self, run_id: str, seconds: float) -> RunRecord:
        """The record once the run has ended or waits, or as it is when the time is over."""
        active = self._active.get(run_id)
        if active is not None:
            done = asyncio.wrap_future(active.done)
            await asyncio.wait({done}, timeout=seconds)
            if done.done():
                return done.result()
        return await asyncio.to_thread(self.record, run_id)

    def record(self, run_id: str) -> RunRecord:
        """The record of a run as it is now, also of one that has not got its thread yet."""
        try:
            return self.vault.store.record(run_id)
        except UsageError:
            if (active := self._active.get(run_id)) is None:
                raise
            return RunRecord(run_id=run_id, tool=active.tool, status="running", started=active.started, duration_ms=0.0)

    def goes_on(self, run_id: str) -> bool:
        """Whether this process works on the run."""
        return run_id in self._active

    def call_of(self, run_id: str) -> tuple[str, JsonObject] | None:
        """The tool and arguments of a run that this process has just begun."""
        active = self._active.get(run_id)
        return None if active is None else (active.tool, active.arguments)

    # --- a run and its thread

    def _begin(self, active: _Active, work: Work) -> None:
        with self._lock:
            if active.run_id in self._active:
                raise UsageError("run-is-running", id=active.run_id)
            if len(self._active) >= self._most:
                raise PaperError("too-many-runs", limit=self._most, retryable=True)
            self._active[active.run_id] = active
        # In the language of whoever wished for it.
        self._pool.submit(copy_context().run, self._carry_on, active, work)

    def _begin_cancelled(self, run_id: str) -> None:
        """A run that waits ends as one that goes on and is stopped at once."""
        active = _Active(run_id=run_id, tool="")
        active.stop.cancel()
        self._begin(active, lambda on_event, stop: self.vault.resume(run_id, on_event=on_event, stop=stop))

    def _carry_on(self, active: _Active, work: Work) -> None:
        try:
            record = work(lambda event: self._on_event(active, event), active.stop)
        except BaseException as error:
            # Whoever waits for this run must hear of it.
            self._leave(active)
            active.log.append({"type": "run-refused", "run_id": active.run_id, "error": _told(error)})
            active.log.end()
            active.done.set_exception(error)
            return
        self._leave(active)
        log_end(_LOGGER, record)
        self._tell_end(active, record)
        active.done.set_result(record)
        if record.status == "waiting" and active.later:
            self._go_on_later(active)

    def _leave(self, active: _Active) -> None:
        with self._lock:
            self._active.pop(active.run_id, None)

    def _go_on_later(self, active: _Active) -> None:
        try:
            self._go_on_with(active.run_id, "", active.later)
        except PaperError as error:
            # Somebody else was quicker; the question, if it still stands, can be answered again.
            _LOGGER.warning("%s", error)

    def _checked(self, approval_id: str, decision: Decision) -> tuple[str, dict[str, Decision]]:
        """A run that goes on has taken its questions back; somebody may still be looking at one of them."""
        try:
            return self.vault.checked_answer(approval_id, decision)
        except UsageError as error:
            if error.code != "unknown-approval":
                raise
        for active in list(self._active.values()):
            if (request := active.unanswered.get(approval_id)) is not None:
                self.vault.require_possible(request, decision)
                return active.run_id, {request.digest: decision}
        # It may have asked again in this very moment.
        return self.vault.checked_answer(approval_id, decision)

    def _go_on_with(self, run_id: str, approval_id: str, decisions: Mapping[str, Decision]) -> None:
        while not self._answered_later(run_id, approval_id, decisions):
            try:
                self.resume(run_id, decisions)
            except UsageError as error:
                # Another answer made it go on in this very moment; this one is kept for later, then.
                if error.code != "run-is-running":
                    raise
            else:
                return

    def _answered_later(self, run_id: str, approval_id: str, decisions: Mapping[str, Decision]) -> bool:
        """Keep an answer for a run that is busy with another one. Raises UsageError for a second answer."""
        with self._lock:
            active = self._active.get(run_id)
            if active is None:
                return False
            if any(digest in active.given or digest in active.later for digest in decisions):
                raise UsageError("unknown-approval", id=approval_id)
            active.later.update(decisions)
            return True

    # --- events

    def _on_event(self, active: _Active, event: Event) -> None:
        """Questions and the end are told when they can be answered: when the run has let go of everything."""
        if event["type"] == "approval-requested":
            active.questions.append(dict(event))
        elif event["type"] != "run-finished" or event["run_id"] != active.run_id:
            active.log.append(event)
            self._feed.append(_light(event))

    def _tell_end(self, active: _Active, record: RunRecord) -> None:
        questions = active.questions if record.status == "waiting" else []
        ending: JsonObject = {"type": "run-finished", "run_id": record.run_id, "status": record.status}
        for event in (*questions, ending):
            active.log.append(event)
            self._feed.append(event)
        active.log.end()

    async def _told_again(self, run_id: str, after: int) -> AsyncIterator[JsonObject]:
        record = await asyncio.to_thread(self.record, run_id)
        events = [{"seq": number, **event} for number, event in enumerate(_events_of(record), 1)]
        # However much the reader has seen before, how it ended is told.
        for event in events[min(after, len(events) - 1) :]:
            yield event


def _events_of(record: RunRecord) -> list[JsonObject]:
    """The events of a run that is over, as far as its record tells them."""
    run_id = record.run_id
    steps: list[JsonObject] = [
        {"type": "step-finished", "run_id": run_id, "entry": entry} for entry in record.execution_log
    ]
    return [
        {"type": "run-started", "run_id": run_id, "tool": record.tool},
        *steps,
        {"type": "run-finished", "run_id": run_id, "status": record.status},
    ]


def _light(event: Event) -> JsonObject:
    entry = event.get("entry")
    if not isinstance(entry, dict):
        return dict(event)
    return {**event, "entry": {name: value for name, value in entry.items() if name not in _HEAVY}}


def _told(error: BaseException) -> JsonObject:
    known = error if isinstance(error, PaperError) else PaperError("internal-error", reason=type(error).__name__)
    return known.as_json()
