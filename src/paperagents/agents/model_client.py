"""Language models behind the chat interface that most servers speak: OpenRouter, OpenAI, and local ones.

Nothing is taken from the environment: no proxies, no stored passwords. A redirect is not followed: it would carry
the key to another place.
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

import httpcore2
import httpx2

from paperagents.agents.language_model import Listener, ModelRequest, ModelTurn
from paperagents.agents.streamed_turn import StreamedTurn, events, refusal
from paperagents.definitions.json_value import JsonObject
from paperagents.errors import CancelledError, ToolError
from paperagents.sandbox import Cancellation
from paperagents.version import __version__

_DONE = "[DONE]"
_SHOWN = 200
_MOMENT = 0.05


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelLimits:
    """How much one answer may take."""

    seconds: float = 600.0
    silence: float = 120.0
    connecting: float = 15.0
    answer_bytes: int = 64 * 1024 * 1024
    error_bytes: int = 64 * 1024


class ChatModel:
    """One server, with its connections kept open between turns."""

    def __init__(self, base_url: str, key: str | None, limits: ModelLimits | None = None) -> None:
        self._address = f"{base_url.rstrip('/')}/chat/completions"
        self._host = urlsplit(base_url).netloc
        self._key = key
        self._limits = limits or ModelLimits()
        self._line = _Line()
        self._pool = self._new_pool()

    def answer(self, request: ModelRequest, listener: Listener, stop: Cancellation) -> ModelTurn:
        """One turn, followed while it is being written."""
        listener.begin()
        end = time.monotonic() + self._limits.seconds
        with self._told(stop), stop.stopping(self._line.hang_up), self._sent(request) as response:
            pieces = self._in_time(response.iter_stream(), end)
            if response.status != 200:
                raise _refused(response, pieces, self._limits)
            turn = _read(response, pieces, listener, self._limits)
            with self._line.hurrying():
                # The last empty piece: without it the connection could not be used again.
                _drain(pieces)
            return turn

    def close(self) -> None:
        """Let go of the connections."""
        self._pool.close()
        self._line.let_go()

    def _new_pool(self) -> httpcore2.ConnectionPool:
        context = httpx2.create_ssl_context(trust_env=False) if self._address.startswith("https:") else None
        return httpcore2.ConnectionPool(ssl_context=context, network_backend=self._line, keepalive_expiry=60.0)

    @contextmanager
    def _sent(self, request: ModelRequest) -> Iterator[httpcore2.Response]:
        limits = self._limits
        body = json.dumps(_body(request, self._host), separators=(",", ":")).encode()
        wait = {"connect": limits.connecting, "read": limits.silence, "write": limits.silence, "pool": 60.0}
        with self._pool.stream(
            "POST", self._address, headers=self._headers(len(body)), content=body, extensions={"timeout": wait}
        ) as response:
            yield response

    def _headers(self, length: int) -> list[tuple[bytes, bytes]]:
        headers = {
            "Host": self._host,
            "Content-Type": "application/json",
            "Content-Length": str(length),
            "Accept": "text/event-stream, application/json",
            "User-Agent": f"paperagents/{__version__}",
        }
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        return [(name.encode(), value.encode()) for name, value in headers.items()]

    @contextmanager
    def _told(self, stop: Cancellation) -> Iterator[None]:
        """What goes wrong on the line, in our words."""
        try:
            yield
        except httpcore2.TimeoutException:
            raise self._ended(
                stop, ToolError("model-timeout", seconds=f"{self._limits.silence:g}", retryable=True)
            ) from None
        except (httpcore2.NetworkError, OSError) as error:
            failed = ToolError("model-unreachable", address=self._host, reason=str(error), retryable=True)
            raise self._ended(stop, failed) from error
        except (httpcore2.ProtocolError, httpcore2.ConnectionNotAvailable) as error:
            raise self._ended(stop, ToolError("model-broken", reason=str(error), retryable=True)) from error
        except ToolError as error:
            raise self._ended(stop, error) from None

    def _ended(self, stop: Cancellation, failed: ToolError) -> ToolError | CancelledError:
        """A line that was hung up is of no use any more; the next turn gets a new one."""
        if not stop.cancelled:
            return failed
        self.close()
        self._line = _Line()
        self._pool = self._new_pool()
        return CancelledError()

    def _in_time(self, pieces: Iterable[bytes], end: float) -> Iterator[bytes]:
        for piece in pieces:
            if time.monotonic() > end:
                raise ToolError("model-timeout", seconds=f"{self._limits.seconds:g}", retryable=True)
            yield piece


def _body(request: ModelRequest, host: str) -> JsonObject:
    body: JsonObject = {
        "model": request.model,
        "messages": list(request.messages),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.tools:
        body["tools"] = list(request.tools)
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if host.endswith("openrouter.ai"):
        body["usage"] = {"include": True}
    return body


def _read(response: httpcore2.Response, pieces: Iterable[bytes], listener: Listener, limits: ModelLimits) -> ModelTurn:
    streamed = StreamedTurn(listener)
    first = next(iter(pieces := iter(pieces)), b"")
    pieces = chain([first], pieces)
    if "json" in _header(response, b"content-type") or first.lstrip().startswith(b"{"):
        # Some servers know no streaming.
        streamed.take(_decoded(_content(pieces, limits.answer_bytes)))
        return streamed.turn()
    done = False
    for data in events(pieces, limit=limits.answer_bytes):
        if data.strip() == _DONE:
            done = True
            break
        streamed.take(_decoded(data))
    if not done and not streamed.finish:
        raise ToolError("model-broken", reason="no end", retryable=True)
    return streamed.turn()


def _drain(pieces: Iterable[bytes]) -> None:
    with suppress(httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException, ToolError):
        for _ in zip(range(16), pieces, strict=False):
            pass


def _decoded(data: str | bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise ToolError("model-broken", reason=f"no JSON: {data[:_SHOWN]!r}", retryable=True) from None


def _content(pieces: Iterable[bytes], limit: int) -> bytes:
    content = bytearray()
    for piece in pieces:
        content += piece
        if len(content) > limit:
            raise ToolError("model-endless", limit=limit)
    return bytes(content)


def _refused(response: httpcore2.Response, pieces: Iterable[bytes], limits: ModelLimits) -> ToolError:
    if 300 <= response.status < 400:
        return ToolError(
            "model-refused", status=response.status, reason="redirect", details={"status": response.status}
        )
    content = bytearray()
    with suppress(httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException):
        for piece in pieces:
            content += piece
            if len(content) > limits.error_bytes:
                break
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        told = content[:_SHOWN].decode("utf-8", "replace")
    error = told.get("error", told) if isinstance(told, dict) else told
    inner = {**error, "code": response.status} if isinstance(error, dict) else error
    return refusal(inner, response.status, _retry_after(_header(response, b"retry-after")))


def _retry_after(value: str) -> float | None:
    """Seconds to wait, written as a number or as a date."""
    try:
        seconds = float(value) if value.replace(".", "", 1).isdecimal() else None
        moment = parsedate_to_datetime(value[:100]) if value and seconds is None else None
    except (ValueError, TypeError, OverflowError):
        return None
    seconds = moment.timestamp() - time.time() if moment is not None else seconds
    return None if seconds is None else min(max(seconds, 0.0), 86_400.0)


def _header(response: httpcore2.Response, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in response.headers if key.lower() == name), "")


class _Line(httpcore2.SyncBackend):
    """Opens the connections of one server, so that somebody else can hang up."""

    def __init__(self) -> None:
        self._open: list[socket.socket] = []
        self.haste = threading.local()

    def connect_tcp(self, *given: Any, **named: Any) -> httpcore2.NetworkStream:
        """A connection; the second handle on it stays valid when the first is wrapped for TLS."""
        stream = super().connect_tcp(*given, **named)
        connected: socket.socket = stream.get_extra_info("socket")
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while len(self._open) > 8:
            self._open.pop(0).close()
        self._open.append(connected.dup())
        return _Stream(stream, self.haste)

    @contextmanager
    def hurrying(self) -> Iterator[None]:
        """Inside, this thread waits only a moment for what the server may still send."""
        self.haste.seconds = _MOMENT
        try:
            yield
        finally:
            self.haste.seconds = None

    def hang_up(self) -> None:
        """End every wait on these connections, from any thread."""
        for each in list(self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def let_go(self) -> None:
        """Close the second handles."""
        while self._open:
            self._open.pop().close()


class _Stream(httpcore2.NetworkStream):
    """A connection on which a wait can be cut short."""

    def __init__(self, stream: httpcore2.NetworkStream, haste: threading.local) -> None:
        self._stream = stream
        self._haste = haste

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes."""
        return self._stream.read(max_bytes, getattr(self._haste, "seconds", None) or timeout)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of it."""
        self._stream.write(buffer, timeout)

    def close(self) -> None:
        """End the connection."""
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        """Go on encrypted."""
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, timeout), self._haste)

    def get_extra_info(self, info: str) -> Any:
        """What the HTTP library wants to know."""
        return self._stream.get_extra_info(info)
