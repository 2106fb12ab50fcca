"""A new built-in tool is one value and its sentences: everything else finds it by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from paperagents import tools
from paperagents.agents.toolbox import is_read_only, open_toolbox
from paperagents.approval.question import ApproveEverything, Effect
from paperagents.definitions.json_value import JsonObject
from paperagents.interfaces.mcp.tools import ToolOffer
from paperagents.messages import sentences
from paperagents.registry.manual import manual
from paperagents.tags import TagRegistry
from paperagents.tools.built_in import TEXT, BuiltIn, ToolContext, always_reads, object_of, required
from paperagents.vault import Vault


def prepare(context: ToolContext, arguments: JsonObject) -> Effect:
    content = context.folder.read_text(str(arguments["note"])).content
    return Effect(tool="shout", arguments=arguments, perform=lambda: {"shouted": content.upper()})


SHOUT = BuiltIn(
    name="shout",
    parameters=(required("note", TEXT),),
    answer=object_of(shouted=TEXT),
    reads_when=always_reads,
    leaves_the_vault=False,
    prepare=prepare,
)
SENTENCES = {
    "builtin.shout": ("Shout a note.", "Ruft eine Notiz laut.", "大声念出笔记。"),
    "builtin.shout.note": ("The note to shout.", "Die Notiz.", "要念的笔记。"),
}
CHAIN = """---
tool: true
name: loud
description: Shouts a note and keeps it.
type: chain
steps:
  - tool: shout
    parameters: {note: a.md}
  - tool: write_file
    parameters: {filePath: loud.md, content: "{{prev_step.output.shouted}}"}
---
"""
AGENT = "---\nagent: true\nname: crier\ndescription: Cries.\ntools: [shout]\n---\nCry.\n"


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(tools, "BUILT_IN", (*tools.BUILT_IN, SHOUT))
    for key, told in SENTENCES.items():
        monkeypatch.setitem(sentences(), key, told)
    root = tmp_path / "vault"
    (root / ".paper").mkdir(parents=True)
    (root / "a.md").write_text("hello")
    with Vault(root) as opened:
        yield opened


def test_it_is_listed_with_its_description(vault: Vault) -> None:
    (entry,) = (each for each in vault.registry.entries() if each.id == "shout")
    assert (entry.kind, entry.description) == ("builtin", "Shout a note.")


def test_it_has_a_manual(vault: Vault) -> None:
    written = manual(vault.registry.tool("shout"))
    assert "Shout a note." in written
    assert "The note to shout." in written


def test_it_runs(vault: Vault) -> None:
    assert vault.run("shout", {"note": "a.md"}).data == {"shouted": "HELLO"}


def test_it_runs_as_a_step(vault: Vault) -> None:
    (vault.root / "chain.md").write_text(CHAIN)
    assert vault.run("loud", approver=ApproveEverything()).status == "succeeded"
    assert (vault.root / "loud.md").read_text() == "HELLO"


def test_it_is_planned(vault: Vault) -> None:
    (vault.root / "chain.md").write_text(CHAIN)
    plan = vault.plan("loud")
    assert (plan.status, plan.data) == ("planned", {"filePath": "loud.md", "size": 5, "created": True})
    assert [each["tool"] for each in plan.planned or ()] == ["shout", "write_file"]
    assert not (vault.root / "loud.md").exists()


@pytest.mark.parametrize(
    ("written", "instead", "code"),
    [
        ("{note: a.md}", "{}", "missing-argument"),
        ("{note: a.md}", "{note: a.md, loud: 1}", "unknown-argument"),
        ("output.shouted", "output.shoutd", "unknown-reference"),
    ],
)
def test_a_step_that_calls_it_is_checked(vault: Vault, written: str, instead: str, code: str) -> None:
    (vault.root / "chain.md").write_text(CHAIN)
    assert vault.registry.find("loud").problems == ()
    (vault.root / "chain.md").write_text(CHAIN.replace(written, instead))
    assert [each.code for each in vault.registry.find("loud").problems] == [code]


def test_it_is_offered_over_mcp_as_a_tool_that_only_reads(vault: Vault) -> None:
    (offered,) = (each for each in ToolOffer(vault).tools() if each.name == "shout")
    assert offered.input_schema["required"] == ["note"]
    assert offered.annotations is not None
    assert (offered.annotations.read_only_hint, offered.annotations.open_world_hint) == (True, False)


def test_an_agent_may_be_given_it(vault: Vault) -> None:
    (vault.root / "crier.md").write_text(AGENT)
    registry = vault.registry
    toolbox = open_toolbox(registry.agent("crier"), registry.entries(), registry.tool, TagRegistry())
    assert "shout" in toolbox.names
    assert is_read_only(toolbox.tools["shout"], {"note": "a.md"}, registry.tool)
