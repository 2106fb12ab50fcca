"""The server process. The one module that knows uvicorn."""

from __future__ import annotations

import asyncio
import ipaddress
import signal
import socket
from collections.abc import Callable
from types import FrameType

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from paperagents.errors import PaperError
from paperagents.messages import system_text

HEAD_SECONDS = 15.0
"""For the whole head of a request; the limit for bodies is the guard's."""


class Server(uvicorn.Server):
    """A server that reports when it is ready, and ends its streams before it waits for their readers."""

    def __init__(self, app: ASGIApp, *, on_ready: Callable[[], None], before_end: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                # Its messages go to our own log.
                log_config=None,
                log_level="warning",
                access_log=False,
                server_header=False,
                http=_HeadTimeoutProtocol,
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
        """Start, then call ``on_ready``."""
        await super().startup(sockets=sockets)
        if self.started:
            self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Call ``before_end``, then stop."""
        self._before_end()
        await super().shutdown(sockets=sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002  the signature of a handler
        """Exit with 0 on an interrupt; a second one does not wait."""
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


class _HeadTimeoutProtocol(H11Protocol):
    """Closes connections that do not send the head of a request in time."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in the library
        super().connection_made(transport)
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_timer()
        elif self._deadline is None:
            self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _start_timer(self) -> None:
        self._deadline = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_timer(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def listen(host: str, port: int) -> socket.socket:
    """A listening socket, on this machine alone where no host is named. Raises PaperError."""
    # An empty name would mean every address, which has to be asked for.
    host = host or "127.0.0.1"
    # With the protocol named, asyncio sets TCP_NODELAY: small responses are not delayed by 40 ms.
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
