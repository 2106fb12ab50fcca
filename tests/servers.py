"""Shared by the tests of the built-in tools: a vault, a web server and a name server, all real."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address
from pathlib import Path

import pytest

from paperagents.files.folder import VaultFolder

Page = Callable[[BaseHTTPRequestHandler], None]


@pytest.fixture(params=["kernel", "walking"])
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[VaultFolder]:
    """An empty vault, once opened by the kernel's own lookup and once by the portable walk."""
    root = tmp_path / "vault"
    root.mkdir()
    with VaultFolder(root, by_kernel=None if request.param == "kernel" else False) as opened:
        yield opened


@dataclass
class Received:
    """A request as it arrived at the web server."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class WebServer:
    """A web server on loopback whose pages are functions."""

    port: int
    pages: dict[str, Page] = field(default_factory=dict)
    received: list[Received] = field(default_factory=list)

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def answer(self, path: str, body: bytes = b"", *, status: int = 200, headers: dict[str, str] | None = None) -> str:
        """Let a path give this answer; its full address."""

        def page(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
                handler.send_header(name, value.encode().decode("latin-1"))
            handler.end_headers()
            if handler.command != "HEAD":
                handler.wfile.write(body)

        self.pages[path] = page
        return self.url(path)


@pytest.fixture
def web() -> Iterator[WebServer]:
    with serving_web() as server:
        yield server


@contextmanager
def serving_web() -> Iterator[WebServer]:
    """A web server as long as the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class names it so
            pass

        def handle_one_request(self) -> None:
            self.raw_requestline = self.rfile.readline(65537)
            if not self.raw_requestline or not self.parse_request():
                self.close_connection = True
                return
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            path = self.path.partition("?")[0]
            server.received.append(Received(self.command, self.path, dict(self.headers.items()), body))
            try:
                server.pages[path](self)
                self.wfile.flush()
            except OSError:
                pass  # the client has hung up, which several tests are about
            self.close_connection = True

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        server = WebServer(port=http.server_address[1])
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()


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

    with socketserver.ThreadingUDPServer(("127.0.0.1", 0), Handler) as udp:
        server = NameServer(port=udp.server_address[1])
        thread = threading.Thread(target=udp.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            udp.shutdown()
            thread.join()
