"""The MCP server of a vault, for both protocol eras, and its notifications of changes."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

import mcp_types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.session import ServerSession
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ToolsListChanged,
)  # fmt: skip
from mcp.server.transport_security import TransportSecuritySettings

from paperagents.interfaces.mcp.calls import ToolCalls
from paperagents.interfaces.mcp.clients import Context, connection_of
from paperagents.interfaces.mcp.completions import Completions
from paperagents.interfaces.mcp.events import RecentEvents
from paperagents.interfaces.mcp.resources import AgentPrompts, NoteResources, note_uri
from paperagents.interfaces.mcp.stdio import ValidMessages, message_input, message_output
from paperagents.interfaces.mcp.tools import ToolOffer
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.messages import text
from paperagents.version import __version__

if TYPE_CHECKING:
    import anyio

NAME = "paperagents"
PATH = "/mcp"
ANSWER_SECONDS = 7 * 24 * 3600.0
"""How long a request state can be sent back; the run itself waits for ever."""
RETRY_MILLISECONDS = 1_000
"""So long a client waits before it comes back to a stream that broke off."""
_DEBOUNCE_SECONDS = 0.05
_LOGGER = logging.getLogger("paper")


class ChangingServer(Server[Any]):
    """A server that declares to every client that its lists may change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """With all kinds of notifications, unless others are asked for."""
        every = NotificationOptions(prompts_changed=True, resources_changed=True, tools_changed=True)
        options = notification_options or every
        return super().create_initialization_options(options, experimental_capabilities, extensions)


class McpServer:
    """The tools, notes and agents of a vault for MCP clients."""

    def __init__(self, live: LiveRuns, key: bytes) -> None:
        self._live = live
        self._notifications = Notifications()
        self._offer = ToolOffer(live.vault)
        self._listening = ListenHandler(self._notifications.bus)
        self._server = self._make_server()
        live.on_shutdown.append(self._listening.close)
        # Request states that clients send back are sealed with the user's key, and valid for this vault alone.
        security = RequestStateSecurity(keys=[key], ttl=ANSWER_SECONDS)
        self._server.middleware.append(RequestStateBoundary(security, default_audience=f"{NAME}:{live.vault.root}"))

    def application(self) -> StreamableHTTPASGIApp:
        """The server over HTTP as an ASGI application; access and sizes are checked by the guard before it."""
        unguarded = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        self._server.streamable_http_app(
            streamable_http_path=PATH,
            transport_security=unguarded,
            max_request_body_size=sys.maxsize,
            event_store=RecentEvents(),
            retry_interval=RETRY_MILLISECONDS,
        )
        return StreamableHTTPASGIApp(self._server.session_manager)

    @asynccontextmanager
    async def serving_http(self) -> AsyncIterator[None]:
        """Inside, the ASGI application answers."""
        async with self._server.session_manager.run():
            yield

    async def serve_stdio(self) -> None:
        """Serve one client over standard input and output until it goes."""
        async with self.following():
            with message_output() as output:
                async with message_input() as source:
                    # The library uses no more of a file than these have.
                    streams = cast("anyio.AsyncFile[str] | None", source), cast("anyio.AsyncFile[str]", output)
                    async with stdio_server(*streams) as (incoming, outgoing):
                        messages = ValidMessages(incoming, outgoing)
                        await self._server.run(messages, outgoing, self._server.create_initialization_options())

    @asynccontextmanager
    async def following(self) -> AsyncIterator[None]:
        """Inside, clients are notified of changes in the vault's folder."""
        changes: asyncio.Queue[Sequence[str]] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def on_files(files: Sequence[str]) -> None:
            self._live.tell({"type": "vault-changed", "files": [*files]})
            loop.call_soon_threadsafe(changes.put_nowait, files)

        notifying = asyncio.create_task(self.notify(changes))

        def on_change() -> None:
            """Also of what changed while nothing was watched yet, whatever it was."""
            if not self._notifications.watched.is_set():
                self._live.tell({"type": "vault-changed", "files": []})
            loop.call_soon_threadsafe(self._notifications.watched.set)
            loop.call_soon_threadsafe(changes.put_nowait, ())

        watch = self._live.vault.follow(on_change, on_files)
        # Nobody waits for the first look at the whole folder: until then each request looks for itself.
        watch.start()
        try:
            yield
        finally:
            await asyncio.to_thread(watch.__exit__)
            notifying.cancel()

    async def notify(self, changes: asyncio.Queue[Sequence[str]]) -> None:
        """Notify clients of files that have changed, until cancelled."""
        while True:
            files = [*await changes.get()]
            # Many files often change together; clients are notified once.
            await asyncio.sleep(_DEBOUNCE_SECONDS)
            while not changes.empty():
                files += changes.get_nowait()
            try:
                await self._notifications.notify_lists()
                await self._notifications.notify_notes([note_uri(path) for path in dict.fromkeys(files)])
            except Exception:
                _LOGGER.exception("announcing")

    def _make_server(self) -> Server[Any]:
        vault = self._live.vault
        notes, prompts = NoteResources(vault), AgentPrompts(vault)
        calls = ToolCalls(self._live, self._offer)
        server = ChangingServer(
            NAME,
            version=__version__,
            title="Paper Agents",
            instructions=text("mcp.instructions"),
            get_tool_input_schema=self._offer.schema,
            on_list_tools=self.list_tools,
            on_call_tool=calls.call,
            on_list_resources=notes.page,
            on_list_resource_templates=notes.templates,
            on_read_resource=notes.read,
            on_subscribe_resource=self._notifications.subscribe,
            on_unsubscribe_resource=self._notifications.unsubscribe,
            on_subscriptions_listen=self._listen,
            on_list_prompts=prompts.all,
            on_get_prompt=prompts.get,
            on_completion=Completions(vault, notes).complete,
        )
        # Not above: the library calls it deprecated, which it is only for clients of 2026-07-28.
        server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, calls.levels.set_level)
        return server

    async def list_tools(self, context: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """The tools; from now on the client is notified when they change."""
        self._notifications.remember(context)
        return types.ListToolsResult(tools=await asyncio.to_thread(self._offer.tools))

    async def _listen(
        self, context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        await self._notifications.watched.wait()
        return await self._listening(context, params)


class Notifications:
    """Clients of 2026-07-28 listen on a bus; older ones are notified in their session."""

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        self.watched = asyncio.Event()
        """Whether every change is noticed by now: who subscribes may rely on it."""
        self._sessions: WeakKeyDictionary[object, ServerSession] = WeakKeyDictionary()
        self._subscribed: WeakKeyDictionary[object, set[str]] = WeakKeyDictionary()

    def remember(self, context: Context) -> None:
        """Notify this client of changed lists from now on."""
        if context.session.can_send_request:
            self._sessions[connection_of(context)] = context.session

    async def subscribe(self, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """Notify the client of changes of this note."""
        await self.watched.wait()
        self.remember(context)
        self._subscribed.setdefault(connection_of(context), set()).add(str(params.uri))
        return types.EmptyResult()

    async def unsubscribe(self, context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """No longer."""
        self._subscribed.get(connection_of(context), set()).discard(str(params.uri))
        return types.EmptyResult()

    async def notify_lists(self) -> None:
        """Tools, agents or notes were added, removed or changed."""
        for event in (ToolsListChanged(), PromptsListChanged(), ResourcesListChanged()):
            await self.bus.publish(event)
        for session in list(self._sessions.values()):
            await send_safely(session.send_tool_list_changed)
            await send_safely(session.send_prompt_list_changed)
            await send_safely(session.send_resource_list_changed)

    async def notify_notes(self, uris: Sequence[str]) -> None:
        """These notes have changed."""
        for uri in uris:
            await self.bus.publish(ResourceUpdated(uri=uri))
        for connection, session in list(self._sessions.items()):
            for uri in self._subscribed.get(connection, set()).intersection(uris):
                await send_safely(session.send_resource_updated, uri)


async def send_safely(send: Callable[..., Awaitable[None]], *values: str) -> None:
    """Send a notification; a client that has gone must not keep it from the others."""
    try:
        await send(*values)
    except Exception as error:
        _LOGGER.debug("%s", error)
