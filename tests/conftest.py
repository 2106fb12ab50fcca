"""What every test stands on."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import settings
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

# How long an example takes is the machine's affair; no test asserts a time.
settings.register_profile("tests", settings.default, deadline=None)
settings.load_profile("tests")


@pytest.fixture(autouse=True, scope="session")
def home_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Settings, rules and secrets of whoever runs the tests stay untouched and unseen, and no checkout is a vault."""
    before, place = dict(os.environ), Path.cwd()
    os.environ["XDG_CONFIG_HOME"] = str(tmp_path_factory.mktemp("config"))
    os.environ.pop("PAPER_VAULT", None)
    os.chdir(tmp_path_factory.mktemp("nowhere"))
    yield
    os.chdir(place)
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(autouse=True, scope="session")
def signals_as_at_a_terminal() -> None:
    """A shell in the background ignores these for all it starts, and a program that is tried would ignore them too."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture
def collector() -> Iterator[tuple[str, list[tuple[str, bytes]], list[Span]]]:
    """A server that takes traces: its address, what it was sent, and the spans in that."""
    received, spans = list[tuple[str, bytes]](), list[Span]()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            received.append((self.path, body))
            sent = ExportTraceServiceRequest.FromString(body).resource_spans
            spans.extend(span for each in sent for part in each.scope_spans for span in part.spans)
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", received, spans
        server.shutdown()
        thread.join()
