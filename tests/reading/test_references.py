"""How references are written, and whether they can exist."""

from __future__ import annotations

from dataclasses import replace

import pytest

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.messages import in_language
from paperagents.reading.problems import ProblemList
from paperagents.reading.reference_checks import Scope, check_text
from paperagents.reading.references import Malformed, Reference, find_references, read_template


def shown(text: str) -> list[object]:
    """Literal text as it is, a reference as its path, what is malformed as an exclamation."""
    return [_shown(piece) for piece in read_template(text).pieces]


def _shown(piece: str | Reference | Malformed) -> object:
    match piece:
        case Reference():
            return piece.path
        case Malformed():
            return f"!{piece.text}"
    return piece


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("{{name}}", ("name",)),
        ("{{ name }}", ("name",)),
        ("{{prev_step.output[0].path}}", ("prev_step", "output", 0, "path")),
        ("{{a['b c'].d[\"e.f\"]}}", ("a", "b c", "d", "e.f")),
        ("{{größe}}", ("größe",)),
        ("{{文本.长度}}", ("文本", "长度")),
        ("{{quoted-name}}", ("quoted-name",)),
        ("input.url", ("input", "url")),
        ("input['a b']", ("input", "a b")),
        ("preprocess.query", ("preprocess", "query")),
        ("output.x", ("output", "x")),
        ("prev_step.output", ("prev_step", "output")),
        ("prev_step.output[12].a", ("prev_step", "output", 12, "a")),
        ("prev_step.outputs", ("prev_step", "outputs")),
        ("steps.find.output", ("steps", "find", "output")),
        ("steps['find it'].output.a", ("steps", "find it", "output", "a")),
    ],
)
def test_a_whole_reference_is_read_in_both_notations(text: str, path: tuple[str | int, ...]) -> None:
    whole = read_template(text).whole
    assert whole is not None
    assert (whole.path, whole.start, whole.end) == (path, 0, len(text))


@pytest.mark.parametrize(
    "text",
    [
        "", "input", "output", "prev_step", "steps", "steps.find", "prev_steps.output", "name", "item", "date",
        "input.url and more", " input.url", "input.url\n", "input.", "input.a b", "my-input.txt", "inputs.a",
        "a.output", "env.KEY", "https://example.com/input.url", "input..a", "{ {x} }", "}}", "{x}",
    ],
)  # fmt: skip
def test_other_texts_are_texts(text: str) -> None:
    assert shown(text) == ([text] if text else [])


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("a {{b}} c", ["a ", ("b",), " c"]),
        ("{{a}}{{b}}", [("a",), ("b",)]),
        (r"\input.txt", ["input.txt"]),
        (r"\{{a}}", ["{{a}}"]),
        (r"x\{{a}}{{b}}", ["x{{a}}", ("b",)]),
        (r"\input.txt and", [r"\input.txt and"]),
        (r"C:\notes\{{a}}", [r"C:\notes{{a}}"]),
        ("{{<tag a='{{x}}' />}}", ["{{<tag a='", ("x",), "' />}}"]),
        ('{{<vaultref id="x"/>}}', ['{{<vaultref id="x"/>}}']),
        ("{{open", ["{{open"]),
        ("{{}}", ["!"]),
        ("{{ }}", ["!"]),
        ("{{a b}}", ["!a b"]),
        ("{{a|b}}", ["!a|b"]),
        ("{{a.}}", ["!a."]),
        ("{{a[b]}}", ["!a[b]"]),
        ("{{#each x}}", ["!#each x"]),
    ],
)  # fmt: skip
def test_a_text_is_read_in_pieces(text: str, pieces: list[object]) -> None:
    assert shown(text) == pieces


def test_references_are_found_at_any_depth() -> None:
    value: JsonValue = {"a": ["{{x}}", {"b": "input.y"}], "c": 5, "d": None, "{{key}}": True}
    assert [reference.text for reference in find_references(value)] == ["x", "input.y"]


@pytest.mark.parametrize("piece", ["{{", "{{a.", "{{a[", "\\{{", "{{ ", "}}", "{{{", "{{<", "input.", "['"])
def test_any_repetition_is_read(piece: str) -> None:
    assert read_template(piece * 20_000).pieces


SCOPE = Scope(
    arguments={"title": {"type": "string"}, "user": {"type": "object"}, "sizes": {"type": "array"}},
    input={"type": "object", "properties": {"title": {"type": "string"}, "slug": {}}, "additionalProperties": False},
    environment=frozenset({"API_KEY"}),
    strict=True,
)
OPEN = replace(SCOPE, strict=False)
FOUND: JsonObject = {
    "type": "object",
    "properties": {"results": {"type": "array", "items": {"type": "object"}}, "count": {"type": "integer"}},
    "additionalProperties": False,
}
LATER = SCOPE.after("find", FOUND)
LOOP = Scope(arguments={}, input={}, in_loop=True)


def told(text: str, scope: Scope) -> list[str]:
    problems = ProblemList("a.md", text.split("\n"))
    check_text(Excerpt(text=text), scope, problems)
    with in_language("en"):
        return [
            f"{each.span.column} {each.code} {each.message} {each.hint or ''}".strip() for each in problems.in_order()
        ]


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("{{title}} {{slug}} {{user.name.first}} {{sizes[0].x}} {{date}} {{time}} {{random_id}}", SCOPE),
        ("input.slug", SCOPE),
        ("{{input}} {{preprocess.title}} {{title.length}} {{sizes.length}}", SCOPE),
        ("{{env.API_KEY}}", SCOPE),
        ("{{prev_step.output.results[0].anything.at.all}} {{steps.find.output.count}} {{find.output.results}}", LATER),
        ("output.count", LATER),
        ("{{item}} {{item.path}} {{index}} {{anything}}", LOOP),
        (r"\{{nobody}} {{<nobody />}} {{ open", SCOPE),
    ],
)
def test_what_can_exist_is_not_flagged(text: str, scope: Scope) -> None:
    assert told(text, scope) == []


@pytest.mark.parametrize(
    ("text", "scope", "column", "words"),
    [
        ("x {{titel}}", SCOPE, 3, "'title'"),
        ("{{input.slugg}}", SCOPE, 1, "'slug'"),
        ("input.nothing", SCOPE, 1, "There is: title, slug"),
        ("{{prev_step.output}}", SCOPE, 1, "no step before"),
        ("prev_step.output", SCOPE, 1, r"\prev_step.output"),
        ("output.md", SCOPE, 1, r"\output.md"),
        ("{{prev_step.outptu}}", LATER, 1, "'prev_step.output'"),
        ("{{prev_step}}", LATER, 1, "'prev_step.output'"),
        ("{{steps.find}}", LATER, 1, "'steps.find.output'"),
        ("{{find.results[0]}}", LATER, 1, "'find.output'"),
        ("{{find}}", LATER, 1, "'find.output'"),
        ("{{steps}}", LATER, 1, "There is: find"),
        ("{{prev_step.output.result}}", LATER, 1, "'results'"),
        ("{{prev_step.output.results.path}}", LATER, 1, "[0]"),
        ("{{prev_step.output.count.x}}", LATER, 1, "single value"),
        ("{{steps.fnd.output}}", LATER, 1, "'find'"),
        ("{{steps.other.output}}", LATER, 1, "no earlier step is named 'other'"),
        ("{{steps.other.output}}", LATER, 1, "There is: find"),
        ("{{steps.other.output}}", SCOPE, 1, "no step before"),
        ("{{fnd.output}}", LATER, 1, "'find'"),
        ("{{env.SECRET}}", SCOPE, 1, "SECRET"),
        ("{{item}}", SCOPE, 1, "item"),
        ("{{title.first}}", SCOPE, 1, "single value"),
        ("{{date.year}}", SCOPE, 1, "single value"),
        ("ä {{ }}", SCOPE, 3, r"\{{"),
    ],
)
def test_what_cannot_exist_is_told_with_what_there_is(text: str, scope: Scope, column: int, words: str) -> None:
    (problem,) = told(text, scope)
    assert problem.startswith(f"{column} ")
    assert words in problem


@pytest.mark.parametrize("text", ["{{extra}}", "{{extra.first[0]}}", "input.extra", "{{preprocess.extra.first}}"])
def test_what_nobody_declares_may_still_be_given(text: str) -> None:
    (problem,) = told(text, OPEN)
    assert problem.startswith("1 undeclared-input ")
    assert "no parameter 'extra'" in problem
    (refused,) = told(text, SCOPE)
    assert refused.startswith("1 unknown-reference ")


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("{{titel}}", OPEN),
        ("input.slugg", OPEN),
        ("{{other.output}}", OPEN.after("find", FOUND)),
        ("{{input.title.first}}", OPEN),
        ("{{title.first}}", OPEN),
        ("input.extra", replace(OPEN, input_has_arguments=False)),
        ("{{item}}", OPEN),
    ],
)
def test_what_no_caller_can_give_is_an_error(text: str, scope: Scope) -> None:
    (problem,) = told(text, scope)
    assert problem.startswith("1 unknown-reference ")


def test_every_wrong_reference_of_a_text_is_told() -> None:
    assert [problem.split()[0] for problem in told("{{a}} {{title}} {{b}}{{c d}}", SCOPE)] == ["1", "17", "22"]
