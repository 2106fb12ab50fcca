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
    from paperagents.agents.evals import EvalReport
    from paperagents.agents.model import LanguageModel, Listener, ModelCall, ModelRequest, ModelTurn
    from paperagents.approval.question import ApprovalRequest, Approved, Approver, Decision, Denied, Pending
    from paperagents.async_vault import AsyncVault, open_vault_async
    from paperagents.definitions.source import Problem
    from paperagents.errors import (
        InvalidArgumentsError,
        PaperError,
        RunBusyError,
        RunOverError,
        SettingsError,
        StorageError,
        ToolError,
        UnknownApprovalError,
        UnknownRunError,
        UnknownToolError,
        UsageError,
    )
    from paperagents.runs.examples import ExampleResult
    from paperagents.runs.record import RunRecord
    from paperagents.runs.session import Event
    from paperagents.runs.usage import Usage
    from paperagents.sandbox import Cancellation
    from paperagents.vault import Vault, open_vault

__all__ = [
    "ApprovalRequest",
    "Approved",
    "Approver",
    "AsyncVault",
    "Cancellation",
    "Decision",
    "Denied",
    "EvalReport",
    "Event",
    "ExampleResult",
    "InvalidArgumentsError",
    "LanguageModel",
    "Listener",
    "ModelCall",
    "ModelRequest",
    "ModelTurn",
    "PaperError",
    "Pending",
    "Problem",
    "RunBusyError",
    "RunOverError",
    "RunRecord",
    "SettingsError",
    "StorageError",
    "ToolError",
    "UnknownApprovalError",
    "UnknownRunError",
    "UnknownToolError",
    "Usage",
    "UsageError",
    "Vault",
    "__version__",
    "open_vault",
    "open_vault_async",
]

_HOMES = {
    "ApprovalRequest": "approval.question",
    "Approved": "approval.question",
    "Approver": "approval.question",
    "AsyncVault": "async_vault",
    "Cancellation": "sandbox",
    "Decision": "approval.question",
    "Denied": "approval.question",
    "EvalReport": "agents.evals",
    "Event": "runs.session",
    "ExampleResult": "runs.examples",
    "InvalidArgumentsError": "errors",
    "LanguageModel": "agents.model",
    "Listener": "agents.model",
    "ModelCall": "agents.model",
    "ModelRequest": "agents.model",
    "ModelTurn": "agents.model",
    "PaperError": "errors",
    "Pending": "approval.question",
    "Problem": "definitions.source",
    "RunBusyError": "errors",
    "RunOverError": "errors",
    "RunRecord": "runs.record",
    "SettingsError": "errors",
    "StorageError": "errors",
    "ToolError": "errors",
    "UnknownApprovalError": "errors",
    "UnknownRunError": "errors",
    "UnknownToolError": "errors",
    "Usage": "runs.usage",
    "UsageError": "errors",
    "Vault": "vault",
    "open_vault": "vault",
    "open_vault_async": "async_vault",
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
