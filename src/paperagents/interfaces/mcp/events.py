"""The last events of the streams over HTTP, so that a client that lost its connection gets what it missed."""

from __future__ import annotations

import secrets
from collections import OrderedDict

from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp_types import JSONRPCMessage

MOST_EVENTS = 128
"""Of all clients together: a connection comes back soon, or not at all."""


class RecentEvents(EventStore):
    """Kept in memory. Nobody can guess the id of an event, so nobody asks for those of others."""

    def __init__(self) -> None:
        self._events: OrderedDict[str, tuple[str, JSONRPCMessage | None]] = OrderedDict()

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        """Keep an event; None only marks the beginning of a stream."""
        event_id = secrets.token_urlsafe(18)
        self._events[event_id] = (stream_id, message)
        while len(self._events) > MOST_EVENTS:
            self._events.popitem(last=False)
        return event_id

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        """Send what came after an event in its stream; None where it is no longer known."""
        if last_event_id not in self._events:
            return None
        stream, _ = self._events[last_event_id]
        events = list(self._events.items())
        begin = [key for key, _ in events].index(last_event_id) + 1
        for event_id, (other, message) in events[begin:]:
            if other == stream and message is not None:
                await send_callback(EventMessage(message, event_id))
        return stream
