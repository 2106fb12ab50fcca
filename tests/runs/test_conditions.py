"""``if:`` of a step: a reference, or a small piece of JavaScript, and what follows where it cannot be told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.desk import Desk

PARAMETERS = """parameters:
  - {name: n, type: number, description: d}
  - {name: größe, type: number, description: d, default: 5}
  - {name: my-flag, type: boolean, description: d, default: true}
  - {name: word, type: string, description: d, default: "true"}
"""


@pytest.fixture(autouse=True)
def echo(desk: Desk) -> None:
    desk.tool("echo", "custom_function: |\n  return input.value;")


def output(desk: Desk, condition: str) -> object:
    desk.chain("c", f"""
  - {{tool: echo, name: find-2, parameters: {{value: [1]}}}}
  - {{tool: echo, name: Prüfung, parameters: {{value: [1, 2]}}}}
  - tool: echo
    if: {condition}
    parameters: {{value: taken}}
""", PARAMETERS)  # fmt: skip
    record = desk.run("c", {"n": 3})
    assert record.error is None
    return record.data


@pytest.mark.parametrize(
    "condition",
    [
        "input.n==3", "input.n===3", "input.n&&input.größe", "input.n!=null", "input.n-2", "input.n%2", "input.n??0",
        "input?.n", "prev_step.output?.length", "prev_step.output.length===2", "steps.find-2.output", "input.my-flag",
        "input.n", "'{{n}} > 2'", "\"'{{n}}'==='3'\"", "größe > 3", "Prüfung.output.length == 2", "'false, true'",
    ],
)  # fmt: skip
def test_a_condition_that_holds(desk: Desk, condition: str) -> None:
    assert output(desk, condition) == "taken"


@pytest.mark.parametrize(
    "condition",
    [
        "\"/* it's */ {{word}} === 'true' \"", "\"/'/.test(\\\"'\\\") && {{word}} === 'true'\"",
        '"`${ {{n}} + 1 }{{word}}` === \'4true\'"', "'/^{{word}}$/.test(\"true\")'", "'{{n}} === 3 // {{word}}'",
    ],
)  # fmt: skip
def test_what_braces_stand_for_is_a_value_wherever_they_stand(desk: Desk, condition: str) -> None:
    assert output(desk, condition) == "taken"


@pytest.mark.parametrize(
    "condition", ["input.n==4", "input.n-3", "input.n-input.n", "'true, false'", "größe>9", "input.größe===input.n"]
)
def test_a_condition_that_does_not_hold(desk: Desk, condition: str) -> None:
    assert output(desk, condition) is None


@pytest.mark.parametrize(
    "condition", ["input.kind === 'item'", "input.item === 1", '"{{kind}}" === "the index of it"', "context.index > 1"]
)
def test_a_condition_that_only_mentions_an_item_is_asked_once(desk: Desk, condition: str) -> None:
    desk.chain(
        "c", f"\n  - {{tool: echo, for_each: [1, 2], if: {condition!r}, parameters: {{value: 1}}}}",
        "parameters: [{name: kind, type: string, description: d, default: other}, "
        "{name: item, type: number, description: d, default: 0}]",
    )  # fmt: skip
    record = desk.run("c")
    assert (record.data, [entry["status"] for entry in record.execution_log]) == (None, ["skipped"])


@pytest.mark.parametrize("condition", ["item > 1", "{{item}} > 1", "[...item].length", "'{{index}}' === '1'"])
def test_a_condition_about_an_item_is_asked_for_each(desk: Desk, condition: str) -> None:
    desk.chain("c", f"\n  - {{tool: echo, for_each: ['', '2'], if: {condition!r}, parameters: {{value: 1}}}}")
    assert desk.run("c").data == [None, 1]


@pytest.mark.parametrize("wrong", ["for_each: input.n", "if: 'null.x'", "for_each: [1], if: 'item.x.y'"])
def test_a_step_that_may_fail_may_fail_before_its_call(desk: Desk, wrong: str) -> None:
    desk.chain("c", f"""
  - {{tool: echo, {wrong}, continue_on_error: true, parameters: {{value: 1}}}}
  - {{tool: echo, parameters: {{value: after}}}}
""", PARAMETERS)  # fmt: skip
    record = desk.run("c", {"n": 3})
    assert (record.status, record.data) == ("succeeded", "after")
    assert [entry["status"] for entry in record.execution_log] == ["error", "success"]


def test_a_list_without_entries_is_in_the_record(desk: Desk) -> None:
    desk.chain("c", "\n  - {tool: echo, name: none, for_each: [], parameters: {value: 1}}")
    record = desk.run("c")
    assert record.data == []
    assert [(entry["name"], entry["status"], entry["output"]) for entry in record.execution_log] == [
        ("none", "success", [])
    ]


@pytest.mark.parametrize(
    "condition",
    ["'{{n}} == 3 && nothing.x'", ">-\n      1 == 1 &&\n      nothing.x", "|\n      1 == 1 &&\n       nothing.x"],
)
def test_an_error_in_a_condition_stands_where_the_check_sees_it(desk: Desk, condition: str) -> None:
    desk.chain("c", f"\n  - tool: echo\n    if: {condition}", PARAMETERS)
    seen = next(each for each in desk.vault.check() if each.code == "undefined-name").span
    error = desk.run("c", {"n": 3}).error
    assert error is not None
    assert f":{seen.line}:{seen.column}:" in str(error["message"])
