"""The question that an MCP client shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from mcp_types import ElicitResult

from paperagents.approval.invisible import escape_invisible
from paperagents.approval.question import ApprovalRequest, Approved, Denied
from paperagents.interfaces.mcp.forms import LONGEST_PREVIEW, is_undecided, question_form, read_decision
from paperagents.interfaces.serving.callers import the_person

PREVIEW = "POST https://a.example/\nbody: {}"


def question(tool: str = "tool", preview: str = PREVIEW) -> ApprovalRequest:
    return ApprovalRequest(
        id="1", run_id="r", step=1, tool=tool, arguments={}, preview=preview, digest="d",
        requested="2026-01-01T00:00:00Z",
    )  # fmt: skip


@pytest.mark.parametrize("hidden", ["\u202e", "\u2066", "\u200b", "\u2028", "\u2029", "\x1b[2J", "\ufeff", "\u3164"])
def test_what_hides_or_reorders_is_shown_as_on_the_pages(hidden: str) -> None:
    preview = f"{PREVIEW}{hidden}gnp.exe"
    request = question(f"to{hidden}ol", preview)
    message = question_form(request, "2025-11-25", f"Not{hidden}JSON").message
    assert hidden not in message
    assert escape_invisible(preview) in message
    assert PREVIEW in message


@pytest.mark.parametrize(
    ("version", "choices"),
    [
        ("2025-06-18", {"enum": ["approve", "deny"], "enumNames": ["Approve", "Deny"]}),
        ("2025-11-25", {"oneOf": [{"const": "approve", "title": "Approve"}, {"const": "deny", "title": "Deny"}]}),
        ("2026-07-28", {"oneOf": [{"const": "approve", "title": "Approve"}, {"const": "deny", "title": "Deny"}]}),
    ],
)
def test_the_choice_is_written_as_the_version_of_the_client_knows_it(version: str, choices: dict[str, Any]) -> None:
    decision = question_form(question(), version).requested_schema["properties"]["decision"]
    assert {key: value for key, value in decision.items() if key not in ("type", "title")} == choices


def test_a_change_that_is_too_long_for_a_form_takes_no_yes_there_and_says_where_it_is_shown() -> None:
    request = question(preview="x" * (LONGEST_PREVIEW + 1234))
    form = question_form(request, "2025-11-25")
    assert "1234 more characters" in form.message
    assert "paper approvals show 1" in form.message
    assert [each["const"] for each in form.requested_schema["properties"]["decision"]["oneOf"]] == ["deny"]
    yes, no = (ElicitResult(action="accept", content={"decision": word}) for word in ("approve", "deny"))
    assert is_undecided(yes, request)
    assert not is_undecided(no, request)
    assert is_undecided(ElicitResult(action="accept", content={}), request)


def test_a_change_that_fits_is_shown_whole_and_takes_a_yes() -> None:
    request = question(preview="x" * LONGEST_PREVIEW)
    form = question_form(request, "2025-11-25")
    assert request.preview in form.message
    assert not is_undecided(ElicitResult(action="accept", content={"decision": "approve"}), request)


SCHEMA: dict[str, Any] = {
    "properties": {
        "path": {"type": "string", "description": "Where", "maxLength": 80},
        "mode": {"type": "string", "enum": ["add", "replace"]},
        "times": {"type": "integer", "minimum": 1},
        "loud": {"type": "boolean"},
        "tags": {"type": "array"},
    }
}


def with_arguments(**arguments: Any) -> ApprovalRequest:
    return replace(question(), arguments=arguments)


ANSWER = {"decision", "reason", "for_run", "together", "always", "files"}


def fields(request: ApprovalRequest, version: str = "2025-11-25", schema: dict[str, Any] = SCHEMA) -> dict[str, Any]:
    properties = question_form(request, version, schema=schema).requested_schema["properties"]
    return {name: field for name, field in properties.items() if name not in ANSWER}


def test_each_argument_has_a_field_of_its_type_filled_in_with_what_it_is() -> None:
    found = fields(with_arguments(path="a.md", times=2, loud=True))
    assert found["path"] == {
        "type": "string", "title": "Change path", "description": "Where", "maxLength": 80, "default": "a.md",
    }  # fmt: skip
    assert found["mode"] == {"type": "string", "title": "Change mode", "enum": ["add", "replace"]}
    assert found["times"] == {"type": "integer", "title": "Change times", "minimum": 1, "default": 2}
    assert found["loud"]["default"] is True


CHOICES: dict[str, Any] = {
    "one": {"type": "string", "oneOf": [{"const": "a", "title": "Apple"}, {"const": "b", "title": "Banana"}]},
    "old": {"type": "string", "enum": ["a", "b"], "enumNames": ["Apple", "Banana"]},
    "some": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "maxItems": 1},
    "titled": {"type": "array", "items": {"anyOf": [{"const": "a", "title": "Apple"}]}},
    "odd": {"type": "string", "enum": [1, 2], "oneOf": [{"const": 1, "title": "One"}]},
}


def test_words_to_choose_from_are_a_choice_and_some_of_them_a_choice_of_several() -> None:
    found = fields(with_arguments(some=["a"]), schema={"properties": CHOICES})
    assert found["one"]["oneOf"] == CHOICES["one"]["oneOf"]
    assert (found["old"]["enum"], found["old"]["enumNames"]) == (["a", "b"], ["Apple", "Banana"])
    assert found["some"] == {
        "type": "array", "title": "Change some", "items": {"type": "string", "enum": ["a", "b"]}, "maxItems": 1,
        "default": ["a"],
    }  # fmt: skip
    assert found["titled"]["items"]["anyOf"] == [{"const": "a", "title": "Apple"}]
    assert {"enum", "oneOf"}.isdisjoint(found["odd"])
    assert "edit" not in found


def test_clients_of_before_titles_get_them_as_they_know_them_and_several_as_json() -> None:
    found = fields(with_arguments(some=["a"]), "2025-06-18", {"properties": CHOICES})
    assert found["one"] == {**CHOICES["old"], "title": "Change one"}
    assert "some" not in found
    assert "edit" in found


def test_an_argument_is_never_taken_for_a_part_of_the_answer() -> None:
    schema: dict[str, Any] = {
        "properties": {name: {"type": "string"} for name in ("decision", "edit_decision", "always")}
    }
    request = with_arguments(decision="x")
    assert [*fields(request, schema=schema)] == ["edit_decision", "edit_edit_decision", "edit_always"]
    answer = ElicitResult(action="accept", content={"decision": "approve", "edit_decision": "y"})
    decision = read_decision(answer, the_person(), request, schema)
    assert isinstance(decision, Approved)
    assert (decision.arguments, decision.always) == ({"decision": "y"}, False)


def test_what_fits_into_no_field_is_written_as_json_and_only_that() -> None:
    assert "edit" in fields(with_arguments(path="a.md"))
    assert "edit" in fields(with_arguments(unknown="x"), schema={})
    plain = {"properties": {"path": {"type": "string"}}}
    assert [*fields(with_arguments(path="a.md"), schema=plain)] == ["path"]


def test_clients_of_before_defaults_get_only_truth_values_filled_in() -> None:
    found = fields(with_arguments(path="a.md", loud=False), "2025-06-18")
    assert "default" not in found["path"]
    assert found["loud"]["default"] is False


def test_several_changes_at_once_and_what_is_not_shown_whole_have_no_such_fields() -> None:
    assert fields(replace(with_arguments(path="a.md"), files=({"path": "a.md"},))) == {}
    assert fields(replace(with_arguments(path="a.md"), preview="x" * (LONGEST_PREVIEW + 1))) == {}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({}, None),
        ({"path": escape_invisible("a\u202e.md"), "times": 2}, None),
        ({"path": "", "times": None, "loud": False, "edit": " "}, None),
        ({"times": 3, "mode": "add"}, {"path": "a\u202e.md", "times": 3, "mode": "add"}),
        ({"edit": '{"path": "b.md"}', "times": 3}, {"path": "b.md", "times": 3}),
        ({"unknown": "x"}, None),
        ({"tags": ["b"]}, None),
    ],
)
def test_only_what_was_changed_in_the_form_is_another_argument(content: dict[str, Any], expected: Any) -> None:
    request = with_arguments(path="a\u202e.md", times=2)
    answer = ElicitResult(action="accept", content={"decision": "approve", **content})
    decision = read_decision(answer, the_person(), request, SCHEMA)
    assert isinstance(decision, Approved)
    assert decision.arguments == expected


def test_a_no_has_the_name_of_who_said_it() -> None:
    answer = ElicitResult(action="accept", content={"decision": "deny", "reason": "later"})
    decision = read_decision(answer, the_person(), question())
    assert decision == Denied(reason="later", by=the_person().name, via="mcp")
