"""The document on the syntax of tool definitions: its examples run as they are printed."""

from __future__ import annotations

import re

import pytest
import yaml
from tests.desk import Desk
from tests.servers import Web

from paperagents.approval.question import Approved
from paperagents.messages import in_language
from paperagents.runs.note_log import format_yaml_log

from . import printed
from .reader import read_document, take_fence


def test_section_2_the_four_pieces_run_in_their_order(desk: Desk, service: str) -> None:
    desk.note("regelwerk.md", printed.rules_in_detail())
    record = desk.run("regelwerk", {"url": service})
    assert record.data == ["A", "B"]
    assert [entry["block"] for entry in record.execution_log] == ["preprocess", "tool", "postprocess"]


def test_section_6a_the_single_tool_searches_and_keeps_the_first_five(desk: Desk, service: str) -> None:
    desk.note("beispieltool.md", printed.beispieltool())
    record = desk.run("beispieltool", {"url": service, "query": "wort"})
    assert record.error is None
    assert record.data == [f"wort {number}" for number in range(5)]


def test_section_6a_the_query_that_it_reads_and_does_not_declare_is_told(desk: Desk) -> None:
    desk.note("beispieltool.md", printed.beispieltool())
    found = desk.problems("beispieltool.md")
    assert ("warning", "undeclared-input") in found
    assert "error" not in {severity for severity, _ in found}


def test_section_6b_the_chain_runs_as_printed_but_for_the_address_of_the_service(
    desk: Desk, service: str, web: Web, yes: Approved
) -> None:
    desk.note("save_results.md", printed.save_results())
    desk.note("chain.md", printed.chain_beispiel().replace(printed.API_EXAMPLE, f"{service}/scored"))
    record = desk.run("chain_beispiel", {"query": "  wort "}, yes)
    assert record.error is None
    assert web.requests[0].path == "/scored?q=wort"
    assert desk.text(f"results/{desk.vault.services.clock()['date']}.md") == '- {"score":0.9,"q":"wort"}\n'
    assert isinstance(record.data, dict)
    assert record.data["saved"] == 1


def test_section_6b_asks_the_address_that_is_printed(desk: Desk) -> None:
    desk.note("save_results.md", printed.save_results())
    desk.note("chain.md", printed.chain_beispiel())
    plan = desk.vault.plan("chain_beispiel", {"query": "  wort "})
    assert plan.planned is not None
    assert (plan.planned[0]["tool"], plan.planned[0]["arguments"]) == (
        "web_search",
        {"url": "https://api.example.com?q=wort", "method": "GET"},
    )


@pytest.mark.parametrize("field", ["tool: true", 'name: "beispieltool"'])
def test_section_2a_without_a_mandatory_field_it_is_no_tool(field: str, desk: Desk) -> None:
    desk.note("beispieltool.md", printed.beispieltool().replace(f"{field}\n", "", 1))
    assert [entry.file for entry in desk.vault.registry.entries() if entry.file and entry.valid] == []


@pytest.mark.parametrize("template", ["1. Grundstruktur einer Tool-Definition", "B. Pre-Processing-Block"])
def test_a_template_is_told_at_its_place(template: str, desk: Desk) -> None:
    text = take_fence("000", template)
    desk.note(
        "template.md", text if text.startswith("---") else f"---\ntool: true\nname: t\n---\n```javascript\n{text}```\n"
    )
    assert {severity for severity, _ in desk.problems("template.md")} >= {"error"}


def test_section_3b_a_block_without_return_is_told(desk: Desk) -> None:
    desk.note("beispieltool.md", printed.beispieltool().replace("return input;\n", "", 1))
    assert ("error", "missing-return") in desk.problems("beispieltool.md")


def test_section_3b_a_reference_that_leads_nowhere_is_told(desk: Desk) -> None:
    desk.note("beispieltool.md", printed.beispieltool().replace('"input.url"', '"input.ulr"'))
    assert ("error", "unknown-reference") in desk.problems("beispieltool.md")


def test_section_7_what_is_forbidden_is_told_before_it_runs(desk: Desk) -> None:
    (listed,) = re.findall(r"\*\*Verboten:\*\*\n +- (.+)\.", read_document("000"))
    forbidden = re.findall(r"`(.+?)`", listed)
    assert forbidden == ["require", "fs", "eval", "while(true)"]
    uses = {"require": 'require("x");', "fs": 'fs.read("x");', "eval": 'eval("1");', "while(true)": "while(true) {}"}
    for word in forbidden:
        text = printed.beispieltool().replace("return input;", f"{uses[word]}\nreturn input;")
        desk.note("beispieltool.md", text)
        assert "error" in dict(desk.problems("beispieltool.md")), word


def test_section_7_what_is_allowed_is_there(desk: Desk) -> None:
    (listed,) = re.findall(r"\*\*Erlaubt:\*\*\n +- (.+)\.\n", read_document("000"))
    names = [*re.findall(r"`(.+?)`", listed), "encodeURIComponent"]
    code = f"return [{', '.join(f'typeof {name}' for name in names)}];"
    desk.note("there.md", f"---\ntool: true\nname: there\ntype: single\ncustom_function: |\n  {code}\n---\n")
    assert desk.run("there").data == ["function", "function", "function", "object", "object", "function"]


def test_section_5_the_log_has_the_fields_and_the_words_of_the_document(desk: Desk) -> None:
    _, missing = yaml.safe_load(take_fence("000", "5. Fehlerbehandlung", "yaml"))["execution_log"]
    desk.note("beispieltool.md", printed.beispieltool())
    with in_language("de"):
        record = desk.run("beispieltool", {"query": "x"})
    entry = record.execution_log[0]
    assert {name: entry[name] for name in missing} == missing
    assert yaml.safe_load(format_yaml_log(record))["execution_log"][0]["message"] == missing["message"]


@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_section_5_a_syntax_error_is_told_in_the_words_of_the_document(language: str, desk: Desk) -> None:
    wrong, _ = yaml.safe_load(take_fence("000", "5. Fehlerbehandlung", "yaml"))["execution_log"]
    desk.note("beispieltool.md", printed.beispieltool().replace("return input;", "return = input;"))
    with in_language(language):
        record = desk.run("beispieltool", {"url": "http://127.0.0.1"})
    entry = record.execution_log[0]
    assert (entry["block"], entry["status"]) == (wrong["block"], wrong["status"])
    assert wrong["message"] in str(entry["message"])
    assert "beispieltool.md:15:" in str(entry["message"])


def test_section_2a_a_parameter_is_required_unless_it_says_otherwise(desk: Desk) -> None:
    desk.note("save_results.md", printed.save_results())
    desk.note("chain.md", printed.chain_beispiel())
    with in_language("de"):
        error = desk.run("chain_beispiel").error
    assert error is not None
    assert error["message"] == "Parameter 'query' ist Pflichtfeld"


def test_section_2b_preprocessing_returns_an_object(desk: Desk) -> None:
    desk.note("beispieltool.md", printed.beispieltool().replace("return input;", "return input.url;"))
    record = desk.run("beispieltool", {"url": "http://127.0.0.1"})
    assert (record.success, record.execution_log[0]["block"]) == (False, "preprocess")


def test_section_4_a_reference_reaches_into_the_output_before(desk: Desk) -> None:
    assert "`prev_step.output[0].path`" in read_document("000")
    desk.tool("listed", "custom_function: 'return [{path: \"notes/a.md\"}];'")
    desk.tool("echo", "parameters:\n  - {name: value, type: string}\ncustom_function: return input.value;")
    desk.chain("reach", '  - name: "listed"\n  - name: "echo"\n    parameters: {value: "prev_step.output[0].path"}')
    assert desk.run("reach").data == "notes/a.md"
