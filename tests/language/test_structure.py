"""Hover, symbols, lenses, tokens and hints."""

from __future__ import annotations

import pytest
from tests.language.conftest import AGENT, FIND, SCRIPT, SHORTEN, Serve, place
from tests.language.test_completion import Recorded

from paperagents.language.surroundings import RecordedRun

RUN = RecordedRun(
    arguments={"query": "garden", "limit": 2},
    outputs={"find": {"results": [{"path": "a.md"}], "count": 1}, "read_file": {"text": "```\nsecret ***"}},
    result="garden",
)


@pytest.mark.parametrize(
    ("file", "text", "words", "expected"),
    [
        ("find.md", FIND, "search_files", "# search_files"),
        ("find.md", FIND, "shorten\n", "Shortens a text."),
        ("helper.md", AGENT, "shorten text", "Shortens a text."),
        ("loud.tool.js", SCRIPT, "shorten", "Shortens a text."),
        ("find.md", FIND, "query}}", "What to look for."),
        ("find.md", FIND, "query}}", '"garden"'),
        ("find.md", FIND, 'text: "{{', "The text."),
        ("find.md", FIND, "find.output.results", "Step **find** calls `search_files`."),
        ("find.md", FIND, "results[0]", '"path": "a.md"'),
        ("find.md", FIND, "path}}", '"a.md"'),
        ("find.md", FIND, "query, found", '"garden"'),
        ("find.md", FIND, "find, short", '"count": 1'),
        ("find.md", FIND, "read_file.output", "````json"),
    ],
)
def test_a_place_says_what_stands_there_and_what_it_was_last(
    file: str, text: str, words: str, expected: str, serve: Serve
) -> None:
    hover = serve(recordings=Recorded({"find-notes": [RUN]})).hover(file, place(text, words))
    assert hover is not None
    assert expected in hover.markdown


def test_prose_has_nothing_to_say(serve: Serve) -> None:
    assert serve().hover("find.md", place(FIND, "Finds notes")) is None


def test_the_parts_of_a_file_are_its_symbols(serve: Serve) -> None:
    [whole] = serve().symbols("find.md")
    assert (whole.name, whole.detail) == ("Find notes", "find-notes")
    assert [(each.kind, each.name, each.span.line, each.span.end_line) for each in whole.children] == [
        ("parameter", "query", 7, 9),
        ("parameter", "limit", 10, 13),
        ("step", "find", 15, 19),
        ("step", "read_file", 20, 26),
        ("step", "shorten", 27, 29),
        ("script", "post_processing", 25, 26),
        ("script", "postprocess", 37, 38),
        ("example", "one", 31, 33),
    ]


def test_a_tool_can_be_run_from_its_file_and_from_each_example(serve: Serve) -> None:
    lenses = serve().lenses("find.md")
    assert [(each.command, each.tool, dict(each.arguments), each.span.line) for each in lenses] == [
        ("paper.run", "find-notes", {}, 1),
        ("paper.dryRun", "find-notes", {}, 1),
        ("paper.run", "find-notes", {"query": "garden"}, 31),
        ("paper.dryRun", "find-notes", {"query": "garden"}, 31),
    ]
    assert serve().lenses("helper.md") == []


def test_a_tool_with_errors_cannot_be_run(serve: Serve) -> None:
    service = serve()
    service.open("shorten.md", SHORTEN.replace("return transform", "transform"))
    assert service.lenses("shorten.md") == []


def test_words_are_marked_by_what_they_mean(serve: Serve) -> None:
    service = serve()
    lines = FIND.split("\n")
    found = {
        (lines[each.span.line - 1][each.span.column - 1 : each.span.end_column - 1], each.kind, each.is_definition)
        for each in service.tokens("find.md")
    }
    assert {
        ("find-notes", "function", True), ("query", "parameter", True), ("query", "parameter", False),
        ("find", "variable", True), ("find", "variable", False), ("search_files", "function", False),
        ("input", "keyword", False), ("results", "property", False), ("shorten", "function", False),
    } <= found  # fmt: skip
    places = [(each.span.line, each.span.column) for each in service.tokens("find.md")]
    assert places == sorted(set(places))


def test_references_show_their_types(serve: Serve) -> None:
    service = serve(recordings=Recorded({"find-notes": [RUN]}))
    hints = [(each.line, each.text) for each in service.hints("find.md", 1, 100)]
    assert hints == [(18, ": string"), (18, ": integer"), (19, ": integer"), (23, ": string"), (29, ": string")]
    assert service.hints("find.md", 1, 10) == []
