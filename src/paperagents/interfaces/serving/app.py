"""The web application of a vault: REST and MCP, its events, and the guard around them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from fastapi import APIRouter, Depends, FastAPI
from fastapi.responses import RedirectResponse
from fastapi.security import HTTPBearer
from starlette.responses import Response

from paperagents.cluster.operations import health_response
from paperagents.interfaces.mcp.server import PATH, McpServer
from paperagents.interfaces.rest import runs
from paperagents.interfaces.rest import vault as vault_routes
from paperagents.interfaces.rest.answers import Json, handle_errors
from paperagents.interfaces.serving.access import Access
from paperagents.interfaces.serving.guard import Application, Guard, GuardLimits, Hosts, Message, Receive, Scope, Send
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.web.pages import add_pages
from paperagents.vault import Vault
from paperagents.version import __version__

DESCRIBED_AT = "/api/openapi.json"
DESCRIPTION = "Tools and agents of a vault: the same validation, approval and records as everywhere."


@dataclass(frozen=True, kw_only=True)
class Serving:
    """How a vault is served."""

    access: Access
    hosts: Hosts = field(default_factory=Hosts)
    limits: GuardLimits = field(default_factory=GuardLimits)


def make_app(vault: Vault, serving: Serving, live: LiveRuns | None = None) -> Guard:
    """The application, guarded. Runs that go on are stopped and recorded when it shuts down."""
    live = live or LiveRuns(vault)
    app = make_rest_app(live)
    mcp = app.state.mcp = McpServer(live, serving.access.sealing_key)
    both = AnswerHead(app=_Both(pages=app, mcp=mcp.application()))
    return Guard(app=both, access=serving.access, hosts=serving.hosts, limits=serving.limits)


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
        lifespan=_lifespan,
    )
    app.state.live = live
    handle_errors(app)
    # For the description alone: the guard has looked at the token before.
    token = Depends(HTTPBearer(scheme_name="token", description="What paper serve prints.", auto_error=False))
    for router in (runs.router, runs.approvals_router, vault_routes.router):
        app.include_router(router, dependencies=[token])
    app.include_router(health_routes(live.vault))
    app.add_route("/openapi.json", lambda _: RedirectResponse(DESCRIBED_AT), include_in_schema=False)
    add_pages(app)
    return app


@dataclass(frozen=True, kw_only=True)
class _Both:
    """MCP is told apart first: what pages and REST need around their answers, it does not."""

    pages: Application
    mcp: Application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_mcp = scope["type"] == "http" and scope["path"] == PATH
        await (self.mcp if is_mcp else self.pages)(scope, receive, send)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    live: LiveRuns = app.state.live
    mcp: McpServer = app.state.mcp
    async with AsyncExitStack() as stack:
        stack.push_async_callback(asyncio.to_thread, live.close)
        await stack.enter_async_context(mcp.following())
        await stack.enter_async_context(mcp.serving_http())
        yield


# --- ``HEAD``: the answer to ``GET`` without its body


@dataclass(frozen=True, kw_only=True)
class AnswerHead:
    """An ASGI application around one that knows ``GET`` alone."""

    app: Application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask for the whole answer, and send its beginning."""
        if scope["type"] == "http" and scope["method"] == "HEAD":
            await self._answer({**scope, "method": "GET"}, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = asyncio.Event()

        async def send_beginning(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)
                await send({"type": "http.response.body", "body": b""})
                begun.set()

        answering = asyncio.ensure_future(self.app(scope, receive, send_beginning))
        waiting = asyncio.ensure_future(begun.wait())
        try:
            await asyncio.wait({answering, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if not begun.is_set():
                await answering
        finally:
            # The rest is for nobody, and a stream of events would never end.
            waiting.cancel()
            answering.cancel()
            await asyncio.gather(answering, waiting, return_exceptions=True)


# --- health and figures of ``paper serve``: the paths and answers of a worker


LONGEST = 5.0
"""Seconds to wait for the database; one that takes longer is as good as none."""
Answer = tuple[int, str, bytes]


def health_routes(vault: Vault) -> APIRouter:
    """``/health`` and ``/ready``, which everybody may ask and which tell yes or no, and ``/metrics``."""
    router = APIRouter(include_in_schema=False)
    looking: dict[str, asyncio.Future[Answer]] = {}

    async def look(path: str) -> Answer:
        """Whoever comes while somebody looks shares what is found: strangers cannot take all threads."""
        if path not in looking or looking[path].done():
            looking[path] = asyncio.ensure_future(asyncio.to_thread(health_response, vault, path))
        shared = looking[path]
        done, _ = await asyncio.wait({shared}, timeout=LONGEST)
        return shared.result() if done else (503, "text/plain; charset=utf-8", b"")

    @router.get("/health")
    async def health() -> Response:
        status, *_ = health_response(vault, "/health")
        return Json({"alive": status == 200}, status_code=status)

    @router.get("/ready")
    async def ready() -> Response:
        status, *_ = await look("/ready")
        return Json({"ready": status == 200}, status_code=status)

    @router.get("/metrics")
    async def metrics() -> Response:
        status, kind, body = await look("/metrics")
        return Response(body, status_code=status, headers={"content-type": kind})

    return router
