"""``paper env``: secrets of tools and services, asked for without being shown."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TOOL = """---
tool: true
id: {id}
name: {id}
description: Talks to a service.
environment:
  - name: API_TOKEN
    type: string
    description: Who asks
    minLength: 4
    service: {host}
steps:
  - tool: search_files
    parameters: {{ query: "{{{{env.API_TOKEN}}}}" }}
---
"""


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Put lines into standard input, as a pipe would."""
    return lambda lines: monkeypatch.setattr("sys.stdin", io.StringIO(lines))


def write_tools(write: Callable[..., Path]) -> None:
    write("one.md", TOOL.format(id="one", host="api.example.com"))
    write("two.md", TOOL.format(id="two", host="https://API.example.com/v1"))
    write("other.md", TOOL.format(id="other", host="example.org"))


def configured(paper: Any, tool: str) -> bool:
    return bool(paper("env", tool, "--json").document["API_TOKEN"]["configured"])


def test_a_key_alone_is_asked_for_and_its_value_is_nowhere_to_be_seen(
    paper: Any, write: Callable[..., Path], typed: Callable[[str], None]
) -> None:
    write_tools(write)
    typed("geheim-123\n")
    answer = paper("env", "one", "API_TOKEN")
    assert answer.code == 0
    assert "geheim-123" not in answer.out + answer.err
    assert configured(paper, "one")
    assert not configured(paper, "two")


def test_an_empty_answer_changes_nothing(paper: Any, write: Callable[..., Path], typed: Callable[[str], None]) -> None:
    write_tools(write)
    paper("env", "one", "API_TOKEN=geheim-123")
    typed("\n")
    answer = paper("env", "one", "API_TOKEN")
    assert answer.code == 0
    assert "was left as it is" in answer.err
    assert configured(paper, "one")
    assert paper("env", "one", "API_TOKEN=").code == 0
    assert not configured(paper, "one")


def test_a_misspelt_key_is_told_before_anybody_types_a_secret(
    paper: Any, write: Callable[..., Path], typed: Callable[[str], None]
) -> None:
    write_tools(write)
    typed("geheim-123\n")
    answer = paper("env", "one", "API_TOKN")
    assert answer.code == 2
    assert "'API_TOKEN'" in answer.err
    assert "geheim" not in answer.err


def test_a_secret_of_a_service_serves_every_tool_that_declares_it(
    paper: Any, write: Callable[..., Path], typed: Callable[[str], None]
) -> None:
    write_tools(write)
    typed("geheim-123\n")
    answer = paper("env", "--service", "API.example.com", "API_TOKEN", "--json")
    assert answer.code == 0
    assert answer.document["API_TOKEN"] == {
        "required": True, "configured": True, "value": "***", "description": "Who asks", "default": None,
    }  # fmt: skip
    assert [configured(paper, tool) for tool in ("one", "two", "other")] == [True, True, False]
    ran = paper("run", "one", "--json")
    assert ran.document["success"]
    assert "geheim" not in ran.out


def test_the_secret_of_a_tool_comes_before_that_of_its_service(
    paper: Any, write: Callable[..., Path], vault: Path
) -> None:
    from paperagents.vault import Vault  # noqa: PLC0415  the command line above loads it anyway

    write_tools(write)
    paper("env", "--service", "api.example.com", "API_TOKEN=of-the-service")
    paper("env", "one", "API_TOKEN=of-the-tool")
    with Vault(vault) as opened:
        values = {each: opened.variables(opened.registry.tool(each))["API_TOKEN"] for each in ("one", "two")}
    assert values == {"one": "of-the-tool", "two": "of-the-service"}


@pytest.mark.parametrize("host", ["nobody.example", "http://", "a b", "../x"])
def test_a_service_that_no_tool_talks_to_is_refused(paper: Any, write: Callable[..., Path], host: str) -> None:
    write_tools(write)
    answer = paper("env", "--service", host, "API_TOKEN=geheim-123")
    assert answer.code == 2
    assert "geheim" not in answer.err


def test_a_missing_secret_comes_with_the_command_that_sets_it(paper: Any, write: Callable[..., Path]) -> None:
    write_tools(write)
    assert "paper env --service api.example.com API_TOKEN" in paper("run", "one").err
    write("own.md", TOOL.format(id="own", host="x").replace("    service: x\n", ""))
    assert "paper env own API_TOKEN" in paper("run", "own").err


def test_a_tool_without_variables_says_so(paper: Any, write: Callable[..., Path]) -> None:
    write("good.md")
    assert "declares no settings or secrets" in paper("env", "good").err
    assert paper("env", "--json").code == 2


def test_a_changed_file_is_told_with_the_command_that_confirms_it(paper: Any, write: Callable[..., Path]) -> None:
    write_tools(write)
    paper("env", "one", "API_TOKEN=geheim-123")
    write("one.md", TOOL.format(id="one", host="api.example.com") + "\nNew words.\n")
    assert not configured(paper, "one")
    ran = paper("run", "one", "--yes")
    assert (ran.code, "paper env one --confirm" in ran.err) == (1, True)
    assert "paper env one --confirm" in paper("env", "one").err
    confirmed = paper("env", "one", "--confirm", "--json")
    assert confirmed.document["API_TOKEN"]["configured"]
    assert paper("run", "one").code == 0
    assert "--confirm" not in paper("env", "one").err


def test_a_new_value_is_the_yes_to_the_file_as_it_is(paper: Any, write: Callable[..., Path]) -> None:
    write_tools(write)
    paper("env", "one", "API_TOKEN=geheim-123")
    write("one.md", TOOL.format(id="one", host="api.example.com") + "\nNew words.\n")
    assert paper("env", "one", "API_TOKEN=geheim-456").code == 0
    assert paper("run", "one").code == 0


def test_a_secret_of_a_service_needs_no_new_yes_when_a_tool_changes(paper: Any, write: Callable[..., Path]) -> None:
    write_tools(write)
    paper("env", "--service", "api.example.com", "API_TOKEN=geheim-123")
    write("one.md", TOOL.format(id="one", host="api.example.com") + "\nNew words.\n")
    assert paper("run", "one").code == 0
