"""The documented tags, from a model's text to what is stored and back into a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paperagents.approval.question import ApproveEverything
from paperagents.tags import (
    extract_all_tool_operations,
    extract_tool_operations,
    in_vault_lookup,
    parse_tool_operations,
    resolve_vault_references,
    validate_operation,
)
from paperagents.tags.registry import DEFAULT_REGISTRY
from paperagents.vault import Vault

RESPONSE = """
{{<reasoning_text>}}
{{<memory identifier="key1" heading="Title" content="Body" />}}
{{<task identifier="task1" heading="Do X" status="pending" />}}
{{</reasoning_text>}}
"""
NOTIFICATION: dict[str, Any] = {
    "id": "notification",
    "name": "Notification",
    "type": "self_closing",
    "category": "output",
    "patterns": {"selfClosing": re.compile(r"{{<notify\s+([^>]*)\s*\/>}}")},
    "schema": {
        "attributes": {
            "message": {"required": True, "type": "string"},
            "level": {"required": False, "type": "enum", "values": ["info", "warning", "error"], "default": "info"},
        }
    },
    "storage": None,
}


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PAPER_LANGUAGE", "en")
    (tmp_path / "vault" / ".paper").mkdir(parents=True)
    with Vault(tmp_path / "vault") as opened:
        yield opened


@pytest.fixture
def looked_up(vault: Vault) -> Iterator[Vault]:
    """The vault, with the functions that resolve references reading from it."""
    with in_vault_lookup(vault.vault_content):
        yield vault


def test_example_1_is_extracted_and_applied(vault: Vault) -> None:
    operations = extract_all_tool_operations(RESPONSE)
    assert {name: len(found) for name, found in operations.items()} == {"memory": 1, "task": 1}
    results = vault.apply(RESPONSE)
    assert [(each["id"], each["action"], each["status"], each["error"]) for each in results] == [
        ("key1", "created", "success", None),
        ("task1", "created", "success", None),
    ]
    memory, task = vault.entries.get("memory", "key1"), vault.entries.get("task", "task1")
    assert memory is not None
    assert task is not None
    assert (memory.heading, memory.content) == ("Title", "Body")
    assert (task.heading, task.status) == ("Do X", "pending")


def test_example_1_applied_twice_updates(vault: Vault) -> None:
    vault.apply(RESPONSE)
    assert [each["action"] for each in vault.apply(RESPONSE)] == ["updated", "updated"]


def test_example_2_counts_what_applying_will_accept(vault: Vault) -> None:
    text = '{{<memory identifier="a" content="1" />}} {{<memory identifier="b" content="2" />}} {{<memory />}}'
    parsed = parse_tool_operations(text, "memory")
    assert (parsed["count"], parsed["valid_count"], parsed["invalid_count"]) == (3, 2, 1)
    assert [each["status"] for each in vault.apply(text)] == ["success", "success", "error"]


def test_example_3_resolves_what_was_stored(looked_up: Vault) -> None:
    looked_up.apply(
        '{{<datavault id="data_analysis" type="data">}}42 ± 1{{</datavault>}}'
        '{{<datavault id="conclusions" content="It\'s fine." />}}'
    )
    text = '\nResults: {{<vaultref id="data_analysis" />}}\nSummary: {{<vaultref id="conclusions" />}}\n'
    result = resolve_vault_references(text)
    assert result["resolved_text"] == "\nResults: 42 ± 1\nSummary: It's fine.\n"
    assert result["references"] == ["data_analysis", "conclusions"]
    assert result["missing"] == []


def test_example_4_works_at_once(vault: Vault) -> None:
    registry = vault.tag_registry()
    registry.register(NOTIFICATION)
    text = '{{<notify message="Backup done" />}} {{<notify message="Disk full" level="error" />}}'
    operations = extract_tool_operations(text, "notification", registry=registry)
    normalized = [validate_operation(each, registry)["normalized"] for each in operations]
    assert [(each["message"], each["level"]) for each in normalized] == [
        ("Backup done", "info"),
        ("Disk full", "error"),
    ]
    assert DEFAULT_REGISTRY.get("notification") is None


def test_example_4_works_as_a_note_of_the_vault(vault: Vault) -> None:
    attributes = "    message: {required: true, type: string}\n    level: {type: enum, values: [info], default: info}\n"
    head = "tag: true\nid: notification\nname: Notification\ndescription: d\nwords: [notify]\n"
    note = f"---\n{head}type: self_closing\ncategory: output\nschema:\n  attributes:\n{attributes}---\n"
    (vault.root / "notify.md").write_text(note)
    (result,) = vault.apply('{{<notify message="Backup done" />}}')
    assert (result["status"], result["output"]) == ("success", "Backup done")


@pytest.mark.parametrize("broken", ["words: [memory]", "words: 5", "patterns: abc", "schema: {attributes: {a: 5}}"])
def test_a_broken_note_of_a_tag_costs_no_other_tag(broken: str, vault: Vault) -> None:
    (vault.root / "a.md").write_text(f"---\ntag: true\nid: a\nname: A\ndescription: d\n{broken}\n---\n")
    (vault.root / "b.md").write_text("---\ntag: true\nid: b\nname: B\ndescription: d\ncategory: output\n---\n")
    results = vault.apply('{{<memory identifier="m" content="x" />}}{{<a />}}{{<b />}}')
    assert [each["action"] for each in results] == ["created", "b"]


def test_stored_code_is_executed_by_reference(vault: Vault) -> None:
    results = vault.apply(
        """{{<datavault id="library" type="code">}}
const double = x => x * 2;
{{</datavault>}}
{{<js_execute>}}
{{<vaultref id="library" />}}
await vault.set("answer", double(21));
return await vault.get("answer");
{{</js_execute>}}
{{<final_output>}}The answer is stored.{{</final_output>}}"""
    )
    assert [each["status"] for each in results] == ["success"] * 3
    assert results[1]["output"] == "42"
    assert vault.vault_content("answer") == "42"
    assert results[2]["output"] == "The answer is stored."


def test_a_flag_deletes_with_a_yes(vault: Vault) -> None:
    vault.apply('{{<datavault id="test" type="text" content="x" />}}')
    (result,) = vault.apply('{{<datavault id="test" type="text" delete />}}', approver=ApproveEverything())
    assert (result["action"], vault.vault_content("test")) == ("deleted", None)
