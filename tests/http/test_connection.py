from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paperagents.errors import ToolError
from paperagents.http.addresses import is_allowed
from paperagents.http.client import follow_redirect, send_request
from paperagents.http.connection import Connections, Exchange, Network, PreparedRequest, TimedOutError
from paperagents.http.messages import HttpLimits, HttpRequest, HttpResponse
from paperagents.http.urls import parse_url
from paperagents.sandbox import Cancellation

HERE = ["127.0.0.1"]


def get(url: str, *, allowed_hosts: list[str] | None = None, **options: Any) -> HttpResponse:
    return send_request(HttpRequest(url=url), allowed_hosts=allowed_hosts or HERE, **options)


def error_of(
    url: str, *, allowed: list[str] | None = None, limits: HttpLimits | None = None, **options: Any
) -> ToolError:
    with pytest.raises(ToolError) as caught:
        send_request(HttpRequest(url=url, **options), allowed_hosts=HERE if allowed is None else allowed, limits=limits)
    assert caught.value.message
    return caught.value


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
    assert web.requests == []


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
    assert [request.path for request in web.requests] == ["/outer"]


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
    assert web.requests[0].headers["host"] == f"rebind.example:{web.port}"
    with pytest.raises(ToolError) as caught:
        send_request(HttpRequest(url=url), network=network)
    assert caught.value.code == "address-forbidden"
    assert len(web.requests) == 1


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
    assert [request.path for request in web.requests] == ["/x"]


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
        ("127.0.0.1", "127.1", 80, True),
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


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=300)
@given(st.one_of(st.text(max_size=50), st.text(max_size=30).map("http://".__add__)))
def test_any_text_as_an_address_gives_a_clear_error(url: str) -> None:
    with pytest.raises(ToolError) as caught:
        send_request(HttpRequest(url=url), network=Network(resolve=lambda _host, _port: ["10.0.0.1"], dial=to_loopback))
    assert caught.value.message


def test_keys_and_cookies_do_not_follow_to_another_origin(web: Any, name_server: Any) -> None:
    name_server.answers = [["93.184.216.34"]]
    web.answer("/b", b"there")
    web.answer("/a", status=307, headers={"Location": web.url("/b", "other.example")})
    headers = {"Authorization": "Bearer t", "Cookie": "a=b", "X-Api-Key": "k", "Accept": "text/html"}
    request = HttpRequest(url=web.url("/a", "one.example"), headers=headers)
    send_request(request, network=Network(resolve=name_server.resolve, dial=to_loopback))
    second = {name.lower(): value for name, value in web.requests[1].headers.items()}
    assert not {"authorization", "cookie", "x-api-key"} & set(second)
    assert second["accept"] == "text/html"


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


def test_a_stop_ends_the_wait_for_an_answer() -> None:
    stop, ended = Cancellation(), threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept_and_stop() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                stop.cancel()
                ended.wait(60)

        thread = threading.Thread(target=accept_and_stop)
        thread.start()
        with pytest.raises(ToolError) as caught:
            send_request(
                HttpRequest(url=f"http://127.0.0.1:{listener.getsockname()[1]}/"), allowed_hosts=HERE, stop=stop
            )
        ended.set()
        thread.join()
    assert caught.value.code == "http-protocol"


def test_a_request_that_was_stopped_before_it_began_is_never_sent(web: Any) -> None:
    stop = Cancellation()
    stop.cancel()
    with pytest.raises(ToolError):
        send_request(HttpRequest(url=web.answer("/x")), allowed_hosts=HERE, stop=stop)
    assert web.requests == []


def test_a_stop_ends_the_wait_for_a_connection() -> None:
    """A full backlog: the server's system lets the connection wait."""
    stop = Cancellation()
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener, contextlib.ExitStack() as held:
        address = listener.getsockname()
        for _ in range(3):
            waiting = held.enter_context(socket.socket())
            waiting.setblocking(False)  # noqa: FBT003  the name says it
            waiting.connect_ex(address)
        threading.Timer(0.1, stop.cancel).start()
        with pytest.raises(ToolError) as caught:
            send_request(HttpRequest(url=f"http://127.0.0.1:{address[1]}/"), allowed_hosts=HERE, stop=stop)
    assert caught.value.code == "connection-failed"


def test_a_connection_that_the_server_has_closed_meanwhile_is_not_used_again() -> None:
    reply = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    closed = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve_twice() -> None:
            for _ in range(2):
                connection, _ = listener.accept()
                connection.recv(65536)
                connection.sendall(reply)
                connection.close()
                closed.set()

        thread = threading.Thread(target=serve_twice)
        thread.start()
        with contextlib.closing(Connections()) as connections:
            url = parse_url(f"http://127.0.0.1:{listener.getsockname()[1]}/")
            for _ in range(2):
                prepared = PreparedRequest(method="GET", url=url, headers=(), content=b"")
                with connections.send(prepared, Exchange(10)) as answer:
                    assert b"".join(answer.chunks) == b"ok"
                assert closed.wait(10)
        thread.join()


def test_a_deadline_can_only_come_nearer() -> None:
    exchange = Exchange(5.0)
    exchange.shorten(100.0)
    assert exchange.time_left() <= 5.0
    exchange.shorten(0.0)
    with pytest.raises(TimedOutError) as caught:
        exchange.time_left()
    assert caught.value.seconds == 5.0


@pytest.mark.parametrize("status", [303, 307])
@pytest.mark.parametrize(
    "asked", [{"body": "private"}, {"headers": {"X_HTTP_Method_Override": "DELETE"}}], ids=["body", "override"]
)
def test_a_request_that_was_asked_about_goes_nowhere_else(web: Any, status: int, asked: dict[str, Any]) -> None:
    url = web.answer("/a", status=status, headers={"Location": "/b"})
    with pytest.raises(ToolError) as caught:
        send_request(HttpRequest(url=url, **asked), allowed_hosts=HERE)
    assert caught.value.code == "redirect-not-followed"
    assert len(web.requests) == 1


def test_no_redirect_leads_to_an_address_that_names_a_changing_method(web: Any) -> None:
    url = web.answer("/a", status=302, headers={"Location": "/b?_method=DELETE"})
    with pytest.raises(ToolError) as caught:
        send_request(HttpRequest(url=url), allowed_hosts=HERE)
    assert caught.value.code == "redirect-not-followed"


@pytest.mark.parametrize("target", ["http://a.example/x", "https://a.example:81/x", "https://b.example/x"])
def test_another_scheme_port_or_host_is_another_origin(target: str) -> None:
    request = PreparedRequest(
        method="GET", url=parse_url("https://a.example/"), headers=(("authorization", b"k"),), content=b"private"
    )
    followed = follow_redirect(request, parse_url(target))
    assert (followed.headers, followed.content) == ((), b"")
    same = follow_redirect(request, parse_url("https://a.example:443/x"))
    assert (same.headers, same.content) == (request.headers, b"private")


@pytest.mark.parametrize(("method", "retryable"), [("GET", True), ("POST", False)])
def test_only_a_reading_request_is_repeated_after_a_connection_broke(
    method: str,
    retryable: bool,  # noqa: FBT001  a test case
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def reset() -> None:
            connection, _ = listener.accept()
            connection.recv(65536)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()

        thread = threading.Thread(target=reset)
        thread.start()
        error = error_of(f"http://127.0.0.1:{listener.getsockname()[1]}/", method=method)
        thread.join()
    assert (error.code, error.retryable) == ("connection-failed", retryable)
