"""Runs that go on outside the request that started them: started, followed, answered and stopped from anywhere.

A run has one of a bounded number of threads while it works. One that waits for an answer has none: it rests in
the store, and goes on with a thread when the answer comes.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from dataclasses import field
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from paperagents.approval.question import Decision
from paperagents.cluster.operations import log_end
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import PaperError, RunBusyError, RunOverError, UnknownRunError, UsageError
from paperagents.interfaces.serving.event_bundles import EventBundles
from paperagents.interfaces.serving.event_log import EventLog
from paperagents.runs.continuation import LOOK_SECONDS
from paperagents.runs.record import RunRecord, new_run_id, root_of
from paperagents.runs.session import Event
from paperagents.sandbox import Cancellation
from paperagents.shortages import error_from
from paperagents.values import dataclass
from paperagents.vault import Vault

AT_ONCE = 32
MOST_QUEUED = 2_000
_FOR_EVER = 10 * 365 * 24 * 3600.0
_MOST_REFUSED = 100
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


@dataclass(frozen=True, kw_only=True, slots=True)
class RunningStep:
    """A step that has begun and not ended."""

    run_id: str
    path: str
    block: str
    name: str
    began: float = field(default_factory=time.monotonic)

    @property
    def elapsed(self) -> float:
        """Milliseconds since it began."""
        return (time.monotonic() - self.began) * 1000


@dataclass(kw_only=True)
class _Active:
    """A run that has a thread, or is about to get one."""

    run_id: str
    tool: str
    arguments: JsonObject = field(default_factory=dict)
    log: EventLog = field(default_factory=EventLog)
    stop: Cancellation = field(default_factory=Cancellation)
    started: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="milliseconds"))
    questions: list[JsonObject] = field(default_factory=list)
    done: Future[RunRecord] = field(default_factory=Future)
    running: dict[tuple[str, str], RunningStep] = field(default_factory=dict)
    """What runs now, by run and path; a page that opens in the middle is told."""
    rounds: dict[tuple[str, str], int] = field(default_factory=dict)
    """How many rounds a loop has, by run and path."""

    def note(self, event: Event) -> None:
        """Keep what runs up to date."""
        run_id, path = str(event.get("run_id")), str(event.get("path"))
        if event["type"] == "step-started":
            step = RunningStep(run_id=run_id, path=path, block=str(event["block"]), name=str(event["name"]))
            self.running[run_id, path] = step
            if isinstance(rounds := event["rounds"], int):
                self.rounds[run_id, path.rpartition("[")[0]] = rounds
        elif event["type"] == "step-finished":
            self.running.pop((run_id, path), None)


class LiveRuns:
    """The runs of one vault that this process works on."""

    def __init__(self, vault: Vault, *, at_once: int = AT_ONCE, most_queued: int = MOST_QUEUED) -> None:
        self.vault = vault
        self._pool = ThreadPoolExecutor(max_workers=at_once, thread_name_prefix="paper-run")
        self._most = at_once + most_queued
        self._active: dict[str, _Active] = {}
        self._refused: dict[str, RunRecord] = {}
        """The latest calls that were wrong: a record that is read back no longer says so, and whoever called must know,
        however quickly it was over."""
        self._feed = EventLog(most=5_000)
        self.bundles = EventBundles(self._feed)
        """The same for pages."""
        self.on_shutdown: list[Callable[[], None]] = []
        """What others who keep something open do when all of it ends."""
        self._lock = threading.Lock()

    # --- making runs go on

    def start(
        self,
        tool: str,
        arguments: Mapping[str, JsonValue] | None = None,
        *,
        run_id: str | None = None,
        together: bool = False,
    ) -> str:
        """Begin a run; the answer is its id."""
        run_id = run_id or new_run_id()

        def work(on_event: OnEvent, stop: Cancellation) -> RunRecord:
            return self.vault.run(tool, arguments, on_event=on_event, stop=stop, run_id=run_id, together=together)

        self._begin(_Active(run_id=run_id, tool=tool, arguments=dict(arguments or {})), work)
        return run_id

    def resume(self, run_id: str) -> str:
        """Resume a run that waits or was interrupted; a beginning of its id is enough."""
        record = self.vault.history.record(run_id)
        self._begin(
            _Active(run_id=record.run_id, tool=record.tool),
            lambda on_event, stop: self.vault.resume(record.run_id, on_event=on_event, stop=stop),
        )
        return record.run_id

    def answer(self, approval_id: str, decision: Decision, *, digest: str) -> str:
        """Answer a question as it was shown; the run goes on. Raises UsageError where another thing was shown."""
        run_id = self.vault.continuation.answer(approval_id, decision, digest=digest)
        self._resume_answered(run_id)
        return run_id

    def cancel(self, run_id: str) -> str:
        """Stop a run, or give up one that waits; the answer is its whole id. Raises UsageError where it is over."""
        record = self.record(run_id)
        if (active := self._active.get(record.run_id)) is not None:
            active.stop.cancel()
        elif record.status in ("waiting", "running"):
            # A run that waits ends as one that goes on and is stopped at once.
            active = _Active(run_id=record.run_id, tool="")
            active.stop.cancel()
            self._begin(active, lambda on_event, stop: self.vault.resume(record.run_id, on_event=on_event, stop=stop))
        else:
            raise RunOverError(record.run_id, record.status)
        return record.run_id

    def shut_down(self) -> None:
        """Stop all runs and let everybody go who looks on; nobody waits for anything after this."""
        for active in list(self._active.values()):
            active.stop.cancel()
        self._feed.end()
        for callback in self.on_shutdown:
            callback()

    def close(self) -> None:
        """Stop everything and wait until it has been recorded."""
        self.shut_down()
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
        elif run_id in self._refused:
            return self._refused[run_id]
        return await asyncio.to_thread(self.record, run_id)

    async def settled(self, run_id: str) -> RunRecord:
        """The record once nobody works on the run, here or in another process that was given the answer."""
        while (record := await self.finished(run_id, _FOR_EVER)).status == "running":
            if not await asyncio.to_thread(self.vault.database.is_held, run_id):
                # It may have been released in this very moment.
                return await self.finished(run_id, _FOR_EVER)
            await asyncio.sleep(LOOK_SECONDS)
        return record

    def whole_id(self, run_id: str) -> str:
        """The id of a run, by a beginning of it, also of one that has not got its thread yet."""
        return run_id if run_id in self._active else self.vault.history.whole_id(run_id)

    def record(self, run_id: str, *, with_log: bool = True) -> RunRecord:
        """The record of a run as it is now, also of one that has not got its thread yet."""
        try:
            return self.vault.history.record(run_id, with_log=with_log)
        except UnknownRunError:
            if (active := self._active.get(run_id)) is None:
                raise
            return RunRecord(run_id=run_id, tool=active.tool, status="running", started=active.started, duration_ms=0.0)

    def goes_on(self, run_id: str) -> bool:
        """Whether this process works on the run."""
        return run_id in self._active

    def running_steps(self, run_id: str) -> list[RunningStep]:
        """What runs now in a run of this process, and in the runs below it."""
        active = self._active.get(root_of(run_id))
        return [] if active is None else [*active.running.values()]

    def rounds(self, run_id: str) -> dict[str, int]:
        """How many rounds each loop of a run has that this process works on, by the path of its step."""
        active = self._active.get(root_of(run_id))
        known = {} if active is None else dict(active.rounds)
        return {path: count for (run, path), count in known.items() if run == run_id}

    def call_of(self, run_id: str) -> tuple[str, JsonObject] | None:
        """The tool and arguments of a run that this process has just begun."""
        active = self._active.get(run_id)
        return None if active is None else (active.tool, active.arguments)

    # --- a run and its thread

    def _begin(self, active: _Active, work: Work) -> None:
        with self._lock:
            if active.run_id in self._active:
                raise RunBusyError(active.run_id)
            if len(self._active) >= self._most:
                raise PaperError("too-many-runs", limit=self._most, retryable=True)
            self._active[active.run_id] = active
        # In the language of whoever wished for it.
        self._pool.submit(copy_context().run, self._carry_on, active, work)

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
        if record.exit_code == UsageError.exit_code:
            self._refused[record.run_id] = record
            for oldest in [*self._refused][:-_MOST_REFUSED]:
                del self._refused[oldest]
        self._leave(active)
        log_end(_LOGGER, record)
        self._tell_end(active, record)
        active.done.set_result(record)
        # Only now that it is no longer active: an answer that came before was left to us, a later one begins by itself.
        if record.status == "waiting" and self.vault.questions.has_answer(active.run_id):
            self._resume_answered(active.run_id)

    def _leave(self, active: _Active) -> None:
        with self._lock:
            self._active.pop(active.run_id, None)

    def _resume_answered(self, run_id: str) -> None:
        """Resume a run with the answers that were kept; one that is busy here is resumed when it stands still."""

        def work(on_event: OnEvent, stop: Cancellation) -> RunRecord:
            resume = partial(self.vault.resume, run_id, on_event=on_event, stop=stop)
            return self.vault.continuation.resume_answered(run_id, resume, stop)

        with suppress(RunBusyError):
            self._begin(_Active(run_id=run_id, tool=self.vault.history.record(run_id).tool), work)

    # --- events

    def _on_event(self, active: _Active, event: Event) -> None:
        """Questions and the end are told when they can be answered: when the run has let go of everything."""
        active.note(event)
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
    warnings: list[JsonObject] = [
        {"type": "run-warned", "run_id": run_id, "message": warning} for warning in record.warnings
    ]
    return [
        {"type": "run-started", "run_id": run_id, "tool": record.tool},
        *steps,
        *warnings,
        {"type": "run-finished", "run_id": run_id, "status": record.status},
    ]


def _light(event: Event) -> JsonObject:
    entry = event.get("entry")
    if not isinstance(entry, dict):
        return dict(event)
    return {**event, "entry": {name: value for name, value in entry.items() if name not in _HEAVY}}


def _told(error: BaseException) -> JsonObject:
    known = error_from(error, reason=type(error).__name__)
    return known.as_json()
