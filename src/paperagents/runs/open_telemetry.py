"""Runs and their steps as spans. The one module that knows OpenTelemetry.

A run that somebody started has a trace of its own, whose ids come from the id of the run: whichever process goes on
with it adds to the same trace. One that was started from within a trace of its caller belongs to that. Names, states,
codes and figures are sent; arguments, results and messages never are.

Agents, models and tools are named by the conventions for generative AI: ``invoke_agent NAME``, ``chat MODEL``,
``execute_tool NAME``, with ``gen_ai.*`` attributes.
"""

from __future__ import annotations

import atexit
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import cache
from hashlib import sha256
from typing import Any

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.environment_variables import OTEL_EXPORTER_OTLP_TIMEOUT, OTEL_EXPORTER_OTLP_TRACES_TIMEOUT
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import Span, SpanKind, StatusCode, Tracer, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from paperagents.definitions.text import lossless_bytes
from paperagents.http.trace_context import TRACEPARENT, current_trace
from paperagents.runs.session import Event
from paperagents.runs.usage import usage_of_turn
from paperagents.version import __version__

LONGEST_NAME = 200
SECONDS = 3.0
"""For sending, where no variable says otherwise: nobody waits long at the end for a collector that is not there."""
_PROPAGATOR = TraceContextTextMapPropagator()
_logger = logging.getLogger("paper.traces")
_ids_of_run: ContextVar[tuple[int, int] | None] = ContextVar("trace and span of a run", default=None)


class RunTrace:
    """The spans of what one session does, made from what it tells."""

    def __init__(self, tracer: Tracer, masked: Callable[[str], str]) -> None:
        self._tracer = tracer
        self._masked = masked
        self._runs: dict[str, Span] = {}
        self._tools: dict[str, str] = {}
        self._steps: dict[str, Span] = {}
        """By run and path, which is also the id of a run that is a step of another."""
        self._around: dict[str, str | None] = {}
        """What requests belonged to before each of these steps began."""

    def on_event(self, event: Event) -> None:
        """One thing that has happened. Whatever is wrong with traces, the run goes on."""
        try:
            match event["type"]:
                case "run-started":
                    self._begin_run(event)
                case "step-started":
                    self._begin_step(event)
                case "step-finished":
                    self._end_step(event)
                case "run-finished":
                    self._end_run(event)
        except Exception as error:
            _logger.warning("no span for %s: %s", event.get("type"), type(error).__name__)

    def _begin_run(self, event: Event) -> None:
        run_id, name = str(event["run_id"]), self._named(event["tool"])
        attributes = {"paper.run_id": run_id, "paper.tool": name}
        above = self._steps.get(run_id)
        if above is not None:
            span = self._tracer.start_span(f"run {name}", set_span_in_context(above, Context()), attributes=attributes)
        else:
            with _with_ids_of(run_id):
                began = int(datetime.fromisoformat(str(event["started"])).timestamp() * 1_000) * 1_000_000
                caller = _PROPAGATOR.extract({TRACEPARENT: str(event.get("trace", ""))}, Context())
                span = self._tracer.start_span(f"run {name}", caller, attributes=attributes, start_time=began)
        self._runs[run_id] = span
        self._tools[run_id] = name

    def _begin_step(self, event: Event) -> None:
        above = self._runs.get(str(event["run_id"]))
        if above is None:
            return
        name, step = self._named(event["name"]), event["step"]
        attributes = {"paper.run_id": str(event["run_id"]), "paper.step_name": name, "paper.block": str(event["block"])}
        if event["path"] == "start":
            # Only agents have such a step: now it is known what the run is.
            agent = self._tools[str(event["run_id"])]
            above.update_name(f"invoke_agent {agent}")
            above.set_attributes({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent})
        title, kind = f"step {name}", SpanKind.INTERNAL
        if event["block"] == "tool" and _is_turn(event):
            title, kind = "chat", SpanKind.CLIENT
            attributes["gen_ai.operation.name"] = "chat"
        elif event["block"] == "tool":
            title = f"execute_tool {name}"
            attributes |= {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
        span = self._tracer.start_span(title, set_span_in_context(above, Context()), kind, attributes)
        if isinstance(step, int):
            span.set_attribute("paper.step", step)
        self._steps[_key(event)] = span
        # A step is told of by the thread that carries it out: what goes out from there belongs to it.
        self._around[_key(event)] = current_trace.get()
        sent: dict[str, str] = {}
        _PROPAGATOR.inject(sent, set_span_in_context(span, Context()))
        current_trace.set(sent.get(TRACEPARENT))

    def _end_step(self, event: Event) -> None:
        entry = event["entry"]
        assert isinstance(entry, dict)
        if _key(event) not in self._steps:
            # A step that is left out was never begun.
            self._begin_step({**entry, **event})
        span = self._steps.pop(_key(event), None)
        if span is not None:
            current_trace.set(self._around.pop(_key(event)))
            if event["tool"] is not None:
                tool = self._named(event["tool"])
                # A step may have a label of its own; only now it is known which tool it means.
                span.update_name(f"execute_tool {tool}")
                span.set_attributes({"paper.tool": tool, "gen_ai.tool.name": tool})
            if _is_turn(event):
                self._describe_turn(span, entry)
            self._end(span, entry["status"], event["code"])

    def _describe_turn(self, span: Span, entry: Mapping[str, Any]) -> None:
        """Which model was asked, and what that used."""
        model = self._named(entry["parameters"].get("model", ""))
        span.update_name(f"chat {model}")
        span.set_attribute("gen_ai.request.model", model)
        turn = entry["output"]
        if not isinstance(turn, dict):
            return
        usage = usage_of_turn(turn.get("usage") or {})
        span.set_attribute("gen_ai.usage.input_tokens", usage.input_tokens)
        span.set_attribute("gen_ai.usage.output_tokens", usage.output_tokens)
        if turn.get("finish"):
            span.set_attribute("gen_ai.response.finish_reasons", [self._named(turn["finish"])])

    def _end_run(self, event: Event) -> None:
        run_id, status = str(event["run_id"]), event["status"]
        span = self._runs.pop(run_id, None)
        self._tools.pop(run_id, None)
        is_top = run_id not in self._steps
        # A run that waits has not ended: its span is sent by whoever carries it to its end.
        if span is not None and not (is_top and status == "waiting"):
            self._end(span, status, event["code"])

    def _end(self, span: Span, status: object, code: object) -> None:
        span.set_attribute("paper.status", str(status))
        if code is not None and status != "waiting":
            span.set_attribute("error.type", self._named(code))
        if status in ("error", "failed"):
            span.set_status(StatusCode.ERROR)
        span.end()

    def _named(self, name: object) -> str:
        """A name may come from a model: it is masked like everything that is kept, and bounded."""
        return self._masked(str(name))[:LONGEST_NAME]


@cache
def tracer() -> Tracer | None:
    """The tracer of this process; None where the variables say something impossible."""
    # Without a handler, Python would print what the library says about each attempt to send.
    logging.getLogger("opentelemetry").addHandler(logging.NullHandler())
    try:
        provider = provider_for(BatchSpanProcessor(_exporter(os.environ)))
    except Exception as error:
        # What exactly is wrong may name an address or a header with a secret in it.
        _logger.warning("no traces, because of a variable: %s", type(error).__name__)
        return None
    atexit.register(provider.shutdown)
    return provider.get_tracer("paperagents", __version__)


def provider_for(processor: SpanProcessor) -> TracerProvider:
    """What makes spans and hands them on. It is ours alone: what other libraries would trace is not sent by us."""
    service = {"service.name": os.environ.get("OTEL_SERVICE_NAME") or "paper", "service.version": __version__}
    provider = TracerProvider(resource=Resource.create(service), id_generator=_RunIds(), shutdown_on_exit=False)
    provider.add_span_processor(processor)
    return provider


class _Exporter(OTLPSpanExporter):
    """Sends spans, and says in our log when that fails."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = super().export(spans)
        if result is not SpanExportResult.SUCCESS:
            _logger.info("%d spans could not be sent", len(spans))
        return result


def _exporter(environment: Mapping[str, str]) -> OTLPSpanExporter:
    named = environment.get(OTEL_EXPORTER_OTLP_TRACES_TIMEOUT) or environment.get(OTEL_EXPORTER_OTLP_TIMEOUT)
    return _Exporter(timeout=None if named else SECONDS)


class _RunIds(RandomIdGenerator):
    """Random ids, but for the span of a run that somebody started."""

    def generate_trace_id(self) -> int:
        of_run = _ids_of_run.get()
        return of_run[0] if of_run is not None else super().generate_trace_id()

    def generate_span_id(self) -> int:
        of_run = _ids_of_run.get()
        return of_run[1] if of_run is not None else super().generate_span_id()


@contextmanager
def _with_ids_of(run_id: str) -> Iterator[None]:
    token = _ids_of_run.set(ids_of(run_id))
    try:
        yield
    finally:
        _ids_of_run.reset(token)


def ids_of(run_id: str) -> tuple[int, int]:
    """The trace and the span of a run, the same in every process."""
    digest = sha256(lossless_bytes(f"trace of run {run_id}")).digest()
    return int.from_bytes(digest[:16]), int.from_bytes(digest[16:24])


def _is_turn(event: Event) -> bool:
    """Whether a step is a turn of a model, and no call that one makes."""
    path = str(event["path"])
    return path.startswith("turn/") and "/" not in path.removeprefix("turn/")


def _key(event: Event) -> str:
    return f"{event['run_id']}.{event['path']}"
