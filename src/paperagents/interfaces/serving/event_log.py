"""Events in a row, numbered, for any number of readers."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from itertools import islice

from paperagents.definitions.json_value import JsonObject, JsonValue

MISSED = "events-missed"


class EventLog:
    """The newest events, numbered from 1. Written from any thread, read by coroutines of any loop.

    A reader holds nothing but a number: a slow one costs no memory, and is told when it has missed something.
    """

    def __init__(self, most: int = 10_000) -> None:
        self._events: deque[JsonObject] = deque(maxlen=most)
        self._last = 0
        self._ended = False
        self._lock = threading.Lock()
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    @property
    def last(self) -> int:
        """The number of the newest event."""
        return self._last

    def append(self, event: Mapping[str, JsonValue]) -> None:
        """Add an event; it gets the next number as ``seq``."""
        with self._lock:
            self._last += 1
            self._events.append({"seq": self._last, **event})
            self.wake_readers()

    def end(self) -> None:
        """Nothing more will come: readers stop when they have read everything."""
        with self._lock:
            self._ended = True
            self.wake_readers()

    async def follow(self, after: int = 0) -> AsyncIterator[JsonObject]:
        """Every event after this number: those there are, then the others as they come."""
        while await self.wait_after(after):
            for event in self.read_between(after, self._last):
                yield event
                after = int(str(event["seq"]))

    async def wait_after(self, after: int) -> bool:
        """Wait until there is an event after this number; False where there will be none."""
        while True:
            # Looked up and registered under one lock: an event in between would wake nobody.
            with self._lock:
                if self._last > after or self._ended:
                    return self._last > after
                news = asyncio.Event()
                self._waiting.append((asyncio.get_running_loop(), news))
            await news.wait()

    def read_between(self, after: int, last: int) -> list[JsonObject]:
        """The events after a number up to another; what is no longer known of them is told as missed."""
        with self._lock:
            oldest = self._last - len(self._events)
            events = list(islice(self._events, max(after - oldest, 0), max(last - oldest, 0)))
        missed: JsonObject = {"seq": oldest, "type": MISSED, "count": oldest - after}
        return [missed, *events] if after < oldest else events

    def wake_readers(self) -> None:
        """Wake everybody who waits; called with the lock held."""
        waiting, self._waiting = self._waiting, []
        for loop, news in waiting:
            # A reader whose loop has been closed meanwhile does not wait any more.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(news.set)
