"""Blocks of JavaScript that are made to be slow to look at, or too long to be meant."""

from __future__ import annotations

from time import thread_time

import pytest

from paperagents.definitions.source import Excerpt, Problem
from paperagents.reading.javascript_checks import check_block
from paperagents.reading.javascript_syntax import MAX_CHARACTERS
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
    check_block(Excerpt(text=code), (), problems)
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
    assert problems_of(f"function all() {{\n{lines}}}\nreturn all();") == ()


def test_the_first_error_of_a_long_block_is_pointed_at() -> None:
    code = "const a = f(1, 2);\n" * 1_000 + "let b = ;\n" + "const a = f(1, 2);\n" * 1_000
    assert [(problem.code, problem.span.line) for problem in problems_of(code)] == [("javascript-syntax", 1_001)]


def test_a_block_nobody_writes_by_hand_is_refused_at_its_first_line() -> None:
    (problem,) = problems_of("\nreturn 1;\n" + " " * MAX_CHARACTERS)
    assert (problem.code, problem.span.line, problem.span.column) == ("javascript-too-long", 2, 1)
    assert str(MAX_CHARACTERS) in problem.message
