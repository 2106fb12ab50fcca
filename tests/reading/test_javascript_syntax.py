"""What a block of JavaScript does, judged on its syntax tree and never by its text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperagents.definitions.source import Excerpt
from paperagents.reading.javascript_checks import check_block, find_endless_loops
from paperagents.reading.javascript_fields import find_produced_fields
from paperagents.reading.javascript_names import Surroundings
from paperagents.reading.javascript_syntax import JavaScript, find_placeholders
from paperagents.reading.problems import ProblemList

PIECES = (
    "while(true)", "{", "}", "(", ")", "[", "]", "return ", "break;", "function* ", "=>", "`", "${", '"', "'", "/", "x",
    ";", "\n", "eval", "/*", "//", "😀", "\0", "{{date}}", "class ", "async ", "await ", "yield ", "label:", "1n",
)  # fmt: skip


@pytest.mark.parametrize(
    "code",
    [
        "return 1;", "return", "const {a, ...b} = input; return {a, b};", "return input?.a ?? await x;",
        "return x => x;", "return `a ${b ? `c ${d}` : ''}`;", "for await (const x of y) {} return 1n;",
        "return /a}/.test(b);", "", "return {}",
        "class A { #b = 1; static { } get c() { return this.#b } } return new A();", "// only a comment",
        "return '}{)(';", "if (a) return b\nelse return c", "return ((a), b);", "label: for (;;) { break label }",
    ],
)  # fmt: skip
def test_good_code_has_no_syntax_error(code: str) -> None:
    assert JavaScript(code).syntax_error() is None


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("return (1;", 1),
        ("const a = 1;\nreturn [a, ;", 2),
        ("const a = 1;\nreturn a;\n}", 3),
        ("const = 5;\nreturn 1;", 1),
        ("return 'open;\n", 1),
        ('const a = "first\nsecond";\nreturn {a};', 1),
        ('const a = "first \\\nsecond";\nreturn {a;', 3),
        ("a b c\nreturn 1;", 1),
        ("if (x {\n  return 1;\n}", 1),
        ("const größe = 1;\nreturn größe +;", 2),
    ],
)
def test_a_syntax_error_is_found_in_its_line(code: str, line: int) -> None:
    error = JavaScript(code).syntax_error()
    assert error is not None
    assert code.count("\n", 0, error.start) + 1 == line


@pytest.mark.parametrize(
    ("code", "token"),
    [
        ("const ä = ;", ";"),
        ("return 1 + ;", ";"),
        ("return {a: }", "}"),
        ("return f(1, x => )", ")"),
        ("return a..b", "."),
        ("return ?;", "?"),
    ],
)
def test_the_token_that_nobody_expected_is_told_not_the_operator_before_it(code: str, token: str) -> None:
    error = JavaScript(code).syntax_error()
    assert error is not None
    assert error.what == f"Unexpected token '{token}'"
    assert error.start == code.rindex(token)


def test_what_is_missing_at_the_end_of_a_line_is_told_on_that_line() -> None:
    text = "if (input.a) {\n  return 1;\n"
    problems = ProblemList("a.md", text.split("\n"))
    check_block(Excerpt(text=text), Surroundings(arguments=["a"], input_fields=["a"]), problems)
    (problem,) = problems.in_order()
    assert (problem.span.line, problem.span.end_line) == (2, 2)


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("return 1;", True),
        ("if (a) { return 1; }", True),
        ("try { x(); } finally { return 2; }", True),
        ("switch (a) { default: return 1; }", True),
        ("", False),
        ("function f() { return 1; } f();", False),
        ("[1].map((x) => { return x; });", False),
        ("const o = { get a() { return 1; }, b() { return 2; } };", False),
        ("class A { b() { return 1; } c = () => { return 1; }; }", False),
        ("// return 1", False),
        ("'return 1'", False),
        ("throw new Error('x');", False),
    ],
)
def test_only_a_return_of_the_block_itself_counts(code: str, found: bool) -> None:  # noqa: FBT001  a table's column
    problems = ProblemList("a.md", code.split("\n"))
    check_block(Excerpt(text=code), Surroundings(), problems)
    errors = [each.code for each in problems.in_order() if each.severity == "error"]
    assert errors == ([] if found else ["missing-return"])


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("require('fs')", ["require"]),
        ("const {a} = require('x'), b = process.env", ["require", "process"]),
        ("import a from 'b'", ["import"]),
        ("export default 1", ["export"]),
        ("await import('x')", ["import"]),
        ("new Function('a')", ["Function"]),
        ("const f = eval; f('1')", ["eval"]),
        ("(0, eval)('1')", ["eval"]),
        ("globalThis.process", ["process"]),
        ("window['eval']('1')", ["eval"]),
        ("[].constructor.constructor('x')()", ["Function"]),
        ("a['constructor']['constructor']", ["Function"]),
        ("({ fs })", ["fs"]),
        ("retrieval(x); evaluate(y); required", []),
        ("const f = function (x) {}", []),
        ("// eval(\n'require(1)'; /process/; `import x`", []),
        ("a.eval(1); a.process; a.fs.b; a.require()", []),
        ("({ eval: 1, process: 2, fs() {} })", []),
        ("typeof require; x instanceof Function; Function.prototype.call", []),
        ("function process(a) {} process(1)", []),
        ("const eval2 = 1; let fs = 2; fs + 1", []),
        ("((process, { require, x: fs }, [eval], ...Function) => process + require + fs)()", []),
        ("try {} catch (process) { process }", []),
        ("class fs {} new fs()", []),
        ("for (const process of a) process()", []),
        ("x.constructor === Array; x.constructor.name", []),
        ("import.meta", ["import"]),
        (r"ev\u0061l('1'); r\u{65}quire('a')", ["eval", "require"]),
        ("globalThis[`eval`]('1')", ["eval"]),
        ("(function () {}).constructor('x')(); (() => 1)['constructor']('x')", ["Function", "Function"]),
        ("const g = function* fs() { fs(); }, C = class process { m() { return process; } }", []),
        ("a[`b${eval_}`]; x.m().constructor.name; (a).constructor", []),
    ],
)
def test_forbidden_names_are_found_where_they_are_used(code: str, names: list[str]) -> None:
    assert [finding.what for finding in JavaScript(code).forbidden()] == names


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("while (true) {}", 1),
        ("while (1);", 1),
        ("for (;;) {}", 1),
        ("for (let i = 0; ; i++) {}", 1),
        ("do {} while (!false)", 1),
        ("while (!!1) {}", 1),
        ("while ('a') {}", 1),
        ("while ([]) {}", 1),
        ("while (true) { continue; }", 1),
        ("while (true) { while (true) {} }", 2),
        ("a: while (true) { while (true) { continue a; } }", 1),
        ("a: while (true) { while (true) { break a; } }", 0),
        ("while (true) { switch (a) { case 1: break; } }", 1),
        ("while (true) { for (const x of y) { break; } }", 1),
        ("while (true) { (() => { return 1; })(); }", 1),
        ("while (true) { function f() { throw 1; } }", 1),
        ("function f() { for (;;) {} }", 1),
        ("while (true) { if (a) break; }", 0),
        ("for (;;) { return 1; }", 0),
        ("while (true) { throw 1; }", 0),
        ("while (true) { try { break; } finally {} }", 0),
        ("function* g() { while (true) yield 1; }", 0),
        ("while (true) { switch (a) { case 1: return 1; } }", 0),
        ("b: { while (true) { break b; } }", 0),
        ("while (false) {}", 0),
        ("while (0) {} while ('') {} while (null) {} while (0.0) {} while (0n) {}", 0),
        ("while (x) {}", 0),
        ("while (true && x) {}", 0),
        ("for (;x;) {}", 0),
        ("for (const a in b) {}", 0),
        ("// while (true) {}", 0),
    ],
)
def test_loops_without_an_exit_are_found(code: str, count: int) -> None:
    assert len(list(find_endless_loops(JavaScript(code)))) == count


@pytest.mark.parametrize(
    ("code", "names", "keeps", "anything"),
    [
        ("return input;", [], True, False),
        ("input.a = 1; input['b'] = 2; return input;", ["a", "b"], True, False),
        ("return { a: 1, 'b c': 2, d() {}, e };", ["a", "b c", "d", "e"], False, False),
        ("return { ...input, a: 1 };", ["a"], True, False),
        ("return { ...x };", [], False, True),
        ("return { [key]: 1 };", [], False, True),
        ("const r = { a: 1 }; r.b = 2; return r;", ["a", "b"], False, False),
        ("const r = input; r.a = 1; return input;", [], False, True),
        ("Object.assign(input, x); return input;", [], False, True),
        ("change(input); return input;", [], False, True),
        ("console.log(input); return input;", [], True, False),
        ("input[key] = 1; return input;", [], False, True),
        ("input = x; return input;", [], False, True),
        ("return a ? { b: 1 } : { c: 2 };", ["b", "c"], False, False),
        ("if (a) return { b: 1 }; return input;", ["b"], True, False),
        ("return make();", [], False, True),
        ("return JSON.parse(input.a);", [], False, True),
        ("input.a += 1;", ["a"], True, False),
    ],
)
def test_the_fields_a_block_hands_on_are_known_or_anything(
    code: str, names: list[str], keeps: bool, anything: bool  # noqa: FBT001  columns of a table
) -> None:  # fmt: skip
    produced = find_produced_fields(JavaScript(code))
    assert produced.anything is anything
    if not anything:
        assert (sorted(produced.names), produced.keeps_arguments) == (names, keeps)


def test_placeholders_are_those_that_will_be_filled_in() -> None:
    code = 'const a = "{{date}} {{ title }} {{other}}"; const b = {{}};'
    found = [(each.what, code[each.start : each.end]) for each in find_placeholders(code, ["date", "title"])]
    assert found == [("date", "{{date}}"), ("title", "{{ title }}")]


def test_places_are_counted_in_characters() -> None:
    code = 'const größe = "😀"; eval("1");'
    (finding,) = JavaScript(code).forbidden()
    assert code[finding.start : finding.end] == "eval"


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=2), max_size=40).map("".join))
def test_every_question_about_any_code_has_an_answer_inside_the_code(code: str) -> None:
    script = JavaScript(code, placeholders=["date"])
    find_produced_fields(script)
    error = script.syntax_error()
    for finding in (*script.forbidden(), *find_endless_loops(script), *([error] if error else [])):
        assert 0 <= finding.start <= finding.end <= len(code)


@pytest.mark.parametrize(
    "piece", ["(", "[", "{", "while(true){", "a(", "`${", "!", "x=>", "if(a)", "a?b:", "/*", "new "]
)
def test_deep_nesting_is_answered_without_recursion(piece: str) -> None:
    script = JavaScript(piece * 3_000)
    assert script.syntax_error() is not None
    assert list(script.forbidden()) == []
