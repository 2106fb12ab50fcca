"""Whether this user wants traces of runs. Where nobody does, nothing is loaded and nothing changes.

Only variables of the user's own environment say so, and where to: no vault can have anything sent anywhere. A caller
over HTTP may say which trace of theirs a run belongs to.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from paperagents.messages import text
from paperagents.patterns import late_pattern
from paperagents.runs.session import Event

_ADDRESSES = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_TRACEPARENT = late_pattern(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}", re.ASCII)
caller_trace: ContextVar[str | None] = ContextVar("traceparent of the caller", default=None)
"""Kept with each run that is started, so that whoever carries it on adds to the same trace."""
OnEvent = Callable[[Event], None]


@contextmanager
def continue_trace(traceparent: object) -> Iterator[None]:
    """Inside, runs belong to the caller's trace; what is no ``traceparent`` is passed over."""
    is_right = isinstance(traceparent, str) and _TRACEPARENT.fullmatch(traceparent)
    token = caller_trace.set(str(traceparent) if is_right else caller_trace.get())
    try:
        yield
    finally:
        caller_trace.reset(token)


def traced(on_event: OnEvent, masked: Callable[[str], str]) -> OnEvent:
    """Who is told what happens in a run, and with them the traces, where they are wanted and the extra is there."""
    if not are_wanted(os.environ):
        return on_event
    try:
        from paperagents.runs.open_telemetry import RunTrace, tracer  # noqa: PLC0415  an extra, and large
    except ImportError:
        tell_of_missing_extra()
        return on_event
    found = tracer()
    if found is None:
        return on_event
    trace = RunTrace(found, masked)

    def tell_both(event: Event) -> None:
        trace.on_event(event)
        on_event(event)

    return tell_both


@cache
def tell_of_missing_extra() -> None:
    """Say once that traces are wanted and cannot be made."""
    sys.stderr.write(f"{text('traces-not-installed')}\n")


def are_wanted(environment: Mapping[str, str]) -> bool:
    """Whether the variables that everybody uses for this name an address, and none switches traces off."""
    if not any(environment.get(name, "").strip() for name in _ADDRESSES):
        return False
    exporters = environment.get("OTEL_TRACES_EXPORTER", "otlp").split(",")
    switched_off = environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    return "otlp" in (each.strip() for each in exporters) and not switched_off
