"""The examples of the tool parsing documentation, one test for each of its sections."""

from __future__ import annotations

import re
from typing import Any

import pytest

from paperagents.tags import (
    TagRegistry,
    expand_vault_references,
    extract_all_tool_operations,
    extract_tool_operations,
    get_tool_definition,
    get_tools_by_category,
    in_vault_lookup,
    is_valid_identifier,
    normalize_task_status,
    normalize_vault_type,
    parse_all_tool_operations,
    parse_attributes,
    parse_tool_operations,
    register_tool,
    resolve_vault_references,
    validate_operation,
)
from paperagents.tags.registry import DEFAULT_REGISTRY

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
    "patterns": {"selfClosing": r"{{<notify\s+([^>]*)\s*\/>}}"},
    "schema": {
        "attributes": {
            "message": {"required": True, "type": "string"},
            "level": {
                "required": False,
                "type": "enum",
                "values": ["info", "warning", "error"],
                "default": "info",
            },
        },
    },
    "storage": None,
}


def test_how_to_add_a_new_tool() -> None:
    registry = TagRegistry()
    register_tool(
        {
            "id": "my_new_tool",
            "name": "My New Tool",
            "type": "self_closing",
            "category": "storage",
            "patterns": {
                "selfClosing": re.compile(r"{{<my_tool\s+([^>]*)\s*\/>}}"),
                "block": r"/{{<my_tool>}}([\s\S]*?){{<\/my_tool>}}/g",
            },
            "schema": {
                "hasContent": False,
                "requiresContent": False,
                "attributes": {
                    "id": {"required": True, "validate": "identifier", "description": "Unique identifier"},
                    "value": {"required": False, "type": "string", "description": "Tool value"},
                },
            },
            "storage": "my_tool",
        },
        registry=registry,
    )
    (operation,) = extract_tool_operations('{{<my_tool id="a" value="b" />}}', "my_new_tool", registry=registry)
    assert operation["attributes"] == {"id": "a", "value": "b"}
    assert validate_operation(operation, registry)["valid"]
    definition = get_tool_definition("my_new_tool", registry=registry)
    assert definition is not None
    assert (definition.storage, definition.name) == ("my_tool", "My New Tool")


def test_example_1_extract_all_tools() -> None:
    operations = extract_all_tool_operations(RESPONSE)
    assert list(operations) == ["memory", "task"]
    assert operations["memory"][0]["tool_id"] == "memory"
    assert operations["memory"][0]["attributes"] == {"identifier": "key1", "heading": "Title", "content": "Body"}
    assert operations["task"][0]["attributes"]["status"] == "pending"


def test_example_1_with_reasoning_where_it_is_asked_for() -> None:
    assert list(extract_all_tool_operations(RESPONSE, categories=["reasoning"])) == ["reasoning_text"]
    assert list(extract_all_tool_operations(RESPONSE, tool_ids=["reasoning_text", "task"])) == [
        "reasoning_text",
        "task",
    ]
    assert extract_all_tool_operations(RESPONSE, tool_ids=["task"], categories=["output"]) == {}


def test_example_1_names_tools_in_any_case_of_letters() -> None:
    assert list(extract_all_tool_operations(RESPONSE, tool_ids=["TASK"])) == ["task"]
    assert list(extract_all_tool_operations(RESPONSE, tool_ids="Memory")) == ["memory"]
    assert parse_tool_operations(RESPONSE, "Memory")["tool_id"] == "memory"


def test_example_2_parse_and_validate_specific_tool() -> None:
    text = '{{<memory identifier="a" content="1" />}} and {{<memory identifier="b" content="2" />}}'
    result = parse_tool_operations(text, "memory")
    assert list(result) == ["tool_id", "count", "operations", "valid_count", "invalid_count"]
    assert (result["tool_id"], result["count"], result["valid_count"], result["invalid_count"]) == ("memory", 2, 2, 0)
    assert result["operations"] == extract_tool_operations(text, "memory")


def test_example_2_tells_which_operation_is_invalid_and_why() -> None:
    result = parse_tool_operations('{{<memory identifier="a" />}}{{<memory content="x" />}}', "memory")
    assert [[each["code"] for each in operation.get("errors", [])] for operation in result["operations"]] == [
        [],
        ["tag-attribute-missing"],
    ]


def test_example_2_for_all_tools() -> None:
    results = parse_all_tool_operations(RESPONSE + "{{<memory />}}")
    assert {tool: (result["valid_count"], result["invalid_count"]) for tool, result in results.items()} == {
        "memory": (1, 1),
        "task": (1, 0),
    }


def test_example_3_resolve_vault_references() -> None:
    text = '\nResults: {{<vaultref id="data_analysis" />}}\nSummary: {{<vaultref id="conclusions" />}}\n'
    with in_vault_lookup({"data_analysis": "42", "conclusions": "It works."}):
        result = resolve_vault_references(text)
    assert result["resolved_text"] == "\nResults: 42\nSummary: It works.\n"
    assert result["references"] == ["data_analysis", "conclusions"]
    assert result["missing"] == []


def test_example_4_add_custom_tool() -> None:
    registry = TagRegistry()
    register_tool(NOTIFICATION, registry=registry)
    text = 'Now: {{<notify message="Done > all" />}} {{<notify level="loud" />}}'
    first, second = extract_tool_operations(text, "notification", registry=registry)
    assert first["tool_id"] == "notification"
    assert validate_operation(first, registry)["normalized"]["attributes"] == {"message": "Done > all", "level": "info"}
    answer = validate_operation(second, registry)
    assert [error["attribute"] for error in answer["errors"]] == ["message"]
    assert [warning["code"] for warning in answer["warnings"]] == ["tag-attribute-replaced"]


def test_example_4_with_the_registry_of_the_process() -> None:
    register_tool(NOTIFICATION)
    try:
        assert len(extract_tool_operations('{{<notify message="x" />}}', "notification")) == 1
    finally:
        DEFAULT_REGISTRY.remove("notification")


def test_api_get_tool_definition() -> None:
    definition = get_tool_definition("datavault")
    assert definition is not None
    assert (definition.id, definition["type"], definition["category"]) == ("datavault", "hybrid", "storage")
    assert get_tool_definition("nothing") is None


def test_api_tool_types_and_categories() -> None:
    assert {tool.id for tool in get_tools_by_category("storage")} == {"memory", "task", "goal", "datavault"}
    assert {tool.id for tool in get_tools_by_category("reasoning")} == {"reasoning_text"}
    assert {"js_execute", "subagent"} <= {tool.id for tool in get_tools_by_category("execution")}
    assert "final_output" in {tool.id for tool in get_tools_by_category("output")}
    types = {tag: str(get_tool_definition(tag)["type"]) for tag in ("memory", "js_execute", "subagent")}  # type: ignore[index]
    assert types == {"memory": "self_closing", "js_execute": "block", "subagent": "hybrid"}


def test_api_parse_attributes() -> None:
    assert parse_attributes('id="test" type="text" delete') == {"id": "test", "type": "text", "delete": True}


@pytest.mark.parametrize(
    ("identifier", "valid"),
    [
        ("a-b_C9", True),
        ("a" * 200, True),
        ("a" * 201, False),
        ("", False),
        ("a b", False),
        ("ä", False),
        ("a\n", False),
    ],
)
def test_api_is_valid_identifier(identifier: str, valid: bool) -> None:  # noqa: FBT001  a case of the table
    assert is_valid_identifier(identifier) is valid


def test_api_normalize_vault_type() -> None:
    assert [normalize_vault_type(value) for value in ("TEXT", "Code", "data", "other", None)] == [
        *("text", "code", "data", "text", "text")
    ]


def test_api_normalize_task_status() -> None:
    assert [normalize_task_status(value) for value in ("FINISHED", "ongoing", "Paused", "x", None)] == [
        *("finished", "ongoing", "paused", "pending", "pending")
    ]


def test_api_resolve_vault_references() -> None:
    assert list(resolve_vault_references("x")) == [
        *("original_text", "resolved_text", "references", "missing", "errors", "depth", "fully_resolved")
    ]


def test_api_expand_vault_references() -> None:
    result = expand_vault_references('const a = {{<vaultref id="x" />}};', lookup={"x": "[1]"})
    assert result == {
        "original_code": 'const a = {{<vaultref id="x" />}};',
        "resolved_code": "const a = [1];",
        "vault_refs": ["x"],
        "errors": [],
        "has_errors": False,
    }


def test_api_validate_operation() -> None:
    (operation,) = extract_tool_operations("{{<task heading='A b' />}}", "task")
    assert list(validate_operation(operation)) == ["valid", "errors", "warnings", "normalized"]
