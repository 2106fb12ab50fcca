"""The server process: listens, announces itself, and ends cleanly. The one module that knows uvicorn."""

from __future__ import annotations

import asyncio
import ipaddress
import signal
import socket
from collections.abc import Callable
from types import FrameType

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from paperagents.errors import PaperError
from paperagents.interfaces.serving.guard import Application
from paperagents.messages import system_text

HEAD_SECONDS = 15.0
"""For the head of a request, however slowly it trickles in; how long a body may take is decided by the guard."""


class Server(uvicorn.Server):
    """A server that tells when it is ready and lets its readers go before it waits for them."""

    def __init__(self, app: Application, *, on_ready: Callable[[], None], before_end: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                # What it says goes where everything else goes.
                log_config=None,
                log_level="warning",
                access_log=False,
                server_header=False,
                http=_Protocol,
                proxy_headers=False,
                ws="websockets-sansio",
                ws_max_size=1024 * 1024,
                timeout_graceful_shutdown=3,
                limit_concurrency=1_000,
                h11_max_incomplete_event_size=64 * 1024,
            )
        )
        self._on_ready = on_ready
        self._before_end = before_end

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer, then say so."""
        await super().startup(sockets=sockets)
        if self.started:
            self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End."""
        self._before_end()
        await super().shutdown(sockets=sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002  the signature of a handler
        """An interrupt is the way to end a server, not a failure; a second one does not wait."""
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


class _Protocol(H11Protocol):
    """Lets go of whoever keeps a connection without ever asking for anything."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in the library
        super().connection_made(transport)
        self._begin_to_count()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_counting()
        elif self._deadline is None:
            self._begin_to_count()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_counting()
        super().connection_lost(exc)

    def _begin_to_count(self) -> None:
        self._deadline = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_counting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there, on this machine alone where no host is named. Raises PaperError."""
    # An empty name would mean every address, and nobody has said so.
    host = host or "127.0.0.1"
    # With the protocol named, Python sends small answers at once instead of waiting 40 ms for more.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except (OSError, OverflowError, UnicodeError) as error:
        listener.close()
        raise PaperError("cannot-listen", host=host, port=port, reason=system_text(error)) from error
    return listener


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
