"""A question as the form of an MCP client, and the answer as a decision.

What is to be done has a field for each argument, of the type that the tool's schema says; what no field of a form can
hold is written as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

import mcp_types as types
from mcp_types.version import is_version_at_least

from paperagents.approval.invisible import escape_invisible
from paperagents.approval.question import ApprovalRequest, Approved, Decision, Denied
from paperagents.approval.rule_words import describe_proposal
from paperagents.calls.conversion import read_arguments
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.interfaces.serving.callers import Caller
from paperagents.messages import text

LONGEST_PREVIEW = 20_000
MOST_FIELDS = 20
_OWN_FIELDS = frozenset({"decision", "reason", "files", "for_run", "together", "always", "edit"})
_KNOWS_DEFAULTS_AND_TITLES = "2025-11-25"
_LIMITS = {
    "string": ("minLength", "maxLength"),
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
    "boolean": (),
    "array": ("minItems", "maxItems"),
}


def question_form(
    request: ApprovalRequest, version: str, remark: str = "", schema: JsonObject | None = None
) -> types.ElicitRequestFormParams:
    """The effect and the possible answers, in the form that this protocol version knows.

    A remark says what was wrong with the last answer. Where the change is too long for a form, the form shows its
    beginning, says where the whole is, and takes no yes: nobody agrees to what they could not see.
    """
    title = text("mcp.ask", tool=request.tool, step=request.step, run=request.run_id)
    shown = request.preview[:LONGEST_PREVIEW]
    if is_cut(request):
        shown += "\n" + text("mcp.ask.cut", count=len(request.preview) - LONGEST_PREVIEW, id=request.id)
    message = "\n\n".join(part for part in (remark, title, shown) if part)
    return types.ElicitRequestFormParams(
        message=escape_invisible(message), requested_schema=answer_schema(version, request, schema or {})
    )


def is_cut(request: ApprovalRequest) -> bool:
    """Whether a form shows only the beginning of a change."""
    return len(request.preview) > LONGEST_PREVIEW


def answer_schema(version: str, request: ApprovalRequest, schema: JsonObject) -> dict[str, Any]:
    """The fields of the form; choices with titles are newer than the rest."""
    always = describe_proposal(request)
    titles = {each: text(f"mcp.ask.{each}") for each in (("deny",) if is_cut(request) else ("approve", "deny"))}
    choices: dict[str, Any] = {"enum": [*titles], "enumNames": [*titles.values()]}
    if is_version_at_least(version, _KNOWS_DEFAULTS_AND_TITLES):
        choices = {"oneOf": [{"const": each, "title": title} for each, title in titles.items()]}
    return {
        "type": "object",
        "properties": {
            "decision": {"type": "string", "title": text("mcp.ask.decision"), **choices},
            "reason": {"type": "string", "title": text("mcp.ask.reason")},
            **fields_of(request),
            **(
                {"always": {"type": "boolean", "title": text("mcp.ask.always", rule=always), "default": False}}
                if always
                else {}
            ),
            **edit_fields(version, request, schema),
        },
        "required": ["decision"],
    }


def fields_of(request: ApprovalRequest) -> dict[str, Any]:
    """What else can be said: of several changes something for each file, of one also what holds for the next ones."""
    if request.files:
        return {"files": {"type": "string", "title": text("mcp.ask.files")}}
    words = {"for_run": "mcp.ask.for-run", "together": "mcp.ask.together"}
    return {name: {"type": "boolean", "title": text(word), "default": False} for name, word in words.items()}


def edit_fields(version: str, request: ApprovalRequest, schema: JsonObject) -> dict[str, Any]:
    """A field for each argument, filled in with what it is; what fits into none can be said as JSON."""
    if request.files or is_cut(request):
        return {}
    is_new = is_version_at_least(version, _KNOWS_DEFAULTS_AND_TITLES)
    kinds = editable_arguments(request, schema)
    kinds = {name: kind for name, kind in kinds.items() if is_new or kind["type"] != "array"}
    fields = {field_name(name): edit_field(name, kind, request, is_new=is_new) for name, kind in kinds.items()}
    if kinds.keys() >= {*properties_of(schema), *request.arguments}:
        return fields
    return {**fields, "edit": {"type": "string", "title": text("mcp.ask.edit")}}


def field_name(argument: str) -> str:
    """An argument has its own name in the form, but for those that would be taken for a part of the answer."""
    return f"edit_{argument}" if argument.removeprefix("edit_") in _OWN_FIELDS else argument


def editable_arguments(request: ApprovalRequest, schema: JsonObject) -> dict[str, JsonObject]:
    """The schemas of the arguments that a field can hold, those that are given first."""
    properties = properties_of(schema)
    names = [name for name in (*request.arguments, *properties) if has_field(properties.get(name))]
    kinds = {name: properties[name] for name in dict.fromkeys(names[:MOST_FIELDS])}
    return {name: kind for name, kind in kinds.items() if isinstance(kind, dict)}


def properties_of(schema: JsonObject) -> JsonObject:
    """The arguments that a schema names."""
    found = schema.get("properties")
    return found if isinstance(found, dict) else {}


def has_field(kind: JsonValue) -> bool:
    """Whether forms have fields for such a value: one of a simple type, or some out of a list of words."""
    if not isinstance(kind, dict) or not isinstance(kind.get("type"), str):
        return False
    return kind["type"] in _LIMITS and (kind["type"] != "array" or bool(choices_of(kind.get("items"), "anyOf")))


def edit_field(name: str, kind: JsonObject, request: ApprovalRequest, *, is_new: bool) -> JsonObject:
    """The field of one argument."""
    of_type = str(kind["type"])
    field: JsonObject = {"type": of_type, "title": text("mcp.ask.argument", name=escape_invisible(name))}
    field |= {limit: kind[limit] for limit in _LIMITS[of_type] if isinstance(kind.get(limit), int | float)}
    if kind.get("description"):
        field["description"] = escape_invisible(str(kind["description"]))
    if of_type == "string":
        field |= choices_of(kind, "oneOf" if is_new else "")
    if of_type == "array":
        choices = choices_of(kind["items"], "anyOf")
        field["items"] = choices if "anyOf" in choices else {"type": "string", **choices}
    # Of older versions only truth values can be filled in.
    if name in request.arguments and (of_type == "boolean" or is_new):
        field["default"] = shown_value(request.arguments[name])
    return field


def choices_of(kind: JsonValue, titles: str) -> JsonObject:
    """The words that a schema gives to choose from; their titles under this name, or as older versions know them."""
    if not isinstance(kind, dict):
        return {}
    options = kind.get("oneOf") or kind.get("anyOf")
    pairs = [each for each in options if isinstance(each, dict)] if isinstance(options, list) else []
    words: JsonValue = [each.get("const") for each in pairs]
    names: JsonValue = [each.get("title") for each in pairs]
    if titles and are_texts(words) and are_texts(names):
        return {titles: [{"const": word, "title": name} for word, name in zip(words, names, strict=True)]}
    words, names = (words, names) if words else (kind.get("enum"), kind.get("enumNames"))
    if not are_texts(words):
        return {}
    return {"enum": words, **({"enumNames": names} if are_texts(names) and len(names) == len(words) else {})}


def are_texts(values: JsonValue) -> TypeGuard[list[JsonValue]]:
    """Whether this is a list of words."""
    return isinstance(values, list) and bool(values) and all(isinstance(each, str) for each in values)


def shown_value(value: JsonValue) -> JsonValue:
    """What stands in a field."""
    return escape_invisible(value) if isinstance(value, str) else value


def edited_arguments(content: Mapping[str, Any], request: ApprovalRequest, schema: JsonObject) -> JsonObject | None:
    """The arguments as the person has changed them; None where they are as they were. Raises UsageError.

    A field that is left empty changes nothing: some clients send every field, and fill in none.
    """
    written = content.get("edit")
    whole = read_arguments(written) if isinstance(written, str) and written.strip() else None
    changed = {
        name: value
        for name in editable_arguments(request, schema)
        if (value := content.get(field_name(name))) not in (None, "", [])
        and (name not in request.arguments or value != shown_value(request.arguments[name]))
        and not (value is False and name not in request.arguments)
    }
    return {**(request.arguments if whole is None else whole), **changed} if changed or whole is not None else None


def is_undecided(answer: Any, request: ApprovalRequest | None = None) -> bool:
    """Whether the question stays open: the form was closed without an answer, or a yes came to what it did not show."""
    word = answer_word(answer)
    return word not in ("approve", "deny", "decline") or (word == "approve" and request is not None and is_cut(request))


def read_decision(
    answer: Any, by: Caller, request: ApprovalRequest | None = None, schema: JsonObject | None = None
) -> Decision:
    """The decision in an answer. Raises UsageError where the edited arguments are no JSON object."""
    content = getattr(answer, "content", None) or {}
    if answer_word(answer) != "approve":
        return Denied(reason=str(content.get("reason") or ""), by=by.name, via="mcp")
    return Approved(
        by=by.name,
        via="mcp",
        for_run=content.get("for_run") is True,
        together=content.get("together") is True,
        files=read_arguments(files) if isinstance(files := content.get("files"), str) and files.strip() else None,
        always=content.get("always") is True,
        arguments=edited_arguments(content, request, schema or {}) if request is not None else None,
    )


def answer_word(answer: Any) -> str:
    """The decision in one word; from a client that shows no fields, accepting the question is a yes."""
    action = str(getattr(answer, "action", ""))
    return str((answer.content or {}).get("decision", "approve")) if action == "accept" else action
