"""The architecture plan: its tables on approval, limits, errors and settings hold."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.desk import Desk, Person
from tests.servers import Web

from paperagents.approval.question import Approved
from paperagents.known_settings import SETTING_SPECS

from .reader import read_document, take_fence, take_table

CALLS: dict[str, Callable[[str], tuple[str, dict[str, Any]]]] = {
    "search_files": lambda _: ("search_files", {"query": "x"}),
    "read_file": lambda _: ("read_file", {"filePath": "a.md"}),
    "write_file": lambda _: ("write_file", {"filePath": "new.md", "content": "x"}),
    "rest_request (GET)": lambda url: ("rest_request", {"url": url}),
    "rest_request (PUT/POST)": lambda url: ("rest_request", {"url": url, "method": "PUT"}),
    "Custom JS": lambda _: ("compute", {}),
}
POLICY = {row[0]: row[1] for row in take_table("003", "### 9.1 HITL-Szenarien")}


@pytest.fixture(autouse=True)
def vault_to_try(desk: Desk, web: Web) -> None:
    desk.note("a.md", "x")
    desk.tool("compute", "custom_function: return 1;")
    web.otherwise = (200, "{}")


@pytest.mark.parametrize("operation", CALLS)
def test_section_9_1_who_is_asked_is_what_the_table_says(operation: str, desk: Desk, web: Web) -> None:
    tool, arguments = CALLS[operation](web.url())
    person = Person([Approved()])
    assert desk.vault.run(tool, arguments, approver=person).success
    assert bool(person.asked) == ("MUSS" in POLICY[operation])


def test_section_9_1_every_row_of_the_table_is_tried() -> None:
    assert set(POLICY) == set(CALLS)


@pytest.mark.parametrize("operation", ["search_files", "read_file", "rest_request (GET)"])
def test_section_9_1_what_is_optional_can_be_asked(
    operation: str, desk: Desk, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Optional" in POLICY[operation]
    monkeypatch.setenv("PAPER_APPROVAL_READS", "true")
    tool, arguments = CALLS[operation](web.url())
    person = Person([Approved()])
    assert desk.reopened().run(tool, arguments, approver=person).success
    assert len(person.asked) == 1


def test_section_9_1_custom_javascript_can_be_asked(desk: Desk) -> None:
    desk.tool("compute", "approval: always\ncustom_function: return 1;")
    assert desk.run("compute").status == "waiting"


def test_section_9_2_the_limits_are_those_of_the_plan_and_can_be_set() -> None:
    (seconds,) = re.findall(r"Max\. Execution-Time: (\d+) Sekunden \(konfigurierbar\)", read_document("003"))
    (megabytes,) = re.findall(r"Max\. Memory: (\d+)MB \(konfigurierbar\)", read_document("003"))
    assert SETTING_SPECS["sandbox.timeout"].default == float(seconds)
    assert SETTING_SPECS["sandbox.memory_mb"].default == int(megabytes)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("for (;;) { if (input.never) break; }", "sandbox-timeout"),
        ("const a = []; for (;;) { a.push('x'.repeat(1e6) + a.length); if (a.never) break; }", "sandbox-memory"),
    ],
)
def test_section_9_2_a_breach_ends_the_block_and_harms_nothing_else(
    code: str, expected: str, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPER_SANDBOX_TIMEOUT", "1" if expected == "sandbox-timeout" else "60")
    monkeypatch.setenv("PAPER_SANDBOX_MEMORY_MB", "32")
    desk.tool(
        "greedy",
        f"parameters:\n  - {{name: never, type: string, required: false}}\ncustom_function: |\n  {code}\n  return 1;",
    )
    vault = desk.reopened()
    error = vault.run("greedy").error
    assert error is not None
    assert error["code"] == expected
    assert vault.run("compute").data == 1


@pytest.mark.parametrize(
    "code", ["return require('fs');", "return fetch('http://x');", "return typeof Deno + typeof process.env;"]
)
def test_section_9_2_no_file_system_and_no_network(code: str, desk: Desk) -> None:
    desk.tool("prying", f"custom_function: {json.dumps(code)}")
    assert not desk.run("prying").success


# --- section 10: what may go wrong


def test_section_10_an_error_in_yaml_is_told_with_its_place(desk: Desk) -> None:
    desk.note("broken.md", "---\ntool: true\nname: [x\n---\n")
    assert desk.problems("broken.md") == [("error", "yaml-syntax")]


def test_section_10_wrong_parameters_are_told_with_what_is_wanted(desk: Desk) -> None:
    desk.tool("one", "parameters:\n  - {name: n, type: number, description: d}\ncustom_function: return input.n;")
    error = desk.run("one", {"n": "12abc"}).error
    assert error is not None
    assert "'n'" in str(error["message"])
    assert error["hint"]


def test_section_10_a_timeout_is_logged_with_its_place(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPER_SANDBOX_TIMEOUT", "1")
    never = "parameters:\n  - {name: never, type: string, required: false}\n"
    desk.tool("slow", f"{never}custom_function: |\n  for (;;) {{ if (input.never) break; }}\n  return 1;")
    error = desk.reopened().run("slow").error
    assert error is not None
    assert isinstance(error["details"], dict)
    assert isinstance(error["details"]["stack"], list)
    assert error["details"]["stack"]


def test_section_10_a_file_that_is_not_there_is_told_with_the_nearest_paths(desk: Desk) -> None:
    desk.note("notes/garden.md", "x")
    error = desk.run("read_file", {"filePath": "notes/gardn.md"}).error
    assert error is not None
    assert "notes/garden.md" in f"{error['message']} {error['hint']}"


def test_section_10_an_answer_of_4xx_or_5xx_is_an_error_with_the_answer(desk: Desk, web: Web) -> None:
    web.answers["/refused"] = (503, '{"why": "busy"}')
    error = desk.run("rest_request", {"url": web.url("/refused")}).error
    assert error is not None
    assert "busy" in json.dumps(error["details"])


# --- sections 3 and 5


def test_section_3_the_context_and_the_log_have_the_fields_of_the_plan(desk: Desk) -> None:
    desk.tool("seen", "parameters:\n  - {name: a, type: string, description: d}\ncustom_function: return context;")
    record = desk.run("seen", {"a": "b"})
    assert isinstance(record.data, dict)
    assert set(record.data) >= {"parameters", "steps", "date", "time", "random_id"}
    assert set(record.execution_log[0]) >= {
        "name", "parameters", "output", "message", "hitl_required", "hitl_confirmed", "timestamp"
    }  # fmt: skip
    assert set(record.as_json()) >= {"success", "data", "error", "execution_log"}


def test_section_3_2_the_types_of_parameters_are_those_of_the_plan(desk: Desk) -> None:
    (printed,) = re.findall(r"type ParameterType = (.+);", take_fence("003", "3.2 Parameter"))
    values = {"string": "x", "number": 1.5, "boolean": True, "array": [1], "object": {"a": 1}}
    assert [each.strip(' "') for each in printed.split("|")] == list(values)
    for kind, value in values.items():
        desk.tool(
            "typed", f"parameters:\n  - {{name: p, type: {kind}, description: d}}\ncustom_function: return input.p;"
        )
        assert desk.run("typed", {"p": value}).data == value


def test_section_5_the_key_and_the_limits_are_settings() -> None:
    assert "OpenRouter-Key, Sandbox-Limits" in read_document("003")
    assert {"llm.api_key", "sandbox.timeout", "sandbox.memory_mb"} <= set(SETTING_SPECS)
    assert "openrouter.ai" in str(SETTING_SPECS["llm.base_url"].default)


def test_section_8_4_what_is_secret_is_never_logged(desk: Desk, web: Web) -> None:
    record = desk.run("rest_request", {"url": web.url(), "headers": {"Authorization": "Bearer geheim-123"}})
    assert record.success
    assert "geheim-123" not in json.dumps(record.as_json())


@pytest.mark.parametrize("path", ["../outside.md", "/../outside.md", ".paper/settings.toml"])
def test_section_4_5_files_are_reached_inside_the_vault_only(path: str, desk: Desk) -> None:
    (desk.root.parent / "outside.md").write_text("x", encoding="utf-8")
    assert not desk.run("read_file", {"filePath": path}).success
