"""A run that a request starts belongs to the trace of the request."""

from __future__ import annotations

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import format_trace_id

from paperagents.interfaces.serving.callers import RIGHTS
from paperagents.runs import open_telemetry
from paperagents.runs.open_telemetry import provider_for

from ..served import Served  # noqa: TID252  shared by the tests of two interfaces

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def test_the_trace_of_a_request_is_continued(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    exporter = InMemorySpanExporter()
    tracer = provider_for(SimpleSpanProcessor(exporter)).get_tracer("test")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(open_telemetry, "tracer", lambda: tracer)
    with served.program(*RIGHTS) as client:
        headers = {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}
        answer = client.post("/api/runs", json={"tool": "shout", "arguments": {"words": "hi"}}, headers=headers)
    assert answer.json()["status"] == "succeeded"
    spans = exporter.get_finished_spans()
    assert spans
    assert {format_trace_id(each.context.trace_id) for each in spans if each.context} == {TRACE}
