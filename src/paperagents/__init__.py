"""Tools and language-model agents as plain text files in a folder of notes.

import paperagents

vault = paperagents.open_vault("my-vault")
vault.check()
vault.run("format_list", {"items": "apple, banana"}).data
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from paperagents.version import __version__

if TYPE_CHECKING:
    from paperagents.approval.question import Approved, Denied
    from paperagents.errors import PaperError
    from paperagents.vault import Vault, open_vault

__all__ = ["Approved", "Denied", "PaperError", "Vault", "__version__", "open_vault"]

_HOMES = {
    "Approved": "approval.question",
    "Denied": "approval.question",
    "PaperError": "errors",
    "Vault": "vault",
    "open_vault": "vault",
}


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: importing the package alone costs nothing."""
    if name in _HOMES:
        return getattr(import_module(f"paperagents.{_HOMES[name]}"), name)
    message = f"module 'paperagents' has no attribute {name!r}"
    raise AttributeError(message)
