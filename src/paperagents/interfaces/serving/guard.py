"""The guard in front of everything that is served: whatever fails one check never reaches the application.

A page of another site can make a browser send requests here, and by changing what its own name stands for it can even
read the answers. So the name in ``Host`` must be one of ours, an ``Origin`` must be this very server, and every request
needs a token that no other site can know, except for the question whether the server is well. It is plain ASGI, so that
WebSockets and MCP pass it like everything else.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from paperagents.errors import PaperError
from paperagents.interfaces.rest.answers import (
    PROBLEM_TYPE,
    as_bytes,
    as_page,
    internal_error,
    problem_details,
    status_of,
)
from paperagents.interfaces.serving.access import COOKIE_SECONDS, Access, RateLimit

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_WITHOUT_TOKEN = frozenset({"/health", "/ready"})
"""What watches over processes has no token; there is nothing to learn but yes or no."""
_OWN_SITE = frozenset({"same-origin", "none"})
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class GuardLimits:
    """How much and how often."""

    body_bytes: int = 16 * 1024 * 1024
    body_seconds: float = 30.0
    """For the whole body, however slowly it trickles in."""
    burst: float = 5_000
    per_second: float = 2_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Hosts:
    """The names under which the server answers."""

    names: frozenset[str] = LOOPBACK_HOSTS
    any_address: bool = False
    """Every numeric address as well: no other site can give its name that meaning."""

    def allow(self, host: str) -> bool:
        """Whether a ``Host`` header, with or without a port, is one of ours."""
        name, _, port = host.rpartition(":") if ":" in host and not host.endswith("]") else (host, "", "")
        if port and not (port.isascii() and port.isdigit()):
            return False
        return name.lower() in self.names or (self.any_address and _is_address(name))


@dataclass(kw_only=True)
class Guard:
    """An ASGI application around another one."""

    app: Application
    access: Access
    hosts: Hosts = field(default_factory=Hosts)
    limits: GuardLimits = field(default_factory=GuardLimits)

    def __post_init__(self) -> None:
        self._rate = RateLimit(burst=self.limits.burst, per_second=self.limits.per_second)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check, then let through."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        request = _Request(scope)
        try:
            self._check(request)
            if (cookie := self._link_cookie(request)) is not None:
                await _redirect(request, cookie, send)
                return
            self._require_token(request)
            if scope["type"] == "http":
                receive = await self._whole_body(request, receive)
                send = _with_security_headers(send)
        except PaperError as error:
            await _refuse(request, error, receive, send)
            return
        await _answer(self.app, request, receive, send)

    def _check(self, request: _Request) -> None:
        if len(request.all("host")) != 1 or not self.hosts.allow(request.header("host")):
            raise PaperError("foreign-host", host=request.header("host")[:200])
        if not self._rate.allows(request.client):
            raise PaperError("too-many-requests", retryable=True)
        if not request.comes_from_here():
            raise PaperError("foreign-origin")

    # --- tokens

    def _link_cookie(self, request: _Request) -> str | None:
        """A cookie for somebody who opens the link for the first time."""
        return self.access.redeemed(request.link_token) if request.method == "GET" and request.link_token else None

    def _require_token(self, request: _Request) -> None:
        """The right token always opens: whoever shares the machine cannot lock its owner out by guessing."""
        if self.access.allows_token(request.bearer) or self.access.allows_cookie(request.cookie):
            return
        if request.path in _WITHOUT_TOKEN and request.method in ("GET", "HEAD"):
            return
        raise PaperError("link-used" if request.link_token else "token-missing")

    # --- bodies

    async def _whole_body(self, request: _Request, receive: Receive) -> Receive:
        """Read the body before anything works on it: how big and how slow it may be is decided here alone."""
        if request.method in _SAFE_METHODS:
            return receive
        length = request.header("content-length")
        if length.isdigit() and int(length) > self.limits.body_bytes:
            raise PaperError("request-too-large", limit=self.limits.body_bytes)
        try:
            async with asyncio.timeout(self.limits.body_seconds):
                body, gone = await self._read(receive)
        except TimeoutError:
            raise PaperError("request-too-slow", seconds=f"{self.limits.body_seconds:g}") from None
        if body and not request.is_json():
            raise PaperError("request-not-json")
        return _replaying(body, gone, receive)

    async def _read(self, receive: Receive) -> tuple[bytes, bool]:
        pieces: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return b"".join(pieces), True
            pieces.append(message.get("body", b""))
            size += len(pieces[-1])
            if size > self.limits.body_bytes:
                raise PaperError("request-too-large", limit=self.limits.body_bytes)
            if not message.get("more_body", False):
                return b"".join(pieces), False


class _Request:
    """What the guard looks at."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self._headers: list[tuple[bytes, bytes]] = list(scope["headers"])
        self.is_websocket = scope["type"] == "websocket"
        self.method: str = scope.get("method", "")
        self.path: str = scope.get("path", "/")
        self.query: dict[str, list[str]] = parse_qs(scope.get("query_string", b"").decode("latin-1"), errors="replace")
        self.client: str = (scope.get("client") or ("", 0))[0]
        self.cookie_name = cookie_name(scope)

    def all(self, name: str) -> list[str]:
        return [value.decode("latin-1") for key, value in self._headers if key == name.encode()]

    def header(self, name: str) -> str:
        return next(iter(self.all(name)), "")

    @property
    def link_token(self) -> str:
        return self.query.get("token", [""])[0]

    @property
    def bearer(self) -> str:
        kind, _, token = self.header("authorization").partition(" ")
        return token.strip() if kind.lower() == "bearer" else ""

    @property
    def cookie(self) -> str:
        try:
            cookies = SimpleCookie("; ".join(self.all("cookie")))
        except CookieError:
            return ""
        return cookies[self.cookie_name].value if self.cookie_name in cookies else ""

    def comes_from_here(self) -> bool:
        """Whether no other site has sent this. Where a browser tells, it must tell this very server."""
        origins = self.all("origin")
        host = self.header("host").lower()
        if any(_authority(origin) != host for origin in origins) or len(origins) > 1:
            return False
        site = self.header("sec-fetch-site") or "none"
        follows_a_link = self.method == "GET" and self.header("sec-fetch-mode") == "navigate"
        return site in _OWN_SITE or (follows_a_link and not self.is_websocket)

    def is_json(self) -> bool:
        kind = self.header("content-type").partition(";")[0].strip().lower()
        return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))

    def wants_a_page(self) -> bool:
        return "text/html" in self.header("accept")


def cookie_name(scope: Scope) -> str:
    """Browsers do not tell ports apart: every server needs a cookie of its own."""
    return f"paper_{(scope.get('server') or ('', 0))[1]}"


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def _authority(origin: str) -> str | None:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return None
    return parts.netloc.lower() if parts.scheme in ("http", "https") else None


def _replaying(body: bytes, gone: bool, receive: Receive) -> Receive:  # noqa: FBT001  two facts about one body
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
    if gone:
        waiting = [{"type": "http.disconnect"}]

    async def replay() -> Message:
        return waiting.pop(0) if waiting else await receive()

    return replay


def _with_security_headers(send: Send) -> Send:
    async def secured(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": _secured(message.get("headers", []))}
        await send(message)

    return secured


def _secured(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """What the application says itself stands; the rest is added."""
    given = {bytes(name).lower() for name, _ in headers}
    added = [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items() if name.encode() not in given]
    return [*headers, *added]


async def _redirect(request: _Request, cookie: str, send: Send) -> None:
    """To the same page without the word in its address, where it would stay in the history."""
    rest = {name: values for name, values in request.query.items() if name != "token"}
    path = "/" + quote(request.path.lstrip("/"), safe="/")
    target = f"{path}?{urlencode(rest, doseq=True)}" if rest else path
    value = f"{request.cookie_name}={cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age={COOKIE_SECONDS}"
    headers = [(b"location", target.encode("ascii")), (b"set-cookie", value.encode()),
               (b"content-length", b"0")]  # fmt: skip
    await send({"type": "http.response.start", "status": 303, "headers": _secured(headers)})
    await send({"type": "http.response.body", "body": b""})


async def _answer(app: Application, request: _Request, receive: Receive, send: Send) -> None:
    """Let the application answer; where it fails before it has begun to, say so in its place."""
    begun = False

    async def send_noting(message: Message) -> None:
        nonlocal begun
        begun = True
        await send(message)

    try:
        await app(request.scope, receive, send_noting)
    except Exception as error:
        if not begun and not request.is_websocket:
            await _refuse(request, internal_error(error), receive, send)
        raise


async def _refuse(request: _Request, error: PaperError, receive: Receive, send: Send) -> None:
    if request.is_websocket:
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": error.code})
        return
    body, kind = as_bytes(problem_details(error)), PROBLEM_TYPE
    if request.wants_a_page():
        body, kind = as_page(error), "text/html; charset=utf-8"
    headers = [(b"content-type", kind.encode()), (b"content-length", str(len(body)).encode())]
    headers += [(name.encode(), value.encode()) for name, value in _REMARKS.get(status_of(error), {}).items()]
    await send({"type": "http.response.start", "status": status_of(error), "headers": _secured(headers)})
    await send({"type": "http.response.body", "body": b"" if request.method == "HEAD" else body})


_REMARKS = {
    401: {"www-authenticate": "Bearer"},
    # What has not been read of the body must not be taken for the next request.
    408: {"connection": "close"},
    413: {"connection": "close"},
    429: {"retry-after": "3"},
}
