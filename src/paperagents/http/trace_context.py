"""Which step of which trace a request that goes out belongs to, where traces are wanted."""

from __future__ import annotations

from contextvars import ContextVar

TRACEPARENT = "traceparent"
current_trace: ContextVar[str | None] = ContextVar("traceparent of the step that goes on", default=None)
"""Set by whoever makes traces; None where nobody does, so that nothing is told to anybody."""


def trace_headers() -> dict[str, str]:
    """The header that every service knows; none where nobody wants traces."""
    trace = current_trace.get()
    return {TRACEPARENT: trace} if trace is not None else {}
