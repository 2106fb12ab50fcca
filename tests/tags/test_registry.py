from __future__ import annotations

import re
import subprocess
import sys

import pytest

from paperagents import tags
from paperagents.definitions.tag import AttributeSchema, TagCategory, TagDefinition, TagSchema, TagType
from paperagents.errors import UsageError
from paperagents.reading.tag_markdown import word_of_pattern
from paperagents.tags import (
    COMMON_PATTERNS,
    TOOL_CATEGORIES,
    TOOL_DEFINITIONS,
    TOOL_TYPES,
    VALIDATION_CONSTANTS,
    TagRegistry,
    extract_tool_operations,
    get_tool_definition,
    read_tags,
    validate_operation,
)


def test_registries_do_not_know_each_others_tags() -> None:
    one, other = TagRegistry(), TagRegistry()
    one.register({"id": "daily-note"})
    assert len(extract_tool_operations("{{<daily-note day=1 />}}", "daily-note", registry=one)) == 1
    assert [problem["code"] for problem in read_tags("{{<daily-note />}}", other).diagnostics] == ["tag-unknown"]


def test_a_frozen_value_and_a_mapping_define_the_same() -> None:
    value = TagDefinition(
        id="a",
        name="A",
        type=TagType.HYBRID,
        category=TagCategory.OUTPUT,
        schema=TagSchema(attributes={"x": AttributeSchema(type="number", required=True)}, has_content=True),
    )
    mapping = {
        "id": "a",
        "name": "A",
        "type": "HYBRID",
        "category": "Output",
        "schema": {"hasContent": True, "attributes": {"x": {"type": "number", "required": True}}},
    }
    assert TagRegistry([value]).get("a") == TagRegistry([mapping]).get("a")


def test_a_definition_takes_the_place_of_one_with_the_same_id() -> None:
    registry = TagRegistry()
    registry.register({"id": "a", "patterns": {"self_closing": r"{{<old\s+([^>]*)\/>}}"}})
    registry.register({"id": "a", "patterns": {"self_closing": r"{{<new\s+([^>]*)\/>}}"}})
    assert registry.find("old") is None
    assert len(extract_tool_operations("{{<NEW />}}", "a", registry=registry)) == 1


def test_a_removed_definition_is_unknown() -> None:
    registry = TagRegistry()
    registry.register({"id": "a"})
    registry.remove("a")
    registry.remove("a")
    assert registry.get("a") is None
    assert registry.find("a") is None


def test_two_tags_cannot_be_written_with_one_word() -> None:
    with pytest.raises(UsageError) as caught:
        TagRegistry().register({"id": "mine", "patterns": {"block": r"{{<Memory>}}([\s\S]*?){{<\/Memory>}}"}})
    assert caught.value.code == "tag-word-taken"
    assert "'memory'" in str(caught.value)


@pytest.mark.parametrize(
    "definition",
    [
        {"id": ""},
        {},
        {"id": "a b"},
        {"id": "a", "type": "round"},
        {"id": "a", "category": "misc"},
        {"id": "a", "schema": {"attributes": {"x": {"type": "colour"}}}},
    ],
)
def test_a_wrong_definition_is_refused(definition: dict[str, object]) -> None:
    with pytest.raises(UsageError) as caught:
        TagRegistry().register(definition)
    assert caught.value.code == "tag-definition-wrong"
    assert caught.value.message


@pytest.mark.parametrize(
    "pattern",
    [
        r"{{<notify\s+([^>]*)\s*\/>}}",
        r"\{\{<notify\s+([^>]*)\s*/>\}\}",
        r"/{{<notify\s+([^>]*)\s*\/>}}/gi",
        r"{{<notify>}}([\s\S]*?){{<\/notify>}}",
        r"{{<notify(?:\s+([^>]*?))?>}}([\s\S]*?){{<\/notify>}}",
        r"{{<notify (.*?)\/>}}",
        r"{{<\s*notify\b([^>]*)>}}(.*?){{</notify>}}",
        r"{{<notify\s+(?P<attributes>[^>]*)\s*/>}}",
        r"(?i){{<notify\s+([^>]*?)\s*/>}}",
        r"(\{\{<notify\s+([^>]*)\s*/>\}\})",
        r"{{<(notify)\s+(.*?)/>}}",
        r"{{<(?:notify)(\s+[^>]*)?/>}}",
        r"""{{<notify\s+id=["']([^"']+)["']\s*\/>}}""",
        r'{{<notify((?:\s+\w+="[^"]*")*)\s*/>}}',
    ],
)
def test_the_word_is_taken_from_a_pattern(pattern: str) -> None:
    assert word_of_pattern("x", pattern) == "notify"
    if not pattern.startswith("/"):
        assert word_of_pattern("x", re.compile(pattern)) == "notify"


@pytest.mark.parametrize(
    "pattern",
    [
        r"\[\[notify:(.*?)\]\]",
        r"{{<(a+)+b",
        r"{{<notify(a|a)*\/>}}",
        r"{{<notify((a+)+)+\/>}}",
        r"(?=x){{<notify\/>}}",
        r"{{<notify(\w)\1\/>}}",
        "",
        "{{<" + "a" * 2000,
        "{{<notify" + "(?:" * 300 + "|",
    ],
)
def test_a_pattern_of_another_notation_is_refused_and_never_run(pattern: str) -> None:
    with pytest.raises(UsageError) as caught:
        TagRegistry().register({"id": "x", "patterns": {"selfClosing": pattern}})
    assert caught.value.code == "tag-pattern-unsupported"
    assert r"{{<word\s+" in str(caught.value)


def test_text_on_which_the_pattern_itself_would_hang_is_read_at_once() -> None:
    registry = TagRegistry()
    registry.register({"id": "notification", "patterns": {"selfClosing": r"{{<notify\s+([^>]*)\s*\/>}}"}})
    text = ("{{<notify" + " " * 20_000) * 5 + '{{<notify message="x" />}}'
    (operation,) = extract_tool_operations(text, "notification", registry=registry)
    assert operation["attributes"] == {"message": "x"}


def test_importing_the_package_loads_nothing_behind_it() -> None:
    code = "import sys, paperagents.tags; print([name for name in sys.modules if name.startswith('paperagents.tags.')])"
    shown = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_every_name_of_the_package_is_there() -> None:
    import paperagents.tags as package  # noqa: PLC0415  the package itself is looked at

    assert all(getattr(package, name) is not None for name in package.__all__)
    assert dir(package) == sorted(package.__all__)
    with pytest.raises(AttributeError):
        package.nothing  # noqa: B018


@pytest.mark.parametrize(("kind", "has_content"), [("block", True), ("hybrid", True), ("self_closing", False)])
def test_a_tag_that_can_be_a_block_has_content_where_nothing_else_is_said(kind: str, has_content: bool) -> None:  # noqa: FBT001  a table
    registry = TagRegistry()
    registry.register({"id": "mine", "type": kind, "schema": {"attributes": {}}})
    definition = registry.get("mine")
    assert definition is not None
    assert definition.schema.has_content is has_content


# --- each fact under a name of its own


def test_the_definitions_are_found_by_their_names_and_one_more_can_be_added() -> None:
    assert TOOL_DEFINITIONS["MEMORY"]["id"] == TOOL_DEFINITIONS["memory"].id == "memory"
    assert {"MEMORY", "REASONING_TEXT", "VAULTREF"} <= {*TOOL_DEFINITIONS}
    assert "notification" not in TOOL_DEFINITIONS
    TOOL_DEFINITIONS["NOTIFICATION"] = {
        "id": "notification",
        "type": TOOL_TYPES.SELF_CLOSING,
        "category": TOOL_CATEGORIES.OUTPUT,
        "patterns": {"selfClosing": r"/{{<notify\s+([^>]*)\s*\/>}}/g"},
    }
    try:
        assert len(extract_tool_operations('{{<notify message="Hi" />}}', "notification")) == 1
        assert len(TOOL_DEFINITIONS) == len([*TOOL_DEFINITIONS])
    finally:
        del TOOL_DEFINITIONS["NOTIFICATION"]
    assert get_tool_definition("notification") is None


@pytest.mark.parametrize("tag", [tag.id for tag in TagRegistry()])
def test_each_built_in_tag_has_functions_of_its_own(tag: str) -> None:
    text = f"{{{{<{tag} a=1>}}}}x{{{{</{tag}>}}}}" + '{{<goal identifier="g" />}}'
    name = "reasoning" if tag == "reasoning_text" else tag
    extract = getattr(tags, "extract_reasoning_blocks" if name == "reasoning" else f"extract_{tag}_operations")
    assert extract(text) == extract_tool_operations(text, tag)
    operation = {"type": "self_closing", "attributes": {}, "content": ""}
    validate = getattr(tags, f"validate_{name}_operation")
    assert validate(operation) == validate_operation({**operation, "tool_id": tag})
    assert tag in validate.__doc__
    assert tag in extract.__doc__


def test_the_limits_are_those_that_hold() -> None:
    longest = VALIDATION_CONSTANTS["MAX_IDENTIFIER_LENGTH"]
    assert tags.is_valid_identifier("a" * longest)
    assert not tags.is_valid_identifier("a" * (longest + 1))
    too_long = "x" * (VALIDATION_CONSTANTS["MAX_CONTENT_LENGTH"] + 1)
    assert not tags.validate_memory_operation({"attributes": {"identifier": "a", "content": too_long}})["valid"]
    assert COMMON_PATTERNS["VALID_IDENTIFIER"].match("a b") is None
    assert COMMON_PATTERNS["VAULT_REFERENCE"].search('a {{<vaultref id="x" />}}')
    assert [match["key"] for match in COMMON_PATTERNS["ATTRIBUTES"].finditer('id="test" delete')] == ["id", "delete"]
    assert COMMON_PATTERNS["DANGEROUS_CHARS"].search("<SCRIPT>")


def test_there_is_one_spelling_of_each_name() -> None:
    with pytest.raises(AttributeError):
        tags.extractToolOperations  # noqa: B018  there is one spelling
