"""Names in JavaScript that nothing defines, and fields of ``input`` that nothing gives it."""

from __future__ import annotations

import pytest

from paperagents.definitions.source import Excerpt
from paperagents.reading.javascript_checks import check_block, check_expression
from paperagents.reading.javascript_names import DENO_GLOBALS, Surroundings, check_module_names
from paperagents.reading.javascript_scopes import MOST_IN_ERROR, SANDBOX_GLOBALS, Scopes
from paperagents.reading.javascript_syntax import JavaScript
from paperagents.reading.problems import ProblemList
from paperagents.sandbox import run_javascript

AROUND = Surroundings(arguments=("text", "items"), input_fields=("text", "items"))


def warnings_of(code: str, around: Surroundings = AROUND) -> list[str]:
    problems = ProblemList("tool.md", code.split("\n"))
    check_block(Excerpt(text=code), around, problems)
    found = [each for each in problems.in_order() if each.code in ("undefined-name", "undeclared-input")]
    return [f"{each.span.line}:{each.span.column} {each.values['name']}" for each in found]


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("return inpt.text;", ["1:8 inpt"]),
        ("return { text: inpt };", ["1:16 inpt"]),
        ("return { inpt };", ["1:10 inpt"]),
        ("return `a ${txt} b`;", ["1:13 txt"]),
        ("return Maht.max(1);", ["1:8 Maht"]),
        ("return text.length;", ["1:8 text"]),
        ("return output.x;", ["1:8 output"]),
        ("{ let inner = 1; }\nreturn inner;", ["2:8 inner"]),
        ("for (const each of input.items) {}\nreturn each;", ["2:8 each"]),
        ("for (let i = 0; i < 1; i++) {}\nreturn i;", ["2:8 i"]),
        ("try { input; } catch (error) {}\nreturn error;", ["2:8 error"]),
        ("const f = a => a + b;\nreturn f(a);", ["1:20 b", "2:10 a"]),
        ("const { a: b } = input.items;\nreturn a;", ["2:8 a"]),
        ("const { a = fallback } = input.items;\nreturn a;", ["1:13 fallback"]),
        ("function f(a = other) { return a; }\nreturn f();", ["1:16 other"]),
        ("const f = function inner() {};\nreturn inner;", ["2:8 inner"]),
        ("const C = class D {};\nreturn D;", ["2:8 D"]),
        ("class A extends B {}\nreturn A;", ["1:17 B"]),
        ("class A { [key] = value; }\nreturn A;", ["1:12 key", "1:19 value"]),
        ("class A { m(x) { return x; } static { y; } }\nreturn x;", ["1:39 y", "2:8 x"]),
        ("switch (kind) { case A: break; }\nreturn 1;", ["1:9 kind", "1:22 A"]),
        ("count += 1;\nreturn 1;", ["1:1 count"]),
        ("total++;\nreturn 1;", ["1:1 total"]),
        ("return tag`x`;", ["1:8 tag"]),
        ("return new Thing();", ["1:12 Thing"]),
        ("return fetch('https://a.example');", ["1:8 fetch"]),
        ("setTimeout(() => 1, 5);\nreturn 1;", ["1:1 setTimeout"]),
        ("return a ?? b?.c;", ["1:8 a", "1:13 b"]),
        ("return [...list];", ["1:12 list"]),
        ("return { ...rest };", ["1:13 rest"]),
        ("return x in input;", ["1:8 x"]),
        ("return async () => { await wait(); };", ["1:28 wait"]),
        ("return unknown, unknown, unknown;", ["1:8 unknown"]),
        ("return 'ü' + größe;", ["1:14 größe"]),
    ],
)
def test_a_name_that_nothing_defines_is_told_where_it_stands(code: str, found: list[str]) -> None:
    assert warnings_of(code) == found


@pytest.mark.parametrize(
    "code",
    [
        "return f(); function f() { return g(); } function g() { return 1; }",
        "if (input.text) { var a = 1; } return a;",
        "if (input.text) { function inner() {} } return inner;",
        "for (var i of [1]) {} for (var k in {}) {} return [i, k];",
        "for (i of [1]) {} return i;",
        "total = 0; total += 1; return total;",
        "const f = () => later; const later = 1; return f();",
        "const { a, b: { c = a }, ...rest } = input.items; return [a, c, rest];",
        "const [a, , [b] = [], ...c] = input.items; return [a, b, c];",
        "let a, b; [a, b] = [b, a]; ({ a, x: b } = input.items); return a;",
        "try { JSON.parse(''); } catch ({ message }) { return message; }",
        "try { JSON.parse(''); } catch { return 1; }",
        "if (typeof fetch === 'function') return fetch('x'); return typeof(thing);",
        "outer: for (const a of [1]) { for (const b of [a]) { if (b) continue outer; break outer; } } return 1;",
        "function f(a, b = a, { c, d: [e] } = {}, ...g) { return [a, b, c, e, g, arguments.length]; } return f();",
        "const f = function again(n) { return n ? again(n - 1) : 0; }; return f(1);",
        "class A { #p = 1; static s = A.name; m() { return new A().#p; } get x() { return this.#p; } } return A;",
        "const C = class D { m() { return D; } }; return C;",
        "const o = { key: 1, method(a) { return a; }, get x() { return 1; }, ['a' + 1]: 2 }; return o.key;",
        "switch (1) { case 1: let a = 1; default: return a; }",
        "const gen = function* () { yield* [1]; }; for await (const x of gen()) console.log(x); return 1;",
        "async function wait() {} await wait(); return 1;",
        "return input.items.map((each, index, all) => each + index + all.length);",
        "return new.target === undefined && NaN !== Infinity && globalThis !== null;",
        "Object.assign(globalThis, { made: 1 }); return made;",
        "globalThis.made = 1; return made;",
        "with (input) { return anything; }",
        "return '{{date}} {{text}}';",
        "return {{date}};",
        "const \\u0061b = 1; return ab;",
        "return /inpt/.test('inpt') || `inpt`; // inpt",
        "const größe = 1; return größe;",
        "const async = 1, of = 2, get = 3, let_ = 4; return async + of + get + let_;",
        "return (() => { return this; })();",
        "const url = new URL('https://a.example'), p = new URLSearchParams(''); return [url.href, `${p}`];",
        "return structuredClone(context.steps) ?? btoa(atob('')) ?? new TextEncoder();",
    ],
)
def test_what_the_code_or_the_sandbox_defines_is_not_told(code: str) -> None:
    assert warnings_of(code) == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("return input.qurey;", ["1:14 qurey"]),
        ("return input?.qurey;", ["1:15 qurey"]),
        ("return input['qurey'];", ["1:15 qurey"]),
        ("const { qurey } = input; return qurey;", ["1:9 qurey"]),
        ("const { text, qurey: q } = input; return q;", ["1:15 qurey"]),
        ("const { qurey = 1 } = input; return qurey;", ["1:9 qurey"]),
        ("let q; ({ qurey: q } = input); return q;", ["1:11 qurey"]),
        ("return () => input.qurey;", ["1:20 qurey"]),
        ("return { ...input, x: input.qurey };", ["1:29 qurey"]),
        ("return input.one + input.two + input.one;", ["1:14 one", "1:26 two"]),
        ("function transform(input) { return input.qurey; } return transform(input);", ["1:42 qurey"]),
        ("function transform(data) { return data.qurey; } return transform(input);", ["1:40 qurey"]),
        ("const transform = data => data.qurey; return transform(input);", ["1:32 qurey"]),
        ("const transform = ({ text, qurey }) => text + qurey; return transform(input);", ["1:28 qurey"]),
        ("console.log(input); return JSON.stringify(input) + input.qurey;", ["1:58 qurey"]),
    ],
)
def test_a_field_of_input_that_nothing_gives_is_told_at_its_name(code: str, found: list[str]) -> None:
    assert warnings_of(code) == found


@pytest.mark.parametrize(
    "code",
    [
        "return input.text + input['items'] + input?.text;",
        "const { text, items: [first], ...rest } = input; return [text, first, rest];",
        "input.made = 1; return input.made;",
        "input.count++; input.sum += 1; return input.count + input.sum;",
        "[input.first, input['second']] = input.text.split(' '); return input.first + input.second;",
        "input[context.date] = 1; return input.anything;",
        "Object.assign(input, { more: 1 }); return input.more;",
        "const copy = input; copy.more = 1; return input.more;",
        "input = { more: 1 }; return input.more;",
        "return input.hasOwnProperty('x') || input.toString();",
        "return 'more' in input ? input.more : 1;",
        "return Object.hasOwn(input, 'more') && input.more;",
        "return typeof input.more === 'string' ? input.more : '';",
        "delete input.more; return input;",
        "const f = input => input.anything; return f({ anything: 1 });",
        "return input.items.map(input => input.anything);",
        "function f(data) { return data.x; } return f(input) + f({ x: 1 });",
        "function f(data) { data = { x: 1 }; return data.x; } return f(input);",
        "return input[context.date];",
        "for (const key in input) console.log(input[key]); return Object.keys(input);",
    ],
)
def test_a_field_of_input_that_may_be_there_is_not_told(code: str) -> None:
    assert warnings_of(code) == []


def test_a_block_after_preprocessing_that_nobody_can_follow_may_read_anything() -> None:
    assert warnings_of("return input.qurey;", Surroundings(input_fields=None)) == []


def test_everything_that_the_sandbox_offers_is_known() -> None:
    names = run_javascript(Excerpt(text="return Object.getOwnPropertyNames(globalThis);"), names={})
    assert isinstance(names, list)
    assert {*names} == SANDBOX_GLOBALS - {"arguments"}


def module_warnings(code: str, *, confined: bool) -> list[object]:
    problems = ProblemList("a.tool.js", code.split("\n"))
    check_module_names(JavaScript(code), Excerpt(text=code), problems, confined=confined)
    return [each.values["name"] for each in problems.in_order()]


def test_a_tool_of_one_file_has_the_names_of_a_module() -> None:
    code = "module.exports = { execute: () => [exports, require, importx, loadModule, module_] };"
    assert module_warnings(code, confined=True) == ["module_"]


def test_a_tool_of_one_file_may_import_and_export() -> None:
    code = "import a, { b as c } from 'x'; import * as d from 'y'; export default { execute: () => [a, c, d, e] };"
    assert module_warnings(code, confined=False) == ["e"]


def test_a_tool_with_packages_has_what_node_and_browsers_have() -> None:
    code = f"[{', '.join(sorted(DENO_GLOBALS))}]; nothing;"
    assert module_warnings(code, confined=False) == ["nothing"]
    assert module_warnings("fetch('x'); Buffer;", confined=True) == ["fetch", "Buffer"]


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("return inpt.text;", "Did you mean 'input'?"),
        ("const total = 1; return totl;", "Did you mean 'total'?"),
        ("return JSn.parse('');", "Did you mean 'JSON'?"),
        ("return text;", "input.text"),
        ("return date;", "context.date"),
        ("return fetch('');", "rest_request"),
        ("return zzzzz;", "const or let"),
        ("return input.itmes;", "Did you mean 'items'?"),
    ],
)
def test_a_warning_says_what_was_probably_meant(code: str, hint: str) -> None:
    problems = ProblemList("tool.md", code.split("\n"))
    check_block(Excerpt(text=code), AROUND, problems)
    (problem,) = problems.in_order()
    assert hint in str(problem.hint)


def test_a_condition_is_not_told_to_declare_anything() -> None:
    problems = ProblemList("tool.md", ["zzzzz > 1"])
    check_expression(Excerpt(text="zzzzz > 1"), (), Surroundings(is_condition=True), problems)
    (problem,) = problems.in_order()
    assert "prev_step" in str(problem.hint)


def test_nothing_is_said_of_names_where_looking_for_them_would_take_too_long() -> None:
    def uses_in(opened: int) -> list[str]:
        return [name for name, _, _ in Scopes(JavaScript("input.x;\n" + "(\n" * opened)).uses]

    assert uses_in(10) == ["input"]
    assert uses_in(MOST_IN_ERROR + 1) == []
