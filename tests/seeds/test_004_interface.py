"""The tool interface: 004's own methods in one file, its rules, and what its tools may use."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.desk import Desk

from paperagents.messages import in_language

from . import printed
from .reader import read_document, take_fence


@pytest.fixture(autouse=True)
def tools(desk: Desk) -> None:
    desk.note("my-tool.tool.js", printed.minimal_tool())
    desk.note("tool-id.tool.js", printed.interface_tool())
    desk.vault.environments.set("tool-id", {"API_KEY": "geheim-123"})


def failed(desk: Desk, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    error = desk.run(tool, arguments).error
    assert error is not None
    return error


def test_the_minimal_tool_runs_and_its_empty_text_is_refused(desk: Desk) -> None:
    assert desk.run("my-tool", {"text": "abc"}).data == "ABC"
    with in_language("zh"):
        assert "“text” 至少需要 1 个字符" in str(failed(desk, "my-tool", {"text": ""})["message"])
    assert failed(desk, "my-tool", {})["code"] == "MISSING_REQUIRED_PARAM"


def test_the_metadata_is_the_manual(desk: Desk) -> None:
    (name,) = re.findall(r"name: '(.+?)'", take_fence("004", "getMetadata()"))
    manual = desk.vault.run("tool-id", mode="manual").data
    assert isinstance(manual, str)
    for told in (name, "功能说明", "1.0.0", "作者", "输入参数", "API密钥"):
        assert told in manual


def test_the_schema_gives_defaults_and_the_data_comes_back(desk: Desk) -> None:
    record = desk.run("tool-id", {"input": "abc"})
    assert record.data == "abc", record.error
    assert record.execution_log[0]["parameters"] == {"input": "abc", "count": 10, "format": "json"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"input": ""},
        {"input": "a" * 1001},
        {"input": "a b"},
        {"count": 0},
        {"count": 9999},
        {"count": "x"},
        {"format": "pdf"},
    ],
)
def test_every_rule_of_the_schema_refuses(wrong: dict[str, Any], desk: Desk) -> None:
    record = desk.run("tool-id", {"input": "abc", **wrong})
    assert not record.success
    assert record.exit_code == 2


def test_all_problems_are_told_at_once(desk: Desk) -> None:
    problems = failed(desk, "tool-id", {"input": "a b", "count": 9999, "format": "pdf"})["details"]["problems"]
    assert {each["parameter"] for each in problems} == {"input", "count", "format"}


def test_the_environment_is_checked_and_masked(desk: Desk) -> None:
    desk.vault.run("tool-id", {"API_KEY": ""}, mode="configure")
    assert failed(desk, "tool-id", {"input": "abc"})["code"] == "MISSING_ENV_VAR"
    shown = desk.vault.run("tool-id", {"API_KEY": "geheim-123"}, mode="configure").data
    assert isinstance(shown, dict)
    assert "geheim-123" not in str(shown)
    assert set(shown) == {"API_KEY", "TIMEOUT"}


def test_a_rule_of_the_author_is_told_in_the_words_of_the_author(desk: Desk) -> None:
    (words,) = re.findall(r"throw new Error\('(.+?)'\)", take_fence("004", "execute(params)"))
    record = desk.run("tool-id", {"input": "abc", "startDate": "2026-02-01", "endDate": "2026-01-01"})
    assert record.error is not None
    assert record.error["message"] == words


def test_the_log_of_the_tool_is_in_the_record(desk: Desk) -> None:
    console = str(desk.run("tool-id", {"input": "abc"}).execution_log[0]["console"])
    assert "开始处理" in console
    assert "处理成功" in console


LIMIT = {"code": "API_RATE_LIMIT", "message": "API调用频率超限", "hint": "等待60秒后重试", "retryable": True}
NO_FILE = {"code": "FILE_NOT_FOUND", "message": "文件不存在", "hint": "检查文件路径", "retryable": False}


@pytest.mark.parametrize(
    ("thrown", "expected"),
    [
        ("throw new Error('Rate Limit exceeded');", LIMIT),
        ("throw new Error('ENOENT: x');", NO_FILE),
    ],
)
def test_business_errors_have_the_words_of_the_document(thrown: str, expected: dict[str, Any], desk: Desk) -> None:
    assert all(str(expected[name]) in take_fence("004", "getBusinessErrors()") for name in ("code", "message", "hint"))
    desk.note("tool-id.tool.js", printed.interface_tool().replace("return text;", thrown))
    desk.vault.environments.confirm("tool-id")
    error = failed(desk, "tool-id", {"input": "abc"})
    assert {name: error[name] for name in expected} == expected


def test_a_missing_file_of_another_tool_is_matched(desk: Desk) -> None:
    reading = "return this.api.callTool('read_file', {filePath: 'no.md'});"
    desk.note("tool-id.tool.js", printed.interface_tool().replace("return text;", reading))
    desk.vault.environments.confirm("tool-id")
    error = failed(desk, "tool-id", {"input": "abc"})
    assert {name: error[name] for name in NO_FILE} == NO_FILE


def test_init_comes_before_and_cleanup_after_also_on_failure(desk: Desk) -> None:
    text = printed.interface_tool().replace("// 初始化资源", "this.api.logger.info('初始化资源');")
    text = text.replace("// 清理资源", "this.api.logger.info('清理资源');").replace(
        "return text;", "throw new Error('x');"
    )
    desk.note("tool-id.tool.js", text)
    desk.vault.environments.confirm("tool-id")
    console = str(desk.run("tool-id", {"input": "abc"}).execution_log[0]["console"])
    assert console.index("初始化资源") < console.index("开始处理") < console.index("清理资源")


def test_storage_is_kept_from_run_to_run(desk: Desk) -> None:
    text = printed.minimal_tool().replace(
        "return params.text.toUpperCase();",
        "const n = ((await this.api.storage.get('n')) ?? 0) + 1; await this.api.storage.set('n', n); return n;",
    )
    desk.note("my-tool.tool.js", text)
    assert [desk.run("my-tool", {"text": "x"}).data for _ in range(2)] == [1, 2]


def test_a_bridge_answers_for_real_in_a_run_and_as_a_mock_in_a_dry_run(desk: Desk) -> None:
    bridges = "getBridges() { return { 'a:b': { real: async v => ({ real: v }), mock: async v => ({ mock: v }) } }; },"
    text = printed.minimal_tool().replace("getSchema()", f"{bridges}\n  getSchema()", 1)
    desk.note("my-tool.tool.js", text.replace("params.text.toUpperCase()", "this.api.bridge.execute('a:b', { q: 1 })"))
    assert desk.run("my-tool", {"text": "x"}).data == {"real": {"q": 1}}
    assert desk.vault.plan("my-tool", {"text": "x"}).data == {"mock": {"q": 1}}


def test_declared_packages_are_shown_and_asked_for_before_they_are_installed(desk: Desk) -> None:
    desk.note("tool-id.tool.js", printed.interface_tool(dependencies=True))
    desk.vault.environments.confirm("tool-id")
    declared = dict(re.findall(r"'([\w-]+)': '(\^[\d.]+)'", take_fence("004", "getDependencies()")))
    assert dict(desk.vault.registry.tool("tool-id").dependencies) == declared
    assert desk.run("tool-id", {"input": "abc"}).status in ("waiting", "failed")


@pytest.mark.parametrize("mode", ["execute", "manual", "configure", "log", "dryrun"])
def test_every_mode_answers(mode: Any, desk: Desk) -> None:
    arguments = {"input": "abc"} if mode in ("execute", "dryrun") else {}
    assert desk.vault.run("tool-id", arguments, mode=mode).success


def test_a_method_of_the_document_is_known(desk: Desk) -> None:
    named = set(re.findall(r"\b(get[A-Z]\w+|execute|init|cleanup)\(", read_document("004")))
    assert {"getMetadata", "getSchema", "execute", "getDependencies", "getBusinessErrors", "init", "cleanup"} <= named
    assert "error" not in dict(desk.problems("tool-id.tool.js"))


@pytest.mark.parametrize(
    ("schema", "wrong"),
    [
        ("type: 'boolean'", "x"),
        ("type: 'string', format: 'email'", "nomail"),
        ("type: 'array', items: { type: 'number' }", ["x"]),
        ("type: 'object', properties: { n: { type: 'number' } }, required: ['n']", {}),
        ("type: 'object', properties: {}, additionalProperties: false", {"y": 1}),
        (
            "type: 'object', properties: { list: { type: 'array', items: { type: 'object', required: ['n'] } } }",
            {"list": [{}]},
        ),
    ],
)
def test_formats_structures_and_nested_values_are_checked(schema: str, wrong: Any, desk: Desk) -> None:
    desk.note("my-tool.tool.js", printed.minimal_tool().replace("type: 'string', minLength: 1", schema))
    record = desk.run("my-tool", {"text": wrong})
    assert (record.success, record.exit_code) == (False, 2)


def test_a_validate_method_is_not_needed_and_not_called(desk: Desk) -> None:
    assert "无需validate方法" in read_document("004")
    text = printed.minimal_tool().replace("getSchema()", "validate() { throw new Error('called'); },\n  getSchema()", 1)
    desk.note("my-tool.tool.js", text)
    assert desk.run("my-tool", {"text": "abc"}).data == "ABC"


def test_what_a_tool_wants_changed_is_asked(desk: Desk) -> None:
    call = "this.api.callTool('write_file', { filePath: 'new.md', content: params.text })"
    desk.note("my-tool.tool.js", printed.minimal_tool().replace("params.text.toUpperCase()", call))
    assert desk.run("my-tool", {"text": "abc"}).status == "waiting"
    assert not (desk.root / "new.md").exists()
