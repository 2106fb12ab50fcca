"""Whether this user wants traces of runs. Where nobody does, nothing is loaded and nothing changes.

Only variables of the user's own environment say so, and where to: no vault can have anything sent anywhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from paperagents.runs.session import Event

_ADDRESSES = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
OnEvent = Callable[[Event], None]


def traced(on_event: OnEvent, masked: Callable[[str], str]) -> OnEvent:
    """Who is told what happens in a run, and with them the traces, where they are wanted and the extra is there."""
    if not are_wanted(os.environ):
        return on_event
    try:
        from paperagents.runs.open_telemetry import RunTrace, tracer  # noqa: PLC0415  an extra, and large
    except ImportError:
        return on_event
    found = tracer()
    if found is None:
        return on_event
    trace = RunTrace(found, masked)

    def tell_both(event: Event) -> None:
        trace.on_event(event)
        on_event(event)

    return tell_both


def are_wanted(environment: Mapping[str, str]) -> bool:
    """Whether the variables that everybody uses for this name an address, and none switches traces off."""
    if not any(environment.get(name, "").strip() for name in _ADDRESSES):
        return False
    exporters = environment.get("OTEL_TRACES_EXPORTER", "otlp").split(",")
    switched_off = environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    return "otlp" in (each.strip() for each in exporters) and not switched_off
