"""A model that is busy, or whose answer broke off, is asked again after a while."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass

from paperagents.agents.language_model import LanguageModel, Listener, ModelRequest, ModelTurn
from paperagents.errors import CancelledError, ToolError
from paperagents.sandbox import Cancellation


@dataclass(frozen=True, kw_only=True, slots=True)
class Patience:
    """How often, and after how long; the waits double, and a server that names a time is believed."""

    attempts: int = 5
    first_wait: float = 0.5
    longest_wait: float = 60.0

    def answer(
        self,
        model: LanguageModel,
        request: ModelRequest,
        listener: Listener,
        stop: Cancellation,
        on_wait: Callable[[float, ToolError], None],
    ) -> ModelTurn:
        """The first good answer. Raises the last error where there is none."""
        for attempt in range(1, self.attempts + 1):
            try:
                return _said_something(model.answer(request, listener, stop))
            except ToolError as error:
                seconds = self._wait(attempt, error.details.get("retry_after"))
                if not error.retryable or attempt == self.attempts or seconds > self.longest_wait:
                    raise
                on_wait(seconds, error)
            _sleep(seconds, stop)
        raise AssertionError("a model is asked at least once")

    def _wait(self, attempt: int, told: float | None) -> float:
        if told is not None:
            return told
        # Many programs that were refused together must not all come back together.
        doubled: float = self.first_wait * 2.0 ** (attempt - 1)
        return doubled * random.uniform(0.75, 1.25)  # noqa: S311  no secret


def _said_something(turn: ModelTurn) -> ModelTurn:
    if not turn.text.strip() and not turn.calls:
        # What a filter holds back, it holds back the next time, too.
        case = turn.finish if turn.finish in ("content_filter", "length") else None
        raise ToolError("model-empty", retryable=case != "content_filter", case=case)
    return turn


def _sleep(seconds: float, stop: Cancellation) -> None:
    stopped = threading.Event()
    with stop.stopping(stopped.set):
        if stopped.wait(seconds):
            raise CancelledError
