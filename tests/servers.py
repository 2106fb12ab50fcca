"""Shared by many tests: a folder, a web server, a collector of traces and a name server, all real."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import pytest

from paperagents.files.folder import VaultFolder

if TYPE_CHECKING:
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

_JSON = {"Content-Type": "application/json"}


@pytest.fixture(params=["kernel", "walking"])
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[VaultFolder]:
    """An empty vault, once opened by the kernel's own lookup and once by the portable walk."""
    root = tmp_path / "vault"
    root.mkdir()
    with VaultFolder(root, by_kernel=None if request.param == "kernel" else False) as opened:
        yield opened


class Request(NamedTuple):
    """A request as it arrived."""

    method: str
    path: str
    body: bytes
    headers: dict[str, str]


class Exchange(BaseHTTPRequestHandler):
    """One request and its answer."""

    web: ClassVar[Web]
    received: Request

    def handle_one_request(self) -> None:
        """Answer every method alike, once a connection."""
        self.close_connection = True
        self.raw_requestline = self.rfile.readline(65537)
        if not self.raw_requestline or not self.parse_request():
            return
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.received = Request(self.command, self.path, body, dict(self.headers.items()))
        self.web.requests.append(self.received)
        # A client that has hung up is what several tests are about.
        with suppress(OSError):
            answer = self.web.answers.get(self.path.partition("?")[0], self.web.otherwise)
            answer(self) if callable(answer) else self.reply(*answer)
            self.wfile.flush()

    def reply(self, status: int, body: str | bytes = "", headers: Mapping[str, str] | None = None) -> None:
        """Send a whole answer; JSON, unless other headers are given."""
        content = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **(_JSON if headers is None else headers)}.items():
            self.send_header(name, value.encode().decode("latin-1"))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class names it so
        """Quiet."""


Answer = tuple[int, str] | Callable[[Exchange], None]


@dataclass
class Web:
    """A web server on loopback: ``answers`` by path are a status and a JSON text, or a function that is called."""

    port: int
    answers: dict[str, Answer] = field(default_factory=dict)
    otherwise: Answer = (404, "{}")
    requests: list[Request] = field(default_factory=list)

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def answer(self, path: str, body: bytes = b"", *, status: int = 200, headers: dict[str, str] | None = None) -> str:
        """Let a path give this answer; its full address."""
        self.answers[path] = lambda exchange: exchange.reply(status, body, headers or {})
        return self.url(path)


@pytest.fixture
def web() -> Iterator[Web]:
    with serve_web() as server:
        yield server


@contextmanager
def serve_web() -> Iterator[Web]:
    """A web server as long as the block runs."""

    class Handler(Exchange): ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http, serve(http):
        Handler.web = Web(port=http.server_address[1])
        yield Handler.web


@contextmanager
def serve(server: socketserver.BaseServer) -> Iterator[None]:
    """Answer in a thread as long as the block runs."""
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()


@dataclass(frozen=True, kw_only=True)
class Collector:
    """A server that takes traces."""

    web: Web

    @property
    def spans(self) -> list[Span]:
        """Everything it was sent."""
        # Importing this takes longer than most tests, and few need it.
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest  # noqa: PLC0415

        sent = [ExportTraceServiceRequest.FromString(request.body) for request in self.web.requests]
        scopes = [scope for each in sent for resource in each.resource_spans for scope in resource.scope_spans]
        return [span for scope in scopes for span in scope.spans]


@pytest.fixture
def collector() -> Iterator[Collector]:
    with serve_web() as web:
        web.answers["/v1/traces"] = (200, "")
        yield Collector(web=web)


@dataclass
class NameServer:
    """A name server on loopback that goes through its answers, one per question, and repeats the last."""

    port: int
    answers: list[list[str]] = field(default_factory=list)
    questions: int = 0

    def next_answer(self) -> list[str]:
        self.questions += 1
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def resolve(self, host: str, _: int) -> list[str]:
        """Ask over the wire, as a resolver does."""
        labels = b"".join(bytes([len(label)]) + label.encode() for label in host.split("."))
        question = b"\x12\x34\x01\x00\x00\x01" + bytes(6) + labels + b"\x00\x00\x01\x00\x01"
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            asking.settimeout(10)
            asking.sendto(question, ("127.0.0.1", self.port))
            reply = asking.recv(4096)
        count = int.from_bytes(reply[6:8])
        records = reply[len(question) :]
        return [str(IPv4Address(records[16 * n + 12 : 16 * n + 16])) for n in range(count)]


@pytest.fixture
def name_server() -> Iterator[NameServer]:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            question, asking = self.request
            addresses = server.next_answer()
            header = question[:2] + b"\x81\x80\x00\x01" + len(addresses).to_bytes(2) + bytes(4)
            record = b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x00\x00\x04"
            answers = b"".join(record + IPv4Address(address).packed for address in addresses)
            asking.sendto(header + question[12:] + answers, self.client_address)

    with socketserver.ThreadingUDPServer(("127.0.0.1", 0), Handler) as udp, serve(udp):
        server = NameServer(port=udp.server_address[1])
        yield server
