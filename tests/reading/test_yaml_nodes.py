"""YAML 1.2 core: what values mean, what is refused, and where everything stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.reading.problems import ProblemList
from paperagents.reading.yaml_core import scalar_value
from paperagents.reading.yaml_nodes import MAX_DEPTH, YamlMapping, YamlNode, YamlScalar, read_yaml


def read(text: str) -> tuple[YamlNode | None, list[str]]:
    problems = ProblemList("a.md", text.split("\n"))
    node = read_yaml(Excerpt(text=text), problems)
    return node, [f"{each.span.line}:{each.span.column} {each.code}" for each in problems.in_order()]


def plain(text: str) -> JsonValue:
    node, problems = read(text)
    assert problems == []
    assert node is not None
    return node.plain()


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("", None), ("~", None), ("null", None), ("NULL", None), ("Null", None), ("nULL", "nULL"),
        ("true", True), ("True", True), ("TRUE", True), ("false", False), ("tRUE", "tRUE"),
        ("yes", "yes"), ("no", "no"), ("on", "on"), ("off", "off"), ("y", "y"), ("NO", "NO"),
        ("0", 0), ("-0", 0), ("12", 12), ("+12", 12), ("-7", -7), ("010", 10), ("0o17", 15), ("0xFF", 255),
        ("0b11", "0b11"), ("1_000", "1_000"), ("12:30", "12:30"), ("12:30:45", "12:30:45"), ("-0x1", "-0x1"),
        ("1.5", 1.5), (".5", 0.5), ("5.", 5.0), ("-1e3", -1000.0), ("1E-2", 0.01), ("1e", "1e"), ("1.2.3", "1.2.3"),
        (".inf", ".inf"), ("-.INF", "-.INF"), (".nan", ".nan"), ("1e999", "1e999"), (".", "."), ("+", "+"), ("-", "-"),
        ("2024-01-01", "2024-01-01"), ("2024-01-01T10:00:00Z", "2024-01-01T10:00:00Z"), ("=", "="), ("<<", "<<"),
        ("1.0", 1.0), ("٣", "٣"), ("9" * 400, "9" * 400),
    ],
)  # fmt: skip
def test_an_unquoted_word_means_what_the_core_schema_says(written: str, value: JsonValue) -> None:
    found = scalar_value(written)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("quoted", ['"true"', "'1'", '"null"', "|-\n  true", ">-\n  12", "!!str 5", "! 5"])
def test_quoted_and_block_texts_are_texts(quoted: str) -> None:
    assert isinstance(plain(f"a: {quoted}"), dict)
    found, _ = read(f"a: {quoted}")
    assert isinstance(found, YamlMapping)
    assert isinstance(found.plain()["a"], str)


@given(st.text())
def test_any_word_has_a_meaning(text: str) -> None:
    assert scalar_value(text) is None or isinstance(scalar_value(text), bool | int | float | str)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb: [x, {c: d}]", {"a": 1, "b": ["x", {"c": "d"}]}),
        ("1: a\ntrue: b\nnull: c\n1.0: d", {"1": "a", "true": "b", "null": "c", "1.0": "d"}),
        ("a: &x [1]\nb: *x", {"a": [1], "b": [1]}),
        ("a: !!int 5\nb: !!float 5\nc: !!null ''", {"a": 5, "b": 5, "c": None}),
        ("d: !!map {}\ne: !!seq []", {"d": {}, "e": []}),
        ("<<: {a: 1}", {"<<": {"a": 1}}),
        ("\t# tab\na: 1\n\t \t# tabs\nb: 2", {"a": 1, "b": 2}),
        ("a: |\n  x\n   y\n\nb: >\n  x\n  y\n", {"a": "x\n y\n", "b": "x y\n"}),
        ("__proto__: 1\nconstructor: 2", {"__proto__": 1, "constructor": 2}),
        ("a: x\u2028y\nb: |\n  x\x85y\nc: 'x\u2029\ue000'", {"a": "x\u2028y", "b": "x\x85y\n", "c": "x\u2029\ue000"}),
        ('a: "\\u2028\\L\\N"', {"a": "\u2028\u2028\x85"}),
        (r'a: "\ud83d\ude00\uD83D\uDE00 \\\ud83d\ude00 \\ud83d\\ude00"', {"a": "😀😀 \\😀 \\ud83d\\ude00"}),
        (
            "a: '\\ud83d\\ude00'\nb: \\ud83d\\ude00\nc: |-\n  \\ud83d\\ude00",
            {"a": "\\ud83d\\ude00", "b": "\\ud83d\\ude00", "c": "\\ud83d\\ude00"},
        ),
        ('{"a\\ud83d\\ude00": "\u2028\ue000"}', {"a😀": "\u2028\ue000"}),
        ('["\\ud83d\\ude00\\ue000\\U0000E001", "\u2028"]', ["😀\ue000\ue001", "\u2028"]),
        ("a: x\n\t\nb: y\n\t \t\nc: [z,\n\t\n z]", {"a": "x", "b": "y", "c": ["z", "z"]}),
    ],
)  # fmt: skip
def test_documents_are_read_as_plain_values(text: str, value: JsonValue) -> None:
    assert plain(text) == value


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("a: 1\na: 2", ["2:1 yaml-duplicate-key"]),
        ("a: {b: 1, 'b': 2}", ["1:11 yaml-duplicate-key"]),
        ("a: 1\nb: 1\na: 2\na: 3", ["3:1 yaml-duplicate-key", "4:1 yaml-duplicate-key"]),
        ("a: &a [*a]", ["1:8 yaml-recursive-alias"]),
        ("a: &a {b: &b [*a]}", ["1:15 yaml-recursive-alias"]),
        ("a: *b", ["1:4 yaml-unknown-alias"]),
        ("a: *b\nb: &b 1", ["1:4 yaml-unknown-alias"]),
        ("? {a: 1}\n: 2", ["1:3 yaml-complex-key"]),
        ("a: {{b}}", ["1:4 yaml-unquoted-placeholder"]),
        ("a: !!python/name:os.system x", ["1:4 yaml-tag"]),
        ("a: !!set {b}", ["1:4 yaml-tag"]),
        ("a: !!binary aGk=", ["1:4 yaml-tag"]),
        ("a: !!int x\nb: !mine {}", ["1:4 yaml-tag", "2:4 yaml-tag"]),
        ("a: 1\n---\nb: 2", ["2:1 yaml-several-documents"]),
        ("a: \x01", ["1:4 yaml-syntax"]),
        ("a: [\n", ["1:4 yaml-syntax"]),
        ("a: {b: [1],\n\n", ["1:4 yaml-syntax"]),
        ("a:\n\tb: 1", ["2:1 yaml-syntax"]),
        (r'a: "\ud83d"', ["1:7 yaml-syntax"]),
        ('a: "\\ud83d\\ude00"\na: 1', ["2:1 yaml-duplicate-key"]),
        (r'{a: "\ud83d\ude00", a: 1}', ["1:21 yaml-duplicate-key"]),
    ],
)
def test_what_cannot_be_meant_is_told_at_its_place(text: str, problems: list[str]) -> None:
    assert read(text)[1] == problems


@pytest.mark.parametrize(
    ("value", "end"),
    [
        ("\n  b: 1\n  c: [2]\n\n\nz: 0", (3, 9)),
        ("\n  - b\n  - c  \nz: 0", (3, 6)),
        (" |\n  b\n  c\n\nz: 0", (3, 4)),
        (" [b,\n  c]\nz: 0", (2, 5)),
        (" word\nz: 0", (1, 8)),
        ("\nz: 0", (1, 3)),
    ],
)
def test_a_value_ends_with_its_last_sign(value: str, end: tuple[int, int]) -> None:
    node, _ = read(f"a:{value}")
    assert isinstance(node, YamlMapping)
    span = node.entries["a"][1].span
    assert (span.end_line, span.end_column) == end


def test_the_first_of_two_keys_counts() -> None:
    node, _ = read("a: 1\na: 2")
    assert node is not None
    assert node.plain() == {"a": 1}


def test_nesting_is_read_to_the_limit_and_refused_beyond() -> None:
    assert plain("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert read("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))[1] == [f"1:{MAX_DEPTH + 1} yaml-too-deep"]
    assert read("[" * 100_000)[1] == [f"1:{MAX_DEPTH + 1} yaml-too-deep"]


@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_an_alias_bomb_is_refused_before_it_is_written_out(brackets: str) -> None:
    lines = ["a0: &a0 [1, 2]"]
    for level in range(1, 40):
        inner = f"[*a{level - 1}, *a{level - 1}]" if brackets == "[]" else f"{{x: *a{level - 1}, y: *a{level - 1}}}"
        lines.append(f"a{level}: &a{level} {inner}")
    ((place, code),) = [problem.split() for problem in read("\n".join(lines))[1]]
    assert code == "yaml-too-large"
    assert int(place.split(":")[0]) <= 20


def test_many_aliases_of_something_small_are_fine() -> None:
    assert plain("a: &a {x: 1}\nb: [" + ", ".join(["*a"] * 1000) + "]")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: word X", (1, 9)),
        ('a: "word X"', (1, 10)),
        ("a: 'äöü😀 X'", (1, 10)),
        (r'a: "\ud83d\ude00 X"', (1, 18)),
        ("a: |\n  one\n  two X", (3, 7)),
        ("a: |-\n    one\n\n      two X", (4, 11)),
        ("a: |+\n  X\n\n", (2, 3)),
        ("- - a: |\n      X", (2, 7)),
    ],
)
def test_a_place_in_a_text_is_known_in_the_file(text: str, place: tuple[int, int]) -> None:
    node, _ = read(text)
    while not isinstance(node, YamlScalar):
        assert node is not None
        node = node.get("a") if isinstance(node, YamlMapping) else getattr(node, "items")[0]  # noqa: B009  either kind
    excerpt = node.excerpt()
    offset = excerpt.text.index("X")
    span = excerpt.span(offset, offset + 1)
    assert (span.line, span.column) == place
