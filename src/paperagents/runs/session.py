"""What a run stands on: the parts of the vault it uses, and the person who started it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from paperagents.approval.question import Approved, Approver
from paperagents.approval.rules import RuleBook
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import (
    CancelledError,
    DeniedError,
    PaperError,
    PlanEndsError,
    StorageError,
    ToolError,
    WaitingError,
)
from paperagents.files.folder import VaultFolder
from paperagents.runs.changes import ChangeLog
from paperagents.runs.commit_markers import CommitMarkers
from paperagents.runs.history import History
from paperagents.runs.journal import Journal
from paperagents.runs.note_log import NoteLog
from paperagents.runs.notification import Notifier
from paperagents.runs.pending import PendingChanges, PendingRows, Prepare
from paperagents.runs.questions import Questions
from paperagents.sandbox import Cancellation, Limits, Sandbox
from paperagents.secrets.redaction import Redaction
from paperagents.storage.entries import EntryStore, ToolStorage
from paperagents.values import dataclass

if TYPE_CHECKING:
    from paperagents.npm.tool_packages import NpmPackages

Event = Mapping[str, JsonValue]
_NOT_BY_ENDING = (WaitingError, DeniedError, PlanEndsError, StorageError)
"""What is told as it is, also when the work was ended meanwhile."""
_time_limit: ContextVar[TimeLimit | None] = ContextVar("time limit of a step", default=None)


def _no_agent_runtime(_pipeline: Any, run: Any) -> JsonValue:
    raise ToolError("no-agents-here", tool=run.tool.id)


@dataclass(frozen=True, kw_only=True)
class Services:
    """The parts of one vault that every run uses."""

    find_tool: Callable[[str], ToolDefinition]
    file_content: Callable[[str], bytes]
    folder: VaultFolder
    """The notes as everybody sees them."""
    built_in: Mapping[str, Prepare]
    sandbox: Sandbox
    packages: NpmPackages
    limits: Limits
    module_limits: Limits
    """For tools that are one JavaScript file: they may take longer."""
    rules: RuleBook
    asks_before_reads: bool
    """Also what changes nothing is asked: reads, searches, GET requests."""
    redaction: Redaction
    clock: Callable[[], dict[str, str]]
    """``date``, ``time`` and ``random_id`` of a new run."""
    environment: Callable[[ToolDefinition], Mapping[str, str]]
    confirm_environment: Callable[[ToolDefinition], None]
    """Give a tool's values to its file as it is now."""
    entries: EntryStore
    """As the run sees them."""
    stored_entries: EntryStore
    """As everybody sees them."""
    storage: ToolStorage
    vault_content: Callable[[str], str | None]
    """The content of an entry of the data vault."""
    journal: Journal
    """A NullJournal for plans and examples: they leave no trace."""
    changes: ChangeLog
    """What is changed in notes and entries, with the texts before and after."""
    commit_markers: CommitMarkers
    """What is being changed together."""
    pending: PendingChanges
    """What the run has changed, and nobody has agreed on yet."""
    pending_rows: PendingRows
    make_pending: Callable[[], PendingChanges]
    """Nothing is pending in it."""
    questions: Questions
    notifier: Notifier
    history: History
    note_log: NoteLog
    """For a tool that asks for it: its log in a note."""
    agent: Callable[[Any, Any], JsonValue] = _no_agent_runtime
    """Answers a call of an agent: given the pipeline and the run, it gives the final answer."""
    max_depth: int = 16

    def on_overlay(self) -> Services:
        """The same parts for a run of its own: what it changes without a yes nobody else sees."""
        pending = self.make_pending()
        content = partial(pending.entries.content, "datavault")
        return replace(self, pending=pending, entries=pending.entries, vault_content=content)


@dataclass(kw_only=True)
class Session:
    """One person's or program's wish: who is asked, who is told, and what was allowed on the way."""

    approver: Approver = field(default_factory=Approver)
    on_event: Callable[[Event], None] = lambda event: None  # noqa: ARG005  nobody listens
    stop: Cancellation = field(default_factory=Cancellation)
    """How the person who started it ends it."""
    allowed_tools: dict[tuple[str, str], Approved] = field(default_factory=dict)
    """The yes for the rest of a run, by its id and the tool. A session may have several runs, as a text has tags."""
    collecting: set[str] = field(default_factory=set)
    """The runs whose changes are collected because somebody said so."""
    plan: list[JsonObject] | None = None
    """Set for a dry run: effects are collected here instead of being had."""
    responses: Mapping[str, JsonValue] | None = None
    """Answers that stand in for tools, by tool or label, when examples are tried."""
    is_eval: bool = False
    """A dry run in which models are asked, to judge their answers."""
    model: Any = None
    """The language model this person wants agents to think with: its name, or the model itself."""
    lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def stopped(self) -> bool:
        """Whether the person who started it has ended it."""
        return self.stop.cancelled

    @property
    def cancellation(self) -> Cancellation:
        """What ends the work at this place: the time limit of a step, or the person."""
        return _time_limit.get() or self.stop

    def reason(self, error: PaperError) -> PaperError:
        """Why the work at this place really failed: what a person or a time limit ended did not fail by itself."""
        if not self.cancellation.cancelled or isinstance(error, _NOT_BY_ENDING):
            return error
        limit = _time_limit.get()
        return CancelledError() if limit is None or self.stopped else limit.exceeded()

    @contextmanager
    def limited_to(self, seconds: float, *, code: str) -> Iterator[None]:
        """Inside, the work ends when the time is over, or with whatever ends it outside."""
        limit = TimeLimit(seconds, _time_limit.get(), code=code)
        with self.cancellation.stopping(limit.cancel), limit.running():
            token = _time_limit.set(limit)
            try:
                yield
            except PaperError as error:
                reason = self.reason(error)
                reason.step, reason.block = error.step, error.block
                raise reason from error.__cause__
            finally:
                _time_limit.reset(token)

    def not_counting_time(self) -> AbstractContextManager[None]:
        """Inside, a person thinks; that is not the step's time."""
        limit = _time_limit.get()
        return limit.paused() if limit is not None else nullcontext()


# --- a limit on the time a step takes. The time a person needs to answer does not count


class TimeLimit(Cancellation):
    """Cancels by itself when the time is over."""

    def __init__(self, seconds: float, outer: TimeLimit | None = None, *, code: str = "step-timeout") -> None:
        super().__init__()
        self._seconds = self._left = seconds
        self._code = code
        self._outer = outer
        self._pauses = 0
        self._changing = threading.Lock()
        self._timer: threading.Timer | None = None
        self._since = 0.0

    def exceeded(self) -> ToolError:
        """Why the work ended: because of the outermost limit that was reached."""
        if self._outer is not None and self._outer.cancelled:
            return self._outer.exceeded()
        return ToolError(self._code, seconds=f"{self._seconds:g}", retryable=True)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Inside, the time passes."""
        with self._changing:
            self._start()
        try:
            yield
        finally:
            with self._changing:
                self._halt()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Inside, no time passes, also not that of the limits around this one."""
        with self._outer.paused() if self._outer is not None else nullcontext():
            with self._changing:
                self._pauses += 1
                if self._pauses == 1:
                    self._halt()
            try:
                yield
            finally:
                with self._changing:
                    self._pauses -= 1
                    if self._pauses == 0:
                        self._start()

    def _start(self) -> None:
        self._since = time.monotonic()
        self._timer = threading.Timer(max(self._left, 0.0), self.cancel)
        self._timer.daemon = True
        self._timer.start()

    def _halt(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._left -= time.monotonic() - self._since
