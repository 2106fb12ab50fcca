"""Hover, symbols, lenses, tokens and hints."""

from __future__ import annotations

import pytest
from tests.language.conftest import AGENT, FIND, SCRIPT, SHORTEN, Serve, place
from tests.language.test_completion import Recorded

from paperagents.language.fields import GROUPS, fields_of_group
from paperagents.language.surroundings import RecordedRun
from paperagents.messages import text as text_of
from paperagents.reading.tool_parameters import KEYWORDS

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


@pytest.mark.parametrize(
    ("file", "text", "words", "expected"),
    [
        ("find.md", FIND, "description: Finds", "What it does, for lists and for language models."),
        ("find.md", FIND, "description: What", "What to give, for forms and for language models."),
        ("find.md", FIND, "steps:", "The steps of a chain"),
        ("find.md", FIND, "tool: search_files", "The tool to call"),
        ("find.md", FIND, "parameters:\n      query", "every text in them may contain references"),
        ("find.md", FIND, "responses:", "Answers that stand in for tools"),
        ("find.md", FIND.replace("type: integer", "type: integer\n    minimum: 1"), "minimum", "JSON Schema"),
        (
            "find.md",
            FIND.replace("  - name: limit\n", "  - {name: limit, type: integer}\n"),
            "type: integer}",
            "`string`",
        ),
        ("shorten.md", SHORTEN, "custom_function", "JavaScript that gets `input`"),
        ("helper.md", AGENT, "evals:", "`paper eval` asks them"),
        ("helper.md", AGENT, "not_calls", "must not be called"),
    ],
)
def test_a_field_says_what_it_means_where_it_stands(
    file: str, text: str, words: str, expected: str, serve: Serve
) -> None:
    service = serve()
    service.open(file, text)
    hover = service.hover(file, place(text, words))
    assert hover is not None
    assert expected in hover.markdown
    assert (hover.span.line, hover.span.column) == (place(text, words).line, place(text, words, 0).column)


@pytest.mark.parametrize("words", ["name: x", "text: output", "x: 1", "query: garden", "find: { results"])
def test_what_is_no_field_of_the_format_is_not_explained_as_one(words: str, serve: Serve) -> None:
    text = FIND.replace("examples:", "x: 1\nexamples:").replace("const {", "// name: x\n      const {")
    service = serve()
    service.open("find.md", text)
    hover = service.hover("find.md", place(text, words))
    assert hover is None or not hover.markdown.startswith("**")


def test_every_field_is_explained_in_its_own_words() -> None:
    explained = {group: fields_of_group(group) for group in GROUPS}
    generic = text_of("field.keyword")
    missing = {
        (group, field)
        for group, fields in explained.items()
        for field, meaning in fields.items()
        if meaning == generic and field not in KEYWORDS
    }
    assert missing == set()


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


def test_a_file_of_javascript_has_its_parameters_as_parts(serve: Serve) -> None:
    [whole] = serve().symbols("loud.tool.js")
    assert [(each.kind, each.name, each.detail, each.selection.line) for each in whole.children] == [
        ("parameter", "word", "string", 4)
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
