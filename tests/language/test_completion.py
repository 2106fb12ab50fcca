"""What can stand at a place, also while the file is no YAML."""

from __future__ import annotations

import pytest
from tests.language.conftest import AGENT, FIND, SCRIPT, SHORTEN, Serve, mark

from paperagents.language.service import LanguageService
from paperagents.language.surroundings import RecordedRun

FRONT = "---\ntool: true\nname: t\ndescription: A tool.\n"


def labels(service: LanguageService, file: str, marked: str) -> list[str]:
    text, at = mark(marked)
    service.open(file, text)
    return [each.label for each in service.completions(file, at).items]


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("---\n¦\n---\n", "tool"),
        ("---\nagent: true\nmo¦\n---\n", "model"),
        (f"{FRONT}par¦\n---\n", "parameters"),
        (f"{FRONT}type: ¦\n---\n", "chain"),
        (f"{FRONT}strict: ¦\n---\n", "true"),
        (f"{FRONT}parameters:\n  - name: x\n    ¦\n---\n", "type"),
        (f"{FRONT}parameters:\n  - name: x\n    type: ¦\n---\n", "integer"),
        (f"{FRONT}parameters:\n  - name: x\n    ty¦\n---\n", "type"),
        (f"{FRONT}parameters:\n  - {{name: x, ty¦}}\n---\n", "type"),
        (f"{FRONT}parameters: [{{name: x, type: ¦}}]\n---\n", "integer"),
        (f"{FRONT}steps:\n  - {{tool: shorten, parameters: {{¦\n---\n", "text"),
        (f'{FRONT}steps:\n  - {{tool: search_files, parameters: {{query: "{{{{x}}}}", sort: ¦}}}}\n---\n', "modified"),
        (f"{FRONT}steps:\n  - tool: shorten\n    retry: {{attempts: 2, ¦}}\n---\n", "delay"),
        (f"{FRONT}approval: ¦\n---\n", "together"),
        (f"{FRONT}---\n\n```yaml\nst¦\n```\n", "steps"),
        (f"{FRONT}steps:\n  - ¦\n---\n", "tool"),
        (f"{FRONT}steps:\n  - tool: ¦\n---\n", "read_file"),
        (f"{FRONT}steps:\n  - tool: sho¦\n---\n", "shorten"),
        (f"{FRONT}steps:\n  - tool: shorten\n    parameters:\n      ¦\n---\n", "text"),
        (f"{FRONT}steps:\n  - parameters:\n      ¦\n    tool: shorten\n---\n", "text"),
        (f"{FRONT}steps:\n  - tool: search_files\n    parameters:\n      sort: ¦\n---\n", "modified"),
        (f"{FRONT}steps:\n  - tool: shorten\n    retry:\n      ¦\n---\n", "attempts"),
        (f"{FRONT}examples:\n  - ¦\n---\n", "output_contains"),
        (f"{FRONT}---\n\n```yaml\ntool: sh¦\n```\n", "shorten"),
        (f"{FRONT}---\n\n```yaml\ntool: shorten\nparameters:\n  ¦\n```\n", "text"),
        ("---\nagent: true\nname: a\ntools: [¦\n---\n", "shorten"),
        ("---\nagent: true\nname: a\ntools:\n  - ¦\n---\n", "shorten"),
        ("---\nagent: true\nname: a\nprotocol: ¦\n---\n", "native"),
        (AGENT.replace("question: What", "¦question: What").replace("question: What is long?", ""), "output_contains"),
        (AGENT.replace("- tool: shorten", "- tool: ¦"), "shorten"),
        (AGENT.replace("{ text: long }", "\n          ¦"), "text"),
        (AGENT.replace("not_calls: [find-notes]", "not_calls: [¦"), "shorten"),
        (AGENT.replace("z{{", "z{{<sh¦ {{"), "shorten"),
        (AGENT.replace('text="x"', "te¦"), "text"),
        (AGENT.replace("Write", "Write {{<me¦"), "memory"),
    ],
)
def test_what_can_stand_here_is_offered(marked: str, expected: str, serve: Serve) -> None:
    assert expected in labels(serve(), "new.md", marked)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ('"{{¦"', ["query", "limit", "find", "prev_step", "input", "date"]),
        ('"{{steps.¦"', ["find", "read_file"]),
        ('"{{find.output.¦"', ["results", "count"]),
        ('"{{find.output.results[0].¦}}"', ["path", "name"]),
        ("input.¦", ["query", "limit"]),
        ("prev_step.output.¦", ["text", "limit"]),
    ],
)
def test_references_are_completed_down_to_the_fields_of_outputs(typed: str, expected: list[str], serve: Serve) -> None:
    run = RecordedRun(outputs={"read_file": {"text": "a", "limit": 3}})
    service = serve(recordings=Recorded({"find-notes": [run]}))
    found = labels(service, "find.md", FIND.replace('"{{read_file.output.text}}"', typed))
    assert set(expected) <= set(found)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        (FIND.replace("asked: input.query", "asked: input.¦"), ["query", "limit"]),
        (FIND.replace("found: context.steps.find", "found: context.¦"), ["date", "parameters", "steps"]),
        (FIND.replace("found: context.steps.find", "found: context.steps.¦"), ["find", "read_file", "shorten"]),
        (FIND.replace("output.content", "output.¦"), ["content", "path"]),
        (FIND.replace("query.length > 2", "steps.¦"), ["find"]),
        (SHORTEN.replace("return transform(input);", "return input.¦"), ["text"]),
        (SHORTEN.replace("return transform(input);", "return ¦"), ["input", "context"]),
    ],
)
def test_javascript_knows_the_fields_of_its_objects(marked: str, expected: list[str], serve: Serve) -> None:
    assert set(expected) <= set(labels(serve(), "find.md", marked))


def test_a_script_knows_its_parameters_the_tools_and_its_interface(serve: Serve) -> None:
    service = serve()
    assert "word" in labels(service, "loud.tool.js", SCRIPT.replace("params.word.toUpperCase()", "params.¦word"))
    assert "shorten" in labels(service, "loud.tool.js", SCRIPT.replace('callTool("shorten"', 'callTool("¦"'))
    called = SCRIPT.replace("{ text: params.word.toUpperCase() }", "{ ¦ }")
    assert labels(service, "loud.tool.js", called) == ["text"]
    assert "storage" in labels(service, "loud.tool.js", SCRIPT.replace("this.api.callTool", "this.api.¦callTool"))


def test_the_fields_that_only_recorded_runs_have_are_offered(serve: Serve) -> None:
    recorded = Recorded({"shorten": [RecordedRun(result={"short": "x", "rest": {"length": 3}})]})
    service = serve(recordings=recorded)
    marked = FIND.replace(
        "examples:", '  - tool: read_file\n    parameters:\n      filePath: "{{shorten.output.¦"\nexamples:'
    )
    assert labels(service, "find.md", marked) == ["short", "rest"]


def test_a_file_that_does_not_parse_is_completed_by_its_last_good_state(serve: Serve) -> None:
    service = serve()
    service.open("find.md", FIND)
    broken = FIND.replace("name: find\n", 'name: "find\n').replace("{{read_file.output.text}}", "{{¦")
    assert {"query", "find", "read_file"} <= set(labels(service, "find.md", broken))


def test_a_line_of_braces_takes_no_time(serve: Serve) -> None:
    service = serve()
    for braces in ("{" * 500_000, "[{" * 1000, "'{" * 900):
        labels(service, "new.md", f"{FRONT}steps:\n  - {braces}¦\n---\n")


def test_what_is_there_already_is_not_offered_again(serve: Serve) -> None:
    assert "name" not in labels(serve(), "new.md", f"{FRONT}parameters:\n  - {{¦, name: x}}\n---\n")
    assert "name" not in labels(serve(), "new.md", f"{FRONT}¦\n---\n")


def test_a_completion_takes_the_place_of_what_is_typed(serve: Serve) -> None:
    service = serve()
    text, at = mark(f"{FRONT}steps:\n  - tool: sho¦\n---\n")
    service.open("new.md", text)
    [found] = [each for each in service.completions("new.md", at).items if each.label == "shorten"]
    assert (found.span.column, found.span.end_column, found.insert) == (11, 14, "shorten")


def test_of_very_many_tools_those_that_fit_what_is_typed_are_offered(serve: Serve) -> None:
    service = serve(
        {f"t{number}.md": SHORTEN.replace("name: shorten", f"name: word-{number}") for number in range(150)}
    )
    text, at = mark(f"{FRONT}steps:\n  - tool: word-14¦\n---\n")
    service.open("new.md", text)
    found = service.completions("new.md", at)
    assert found.is_cut
    assert [each.label for each in found.items] == ["word-14", *(f"word-14{digit}" for digit in range(10))]


def test_prose_offers_nothing(serve: Serve) -> None:
    assert labels(serve(), "find.md", FIND + "\nSome words {{¦") == []
    assert labels(serve(), "note.md", "Some words ¦") == []


class Recorded:
    def __init__(self, runs: dict[str, list[RecordedRun]]) -> None:
        self._runs = runs

    def last_runs(self, tool: str) -> list[RecordedRun]:
        return self._runs.get(tool, [])
