"""URL and URLSearchParams follow the URL standard."""

from __future__ import annotations

import pytest

from paperagents.sandbox import Sandbox

RESOLVED = [
    ("http://EX.com:80/a/../b?x y#z z", None, "http://ex.com/b?x%20y#z%20z"),
    ("https:example.com", None, "https://example.com/"),
    ("  \thttps://ex.com/\n ", None, "https://ex.com/"),
    ("http://user:p%40ss@ex.com/", None, "http://user:p%40ss@ex.com/"),
    ("http://u@v@ex.com/", None, "http://u%40v@ex.com/"),
    ("http://ex.com:0080/", None, "http://ex.com/"),
    ("http://ex.com:65536/", None, None),
    ("http://ex.com:a/", None, None),
    ("http://127.1/", None, "http://127.0.0.1/"),
    ("http://0x7f.1/", None, "http://127.0.0.1/"),
    ("http://2130706433/", None, "http://127.0.0.1/"),
    ("http://256.1.1.1/", None, None),
    ("http://1.2.3.4.5/", None, None),
    ("http://09.1/", None, None),
    ("http://[0:0::1]/", None, "http://[::1]/"),
    ("http://[::ffff:1.2.3.4]/", None, "http://[::ffff:102:304]/"),
    ("http://[1::2::3]/", None, None),
    ("http://[::1/", None, None),
    ("http://münchen.de/ä?ö#ü", None, "http://xn--mnchen-3ya.de/%C3%A4?%C3%B6#%C3%BC"),
    ("http://☃.net/", None, "http://xn--n3h.net/"),
    ("http://ex%41mple.com/", None, "http://example.com/"),
    ("http://a b/", None, None),
    ("http://a%2fb/", None, None),
    ("http:///", None, None),
    ("", None, None),
    ("nonsense", None, None),
    ("../d", "http://ex.com/a/b/c?q#f", "http://ex.com/a/d"),
    ("?new", "http://ex.com/a/b?q#f", "http://ex.com/a/b?new"),
    ("#new", "http://ex.com/a/b?q#f", "http://ex.com/a/b?q#new"),
    ("", "http://ex.com/a/b?q#f", "http://ex.com/a/b?q"),
    ("//other/x", "https://ex.com/a", "https://other/x"),
    ("\\\\other\\x", "https://ex.com/a", "https://other/x"),
    ("/%2e%2E/x", "https://ex.com/a", "https://ex.com/x"),
    ("http:rel", "http://ex.com/a/b", "http://ex.com/a/rel"),
    ("x", "mailto:a@b", None),
    ("#x", "mailto:a@b", "mailto:a@b#x"),
    ("mailto:a@b c", None, "mailto:a@b c"),
    ("data:text/plain,hé", None, "data:text/plain,h%C3%A9"),
    ("foo://h/a/../b", None, "foo://h/b"),
    ("foo:/a//b", None, "foo:/a//b"),
    ("file:///C|/x/../y", None, "file:///C:/y"),
    ("/y", "file:///C:/x", "file:///C:/y"),
    ("file://localhost/x", None, "file:///x"),
    ("file:x", None, "file:///x"),
]


@pytest.mark.parametrize(("address", "base", "expected"), RESOLVED)
def test_an_address_is_read_as_the_standard_says(
    sandbox: Sandbox, address: str, base: str | None, expected: str | None
) -> None:
    code = "try { return new URL(input.address, input.base ?? undefined).href; } catch { return null; }"
    found = sandbox.run(code, names={"input": {"address": address, "base": base}}).value
    assert found == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("u.protocol = 'http'", "http://u:p@ex.com:8080/a/b?q=1#f"),
        ("u.protocol = 'foo'", "https://u:p@ex.com:8080/a/b?q=1#f"),
        ("u.host = 'other:443'", "https://u:p@other/a/b?q=1#f"),
        ("u.hostname = 'other:443'", "https://u:p@ex.com:8080/a/b?q=1#f"),
        ("u.hostname = ''", "https://u:p@ex.com:8080/a/b?q=1#f"),
        ("u.port = '443'", "https://u:p@ex.com/a/b?q=1#f"),
        ("u.port = '99999'", "https://u:p@ex.com:8080/a/b?q=1#f"),
        ("u.pathname = 'x y?z#'", "https://u:p@ex.com:8080/x%20y%3Fz%23?q=1#f"),
        ("u.search = ''", "https://u:p@ex.com:8080/a/b#f"),
        ("u.search = '?'", "https://u:p@ex.com:8080/a/b?#f"),
        ("u.hash = 'new'", "https://u:p@ex.com:8080/a/b?q=1#new"),
        ("u.username = ''; u.password = ''", "https://ex.com:8080/a/b?q=1#f"),
        ("u.searchParams.append('q', 'a&b')", "https://u:p@ex.com:8080/a/b?q=1&q=a%26b#f"),
        ("u.searchParams.delete('q')", "https://u:p@ex.com:8080/a/b#f"),
        ("u.search = 'z=1'; u.searchParams.set('z', '2')", "https://u:p@ex.com:8080/a/b?z=2#f"),
        ("u.href = 'http://new/'", "http://new/"),
    ],
)
def test_a_part_can_be_changed(sandbox: Sandbox, change: str, expected: str) -> None:
    code = f"const u = new URL('https://u:p@ex.com:8080/a/b?q=1#f'); {change}; return u.href;"
    assert sandbox.run(code).value == expected


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("'?a=1&b=2&a=3'", "a=1&b=2&a=3"),
        ("'a+b=%20c&=x&y'", "a+b=+c&=x&y="),
        ("{ a: 1, 'ä': 'ö' }", "a=1&%C3%A4=%C3%B6"),
        ("[['a', '1'], ['b', '2']]", "a=1&b=2"),
        ("new Map([['a', 1]])", "a=1"),
        ("new URLSearchParams('x=y')", "x=y"),
        ("'a=%zz%41'", "a=%25zzA"),
    ],
)
def test_search_parameters_can_be_made_from_anything(sandbox: Sandbox, made: str, expected: str) -> None:
    assert sandbox.run(f"return String(new URLSearchParams({made}))").value == expected


def test_search_parameters_can_be_read_and_sorted(sandbox: Sandbox) -> None:
    code = (
        "const p = new URLSearchParams('b=2&a=1&b=3'); p.sort();"
        "return [[...p], p.getAll('b'), p.has('a'), p.has('b', '9'), p.get('none'), p.size, [...p.keys()]];"
    )
    pairs = [["a", "1"], ["b", "2"], ["b", "3"]]
    assert sandbox.run(code).value == [pairs, ["2", "3"], True, False, None, 3, ["a", "b", "b"]]


def test_an_address_can_be_tried_without_an_error(sandbox: Sandbox) -> None:
    code = "return [URL.canParse('x'), URL.canParse('x', 'http://y'), URL.parse('x'), URL.parse('http://y').host]"
    assert sandbox.run(code).value == [False, True, None, "y"]
