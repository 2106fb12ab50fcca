from __future__ import annotations

import contextlib
import gzip
import json
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paperagents.builtin_tools.http import (
    HttpLimits,
    HttpRequest,
    HttpResponse,
    Network,
    is_changing,
    send_request,
    web_search,
)
from paperagents.builtin_tools.http_connection import is_allowed
from paperagents.errors import ToolError

HERE = ["127.0.0.1"]


def get(url: str, *, allowed_hosts: list[str] | None = None, **options: Any) -> HttpResponse:
    return send_request(HttpRequest(url=url), allowed_hosts=allowed_hosts or HERE, **options)


def send(url: str, **options: Any) -> HttpResponse:
    return send_request(HttpRequest(url=url, **options), allowed_hosts=HERE)


def error_of(
    url: str, *, allowed: list[str] | None = None, limits: HttpLimits | None = None, **options: Any
) -> ToolError:
    with pytest.raises(ToolError) as caught:
        send_request(HttpRequest(url=url, **options), allowed_hosts=HERE if allowed is None else allowed, limits=limits)
    assert caught.value.message
    return caught.value


def test_a_json_answer_comes_with_status_headers_text_and_value(web: Any) -> None:
    url = web.answer("/data", b'{"a": [1, "\xc3\xa4"]}', headers={"Content-Type": "application/json"})
    answer = get(url).answer()
    assert {**answer, "headers": None} == {
        "status": 200, "headers": None, "body": '{"a": [1, "ä"]}', "json": {"a": [1, "ä"]}, "ok": True,
    }  # fmt: skip
    assert answer["headers"]["content-type"] == "application/json"  # type: ignore[call-overload,index]


def test_web_search_gives_the_json_itself(web: Any) -> None:
    url = web.answer("/search", b'[{"title": "x"}]', headers={"Content-Type": "text/plain"})
    assert web_search(url, allowed_hosts=HERE) == [{"title": "x"}]
    assert (
        web_search(web.answer("/null", b"null", headers={"Content-Type": "application/json"}), allowed_hosts=HERE)
        is None
    )
    with pytest.raises(ToolError) as caught:
        web_search(web.answer("/page", b"<html>"), allowed_hosts=HERE)
    assert caught.value.code == "answer-not-json"


@pytest.mark.parametrize("method", ["POST", "delete", " patch "])
def test_web_search_never_changes_anything(web: Any, method: str) -> None:
    with pytest.raises(ToolError) as caught:
        web_search(web.answer("/x", b"{}"), method, allowed_hosts=HERE)
    assert caught.value.code == "method-changing"
    assert web.received == []


@pytest.mark.parametrize(
    "method",
    ["POST", "PUT", "PATCH", "DELETE", " post ", "post", "pAtCh", "TRACE", "PURGE", "QUERY", "\tput\n", "FOO",
     "", "G ET", "CONNECT", "optıons", "GET\0", "GET,POST", "ＧＥＴ"],
)  # fmt: skip
def test_everything_but_three_methods_counts_as_changing(method: str) -> None:
    assert is_changing(method)


@pytest.mark.parametrize("method", ["GET", "get", " Head ", "options", "\nGET\t"])
def test_three_methods_only_read(method: str) -> None:
    assert not is_changing(method)


def test_methods_are_sent_as_they_are_judged(web: Any) -> None:
    url = web.answer("/x")
    for method in (" post ", "get", "pUrGe"):
        send(url, method=method)
    assert [received.method for received in web.received] == ["POST", "GET", "PURGE"]
    for method in ("", "GET /x HTTP/1.1\r\nX: y", "CONNECT", "a" * 200):
        assert error_of(url, method=method).code == "method-invalid"


@pytest.mark.parametrize(
    ("body", "sent", "kind"),
    [
        ({"a": "ä"}, '{"a": "ä"}', "application/json"),
        ([1, None], "[1, null]", "application/json"),
        (3, "3", "application/json"),
        (False, "false", "application/json"),
        ("plain ä", "plain ä", "text/plain; charset=utf-8"),
        ("", "", "text/plain; charset=utf-8"),
    ],
)
def test_bodies_are_sent_as_text_or_json(web: Any, body: Any, sent: str, kind: str) -> None:
    send(web.answer("/x"), method="POST", body=body)
    received = web.received[0]
    assert (received.body.decode(), received.headers["content-type"]) == (sent, kind)
    assert received.headers["content-length"] == str(len(sent.encode()))


def test_a_given_content_type_wins_and_a_missing_body_has_none(web: Any) -> None:
    url = web.answer("/x")
    send(url, method="POST", body="a=1", headers={"Content-Type": "application/x-www-form-urlencoded"})
    send(url, method="POST")
    assert web.received[0].headers["content-type"] == "application/x-www-form-urlencoded"
    assert "content-type" not in web.received[1].headers
    assert web.received[1].headers["content-length"] == "0"


@pytest.mark.parametrize("body", [{"a": float("nan")}, "\ud800", ["\ud800"], "x" * 2000])
def test_bodies_that_cannot_be_sent_are_refused(web: Any, body: Any) -> None:
    error = error_of(web.answer("/x"), method="POST", body=body, limits=HttpLimits(request_bytes=1000))
    assert error.code == "body-invalid"
    assert web.received == []


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"X": "a\r\nInjected: yes"}, "header-invalid"),
        ({"X": "a\nb"}, "header-invalid"),
        ({"X": "a\0b"}, "header-invalid"),
        ({"X\r\nY": "a"}, "header-invalid"),
        ({"X Y": "a"}, "header-invalid"),
        ({"": "a"}, "header-invalid"),
        ({"Ä": "a"}, "header-invalid"),
        ({"X": ["a"]}, "header-invalid"),
        ({"X": "\ud800"}, "header-invalid"),
        ({"Host": "internal"}, "header-forbidden"),
        ({"hOsT ": "internal"}, "header-forbidden"),
        ({"Transfer-Encoding": "chunked"}, "header-forbidden"),
        ({"Upgrade": "websocket"}, "header-forbidden"),
        ({"Proxy-Authorization": "x"}, "header-forbidden"),
        ({"X-HTTP-Method-Override": "DELETE"}, "header-forbidden"),
        ({"x-method-override": "DELETE"}, "header-forbidden"),
    ],
)
def test_headers_that_could_carry_more_than_themselves_are_refused(web: Any, headers: Any, code: str) -> None:
    assert error_of(web.answer("/x"), headers=headers).code == code
    assert web.received == []


def test_ordinary_headers_arrive_and_ours_cannot_be_broken(web: Any) -> None:
    headers = {
        "X-Number": 3,
        "X-Flag": True,
        "X-None": None,
        "Authorization": "Bearer t",
        "Content-Length": "9",
        "Connection": "keep-alive",
    }
    send(web.answer("/x"), headers=headers)
    sent = {name.lower(): value for name, value in web.received[0].headers.items()}
    assert (sent["x-number"], sent["x-flag"], sent["authorization"]) == ("3", "true", "Bearer t")
    assert "x-none" not in sent
    assert "content-length" not in sent
    assert sent["host"] == f"127.0.0.1:{web.port}"
    assert sent["user-agent"].startswith("paperagents/")


def test_nothing_is_taken_from_the_environment(web: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password secret")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    get(web.answer("/x"))
    assert "authorization" not in {name.lower() for name in web.received[0].headers}


REFUSED = [
    "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0x7f.0.0.1", "0177.0.0.1",
    "017700000001",
    "127.000.000.001", "127.0.0.1.", "localhost", "LOCALHOST", "localhost.", "0.0.0.0", "0",
    "127.255.255.254",
    "10.0.0.1", "10.1", "172.16.0.1", "192.168.0.1", "192.168.1", "0xc0a80001", "169.254.169.254",
    "0xa9fea9fe",
    "2852039166", "169.254.43518", "100.64.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192",
    "198.18.0.1",
    "224.0.0.1", "255.255.255.255", "240.0.0.1", "[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b::169.254.169.254]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]", "[fe80::1]", "[fd00:ec2::254]", "[fc00::1]", "[ff02::1]", "[fec0::1]",
    "①②⑦.⓪.⓪.①", "127。0。0。1", "127%2e0%2e0%2e1", "user@127.0.0.1", "8.8.8.8@127.0.0.1",
    "127.0.0.1%00.example.com",
    "[::1%25lo]", "",
]  # fmt: skip


@pytest.mark.parametrize("host", REFUSED)
def test_no_written_form_of_a_closed_address_is_reached(web: Any, host: str) -> None:
    web.answer("/x", b"secret")
    error = error_of(f"http://{host}:{web.port}/x", allowed=[], limits=HttpLimits(seconds=5))
    assert error.code in ("address-forbidden", "url-invalid", "url-credentials", "host-not-found")
    assert web.received == []


@pytest.mark.parametrize("host", REFUSED)
def test_no_written_form_of_a_closed_address_is_reached_behind_a_redirect(web: Any, host: str) -> None:
    web.answer("/inner", b"secret")
    location = f"http://{host}:{web.port}/inner"
    url = web.answer("/outer", status=302, headers={"Location": location})
    with pytest.raises(ToolError) as caught:
        send_request(
            HttpRequest(url=url.replace("127.0.0.1", "public.example")),
            limits=HttpLimits(seconds=5),
            network=Network(resolve=public_only_for_the_example, dial=to_loopback),
        )
    assert caught.value.code in ("address-forbidden", "url-invalid", "url-credentials", "host-not-found")
    assert [received.path for received in web.received] == ["/outer"]


def public_only_for_the_example(host: str, port: int) -> list[str]:
    if host == "public.example":
        return ["93.184.216.34"]
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port)]


def to_loopback(address: str, port: int, seconds: float) -> socket.socket:
    """Stands for the internet: whatever public address is dialled, the test's server answers."""
    assert not address.startswith("127."), "only checked, public addresses are ever dialled"
    return socket.create_connection(("127.0.0.1", port), timeout=seconds)


def test_a_resolver_that_changes_its_answer_changes_nothing(web: Any, name_server: Any) -> None:
    web.answer("/x", b"public page")
    name_server.answers = [["93.184.216.34"], ["127.0.0.1"]]
    dialled: list[str] = []

    def dial(address: str, port: int, seconds: float) -> socket.socket:
        dialled.append(address)
        return to_loopback(address, port, seconds)

    network = Network(resolve=name_server.resolve, dial=dial)
    url = web.url("/x", "rebind.example")
    assert send_request(HttpRequest(url=url), network=network).body == "public page"
    assert (dialled, name_server.questions) == (["93.184.216.34"], 1)
    assert web.received[0].headers["host"] == f"rebind.example:{web.port}"
    with pytest.raises(ToolError) as caught:
        send_request(HttpRequest(url=url), network=network)
    assert caught.value.code == "address-forbidden"
    assert len(web.received) == 1


def test_a_resolver_that_changes_its_answer_between_redirects_is_caught(web: Any, name_server: Any) -> None:
    name_server.answers = [["93.184.216.34"], ["169.254.169.254"]]
    web.answer("/x", status=307, headers={"Location": "/y"})
    web.answer("/y", b"secret")
    with pytest.raises(ToolError) as caught:
        send_request(
            HttpRequest(url=web.url("/x", "rebind.example")),
            network=Network(resolve=name_server.resolve, dial=to_loopback),
        )
    assert caught.value.code == "address-forbidden"
    assert caught.value.values["address"] == "169.254.169.254"
    assert [received.path for received in web.received] == ["/x"]


def test_one_closed_address_among_public_ones_is_enough_to_refuse(web: Any, name_server: Any) -> None:
    name_server.answers = [["93.184.216.34", "10.0.0.7"]]
    with pytest.raises(ToolError) as caught:
        send_request(
            HttpRequest(url=web.url("/", "mixed.example")),
            network=Network(resolve=name_server.resolve, dial=to_loopback),
        )
    assert caught.value.values["address"] == "10.0.0.7"


@pytest.mark.parametrize(
    ("entry", "host", "port", "expected"),
    [
        ("127.0.0.1", "127.0.0.1", 80, True),
        ("127.0.0.1", "127.0.0.1", 8443, True),
        ("127.0.0.1:80", "127.0.0.1", 81, False),
        ("127.0.0.1", "127.1", 80, False),
        ("127.0.0.1", "localhost", 80, False),
        ("api.example.com:8443", "api.example.com", 8443, True),
        ("API.Example.com.", "api.example.com", 1, True),
        ("api.example.com", "evil-api.example.com", 80, False),
        ("example.com", "api.example.com", 80, False),
        ("::1", "0:0:0:0:0:0:0:1", 80, True),
        ("[::1]:80", "::1", 80, True),
        ("[::1]:80", "::1", 81, False),
        ("[::1]", "::1", 9, True),
        ("müller.example", "xn--mller-kva.example", 80, True),
    ],
)
def test_allowed_hosts_are_compared_in_one_spelling(entry: str, host: str, port: int, expected: bool) -> None:  # noqa: FBT001  a test case
    assert is_allowed(host, port, [entry]) is expected


def test_a_port_that_is_not_allowed_is_refused(web: Any) -> None:
    url = web.answer("/x")
    assert get(url, allowed_hosts=[f"127.0.0.1:{web.port}"]).ok
    assert error_of(url, allowed=["127.0.0.1:1"]).code == "address-forbidden"


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("file:///etc/passwd", "url-invalid"),
        ("ftp://example.com/", "url-invalid"),
        ("gopher://127.0.0.1:6379/_x", "url-invalid"),
        ("//example.com", "url-invalid"),
        ("example.com", "url-invalid"),
        ("", "url-invalid"),
        ("http://", "url-invalid"),
        ("http://exa mple.com/", "url-invalid"),
        ("http://example.com:99999/", "url-invalid"),
        ("http://example.com:0/", "url-invalid"),
        ("http://example.com\r\nX: y/", "url-invalid"),
        ("http://[::1", "url-invalid"),
        ("http://\\\\127.0.0.1/", "url-invalid"),
        ("http://me:secret@example.com/", "url-credentials"),
    ],
)
def test_addresses_that_are_not_plain_web_addresses_are_refused(url: str, code: str) -> None:
    error = error_of(url)
    assert error.code == code
    assert "secret" not in str(error)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=300)
@given(st.one_of(st.text(max_size=50), st.text(max_size=30).map("http://".__add__)))
def test_any_text_as_an_address_gives_a_clear_error(url: str) -> None:
    with pytest.raises(ToolError) as caught:
        send_request(HttpRequest(url=url), network=Network(resolve=lambda _host, _port: ["10.0.0.1"], dial=to_loopback))
    assert caught.value.message


def test_redirects_of_reading_requests_are_followed(web: Any) -> None:
    web.answer("/c", b"there")
    web.answer("/b", status=301, headers={"Location": "/c?x=1"})
    url = web.answer("/a", status=302, headers={"Location": "b"})
    assert send(url, headers={"Authorization": "Bearer t"}).body == "there"
    assert [received.path for received in web.received] == ["/a", "/b", "/c?x=1"]
    assert web.received[2].headers["authorization"] == "Bearer t"


def test_keys_and_cookies_do_not_follow_to_another_origin(web: Any, name_server: Any) -> None:
    name_server.answers = [["93.184.216.34"]]
    web.answer("/b", b"there")
    web.answer("/a", status=307, headers={"Location": web.url("/b", "other.example")})
    headers = {"Authorization": "Bearer t", "Cookie": "a=b", "X-Api-Key": "k", "Accept": "text/html"}
    request = HttpRequest(url=web.url("/a", "one.example"), headers=headers, body="private")
    send_request(request, network=Network(resolve=name_server.resolve, dial=to_loopback))
    second = {name.lower(): value for name, value in web.received[1].headers.items()}
    assert not {"authorization", "cookie", "x-api-key"} & set(second)
    assert second["accept"] == "text/html"
    assert (web.received[0].body, web.received[1].body) == (b"private", b"")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_of_changing_requests_are_the_caller_s_to_decide(web: Any, status: int) -> None:
    url = web.answer("/a", status=status, headers={"Location": "/b?token=t"})
    error = error_of(url, method="POST", body={})
    assert error.code == "redirect-not-followed"
    assert error.details["location"] == web.url("/b?token=t")
    assert "token" not in str(error)
    assert len(web.received) == 1


def test_endless_redirects_end(web: Any) -> None:
    url = web.answer("/a", status=302, headers={"Location": "/a"})
    assert error_of(url, limits=HttpLimits(redirects=3)).code == "too-many-redirects"
    assert len(web.received) == 4


@pytest.mark.parametrize("location", ["file:///etc/passwd", "http://a b/", "javascript:alert(1)", "http://a:b@c/"])
def test_redirects_to_no_web_address_are_refused(web: Any, location: str) -> None:
    error = error_of(web.answer("/a", status=302, headers={"Location": location}))
    assert error.code in ("url-invalid", "url-credentials")


@pytest.mark.parametrize(
    ("status", "retryable"),
    [
        (400, False),
        (401, False),
        (404, False),
        (408, True),
        (425, True),
        (429, True),
        (500, True),
        (599, True),
    ],
)
def test_an_error_status_is_an_error_that_carries_the_answer(web: Any, status: int, retryable: bool) -> None:  # noqa: FBT001  a test case
    error = error_of(web.answer("/x", b'{"why": "so"}', status=status, headers={"Retry-After": "7"}))
    assert (error.code, error.retryable) == ("http-status", retryable)
    assert error.details["response"]["json"] == {"why": "so"}
    assert error.details["response"]["ok"] is False
    assert error.details["retry_after"] == 7.0


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("soon", None),
        ("", None),
        ("-5", None),
        ("99999999999999", 86400.0),
    ],
)
def test_the_time_to_wait_is_read_where_it_can_be(web: Any, value: str, expected: float | None) -> None:
    error = error_of(web.answer("/x", status=503, headers={"Retry-After": value}))
    assert error.details["retry_after"] == expected


@pytest.mark.parametrize(
    ("content", "kind", "body"),
    [
        ("grün".encode("latin-1"), "text/plain; charset=iso-8859-1", "grün"),
        ("测试".encode("gbk"), "text/html; charset=GBK", "测试"),
        ("grün".encode("latin-1"), "text/plain; charset=utf-8", "gr�n"),
        ("grün".encode(), "text/plain; charset=no-such-thing", "grün"),
        ("grün".encode(), "text/plain; charset=punycode", "grün"),
        ("grün".encode(), 'text/plain; "' + ";" * 50_000, "grün"),
        ("grün".encode("latin-1"), 'text/plain; x=y ; Charset = "ISO-8859-1"', "grün"),
        (b"\xef\xbb\xbf{}", "application/json", "{}"),
        (b"\x89PNG\r\n\x1a\n\0\0", "image/png", "[binary image/png, 10 bytes]"),
        (b"\0\1\2", "", "[binary content, 3 bytes]"),
        (b"<svg/>", "image/svg+xml", "<svg/>"),
        (b"text after all", "application/octet-stream", "text after all"),
    ],
)
def test_bodies_are_decoded_by_their_charset(web: Any, content: bytes, kind: str, body: str) -> None:
    assert get(web.answer("/x", content, headers={"Content-Type": kind})).body == body


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[NaN]",
        b"[1e999]",
        b"[" * 100_000,
        b"{'a': 1}",
        b"[" + b"9" * 5000 + b"]",
        b"[" + b"[]," * 1_500_000 + b"1]",
    ],
)
def test_what_is_not_json_has_no_json(web: Any, content: bytes) -> None:
    assert get(web.answer("/x", content, headers={"Content-Type": "application/json"})).json is None


def test_half_characters_in_json_become_whole_ones(web: Any) -> None:
    value = get(web.answer("/x", b'["\\ud83d \\ud83d\\ude00"]')).json
    assert value == ["? 😀"]


def test_large_answers_are_ended(web: Any) -> None:
    url = web.answer("/x", b"x" * 5000)
    assert error_of(url, limits=HttpLimits(response_bytes=4999)).code == "response-too-large"
    assert get(url, limits=HttpLimits(response_bytes=5000)).ok


def test_a_gzip_bomb_is_ended(web: Any) -> None:
    bomb = gzip.compress(gzip.compress(bytes(200_000_000), 9), 9)
    url = web.answer("/x", bomb, headers={"Content-Encoding": "gzip, gzip"})
    assert len(bomb) < 10_000
    assert error_of(url).code == "response-too-large"


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "gzip, gzip, gzip, gzip, gzip, gzip, gzip"])
def test_damaged_compression_is_a_clear_error(web: Any, encoding: str) -> None:
    error = error_of(web.answer("/x", b"not compressed", headers={"Content-Encoding": encoding}))
    assert error.code == "http-protocol"


def dripping(part: bytes, before: bytes = b"") -> Any:
    def page(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(before)
        for _ in range(10_000):
            handler.wfile.write(part)
            time.sleep(0.01)  # the slowness is what is being tested

    return page


@pytest.mark.parametrize(
    ("part", "before"),
    [
        (b"x", b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
        (b"1\r\nx\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
        (b"X: y\r\n", b"HTTP/1.1 200 OK\r\n"),
        (b"HTTP/1.1 100 Continue\r\n\r\n", b""),
        (b"", b""),
    ],
)
def test_slow_drips_are_ended_at_the_time_limit(web: Any, part: bytes, before: bytes) -> None:
    web.pages["/x"] = dripping(part, before)
    error = error_of(web.url("/x"), timeout=0.3)
    assert (error.code, error.retryable) == ("http-timeout", True)
    error = error_of(web.url("/x"), timeout=0.3, method="POST")
    assert (error.code, error.retryable) == ("http-timeout", False)


def test_a_server_that_does_not_read_is_ended_at_the_time_limit() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        assert error_of(url, method="POST", body="x" * 15_000_000, timeout=0.3).code == "http-timeout"


def test_a_resolver_that_does_not_answer_is_ended_at_the_time_limit() -> None:
    never = threading.Event()

    def resolve(_host: str, _port: int) -> list[str]:
        never.wait(20)
        return []

    with pytest.raises(ToolError) as caught:
        send_request(HttpRequest(url="http://slow.example/", timeout=0.2), network=Network(resolve=resolve))
    never.set()
    assert caught.value.code == "http-timeout"


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf")])
def test_a_time_limit_must_be_one(timeout: float) -> None:
    assert error_of("http://127.0.0.1/", timeout=timeout).code == "timeout-invalid"


@pytest.mark.parametrize(
    "answer",
    [b"", b"hello\r\n\r\n", b"HTTP/1.1 99999 X\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", b"\x00" * 1000,
     b"HTTP/1.1 200 OK\r\nX: " + b"y" * 300_000, b"HTTP/1.1 101 Switching\r\n\r\n"],
)  # fmt: skip
def test_answers_that_are_not_http_are_a_clear_error(web: Any, answer: bytes) -> None:
    web.pages["/x"] = lambda handler: handler.wfile.write(answer)
    with contextlib.suppress(StopIteration):
        error = error_of(web.url("/x"), timeout=2)
        assert error.code in ("http-protocol", "connection-failed", "http-timeout")


def test_a_closed_port_and_an_unknown_name_are_said_plainly() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert error_of(f"http://127.0.0.1:{port}/").code == "connection-failed"
    with pytest.raises(ToolError) as caught:
        send_request(HttpRequest(url="http://no.example/"), network=Network(resolve=lambda _host, _port: []))
    assert caught.value.code == "host-not-found"


def test_the_next_address_is_tried_when_one_does_not_answer(web: Any) -> None:
    web.answer("/x", b"there")

    def dial(address: str, port: int, seconds: float) -> socket.socket:
        if address == "93.184.216.34":
            raise ConnectionRefusedError(111, "Connection refused")
        return to_loopback(address, port, seconds)

    network = Network(resolve=lambda _host, _port: ["93.184.216.34", "93.184.216.35"], dial=dial)
    assert send_request(HttpRequest(url=web.url("/x", "two.example")), network=network).body == "there"


@contextmanager
def serving_tls(folder: Path) -> Iterator[tuple[int, Path, list[str | None]]]:
    """A TLS server for ``secure.example`` that notes the names it was asked for."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
               "-nodes", "-days", "2", "-subj", "/CN=secure.example",
               "-addext", "subjectAltName=DNS:secure.example",
               "-keyout", str(key), "-out", str(certificate)]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    names: list[str | None] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.sni_callback = lambda _socket, name, _context: names.append(name)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve_once, args=(listener, context))
        thread.start()
        yield listener.getsockname()[1], certificate, names
        thread.join()


def serve_once(listener: socket.socket, context: ssl.SSLContext) -> None:
    connection, _ = listener.accept()
    with (
        connection,
        contextlib.suppress(OSError),
        context.wrap_socket(connection, server_side=True) as secure,
    ):
        secure.recv(65536)
        secure.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret")


@pytest.mark.parametrize(("host", "works"), [("secure.example", True), ("other.example", False)])
def test_the_certificate_is_checked_against_the_name_not_the_address(
    tmp_path: Path,
    host: str,
    works: bool,  # noqa: FBT001  a test case
) -> None:
    with serving_tls(tmp_path) as (port, certificate, names):
        request = HttpRequest(url=f"https://{host}:{port}/", timeout=5)
        network = Network(resolve=lambda _host, _port: ["93.184.216.34"], dial=to_loopback)
        context = ssl.create_default_context(cafile=str(certificate))
        if works:
            assert send_request(request, network=network, ssl_context=context).body == "secret"
        else:
            with pytest.raises(ToolError) as caught:
                send_request(request, network=network, ssl_context=context)
            assert caught.value.code == "connection-failed"
    assert names == [host]


def test_an_answer_is_plain_json(web: Any) -> None:
    answer = get(web.answer("/x", b"[1]", headers={"Set-Cookie": "a=b"})).answer()
    assert json.loads(json.dumps(answer)) == answer
