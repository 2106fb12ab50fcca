"""A program that is killed while it only reads: it has left its trace, and what was answered is not fetched again."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from tests.signing import journal_of
from tests.waiting import wait_until

from paperagents.runs.history import History
from paperagents.storage.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from tests.desk import Desk
    from tests.servers import Exchange, Web

DIE_AFTER_THE_THIRD = """
import os, sys, paperagents

def die(event):
    if event["type"] == "step-finished" and event["path"] == "3":
        os._exit(9)

paperagents.open_vault(sys.argv[1]).run("reads", on_event=die)
"""


def reads(desk: Desk, web: Web, *paths: str) -> None:
    """A chain that fetches these pages one after the other."""
    steps = (f"\n  - {{tool: rest_request, parameters: {{url: '{web.url(path)}'}}}}" for path in paths)
    desk.chain("reads", "".join(steps))


def test_pages_that_were_fetched_before_a_kill_are_not_fetched_again(desk: Desk, web: Web) -> None:
    web.otherwise = (200, "{}")
    reads(desk, web, "/1", "/2", "/3", "/4")
    killed = subprocess.run([sys.executable, "-c", DIE_AFTER_THE_THIRD, str(desk.root)], timeout=120, check=False)
    assert killed.returncode == 9
    assert [request.path for request in web.requests] == ["/1", "/2", "/3"]
    (run_id,) = desk.reopened().history.running()
    assert desk.vault.resume(run_id).success
    assert [request.path for request in web.requests] == ["/1", "/2", "/3", "/4"]


def test_a_run_whose_first_page_is_slow_is_seen_by_others_and_can_be_resumed_after_a_kill(desk: Desk, web: Web) -> None:
    came, over = threading.Event(), threading.Event()

    def hang(exchange: Exchange) -> None:
        came.set()
        over.wait(120)
        exchange.reply(200, "{}")

    web.answers["/slow"] = hang
    reads(desk, web, "/slow")
    paper = [sys.executable, "-m", "paperagents", "--vault", str(desk.root)]
    with subprocess.Popen([*paper, "run", "reads"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as program:
        assert came.wait(60)
        listed = subprocess.run([*paper, "runs", "list", "--json"], capture_output=True, timeout=60, check=True)
        program.kill()
    over.set()
    ((run_id, status),) = [(run["run_id"], run["status"]) for run in json.loads(listed.stdout)]
    assert status == "running"
    wait_until(lambda: not desk.vault.database.is_held(run_id))
    assert desk.reopened().resume(run_id).success
    assert len(web.requests) == 2


def test_what_happened_so_far_is_written_before_a_request_is_sent(
    desk: Desk, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paperagents.runs.journal._BUFFER_SECONDS", 600.0)
    seen: list[object] = []

    def look(exchange: Exchange) -> None:
        other = SqliteDatabase(desk.root / ".paper" / "paper.db")
        seen.extend(run["tool"] for run in History(journal_of(other)).runs())
        other.close()
        exchange.reply(200, "{}")

    web.answers["/"] = look
    reads(desk, web, "/")
    assert desk.run("reads").success
    assert seen == ["reads"]
