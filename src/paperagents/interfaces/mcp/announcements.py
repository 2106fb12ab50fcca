"""Tells MCP clients that something has changed: the lists of tools, prompts and notes, and notes they subscribed to."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ToolsListChanged,
)

Context = ServerRequestContext[Any, Any]
_LOGGER = logging.getLogger("paper")


class Announcements:
    """Clients of 2026-07-28 listen on a bus; older ones are told in the session they have."""

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        self._sessions: WeakKeyDictionary[object, ServerSession] = WeakKeyDictionary()
        self._subscribed: WeakKeyDictionary[object, set[str]] = WeakKeyDictionary()

    def remember(self, context: Context) -> None:
        """A client that has asked for a list wants to know when it changes."""
        if context.session.can_send_request:
            self._sessions[_connection(context)] = context.session

    async def subscribe(self, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """From now on the client hears of changes of this note."""
        self.remember(context)
        self._subscribed.setdefault(_connection(context), set()).add(str(params.uri))
        return types.EmptyResult()

    async def unsubscribe(self, context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """And not any more."""
        self._subscribed.get(_connection(context), set()).discard(str(params.uri))
        return types.EmptyResult()

    async def lists_changed(self) -> None:
        """The vault has other tools, agents or notes than before, or they have changed."""
        for event in (ToolsListChanged(), PromptsListChanged(), ResourcesListChanged()):
            await self.bus.publish(event)
        for session in list(self._sessions.values()):
            await _told(session.send_tool_list_changed)
            await _told(session.send_prompt_list_changed)
            await _told(session.send_resource_list_changed)

    async def notes_changed(self, uris: Sequence[str]) -> None:
        """These notes have changed."""
        for uri in uris:
            await self.bus.publish(ResourceUpdated(uri=uri))
        for connection, session in list(self._sessions.items()):
            for uri in self._subscribed.get(connection, set()).intersection(uris):
                await _told(session.send_resource_updated, uri)


def _connection(context: Context) -> object:
    # The session is a new one for every request; what lasts is the connection behind it.
    return context.session._connection  # noqa: SLF001  the library offers no other name for a client


async def _told(tell: Callable[..., Awaitable[None]], *values: str) -> None:
    try:
        await tell(*values)
    except Exception as error:
        # A client that has gone needs no news; the others do.
        _LOGGER.debug("%s", error)
