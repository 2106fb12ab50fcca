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
        types += [event["type"] for event in json.loads(socket.recv(timeout=30))]
    return types


def test_the_inside_of_other_runs_is_not_told(served: Served) -> None:
    with listening(served, "") as socket:
        served.live.start("slow", {})
        assert set(told(socket, "run-finished")) - {"vault-changed"} == {"run-started", "run-finished"}


def test_the_inside_of_the_run_that_is_shown_is_told(served: Served) -> None:
    with listening(served, "abcdef0123456789") as socket:
        served.live.start("slow", {}, run_id="abcdef0123456789")
        assert "step-finished" in told(socket, "run-finished")


def test_halves_of_characters_are_told_too(served: Served) -> None:
    with listening(served, "") as socket:
        served.live.tell({"type": "vault-changed", "text": "\ud800"})
        assert json.loads(socket.recv(timeout=30))[0]["text"] == "\ud800"


def test_a_closed_page_leaves_nobody_behind(served: Served) -> None:
    with listening(served, "") as socket:
        served.live.tell({"type": "vault-changed"})
        assert told(socket, "vault-changed")
        loop = wait_for(lambda: served.live._feed._waiting)[0][0]
        assert tellers(loop) == 1
    wait_for(lambda: tellers(loop) == 0)


def tellers(loop: asyncio.AbstractEventLoop) -> int:
    names = [getattr(task.get_coro(), "__name__", "") for task in asyncio.all_tasks(loop)]
    return names.count("send_bundles")


def wait_for(condition: Callable[[], Any]) -> Any:
    end = time.monotonic() + 30
    while not (found := condition()):
        assert time.monotonic() < end
    return found


def test_what_happens_at_once_is_told_in_few_messages_and_beginnings_only_where_there_is_no_end_yet(
    served: Served,
) -> None:
    run_id = "abcdef0123456789"
    with listening(served, run_id) as socket:
        for number in range(500):
            step: dict[str, Any] = {"run_id": run_id, "path": f"1[{number}]"}
            served.live.tell({"type": "step-started", **step})
            if number != 499:
                served.live.tell({"type": "step-finished", **step, "entry": {}})
            served.live.tell({"type": "model-text", "run_id": run_id, "text": "x"})
        served.live.tell({"type": "run-finished", "run_id": run_id})
        bundles: list[list[Any]] = []
        while not bundles or bundles[-1][-1]["type"] != "run-finished":
            bundles.append(json.loads(socket.recv(timeout=30)))
    events = [event for bundle in bundles for event in bundle]
    assert len(bundles) < 50
    begun = {event["path"] for event in events if event["type"] == "step-started"}
    ended = {event["path"] for event in events if event["type"] == "step-finished"}
    assert (len(ended), "1[499]" in begun) == (499, True)
    assert len(begun) < 100
    assert "".join(event["text"] for event in events if event["type"] == "model-text") == "x" * 500
