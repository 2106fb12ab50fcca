"""A vault that is gone afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from paperagents.vault import Vault

_HOME = "XDG_CONFIG_HOME"


@contextmanager
def temporary_vault(files: Mapping[str, str] | None = None) -> Iterator[Vault]:
    """A vault with these files. Settings, rules and secrets of the real user are out of sight meanwhile."""
    before = os.environ.get(_HOME)
    with TemporaryDirectory(prefix="paper-") as folder:
        root = Path(folder).resolve() / "vault"
        (root / ".paper").mkdir(parents=True)
        for path, content in (files or {}).items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8", newline="")
        os.environ[_HOME] = str(Path(folder) / "config")
        try:
            with Vault(root) as vault:
                yield vault
        finally:
            if before is None:
                del os.environ[_HOME]
            else:
                os.environ[_HOME] = before
