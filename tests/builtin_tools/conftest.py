"""Shared by the tests of the built-in tools."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from paperagents.builtin_tools.vault_files import VaultFolder


@pytest.fixture(params=["kernel", "walking"])
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[VaultFolder]:
    """An empty vault, once opened by the kernel's own lookup and once by the portable walk."""
    root = tmp_path / "vault"
    root.mkdir()
    with VaultFolder(root, by_kernel=None if request.param == "kernel" else False) as opened:
        yield opened
