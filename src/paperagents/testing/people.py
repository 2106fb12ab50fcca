"""A person who answers as a script says."""

from __future__ import annotations

from collections.abc import Callable

from paperagents.approval.decision import ApprovalRequest, Approver, Decision

Answer = Decision | Callable[[ApprovalRequest], Decision]


class ScriptedApprover(Approver):
    """Gives the answers in order, the last one again and again, and remembers what was asked."""

    def __init__(self, *answers: Answer) -> None:
        self.asked: list[ApprovalRequest] = []
        self._answers = list(answers)

    def decide(self, request: ApprovalRequest) -> Decision:
        """The next answer."""
        self.asked.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return answer(request) if callable(answer) else answer
