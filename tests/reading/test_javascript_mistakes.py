"""What an engine refuses although the parser forgives it, and what both accept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.reading.javascript_checks import find_mistakes
from paperagents.reading.javascript_syntax import JavaScript

REFUSED = [
    ("let a = 1; let a = 2;", "a"),
    ("const a = 1;\nfunction a() {}", "a"),
    ("var a; let a;", "a"),
    ("class A {} const A = 1;", "A"),
    ("if (x) { let b; let b; }", "b"),
    ("const x;", "x"),
    ("const y = 1, z;", "z"),
    ("const {a};", "{a}"),
    ("try { f(); }", "try"),
    ("return {a: 1,, b: 2};", ","),
    ("return {, a: 1};", ","),
    ("return /(/;", "/(/"),
    ("return /a)/;", "/a)/"),
    ("return /+a/;", "/+a/"),
    ("return /a|*b/;", "/a|*b/"),
    ("return /a/zz;", "/a/zz"),
    ("function f() { await g(); }", "await"),
    ("return input.list.map(each => await g(each));", "await"),
    ("async function f() { return () => { await g(); }; }", "await"),
    ("return {m() { await g(); }};", "await"),
    ("if (input.a) break;", "break"),
    ("list.forEach(each => { if (!each) continue; });", "continue"),
    ("for (;;) { list.forEach(each => { break; }); return 1; }", "break"),
    ("switch (a) { case 1: continue; }", "continue"),
    ("return <b/>;", "<b/>"),
    ("return <b>text</b>;", "<b>text</b>"),
]
ACCEPTED = [
    "let a = 1; { let a = 2; }",
    "var a; var a; function b() {} function b() {}",
    "for (const x of y) {} for (const x in y) {} const x = 1;",
    "for (let i = 0; i < 1; i++) {} for (let i = 0; i < 1; i++) {}",
    "switch (a) { case 1: { let b; } case 2: { let b; } }",
    "const f = (a) => { const b = 1; }; const b = 2;",
    "try { f(); } catch { } try { f(); } finally { }",
    "return [1,,2];",
    "return {a: 1, /* none */ b: 2,};",
    r"return [/\(/, /[(]/, /(?:a)(?=b)(?!c)(?<=d)(?<!e)(?<n>f)/gi, /a+?b*?c??/, /\+/, /[*+?]/, /^/, /()/];",
    "return /[[a-z]--[aeiou]]/v;",
    "let {a, b} = input, [c] = b;",
    "await g(); const f = async () => { await g(); }; async function h() { for await (const a of b) await a; }",
    "return {async m() { return await g(); }};",
    "class A { static async m() { await g(); } }",
    "for (;;) { if (a) { continue; } switch (b) { case 1: continue; default: break; } break; }",
    "do { switch (a) { case 1: { break; } } } while (b); for (const c of d) break;",
    "out: { break out; } out: while (a) { for (;;) { continue out; } }",
    "const f = () => { for (const a of b) { break; } };",
    "return a <b && c> d;",
]


@pytest.mark.parametrize(("code", "place"), REFUSED)
def test_what_an_engine_refuses_is_found_at_its_place(code: str, place: str) -> None:
    (found,) = find_mistakes(JavaScript(code))
    assert code[found.start : found.end] == place
    assert found.start == code.rindex(place) or place == ","


@pytest.mark.parametrize("code", ACCEPTED)
def test_what_an_engine_accepts_is_no_mistake(code: str) -> None:
    assert list(find_mistakes(JavaScript(code))) == []


@given(st.text(alphabet="/()[]{}\\|*+?^a,;=\n", max_size=40))
def test_any_code_is_looked_at(code: str) -> None:
    for found in find_mistakes(JavaScript(code)):
        assert 0 <= found.start <= found.end <= len(code)
