"""The engine is asked for many files at once; a file that it refuses is told of, and only that."""

from __future__ import annotations

from typing import Any

import pytest

from paperagents import sandbox
from paperagents.definitions.file_reading import FileReading
from paperagents.reading import files as file_reading
from paperagents.reading.files import check_with_engine, read_markdown

GOOD = "return input;"
BAD = "return a ?? b || 3;"


def reading(number: int, code: str) -> FileReading:
    head = f"---\ntool: true\nname: t{number}\ndescription: d\n---\n"
    return read_markdown(f"{head}```js\n// @preprocess\n{code}\n```\n".encode(), f"{number}.md")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How long each piece was that the engine was asked for."""
    lengths: list[int] = []
    run = sandbox.run_javascript

    def counted(script: Any, **options: Any) -> Any:
        lengths.append(len(script.text))
        return run(script, **options)

    monkeypatch.setattr(file_reading, "run_javascript", counted)
    return lengths


def test_files_that_are_right_take_one_call(calls: list[int]) -> None:
    readings = [reading(number, GOOD) for number in range(50)]
    assert check_with_engine(readings) == readings
    assert len(calls) == 1


@pytest.mark.parametrize("wrong", [{0}, {7}, {49}, {3, 4, 30}])
def test_a_wrong_file_is_found_among_many_as_if_it_were_alone(wrong: set[int], calls: list[int]) -> None:
    readings = [reading(number, BAD if number in wrong else GOOD) for number in range(50)]
    checked = check_with_engine(readings)
    assert len(calls) < 50
    assert checked == [check_with_engine([each])[0] for each in readings]
    assert {number for number, each in enumerate(checked) if not each.valid} == wrong


def test_large_files_are_not_put_together(calls: list[int]) -> None:
    long = f"const text = '{'x' * 60_000}'; return text;"
    readings = [reading(number, long) for number in range(6)]
    assert check_with_engine(readings) == readings
    assert len(calls) > 1
    assert max(calls) < 200_000


def test_files_without_blocks_ask_nobody(calls: list[int]) -> None:
    notes = [read_markdown(b"# note", f"{number}.md") for number in range(3)]
    assert check_with_engine([]) == []
    assert check_with_engine(notes) == notes
    assert calls == []
