"""The document on tool parsing: its examples, definitions and result forms, read out of its own JavaScript."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.desk import Desk

from paperagents import tags
from paperagents.approval.question import ApproveEverything
from paperagents.definitions.source import Excerpt
from paperagents.sandbox import run_javascript
from paperagents.tags.registry import DEFAULT_REGISTRY

from .reader import read_document, take_fence


def evaluate(expression: str) -> Any:
    """A value that the document writes in JavaScript, with the document's own constants; patterns become texts."""
    constants = "".join(f"const {take_fence('002', heading)};\n" for heading in ("Tool Types", "Tool Categories"))
    plain = "(key, value) => value instanceof RegExp ? String(value) : value"
    code = f"{constants}return JSON.parse(JSON.stringify(({expression}), {plain}));"
    return run_javascript(Excerpt(text=code))


def printed_text(heading: str) -> str:
    """The text between back-ticks in an example."""
    (found,) = re.findall(r"= `\n(.*?)`;", take_fence("002", heading), re.DOTALL)
    return f"\n{found}"


def fields_of(heading: str) -> set[str]:
    """The names of a result's fields, in snake case."""
    names = re.findall(r"^ +(\w+):", take_fence("002", heading, "javascript"), re.MULTILINE)
    return {re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower() for name in names}


def notification() -> dict[str, Any]:
    (printed,) = re.findall(r"NOTIFICATION: (\{.*?\n\}),", take_fence("002", "Example 4"), re.DOTALL)
    return evaluate(printed)  # type: ignore[no-any-return]


def note_of_my_tool(more: str = "version: 1.0.0") -> str:
    """Step 1's definition as a note of the vault."""
    attributes = "    id: {required: true, validate: identifier}\n    value: {type: string}\n"
    head = "tag: true\nid: my_new_tool\nname: My New Tool\ndescription: d\nwords: [my_tool]\ntype: self_closing\n"
    return f"---\n{head}category: storage\nstorage: my_tool\n{more}\nschema:\n  attributes:\n{attributes}---\n"


@pytest.fixture
def looked_up(desk: Desk) -> Iterator[Desk]:
    """The desk, with the functions that resolve references reading from its vault."""
    with tags.in_vault_lookup(desk.vault.vault_content):
        yield desk


def test_example_1_all_tools_are_extracted_and_applied(desk: Desk) -> None:
    text = printed_text("Example 1")
    assert {name: len(found) for name, found in tags.extract_all_tool_operations(text).items()} == {
        "memory": 1,
        "task": 1,
    }
    results = desk.vault.apply(text)
    assert [(each["id"], each["action"], each["status"]) for each in results] == [
        ("key1", "created", "success"),
        ("task1", "created", "success"),
    ]
    assert [each["action"] for each in desk.vault.apply(text)] == ["updated", "updated"]


def test_example_2_the_result_has_the_printed_fields() -> None:
    text = printed_text("Example 1") * 2
    parsed = tags.parse_tool_operations(text, "memory")
    assert set(parsed) >= fields_of("`parseToolOperations(text, toolId)`")
    assert (parsed["tool_id"], parsed["count"], parsed["valid_count"], parsed["invalid_count"]) == ("memory", 2, 2, 0)


def test_example_3_references_are_resolved(looked_up: Desk) -> None:
    looked_up.vault.apply(
        '{{<datavault id="data_analysis" type="data">}}\n42\n{{</datavault>}}'
        '{{<datavault id="conclusions" content="Fine." />}}'
    )
    result = tags.resolve_vault_references(printed_text("Example 3"))
    assert set(result) >= fields_of("`resolveVaultReferences(text, options)`")
    assert result["resolved_text"] == "\nResults: 42\nSummary: Fine.\n"
    assert (result["references"], result["missing"]) == (["data_analysis", "conclusions"], [])
    expanded = tags.expand_vault_references('return {{<vaultref id="data_analysis" />}};')
    assert set(expanded) >= fields_of("`expandVaultReferences(code)`")
    assert expanded["resolved_code"] == "return 42;"


def test_example_4_a_definition_works_as_soon_as_it_is_registered(desk: Desk) -> None:
    registry = desk.vault.tag_registry()
    registry.register(notification())
    text = '{{<notify message="Backup done" />}} {{<notify message="Disk full" level="error" />}}'
    operations = tags.extract_tool_operations(text, "notification", registry=registry)
    checked = [tags.validate_operation(each, registry) for each in operations]
    assert set(checked[0]) >= fields_of("`validateOperation(operation)`")
    assert [each["normalized"]["level"] for each in checked] == ["info", "error"]
    assert DEFAULT_REGISTRY.get("notification") is None


def test_steps_1_to_3_a_tool_with_a_store_and_a_handler_of_its_own(desk: Desk) -> None:
    (printed,) = re.findall(r"MY_NEW_TOOL: (\{.*?\n  \}),\n\};", take_fence("002", "Step 1"), re.DOTALL)
    definition = evaluate(printed)
    assert (definition["storage"], definition["type"]) == ("my_tool", "self_closing")
    registry = desk.vault.tag_registry()

    def apply_my_tool_operation(operation: dict[str, Any], options: object) -> dict[str, Any]:
        assert options is not None
        return {"id": operation["attributes"]["id"], "action": "created", "status": "success"}

    registry.register({**definition, "handler": apply_my_tool_operation})
    operations = tags.extract_tool_operations(
        '{{<my_tool id="a" value="1" />}} {{<my_tool />}}', "my_new_tool", registry=registry
    )
    assert [tags.validate_operation(each, registry)["valid"] for each in operations] == [True, False]


def test_a_store_of_its_own_is_made_by_a_note_of_the_vault(desk: Desk) -> None:
    desk.note("my.md", note_of_my_tool())
    (result,) = desk.vault.apply('{{<my_tool id="a" value="1" />}}')
    assert (result["id"], result["action"], result["status"]) == ("a", "created", "success")


def test_a_version_is_kept_with_what_it_stored(desk: Desk) -> None:
    desk.note("my.md", note_of_my_tool("version: 2.1.0"))
    desk.vault.apply('{{<my_tool id="a" value="1" />}}')
    entry = desk.vault.entries.get("my_tool", "a")
    assert entry is not None
    assert entry.definition_version == "2.1.0"


def test_a_note_can_bring_a_validator_of_its_own(desk: Desk) -> None:
    check = "\n```javascript\n// @validate\nreturn attributes.value === 'no' ? ['never no'] : [];\n```\n"
    desk.note("my.md", note_of_my_tool() + check)
    results = desk.vault.apply('{{<my_tool id="a" value="yes" />}}{{<my_tool id="b" value="no" />}}')
    assert [each["status"] for each in results] == ["success", "error"]
    assert "never no" in str(results[1]["error"])


def test_the_names_of_the_document_can_be_imported() -> None:
    functions = re.findall(r"`(\w+)\((?:[\w, ]*)\)`", read_document("002"))
    exports = re.findall(r"^- `([A-Z_]+)` - ", read_document("002"), re.MULTILINE)
    snake = {re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower() for name in functions}
    assert {"extract_memory_operations", "validate_memory_operation", "parse_attributes"} <= snake
    assert exports == ["TOOL_DEFINITIONS", "COMMON_PATTERNS", "VALIDATION_CONSTANTS"]
    assert [name for name in (*snake, *exports, "TOOL_TYPES", "TOOL_CATEGORIES") if not hasattr(tags, name)] == []


def test_the_constants_have_the_printed_values() -> None:
    assert {each.name: each.value for each in tags.TOOL_TYPES} == evaluate("TOOL_TYPES")
    assert evaluate("TOOL_CATEGORIES").items() <= {each.name: each.value for each in tags.TOOL_CATEGORIES}.items()
    names = re.findall(r"^  ([A-Z_]+):", take_fence("002", "Common Patterns"), re.MULTILINE)
    assert set(names) <= set(tags.COMMON_PATTERNS)


def test_the_api_reference_gives_what_it_says() -> None:
    (attributes,) = re.findall(r"e\.g\., `'(.+?)'`", read_document("002"))
    assert tags.parse_attributes(attributes) == {"id": "test", "type": "text", "delete": True}
    assert tags.get_tool_definition("nothing") is None
    assert (tags.is_valid_identifier("a_b-1"), tags.is_valid_identifier("a b")) == (True, False)
    assert [tags.normalize_vault_type(each) for each in ("CODE", "data", "weird")] == ["code", "data", "text"]


@pytest.mark.parametrize(("level", "normalized"), [("loud", "info"), ("error", "error")])
def test_an_enum_falls_back_to_its_default(level: str, normalized: str, desk: Desk) -> None:
    registry = desk.vault.tag_registry()
    registry.register(notification())
    (operation,) = tags.extract_tool_operations(
        f'{{{{<notify message="x" level="{level}" />}}}}', "notification", registry=registry
    )
    assert tags.validate_operation(operation, registry)["normalized"]["level"] == normalized


def test_an_unknown_word_changes_nothing_that_is_stored(desk: Desk) -> None:
    desk.vault.apply('{{<task identifier="t" heading="X" status="ongoing" />}}')
    desk.vault.apply('{{<task identifier="t" status="completed" />}}')
    task = desk.vault.entries.get("task", "t")
    assert task is not None
    assert task.status == "ongoing"


@pytest.mark.usefixtures("looked_up")
def test_troubleshooting_a_reference_that_cannot_be_resolved_is_told() -> None:
    (printed,) = re.findall(r"format: `(.+?)`", read_document("002"))
    missing = tags.resolve_vault_references(printed.replace("...", "nowhere"))
    assert (missing["fully_resolved"], missing["missing"]) == (False, ["nowhere"])
    assert missing["resolved_text"] == "/* [MISSING_VAULT:nowhere] */"
    assert not tags.resolve_vault_references(printed.replace(" />", ">"))["fully_resolved"]


def test_troubleshooting_a_pattern_works_with_and_without_its_flag(desk: Desk) -> None:
    for flag in ("g", ""):
        registry = desk.vault.tag_registry()
        definition = notification()
        definition["patterns"]["selfClosing"] = definition["patterns"]["selfClosing"].removesuffix("g") + flag
        registry.register(definition)
        assert len(tags.extract_tool_operations('{{<notify message="x" />}}', "notification", registry=registry)) == 1


def test_a_flag_deletes_with_a_yes(desk: Desk) -> None:
    desk.vault.apply('{{<datavault id="test" type="text" content="x" />}}')
    (result,) = desk.vault.apply('{{<datavault id="test" type="text" delete />}}', approver=ApproveEverything())
    assert (result["action"], desk.vault.vault_content("test")) == ("deleted", None)


def test_example_4_works_as_a_note_of_the_vault(desk: Desk) -> None:
    attributes = "    message: {required: true, type: string}\n    level: {type: enum, values: [info], default: info}\n"
    head = "tag: true\nid: notification\nname: Notification\ndescription: d\nwords: [notify]\n"
    note = f"---\n{head}type: self_closing\ncategory: output\nschema:\n  attributes:\n{attributes}---\n"
    (desk.root / "notify.md").write_text(note)
    (result,) = desk.vault.apply('{{<notify message="Backup done" />}}')
    assert (result["status"], result["output"]) == ("success", "Backup done")


@pytest.mark.parametrize("broken", ["words: [memory]", "words: 5", "patterns: abc", "schema: {attributes: {a: 5}}"])
def test_a_broken_note_of_a_tag_costs_no_other_tag(broken: str, desk: Desk) -> None:
    (desk.root / "a.md").write_text(f"---\ntag: true\nid: a\nname: A\ndescription: d\n{broken}\n---\n")
    (desk.root / "b.md").write_text("---\ntag: true\nid: b\nname: B\ndescription: d\ncategory: output\n---\n")
    results = desk.vault.apply('{{<memory identifier="m" content="x" />}}{{<a />}}{{<b />}}')
    assert [each["action"] for each in results] == ["created", "b"]


def test_stored_code_is_executed_by_reference(desk: Desk) -> None:
    results = desk.vault.apply(
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
    assert desk.vault.vault_content("answer") == "42"
    assert results[2]["output"] == "The answer is stored."
