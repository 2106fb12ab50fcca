from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from paperagents.tags import TagRegistry, extract_all_tool_operations, given_attributes, validate_operation


def check(text: str, registry: TagRegistry | None = None) -> dict[str, Any]:
    found = extract_all_tool_operations(text, registry=registry)
    ((operation,),) = found.values()
    return validate_operation(operation, registry)


def codes(problems: list[dict[str, Any]]) -> list[tuple[str, str | None]]:
    return [(problem["code"], problem["attribute"]) for problem in problems]


def registry_with(attribute: Mapping[str, Any], **more: Any) -> TagRegistry:
    registry = TagRegistry()
    registry.register({"id": "probe", "schema": {"attributes": {"value": attribute}}, **more})
    return registry


@pytest.mark.parametrize("value", ['"false"', "false", '"No"', '"0"', '"off"', '""'])
def test_delete_with_a_word_for_no_is_false(value: str) -> None:
    assert check(f"{{{{<memory identifier=a delete={value} />}}}}")["normalized"]["delete"] is False


@pytest.mark.parametrize(
    "written", ["delete", "delete=true", 'delete="TRUE"', "delete=yes", "delete=delete", "delete=1"]
)
def test_delete_with_a_word_for_yes_is_true(written: str) -> None:
    assert check(f"{{{{<memory identifier=a {written} />}}}}")["normalized"]["delete"] is True


def test_delete_with_any_other_word_is_an_error() -> None:
    answer = check("{{<memory identifier=a delete=maybe />}}")
    assert codes(answer["errors"]) == [("tag-attribute-wrong-type", "delete")]


def test_delete_is_false_where_nothing_is_said() -> None:
    assert check("{{<memory identifier=a />}}")["normalized"]["delete"] is False


@pytest.mark.parametrize(
    ("heading", "identifier"),
    [("Do X", "do-x"), ("Über Größe", "ueber-groesse"), ("  a/b  c ", "a-b-c"), ("x" * 300, "x" * 200)],
)
def test_a_memory_without_identifier_is_named_by_its_heading(heading: str, identifier: str) -> None:
    answer = check(f'{{{{<memory heading="{heading}" />}}}}')
    assert answer["valid"]
    assert answer["normalized"]["identifier"] == identifier


@pytest.mark.parametrize("headings", [("第1步", "第1天"), ("读 API 文档", "写 API 文档"), ("Шаг 1" * 90, "Шар 1" * 90)])
def test_headings_that_differ_in_other_letters_alone_get_different_names(headings: tuple[str, str]) -> None:
    first, second = (check(f'{{{{<task heading="{heading}" />}}}}') for heading in headings)
    assert (first["valid"], second["valid"]) == (True, True)
    assert first["normalized"]["identifier"] != second["normalized"]["identifier"]


@pytest.mark.parametrize("identifier", [None, ""])
def test_an_identifier_that_says_nothing_is_none(identifier: str | None) -> None:
    operation = {"tool_id": "task", "attributes": {"identifier": identifier, "heading": "Do X"}}
    assert validate_operation(operation)["normalized"]["identifier"] == "do-x"


def test_headings_without_latin_letters_get_different_names() -> None:
    first, second = (check(f'{{{{<goal heading="{heading}" />}}}}')["normalized"] for heading in ("目标", "记忆"))
    assert first["identifier"].startswith("entry-")
    assert first["identifier"] != second["identifier"]


@pytest.mark.parametrize(
    "written", ["id=a identifier=b", "identifier=a id=b", "ID=a id=b", "identifier=a Identifier=b"]
)
def test_an_attribute_under_two_names_is_a_warning_and_the_last_one_wins(written: str) -> None:
    answer = check(f"{{{{<memory {written} />}}}}")
    assert answer["normalized"]["identifier"] == "b"
    assert codes(answer["warnings"]) == [("tag-attribute-twice", "identifier")]


def test_a_memory_without_identifier_and_heading_is_an_error() -> None:
    assert codes(check("{{<memory content=x />}}")["errors"]) == [("tag-attribute-missing", "identifier")]


@pytest.mark.parametrize("identifier", ["a b", "a/b", "ä", "", "x" * 201])
def test_an_identifier_must_be_one(identifier: str) -> None:
    answer = check(f'{{{{<memory identifier="{identifier}" />}}}}')
    assert codes(answer["errors"]) == [("tag-identifier-invalid", "identifier")]


def test_the_data_vault_takes_id_and_identifier() -> None:
    for name in ("id", "identifier", "ID"):
        assert check(f"{{{{<datavault {name}=a />}}}}")["normalized"]["id"] == "a"


@pytest.mark.parametrize(("written", "kind"), [("CODE", "code"), ("Data", "data"), ("text", "text")])
def test_the_type_of_an_entry_is_read_in_any_case(written: str, kind: str) -> None:
    assert check(f"{{{{<datavault id=a type={written} />}}}}")["normalized"]["type"] == kind


def test_an_unknown_type_falls_back_with_a_warning() -> None:
    answer = check("{{<datavault id=a type=poem />}}")
    assert (answer["valid"], answer["normalized"]["type"]) == (True, "text")
    assert codes(answer["warnings"]) == [("tag-attribute-replaced", "type")]


def test_an_unknown_action_is_an_error_because_there_is_no_default() -> None:
    assert codes(check("{{<datavault id=a action=burn />}}")["errors"]) == [("tag-attribute-not-allowed", "action")]


@pytest.mark.parametrize(("written", "limit"), [("5", 5), ("2.5", 2.5), ("Full-Length", "full-length"), ("-1", -1)])
def test_a_limit_is_a_number_or_full_length(written: str, limit: object) -> None:
    assert check(f"{{{{<datavault id=a limit={written} />}}}}")["normalized"]["limit"] == limit


@pytest.mark.parametrize("written", ["12abc", "", "nan", "inf", "1e9999", "1_0", "٣", "0x10", "9" * 5000])
def test_what_is_no_number_is_not_guessed(written: str) -> None:
    answer = check(f'{{{{<datavault id=a limit="{written}" />}}}}')
    assert codes(answer["errors"]) == [("tag-attribute-wrong-type", "limit")]


def test_the_status_of_a_task_is_read_in_any_case_and_defaults() -> None:
    assert check("{{<task identifier=a status=FINISHED />}}")["normalized"]["status"] == "finished"
    assert check("{{<task identifier=a />}}")["normalized"]["status"] == "pending"
    assert codes(check("{{<task identifier=a status=soon />}}")["warnings"]) == [("tag-attribute-replaced", "status")]


def test_the_body_of_a_block_is_its_content() -> None:
    answer = check("{{<memory identifier=a>}}\nBody\n{{</memory>}}")
    assert answer["normalized"]["content"] == "Body"
    assert answer["normalized"]["attributes"]["content"] == "Body"


def test_the_body_counts_before_the_attribute_and_a_warning_says_so() -> None:
    answer = check("{{<datavault id=a content=x>}}y{{</datavault>}}")
    assert answer["normalized"]["content"] == "y"
    assert codes(answer["warnings"]) == [("tag-content-twice", "content")]


def test_an_empty_block_is_empty_content() -> None:
    assert check("{{<datavault id=a>}}{{</datavault>}}")["normalized"]["attributes"]["content"] == ""


def test_javascript_needs_code() -> None:
    assert codes(check("{{<js_execute>}} {{</js_execute>}}")["errors"]) == [("tag-content-missing", None)]
    assert codes(check("{{<js_execute />}}")["errors"]) == [("tag-content-missing", None)]
    assert check("{{<js_execute>}}return 1;{{</js_execute>}}")["normalized"]["code"] == "return 1;"


def test_content_may_have_a_million_characters_and_no_more() -> None:
    assert check("{{<memory identifier=a>}}" + "x" * 1_000_000 + "{{</memory>}}")["valid"]
    answer = check("{{<memory identifier=a>}}" + "x" * 1_000_001 + "{{</memory>}}")
    assert codes(answer["errors"]) == [("tag-content-too-long", "content")]


@pytest.mark.parametrize("markup", ["<script>", "JavaScript:x", "<a onclick=x>", "<img onerror = x>"])
def test_dangerous_markup_is_a_warning(markup: str) -> None:
    answer = check(f'{{{{<memory identifier=a content="{markup}" />}}}}')
    assert answer["valid"]
    assert codes(answer["warnings"]) == [("tag-dangerous-markup", "content")]
    assert answer["normalized"]["content"] == markup


def test_a_repeated_attribute_is_a_warning() -> None:
    assert codes(check("{{<memory identifier=a identifier=b />}}")["warnings"]) == [
        ("tag-duplicate-attribute", "identifier")
    ]


def test_an_attribute_nobody_knows_is_kept_with_a_warning() -> None:
    answer = check("{{<memory identifier=a colour=red />}}")
    assert codes(answer["warnings"]) == [("tag-attribute-unknown", "colour")]
    assert answer["normalized"]["colour"] == "red"


def test_a_sub_agent_takes_what_it_is_given() -> None:
    answer = check("{{<subagent agent=a query=q timeout=30 max_results=5 depth=2 />}}")
    assert (answer["errors"], answer["warnings"]) == ([], [])
    assert answer["normalized"]["attributes"] == {
        "agent": "a",
        "query": "q",
        "timeout": 30,
        "maxResults": 5,
        "depth": "2",
    }


def test_content_where_none_is_taken_is_a_warning() -> None:
    answer = check("{{<probe value=1>}}text{{</probe>}}", registry_with({"type": "string"}))
    assert codes(answer["warnings"]) == [("tag-content-ignored", None)]


@pytest.mark.parametrize(
    ("kind", "written", "value"),
    [
        ("integer", "4.0", 4),
        ("boolean", "true", True),
        ("object", """'{"a": 1}'""", {"a": 1}),
        ("array", "'[1, 2]'", [1, 2]),
        ("any", "x", "x"),
        ("string", "5", "5"),
    ],
)
def test_values_are_brought_to_their_type(kind: str, written: str, value: object) -> None:
    answer = check(f"{{{{<probe value={written} />}}}}", registry_with({"type": kind}))
    assert answer["normalized"]["value"] == value


@pytest.mark.parametrize(
    ("kind", "written"),
    [("integer", "=4.5"), ("object", "='[1]'"), ("array", "='{'"), ("string", ""), ("object", "='" + "[" * 9999 + "'")],
)
def test_what_is_not_of_the_type_is_an_error(kind: str, written: str) -> None:
    answer = check(f"{{{{<probe value{written} />}}}}", registry_with({"type": kind}))
    assert codes(answer["errors"]) == [("tag-attribute-wrong-type", "value")]


def test_validators_of_a_definition_are_asked() -> None:
    def short(operation: Mapping[str, Any]) -> str | None:
        return "Too long." if len(operation["value"]) > 3 else None

    registry = registry_with({"type": "string"}, validators=[short])
    assert check("{{<probe value=abc />}}", registry)["valid"]
    (error,) = check("{{<probe value=abcd />}}", registry)["errors"]
    assert (error["code"], error["message"]) == ("tag-validator-refused", "Too long.")


@pytest.mark.parametrize("answer", [None, True, "", [], ()])
def test_a_validator_that_has_nothing_to_say_is_content(answer: object) -> None:
    registry = registry_with({"type": "string"}, validators=[lambda _: answer])
    assert check("{{<probe value=a />}}", registry)["valid"]


def test_a_validator_that_fails_is_an_error_of_the_call() -> None:
    def broken(operation: Mapping[str, Any]) -> str | None:
        raise ValueError("oh {no}" if operation else "")

    answer = check("{{<probe value=a />}}", registry_with({"type": "string"}, validators=broken))
    assert codes(answer["errors"]) == [("tag-validator-failed", None)]
    assert "oh {no}" in answer["errors"][0]["message"]


def test_a_call_of_an_unknown_tool_is_an_error() -> None:
    answer = validate_operation({"tool_id": "nothing", "attributes": {}})
    assert codes(answer["errors"]) == [("tag-tool-unknown", None)]


def test_what_a_call_names_itself_can_be_told_from_defaults() -> None:
    operations = extract_all_tool_operations("{{<task id=a>}}x{{</task>}}")["task"]
    assert given_attributes(operations[0]) == {"identifier": "a", "content": "x"}


def test_the_content_of_an_operation_made_by_hand_is_looked_at_like_any_other() -> None:
    operation = {"tool_id": "datavault", "attributes": {"id": "a"}, "content": "<script>" * 200_000}
    answer = validate_operation(operation)
    assert codes(answer["errors"]) == [("tag-content-too-long", "content")]
    assert codes(answer["warnings"]) == [("tag-dangerous-markup", "content")]
    short = validate_operation({**operation, "content": "x"})
    assert (short["valid"], short["normalized"]["attributes"]["content"]) == (True, "x")
