from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from paperagents.errors import ToolError
from paperagents.http.client import send_request, web_search
from paperagents.http.connection import Network
from paperagents.http.messages import HttpLimits, HttpRequest, HttpResponse, is_changing

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
    answer = get(url).as_json()
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
    assert web.requests == []


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
    assert [request.method for request in web.requests] == ["POST", "GET", "PURGE"]
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
    received = web.requests[0]
    assert (received.body.decode(), received.headers["content-type"]) == (sent, kind)
    assert received.headers["content-length"] == str(len(sent.encode()))


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("Basic ada:pass:wörd", "Basic YWRhOnBhc3M6d8O2cmQ="),
        ("basic :", "basic Og=="),
        ("Basic YWRhOnBhc3M=", "Basic YWRhOnBhc3M="),
        ("Bearer a:b", "Bearer a:b"),
    ],
)
def test_a_login_is_encoded_before_it_is_sent(web: Any, given: str, sent: str) -> None:
    send(web.answer("/x"), headers={"Authorization": given})
    assert web.requests[-1].headers["authorization"] == sent


def test_a_given_content_type_wins_and_a_missing_body_has_none(web: Any) -> None:
    url = web.answer("/x")
    send(url, method="POST", body="a=1", headers={"Content-Type": "application/x-www-form-urlencoded"})
    send(url, method="POST")
    assert web.requests[0].headers["content-type"] == "application/x-www-form-urlencoded"
    assert "content-type" not in web.requests[1].headers
    assert web.requests[1].headers["content-length"] == "0"


@pytest.mark.parametrize("body", [{"a": float("nan")}, "\ud800", ["\ud800"], "x" * 2000])
def test_bodies_that_cannot_be_sent_are_refused(web: Any, body: Any) -> None:
    error = error_of(web.answer("/x"), method="POST", body=body, limits=HttpLimits(request_bytes=1000))
    assert error.code == "body-invalid"
    assert web.requests == []


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
    ],
)
def test_headers_that_could_carry_more_than_themselves_are_refused(web: Any, headers: Any, code: str) -> None:
    assert error_of(web.answer("/x"), headers=headers).code == code
    assert web.requests == []


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
    sent = {name.lower(): value for name, value in web.requests[0].headers.items()}
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
    assert "authorization" not in {name.lower() for name in web.requests[0].headers}


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


def test_redirects_of_reading_requests_are_followed(web: Any) -> None:
    web.answer("/c", b"there")
    web.answer("/b", status=301, headers={"Location": "/c?x=1"})
    url = web.answer("/a", status=302, headers={"Location": "b"})
    assert send(url, headers={"Authorization": "Bearer t"}).body == "there"
    assert [request.path for request in web.requests] == ["/a", "/b", "/c?x=1"]
    assert web.requests[2].headers["authorization"] == "Bearer t"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_of_changing_requests_are_the_caller_s_to_decide(web: Any, status: int) -> None:
    url = web.answer("/a", status=status, headers={"Location": "/b?token=t"})
    error = error_of(url, method="POST", body={})
    assert error.code == "redirect-not-followed"
    assert error.details["location"] == web.url("/b?token=t")
    assert "token" not in str(error)
    assert len(web.requests) == 1


def test_endless_redirects_end(web: Any) -> None:
    url = web.answer("/a", status=302, headers={"Location": "/a"})
    assert error_of(url, limits=HttpLimits(redirects=3)).code == "too-many-redirects"
    assert len(web.requests) == 4


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
        b"[" * 300 + b"]" * 300,
        b"{'a': 1}",
        b"[" + b"9" * 5000 + b"]",
        b"[" + b"[]," * 1_500_000 + b"1]",
    ],
)
def test_what_is_not_json_has_no_json(web: Any, content: bytes) -> None:
    assert get(web.answer("/x", content, headers={"Content-Type": "application/json"})).json is None


def test_half_characters_in_json_become_whole_ones(web: Any) -> None:
    value = get(web.answer("/x", b'["\\ud83d \\ud83d\\ude00"]')).json
    assert value == ["\ufffd 😀"]


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
    web.answers["/x"] = dripping(part, before)
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
    web.answers["/x"] = lambda handler: handler.wfile.write(answer)
    error = error_of(web.url("/x"), timeout=2)
    assert error.code in ("http-protocol", "connection-failed", "http-timeout")


def test_a_closed_port_and_an_unknown_name_are_said_plainly() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert error_of(f"http://127.0.0.1:{port}/").code == "connection-failed"
    with pytest.raises(ToolError) as caught:
        send_request(HttpRequest(url="http://no.example/"), network=Network(resolve=lambda _host, _port: []))
    assert caught.value.code == "host-not-found"


def test_an_answer_is_plain_json(web: Any) -> None:
    answer = get(web.answer("/x", b"[1]", headers={"Set-Cookie": "a=b"})).as_json()
    assert json.loads(json.dumps(answer)) == answer
