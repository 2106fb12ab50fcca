"""The web application of a vault: REST and MCP, its events, and the guard around them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from fastapi import FastAPI

from paperagents.interfaces.serving import rest_approvals, rest_runs, rest_vault
from paperagents.interfaces.serving.access import Access
from paperagents.interfaces.serving.guard import Guard, GuardLimits, Hosts
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.serving.rest_answers import handle_errors
from paperagents.vault import Vault
from paperagents.version import __version__

DESCRIPTION = "Tools and agents of a vault: the same validation, approval and records as everywhere."


@dataclass(frozen=True, kw_only=True)
class Serving:
    """How a vault is served."""

    access: Access
    hosts: Hosts = field(default_factory=Hosts)
    limits: GuardLimits = field(default_factory=GuardLimits)


def make_app(vault: Vault, serving: Serving, live: LiveRuns | None = None) -> Guard:
    """The application, guarded. Runs that go on are stopped and recorded when it shuts down."""
    app = make_rest_app(live or LiveRuns(vault))
    return Guard(app=app, access=serving.access, hosts=serving.hosts, limits=serving.limits)


def make_rest_app(live: LiveRuns) -> FastAPI:
    """The application without its guard."""
    app = FastAPI(
        title="Paper Agents",
        version=__version__,
        description=DESCRIPTION,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_lifespan,
    )
    app.state.live = live
    handle_errors(app)
    for part in (rest_runs, rest_approvals, rest_vault):
        app.include_router(part.router)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    live: LiveRuns = app.state.live
    async with AsyncExitStack() as stack:
        stack.callback(live.close)
        stack.enter_context(live.vault.follow(lambda: live.tell({"type": "vault-changed"})))
        yield
