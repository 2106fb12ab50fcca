"""The questions in an agent's note are asked without touching anything, and the answers judged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import Desk, call

Turns = list[Any]


def evaluate(desk: Desk, evals: str, turns: Turns, *, more: str = "", repeat: int = 1) -> dict[str, Any]:
    desk.agent(f"{more}\ntools: [read_file, write_file, rest_request, search_files]\nevals:\n{evals}")
    script = desk.root.parent / "script.json"
    script.write_text(json.dumps(turns))
    report = desk.vault.evaluate("helper", models=[f"scripted:{script}"], repeat=repeat)[0].as_json()
    return json.loads(json.dumps(report))  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("wanted", "turns", "passes"),
    [
        ("output: Yes.", ["Yes."], True),
        ("output: Yes.", ["No."], False),
        ("output_contains: peas", ["There are peas."], True),
        ("output_contains: kale", ["There are peas."], False),
        ("check: output.length < 10", ["Short."], True),
        ("check: output.length < 3", ["Short."], False),
        ("check: 'return output.nothing.there'", ["Short."], False),
        ("calls: [{tool: read_file, arguments: {filePath: a.md}}]",
         [{"calls": [call("read_file", filePath="a.md")]}, "Read."], True),
        ("calls: [{tool: read_file, arguments: {filePath: b.md}}]",
         [{"calls": [call("read_file", filePath="a.md")]}, "Read."], False),
        ("calls: [{tool: read_file}, {tool: read_file}]",
         [{"calls": [call("read_file", filePath="a.md")]}, "Read."], False),
        ("not_calls: [read_file]", ["Nothing."], True),
        ("not_calls: [read_file]", [{"calls": [call("read_file", filePath="a.md")]}, "Read."], False),
        ("changes: {b.md: Peas}", [{"calls": [call("write_file", filePath="b.md", content="Peas\n")]}, "Done."], True),
        ("changes: {b.md: Peas}", [{"calls": [call("write_file", filePath="b.md", content="Kale")]}, "Done."], False),
        ("changes: {}", [{"calls": [call("write_file", filePath="b.md", content="Kale")]}, "Done."], False),
        ("changes: {}", ["Nothing."], True),
    ],
)  # fmt: skip
def test_an_answer_is_judged_by_what_must_hold(desk: Desk, wanted: str, turns: Turns, *, passes: bool) -> None:
    desk.note("a.md", "Peas")
    report = evaluate(desk, f"  - question: Well?\n    {wanted}", turns)
    assert (report["passed"], report["total"], report["pass_rate"]) == (int(passes), 1, float(passes))
    assert len(report["failures"]) == 1 - passes
    assert not (desk.root / "b.md").exists()
    assert desk.vault.history.runs() == []


def test_calls_that_would_leave_the_vault_are_answered_by_responses(desk: Desk) -> None:
    asked: Turns = [{"calls": [call("rest_request", url="https://example.org/", method="POST")]}, "Sent."]
    given = "  - question: Send.\n    output: Sent.\n    responses: {rest_request: {status: 201}}"
    assert evaluate(desk, given, asked)["passed"] == 1
    report = evaluate(desk, "  - question: Send.\n    output: Sent.", asked)
    assert "rest_request" in report["failures"][0]["difference"]


def test_every_question_is_asked_so_often_and_what_it_used_is_summed(desk: Desk) -> None:
    used = {"prompt_tokens": 10, "completion_tokens": 2, "cost": 0.1}
    turns: Turns = [{"text": "One.", "usage": used}, {"text": "Wrong.", "usage": used}]
    evals = "  - question: First?\n    output: One.\n  - question: Second?\n    output: Two."
    report = evaluate(desk, evals, turns, repeat=3)
    assert (report["passed"], report["total"], report["pass_rate"]) == (3, 6, 0.5)
    assert (report["input_tokens"], report["output_tokens"], report["cost"]) == (60, 12, 0.6)
    assert [(each["question"], each["repeat"]) for each in report["failures"]] == [("Second?", n) for n in (1, 2, 3)]
    assert set(report) == {"model", "passed", "total", "pass_rate", "input_tokens", "output_tokens", "cost", "seconds",
                           "failures"}  # fmt: skip


def test_a_run_that_fails_is_a_difference(desk: Desk) -> None:
    report = evaluate(desk, "  - question: Well?", [{"text": "Half", "finish": "length"}])
    assert "answer-cut" in report["failures"][0]["difference"]
