"""How references are written, and what is none."""

from __future__ import annotations

import pytest

from paperagents.definitions.json_value import JsonValue
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
