"""Going on with a run that may be busy elsewhere: the one answer for the command line, servers, MCP and workers.

An answer is kept in the database before anything else happens, and the gate looks for it there. So it does not
matter who works on the run at the moment: either they come to the question and find the answer, or they let go of
the run, and whoever answered resumes it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import chain

from paperagents.approval.question import ApprovalRequest, Decision, Pending
from paperagents.errors import ApprovalChangedError, RunBusyError, UntrustedRunError
from paperagents.runs.history import History
from paperagents.runs.journal import Journal
from paperagents.runs.questions import Questions
from paperagents.runs.record import RunRecord, StoredRun
from paperagents.sandbox import Cancellation
from paperagents.values import dataclass

LOOK_SECONDS = 0.1


@dataclass(frozen=True, kw_only=True)
class Continuation:
    """Answers questions of runs, and resumes them when nobody else works on them."""

    journal: Journal
    questions: Questions
    history: History
    trusts_run: Callable[[StoredRun], bool]
    """Whether the user has said that a run which came along may go on by hand."""
    require_possible: Callable[[ApprovalRequest, Decision], None]
    """Raises what is wrong with an edit: a slip must not cost the run, so the question stays open."""

    def answer(self, approval_id: str, decision: Decision, *, digest: str | None = None, announce: bool = False) -> str:
        """Keep the answer to an open question; gives the run that somebody started.

        ``digest`` is that of the question as it was shown. ``announce`` tells the workers, for whoever does not
        resume the run. Raises UnknownApprovalError where it is answered already, ApprovalChangedError where another
        thing was shown.
        """
        request = self.history.question(approval_id)
        if digest is not None and digest != request.digest:
            raise ApprovalChangedError(approval_id)
        self.require_possible(request, decision)
        self.require_own(request.run_id)
        if not isinstance(decision, Pending):
            self.questions.answer(request, decision, announce=announce)
        return request.run_id

    def resume_answered(self, run_id: str, resume: Callable[[], RunRecord], stop: Cancellation) -> RunRecord:
        """Resume a run whose question was answered; where whoever has it finds the answer first, how it stands then.

        Raises RunBusyError where somebody does not want to wait any more.
        """
        while True:
            try:
                return resume()
            except RunBusyError:
                self.wait_released(run_id, stop)
            if not self.questions.has_answer(run_id):
                return self.history.record(run_id)

    def wait_released(self, run_id: str, stop: Cancellation) -> None:
        """Wait until nobody works on the run. Raises RunBusyError when ``stop`` is cancelled first."""
        while self.journal.database.is_held(run_id):
            if stop.cancelled:
                raise RunBusyError(run_id)
            time.sleep(LOOK_SECONDS)

    def can_continue(self, run: StoredRun) -> bool:
        """Whether a worker can go on with the run: it was queued, interrupted, or answered, and is the user's own."""
        is_ready = run.status in ("queued", "running")
        is_ready = is_ready or (run.status == "waiting" and self.questions.has_answer(run.run_id))
        return is_ready and self.journal.is_own(run.run_id)

    def find_continuable(self) -> Iterator[str]:
        """Runs that could go on now: left by a process that is gone, queued, or answered.

        One after the other: to prove whose a run is costs more than all the rest, and few are taken at a time.
        """
        left = (run_id for run_id in self.history.running() if not self.journal.database.is_held(run_id))
        yield from (each for each in chain(left, self.history.resumable()) if self.journal.is_own(each))

    def require_own(self, run_id: str) -> None:
        """Make sure that the run is the user's own; one that came along becomes it where the user trusts it.

        Raises UntrustedRunError, or RunBusyError where somebody works on the run.
        """
        if self.journal.is_own(run_id):
            return
        run = self.history.run(run_id)
        if run is None:
            return
        if not self.trusts_run(run):
            raise UntrustedRunError(run_id, run.as_brought().digest)
        self.journal.adopt(run_id)
