"""What is checked about an agent's note before anybody asks it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paperagents.agents.toolbox import is_read_only, open_toolbox
from paperagents.definitions.tool import DEFAULT_TOOLS
from paperagents.registry.vault_checks import fits_pattern, is_pattern
from paperagents.tags import TagRegistry

from .conftest import Desk


def problems(desk: Desk, front: str = "", body: str = "Help.") -> list[str]:
    desk.agent(front, body)
    entry = next(each for each in desk.vault.registry.entries() if each.id == "helper")
    return [f"{each.span.line} {each.severity} {each.code}" for each in entry.problems]


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ("tools: [read_file, search_*]", []),
        ("tools: [read_fil]", ["6 error unknown-tool"]),
        ("tools: [zzz_*]", ["6 warning pattern-matches-nothing"]),
        ("tools: ['mcp:github/*']", []),
        ("agents: [expert]", ["6 error unknown-agent"]),
        ("agents: [read_file]", ["6 error unknown-agent"]),
        ("agents: [help*]", []),
        ("max_iterations: 0", ["6 error invalid-value"]),
        ("max_iterations: many", ["6 error wrong-type"]),
        ("temperature: 3", ["6 error invalid-value"]),
        ("budget: -5", ["6 error invalid-value"]),
        ("budget: {money: 0}", ["6 error invalid-value"]),
        ("budget: {tokens: 5, mony: 1}", ["6 warning unknown-field"]),
        ("timeout: 0", ["6 error invalid-value"]),
        ("protocol: tag", ["6 error invalid-value"]),
        ("tool: [read_file]", []),
        ("output: {type: object}", []),
        ("output: {type: [string, null]}", []),
        ("output: {type: objekt}", ["6 error invalid-schema"]),
        ("output: text", ["6 error wrong-type"]),
        ("max_tokens: 0", ["6 error invalid-value"]),
        ("max_token: 5", ["6 warning unknown-field"]),
        ("top_p: 2", ["6 error invalid-value"]),
        ("reasoning: high", []),
        ("reasoning: 2000", []),
        ("reasoning: {effort: low}", []),
        ("reasoning: {budget: 100}", []),
        ("reasoning: hihg", ["6 error invalid-value"]),
        ("reasoning: true", ["6 error wrong-type"]),
        ("stop: [END, STOP]", []),
        ("stop: {a: b}", ["6 error wrong-type"]),
        ("seed: -3", []),
        ("seed: 1.5", ["6 error wrong-type"]),
        ("context_tokens: many", ["6 error wrong-type"]),
        ("fallback: [a/b, c/d]", []),
        ("falback: a/b", ["6 warning unknown-field"]),
        ("extra: {a: 1}", []),
        ("extra: [1]", ["6 error wrong-type"]),
        ("extra: {messages: []}", ["6 error extra-reserved"]),
        ("images: yes", ["6 error wrong-type"]),
        ("evals: [{question: Hi, output_contains: x}]", []),
        ("evals: [{output: x}]", ["6 error missing-field"]),
        ("evals: [{question: Hi, outptu: x}]", ["6 warning unknown-field"]),
        ("evals: [{question: Hi, check: 'output.total > 3'}]", []),
        ("evals: [{question: Hi, check: 'return output.total > 3'}]", []),
        ("evals: [{question: Hi, check: 'output.total >'}]", ["6 error javascript-syntax"]),
        ("evals: [{question: Hi, calls: [{arguments: {}}]}]", ["6 error missing-field"]),
        ("evals: Hi", ["6 error wrong-type"]),
        ("pass: 0.8", []),
        ("pass: 80", ["6 error invalid-value"]),
        ("budget: {money: 1}", []),
        ("budget: {}", ["6 error invalid-value"]),
        ("budget: {coins: 5}", ["6 error invalid-value"]),
        ("budget: {cost: 5}", ["6 error invalid-value", "6 warning unknown-field"]),
        ("budget: {money: 5, usd: 5}", ["6 warning unknown-field"]),
        ("toolss: [read_file]", ["6 warning unknown-field"]),
        ("reasoning: {max_tokens: 100}", ["6 warning unknown-field"]),
        ("response_format: {type: json_object}", ["6 warning unknown-field"]),
        ("output_schema: {type: object}", ["6 warning unknown-field"]),
        ("reasoning_effort: high", ["6 warning unknown-field"]),
        ("max_completion_tokens: 5", ["6 warning unknown-field"]),
        ("context_window: 8000", ["6 warning unknown-field"]),
        ("stop_sequences: [END]", ["6 warning unknown-field"]),
        ("extra_body: {a: 1}", ["6 warning unknown-field"]),
        ("evals: [{question: Hi, expected: x}]", ["6 warning unknown-field"]),
        ("evals: [{question: Hi, contains: x}]", ["6 warning unknown-field"]),
        ("evals: [{question: Hi, remark: x}]", []),
        ("context: the garden", []),
        ("project: 5", []),
    ],
)
def test_a_mistake_is_told_where_it_stands(desk: Desk, front: str, expected: list[str]) -> None:
    assert problems(desk, front) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("{{date}} {{time}} {{random_id}} {{query}} {{input.x}}", []),
        ("{{topic}}", ["8 warning prompt-placeholder"]),
        ("One.\n{{a b}}", ["9 warning prompt-placeholder"]),
        ("\\{{topic}} {{<vaultref id='x' />}}", []),
    ],
)
def test_a_placeholder_that_is_not_known_is_a_warning(desk: Desk, body: str, expected: list[str]) -> None:
    assert problems(desk, "", body) == expected


def test_a_suggestion_names_what_was_probably_meant(desk: Desk) -> None:
    desk.agent("tools: [read_fil]")
    entry = next(each for each in desk.vault.registry.entries() if each.id == "helper")
    assert "'read_file'" in f"{entry.problems[0].message} {entry.problems[0].hint}"


def test_a_broken_agent_is_not_asked(desk: Desk) -> None:
    desk.agent("tools: [nothere]")
    record = desk.ask(["never"])
    assert record.error is not None
    assert record.error["code"] == "broken-file"


# --- what it is given


def granted(desk: Desk, front: str = "") -> set[str]:
    desk.agent(front)
    registry = desk.vault.registry
    return set(open_toolbox(registry.agent("helper"), registry.entries(), registry.tool, TagRegistry()).granted)


STORES = {"memory", "task", "goal", "datavault"}


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ("", {*DEFAULT_TOOLS, *STORES}),
        ("tools: []", STORES),
        ("tools: []\nmemory: false", set()),
        ("tools: [read_*]\nmemory: false", {"read_file"}),
        ("tools: ['*_file']\nmemory: false", {"read_file", "write_file"}),
        ("tools: [Counting]\nmemory: false", {"count"}),
        ("tools: ['*']\nmemory: false\nagents: ['*']", None),
    ],
)
def test_only_what_the_note_names_is_given(desk: Desk, front: str, expected: set[str] | None) -> None:
    desk.note("t.md", "---\ntool: true\nid: count\nname: Counting\ndescription: d\ncustom_function: return 1;\n---\n")
    found = granted(desk, front)
    if expected is not None:
        assert found == expected
    else:
        assert {"count", "write_file", "js_execute"} <= found
        assert "agent:helper" not in found


def test_a_broken_tool_is_left_out(desk: Desk) -> None:
    desk.note("t.md", "---\ntool: true\nid: count\nname: Counting\ntype: chain\n---\n")
    assert "count" not in granted(desk, "tools: ['*']")


@pytest.mark.parametrize(
    ("tool", "reads"),
    [
        ("custom_function: return 1;", True),
        ("steps:\n  - {tool: read_file, parameters: {filePath: a.md}}", True),
        ("steps:\n  - {tool: rest_request, parameters: {url: 'http://x.example', method: POST}}", False),
        ("steps:\n  - {tool: write_file, parameters: {filePath: a.md, content: x}}", False),
        ("steps:\n  - {tool: js_execute, parameters: {code: 'return 1'}}", False),
        ("approval: always\ncustom_function: return 1;", False),
    ],
)
def test_what_only_reads_is_plain_to_see(desk: Desk, tool: str, reads: bool) -> None:  # noqa: FBT001  a table
    desk.note("t.md", f"---\ntool: true\nid: t\nname: t\ndescription: d\n{tool}\n---\n")
    find = desk.vault.registry.tool
    assert is_read_only(find("t"), {}, find) is reads


@settings(deadline=None)
@given(st.text("ab*?", max_size=12), st.text("ab", max_size=12))
def test_patterns_mean_what_they_mean_to_a_shell(pattern: str, name: str) -> None:
    from fnmatch import fnmatchcase  # noqa: PLC0415  only to compare with

    assert fits_pattern(pattern, name) == fnmatchcase(name, pattern)
    assert is_pattern(pattern) == bool({"*", "?"} & set(pattern))
