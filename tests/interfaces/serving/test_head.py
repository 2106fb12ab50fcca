"""HEAD: like GET, without the body."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.routing import APIRoute
from tests.waiting import wait_until

from paperagents.interfaces.serving.app import make_rest_app

from ..served import Served  # noqa: TID252  shared by the tests of two interfaces

_CHANGES_EACH_TIME = {"date"}
_LONG = "x" * 5_000


def routes_of(router: Any) -> Iterator[APIRoute]:
    """Those of the routers inside, too."""
    for each in router.routes:
        if isinstance(each, APIRoute):
            yield each
        elif (inner := getattr(each, "original_router", None)) is not None:
            yield from routes_of(inner)


def addresses(served: Served) -> list[str]:
    """One address for every route that takes GET."""
    run = served.vault.run("shout", {"words": "x"}).run_id
    known = {"run_id": run, "tool": "shout", "agent": "poet", "kind": "memory", "identifier": "m", "number": "0",
             "name": "language", "value": "de", "version": "0", "approval_id": "none", "path": "none.md"}  # fmt: skip
    paths = [each.path for each in routes_of(make_rest_app(served.live)) if "GET" in (each.methods or ())]
    return [re.sub(r"\{(\w+)(:\w+)?\}", lambda found: known[found[1]], path) for path in paths]


def test_every_address_answers_as_to_get_without_a_body(served: Served) -> None:
    found = addresses(served)
    assert len(found) > 30
    with served.client() as client:
        for address in [*found, "/nowhere", "/openapi.json", "/api/openapi.json"]:
            with client.stream("GET", address) as whole:
                head = client.head(address)
                assert (head.status_code, head.content) == (whole.status_code, b""), address
                assert head.status_code != 405, address
                assert {*head.headers} - _CHANGES_EACH_TIME == {*whole.headers} - _CHANGES_EACH_TIME, address
                assert head.headers.get("content-type") == whole.headers.get("content-type"), address


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_the_length_is_told_and_the_connection_stays_usable(served: Served, encoding: str) -> None:
    served.note("long.md", f"---\ntool: true\nname: long\ndescription: {_LONG}\ncustom_function: return 1;\n---\n")
    wait_until(lambda: any(entry.file == "long.md" for entry in served.vault.registry.entries()))
    with served.client() as client:
        client.headers["accept-encoding"] = encoding
        for _ in range(3):
            head = client.head("/api/tools")
            assert head.headers["content-length"] == client.get("/api/tools").headers["content-length"]


def test_a_stream_of_events_is_let_go(served: Served) -> None:
    with served.client() as client:
        assert client.head("/api/events").headers["content-type"].startswith("text/event-stream")


def test_a_client_of_mcp_keeps_its_session_whoever_asks_for_the_head_of_its_stream(served: Served) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    with served.client() as client:
        assert client.head("/mcp").status_code == client.get("/mcp").status_code == 400
        client.headers["accept"] = "application/json, text/event-stream"
        begun = client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
        client.headers["mcp-session-id"] = begun.headers["mcp-session-id"]
        client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"})
        for _ in range(2):
            head = client.head("/mcp")
            assert (head.status_code, head.headers["content-type"]) == (200, "text/event-stream")
        with client.stream("GET", "/mcp") as stream:
            assert stream.status_code == 200
            listed = client.post("/mcp", json={"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
            assert "shout" in listed.text


def test_where_get_is_wrong_head_is_wrong_too(served: Served) -> None:
    with served.client() as client:
        head = client.head("/api/approvals/x/approve")
        assert (head.status_code, head.headers["allow"]) == (405, "POST")


def test_nobody_learns_more_by_head_than_by_get(served: Served) -> None:
    with served.client(token=False) as client:
        assert client.head("/api/tools").status_code == 401
        link = served.access.new_link_token()
        # Programs that look at links before people open them do not use them up.
        assert client.head(f"/?token={link}").status_code == 401
        assert client.get(f"/?token={link}").status_code == 303


def test_runs_are_not_started_by_head(served: Served) -> None:
    with served.client() as client:
        client.head("/api/runs")
        assert json.loads(client.get("/api/runs").content) == []
