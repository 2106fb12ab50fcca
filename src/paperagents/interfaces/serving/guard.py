"""The guard in front of everything that is served: a request that fails one check never reaches the application.

A page of another site can make a browser send requests here, and by DNS rebinding it can even read the answers. So
``Host`` must be one of our names, an ``Origin`` must be this very server, and every request but a health check or a
pairing needs a token that no other site can know. It is plain ASGI: WebSockets and MCP pass it like everything else.
"""

from __future__ import annotations

import asyncio
import ipaddress
from dataclasses import field
from urllib.parse import quote, urlencode, urlsplit

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from paperagents.errors import PaperError
from paperagents.interfaces.rest.responses import (
    ERROR_POLICY,
    PROBLEM_TYPE,
    error_html,
    internal_error,
    problem_details,
    status_of,
    to_ascii_json,
)  # fmt: skip
from paperagents.interfaces.serving.access import COOKIE_SECONDS, Access, RateLimit
from paperagents.interfaces.serving.callers import Caller, keep_caller
from paperagents.interfaces.serving.readers import language_of_reader
from paperagents.messages import in_language, language
from paperagents.values import dataclass

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_WITHOUT_TOKEN = {
    "/health": ("GET", "HEAD"), "/ready": ("GET", "HEAD"), "/api/pair": ("POST",), "/pair": ("GET",),
    "/decide": ("GET", "HEAD", "POST"), "/decide/question": ("GET",), "/decide/answer": ("POST",),
}  # fmt: skip
"""Monitors have no token; there is nothing to learn but yes or no. Who pairs has a code instead, and who decides on
one question a link and then a cookie, which the pages check."""
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
_END_OF_BODY: Message = {"type": "http.response.body", "body": b"", "more_body": False}
_END_OF_SOCKET: Message = {"type": "websocket.close", "code": 1008, "reason": "token-missing"}
_STATUS_HEADERS = {
    401: {"www-authenticate": "Bearer"},
    # The unread rest of a body must not be taken for the next request.
    408: {"connection": "close"},
    413: {"connection": "close"},
    429: {"retry-after": "3"},
}


@dataclass(frozen=True, kw_only=True, slots=True)
class GuardLimits:
    """Limits of size, time and rate."""

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
    """Every numeric address as well: no other site can rebind one."""

    def allow(self, host: str) -> bool:
        """Whether a ``Host`` header, with or without a port, is one of ours."""
        name, _, port = host.rpartition(":") if ":" in host and not host.endswith("]") else (host, "", "")
        # What looks like a port may be the rest of another name: 127.0.0.1:80@evil.example
        if port and not (port.isascii() and port.isdigit()):
            return False
        return name.lower() in self.names or (self.any_address and is_ip_address(name))


@dataclass(kw_only=True)
class Guard:
    """An ASGI application around another one."""

    app: ASGIApp
    access: Access
    hosts: Hosts = field(default_factory=Hosts)
    limits: GuardLimits = field(default_factory=GuardLimits)

    def __post_init__(self) -> None:
        self._rate = RateLimit(burst=self.limits.burst, per_second=self.limits.per_second)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, then pass it on."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        request = GuardedRequest(scope)
        try:
            self.require_own_site(request)
            if request.method == "GET" and (cookie := self.access.redeem_link(request.link_token)) is not None:
                await redirect_with_cookie(request, cookie, send)
                return
            self.require_token(request)
            if scope["type"] == "http":
                receive = await self.buffer_body(request, receive)
                send = add_security_headers(send)
        except PaperError as error:
            await refuse(request, error, receive, send)
            return
        await pass_on(self.app, request, receive, self.stop_when_revoked(request, send))

    def require_own_site(self, request: GuardedRequest) -> None:
        """Raise PaperError for another site's request, and for too many requests."""
        if len(request.headers.getlist("host")) != 1 or not self.hosts.allow(request.header("host")):
            raise PaperError("foreign-host", host=request.header("host")[:200])
        if not self._rate.allows(request.client.host if request.client else ""):
            raise PaperError("too-many-requests", retryable=True)
        if not request.comes_from_here():
            raise PaperError("foreign-origin")

    def require_token(self, request: GuardedRequest) -> None:
        """Raise PaperError without a valid token or cookie; what its owner may do is for the routes to check."""
        # Wrong guesses are not counted: other users of the machine cannot lock its owner out.
        if (caller := self.find_caller(request)) is not None:
            keep_caller(request.scope, caller)
            return
        if request.method in _WITHOUT_TOKEN.get(request.path, ()):
            return
        raise PaperError("link-used" if request.link_token else "token-missing")

    def find_caller(self, request: GuardedRequest) -> Caller | None:
        """Who has sent a request, as far as their token or cookie is good now."""
        return self.access.identify(request.bearer, request.cookies.get(request.cookie_name, ""))

    def stop_when_revoked(self, request: GuardedRequest, send: Send) -> Send:
        """What goes on and on, such as events, goes on for as long as the caller may come in."""

        async def send_allowed(message: Message) -> None:
            is_followed = message["type"] == "websocket.send" or message.get("more_body", False)
            if is_followed and self.find_caller(request) is None:
                request.is_revoked = True
                await send(_END_OF_SOCKET if request.is_websocket else _END_OF_BODY)
                # For the application it is as if nobody were there any more.
                raise OSError("revoked")
            await send(message)

        return send_allowed

    async def buffer_body(self, request: GuardedRequest, receive: Receive) -> Receive:
        """Read the whole body first: its limits of size and time are enforced here alone."""
        if request.method in _SAFE_METHODS:
            return receive
        length = request.header("content-length")
        if length.isdigit() and int(length) > self.limits.body_bytes:
            raise PaperError("request-too-large", limit=self.limits.body_bytes)
        try:
            async with asyncio.timeout(self.limits.body_seconds):
                body = await self.read_body(receive)
        except TimeoutError:
            raise PaperError("request-too-slow", seconds=f"{self.limits.body_seconds:g}") from None
        if body and not request.is_json():
            raise PaperError("request-not-json")
        ready: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        if body is None:
            ready = [{"type": "http.disconnect"}]

        async def replay() -> Message:
            return ready.pop(0) if ready else await receive()

        return replay

    async def read_body(self, receive: Receive) -> bytes | None:
        """The body; None where the client disconnects before its end."""
        pieces: list[bytes] = []
        size = 0
        while (message := await receive())["type"] != "http.disconnect":
            pieces.append(message.get("body", b""))
            size += len(pieces[-1])
            if size > self.limits.body_bytes:
                raise PaperError("request-too-large", limit=self.limits.body_bytes)
            if not message.get("more_body", False):
                return b"".join(pieces)
        return None


class GuardedRequest(HTTPConnection):
    """A request or WebSocket with what the guard checks."""

    def __init__(self, scope: Scope) -> None:
        # The interface lets servers leave it out.
        scope.setdefault("query_string", b"")
        super().__init__(scope)
        self.is_websocket = scope["type"] == "websocket"
        self.method: str = scope.get("method", "")
        self.path: str = scope["path"]
        self.is_revoked = False
        self.link_token = self.query_params.get("token", "")
        self.cookie_name = cookie_name(scope)

    def header(self, name: str) -> str:
        """The first value of a header; empty where there is none."""
        return self.headers.get(name, "")

    @property
    def bearer(self) -> str:
        """The token of a program."""
        kind, _, token = self.header("authorization").partition(" ")
        return token.strip() if kind.lower() == "bearer" else ""

    def comes_from_here(self) -> bool:
        """Whether no other site has sent this, as far as a browser says."""
        origins = self.headers.getlist("origin")
        host = self.header("host").lower()
        if any(authority_of(origin) != host for origin in origins) or len(origins) > 1:
            return False
        site = self.header("sec-fetch-site") or "none"
        # Only a page is opened by a link of another site; a WebSocket has no method.
        follows_link = self.method == "GET" and self.header("sec-fetch-mode") == "navigate"
        return site in _OWN_SITE or follows_link

    def is_json(self) -> bool:
        """Whether the body is declared as JSON, which no form of another site can do."""
        kind = self.header("content-type").partition(";")[0].strip().lower()
        return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def cookie_name(scope: Scope) -> str:
    """The cookie of this server: browsers do not tell ports apart."""
    return f"paper_{(scope.get('server') or ('', 0))[1]}"


def is_ip_address(name: str) -> bool:
    """Whether a host is numeric, in brackets or not."""
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def authority_of(origin: str) -> str | None:
    """Host and port of an origin; None where it is no web address."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return None
    return parts.netloc.lower() if parts.scheme in ("http", "https") else None


def add_security_headers(send: Send) -> Send:
    """Add the security headers that a response does not set itself."""

    async def send_secured(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = message.get("headers", [])
            given = {bytes(name).lower() for name, _ in headers}
            added = [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
            message = {**message, "headers": [*headers, *(each for each in added if each[0] not in given)]}
        await send(message)

    return send_secured


async def respond(send: Send, status: int, headers: dict[str, str], body: bytes = b"") -> None:
    """Send a whole response, secured."""
    encoded = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    await add_security_headers(send)({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})


async def redirect_with_cookie(request: GuardedRequest, cookie: str, send: Send) -> None:
    """To the same page without the token in its address, where it would stay in the history."""
    rest = [(name, value) for name, value in request.query_params.multi_items() if name != "token"]
    path = "/" + quote(request.path.lstrip("/"), safe="/")
    target = f"{path}?{urlencode(rest)}" if rest else path
    value = f"{request.cookie_name}={cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age={COOKIE_SECONDS}"
    await respond(send, 303, {"location": target, "set-cookie": value, "content-length": "0"})


async def pass_on(app: ASGIApp, request: GuardedRequest, receive: Receive, send: Send) -> None:
    """Let the application respond; where it fails before that, respond with the error."""
    begun = False

    async def send_noting(message: Message) -> None:
        nonlocal begun
        begun = True
        await send(message)

    try:
        await app(request.scope, receive, send_noting)
    except Exception as error:
        if request.is_revoked:
            return
        if not begun and not request.is_websocket:
            await refuse(request, internal_error(error), receive, send)
        raise


async def refuse(request: GuardedRequest, error: PaperError, receive: Receive, send: Send) -> None:
    """Respond with an error: a page for a browser, problem details for a program, a close code for a WebSocket."""
    if request.is_websocket:
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": error.code})
        return
    with in_language(language_of_reader(request) or language()):
        body, kind, policy = to_ascii_json(problem_details(error)), PROBLEM_TYPE, {}
        if "text/html" in request.header("accept"):
            body, kind = error_html(error), "text/html; charset=utf-8"
            policy = {"content-security-policy": ERROR_POLICY}
    status = status_of(error)
    headers = {"content-type": kind, "content-length": str(len(body)), **policy, **_STATUS_HEADERS.get(status, {})}
    await respond(send, status, headers, b"" if request.method == "HEAD" else body)
