"""Attacks on the guard, from a real socket: nothing that fails a check reaches the application."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Sequence
from contextlib import closing, suppress
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from paperagents.interfaces.serving.access import Access
from paperagents.interfaces.serving.guard import SECURITY_HEADERS, Guard, GuardLimits, Hosts

from ..served import KEY, Served, serving  # noqa: TID252  shared by the tests of two interfaces

NEW_RUN = b'{"tool": "shout", "arguments": {"words": "x"}}'


def raw(served: Served, request: bytes) -> tuple[int, str]:
    """Status and everything else of the answer to exactly these bytes."""
    where = urlsplit(served.url)
    assert where.hostname is not None
    with closing(socket.create_connection((where.hostname, where.port or 0), timeout=20)) as connection:
        connection.sendall(request)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    head = answer.decode("latin-1")
    return int(head.split(" ", 2)[1]), head


def request(
    served: Served,
    *headers: str,
    method: str = "GET",
    path: str = "/api/tools",
    host: str | None = None,
    body: bytes = b"",
) -> bytes:
    authority = urlsplit(served.url).netloc if host is None else host
    lines = [f"{method} {path} HTTP/1.1", f"Host: {authority}", f"Authorization: Bearer {served.access.token}"]
    length = [f"Content-Length: {len(body)}"] if body else []
    return "\r\n".join([*lines, *headers, *length, "Connection: close", "", ""]).encode() + body


def post(served: Served, *headers: str, body: bytes = NEW_RUN) -> bytes:
    return request(served, *headers, method="POST", path="/api/runs", body=body)


def test_the_owner_comes_in(served: Served) -> None:
    assert raw(served, request(served))[0] == 200
    assert raw(served, post(served, "Content-Type: application/json"))[0] == 200


FOREIGN_HOSTS = (
    "evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", "localhost.", "127.1",
    "2130706433", "0.0.0.0", "[::]", "127.0.0.1:80@evil.example", "127.0.0.1:8765:80", "", "169.254.169.254",
)  # fmt: skip


def test_a_foreign_host_is_refused(served: Served) -> None:
    for host in FOREIGN_HOSTS:
        status, answer = raw(served, request(served, host=host))
        assert status in (400, 421), host
        assert "shout" not in answer


def test_an_application_that_fails_before_it_answers_is_answered_for(tmp_path: Path) -> None:
    async def failing(_: Scope, _receive: Receive, _send: Send) -> None:
        raise RecursionError

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    sent: list[Message] = []
    access = Access(KEY, tmp_path)
    headers = [(b"host", b"localhost"), (b"authorization", f"Bearer {access.token}".encode())]
    scope: Scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": headers}
    with pytest.raises(RecursionError):
        asyncio.run(Guard(app=failing, access=access)(scope, receive, send))
    assert (sent[0]["status"], dict(sent[0]["headers"])[b"content-type"]) == (500, b"application/problem+json")
    assert json.loads(sent[1]["body"])["code"] == "internal-error"


def test_two_hosts_are_refused(served: Served) -> None:
    assert raw(served, request(served, "Host: evil.example"))[0] in (400, 421)


def test_no_page_of_another_site_can_send_anything(served: Served) -> None:
    methods = ("GET", "POST", "OPTIONS", "DELETE", "PUT", "PATCH", "HEAD")
    foreign = ("Origin: http://evil.example", "Origin: null", f"Origin: {served.url}.evil.example",
               "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site")  # fmt: skip
    for method, path, header in product(methods, ("/api/tools", "/mcp", "/", "/api/openapi.json"), foreign):
        status, answer = raw(served, request(served, header, method=method, path=path))
        assert status == 403, (method, path, header)
        assert "access-control" not in answer.lower()


def test_another_port_of_this_machine_is_another_site(served: Served) -> None:
    assert raw(served, post(served, "Origin: http://127.0.0.1:1", "Content-Type: application/json"))[0] == 403


def test_the_page_itself_can_send(served: Served) -> None:
    headers = (f"Origin: {served.url}", "Sec-Fetch-Site: same-origin", "Content-Type: application/json")
    assert raw(served, post(served, *headers))[0] == 200


def test_a_link_elsewhere_can_lead_here_but_not_read(served: Served) -> None:
    assert raw(served, request(served, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"))[0] == 200
    assert raw(served, request(served, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"))[0] == 403


@pytest.mark.parametrize("token", ["", "wrong", "Bearer", "é", "x" * 5000])
def test_without_the_token_nobody_comes_in(served: Served, token: str) -> None:
    with served.client(token=False) as client:
        headers = {b"authorization": f"Bearer {token}".encode()} if token else {}
        for path in ("/api/tools", "/mcp", "/", "/no/such/path"):
            answer = client.get(path, headers=headers)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
            assert served.access.token not in answer.text


def test_a_link_works_once_and_leaves_a_cookie(served: Served) -> None:
    link = f"/api/status?token={served.access.new_link_token()}&x=1"
    with served.client(token=False) as client:
        first = client.get(link)
        assert (first.status_code, first.headers["location"]) == (303, "/api/status?x=1")
        cookie = first.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert client.get("/api/status").status_code == 200
    with served.client(token=False) as stranger:
        again = stranger.get(link)
        assert again.status_code == 401
        assert again.json()["code"] == "link-used"


def test_a_link_cannot_lead_away(served: Served) -> None:
    for path in ("//evil.example/", "/%0d%0aSet-Cookie:%20x=y", "/\\evil.example"):
        word = served.access.new_link_token()
        status, answer = raw(served, f"GET {path}?token={word} HTTP/1.1\r\nHost: {urlsplit(served.url).netloc}\r\n"
                             "Connection: close\r\n\r\n".encode())  # fmt: skip
        if status == 303:
            location = next(line for line in answer.split("\r\n") if line.lower().startswith("location:"))
            assert location.split(": ", 1)[1].startswith("/")
            assert not location.split(": ", 1)[1].startswith(("//", "/\\"))
            assert "x=y" not in answer.split("\r\n\r\n", maxsplit=1)[0].replace(location, "")


def test_guessing_does_not_lock_the_owner_out(served: Served) -> None:
    with served.client(token=False) as client:
        seen = [client.get("/api/tools", headers={"authorization": f"Bearer {n}"}).status_code for n in range(40)]
    assert set(seen) == {401}
    assert raw(served, request(served))[0] == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_body_that_does_not_say_it_is_json_is_refused(served: Served, kind: str) -> None:
    headers = [f"Content-Type: {kind}"] if kind else []
    assert raw(served, post(served, *headers))[0] == 415
    assert served.vault.history.runs() == []


def test_a_large_body_is_refused(folder: Path) -> None:
    with serving(folder, GuardLimits(body_bytes=1000)) as served:
        large = b'{"tool": "shout", "arguments": {"words": "' + b"x" * 2000 + b'"}}'
        assert raw(served, post(served, "Content-Type: application/json", body=large))[0] == 413
        pieces = b"".join(f"{len(large):x}\r\n".encode() + large + b"\r\n" for _ in range(2)) + b"0\r\n\r\n"
        head = request(served, "Content-Type: application/json", "Transfer-Encoding: chunked", method="POST",
                       path="/api/runs")  # fmt: skip
        assert raw(served, head + pieces)[0] == 413
        lying = request(served, "Content-Type: application/json", "Content-Length: 99999999999", method="POST")
        assert raw(served, lying)[0] == 413
        assert served.vault.history.runs() == []


def test_a_body_that_trickles_in_is_refused(folder: Path) -> None:
    with serving(folder, GuardLimits(body_seconds=0.3)) as served:
        head = request(served, "Content-Type: application/json", "Content-Length: 100", method="POST", path="/api/runs")
        assert raw(served, head + b'{"tool"')[0] == 408
        assert raw(served, request(served))[0] == 200


@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n"])
def test_whoever_never_finishes_asking_is_let_go(folder: Path, monkeypatch: pytest.MonkeyPatch, begun: bytes) -> None:
    monkeypatch.setattr("paperagents.interfaces.serving.app.HEAD_SECONDS", 0.3)
    with serving(folder) as served:
        assert everything_until_closed(served, begun) == b""


def test_a_head_that_trickles_in_after_a_good_request_is_let_go_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paperagents.interfaces.serving.app.HEAD_SECONDS", 0.3)
    with serving(folder) as served:
        first = request(served).replace(b"Connection: close\r\n", b"")
        assert everything_until_closed(served, first, trickle=b"GET / HTTP/1.1\r\nX-Long: ").count(b"HTTP/1.1") == 1


def test_a_websocket_outlives_the_time_for_asking(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paperagents.interfaces.serving.app.HEAD_SECONDS", 1.0)
    with serving(folder) as served:
        headers = {"Authorization": f"Bearer {served.access.token}"}
        with connect(served.url.replace("http", "ws") + "/api/events", additional_headers=headers) as live:
            # The end of the first look at the folder may be told, and nothing else.
            with suppress(TimeoutError):
                live.recv(timeout=1.5)
            with pytest.raises(TimeoutError):
                live.recv(timeout=1.5)
            live.ping().wait(20)


def everything_until_closed(served: Served, begun: bytes, trickle: bytes = b"") -> bytes:
    where = urlsplit(served.url)
    assert where.hostname is not None
    answer = b""
    with closing(socket.create_connection((where.hostname, where.port or 0), timeout=20)) as connection:
        connection.sendall(begun)
        if trickle:
            answer += connection.recv(65536)
            connection.settimeout(0.05)
            trickle += b"x" * 400
        while True:
            try:
                piece = connection.recv(65536)
            except TimeoutError:
                assert trickle, "the connection is still open"
                connection.sendall(trickle[:30])
                trickle = trickle[30:]
                continue
            except ConnectionResetError:
                return answer
            if not piece:
                return answer
            answer += piece


def test_too_many_requests_are_refused(folder: Path) -> None:
    with serving(folder, GuardLimits(burst=10, per_second=0.001)) as served, served.client() as client:
        seen = [client.get("/api/status").status_code for _ in range(12)]
    assert seen == [200] * 10 + [429] * 2


def test_every_answer_carries_the_security_headers(served: Served) -> None:
    with served.client() as client:
        for path in ("/api/status", "/no/such/path", "/api/openapi.json"):
            answer = client.get(path)
            for name in SECURITY_HEADERS:
                assert name in answer.headers, (path, name)
        assert "unsafe" not in client.get("/api/status").headers["content-security-policy"]


@pytest.mark.parametrize(
    ("headers", "token"),
    [({"Origin": "http://evil.example"}, True), ({"Origin": "null"}, True), ({"Sec-Fetch-Site": "cross-site"}, True),
     ({"Host": "evil.example"}, True), ({}, False)],
)  # fmt: skip
def test_no_websocket_from_elsewhere(served: Served, headers: dict[str, str], token: bool) -> None:  # noqa: FBT001  a case
    given = {"Authorization": f"Bearer {served.access.token}"} if token else {}
    address = served.url.replace("http", "ws") + "/api/events"
    if "Host" in headers:
        upgrade = ["Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="]
        assert raw(served, request(served, *upgrade, path="/api/events", host=headers["Host"]))[0] in (400, 403, 421)
        return
    with pytest.raises(InvalidStatus) as refused, connect(address, additional_headers={**given, **headers}):
        pass
    assert refused.value.response.status_code == 403


def test_a_websocket_of_the_page_is_let_in(served: Served) -> None:
    headers = {"Authorization": f"Bearer {served.access.token}", "Origin": served.url}
    with connect(served.url.replace("http", "ws") + "/api/events", additional_headers=headers) as live:
        served.live.tell({"type": "hello"})
        assert json.loads(live.recv(timeout=20))["type"] == "hello"


# --- the parts


@given(st.text(max_size=40))
def test_only_known_names_are_hosts(host: str) -> None:
    assert not Hosts().allow(host) or host.lower().startswith(("127.0.0.1", "localhost", "[::1]"))


def test_any_address_is_a_host_where_others_may_reach_the_server() -> None:
    hosts = Hosts(any_address=True)
    assert hosts.allow("192.168.1.7:8765")
    assert hosts.allow("[fe80::1]:80")
    assert not hosts.allow("evil.example")


# --- checks that a real server, or a real client, would already refuse before the guard sees them


async def hello(_: Scope, receive: Receive, send: Send) -> None:
    """Read the body, then answer with a header of its own."""
    message = await receive()
    body = f"{message['type']} {message.get('body', b'').decode()}".encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"cache-control", b"private")]})
    await send({"type": "http.response.body", "body": body})


class Asked:
    """A guard around an application, asked directly with any headers and messages."""

    def __init__(self, app: ASGIApp = hello, limits: GuardLimits | None = None) -> None:
        self.access = Access(KEY, Path("/vault"))
        self.guard = Guard(app=app, access=self.access, limits=limits or GuardLimits())
        self.received = 0

    def ask(
        self, *headers: tuple[str, str], messages: Sequence[Message] = (), token: bool = True, **scope: Any
    ) -> tuple[int, Headers, str]:
        waiting, sent = [*messages] or [{"type": "http.request"}], list[Message]()
        bearer = f"Bearer {self.access.token if token else 'another'}"
        named = [("host", "localhost"), ("authorization", bearer), *headers]
        whole: Scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", **scope}
        whole["headers"] = [(name.encode(), value.encode()) for name, value in named if value]

        async def receive() -> Message:
            self.received += 1
            return waiting.pop(0)

        async def send(message: Message) -> None:
            sent.append(message)

        asyncio.run(self.guard(whole, receive, send))
        return sent[0]["status"], Headers(raw=sent[0]["headers"]), sent[1]["body"].decode()


def test_of_two_hosts_none_is_taken() -> None:
    assert Asked().ask()[0] == 200
    assert Asked().ask(("host", "localhost"))[0] == 421


def test_of_two_origins_none_is_taken() -> None:
    assert Asked().ask(("origin", "http://localhost"))[0] == 200
    assert Asked().ask(("origin", "http://localhost"), ("origin", "http://localhost"))[0] == 403


@pytest.mark.parametrize(
    "origin", ["ftp://localhost", "null", "localhost", "http://[", "http://localhost.evil.example"]
)
def test_an_origin_that_is_not_this_server_is_refused(origin: str) -> None:
    assert Asked().ask(("origin", origin))[0] == 403


def test_only_a_look_at_health_needs_no_token() -> None:
    methods = ("GET", "HEAD", "POST", "DELETE")
    found = [Asked().ask(method=method, path="/health", token=False)[0] for method in methods]
    assert found == [200, 200, 401, 401]


def test_a_header_of_the_application_stands_and_is_not_doubled() -> None:
    _, headers, _ = Asked().ask()
    assert headers.getlist("cache-control") == ["private"]
    assert headers.getlist("x-frame-options") == ["DENY"]


def test_a_link_leads_to_the_same_page_without_its_token() -> None:
    asked = Asked()
    query = f"a=1&token={asked.access.new_link_token()}&a=2".encode()
    status, headers, _ = asked.ask(path="/runs", query_string=query)
    assert (status, headers["location"]) == (303, "/runs?a=1&a=2")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {*headers["set-cookie"].split("; ")}


def test_only_opening_a_link_uses_it_up() -> None:
    asked = Asked()
    query = f"token={asked.access.new_link_token()}".encode()
    assert asked.ask(method="POST", query_string=query)[0] == 200
    assert asked.ask(query_string=query)[0] == 303


def test_a_length_that_is_too_large_is_refused_before_the_body_is_read() -> None:
    asked = Asked(limits=GuardLimits(body_bytes=10))
    status, headers, _ = asked.ask(("content-length", "11"), method="POST")
    assert (status, headers["connection"], asked.received) == (413, "close", 0)


def test_a_body_that_grows_too_large_is_refused_whatever_its_length_says() -> None:
    asked = Asked(limits=GuardLimits(body_bytes=10))
    piece = {"type": "http.request", "body": b"x" * 6, "more_body": True}
    status, headers, _ = asked.ask(("content-length", "1"), method="POST", messages=[piece, piece, piece])
    assert (status, headers["connection"], asked.received) == (413, "close", 2)


def test_a_body_arrives_whole_and_a_client_that_goes_is_gone() -> None:
    pieces: list[Message] = [
        {"type": "http.request", "body": b"[1,", "more_body": True},
        {"type": "http.request", "body": b"2]"},
    ]
    json_type = ("content-type", "application/json-patch+json; charset=utf-8")
    assert Asked().ask(json_type, method="POST", messages=pieces)[2] == "http.request [1,2]"
    gone: list[Message] = [pieces[0], {"type": "http.disconnect"}]
    assert Asked().ask(json_type, method="POST", messages=gone)[2] == "http.disconnect "


def test_a_refusal_says_how_to_go_on_and_a_head_has_no_body() -> None:
    asked = Asked(limits=GuardLimits(burst=1, per_second=0))
    status, headers, body = asked.ask(method="HEAD", token=False)
    assert (status, headers["www-authenticate"], body) == (401, "Bearer", "")
    status, headers, body = asked.ask()
    assert (status, headers["retry-after"]) == (429, "3")
    assert json.loads(body)["code"] == "too-many-requests"


def test_what_fails_after_it_began_to_answer_is_not_answered_twice() -> None:
    sent: list[Message] = []

    async def failing(_: Scope, __: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RecursionError

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    access = Access(KEY, Path("/vault"))
    headers = [(b"host", b"localhost"), (b"authorization", f"Bearer {access.token}".encode())]
    scope: Scope = {"type": "http", "method": "GET", "path": "/", "headers": headers}
    with pytest.raises(RecursionError):
        asyncio.run(Guard(app=failing, access=access)(scope, receive, send))
    assert [message.get("status") for message in sent] == [200]
