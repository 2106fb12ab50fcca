"""An address has one spelling, and there is one reader of it."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from paperagents.errors import ToolError
from paperagents.http.addresses import is_allowed
from paperagents.http.messages import HttpRequest, has_method_parameter, may_change
from paperagents.http.urls import parse_url

URL = "https://a.example/x"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("\u00a0http://a.example/x", "http://a.example/x"),
        ("\thttp://a.example/x\n", "http://a.example/x"),
        ("HTTP://A.Example:80/x", "http://a.example/x"),
        ("https://a.example:0443/x", "https://a.example/x"),
        ("https://a.example:/x", "https://a.example/x"),
        ("https://@a.example/x", "https://a.example/x"),
        ("https://a.example./x", "https://a.example/x"),
        ("https://a。example/x", "https://a.example/x"),
        ("https://bücher.example/x", "https://xn--bcher-kva.example/x"),
        ("https://аpple.example/", "https://xn--pple-43d.example/"),
        ("https://a.example/x/../y#part", "https://a.example/y"),
        ("https://a.example/ä b", "https://a.example/%C3%A4%20b"),
        ("http://127.1/", "http://127.0.0.1/"),
        ("http://0x7f000001:81/", "http://127.0.0.1:81/"),
        ("http://2130706433./", "http://127.0.0.1/"),
        ("http://[0:0:0:0:0:0:0:1]:8080/", "http://[::1]:8080/"),
    ],
    ids=ascii,
)
def test_every_spelling_of_an_address_becomes_one(written: str, read: str) -> None:
    assert str(parse_url(written)) == read


@pytest.mark.parametrize(
    "url",
    [
        *("http://", "http:///x", "http:a.example/", "http://:80/", "http://./", "http://../", "http://[]/"),
        *(
            "http://a..example/",
            "http://.a.example/",
            "http://a.example../",
            "http://a\\.example/",
            "http:\\\\a.example/",
        ),
        *("http://a.example\\@b.example/", "http://a@b.example/", "http://a:b@c.example/", "http://a.example:x/"),
        *("http://a\t.example/", "http://a.example\u00a0.b.example/", "http://a%2eexample/", "http://1.2.3.4.5/"),
        *("http://999.1.1.1/", "http://0x1ffffffff/", "javascript:alert(1)", "\u00a0"),
    ],
    ids=ascii,
)
def test_an_address_that_can_be_read_in_two_ways_or_has_no_host_is_refused(url: str) -> None:
    with pytest.raises(ToolError) as caught:
        parse_url(url)
    assert caught.value.code in ("url-invalid", "url-credentials")


@given(
    st.text(st.sampled_from("http:/.a1@\\[]%2e?#&=xn-ß。\u00a0\t "))
    | st.text().map(lambda rest: f"http://a.example/{rest}")
)
@example("http://a.example/?a=1;b#c")
def test_what_was_read_once_is_read_the_same_again(text: str) -> None:
    with suppress(ToolError):
        url = parse_url(text)
        assert parse_url(str(url)) == url
        assert url.raw_host


def test_an_allowed_host_is_compared_in_the_spelling_of_addresses() -> None:
    for host in ("straße.example", "BÜCHER.example", "a。example", "127.1"):
        raw = parse_url(f"http://{host}/").raw_host.decode()
        assert is_allowed(raw, 80, [host])


@pytest.mark.parametrize(
    "name",
    [
        *(
            "X-HTTP-Method-Override",
            "X_HTTP_Method_Override",
            "x-http_method-override",
            "X-HTTP-METHOD",
            "x_method_override",
        ),
        *("X-Method-Override", "HTTP-Method-Override", "_method-override", " X-HTTP-Method-Override "),
    ],
)
def test_every_spelling_of_a_header_for_another_method_asks(name: str) -> None:
    assert may_change(HttpRequest(url=URL, headers={name: "DELETE"}))


@pytest.mark.parametrize(
    "query",
    [
        *("_method=DELETE", "a=1&_method=delete", "a=1;_method=PUT", "%5Fmethod=%44ELETE", "_METHOD=+Patch+"),
        *(
            "method=POST",
            "X-HTTP-Method-Override=DELETE",
            "_method[]=DELETE",
            "_method=GET&_method=DELETE",
            "http_method=put",
        ),
    ],
)
def test_a_parameter_for_a_changing_method_asks(query: str) -> None:
    assert may_change(HttpRequest(url=f"{URL}?{query}"))


@pytest.mark.parametrize(
    "query",
    [
        "_method=GET",
        "method=flickr.photos.search",
        "method=search",
        "q=_method=DELETE",
        "payment_method=post",
        "q=DELETE",
    ],
)
def test_other_parameters_do_not_ask(query: str) -> None:
    assert not has_method_parameter(f"{URL}?{query}#?_method=DELETE")


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_a_body_makes_a_reading_request_ask(method: str) -> None:
    assert may_change(HttpRequest(url=URL, method=method, body={"delete": 7}))
    assert not may_change(HttpRequest(url=URL, method=method, headers={"Accept": "text/html", "Method": "x"}))
