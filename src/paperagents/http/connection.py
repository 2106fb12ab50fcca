"""Connections that lead only where they may, and end when the time is over.

A name is resolved once, every address it has is checked, and the connection goes to a checked address: a
resolver that changes its answer in between changes nothing. The name itself stays in the Host header and
in the TLS handshake.
"""

from __future__ import annotations

import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TypeAlias

import httpcore2

from paperagents.errors import ToolError
from paperagents.http.addresses import is_public
from paperagents.messages import system_text

Resolve: TypeAlias = Callable[[str, int], Sequence[str]]
Dial: TypeAlias = Callable[[str, int, float], socket.socket]


def resolve_by_system(host: str, port: int) -> list[str]:
    """All addresses the system's resolver has for a name."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def dial_by_system(address: str, port: int, seconds: float) -> socket.socket:
    """A connected socket."""
    return socket.create_connection((address, port), timeout=seconds)


@dataclass(frozen=True, kw_only=True, slots=True)
class Network:
    """The two things asked of the system: where a name leads, and a connection to there."""

    resolve: Resolve = resolve_by_system
    dial: Dial = dial_by_system


class Deadline:
    """The moment at which everything about a request must be over."""

    def __init__(self, seconds: float, host: str, *, retryable: bool) -> None:
        self._end = time.monotonic() + seconds
        self._seconds = seconds
        self._host = host
        self._retryable = retryable

    def remaining(self) -> float:
        """The seconds left; an error when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.passed()
        return left

    def passed(self) -> ToolError:
        """The error that says so."""
        seconds = f"{self._seconds:g}"
        return ToolError("http-timeout", host=self._host, seconds=seconds, retryable=self._retryable)


def is_allowed(host: str, port: int, allowed_hosts: Iterable[str]) -> bool:
    """Whether the settings name this host: with a port only that one, without a port every one."""
    wanted = _plain_host(host)
    return any(
        _plain_host(name) == wanted and allowed_port in (None, port)
        for name, allowed_port in map(_host_and_port, allowed_hosts)
    )


class CheckedBackend(httpcore2.NetworkBackend):
    """Opens connections for the HTTP library, to checked addresses only."""

    def __init__(self, network: Network, allowed_hosts: Iterable[str], deadline: Deadline) -> None:
        self._network = network
        self._allowed_hosts = tuple(allowed_hosts)
        self._deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002  the deadline decides
        local_address: str | None = None,  # noqa: ARG002  never asked for
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,  # noqa: ARG002  never asked for
    ) -> httpcore2.NetworkStream:
        """Resolve, check, connect."""
        addresses = self._resolved(host, port)
        if not is_allowed(host, port, self._allowed_hosts):
            _require_public(host, addresses)
        return DeadlineStream(self._connected(host, port, addresses), self._deadline)

    def _resolved(self, host: str, port: int) -> Sequence[str]:
        """Ask the resolver in a thread of its own: the system's has no time limit."""
        answers: queue.SimpleQueue[Sequence[str]] = queue.SimpleQueue()

        def ask() -> None:
            try:
                answers.put(self._network.resolve(host, port))
            except (OSError, ValueError):
                answers.put(())

        threading.Thread(target=ask, daemon=True, name="resolve").start()
        try:
            addresses = answers.get(timeout=self._deadline.remaining())
        except queue.Empty:
            raise self._deadline.passed() from None
        if not addresses:
            raise ToolError("host-not-found", host=host, retryable=True)
        return addresses

    def _connected(self, host: str, port: int, addresses: Sequence[str]) -> socket.socket:
        """A connection to the first address that answers; each gets its share of the time."""
        reason = ""
        for number, address in enumerate(addresses):
            share = self._deadline.remaining() / (len(addresses) - number)
            try:
                connected = self._network.dial(address, port, share)
            except OSError as error:
                reason = system_text(error)
                continue
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connected
        self._deadline.remaining()
        raise ToolError("connection-failed", host=host, reason=reason, retryable=True)


class DeadlineStream(httpcore2.NetworkStream):
    """A socket on which every single wait ends at the deadline, however slowly the other side drips."""

    def __init__(self, connected: socket.socket, deadline: Deadline) -> None:
        self._socket = connected
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002  the deadline decides
        """The next bytes."""
        self._socket.settimeout(self._deadline.remaining())
        try:
            return self._socket.recv(max_bytes)
        except TimeoutError:
            raise self._deadline.passed() from None
        except OSError as error:
            raise httpcore2.ReadError(system_text(error)) from error

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002  the deadline decides
        """Send all of it."""
        rest = memoryview(buffer)
        try:
            while rest:
                self._socket.settimeout(self._deadline.remaining())
                rest = rest[self._socket.send(rest) :]
        except TimeoutError:
            raise self._deadline.passed() from None
        except OSError as error:
            raise httpcore2.WriteError(system_text(error)) from error

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002  the deadline decides
    ) -> httpcore2.NetworkStream:
        """Go on encrypted, with the certificate checked against the name."""
        try:
            self._socket.settimeout(self._deadline.remaining())
            wrapped = ssl_context.wrap_socket(self._socket, server_hostname=server_hostname)
        except TimeoutError:
            self.close()
            raise self._deadline.passed() from None
        except (OSError, ValueError) as error:
            self.close()
            raise httpcore2.ConnectError(str(error)) from error
        return DeadlineStream(wrapped, self._deadline)

    def get_extra_info(self, info: str) -> ssl.SSLSocket | None:
        """What the HTTP library wants to know: which protocol TLS has agreed on."""
        return self._socket if info == "ssl_object" and isinstance(self._socket, ssl.SSLSocket) else None


def _require_public(host: str, addresses: Sequence[str]) -> None:
    for address in addresses:
        if not is_public(address):
            raise ToolError("address-forbidden", host=host, address=address)


def _host_and_port(entry: str) -> tuple[str, int | None]:
    """``name``, ``name:port``, ``[address]:port`` or a bare address with colons of its own."""
    name, separator, port = entry.strip().rpartition(":")
    if separator and port.isdecimal() and (":" not in name or name.endswith("]")):
        return name, int(port)
    return entry.strip(), None


def _plain_host(host: str) -> str:
    """One spelling per host: case, brackets, a final dot and the many forms of an IPv6 address."""
    name = host.removeprefix("[").removesuffix("]").rstrip(".").lower()
    try:
        return str(ip_address(name))
    except ValueError:
        pass
    try:
        return name.encode("idna").decode("ascii")
    except UnicodeError:
        return name
