"""What a person is told when a block fails, and where."""

from __future__ import annotations

import os
import re
import signal
import string
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.waiting import wait_until

from paperagents.definitions.source import Excerpt
from paperagents.errors import SandboxError
from paperagents.messages import in_language
from paperagents.messages.catalogue.sandbox import TEXTS
from paperagents.sandbox import Limits, Sandbox
from paperagents.sandbox.failures import frames_of, path_text

Failure = Callable[..., SandboxError]

INDENTED = Excerpt(
    text="const a = 1;\nfunction inner() {\n  missing.x;\n}\ninner();", file="notes/tool.md", line=20, indents=(4,)
)


def test_a_stack_names_lines_and_columns_of_the_file(failure: Failure) -> None:
    error = failure(INDENTED)
    assert error.code == "javascript-error"
    assert error.details["name"] == "ReferenceError"
    assert error.details["stack"][:2] == [
        {"function": "inner", "file": "notes/tool.md", "line": 22, "column": 7},
        {"function": None, "file": "notes/tool.md", "line": 24, "column": 5},
    ]
    assert "notes/tool.md:22:7" in error.message


def test_a_sentence_ends_with_one_full_stop(failure: Failure) -> None:
    error = failure("throw new Error('It is over.')")
    assert error.message.endswith("Error: It is over.")
    assert error.details["message"] == "It is over."


def test_columns_count_characters_not_bytes(failure: Failure) -> None:
    assert failure("'äöü😀'; missing()").details["stack"][0]["column"] == 9


def test_a_syntax_error_has_its_place(failure: Failure) -> None:
    error = failure(Excerpt(text="const a = 1;\nlet b = ;", file="t.md", line=5))
    assert error.code == "sandbox-syntax"
    assert (error.details["stack"][0]["line"], error.details["stack"][0]["column"]) == (6, 9)


def test_a_syntax_error_the_engine_cannot_place_stands_at_the_start(failure: Failure) -> None:
    assert "t.md:5:1" in failure(Excerpt(text="return /(/", file="t.md", line=5)).message


def test_a_syntax_error_thrown_by_the_block_is_an_error_of_the_block(failure: Failure) -> None:
    assert failure("JSON.parse('{')").code == "javascript-error"


def test_the_lines_stay_right_where_a_given_name_is_declared_again(failure: Failure) -> None:
    error = failure("const input = 1;\n\n  missing;", names={"input": 2})
    assert (error.details["stack"][0]["line"], error.details["stack"][0]["column"]) == (3, 3)


def test_an_endless_loop_is_shown_where_it_is(failure: Failure) -> None:
    script = Excerpt(text="function spin() {\n  for (;;) { spin.n++; }\n}\n\nspin();", file="t.md", line=10)
    error = failure(script, limits=Limits(seconds=0.05))
    assert error.code == "sandbox-timeout"
    assert error.details["stack"][-1]["line"] == 14


def test_a_block_in_one_call_that_cannot_be_interrupted_is_shown_where_it_begins(failure: Failure) -> None:
    script = Excerpt(text="const n = 2 ** 53 - 1;\n[].reverse.call({ length: n });", file="t.md", line=10)
    error = failure(script, limits=Limits(seconds=0.05))
    assert error.code == "sandbox-timeout"
    assert error.details["stack"] == [{"function": None, "file": "t.md", "line": 10, "column": 1}]
    assert "t.md:10:1" in error.message


def test_the_clock_on_the_wall_ends_a_block_that_was_given_no_computing_time() -> None:
    script = Excerpt(text="\nfor (;;) Math.max(1);", file="t.md", line=10)
    with Sandbox(limits=Limits(seconds=0.4), size=1) as pool:
        pool.run("return 1")
        (pid,) = pool.pids()

        def hold_up() -> None:
            os.kill(pid, signal.SIGSTOP)
            until = time.monotonic() + 0.5
            wait_until(lambda: time.monotonic() > until)
            os.kill(pid, signal.SIGCONT)

        with ThreadPoolExecutor(1) as threads:
            threads.submit(hold_up)
            with pytest.raises(SandboxError) as caught:
                pool.run(script)
    assert caught.value.code == "sandbox-timeout"
    # Only the engine itself knows this line.
    assert caught.value.details["stack"][0]["line"] == 11


def test_frames_of_libraries_and_of_the_prelude_are_left_out(failure: Failure) -> None:
    frames = failure("[1].map(() => new URL('nonsense'))").details["stack"]
    assert [frame["line"] for frame in frames] == [1, 1]


def test_own_properties_of_an_error_are_carried(failure: Failure) -> None:
    error = failure("throw Object.assign(new Error('x'), { code: 'E_LIMIT', data: { n: 1 }, bad: NaN, f() {} })")
    assert error.details["code"] == "E_LIMIT"
    assert error.details["data"] == {"n": 1}
    assert "bad" not in error.details


@pytest.mark.parametrize(
    ("thrown", "shown"),
    [
        ("'plain text'", "plain text"),
        ("42", "42"),
        ("null", "null"),
        ("undefined", "undefined"),
        ("{ reason: 'odd' }", '{"reason":"odd"}'),
        ("{ message: 'own' }", "own"),
        ("{ f() {} }", "an object without a message"),
        ("new TypeError('bad')", "TypeError: bad"),
        ("new (class Mine extends Error { name = 'Mine' })('x')", "Mine: x"),
    ],
)
def test_whatever_is_thrown_is_told(failure: Failure, thrown: str, shown: str) -> None:
    assert shown in failure(f"throw {thrown}").message


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ("// @preprocess\nreturn null.x;", (21, 8)),
        ("// @preprocess: null.x\nconst s = 'null.x', t = \"it's null.x\";\n\nreturn { a: null.x };", (23, 13)),
        ("const z = String(1);\n/* null.x */ const b = `null.x` + null.x;", (21, 35)),
        ("// @preprocess\nconst n = null;\nreturn n.x;", (22, 8)),
        ("// @preprocess\n\nconst { a } = input.missing;\nreturn a;", (22, 1)),
        ("// @preprocess\nconst y = 1;\nreturn {\n  y,\n  missing,\n};", (24, 3)),
        ("// @preprocess\nconst y = `${missing}`;\nreturn y;", (21, 14)),
        ("const x = 1;\nx += 2; // x = 3\nreturn x;", (21, 1)),
    ],
)
def test_an_error_is_told_at_its_own_line(failure: Failure, code: str, place: tuple[int, int]) -> None:
    error = failure(Excerpt(text=code, file="notes/tool.md", line=20), names={"input": {}})
    assert (error.details["stack"][0]["line"], error.details["stack"][0]["column"]) == place


def test_an_error_is_told_where_a_folded_text_has_it(failure: Failure) -> None:
    written = Excerpt(text="const y = 1;\n  return y.a.b;", file="t.md", line=20, indents=(9, 0))
    error = failure(Excerpt(text="const y = 1; return y.a.b;", file="t.md", line=20, indents=(9,), written=written))
    assert error.details["stack"] == [{"function": None, "file": "t.md", "line": 21, "column": 10}]


def test_where_several_pieces_of_code_can_be_meant_none_is_guessed(failure: Failure) -> None:
    error = failure(Excerpt(text="// @preprocess\nif (!input) null.x;\nreturn null.x;", line=20), names={"input": {}})
    assert error.details["stack"][0]["line"] == 21, "the place that the engine has noted"


def test_too_many_arguments_are_explained(failure: Failure) -> None:
    for call in ("Math.max(...input)", "Math.max.apply(null, input)", "input.push(...input)"):
        assert "reduce" in failure(f"return {call}", names={"input": [1] * 70_000}).message


def test_what_people_miss_is_explained(failure: Failure) -> None:
    assert "rest_request" in failure("return fetch('x')").message
    assert "timers" in failure("setTimeout(() => 1)").message


@pytest.mark.parametrize(
    ("code", "path"),
    [
        ("return NaN", "data"),
        ("return { items: [1, 2, 3, NaN] }", "data.items[3]"),
        ("return [[{ 'odd key': 1n }]]", 'data[0][0]["odd key"]'),
        ("const a = { b: {} }; a.b.c = a; return a", "data.b.c"),
        ("return { m: new Map() }", "data.m"),
        ("return { a: { toJSON() { return { x: () => 1 }; } } }", "data.a.x"),
        ("return { t: ['\\ud800'] }", "data.t[0]"),
        ("return { when: new Date('no') }", "data.when"),
    ],
)
def test_a_value_that_cannot_cross_is_named_by_its_path(failure: Failure, code: str, path: str) -> None:
    error = failure(code)
    assert error.code == "sandbox-value"
    assert error.details["path"] == path
    assert error.message.startswith(path + " ")


def test_every_sentence_is_there_in_three_languages_with_the_same_values(sandbox: Sandbox) -> None:
    del sandbox
    for key, sentences in TEXTS.items():
        fields = [{name for _, name, _, _ in string.Formatter().parse(sentence) if name} for sentence in sentences]
        assert fields[0] == fields[1] == fields[2], key
        assert all(sentences), key


def test_a_failure_is_told_in_the_readers_language(failure: Failure) -> None:
    errors = [failure(code) for code in ("return NaN", "for (;;);", "throw new Error('x')", "return fetch(1)")]
    for error in errors:
        with in_language("de"):
            german = str(error)
        with in_language("zh"):
            chinese = str(error)
        assert german != str(error)
        assert re.search("[\u4e00-\u9fff]", chinese)


def test_a_path_is_cut_in_the_middle_when_it_is_long() -> None:
    assert len(path_text("data", ["x" * 100] * 50)) == 300


def test_a_stack_that_is_not_one_gives_no_frames() -> None:
    script = Excerpt(text="a\nb")
    for stack in ("", "nonsense", "    at f (<input>:1:1)", "    at f (<input>:1005:1)", "    at f (<input>:1001:x)"):
        assert frames_of(stack, script) == []
    assert len(frames_of("    at f (<input>:1002:999999)\n" * 1000, script)) == 50
