"""What is wrong with JavaScript before it runs."""

from __future__ import annotations

from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.definitions.source import Excerpt, Problem
from paperagents.reading.javascript_checks import check_block, find_mistakes
from paperagents.reading.javascript_names import Surroundings
from paperagents.reading.javascript_syntax import MAX_CHARACTERS, JavaScript
from paperagents.reading.problems import ProblemList

ENDURABLE_SECONDS = 5.0
"""Far above what a bounded look takes on a slow machine, far below what an unbounded one takes."""
SYNTAX_ERRORS = ("é eval;", "@ # ", "/* ", "1a ", '"a', "for(a of ", "case 1:", "f(a b);\n", "a<b ", "x=>{", "`${")
SOUND_BUT_ODD = {
    "many labels": "while(1)" + "l:" * 12_000 + "{" + "break;" * 5_000 + "}",
    "many jumps to one label": "".join(f"l{n}:while(1)" for n in range(2_500)) + "{" + "break l0;" * 4_500 + "}",
    "many negations": "while(" + "!" * 90_000 + "1){}",
    "many members": "return a" + ".b" * 45_000 + ".constructor;",
    "many calls": "return f" + "(input)" * 12_000,
    "many fields": "return {" + ",".join(f"a{n}" for n in range(12_000)) + "};",
    "many forbidden names": "eval;" * 19_000,
}


def problems_of(code: str) -> tuple[Problem, ...]:
    problems = ProblemList("tool.md", code.split("\n"))
    check_block(Excerpt(text=code), Surroundings(), problems)
    return problems.in_order()


@pytest.mark.parametrize("piece", SYNTAX_ERRORS)
def test_a_block_full_of_errors_is_told_its_first_one_without_a_hang(piece: str) -> None:
    code = (piece * MAX_CHARACTERS)[:MAX_CHARACTERS]
    before = thread_time()
    assert [problem.code for problem in problems_of(code)] == ["javascript-syntax"]
    assert thread_time() - before < ENDURABLE_SECONDS


@pytest.mark.parametrize("name", SOUND_BUT_ODD)
def test_a_block_of_one_thing_very_often_is_looked_at_without_a_hang(name: str) -> None:
    before = thread_time()
    assert "javascript-syntax" not in {problem.code for problem in problems_of(SOUND_BUT_ODD[name])}
    assert thread_time() - before < ENDURABLE_SECONDS


def test_a_long_block_of_sound_code_has_no_problem() -> None:
    lines = "  compute(input.a, [1, 2, 3], { b: 'c' });\n" * 1_500
    assert problems_of(f"const compute = console.log;\nfunction all() {{\n{lines}}}\nreturn all();") == ()


def test_the_first_error_of_a_long_block_is_pointed_at() -> None:
    code = "const a = f(1, 2);\n" * 1_000 + "let b = ;\n" + "const a = f(1, 2);\n" * 1_000
    assert [(problem.code, problem.span.line) for problem in problems_of(code)] == [("javascript-syntax", 1_001)]


def test_a_block_nobody_writes_by_hand_is_refused_at_its_first_line() -> None:
    (problem,) = problems_of("\nreturn 1;\n" + " " * MAX_CHARACTERS)
    assert (problem.code, problem.span.line, problem.span.column) == ("javascript-too-long", 2, 1)
    assert str(MAX_CHARACTERS) in problem.message


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
