"""Web requests of tools, within limits.

Nothing is taken from the environment: no proxies, no stored passwords, no cookies. Redirects of reading
requests are followed and checked one by one; those of changing requests are the caller's to decide.
"""

from __future__ import annotations

import math
import re
import ssl
import time
from base64 import b64encode
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from email.utils import parsedate_to_datetime
from http.client import responses

import httpx2

from paperagents.definitions.json_value import JsonValue
from paperagents.errors import HttpStatusError, ToolError
from paperagents.http.connection import (
    Connections,
    Exchange,
    HandshakeError,
    MalformedAnswerError,
    Network,
    PreparedRequest,
    TimedOutError,
    TransportError,
    UnknownHostError,
    UnreachableError,
    default_ssl_context,
)
from paperagents.http.messages import (
    HttpLimits,
    HttpRequest,
    HttpResponse,
    decode_body,
    encode_body,
    has_method_parameter,
    is_changing,
    is_token,
    may_change,
    normalize_method,
    parse_json,
)
from paperagents.http.urls import parse_url, port_of, url_invalid
from paperagents.sandbox.limits import Cancellation
from paperagents.version import __version__

_REDIRECTS = (301, 302, 303, 307, 308)
_RETRYABLE = (408, 425, 429)


def send_request(  # noqa: PLR0913  the last three have good defaults
    request: HttpRequest,
    *,
    allowed_hosts: Iterable[str] = (),
    limits: HttpLimits | None = None,
    stop: Cancellation | None = None,
    network: Network | None = None,
    ssl_context: ssl.SSLContext | None = None,
) -> HttpResponse:
    """Send a request and give its answer; 400 and above is an error that carries the answer."""
    limits = limits or HttpLimits()
    prepared = prepare_request(request, limits)
    exchange = Exchange(_time_limit(request, limits), stop)
    for _ in range(limits.redirects + 1):
        context = (ssl_context or default_ssl_context()) if prepared.url.scheme == "https" else None
        # Never the connection of before: each place it is redirected to is resolved and checked anew.
        with closing(Connections(allowed_hosts=allowed_hosts, network=network, ssl_context=context)) as connections:
            response = _fetch(prepared, connections, exchange, limits)
        target = _redirect_target(prepared, response, changes=may_change(request))
        if target is None:
            return _require_success(prepared, response)
        prepared = follow_redirect(prepared, target)
    raise ToolError("too-many-redirects", host=prepared.url.host, limit=limits.redirects)


def web_search(
    url: str,
    method: str = "GET",
    *,
    allowed_hosts: Iterable[str] = (),
    stop: Cancellation | None = None,
) -> JsonValue:
    """The JSON at an address, itself. It never asks, so it never changes anything."""
    request = HttpRequest(url=url, method=method)
    if may_change(request):
        raise ToolError("method-changing", tool="web_search", method=ascii(method))
    response = send_request(request, allowed_hosts=allowed_hosts, stop=stop)
    if not response.is_json:
        raise ToolError("answer-not-json", host=parse_url(url).host, details={"response": response.as_json()})
    return response.json


def _fetch(request: PreparedRequest, connections: Connections, exchange: Exchange, limits: HttpLimits) -> HttpResponse:
    """One request and its whole answer."""
    content = bytearray()
    try:
        with connections.send(request, exchange) as answer:
            for chunk in answer.chunks:
                content += chunk
                if len(content) > limits.response_bytes:
                    raise ToolError("response-too-large", host=request.url.host, limit=limits.response_bytes)
                exchange.time_left()
    except TransportError as error:
        raise _explain(error, request) from error
    kind = answer.headers.get("content-type", "")
    body = decode_body(bytes(content), kind)
    value, is_json = parse_json(body, kind)
    return HttpResponse(
        status=answer.status, headers=dict(answer.headers.items()), body=body, json=value, is_json=is_json
    )


def _explain(error: TransportError, request: PreparedRequest) -> ToolError:
    host, is_reading = request.url.host, not is_changing(request.method)
    match error:
        case TimedOutError():
            return ToolError("http-timeout", host=host, seconds=f"{error.seconds:g}", retryable=is_reading)
        case UnknownHostError():
            return ToolError("host-not-found", host=host, retryable=True)
        case MalformedAnswerError():
            return ToolError("http-protocol", host=host, reason=str(error))
        case UnreachableError():
            retryable = True
        case HandshakeError():
            retryable = False
        case _:
            # Nobody knows whether a changing request has arrived, so it is not for blind repetition.
            retryable = is_reading
    return ToolError("connection-failed", host=host, reason=str(error), retryable=retryable)


def _redirect_target(request: PreparedRequest, response: HttpResponse, *, changes: bool) -> httpx2.URL | None:
    location = response.headers.get("location")
    if response.status not in _REDIRECTS or location is None:
        return None
    try:
        target = parse_url(str(request.url.join(location)))
    except httpx2.InvalidURL:
        raise url_invalid(location, "url-unreadable") from None
    if not (changes or has_method_parameter(str(target))):
        return target
    raise ToolError(
        "redirect-not-followed",
        method=request.method,
        host=request.url.host,
        status=response.status,
        location=str(target.copy_with(query=None)),
        details={"status": response.status, "location": str(target), "response": response.as_json()},
    )


def _require_success(request: PreparedRequest, response: HttpResponse) -> HttpResponse:
    if response.status < 400:
        return response
    raise HttpStatusError(
        "http-status",
        host=request.url.host,
        status=response.status,
        phrase=responses.get(response.status, ""),
        retryable=response.status in _RETRYABLE or response.status >= 500,
        details={
            "response": response.as_json(),
            "retry_after": parse_retry_after(response.headers.get("retry-after", "")),
        },
    )


def parse_retry_after(value: str) -> float | None:
    """Seconds to wait, written as a number or as a date; never more than a day."""
    try:
        if value.replace(".", "", 1).isdecimal():
            seconds = float(value)
        else:
            seconds = parsedate_to_datetime(value[:100]).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError):
        return None
    return min(max(seconds, 0.0), 86_400.0)


# --- everything a tool asked for is checked before anything is sent


_LOGIN = re.compile(r"(basic) +([^:]*:.*)", re.IGNORECASE)
_SET_BY_US = frozenset({"accept-encoding", "connection", "content-length", "keep-alive"})
_FORBIDDEN = frozenset(
    {"expect", "host", "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}
)
# What another server may see after a redirect; keys and cookies are not among it.
_HARMLESS = frozenset(
    {
        "accept", "accept-encoding", "accept-language", "cache-control", "connection", "content-type", "range",
        "user-agent",
    }
)  # fmt: skip


def prepare_request(request: HttpRequest, limits: HttpLimits) -> PreparedRequest:
    """Check a request; raises ToolError with the reason why it cannot be sent."""
    method = normalize_method(request.method)
    content, kind = encode_body(request.body, limits.request_bytes)
    headers = {
        "user-agent": f"paperagents/{__version__}".encode(),
        "accept": b"*/*",
        **({"content-type": kind.encode()} if kind else {}),
        **_check_headers(request),
        "accept-encoding": b"gzip, deflate",
        "connection": b"close",
    }
    return PreparedRequest(method=method, url=parse_url(request.url), headers=tuple(headers.items()), content=content)


def follow_redirect(request: PreparedRequest, target: httpx2.URL) -> PreparedRequest:
    """The same request at its new place. Another server gets neither the keys nor the body."""
    origin, new_origin = ((url.scheme, url.raw_host, port_of(url)) for url in (request.url, target))
    if origin != new_origin:
        headers = tuple(item for item in request.headers if item[0] in _HARMLESS)
        return replace(request, url=target, headers=headers, content=b"")
    return replace(request, url=target)


def _time_limit(request: HttpRequest, limits: HttpLimits) -> float:
    if request.timeout is None:
        return limits.seconds
    if not math.isfinite(request.timeout) or request.timeout <= 0:
        raise ToolError("timeout-invalid", timeout=request.timeout)
    return min(request.timeout, limits.seconds)


def _check_headers(request: HttpRequest) -> dict[str, bytes]:
    headers = {}
    for name, value in request.headers.items():
        lower = name.strip().lower()
        if value is None or lower in _SET_BY_US:
            continue
        if not is_token(lower):
            raise ToolError("header-invalid", name=ascii(name))
        if lower in _FORBIDDEN:
            raise ToolError("header-forbidden", name=ascii(name))
        headers[lower] = _header_value(name, value)
    return headers


def _header_value(name: str, value: JsonValue) -> bytes:
    if isinstance(value, list | dict):
        raise ToolError("header-invalid", name=ascii(name))
    text = str(value).lower() if isinstance(value, bool) else str(value).strip()
    if name.strip().lower() == "authorization" and (login := _LOGIN.fullmatch(text)):
        # A login as people write it; encoded, it has no colon.
        text = f"{login[1]} {b64encode(login[2].encode('utf-8', 'replace')).decode()}"
    try:
        encoded = text.encode("utf-8")
    except UnicodeEncodeError:
        raise ToolError("header-invalid", name=ascii(name)) from None
    if any((byte < 32 and byte != 9) or byte == 127 for byte in encoded):
        raise ToolError("header-invalid", name=ascii(name))
    return encoded
