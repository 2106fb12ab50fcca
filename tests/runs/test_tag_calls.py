"""The calls in a model's text are carried out in its order, each with its result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from paperagents.approval.question import ApproveEverything, Denied
from paperagents.runs.run import Runner
from paperagents.runs.session import Session
from paperagents.runs.tag_calls import TagApplier
from paperagents.tags import TagRegistry, read_tags

Desk = Any
YES = ApproveEverything()
SHOUT = """---
tool: true
id: shout
name: Shout
description: Loud.
parameters:
  - {name: words, type: string, description: What}
  - {name: times, type: integer, description: How often, default: 1}
  - {name: loud, type: boolean, description: Whether, required: false}
  - {name: more, type: array, description: More, required: false}
custom_function: return input;
---
"""


def contents(desk: Desk, kind: str) -> dict[str, str]:
    return {entry.identifier: entry.content for entry in desk.vault.entries.entries(kind)}


def statuses(results: list[Any]) -> list[str]:
    return [result["status"] for result in results]


# --- results


def test_every_call_has_one_result_in_the_order_of_the_text(desk: Desk) -> None:
    results = desk.vault.apply(
        """{{<memory identifier="m" content="1" />}} then {{<task identifier="t" heading="Do X" />}}
        {{<datavault id="d" action="create">}}body{{</datavault>}} {{<goal identifier="g" content="3" />}}
        {{<datavault id="d" action="create" content="again" />}} {{<memory identifier="m" content="2" />}}"""
    )
    assert all({*result} >= {"id", "action", "status", "error"} for result in results)
    assert [(each["id"], each["action"], each["status"]) for each in results] == [
        ("m", "created", "success"),
        ("t", "created", "success"),
        ("d", "created", "success"),
        ("g", "created", "success"),
        ("d", None, "error"),
        ("m", "updated", "success"),
    ]
    assert results[4]["error"]["code"] == "entry-exists"
    assert contents(desk, "memory") == {"m": "2"}
    assert contents(desk, "datavault") == {"d": "body"}


def test_what_failed_is_reported_and_the_others_are_kept(desk: Desk) -> None:
    results = desk.vault.apply(
        '{{<memory identifier="a" content="1" />}}{{<datavault id="x" action="update" content="2" />}}'
        '{{<memory identifier="no good" content="3" />}}{{<memory identifier="b" content="4" />}}'
    )
    assert statuses(results) == ["success", "error", "error", "success"]
    assert [result["error"] and result["error"]["code"] for result in results] == [
        None,
        "entry-not-found",
        "tag-identifier-invalid",
        None,
    ]
    assert contents(desk, "memory") == {"a": "1", "b": "4"}


@pytest.mark.parametrize("word", ["completed", "done", "in_progress"])
def test_an_unknown_word_changes_nothing_about_what_is_stored(word: str, desk: Desk) -> None:
    desk.vault.apply('{{<task identifier="t" status="ongoing" content="x" />}}{{<datavault id="c" type="code" />}}')
    results = desk.vault.apply(
        f'{{{{<task identifier="t" status="{word}" notes="n" />}}}}'
        '{{<datavault id="c" type="javascript">}}y{{</datavault>}}'
    )
    assert statuses(results) == ["success", "success"]
    assert "'ongoing'" in results[0]["warnings"][0]
    task, data = desk.vault.entries.get("task", "t"), desk.vault.entries.get("datavault", "c")
    assert (task.status, task.notes, data.type, data.content) == ("ongoing", "n", "code", "y")


def test_a_new_entry_gets_the_default_in_the_place_of_an_unknown_word(desk: Desk) -> None:
    (result,) = desk.vault.apply('{{<task identifier="t" status="soon" />}}')
    assert "'pending' is taken instead" in result["warnings"][0]
    assert desk.vault.entries.get("task", "t").status == "pending"


def test_every_problem_of_a_call_is_told(desk: Desk) -> None:
    (result,) = desk.vault.apply('{{<datavault id="a b" action="destroy" limit="x" />}}')
    assert {*result["error"]} == {"code", "message", "hint", "step", "block", "retryable", "details"}
    assert all(word in result["error"]["message"] for word in ("a b", "destroy", "limit"))


def test_an_update_of_one_field_keeps_the_others(desk: Desk) -> None:
    desk.vault.apply('{{<task identifier="t" heading="H" content="C" notes="N" status="ongoing" />}}')
    desk.vault.apply('{{<task identifier="t" notes="new" />}}')
    entry = desk.vault.entries.get("task", "t")
    assert (entry.heading, entry.content, entry.notes, entry.status) == ("H", "C", "new", "ongoing")


def test_an_empty_block_and_an_empty_attribute_are_empty_content(desk: Desk) -> None:
    desk.vault.apply('{{<datavault id="a" content="x" />}}{{<datavault id="b" action="create">}}{{</datavault>}}')
    desk.vault.apply('{{<datavault id="a" action="update" content="" />}}')
    assert contents(desk, "datavault") == {"a": "", "b": ""}


def test_a_later_call_sees_what_an_earlier_one_stored(desk: Desk) -> None:
    results = desk.vault.apply(
        '{{<datavault id="a" content="one two three" />}}{{<datavault id="a" action="request_read" limit="7" />}}'
        '{{<js_execute>}}return (await vault.get("a")).length;{{</js_execute>}}'
    )
    assert results[1]["action"] == "read"
    assert results[1]["output"]["content"] == "one two"
    assert results[2]["output"] == 13


@pytest.mark.parametrize(("limit", "length"), [('limit="5"', 5), ('limit="full-length"', 3000), ("", 3000)])
def test_a_requested_entry_comes_back_cut_to_the_limit(limit: str, length: int, desk: Desk) -> None:
    desk.vault.entries.put("datavault", "a", {"content": "x" * 3000})
    (result,) = desk.vault.apply(f'{{{{<datavault id="a" action="request_read" {limit} />}}}}')
    assert len(result["output"]["content"]) == length


def test_the_final_output_has_what_its_references_stand_for(desk: Desk) -> None:
    *_, result = desk.vault.apply(
        '{{<datavault id="d" content="the text" />}}'
        '{{<final_output>}}Here: {{<vaultref id="d" />}}, {{<vaultref id="none" />}}{{</final_output>}}'
    )
    assert result["output"] == "Here: the text, /* [MISSING_VAULT:none] */"


@pytest.mark.parametrize(
    "written", ['{{<js_execute content="return 6 * 7" />}}', '{{<js_execute code="return 6 * 7" />}}',
                "{{<js_execute>}}return 6 * 7{{</js_execute>}}"],
)  # fmt: skip
def test_a_script_may_stand_in_the_block_or_in_an_attribute(desk: Desk, written: str) -> None:
    (result,) = desk.vault.apply(written)
    assert (result["status"], result["output"]) == ("success", 42)


def test_the_final_output_comes_back_as_output(desk: Desk) -> None:
    (result,) = desk.vault.apply("{{<final_output>}}\n# Done\n{{</final_output>}}")
    assert result["status"] == "success"
    assert result["output"].strip() == "# Done"


def test_only_the_calls_of_one_tool_where_asked_for(desk: Desk) -> None:
    text = '{{<memory identifier="a" content="1" />}}{{<goal identifier="b" content="2" />}}'
    assert [each["id"] for each in desk.vault.apply(text, tool="goal")] == ["b"]
    assert contents(desk, "memory") == {}


def test_each_call_is_a_run_of_its_own(desk: Desk) -> None:
    desk.vault.apply('{{<memory identifier="a" content="1" />}}{{<goal identifier="b" content="2" />}}')
    assert sorted(str(run["tool"]) for run in desk.vault.history.runs()) == ["goal", "memory"]


# --- where calls may stand


def test_calls_inside_reasoning_are_carried_out(desk: Desk) -> None:
    results = desk.vault.apply(
        '{{<reasoning_text>}}I think {{<memory identifier="a" content="1" />}}\n'
        '{{<task identifier="b" heading="x" />}}{{</reasoning_text>}}'
    )
    assert [each["id"] for each in results] == ["a", "b"]


@pytest.mark.parametrize("tool", [None, "memory"])
def test_a_call_inside_the_content_of_another_is_part_of_that_content(tool: str | None, desk: Desk) -> None:
    inner = '{{<memory identifier="a" content="1" />}}'
    results = desk.vault.apply(
        f"{{{{<datavault id=doc>}}}}Write {inner}{{{{</datavault>}}}}"
        f"{{{{<final_output>}}}}Use {inner}{{{{</final_output>}}}}{{{{<memory id=b content=2 />}}}}",
        tool=tool,
    )
    assert [each["id"] for each in results] == (["b"] if tool else ["doc", None, "b"])
    assert contents(desk, "memory") == {"b": "2"}
    assert contents(desk, "datavault") == ({} if tool else {"doc": f"Write {inner}"})


@pytest.mark.parametrize("around", ["```\n{}\n```", "~~~~xml\n{}\n~~~~", "`{}`", "Say ``{}`` here"])
def test_calls_in_code_are_text(around: str, desk: Desk) -> None:
    text = around.format('{{<memory identifier="a" content="1" />}}')
    assert desk.vault.apply(f"{text}\n\n{{{{<goal identifier='b' content='2' />}}}}")[0]["id"] == "b"
    assert contents(desk, "memory") == {}


def test_a_damaged_call_does_not_swallow_the_next(desk: Desk) -> None:
    results = desk.vault.apply(
        '{{<memory identifier="a" content="unclosed }}\n\n{{<nonsense />}} {{<memory identifier="b" content="2" />}}'
    )
    assert contents(desk, "memory")["b"] == "2"
    assert [each["id"] for each in results][-1] == "b"


def test_a_text_without_calls_does_nothing(desk: Desk) -> None:
    before = desk.everything()
    assert desk.vault.apply("Just words, {{date}} and {{<vaultref id='x' />}}.") == []
    assert desk.everything() == before


TRAPS = [
    "/>}}",
    "it's",
    "}}",
    "{{<memory",
    '\\"quoted\\"',
    "a\nb\r\nc",
    "C:\\new \\d+",
    "</script>",
    "{{x}}",
    "$&",
    "ä𝄞",
]


@pytest.mark.parametrize("trap", TRAPS)
def test_what_looks_like_syntax_arrives_as_it_was_written(trap: str, desk: Desk) -> None:
    written = trap.replace("\\", "\\\\").replace('"', '\\"') if '"' in trap else trap
    results = desk.vault.apply(
        f'{{{{<memory identifier="a" content="{written}" />}}}}{{{{<memory identifier="b" content="after" />}}}}'
    )
    assert statuses(results) == ["success", "success"]
    assert contents(desk, "memory") == {"a": trap, "b": "after"}


@pytest.mark.parametrize("text", ["\x00", "\ud800", "a\udfffb", "\ufeff", "\u202e"])
def test_odd_characters_are_stored_or_refused_and_never_end_the_program(text: str, desk: Desk) -> None:
    results = desk.vault.apply(
        f'{{{{<memory identifier="a" content="{text}" />}}}}{{{{<memory identifier="{text}" content="x" />}}}}'
    )
    assert statuses(results) == ["success", "error"]
    assert contents(desk, "memory") == {"a": text}


def test_a_million_characters_fit_and_one_more_is_refused(desk: Desk) -> None:
    for length, fits in ((1_000_000, True), (1_000_001, False)):
        (result,) = desk.vault.apply(f'{{{{<datavault id="d{length}">}}}}{"x" * length}{{{{</datavault>}}}}')
        assert (result["status"] == "success") is fits
    assert [len(each) for each in contents(desk, "datavault").values()] == [1_000_000]


# --- deleting


def test_a_delete_waits_where_nobody_is_and_the_rest_is_done(desk: Desk) -> None:
    desk.vault.entries.put("memory", "a", {"content": "x"})
    results = desk.vault.apply('{{<memory identifier="a" delete />}}{{<memory identifier="b" content="y" />}}')
    assert statuses(results) == ["waiting", "success"]
    assert contents(desk, "memory") == {"a": "x", "b": "y"}
    assert [question.tool for question in desk.vault.history.questions()] == ["memory"]


def test_a_delete_with_a_yes_is_done_and_said(desk: Desk) -> None:
    desk.vault.entries.put("memory", "a", {"content": "x"})
    (result,) = desk.vault.apply('{{<memory identifier="a" delete="true" />}}', approver=YES)
    assert (result["action"], result["status"]) == ("deleted", "success")
    assert contents(desk, "memory") == {}


def test_a_denied_delete_carries_the_reason_to_the_model(desk: Desk) -> None:
    desk.vault.entries.put("memory", "a", {"content": "x"})
    (result,) = desk.vault.apply('{{<memory identifier="a" delete />}}', approver=lambda _: Denied(reason="my notes"))
    assert result["status"] == "denied"
    assert "my notes" in result["error"]["message"]
    assert contents(desk, "memory") == {"a": "x"}


@pytest.mark.parametrize("written", ['delete="false"', "delete='False'", "delete=false", 'delete="0"', 'delete="no"'])
def test_what_says_no_delete_deletes_nothing(written: str, desk: Desk) -> None:
    desk.vault.entries.put("memory", "a", {"content": "x"})
    (result,) = desk.vault.apply(f'{{{{<memory identifier="a" {written} />}}}}', approver=YES)
    assert result["action"] != "deleted"
    assert contents(desk, "memory") == {"a": "x"}


def test_deleting_what_is_not_there_is_reported(desk: Desk) -> None:
    (result,) = desk.vault.apply('{{<datavault id="a" action="delete" />}}', approver=YES)
    assert (result["status"], result["error"]["code"]) == ("error", "entry-not-found")


# --- all or nothing


def test_all_or_nothing_stores_nothing_when_one_fails(desk: Desk) -> None:
    text = (
        '{{<memory identifier="a" content="1" />}}{{<js_execute>}}await memory.set("s", "1");{{</js_execute>}}'
        '{{<final_output>}}done{{</final_output>}}{{<datavault id="x" action="update" content="2" />}}'
    )
    results = desk.vault.apply(text, all_or_nothing=True)
    assert [result["error"]["code"] for result in results] == ["taken-back"] * 3 + ["entry-not-found"]
    assert [result["action"] for result in results] == [None] * 4
    assert contents(desk, "memory") == {}


def test_all_or_nothing_stores_nothing_when_a_script_cannot_be_meant(desk: Desk) -> None:
    results = desk.vault.apply(
        '{{<memory identifier="a" content="1" />}}{{<js_execute>}} {{</js_execute>}}', all_or_nothing=True
    )
    assert [result["error"]["code"] for result in results] == ["taken-back", "tag-content-missing"]
    assert contents(desk, "memory") == {}


def test_all_or_nothing_stores_everything_when_all_is_well(desk: Desk) -> None:
    results = desk.vault.apply(
        '{{<memory identifier="a" content="1" />}}{{<js_execute>}}return await memory.get("a");{{</js_execute>}}'
        '{{<datavault id="x" action="create" content="2" />}}',
        all_or_nothing=True,
    )
    assert statuses(results) == ["success"] * 3
    assert results[1]["output"] == "1"
    assert (contents(desk, "memory"), contents(desk, "datavault")) == ({"a": "1"}, {"x": "2"})


def test_all_or_nothing_leaves_no_open_question_behind(desk: Desk) -> None:
    desk.vault.entries.put("memory", "a", {"content": "x"})
    results = desk.vault.apply(
        '{{<memory identifier="b" content="1" />}}{{<memory identifier="a" delete />}}', all_or_nothing=True
    )
    assert [(result["status"], result["error"]["code"]) for result in results] == [
        ("error", "taken-back"),
        ("denied", "nobody-to-ask"),
    ]
    assert contents(desk, "memory") == {"a": "x"}
    assert desk.vault.history.questions() == []


# --- tools of the vault as tags


def test_a_tool_of_the_vault_is_called_by_its_id_with_typed_attributes(desk: Desk) -> None:
    desk.note("shout.md", SHOUT)
    (result,) = desk.vault.apply("""{{<Shout words="12" times="3" loud="false" more='["a", 1]' />}}""")
    assert (result["action"], result["status"]) == ("executed", "success")
    assert result["output"] == {"words": "12", "times": 3, "loud": False, "more": ["a", 1]}


@pytest.mark.parametrize("name", ["Content", "con_tent", "content"])
def test_an_attribute_of_a_tool_is_the_parameter_that_is_written_so(name: str, desk: Desk) -> None:
    desk.note("shout.md", SHOUT.replace("words", name))
    results = desk.vault.apply(f'{{{{<shout {name}="x" />}}}}{{{{<shout {name}="x">}}}} {{{{</shout>}}}}')
    assert [each["output"][name] for each in results] == ["x", "x"]


def test_a_parameter_that_is_nearly_the_content_and_the_content_are_two(desk: Desk) -> None:
    desk.note("shout.md", SHOUT.replace("words", "Content"))
    (result,) = desk.vault.apply('{{<shout Content="x">}}y{{</shout>}}')
    assert (result["output"]["Content"], result["output"]["content"]) == ("x", "y")


def test_a_tool_gets_its_attributes_in_the_order_in_which_they_are_written(desk: Desk) -> None:
    names = [f"{letter}{number}" for letter in "zay" for number in range(9)]
    desk.note("keys.md", "---\ntool: true\nname: keys\ncustom_function: return Object.keys(input);\n---\n")
    (result,) = desk.vault.apply(f"{{{{<keys {' '.join(f'{name}=1' for name in names)} />}}}}")
    assert result["output"] == names


def test_what_cannot_be_brought_to_its_type_is_refused_by_name(desk: Desk) -> None:
    desk.note("shout.md", SHOUT)
    (result,) = desk.vault.apply('{{<shout words="x" times="12abc" />}}')
    assert (result["status"], result["error"]["code"]) == ("error", "invalid-arguments")
    assert "times" in result["error"]["message"]


def test_a_missing_argument_is_refused_by_name(desk: Desk) -> None:
    desk.note("shout.md", SHOUT)
    (result,) = desk.vault.apply("{{<shout />}}")
    assert "words" in result["error"]["message"]


def test_a_tool_that_is_added_later_works_at_once(desk: Desk) -> None:
    assert desk.vault.apply('{{<shout words="x" />}}') == []
    desk.note("shout.md", SHOUT)
    assert statuses(desk.vault.apply('{{<shout words="x" />}}')) == ["success"]


def test_a_tool_cannot_take_the_place_of_a_built_in_tag(desk: Desk) -> None:
    desk.note("memory.md", SHOUT.replace("id: shout", "id: memory"))
    desk.vault.apply('{{<memory identifier="a" content="x" words="y" />}}')
    assert contents(desk, "memory") == {"a": "x"}


def test_writing_a_file_by_tag_asks(desk: Desk) -> None:
    text = '{{<write_file filePath="out.md" content="it\'s />}} here" />}}'
    assert statuses(desk.vault.apply(text)) == ["waiting"]
    assert not (desk.root / "out.md").exists()
    assert statuses(desk.vault.apply(text, approver=YES)) == ["success"]
    assert desk.text("out.md") == "it's />}} here"


def test_the_content_of_a_block_is_the_argument_of_that_name(desk: Desk) -> None:
    text = '{{<write_file filePath="out.md">}}\n# Title\nText{{</write_file>}}'
    assert statuses(desk.vault.apply(text, approver=YES)) == ["success"]
    assert desk.text("out.md").strip() == "# Title\nText"


def test_an_empty_block_is_a_tag_without_content(desk: Desk) -> None:
    desk.note("a.md", "hello")
    (result,) = desk.vault.apply('{{<read_file filePath="a.md">}} {{</read_file>}}')
    assert result["output"]["content"] == "hello"


# --- definitions of one's own


def applied(desk: Desk, registry: TagRegistry, text: str, **options: Any) -> list[Any]:
    run = Runner(desk.vault.services, Session()).run
    applier = TagApplier(
        registry=registry, run=run, transaction=desk.vault.entries.together, vault_content=desk.vault.vault_content
    )
    return applier.apply(read_tags(text, registry).operations, **options)


def notification(handler: Callable[..., Any] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "id": "notification",
        "name": "Notification",
        "type": "self_closing",
        "category": "output",
        "patterns": {"selfClosing": r"{{<notify\s+([^>]*)\s*\/>}}"},
        "schema": {
            "attributes": {
                "message": {"required": True, "type": "string"},
                "level": {"type": "enum", "values": ["info", "warning", "error"], "default": "info"},
            }
        },
        "storage": None,
        "handler": handler,
        **more,
    }


@pytest.mark.parametrize("tool", ["memory", "Memory", "MEMORY"])
def test_the_calls_of_one_tool_are_chosen_in_any_case_of_letters(tool: str, desk: Desk) -> None:
    results = desk.vault.apply('{{<memory identifier="m" />}}{{<goal identifier="g" />}}', tool=tool)
    assert [each["id"] for each in results] == ["m"]


def test_a_handler_may_be_written_with_operation_and_options(desk: Desk) -> None:
    def tell(operation: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
        return {"id": operation["attributes"]["message"], "action": "created", "status": "success", **options}

    def tell_with_default(operation: dict[str, Any], prefix: str = "> ") -> str:
        return prefix + str(operation["message"])

    registry = TagRegistry()
    registry.register(notification(tell))
    registry.register({**notification(tell_with_default), "id": "other", "patterns": {}})
    first, second = applied(desk, registry, '{{<notify message="Hi" />}}{{<other message="Oh" />}}')
    assert first == {"tool": "notification", "id": "Hi", "action": "created", "status": "success", "error": None}
    assert second["output"] == "> Oh"


@pytest.mark.parametrize(
    ("storage", "text", "stored"),
    [
        ("memory", '{{<lesson id="a" heading="H">}}Body{{</lesson>}}', {"heading": "H", "content": "Body"}),
        ("task", '{{<lesson id="a" status="Finished" content="x" />}}', {"status": "finished", "content": "x"}),
        ("datavault", '{{<lesson id="a" type="code" description="d" />}}', {"type": "code", "description": "d"}),
    ],
)
def test_a_tag_of_ones_own_stores_the_kind_of_entry_that_it_names(
    storage: str, text: str, stored: dict[str, str], desk: Desk
) -> None:
    names = ("id", "heading", "status", "type", "description", "content")
    schema = {"hasContent": True, "attributes": {name: {"type": "string"} for name in names}}
    registry = TagRegistry()
    registry.register({"id": "lesson", "type": "hybrid", "category": "storage", "schema": schema, "storage": storage})
    (result,) = applied(desk, registry, text)
    assert result == {"tool": "lesson", "id": "a", "action": "created", "status": "success", "error": None}
    entry = desk.vault.entries.get(storage, "a").as_json()
    assert {name: entry[name] for name in stored} == stored


def test_what_the_kind_of_entry_cannot_hold_is_an_error_and_not_lost(desk: Desk) -> None:
    schema: dict[str, Any] = {"attributes": {"id": {}, "topic": {}}}
    registry = TagRegistry()
    registry.register({"id": "lesson", "category": "storage", "schema": schema, "storage": "memory"})
    (result,) = applied(desk, registry, '{{<lesson id="a" topic="t" />}}')
    assert result["error"]["code"] == "invalid-arguments"
    assert "topic" in result["error"]["message"]
    assert desk.vault.entries.get("memory", "a") is None


def test_a_definition_added_at_run_time_reaches_its_handler(desk: Desk) -> None:
    told: list[Any] = []

    def tell(operation: dict[str, Any]) -> dict[str, Any]:
        told.append((operation["message"], operation["attributes"]["level"]))
        return {"id": "n1", "action": "told", "status": "success"}

    registry = TagRegistry()
    registry.register(notification(tell))
    results = applied(desk, registry, '{{<notify message="Hi" />}}{{<notify level="error" message="Oh" />}}')
    assert results == [{"tool": "notification", "id": "n1", "action": "told", "status": "success", "error": None}] * 2
    assert told == [("Hi", "info"), ("Oh", "error")]


def test_a_definition_without_a_handler_gives_its_message_as_output(desk: Desk) -> None:
    registry = TagRegistry()
    registry.register(notification())
    (result,) = applied(desk, registry, '{{<notify message="Hi" />}}')
    assert (result["status"], result["output"]) == ("success", "Hi")


def test_a_validator_of_ones_own_can_refuse(desk: Desk) -> None:
    called: list[Any] = []
    registry = TagRegistry()
    registry.register(notification(called.append, validators=[lambda op: "too loud" if "!" in op["message"] else None]))
    results = applied(desk, registry, '{{<notify message="Hi" />}}{{<notify message="Hi!" />}}')
    assert statuses(results) == ["success", "error"]
    assert "too loud" in results[1]["error"]["message"]
    assert len(called) == 1


@pytest.mark.parametrize("error", [ValueError("no"), OSError("disk"), RecursionError(), KeyError("x")])
@pytest.mark.parametrize("category", ["output", "storage", "execution"])
def test_a_handler_that_fails_costs_only_its_own_call(error: Exception, category: str, desk: Desk) -> None:
    def fail(_: Any) -> None:
        raise error

    registry = TagRegistry()
    registry.register(notification(fail, category=category))
    text = (
        '{{<memory identifier="a" content="1" />}}{{<notify message="x" />}}{{<memory identifier="b" content="2" />}}'
    )
    results = applied(desk, registry, text)
    assert statuses(results) == ["success", "error", "success"]
    assert results[1]["error"]["code"] == "tag-handler-failed"
    assert contents(desk, "memory") == {"a": "1", "b": "2"}


def test_what_a_handler_answers_is_output(desk: Desk) -> None:
    registry = TagRegistry()
    registry.register(notification(lambda op: len(op["message"])))
    assert applied(desk, registry, '{{<notify message="four" />}}')[0]["output"] == 4
