"""The web application of a vault: pages, REST, MCP and health checks, with the guard around them."""

from __future__ import annotations

import asyncio
import ipaddress
import signal
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import field
from types import FrameType

import h11
import uvicorn
from fastapi import APIRouter, Depends, FastAPI
from fastapi.responses import RedirectResponse
from fastapi.security import HTTPBearer
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from paperagents.cluster.operations import health_response
from paperagents.errors import PaperError
from paperagents.interfaces.mcp.server import PATH, McpServer
from paperagents.interfaces.rest import changes, entries, language, pairing, runs, tags, trust
from paperagents.interfaces.rest import vault as vault_routes
from paperagents.interfaces.rest.responses import Json, handle_errors
from paperagents.interfaces.serving.access import Access
from paperagents.interfaces.serving.callers import Caller, caller_of
from paperagents.interfaces.serving.guard import Guard, GuardLimits, Hosts
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.web.pages import add_pages
from paperagents.messages import system_text
from paperagents.runs.tracing import continue_trace
from paperagents.values import dataclass
from paperagents.vault import Vault
from paperagents.version import __version__

DESCRIBED_AT = "/api/openapi.json"
DESCRIPTION = "Tools and agents of a vault: the same validation, approval and records as everywhere."
TOKENS = (
    "The token that `paper serve` prints may call. Routes with `x-paper-right` need a token that may answer or edit, "
    "as `paper serve token new NAME --may call,answer` makes it, or the login of a page."
)
LONGEST_CHECK = 5.0
"""Seconds to wait for the database before it counts as unavailable."""


@dataclass(frozen=True, kw_only=True)
class Serving:
    """How a vault is served."""

    access: Access
    hosts: Hosts = field(default_factory=Hosts)
    limits: GuardLimits = field(default_factory=GuardLimits)


def make_app(vault: Vault, serving: Serving, live: LiveRuns | None = None) -> Guard:
    """The application with its guard. Active runs are stopped and recorded when it shuts down."""
    live = live or LiveRuns(vault)
    app = make_rest_app(live)
    app.state.access = serving.access
    app.state.is_reachable = serving.hosts.any_address
    mcp = app.state.mcp = McpServer(live, serving.access.sealing_key)
    mcp_app = mcp.application()

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        # MCP is told apart first: the middleware of pages and REST is not for it.
        if scope["type"] == "http" and scope["path"] == PATH:
            await mcp_app({**scope, "user": mcp_user(caller_of(scope))}, receive, send)
            return
        sent = dict(scope.get("headers", ())).get(b"traceparent", b"")
        with continue_trace(sent.decode("latin-1")):
            await app(scope, receive, send)

    return Guard(app=support_head(dispatch), access=serving.access, hosts=serving.hosts, limits=serving.limits)


def mcp_user(caller: Caller) -> AuthenticatedUser:
    """The caller as the library knows callers: a session is for the one who has opened it, and nobody else's."""
    return AuthenticatedUser(AccessToken(token="", client_id=f"{caller.via} {caller.name}", scopes=[*caller.rights]))


def make_rest_app(live: LiveRuns) -> FastAPI:
    """The REST application without its guard."""
    app = FastAPI(
        title="Paper Agents",
        version=__version__,
        description=DESCRIPTION,
        openapi_url=DESCRIBED_AT,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.state.live = live
    handle_errors(app)
    # For the description alone: the guard has checked the token before.
    token = Depends(
        HTTPBearer(
            scheme_name="token",
            description=TOKENS,
            auto_error=False,
        )
    )
    for router in (
        changes.router,
        runs.router,
        runs.approvals_router,
        entries.router,
        language.router,
        tags.router,
        trust.router,
        vault_routes.router,
    ):
        app.include_router(router, dependencies=[token])
    app.include_router(pairing.router)
    app.include_router(health_routes(live.vault))
    app.add_route("/openapi.json", lambda _: RedirectResponse(DESCRIBED_AT), include_in_schema=False)
    add_pages(app)
    return app


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Watch the folder and serve MCP while the application runs; stop all runs at its end."""
    live: LiveRuns = app.state.live
    mcp: McpServer = app.state.mcp
    async with AsyncExitStack() as stack:
        stack.push_async_callback(asyncio.to_thread, live.close)
        await stack.enter_async_context(mcp.following())
        await stack.enter_async_context(mcp.serving_http())
        yield


def support_head(app: ASGIApp) -> ASGIApp:
    """Respond to ``HEAD`` with the head of the response to ``GET``."""

    async def respond(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await app(scope, receive, send)
            return
        begun = asyncio.Event()

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)
                await send({"type": "http.response.body", "body": b""})
                begun.set()

        responding = asyncio.ensure_future(app({**scope, "method": "GET"}, receive, send_head))
        waiting = asyncio.ensure_future(begun.wait())
        try:
            await asyncio.wait({responding, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if not begun.is_set():
                await responding
        finally:
            # Nobody reads the body, and a stream of events would never end.
            waiting.cancel()
            responding.cancel()
            await asyncio.gather(responding, waiting, return_exceptions=True)

    return respond


def health_routes(vault: Vault) -> APIRouter:
    """``/health`` and ``/ready``, which need no token and say yes or no, and ``/metrics``."""
    router = APIRouter(include_in_schema=False)
    checks: dict[str, asyncio.Future[tuple[int, str, bytes]]] = {}

    async def check(path: str) -> tuple[int, str, bytes]:
        # Requests share a check that is under way: strangers cannot use up all threads.
        if path not in checks or checks[path].done():
            checks[path] = asyncio.ensure_future(asyncio.to_thread(health_response, vault, path))
        shared = checks[path]
        done, _ = await asyncio.wait({shared}, timeout=LONGEST_CHECK)
        return shared.result() if done else (503, "text/plain; charset=utf-8", b"")

    @router.get("/health")
    async def health() -> Response:
        status, *_ = health_response(vault, "/health")
        return Json({"alive": status == 200}, status_code=status)

    @router.get("/ready")
    async def ready() -> Response:
        status, *_ = await check("/ready")
        return Json({"ready": status == 200}, status_code=status)

    @router.get("/metrics")
    async def metrics() -> Response:
        status, kind, body = await check("/metrics")
        return Response(body, status_code=status, headers={"content-type": kind})

    return router


HEAD_SECONDS = 15.0
"""For the whole head of a request; the limit for bodies is the guard's."""


class Server(uvicorn.Server):
    """A server that reports when it is ready, and ends its streams before it waits for their readers."""

    def __init__(self, app: ASGIApp, *, on_ready: Callable[[], None], before_end: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                # Its messages go to our own log.
                log_config=None,
                log_level="warning",
                access_log=False,
                server_header=False,
                http=_HeadTimeoutProtocol,
                proxy_headers=False,
                ws="websockets-sansio",
                ws_max_size=1024 * 1024,
                timeout_graceful_shutdown=3,
                limit_concurrency=1_000,
                h11_max_incomplete_event_size=64 * 1024,
            )
        )
        self._on_ready = on_ready
        self._before_end = before_end

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then call ``on_ready``."""
        await super().startup(sockets=sockets)
        if self.started:
            self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Call ``before_end``, then stop."""
        self._before_end()
        await super().shutdown(sockets=sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002  the signature of a handler
        """Exit with 0 on an interrupt; a second one does not wait."""
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


class _HeadTimeoutProtocol(H11Protocol):
    """Closes connections that do not send the head of a request in time."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in the library
        super().connection_made(transport)
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_timer()
        elif self._deadline is None:
            self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _start_timer(self) -> None:
        self._deadline = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_timer(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def listen(host: str, port: int) -> socket.socket:
    """A listening socket, on this machine alone where no host is named. Raises PaperError."""
    # An empty name would mean every address, which has to be asked for.
    host = host or "127.0.0.1"
    # With the protocol named, asyncio sets TCP_NODELAY: small responses are not delayed by 40 ms.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except (OSError, OverflowError, UnicodeError) as error:
        listener.close()
        raise PaperError("cannot-listen", host=host, port=port, reason=system_text(error)) from error
    return listener


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
