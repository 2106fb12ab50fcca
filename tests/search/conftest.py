"""Shared by the tests of the index: vaults in which every note goes through it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.servers import folder  # noqa: F401  a fixture
from tests.waiting import wait_until

from paperagents.files.folder import VaultFolder
from paperagents.search import index as note_index
from paperagents.search.search import scan_files, search_files

Search = Callable[..., list[str]]


@pytest.fixture
def everything_indexed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put every changed file into the index, also in a small vault."""
    monkeypatch.setattr(note_index, "MOST_PENDING", 0)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "vault"
    place.mkdir()
    return place


@pytest.fixture
def vault(root: Path) -> Iterator[VaultFolder]:
    with VaultFolder(root) as opened:
        yield opened


def agreed(vault: VaultFolder, query: str, path: str = "/", limit: int = 100, sort: str = "relevance") -> list[str]:
    """What a search finds, which must be what reading every file finds, to the last character."""
    answer: Any = search_files(vault, query, path, limit, sort)
    assert answer == scan_files(vault, query, path, limit, sort)
    return [result["path"] for result in answer["results"]]


def write(root: Path, notes: dict[str, str]) -> None:
    for path, text in notes.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def is_indexed(root: Path) -> bool:
    return (root / ".paper" / "index" / "manifest").is_file()


def wait_until_settled(root: Path) -> None:
    """Before that, a file is read with each search, lest a second save in the same moment goes unseen."""
    newest = max(file.stat().st_ctime_ns for file in [root, *root.rglob("*")])
    wait_until(lambda: time.time_ns() >= newest + 200_000_000)
