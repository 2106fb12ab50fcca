"""Connections that lead only where they may, end at the deadline, and can be hung up on from any thread.

A name is resolved once, every address it has is checked, and the connection goes to a checked address: a
resolver that changes its answer in between changes nothing. The name itself stays in the Host header and
in the TLS handshake. Only this room knows the HTTP library.
"""

from __future__ import annotations

import queue
import selectors
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from functools import cache
from typing import Any

import httpcore2
import httpx2

from paperagents.errors import ToolError
from paperagents.http.addresses import is_allowed, is_public
from paperagents.messages import system_text
from paperagents.sandbox.limits import Cancellation
from paperagents.values import dataclass

KEEP_ALIVE_SECONDS = 60.0


class TransportError(Exception):
    """No answer, or not all of it; its text is the reason in the system's words."""


class TimedOutError(TransportError):
    """It took longer than it may."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"{seconds:g} s")
        self.seconds = seconds


class UnknownHostError(TransportError):
    """The name leads nowhere."""


class UnreachableError(TransportError):
    """No address takes a connection."""


class HandshakeError(TransportError):
    """No encrypted connection, or not with the server that was meant."""


class BrokenConnectionError(TransportError):
    """The connection ended in the middle."""


class MalformedAnswerError(TransportError):
    """What came back is not HTTP."""


class Exchange:
    """One request and its answer, redirects included: the deadline of it all, and the way to cancel it."""

    def __init__(self, seconds: float, stop: Cancellation | None = None) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._stop = stop
        self._handle: socket.socket | None = None
        self._is_hung_up = False

    def time_left(self, timeout: float | None = None) -> float:
        """How long the next wait may take: until the deadline, at most the timeout. Raises TimedOutError."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimedOutError(self._seconds)
        return left if timeout is None else min(left, timeout)

    def timed_out(self, timeout: float | None) -> TimedOutError:
        """The error of a wait that took its whole time: names the timeout, or the deadline where that was nearer."""
        if timeout is None or time.monotonic() >= self._end:
            return TimedOutError(self._seconds)
        return TimedOutError(timeout)

    def shorten(self, seconds: float) -> None:
        """Move the deadline to so many seconds from now, unless it is nearer already."""
        self._end = min(self._end, time.monotonic() + seconds)

    def follow(self, handle: socket.socket) -> None:
        """From here on it goes over this socket."""
        self._handle = handle
        if self._is_hung_up:
            self.hang_up()

    def hang_up(self) -> None:
        """End every wait, from any thread."""
        self._is_hung_up = True
        if self._handle is not None:
            with suppress(OSError):
                self._handle.shutdown(socket.SHUT_RDWR)

    @contextmanager
    def in_progress(self) -> Iterator[None]:
        """Inside, what this thread sends and receives belongs to this exchange, and a stop hangs up on it."""
        token = _current.set(self)
        try:
            with self._stop.stopping(self.hang_up) if self._stop else nullcontext():
                yield
        finally:
            _current.reset(token)


# A connection that stays open serves one exchange after another; the thread that uses it knows for which.
_current: ContextVar[Exchange] = ContextVar("the exchange of this thread")


def resolve_by_system(host: str, port: int) -> list[str]:
    """All addresses the system's resolver has for a name."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def dial_by_system(address: str, port: int, seconds: float) -> socket.socket:
    """A connected socket. It can be hung up on while it is connecting."""
    dialled = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        _current.get().follow(dialled)
        dialled.settimeout(seconds)
        dialled.connect((address, port))
    except BaseException:
        dialled.close()
        raise
    return dialled


@dataclass(frozen=True, kw_only=True, slots=True)
class Network:
    """The two things asked of the system: where a name leads, and a connection to there."""

    resolve: Callable[[str, int], Sequence[str]] = resolve_by_system
    dial: Callable[[str, int, float], socket.socket] = dial_by_system


@dataclass(frozen=True, kw_only=True, slots=True)
class PreparedRequest:
    """A request that has been checked and can be sent."""

    method: str
    url: httpx2.URL
    headers: tuple[tuple[str, bytes], ...]
    content: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class StreamedResponse:
    """An answer whose body is still coming."""

    status: int
    headers: Mapping[str, str]
    """Whatever the case of their names."""
    chunks: Iterator[bytes]
    """Decompressed. Reading them raises TransportError."""


class Connections:
    """Connections to one server."""

    def __init__(
        self,
        *,
        allowed_hosts: Iterable[str] | None = None,
        network: Network | None = None,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        """``allowed_hosts`` may have addresses that are not public; None: any server may."""
        backend = _CheckedBackend(network or Network(), allowed_hosts)
        self._pool = httpcore2.ConnectionPool(
            ssl_context=ssl_context, network_backend=backend, keepalive_expiry=KEEP_ALIVE_SECONDS
        )

    @contextmanager
    def send(
        self, request: PreparedRequest, exchange: Exchange, timeouts: Mapping[str, float] | None = None
    ) -> Iterator[StreamedResponse]:
        """Send a request; inside, its answer can be read. Raises TransportError.

        ``timeouts`` are those of single waits: ``connect``, ``read``, ``write``, and ``pool`` for a free connection.
        """
        url = request.url
        target = httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        headers = [(b"host", url.netloc), *((name.encode("ascii"), value) for name, value in request.headers)]
        if request.content or request.method in ("POST", "PUT", "PATCH"):
            headers.append((b"content-length", str(len(request.content)).encode("ascii")))
        waits = dict(timeouts or {})
        with (
            exchange.in_progress(),
            translate_errors(waits),
            self._pool.stream(
                request.method, target, headers=headers, content=request.content or None, extensions={"timeout": waits}
            ) as answer,
        ):
            response = httpx2.Response(answer.status, headers=answer.headers, content=answer.iter_stream())
            yield StreamedResponse(status=answer.status, headers=response.headers, chunks=read_chunks(response))

    def close(self) -> None:
        """End them all."""
        self._pool.close()


def read_chunks(response: httpx2.Response) -> Iterator[bytes]:
    """The body, decompressed."""
    with translate_errors({}):
        yield from response.iter_bytes()


@contextmanager
def translate_errors(timeouts: Mapping[str, float]) -> Iterator[None]:
    """Raise TransportError for an error of the HTTP library."""
    try:
        yield
    except httpcore2.PoolTimeout:
        raise TimedOutError(timeouts["pool"]) from None
    except httpcore2.NetworkError as error:
        raise BrokenConnectionError(str(error)) from error
    except (httpcore2.ProtocolError, httpcore2.ConnectionNotAvailable, httpx2.DecodingError) as error:
        raise MalformedAnswerError(str(error)) from error


@cache
def default_ssl_context() -> ssl.SSLContext:
    """The system's certificates; the environment cannot add any."""
    return httpx2.create_ssl_context(trust_env=False)


class _CheckedBackend(httpcore2.NetworkBackend):
    """Opens connections for the HTTP library, to checked addresses only."""

    def __init__(self, network: Network, allowed_hosts: Iterable[str] | None) -> None:
        self._network = network
        self._allowed_hosts = None if allowed_hosts is None else tuple(allowed_hosts)

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,  # noqa: ARG002  never asked for
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,  # noqa: ARG002  never asked for
    ) -> httpcore2.NetworkStream:
        """Resolve, check, connect."""
        addresses = self.resolve(host, port, timeout)
        if self._allowed_hosts is not None and not is_allowed(host, port, self._allowed_hosts):
            # One closed address among public ones is enough: which of them would be dialled is chance.
            for address in addresses:
                if not is_public(address):
                    raise ToolError("address-forbidden", host=host, address=address)
        connected = self.connect(port, addresses, timeout)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # The second handle stays valid when the first is wrapped for TLS.
        return _Stream(connected, connected.dup())

    def resolve(self, host: str, port: int, timeout: float | None) -> Sequence[str]:
        """Ask the resolver in a thread of its own: the system's has no time limit."""
        answers: queue.SimpleQueue[Sequence[str]] = queue.SimpleQueue()

        def ask() -> None:
            try:
                answers.put(self._network.resolve(host, port))
            except (OSError, ValueError):
                answers.put(())

        exchange = _current.get()
        threading.Thread(target=ask, daemon=True, name="resolve").start()
        try:
            addresses = answers.get(timeout=exchange.time_left(timeout))
        except queue.Empty:
            raise exchange.timed_out(timeout) from None
        if not addresses:
            raise UnknownHostError(host)
        return addresses

    def connect(self, port: int, addresses: Sequence[str], timeout: float | None) -> socket.socket:
        """A connection to the first address that answers; each gets its share of the time."""
        exchange, failed = _current.get(), OSError()
        for number, address in enumerate(addresses):
            share = exchange.time_left(timeout) / (len(addresses) - number)
            try:
                return self._network.dial(address, port, share)
            except OSError as error:
                failed = error
        exchange.time_left()
        if isinstance(failed, TimeoutError):
            raise exchange.timed_out(timeout)
        raise UnreachableError(system_text(failed)) from failed


class _Stream(httpcore2.NetworkStream):
    """A socket on which every single wait ends at the deadline, however slowly the other side drips."""

    def __init__(self, connected: socket.socket, handle: socket.socket) -> None:
        self._socket = connected
        self._handle = handle

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes."""
        exchange = self.set_timeout(timeout)
        try:
            return self._socket.recv(max_bytes)
        except TimeoutError:
            raise exchange.timed_out(timeout) from None
        except OSError as error:
            raise httpcore2.ReadError(system_text(error)) from error

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of it."""
        rest = memoryview(buffer)
        while rest:
            exchange = self.set_timeout(timeout)
            try:
                rest = rest[self._socket.send(rest) :]
            except TimeoutError:
                raise exchange.timed_out(timeout) from None
            except OSError as error:
                # Not an error of ours: the library still reads what the server may have said before it hung up.
                raise httpcore2.WriteError(system_text(error)) from error

    def close(self) -> None:
        """Hang up."""
        self._socket.close()
        self._handle.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        """Go on encrypted, with the certificate checked against the name."""
        exchange = self.set_timeout(timeout)
        try:
            wrapped = ssl_context.wrap_socket(self._socket, server_hostname=server_hostname)
        except TimeoutError:
            self.close()
            raise exchange.timed_out(timeout) from None
        except (OSError, ValueError) as error:
            self.close()
            raise HandshakeError(str(error)) from error
        return _Stream(wrapped, self._handle)

    def get_extra_info(self, info: str) -> Any:
        """What the HTTP library wants to know: what TLS has agreed on, and whether the server has hung up meanwhile."""
        if info == "ssl_object":
            return self._socket if isinstance(self._socket, ssl.SSLSocket) else None
        if info == "is_readable":
            with selectors.DefaultSelector() as selector:
                selector.register(self._handle, selectors.EVENT_READ)
                return bool(selector.select(0))
        return None

    def set_timeout(self, timeout: float | None) -> Exchange:
        """Prepare the socket for one wait of this thread's exchange."""
        exchange = _current.get()
        exchange.follow(self._handle)
        self._socket.settimeout(exchange.time_left(timeout))
        return exchange
