"""The MCP server of a vault, put together. It serves both protocol eras from one place."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp
from mcp.server.subscriptions import ListenHandler
from mcp.server.transport_security import TransportSecuritySettings

from paperagents.interfaces.mcp.announcements import Announcements
from paperagents.interfaces.mcp.calls import ToolCalls
from paperagents.interfaces.mcp.resources import AgentPrompts, NoteResources, uris_of
from paperagents.interfaces.mcp.stdio import AnsweredLines, MessageOutput, message_input, message_output
from paperagents.interfaces.mcp.tools import ToolOffer
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.messages import text
from paperagents.version import __version__

if TYPE_CHECKING:
    import anyio

NAME = "paperagents"
PATH = "/mcp"
ANSWER_SECONDS = 7 * 24 * 3600.0
"""How long a person may think before a client must call anew; the run itself waits for ever."""
_SHORTEST_SILENCE = 0.05
Context = ServerRequestContext[Any, Any]


class _Announcing(Server[Any]):
    """A server that says to every client that its lists may change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        all_of_them = NotificationOptions(prompts_changed=True, resources_changed=True, tools_changed=True)
        return super().create_initialization_options(
            notification_options or all_of_them, experimental_capabilities, extensions
        )


class McpServer:
    """The tools, notes and agents of a vault for MCP clients."""

    def __init__(self, live: LiveRuns, key: bytes) -> None:
        self._live = live
        self._announcements = Announcements()
        self._offer = ToolOffer(live.vault)
        self._listening = ListenHandler(self._announcements.bus)
        self._server = self._put_together()
        live.farewells.append(self._listening.close)
        # What clients hand back to us is sealed with the user's key, and only good for this vault.
        security = RequestStateSecurity(keys=[key], ttl=ANSWER_SECONDS)
        self._server.middleware.append(RequestStateBoundary(security, default_audience=f"{NAME}:{live.vault.root}"))

    def application(self) -> StreamableHTTPASGIApp:
        """The server over HTTP, as an ASGI application; who may come in, and with how much, is decided before."""
        unguarded = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        self._server.streamable_http_app(
            streamable_http_path=PATH, transport_security=unguarded, max_request_body_size=sys.maxsize
        )
        return StreamableHTTPASGIApp(self._server.session_manager)

    @asynccontextmanager
    async def serving_http(self) -> AsyncIterator[None]:
        """Inside, the application answers."""
        async with self._server.session_manager.run():
            yield

    async def serve_stdio(self) -> None:
        """Serve one client over standard input and output until it goes."""
        with message_output() as output:
            async with message_input() as source:
                await self._serve_over(source, output)

    async def _serve_over(self, source: asyncio.StreamReader | None, output: MessageOutput) -> None:
        # Of files the library asks no more than these can do.
        streams = cast("anyio.AsyncFile[str] | None", source), cast("anyio.AsyncFile[str]", output)
        async with stdio_server(*streams) as (incoming, outgoing):
            lines = AnsweredLines(incoming, outgoing)
            await self._server.run(lines, outgoing, self._server.create_initialization_options())

    @asynccontextmanager
    async def following(self) -> AsyncIterator[None]:
        """Inside, changes in the vault's folder are announced."""
        changes: asyncio.Queue[Sequence[str]] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def on_files(files: Sequence[str]) -> None:
            self._live.tell({"type": "vault-changed", "files": [*files]})
            loop.call_soon_threadsafe(changes.put_nowait, files)

        announcing = asyncio.create_task(self._announce(changes))
        watch = await asyncio.to_thread(self._live.vault.follow(on_files=on_files).__enter__)
        try:
            yield
        finally:
            await asyncio.to_thread(watch.__exit__)
            announcing.cancel()

    async def _announce(self, changes: asyncio.Queue[Sequence[str]]) -> None:
        while True:
            files = [*await changes.get()]
            # Many files often change together; clients are told once.
            await asyncio.sleep(_SHORTEST_SILENCE)
            while not changes.empty():
                files += changes.get_nowait()
            try:
                await self._announcements.lists_changed()
                await self._announcements.notes_changed(uris_of(dict.fromkeys(files)))
            except Exception:
                logging.getLogger("paper").exception("announcing")

    def _put_together(self) -> Server[Any]:
        vault = self._live.vault
        notes, prompts = NoteResources(vault), AgentPrompts(vault)
        return _Announcing(
            NAME,
            version=__version__,
            title="Paper Agents",
            instructions=text("mcp.instructions"),
            get_tool_input_schema=self._offer.schema,
            on_list_tools=self._list_tools,
            on_call_tool=ToolCalls(self._live, self._offer).call,
            on_list_resources=notes.page,
            on_list_resource_templates=notes.templates,
            on_read_resource=notes.read,
            on_subscribe_resource=self._announcements.subscribe,
            on_unsubscribe_resource=self._announcements.unsubscribe,
            on_subscriptions_listen=self._listening,
            on_list_prompts=prompts.all,
            on_get_prompt=prompts.get,
        )

    async def _list_tools(self, context: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        self._announcements.remember(context)
        return types.ListToolsResult(tools=await asyncio.to_thread(self._offer.tools))
