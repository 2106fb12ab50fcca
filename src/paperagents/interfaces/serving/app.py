"""The web application of a vault: REST and MCP, its events, and the guard around them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from fastapi import Depends, FastAPI
from fastapi.responses import RedirectResponse
from fastapi.security import HTTPBearer

from paperagents.interfaces.mcp.server import PATH, McpServer
from paperagents.interfaces.serving import rest_approvals, rest_runs, rest_vault
from paperagents.interfaces.serving.access import Access
from paperagents.interfaces.serving.guard import Application, Guard, GuardLimits, Hosts, Receive, Scope, Send
from paperagents.interfaces.serving.head_requests import AnswerHead
from paperagents.interfaces.serving.health import health_routes
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.serving.rest_answers import handle_errors
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
    for part in (rest_runs, rest_approvals, rest_vault):
        app.include_router(part.router, dependencies=[token])
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
