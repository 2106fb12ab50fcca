"""What a page is told over its WebSocket: enough, not more, and nothing once it is closed."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

from websockets.sync.client import ClientConnection, connect

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces


def listening(served: Served, about: str) -> ClientConnection:
    address = f"{served.url.replace('http', 'ws')}/api/events?about={about}"
    return connect(address, additional_headers={"authorization": f"Bearer {served.access.token}"})


def told(socket: ClientConnection, last: str) -> list[str]:
    """The types of events up to this one."""
    types: list[str] = []
    while last not in types:
        types.append(json.loads(socket.recv(timeout=30))["type"])
    return types


def test_the_inside_of_other_runs_is_not_told(served: Served) -> None:
    with listening(served, "") as socket:
        served.live.start("slow", {})
        assert told(socket, "run-finished") == ["run-started", "run-finished"]


def test_the_inside_of_the_run_that_is_shown_is_told(served: Served) -> None:
    with listening(served, "abcdef0123456789") as socket:
        served.live.start("slow", {}, run_id="abcdef0123456789")
        types = [json.loads(socket.recv(timeout=30))["type"] for _ in range(4)]
    assert "step-started" in types


def test_halves_of_characters_are_told_too(served: Served) -> None:
    with listening(served, "") as socket:
        served.live.tell({"type": "vault-changed", "text": "\ud800"})
        assert json.loads(socket.recv(timeout=30))["text"] == "\ud800"


def test_a_closed_page_leaves_nobody_behind(served: Served) -> None:
    with listening(served, "") as socket:
        served.live.tell({"type": "vault-changed"})
        assert told(socket, "vault-changed")
        loop = wait_for(lambda: served.live._feed._waiting)[0][0]
        assert tellers(loop) == 1
    wait_for(lambda: tellers(loop) == 0)


def tellers(loop: asyncio.AbstractEventLoop) -> int:
    names = [getattr(task.get_coro(), "__name__", "") for task in asyncio.all_tasks(loop)]
    return names.count("send_events")


def wait_for(condition: Callable[[], Any]) -> Any:
    end = time.monotonic() + 30
    while not (found := condition()):
        assert time.monotonic() < end
    return found
