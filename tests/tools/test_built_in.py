"""What the definitions of the built-in tools say holds for what the tools do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from paperagents.definitions.json_value import JsonObject
from paperagents.interfaces.mcp.tools import effects_of
from paperagents.registry.entry import describe_definition
from paperagents.tools import builtin_tools
from paperagents.vault import Vault

URL = "http://127.0.0.1:9/"
READING: list[tuple[str, JsonObject]] = [
    ("search_files", {"query": "x"}),
    ("read_file", {"filePath": "a.md"}),
    ("web_search", {"url": URL}),
    ("rest_request", {"url": URL}),
    ("rest_request", {"url": URL, "method": " head "}),
    ("datavault", {"id": "x", "action": "request_read"}),
    ("datavault", {"id": "x", "action": "request_read", "delete": False}),
]
CHANGING: list[tuple[str, JsonObject]] = [
    ("write_file", {"filePath": "a.md", "content": "x"}),
    ("rest_request", {"url": URL, "method": "POST"}),
    ("rest_request", {"url": URL, "method": "optıons"}),
    ("rest_request", {"url": URL, "method": ""}),
    ("rest_request", {"url": URL, "body": "x"}),
    ("rest_request", {"url": URL, "headers": {"X_HTTP_Method_Override": "DELETE"}}),
    ("rest_request", {"url": f"{URL}?_method=DELETE"}),
    ("memory", {"identifier": "x", "content": "y"}),
    ("task", {"identifier": "x", "content": "y"}),
    ("goal", {"identifier": "x", "content": "y"}),
    ("datavault", {"id": "x", "content": "y"}),
    ("datavault", {"id": "x", "action": "request_read", "delete": True}),
    ("js_execute", {"code": "return 1"}),
    ("install_packages", {"tool": "x"}),
    ("undo", {"run": "last"}),
    ("restore_entry", {"kind": "memory", "identifier": "a", "version": 1}),
]


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "vault" / ".paper").mkdir(parents=True)
    with Vault(tmp_path / "vault") as opened:
        yield opened


def test_every_built_in_tool_is_looked_at_here() -> None:
    assert {tool for tool, _ in READING + CHANGING} == {each.id for each in builtin_tools()}


@pytest.mark.parametrize(
    ("tool", "arguments", "reads"), [(*each, True) for each in READING] + [(*each, False) for each in CHANGING]
)
def test_whether_a_call_only_reads_stands_in_the_definition(tool: str, arguments: JsonObject, reads: bool) -> None:  # noqa: FBT001  a table
    (definition,) = (each for each in builtin_tools() if each.id == tool)
    assert definition.only_reads(arguments) is reads


@pytest.mark.parametrize(("tool", "arguments"), READING)
def test_a_call_that_only_reads_asks_nobody_and_goes_as_far_as_its_definition_says(
    vault: Vault, tool: str, arguments: JsonObject
) -> None:
    vault.entries.put("datavault", "x", {"content": "y"})
    (definition,) = (each for each in builtin_tools() if each.id == tool)
    with_defaults = {each.name: each.schema.get("default") for each in definition.parameters} | arguments
    effect = vault.services.built_in[tool](with_defaults)
    assert not effect.needs_approval
    assert effect.leaves_the_vault == definition.leaves_the_vault


def test_clients_are_told_what_the_definitions_say() -> None:
    effects = effects_of([describe_definition(each) for each in builtin_tools()])
    assert {tool for tool, each in effects.items() if not each.changes} == {"search_files", "read_file", "web_search"}
    beyond = {"web_search", "rest_request", "js_execute", "install_packages"}
    assert {tool for tool, each in effects.items() if each.leaves_the_vault} == beyond
