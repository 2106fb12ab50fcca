r"""Stand-ins for what cannot be had in a test: a language model, its server, a person, a vault.

from paperagents.testing import ScriptedModel, temporary_vault

with temporary_vault({"agents/helper.md": "---\nagent: true\nname: helper\n---\nHelp."}) as vault:
    run = vault.run("helper", {"query": "Hello"}, model=ScriptedModel(["Good morning."]))
    assert run.data == "Good morning."
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from paperagents.agents.scripted_model import ScriptedModel
from paperagents.approval.question import ApprovalRequest, Approver, Decision
from paperagents.testing.model_server import ScriptedServer
from paperagents.vault import Vault

__all__ = ["ScriptedApprover", "ScriptedModel", "ScriptedServer", "temporary_vault"]

ScriptedDecision = Decision | Callable[[ApprovalRequest], Decision]


class ScriptedApprover(Approver):
    """Gives the answers in order, the last one again and again, and remembers what was asked."""

    def __init__(self, *answers: ScriptedDecision) -> None:
        self.asked: list[ApprovalRequest] = []
        self._answers = list(answers)

    def decide(self, request: ApprovalRequest) -> Decision:
        """The next answer."""
        self.asked.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return answer(request) if callable(answer) else answer


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
        # Before the vault is opened: it reads the settings of the user then.
        os.environ[_HOME] = str(Path(folder) / "config")
        try:
            with Vault(root) as vault:
                yield vault
        finally:
            if before is None:
                del os.environ[_HOME]
            else:
                os.environ[_HOME] = before
