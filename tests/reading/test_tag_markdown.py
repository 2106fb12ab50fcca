"""Notes with ``tag: true``: what cannot be a tag is told at its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest

HEAD = "---\ntag: true\nid: notify\nname: Notify\ndescription: Tells something.\n"


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ("patterns: abc", "6:11 tag-definition-wrong"),
        ("patterns: {block: 5}", "6:19 tag-definition-wrong"),
        ('patterns: {block: "@x(.*)"}', "6:11 tag-pattern-unsupported"),
        ("words: 5", "6:8 tag-definition-wrong"),
        ("words: [a b]", "6:8 tag-definition-wrong"),
        ("storage: [a]", "6:10 tag-definition-wrong"),
        ("schema:\n  raw_content: 7", "7:16 tag-definition-wrong"),
        ("schema:\n  content_attribute: [a]", "7:22 tag-definition-wrong"),
        ("schema:\n  attributes:\n    a: 5", "8:8 tag-definition-wrong"),
        ("schema:\n  attributes:\n    a: {type: colour}", "8:15 tag-definition-wrong"),
        ("schema:\n  attributes:\n    a: {type: enum, values: 5}", "8:29 tag-definition-wrong"),
        ("schema:\n  attributes:\n    a: {aliases: {b: c}}", "8:18 tag-definition-wrong"),
        ("schema:\n  attributes: [a]", "7:15 wrong-type"),
    ],
)
def test_what_cannot_be_a_tag_is_told_at_its_place(fields: str, problem: str, check: Callable[..., list[str]]) -> None:
    place, code = problem.split()
    assert check(f"{HEAD}{fields}\n---\n") == [f"{place} error {code}"]


@pytest.mark.parametrize(
    "fields",
    [
        "version: 2",
        "type: SELF_CLOSING\ncategory: Storage",
        "storage: memory",
        "storage: my_tool",
        "storage:",
        "words: note",
        "schema:\n  attributes:\n    a:",
        "schema:\n  attributes:\n    a: {type: enum, values: [1, 2]}",
        r"patterns: {selfClosing: '{{<notify\s+([^>]*)\s*\/>}}'}",
    ],
)
def test_what_can_be_a_tag_has_no_problem(fields: str, check: Callable[..., list[str]]) -> None:
    assert check(f"{HEAD}{fields}\n---\n") == []
