"""Shared by the tests of reading: what ``paper check`` would say about a file."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from paperagents.definitions.source import Problem
from paperagents.reading.files import read_markdown
from paperagents.registry.entry import Entry, describe_definition, make_entry
from paperagents.registry.folder_scan import FileRecord
from paperagents.registry.vault_index import VaultIndex
from paperagents.tools import builtin_tools

Check = Callable[..., list[str]]
MUTATIONS = runpy.run_path(str(Path(__file__).with_name("mutations.py")))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a test that asks for a mutation every one of them."""
    if "mutation" in metafunc.fixturenames:
        made = MUTATIONS["MUTATIONS"]
        metafunc.parametrize("mutation", made, ids=[each.name for each in made])


@pytest.fixture(scope="session")
def mutations() -> dict[str, Any]:
    """The names of the module that makes the mutations."""
    return MUTATIONS


@pytest.fixture(scope="session")
def check() -> Check:
    """All problems of a file, one line each, as if the vault held it and the given neighbours."""

    answers = {tool.id: tool.answer for tool in builtin_tools()}

    def run(data: bytes | str, file: str = "tool.md", neighbours: Sequence[Entry] = ()) -> list[str]:
        reading = read_markdown(data.encode() if isinstance(data, str) else data, file, answers)
        entry = make_entry(reading)
        if entry is None:
            return sorted(map(_line, reading.problems))
        index = VaultIndex(lambda: map(describe_definition, builtin_tools()))
        index.apply({str(each.file): FileRecord(stamp=None, entry=each) for each in (*neighbours, entry)})
        return sorted(map(_line, index.check(file).problems))

    return run


def _line(problem: Problem) -> str:
    return f"{problem.span.line}:{problem.span.column} {problem.severity} {problem.code}"
