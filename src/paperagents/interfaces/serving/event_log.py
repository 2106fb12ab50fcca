"""Events that threads write and any number of readers follow, each at its own pace."""

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
            waiting, self._waiting = self._waiting, []
        _wake(waiting)

    def end(self) -> None:
        """Nothing more will come: readers stop when they have read everything."""
        with self._lock:
            self._ended = True
            waiting, self._waiting = self._waiting, []
        _wake(waiting)

    async def follow(self, after: int = 0) -> AsyncIterator[JsonObject]:
        """Every event after this number: those there are, then the others as they come."""
        while True:
            events, ended, news = self._from(after)
            for event in events:
                yield event
            after = max(after, self._number(events, after))
            if ended:
                return
            await news.wait()

    def _from(self, after: int) -> tuple[list[JsonObject], bool, asyncio.Event]:
        news = asyncio.Event()
        with self._lock:
            oldest = self._last - len(self._events)
            events = list(islice(self._events, max(len(self._events) - max(self._last - after, 0), 0), None))
            if after < oldest:
                events.insert(0, {"seq": oldest, "type": MISSED, "count": oldest - after})
            if events:
                # There is something to hand on first; the reader comes back and waits then.
                news.set()
            elif not self._ended:
                self._waiting.append((asyncio.get_running_loop(), news))
            return events, self._ended and not events, news

    @staticmethod
    def _number(events: list[JsonObject], after: int) -> int:
        return _seq(events[-1]) if events else after


def _seq(event: JsonObject) -> int:
    number = event["seq"]
    assert isinstance(number, int)
    return number


def _wake(waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]]) -> None:
    for loop, news in waiting:
        # A reader whose loop has been closed meanwhile does not wait any more.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(news.set)
