"""Asks the questions in an agent's note and compares the answers with what the note expects."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import field

from paperagents.definitions.agent import Eval, ExpectedCall
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.definitions.tool import Example
from paperagents.errors import PaperError
from paperagents.messages import text
from paperagents.runs.examples import diff, find_difference, is_same
from paperagents.runs.record import RunRecord
from paperagents.runs.session import Event
from paperagents.runs.usage import Usage, add_up
from paperagents.values import dataclass


@dataclass(kw_only=True)
class Attempt:
    """One question as it was answered, and what was done for that."""

    record: RunRecord
    calls: list[tuple[str, JsonObject]]
    """The tools that were called at any depth, with their arguments."""
    unanswered: list[str]
    """What was called that would touch the world, and for which there is no response."""
    changed: Sequence[str]
    """Paths of files."""
    read: Callable[[str], str | None]
    """What a file holds at the end; None where there is none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EvalReport:
    """How one model did."""

    model: str
    passed: int
    total: int
    usage: Usage
    seconds: float
    failures: tuple[JsonObject, ...] = field(default=())
    """``question``, ``repeat`` and ``difference`` of each."""

    @property
    def pass_rate(self) -> float:
        """The part that passed."""
        return self.passed / self.total if self.total else 1.0

    def as_json(self) -> JsonObject:
        """The form of ``paper eval --json``."""
        return {
            "model": self.model,
            "passed": self.passed,
            "total": self.total,
            "pass_rate": self.pass_rate,
            "input_tokens": self.usage.input_tokens,
            "output_tokens": self.usage.output_tokens,
            "cost": self.usage.cost,
            "seconds": self.seconds,
            "failures": list(self.failures),
        }


class Observer:
    """Notes what is called while a question is answered."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, JsonObject]] = []
        self.unanswered: list[str] = []

    def on_event(self, event: Event) -> None:
        """One thing that has happened."""
        entry = event.get("entry")
        if event["type"] != "step-finished" or not isinstance(entry, dict):
            return
        if entry["block"] != "tool" or entry["name"] == "model":
            return
        tool, parameters = str(event.get("tool") or entry["name"]), entry["parameters"]
        self.calls.append((tool, parameters if isinstance(parameters, dict) else {}))
        if event.get("code") == "example-needs-response" and tool not in self.unanswered:
            self.unanswered.append(tool)


def evaluate_model(
    model: str,
    evals: Sequence[Eval],
    repeat: int,
    attempt: Callable[[Eval], Attempt],
    run_script: Callable[[Excerpt, JsonObject], JsonValue],
) -> EvalReport:
    """Ask every question so often; ``attempt`` does it without touching anything."""
    started, usages = time.perf_counter(), [Usage()]
    failures: list[JsonObject] = []
    for number in range(1, repeat + 1):
        for each in evals:
            made = attempt(each)
            usages += [made.record.usage] if made.record.usage is not None else []
            if (difference := judge(each, made, run_script)) is not None:
                failures.append({"question": each.question, "repeat": number, "difference": difference})
    total = len(evals) * repeat
    return EvalReport(
        model=model,
        passed=total - len(failures),
        total=total,
        usage=add_up(usages) or Usage(),
        seconds=round(time.perf_counter() - started, 3),
        failures=tuple(failures),
    )


def judge(wanted: Eval, made: Attempt, run_script: Callable[[Excerpt, JsonObject], JsonValue]) -> str | None:
    """How an answer differs from what must hold, or None."""
    if made.unanswered:
        return text("eval.unanswered", tools=", ".join(made.unanswered))
    difference = find_difference(Example(expects=wanted.expects), made.record)
    return (
        difference
        or compare_calls(wanted, made)
        or compare_changes(wanted, made)
        or check_output(wanted, made, run_script)
    )


def compare_calls(wanted: Eval, made: Attempt) -> str | None:
    """Which call is missing, or was made that must not be."""
    left = list(made.calls)
    for each in wanted.calls:
        found = next((call for call in left if is_meant(each, call)), None)
        if found is None:
            calls: list[JsonValue] = [{"tool": tool, "arguments": arguments} for tool, arguments in made.calls]
            expected: JsonValue = [{"tool": each.tool, "arguments": dict(each.arguments)}]
            return f"{text('eval.not-called', tool=each.tool)}\n{diff(expected, calls)}"
        left.remove(found)
    forbidden = [tool for tool in wanted.not_calls if any(tool == called for called, _ in made.calls)]
    return text("eval.called", tool=", ".join(forbidden)) if forbidden else None


def is_meant(wanted: ExpectedCall, call: tuple[str, JsonObject]) -> bool:
    """Whether it is the wanted call: the same tool, and the same in all arguments that are named."""
    tool, given = call
    same = (name in given and is_same(given[name], value) for name, value in wanted.arguments.items())
    return tool == wanted.tool and all(same)


def compare_changes(wanted: Eval, made: Attempt) -> str | None:
    """Which file does not hold what it must; where none may be changed, which one is."""
    if wanted.changes == {} and made.changed:
        return text("eval.changed", paths=", ".join(made.changed))
    for path, expected in (wanted.changes or {}).items():
        found = made.read(path)
        # A text in YAML often ends with a line break that a model does not write, or the other way round.
        if found is None or found.rstrip("\n") != str(expected).rstrip("\n"):
            return diff({path: expected}, {path: found})
    return None


def check_output(wanted: Eval, made: Attempt, run_script: Callable[[Excerpt, JsonObject], JsonValue]) -> str | None:
    """What the note's own JavaScript finds wrong with the answer."""
    if wanted.check is None:
        return None
    try:
        holds = run_script(wanted.check, {"output": made.record.data})
    except PaperError as error:
        return error.message
    return None if holds else text("eval.check-failed")
