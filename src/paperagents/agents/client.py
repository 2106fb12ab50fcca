"""Language models behind the chat interface that most servers speak: OpenRouter, OpenAI, and local ones.

Nothing is taken from the environment: no proxies, no stored passwords. A redirect is not followed: it would carry
the key to another place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

from paperagents.agents.model import Listener, ModelRequest, ModelTurn
from paperagents.agents.refusals import refusal
from paperagents.agents.request import request_body
from paperagents.agents.turn import StreamedTurn, events
from paperagents.errors import CancelledError, ModelRefusedError, ToolError
from paperagents.http.client import parse_retry_after
from paperagents.http.connection import (
    Connections,
    Exchange,
    MalformedAnswerError,
    PreparedRequest,
    StreamedResponse,
    TimedOutError,
    TransportError,
    default_ssl_context,
)
from paperagents.http.trace_context import trace_headers
from paperagents.http.urls import parse_url
from paperagents.sandbox import Cancellation
from paperagents.values import dataclass
from paperagents.version import __version__

_DONE = "[DONE]"
_SHOWN = 200
_DRAIN_SECONDS = 0.05
_OPTIONAL = ("stream_options", "stream")
"""Fields that a request can do without."""


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
        self._url = parse_url(f"{base_url.rstrip('/')}/chat/completions")
        self._host = urlsplit(base_url).netloc
        self._key = key
        self._limits = limits or ModelLimits()
        self._left_out: set[str] = set()
        """Fields of requests that this server does not take."""
        # The settings name the server: it may be on this computer.
        self._connections = Connections(ssl_context=default_ssl_context() if base_url.startswith("https:") else None)

    def answer(self, request: ModelRequest, listener: Listener, stop: Cancellation) -> ModelTurn:
        """One turn, followed while it is being written."""
        while True:
            try:
                return self._answer(request, listener, stop)
            except ModelRefusedError as error:
                # Older servers refuse what they do not know, and some cannot answer in pieces.
                named = next((name for name in _OPTIONAL if _is_named(name, error)), None)
                if named is None or named in self._left_out:
                    raise
                self._left_out |= {named, "stream_options"}

    def close(self) -> None:
        """Let go of the connections."""
        self._connections.close()

    def _answer(self, request: ModelRequest, listener: Listener, stop: Cancellation) -> ModelTurn:
        limits = self._limits
        timeouts = {"connect": limits.connecting, "read": limits.silence, "write": limits.silence, "pool": 60.0}
        listener.begin()
        exchange = Exchange(limits.seconds, stop)
        with (
            self._translate_errors(stop),
            self._connections.send(self._prepare(request), exchange, timeouts) as response,
        ):
            if response.status != 200:
                raise _refused(response, limits)
            turn = _read(response, listener, limits)
            # The last empty piece: without it the connection could not be used again.
            exchange.shorten(_DRAIN_SECONDS)
            with suppress(TransportError):
                for _ in zip(range(16), response.chunks, strict=False):
                    pass
            return turn

    def _prepare(self, request: ModelRequest) -> PreparedRequest:
        body = json.dumps(request_body(request, self._host, self._left_out), separators=(",", ":")).encode()
        headers = {
            "Content-Type": "application/json",
            "Accept": "text/event-stream, application/json",
            "Accept-Encoding": "identity",
            "User-Agent": f"paperagents/{__version__}",
            **({"Authorization": f"Bearer {self._key}"} if self._key else {}),
            **trace_headers(),
        }
        encoded = tuple((name, value.encode()) for name, value in headers.items())
        return PreparedRequest(method="POST", url=self._url, headers=encoded, content=body)

    @contextmanager
    def _translate_errors(self, stop: Cancellation) -> Iterator[None]:
        try:
            yield
        except (TransportError, ToolError) as error:
            if stop.cancelled:
                # A line that somebody has hung up has not failed.
                raise CancelledError from None
            match error:
                case ToolError():
                    raise
                case TimedOutError():
                    failed = ToolError("model-timeout", seconds=f"{error.seconds:g}", retryable=True)
                case MalformedAnswerError():
                    failed = ToolError("model-broken", reason=str(error), retryable=True)
                case _:
                    failed = ToolError("model-unreachable", address=self._host, reason=str(error), retryable=True)
            raise failed from error


def _is_named(field: str, error: ModelRefusedError) -> bool:
    words = re.findall(r"\w+", str(error.values.get("reason")).lower())
    return error.details.get("param") == field or field in words or (field == "stream" and "streaming" in words)


def _read(response: StreamedResponse, listener: Listener, limits: ModelLimits) -> ModelTurn:
    streamed = StreamedTurn(listener)
    kind = response.headers.get("content-type", "")
    first = next(response.chunks, b"")
    chunks = chain([first], response.chunks)
    if "json" in kind or first.lstrip().startswith(b"{"):
        # Some servers know no streaming.
        streamed.take(_decode(_collect(chunks, limits.answer_bytes)))
        return streamed.turn()
    is_stream = "event-stream" in kind or not first.strip()
    done, reason = False, "no end" if is_stream else f"no JSON: {first[:_SHOWN]!r}"
    for data in events(chunks, limit=limits.answer_bytes):
        if data.strip() == _DONE:
            done = True
            break
        reason = "no end"
        streamed.take(_decode(data))
    if not done and not streamed.finish:
        raise ToolError("model-broken", reason=reason, retryable=True)
    return streamed.turn()


def _decode(data: str | bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise ToolError("model-broken", reason=f"no JSON: {data[:_SHOWN]!r}", retryable=True) from None


def _collect(chunks: Iterator[bytes], limit: int) -> bytes:
    content = bytearray()
    for chunk in chunks:
        content += chunk
        if len(content) > limit:
            raise ToolError("model-endless", limit=limit)
    return bytes(content)


def _refused(response: StreamedResponse, limits: ModelLimits) -> ToolError:
    if 300 <= response.status < 400:
        return ModelRefusedError(
            "model-refused", status=response.status, reason="redirect", details={"status": response.status}
        )
    content = bytearray()
    with suppress(TransportError):
        for chunk in response.chunks:
            content += chunk
            if len(content) > limits.error_bytes:
                break
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        told = content[:_SHOWN].decode("utf-8", "replace")
    error = told.get("error", told) if isinstance(told, dict) else told
    return refusal(error, response.status, parse_retry_after(response.headers.get("retry-after", "")))
