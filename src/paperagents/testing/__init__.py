r"""Stand-ins for what cannot be had in a test: a language model, its server, a person, a vault.

from paperagents.testing import ScriptedModel, temporary_vault

with temporary_vault({"agents/helper.md": "---\nagent: true\nname: helper\n---\nHelp."}) as vault:
    run = vault.run("helper", {"query": "Hello"}, model=ScriptedModel(["Good morning."]))
    assert run.data == "Good morning."
"""

from __future__ import annotations

from paperagents.agents.scripted_model import ScriptedModel
from paperagents.testing.model_server import ScriptedServer
from paperagents.testing.stand_ins import ScriptedApprover, temporary_vault

__all__ = ["ScriptedApprover", "ScriptedModel", "ScriptedServer", "temporary_vault"]
