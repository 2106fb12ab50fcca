"""Requests on their way out: everything a tool asked for is checked before anything is sent."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

import httpx2

from paperagents.builtin_tools.http_body import encoded_body
from paperagents.builtin_tools.http_values import HttpLimits, HttpRequest, is_changing, is_token, normalised_method
from paperagents.builtin_tools.sentence import Sentence
from paperagents.definitions.json_value import JsonValue
from paperagents.errors import ToolError
from paperagents.version import __version__

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
