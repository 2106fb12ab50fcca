"""Web requests within limits. Only this module, ``http_planning`` and ``http_connection`` know the HTTP library.

Nothing is taken from the environment: no proxies, no stored passwords, no cookies. Redirects of reading
requests are followed and checked one by one; those of changing requests are the caller's to decide.
"""

from __future__ import annotations

import math
import re
import ssl
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from functools import cache
from http import HTTPStatus

import httpcore2
import httpx2

from paperagents.definitions.json_value import JsonValue
from paperagents.errors import HttpStatusError, ToolError
from paperagents.http.connection import CheckedBackend, Deadline, Network
from paperagents.http.messages import (
    HttpLimits,
    HttpRequest,
    HttpResponse,
    decoded_body,
    encoded_body,
    is_changing,
    is_token,
    normalised_method,
    parsed_json,
)
from paperagents.messages import Sentence
from paperagents.version import __version__

__all__ = [
    "HttpLimits",
    "HttpRequest",
    "HttpResponse",
    "Network",
    "is_changing",
    "send_request",
    "web_search",
]

_REDIRECTS = (301, 302, 303, 307, 308)
_RETRYABLE = (408, 425, 429)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Received:
    status: int
    headers: httpx2.Headers
    content: bytes


def send_request(
    request: HttpRequest,
    *,
    allowed_hosts: Iterable[str] = (),
    limits: HttpLimits | None = None,
    network: Network | None = None,
    ssl_context: ssl.SSLContext | None = None,
) -> HttpResponse:
    """Send a request and give its answer; 400 and above is an error that carries the answer."""
    limits = limits or HttpLimits()
    plan = planned(request, limits)
    deadline = Deadline(seconds_of(request, limits), plan.url.host, retryable=not is_changing(plan.method))
    backend = CheckedBackend(network or Network(), allowed_hosts, deadline)
    for _ in range(limits.redirects + 1):
        received = _exchange(plan, backend, limits, deadline, ssl_context or _default_ssl_context())
        target = _redirect_target(plan, received)
        if target is None:
            return _judged(plan, received)
        plan = redirected(plan, received.status, target)
    raise ToolError("too-many-redirects", host=plan.url.host, limit=limits.redirects)


def web_search(
    url: str,
    method: str = "GET",
    *,
    allowed_hosts: Iterable[str] = (),
    limits: HttpLimits | None = None,
    network: Network | None = None,
) -> JsonValue:
    """The JSON at an address, itself. It never asks, so it never changes anything."""
    if is_changing(method):
        raise ToolError("method-changing", tool="web_search", method=ascii(method))
    request = HttpRequest(url=url, method=method)
    response = send_request(request, allowed_hosts=allowed_hosts, limits=limits, network=network)
    if not response.is_json:
        details = {"response": response.answer()}
        raise ToolError("answer-not-json", host=parsed_url(url).host, details=details)
    return response.json


def _exchange(
    plan: Plan, backend: CheckedBackend, limits: HttpLimits, deadline: Deadline, ssl_context: ssl.SSLContext
) -> _Received:
    """One request, one answer, on a connection of its own."""
    host = plan.url.host
    address = httpcore2.URL(
        scheme=plan.url.raw_scheme, host=plan.url.raw_host, port=plan.url.port, target=plan.url.raw_path
    )
    headers: list[tuple[bytes, bytes]] = [(b"host", plan.url.netloc), (b"connection", b"close")]
    headers += [(name.encode("ascii"), value) for name, value in plan.headers]
    if plan.content or plan.method in ("POST", "PUT", "PATCH"):
        headers.append((b"content-length", str(len(plan.content)).encode("ascii")))
    try:
        with (
            httpcore2.ConnectionPool(ssl_context=ssl_context, network_backend=backend) as pool,
            pool.stream(plan.method, address, headers=headers, content=plan.content or None) as answer,
        ):
            return _received(answer, limits, deadline, host)
    except httpcore2.NetworkError as error:
        # Nobody knows whether a changing request has arrived, so it is not for blind repetition.
        retryable = not isinstance(error, httpcore2.ConnectError) and not is_changing(plan.method)
        raise ToolError("connection-failed", host=host, reason=str(error), retryable=retryable) from error
    except (httpcore2.ProtocolError, httpx2.DecodingError) as error:
        raise ToolError("http-protocol", host=host, reason=str(error)) from error


def _received(answer: httpcore2.Response, limits: HttpLimits, deadline: Deadline, host: str) -> _Received:
    response = httpx2.Response(answer.status, headers=answer.headers, content=answer.iter_stream())
    content = bytearray()
    for chunk in response.iter_bytes():
        content += chunk
        if len(content) > limits.response_bytes:
            raise ToolError("response-too-large", host=host, limit=limits.response_bytes)
        deadline.remaining()
    return _Received(status=answer.status, headers=httpx2.Headers(answer.headers), content=bytes(content))


def _redirect_target(plan: Plan, received: _Received) -> httpx2.URL | None:
    location = received.headers.get("location")
    if received.status not in _REDIRECTS or location is None:
        return None
    try:
        target = parsed_url(str(plan.url.join(location)))
    except httpx2.InvalidURL:
        raise url_invalid(location, "url-unreadable") from None
    if is_changing(plan.method):
        details = {
            "status": received.status,
            "location": str(target),
            "response": _response(received).answer(),
        }
        raise ToolError(
            "redirect-not-followed",
            method=plan.method,
            host=plan.url.host,
            status=received.status,
            location=str(target.copy_with(query=None)),
            details=details,
        )
    return target


def _judged(plan: Plan, received: _Received) -> HttpResponse:
    response = _response(received)
    if response.status < 400:
        return response
    raise HttpStatusError(
        "http-status",
        host=plan.url.host,
        status=response.status,
        phrase=_phrase(response.status),
        retryable=response.status in _RETRYABLE or response.status >= 500,
        details={
            "response": response.answer(),
            "retry_after": _retry_after(response.headers.get("retry-after", "")),
        },
    )


def _response(received: _Received) -> HttpResponse:
    headers = {name.lower(): value for name, value in received.headers.items()}
    kind = headers.get("content-type", "")
    body = decoded_body(received.content, kind)
    value, is_json = parsed_json(body, kind)
    return HttpResponse(status=received.status, headers=headers, body=body, json=value, is_json=is_json)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _retry_after(value: str) -> float | None:
    """Seconds to wait, written as a number or as a date; never more than a day."""
    try:
        moment = None if value.isdecimal() else parsedate_to_datetime(value[:100])
        seconds = float(value) if moment is None else moment.timestamp() - time.time()
    except (ValueError, TypeError, OverflowError):
        return None
    return min(max(seconds, 0.0), 86400.0)


@cache
def _default_ssl_context() -> ssl.SSLContext:
    """The system's certificates; the environment cannot add any."""
    return httpx2.create_ssl_context(trust_env=False)


# --- requests on their way out: everything a tool asked for is checked before anything is sent


_HOST = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_.])?|[0-9a-f:.]+")
_SET_BY_US = frozenset({"accept-encoding", "connection", "content-length", "keep-alive"})
_FORBIDDEN = frozenset(
    {
        "expect",
        "host",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
# Some servers take these for the real method, and nobody would have been asked.
_METHOD_OVERRIDES = frozenset({"x-http-method", "x-http-method-override", "x-method-override"})
# What another server may see after a redirect; keys and cookies are not among it.
_HARMLESS = frozenset({"accept", "accept-language", "cache-control", "content-type", "range", "user-agent"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """A request that has been checked and can be sent."""

    method: str
    url: httpx2.URL
    headers: tuple[tuple[str, bytes], ...]
    content: bytes


def planned(request: HttpRequest, limits: HttpLimits) -> Plan:
    """A request as it can be sent, or the reason why it cannot."""
    method = normalised_method(request.method)
    content, kind = encoded_body(request.body, limits.request_bytes)
    headers = {
        "user-agent": f"paperagents/{__version__}".encode(),
        "accept": b"*/*",
        **({"content-type": kind.encode()} if kind else {}),
        **_checked_headers(request, method),
        "accept-encoding": b"gzip, deflate",
    }
    return Plan(method=method, url=parsed_url(request.url), headers=tuple(headers.items()), content=content)


def redirected(plan: Plan, status: int, target: httpx2.URL) -> Plan:
    """The same request at its new place. Another server gets neither the keys nor the body."""
    if _origin(target) != _origin(plan.url):
        headers = tuple(item for item in plan.headers if item[0] in _HARMLESS | {"accept-encoding"})
        return replace(plan, url=target, headers=headers, content=b"")
    return replace(plan, url=target, content=b"" if status == 303 else plan.content)


def _origin(url: httpx2.URL) -> tuple[str, bytes, int]:
    return url.scheme, url.raw_host, _port(url)


def seconds_of(request: HttpRequest, limits: HttpLimits) -> float:
    """The time a request may take, all in all."""
    if request.timeout is None:
        return limits.seconds
    if not math.isfinite(request.timeout) or request.timeout <= 0:
        raise ToolError("timeout-invalid", timeout=request.timeout)
    return min(request.timeout, limits.seconds)


def _checked_headers(request: HttpRequest, method: str) -> dict[str, bytes]:
    headers = {}
    for name, value in request.headers.items():
        lower = name.strip().lower()
        if value is None or lower in _SET_BY_US:
            continue
        if not is_token(lower):
            raise ToolError("header-invalid", name=ascii(name))
        if lower in _FORBIDDEN or (lower in _METHOD_OVERRIDES and not is_changing(method)):
            raise ToolError("header-forbidden", name=ascii(name))
        headers[lower] = _header_value(name, value)
    return headers


def _header_value(name: str, value: JsonValue) -> bytes:
    if isinstance(value, list | dict):
        raise ToolError("header-invalid", name=ascii(name))
    text = str(value).lower() if isinstance(value, bool) else str(value).strip()
    try:
        encoded = text.encode("utf-8")
    except UnicodeEncodeError:
        raise ToolError("header-invalid", name=ascii(name)) from None
    if any((byte < 32 and byte != 9) or byte == 127 for byte in encoded):
        raise ToolError("header-invalid", name=ascii(name))
    return encoded


def parsed_url(text: str) -> httpx2.URL:
    """A web address that names a host and nothing secret."""
    try:
        url = httpx2.URL(text.strip())
    except (httpx2.InvalidURL, ValueError, TypeError):
        raise url_invalid(text, "url-unreadable") from None
    if url.scheme not in ("http", "https"):
        raise url_invalid(text, "url-scheme")
    host = url.raw_host.decode("ascii")
    if not _HOST.fullmatch(host) or not 0 < _port(url) < 65536:
        raise url_invalid(text, "url-host")
    if url.userinfo:
        raise ToolError("url-credentials", host=host)
    return url


def url_invalid(text: str, reason: str) -> ToolError:
    """The error for an address that cannot be used, without the parts that may be secret."""
    shown = re.sub(r"//[^/?#]*@", "//", text).partition("?")[0][:200]
    return ToolError("url-invalid", url=shown, reason=Sentence(key=reason))


def _port(url: httpx2.URL) -> int:
    if url.port is None:
        return 443 if url.scheme == "https" else 80
    return url.port
