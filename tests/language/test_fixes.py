"""Repairs: every "did you mean" can be accepted, and a missing parameter can be declared."""

from __future__ import annotations

import pytest
from tests.language.conftest import FIND, SHORTEN, Serve, apply

from paperagents.definitions.source import Span

WHOLE = Span(line=1, column=1, end_line=1000, end_column=1)
STEP = "---\ntool: true\nname: t\ndescription: T.\n"
AGENT = "---\nagent: true\nname: a\ndescription: A.\n"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (SHORTEN.replace("description: Sh", "desciption: Sh"), SHORTEN),
        (SHORTEN.replace("type: string", "type: strng"), SHORTEN),
        (SHORTEN.replace("type: string", 'type: "strng"'), SHORTEN.replace("type: string", 'type: "string"')),
        (
            SHORTEN.replace("tool: true", "tool: yes\nagent: false"),
            SHORTEN.replace("tool: true", "tool: true\nagent: false"),
        ),
        (SHORTEN.replace("transform(input)", "transform(inpt)"), SHORTEN),
        (SHORTEN.replace("given.text", "given.texd"), SHORTEN),
        (FIND.replace("tool: read_file", "tool: read_fil"), FIND),
        (FIND.replace("tool: read_file", 'tool: "read_fil"'), FIND.replace("tool: read_file", 'tool: "read_file"')),
        (FIND.replace("filePath:", "filePth:"), FIND),
        (FIND.replace("{{query}} in", "{{qery}} in"), FIND),
        (
            FIND.replace("steps.find.output", "steps.find.output").replace(
                "{{find.output.results", "{{steps.fnd.output.results"
            ),
            FIND.replace("{{find.", "{{steps.find."),
        ),
        (FIND.replace("output.results[0].path", "output.results[0].pth"), FIND),
        (FIND.replace("// @postprocess", "// @postproces"), FIND),
        (
            FIND.replace('"{{find.output.results[0].path}}"', "find.output.results"),
            FIND.replace("find.output.results[0].path", "find.output.results"),
        ),
        (FIND.replace("limit: input.limit", "sort: modifid"), FIND.replace("limit: input.limit", "sort: modified")),
        (SHORTEN.replace("transform(input)", '"{{text}}"'), SHORTEN.replace("transform(input)", "input.text")),
        (
            SHORTEN.replace("transform(input)", '"a {{text}} b"'),
            SHORTEN.replace("transform(input)", '"a " + input.text + " b"'),
        ),
        (SHORTEN.replace("transform(input)", "`a {{text}}`"), SHORTEN.replace("transform(input)", "`a ${input.text}`")),
        (SHORTEN.replace("transform(input)", "text"), SHORTEN.replace("transform(input)", "input.text")),
        (SHORTEN.replace("transform(input)", "date"), SHORTEN.replace("transform(input)", "context.date")),
        (f"{AGENT}tools: [shortn]\n---\nHi", f"{AGENT}tools: [shorten]\n---\nHi"),
        (f"{AGENT}---\nSay {{{{qurey}}}}.", f"{AGENT}---\nSay {{{{query}}}}."),
    ],
)
def test_what_was_probably_meant_takes_the_place_of_what_is_written(wrong: str, right: str, serve: Serve) -> None:
    service = serve()
    service.open("new.md", wrong)
    fixes = service.fixes("new.md", WHOLE)
    assert right in [apply(wrong, list(fix.edits)) for fix in fixes]


MISSING = '  - tool: read_file\n    parameters:\n      filePath: "{{folder}}/a.md"\n'


@pytest.mark.parametrize(
    ("before", "declared"),
    [
        ("", "parameters:\n  - name: folder\n    type: string\n"),
        ("parameters: []\n", "parameters:\n  - name: folder\n    type: string\n"),
        (
            "parameters:\n  - name: n\n    type: number\n    description: N.\n",
            "parameters:\n  - name: n\n    type: number\n    description: N.\n  - name: folder\n    type: string\n",
        ),
        (
            "parameters:\n- name: n\n  type: number\n  description: N.\n",
            "parameters:\n- name: n\n  type: number\n  description: N.\n- name: folder\n  type: string\n",
        ),
        (
            "parameters: [{name: n, type: number, description: N.}]\n",
            "parameters: [{name: n, type: number, description: N.}, {name: folder, type: string}]\n",
        ),
    ],
)
def test_a_missing_parameter_is_declared_behind_the_others(before: str, declared: str, serve: Serve) -> None:
    text = f"{STEP}{before}steps:\n{MISSING}---\n"
    service = serve({})
    service.open("t.md", text)
    [fix] = service.fixes("t.md", WHOLE)
    repaired = apply(text, list(fix.edits))
    assert repaired == f"{STEP}{declared}steps:\n{MISSING}---\n"
    service.open("t.md", repaired)
    assert {each.code for each in service.diagnostics("t.md")} == {"missing-description"}


def test_a_parameter_that_only_javascript_reads_is_declared_too(serve: Serve) -> None:
    text = SHORTEN.replace("return transform(input);", "return transform(input) + input.suffix;")
    service = serve({})
    service.open("shorten.md", text)
    titles = [fix.title for fix in service.fixes("shorten.md", WHOLE)]
    assert titles == ["Declare the parameter 'suffix'"]


def test_an_argument_that_is_close_to_no_other_is_not_replaced(serve: Serve) -> None:
    service = serve({})
    service.open(
        "t.md", f"{STEP}steps:\n  - tool: read_file\n    parameters: {{filePath: a.md, encoding: utf-8}}\n---\n"
    )
    assert [each.code for each in service.diagnostics("t.md")] == ["unknown-argument"]
    assert service.fixes("t.md", WHOLE) == []


def test_only_problems_in_the_stretch_are_repaired(serve: Serve) -> None:
    service = serve()
    service.open("find.md", FIND.replace("tool: read_file", "tool: read_fil"))
    assert service.fixes("find.md", Span(line=1, column=1, end_line=2, end_column=1)) == []
