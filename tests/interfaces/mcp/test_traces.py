"""A call over MCP belongs to the trace that its message or its request names."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import format_trace_id

from paperagents.runs import open_telemetry
from paperagents.runs.open_telemetry import provider_for

from ..served import Served  # noqa: TID252  shared by the tests of two interfaces
from .clients import ERAS

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER = {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("header", "meta"), [(CALLER, None), ({}, CALLER)])
def test_the_trace_of_a_call_is_continued(
    served: Served, monkeypatch: pytest.MonkeyPatch, era: str, header: dict[str, str], meta: Any
) -> None:
    exporter = InMemorySpanExporter()
    tracer = provider_for(SimpleSpanProcessor(exporter)).get_tracer("test")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(open_telemetry, "tracer", lambda: tracer)

    async def go() -> Any:
        headers = {"authorization": f"Bearer {served.new_token('call')}", **header}
        async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
            transport = streamable_http_client(f"{served.url}/mcp", http_client=http)
            async with Client(transport, mode=era) as client:
                return await client.call_tool("shout", {"words": "hi"}, meta=meta)

    assert not asyncio.run(go()).is_error
    spans = exporter.get_finished_spans()
    assert spans
    assert {format_trace_id(each.context.trace_id) for each in spans if each.context} == {TRACE}
