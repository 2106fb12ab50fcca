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

from paperagents.agents.model import Listener, ModelRequest, ModelTurn
from paperagents.agents.turn import StreamedTurn, events, refusal
from paperagents.definitions.json_value import JsonObject
from paperagents.errors import CancelledError, ModelRefusedError, ToolError
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
        self._counts = True
        """Whether the server can be asked to tell what an answer in pieces has cost."""
        self._line = _Line()
        context = httpx2.create_ssl_context(trust_env=False) if base_url.startswith("https:") else None
        self._pool = httpcore2.ConnectionPool(ssl_context=context, network_backend=self._line, keepalive_expiry=60.0)

    def answer(self, request: ModelRequest, listener: Listener, stop: Cancellation) -> ModelTurn:
        """One turn, followed while it is being written."""
        try:
            return self._answer(request, listener, stop)
        except ModelRefusedError as error:
            if "stream_options" not in str(error.values.get("reason")):
                raise
        # Older servers refuse what they do not know.
        self._counts = False
        return self._answer(request, listener, stop)

    def _answer(self, request: ModelRequest, listener: Listener, stop: Cancellation) -> ModelTurn:
        listener.begin()
        with self._told(stop), self._line.following(stop, self._limits.seconds), self._sent(request) as response:
            pieces = iter(response.iter_stream())
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

    @contextmanager
    def _sent(self, request: ModelRequest) -> Iterator[httpcore2.Response]:
        limits = self._limits
        body = json.dumps(_body(request, self._host, counts=self._counts), separators=(",", ":")).encode()
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
            "Accept-Encoding": "identity",
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
            raise _unless_stopped(
                stop, ToolError("model-timeout", seconds=f"{self._limits.silence:g}", retryable=True)
            ) from None
        except (httpcore2.NetworkError, OSError) as error:
            failed = ToolError("model-unreachable", address=self._host, reason=str(error), retryable=True)
            raise _unless_stopped(stop, failed) from error
        except (httpcore2.ProtocolError, httpcore2.ConnectionNotAvailable) as error:
            raise _unless_stopped(stop, ToolError("model-broken", reason=str(error), retryable=True)) from error
        except ToolError as error:
            raise _unless_stopped(stop, error) from None


def _body(request: ModelRequest, host: str, *, counts: bool) -> JsonObject:
    body: JsonObject = {
        "model": request.model,
        "messages": list(request.messages),
        "stream": True,
    }
    if counts:
        body["stream_options"] = {"include_usage": True}
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
    is_stream = "event-stream" in _header(response, b"content-type") or not first.strip()
    done, reason = False, "no end" if is_stream else f"no JSON: {first[:_SHOWN]!r}"
    for data in events(pieces, limit=limits.answer_bytes):
        if data.strip() == _DONE:
            done = True
            break
        reason = "no end"
        streamed.take(_decoded(data))
    if not done and not streamed.finish:
        raise ToolError("model-broken", reason=reason, retryable=True)
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
        return ModelRefusedError(
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


def _unless_stopped(stop: Cancellation, failed: ToolError) -> ToolError | CancelledError:
    """A line that somebody has hung up has not failed."""
    return CancelledError() if stop.cancelled else failed


class _Line(httpcore2.SyncBackend):
    """Opens the connections of one server, so that an answer can be hung up on without touching the others."""

    def __init__(self) -> None:
        self.talks: dict[int, _Talk] = {}
        """What each thread is about."""

    def connect_tcp(self, *given: Any, **named: Any) -> httpcore2.NetworkStream:
        """A connection."""
        stream = super().connect_tcp(*given, **named)
        connected: socket.socket = stream.get_extra_info("socket")
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # The second handle stays valid when the first is wrapped for TLS.
        return _Stream(stream, connected.dup(), self)

    @contextmanager
    def following(self, stop: Cancellation, seconds: float) -> Iterator[None]:
        """Inside, a stop hangs up on what this thread talks to, and all of it may take so long."""
        talk = self.talks[threading.get_ident()] = _Talk(seconds)
        try:
            with stop.stopping(talk.hang_up):
                yield
        finally:
            del self.talks[threading.get_ident()]

    @contextmanager
    def hurrying(self) -> Iterator[None]:
        """Inside, this thread waits only a moment for what the server may still send."""
        self.talks[threading.get_ident()].longest_wait = _MOMENT
        yield


class _Talk:
    """One request and its answer."""

    def __init__(self, seconds: float) -> None:
        self.longest_wait: float | None = None
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._handle: socket.socket | None = None
        self._hung_up = False

    def on(self, handle: socket.socket) -> None:
        """It goes over this connection."""
        self._handle = handle
        if self._hung_up:
            self.hang_up()

    def remaining(self) -> float:
        """The seconds left. Raises ToolError where there are none: a drop now and then is no answer."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise ToolError("model-timeout", seconds=f"{self._seconds:g}", retryable=True)
        return left

    def hang_up(self) -> None:
        """End every wait, from any thread."""
        self._hung_up = True
        if self._handle is not None:
            with suppress(OSError):
                self._handle.shutdown(socket.SHUT_RDWR)


class _Stream(httpcore2.NetworkStream):
    """A connection that knows who uses it."""

    def __init__(self, stream: httpcore2.NetworkStream, handle: socket.socket, line: _Line) -> None:
        self._stream = stream
        self._handle = handle
        self._line = line

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes."""
        if (talk := self._line.talks.get(threading.get_ident())) is None:
            return self._stream.read(max_bytes, timeout)
        left = talk.remaining()
        try:
            return self._stream.read(max_bytes, min(left, talk.longest_wait or timeout or left))
        except httpcore2.ReadTimeout:
            talk.remaining()
            raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of it."""
        if (talk := self._line.talks.get(threading.get_ident())) is not None:
            talk.on(self._handle)
        self._stream.write(buffer, timeout)

    def close(self) -> None:
        """End the connection."""
        self._stream.close()
        self._handle.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        """Go on encrypted."""
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, timeout), self._handle, self._line)

    def get_extra_info(self, info: str) -> Any:
        """What the HTTP library wants to know."""
        return self._stream.get_extra_info(info)
