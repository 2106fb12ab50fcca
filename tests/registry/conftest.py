"""Shared by the tests of the registry: a folder of real files, and a bounded wait."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[..., Path]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder of the vault."""
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


@pytest.fixture
def write(root: Path) -> Write:
    """Write a file of the vault: its whole content, or a small tool with some lines of frontmatter."""

    def make(file: str, content: str | None = None, **front: str) -> Path:
        place = root / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(tool(**front) if content is None else content, encoding="utf-8")
        return place

    return make


def tool(**front: str) -> str:
    """A tool without problems, unless its frontmatter makes some."""
    fields = {"tool": "true", "name": "tool", "description": "For a test.", **front}
    if "steps" not in fields:
        fields.setdefault("custom_function", "return 1;")
    return "\n".join(["---", *(f"{key}: {value}" for key, value in fields.items()), "---", ""])
