"""Runs the examples inside a tool's file and compares their results with what the file expects."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from difflib import unified_diff

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.source import Problem
from paperagents.definitions.tool import Example, ToolDefinition
from paperagents.messages import text
from paperagents.runs.record import RunRecord
from paperagents.values import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class ExampleResult:
    """How one example went."""

    tool: str
    example: str
    passed: bool
    difference: str | None = None

    def as_json(self) -> JsonObject:
        """The form of ``paper test --json``."""
        return {"tool": self.tool, "example": self.example, "passed": self.passed, "difference": self.difference}


def run_examples(tool: ToolDefinition, attempt: Callable[[ToolDefinition, Example], RunRecord]) -> list[ExampleResult]:
    """Run them all; ``attempt`` runs the tool without touching anything."""
    results = []
    for number, example in enumerate(tool.examples, 1):
        difference = find_difference(example, attempt(tool, example))
        name = example.name or str(number)
        results.append(ExampleResult(tool=tool.id, example=name, passed=difference is None, difference=difference))
    return results


def unusable_file(tool: str, problems: Iterable[Problem]) -> ExampleResult:
    """A file that cannot be used: nothing in it can be tried, and that is no success."""
    first = next(each for each in problems if each.severity == "error")
    difference = f"{first.file}:{first.span.line}:{first.span.column} {first.code}: {first.message}"
    return ExampleResult(tool=tool, example=first.file, passed=False, difference=difference)


def find_difference(example: Example, record: RunRecord) -> str | None:
    """How a run differs from what the example expects, or None."""
    expects = example.expects
    if expects.get("error") not in (None, False):
        return error_difference(expects["error"], record)
    if record.error is not None:
        return f"{record.error['code']}: {record.error['message']}"
    if "output" in expects and not is_same(record.data, expects["output"]):
        return diff(expects["output"], record.data)
    if "output_contains" in expects and not contains(record.data, expects["output_contains"]):
        return diff(expects["output_contains"], record.data)
    return None


def contains(value: JsonValue, part: JsonValue) -> bool:
    """Whether a value has at least this in it: a piece of a text, some fields, some entries."""
    if isinstance(part, dict):
        return isinstance(value, dict) and all(key in value and contains(value[key], part[key]) for key in part)
    if isinstance(part, list):
        return isinstance(value, list) and all(any(contains(each, wanted) for each in value) for wanted in part)
    if isinstance(part, str):
        return any(part in each for each in texts_in(value))
    return is_same(value, part) or (isinstance(value, list) and any(is_same(each, part) for each in value))


def texts_in(value: JsonValue) -> Iterator[str]:
    """Where a piece of a text is looked for: in the value as JSON, and in every text of it as it is."""
    if not isinstance(value, str):
        yield json.dumps(value, ensure_ascii=False)
    inside = [value]
    while inside:
        match inside.pop():
            case str() as written:
                yield written
            case dict() as fields:
                inside += [*fields, *fields.values()]
            case list() as entries:
                inside += entries


def is_same(one: JsonValue, other: JsonValue) -> bool:
    """Whether two values are the same JSON: 1 is 1.0, but true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def error_difference(expected: JsonValue, record: RunRecord) -> str | None:
    """The expected error is a code or a piece of the message, or both by name; ``true`` is any error.

    Of wrong arguments the code of one of them is enough.
    """
    if record.error is None:
        return diff({"error": expected}, record.data)
    shown = f"{record.error['code']}: {record.error['message']}"
    details = record.error.get("details")
    problems = details.get("problems") if isinstance(details, dict) else None
    if isinstance(problems, list) and any(isinstance(each, dict) and each.get("code") == expected for each in problems):
        return None
    if isinstance(expected, dict):
        found = {key: record.error.get(key) for key in expected}
        fits = all(contains(found[key], wanted) for key, wanted in expected.items())
        return None if fits else diff({"error": expected}, {"error": found})
    return None if expected is True or str(expected) in shown else diff({"error": expected}, {"error": shown})


def diff(expected: JsonValue, found: JsonValue) -> str:
    """Two values as JSON, line by line."""
    lines = [json.dumps(each, ensure_ascii=False, indent=2, sort_keys=True).split("\n") for each in (expected, found)]
    return "\n".join(unified_diff(lines[0], lines[1], text("diff.expected"), text("diff.found"), lineterm=""))
