"""Hostile, odd and honest blocks, each with the one outcome it may have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paperagents.errors import SandboxError
from paperagents.sandbox import Sandbox

FILES = sorted((Path(__file__).parent / "corpus").glob("*.txt"))
HEADING = re.compile(r"^### (?P<name>.+) => (?P<outcome>.+)$", re.MULTILINE)
INPUT = {"odd": {"__proto__": {"polluted": True}}, "nul": "a\0b", "n": 1}


def _cases() -> Iterator[Any]:
    for file in FILES:
        text = file.read_text(encoding="utf-8")
        headings = list(HEADING.finditer(text))
        for heading, following in zip(headings, [*headings[1:], None], strict=True):
            code = text[heading.end() + 1 : following.start() if following else None]
            yield pytest.param(code, heading["outcome"], id=f"{file.stem}: {heading['name']}")


def _fail(message: str) -> None:
    raise ValueError(message)


@pytest.mark.parametrize(("code", "outcome"), list(_cases()))
def test_a_block_has_the_outcome_that_is_expected(sandbox: Sandbox, code: str, outcome: str) -> None:
    assert _outcome(sandbox, code) in _expected(outcome)


def _expected(outcome: str) -> list[object]:
    """One outcome, or two error codes where the machine's speed decides which limit is met first."""
    codes = outcome.split(" or ")
    return list(codes) if re.fullmatch(r"(sandbox|javascript)-[a-z-]+", codes[0]) else [json.loads(outcome)]


def _outcome(sandbox: Sandbox, code: str) -> object:
    names: Any = {"input": INPUT, "context": {}}
    try:
        return sandbox.run(code, names=names, host={"echo": lambda value: value, "fail": _fail}).value
    except SandboxError as error:
        return error.code


def test_the_corpus_is_large_enough_to_mean_something() -> None:
    assert sum(1 for _ in _cases()) >= 120
