"""Tools that are one JavaScript file run in the sandbox, with their api at hand."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import wait_until

import paperagents
from paperagents.approval.question import ApprovalRequest, Approved, Denied
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import PaperError
from paperagents.npm.packages import packages_of
from paperagents.vault import Vault

TOOL = """\
module.exports = {
  getMetadata() { return { id: 'tool-id', name: '工具', description: '功能说明' }; },
  getSchema() {
    return {
      parameters: {
        type: 'object',
        properties: {
          input: { type: 'string', minLength: 1, maxLength: 1000, pattern: '^[\\\\w]+$' },
          count: { type: 'number', minimum: 1, maximum: 100, default: 10 },
          format: { type: 'string', enum: ['json', 'xml', 'text'], default: 'json' }
        },
        required: ['input']
      },
      environment: {
        type: 'object',
        properties: { API_KEY: { type: 'string' }, TIMEOUT: { type: 'number', default: 7 } },
        required: ['API_KEY']
      }
    };
  },
  getBusinessErrors() {
    return [
      { code: 'API_RATE_LIMIT', description: '频率超限', match: /rate limit/i, solution: '等待60秒', retryable: true },
      { code: 'FILE_NOT_FOUND', description: '文件不存在', match: 'ENOENT', retryable: false },
      { code: 'BY_FUNCTION', description: 'f', match: error => error.message === 'exactly', retryable: false }
    ];
  },
  getBridges() { return { ask: { real: value => 'real ' + value, mock: value => 'mock ' + value } }; },
  async init() { this.prepared = 'prepared'; },
  async cleanup() { this.api.logger.info('cleaned'); },
  helper(text) { return this.prepared + ' ' + text; },
  async execute(params) {
    const { api } = this;
    switch (params.input) {
      case 'fail_rate': throw new Error('Rate Limit exceeded');
      case 'fail_text': throw new Error('ENOENT: no such file');
      case 'fail_function': throw new Error('exactly');
      case 'fail_other': throw new Error('something else');
      case 'write': return api.callTool('write_file', { filePath: 'made.md', content: 'hello' });
      case 'call': return api.callTool('t-two', { input: '' });
      case 'read': return api.callTool('read_file', { filePath: 'none.md' });
      case 'reword':
        return api.callTool('read_file', { filePath: 'none.md' })
          .catch(error => { throw new Error('My own: ' + error.code); });
      case 'bridge': return api.bridge('ask', 'x');
      case 'load': return api.importx('lo' + 'dash');
      case 'loop': for (;;);
    }
    api.storage.set('count', (api.storage.get('count') ?? 0) + 1);
    return { ...params, said: this.helper('!'), runs: api.storage.get('count'), timeout: api.environment.get('TIMEOUT'),
             key: api.environment.get('API_KEY'), id: api.getInfo().id };
  }
};
"""
BRIDGES = "return { ask: { real: value => 'real ' + value, mock: value => 'mock ' + value } }"


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = tmp_path / "vault"
    (root / ".paper").mkdir(parents=True)
    (root / "t.tool.js").write_text(TOOL, encoding="utf-8")
    with paperagents.open_vault(root) as opened:
        opened.environments.set("tool-id", {"API_KEY": "very-secret-key"})
        yield opened


def test_it_gets_its_arguments_with_defaults_its_environment_and_its_own_methods(vault: Vault) -> None:
    run = vault.run("tool-id", {"input": "abc"})
    assert run.data == {
        "input": "abc", "count": 10, "format": "json", "said": "prepared !", "runs": 1, "timeout": 7, "key": "***",
        "id": "tool-id",
    }  # fmt: skip
    assert run.execution_log[0]["console"] == [{"level": "info", "text": "cleaned"}]


def test_what_it_keeps_is_there_in_the_next_run(vault: Vault) -> None:
    vault.run("tool-id", {"input": "abc"})
    data = vault.run("tool-id", {"input": "abc"}).data
    assert isinstance(data, dict)
    assert data["runs"] == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"input": ""}, "INVALID_PARAM_VALUE"),
        ({"input": "abc", "count": 9999}, "INVALID_PARAM_VALUE"),
        ({"input": "abc", "format": "pdf"}, "INVALID_PARAM_VALUE"),
        ({"input": 5}, "INVALID_PARAM_TYPE"),
        ({}, "MISSING_REQUIRED_PARAM"),
    ],
)
def test_its_schema_is_enforced(vault: Vault, arguments: JsonObject, code: str) -> None:
    run = vault.run("tool-id", arguments)
    assert (run.status, run.exit_code) == ("failed", 2)
    assert run.error is not None
    assert run.error["code"] == code


@pytest.mark.parametrize(
    ("given", "code", "retryable"),
    [
        ("fail_rate", "API_RATE_LIMIT", True),
        ("fail_text", "FILE_NOT_FOUND", False),
        ("fail_function", "BY_FUNCTION", False),
    ],
)
def test_a_failure_it_has_a_name_for_is_told_by_that_name(
    vault: Vault, given: str, code: str, *, retryable: bool
) -> None:
    error = vault.run("tool-id", {"input": given}).error
    assert error is not None
    assert (error["code"], error["retryable"]) == (code, retryable)


def test_any_other_failure_points_into_the_file(vault: Vault) -> None:
    error = vault.run("tool-id", {"input": "fail_other"}).error
    assert error is not None
    details = error["details"]
    assert isinstance(details, dict)
    assert isinstance(details["stack"], list)
    line = next(n for n, text in enumerate(TOOL.split("\n"), 1) if "something else" in text)
    assert details["stack"][0]["line"] == line  # type: ignore[call-overload,index]


def test_a_write_through_its_api_is_asked(vault: Vault) -> None:
    assert vault.run("tool-id", {"input": "write"}).status == "waiting"
    assert vault.run("tool-id", {"input": "write"}, approver=lambda _: Denied(reason="no")).status == "denied"
    assert not (vault.root / "made.md").exists()
    assert vault.run("tool-id", {"input": "write"}, approver=lambda _: Approved()).success
    assert (vault.root / "made.md").read_text() == "hello"


SPEAKING = """\
module.exports = {
  getMetadata() { return { id: 'speaks', name: 'speaks', description: 'd' }; }, getSchema() { return {}; },
  init() { this.api.logger.info('init'); },
  async execute() {
    this.api.logger.info('work');
    for (const filePath of ['a.md', 'b.md']) {
      await this.api.callTool('write_file', { filePath, content: 'x' }).catch(error => console.log(error.code));
    }
    this.api.storage.set('denied', true);
    return 'caught';
  },
  cleanup() { this.api.logger.info('cleanup'); },
};
"""


def test_after_a_no_it_cleans_up_but_calls_nothing_more(vault: Vault) -> None:
    (vault.root / "speaks.tool.js").write_text(SPEAKING)
    asked = []

    def deny(request: ApprovalRequest) -> Denied:
        asked.append(request)
        return Denied(reason="no")

    run = vault.run("speaks", {}, approver=deny)
    (entry,) = [each for each in run.execution_log if each["block"] == "custom_function"]
    assert isinstance(entry["console"], list)
    said = [line["text"] for line in entry["console"] if isinstance(line, dict)]
    assert (run.status, run.data, len(asked)) == ("denied", None, 1)
    assert said == ["init", "work", "denied", "denied", "cleanup"]
    assert vault.services.storage.load("speaks") == {"denied": True}


def test_while_it_waits_it_does_not_clean_up(vault: Vault) -> None:
    (vault.root / "speaks.tool.js").write_text(SPEAKING)
    run = vault.run("speaks", {})
    assert (run.status, run.execution_log[-1]["console"]) == ("waiting", [])


def test_a_no_counts_whatever_it_does_afterwards(vault: Vault) -> None:
    vault.__dict__["services"] = replace(vault.services, module_limits=vault.limits.lowered_to(seconds=0.2))
    for afterwards in ("throw new Error('other')", "return 5n", "for (let i = 0;; i++) if (i < 0) break"):
        (vault.root / "speaks.tool.js").write_text(SPEAKING.replace("return 'caught'", afterwards))
        assert vault.run("speaks", {}, approver=lambda _: Denied(reason="no")).status == "denied"


@pytest.mark.parametrize("called", ["1", "number === 1 ? 2 : 1", "number + 1"])
def test_what_is_nested_too_deep_is_told_as_that(vault: Vault, called: str) -> None:
    for number in range(1, 18):
        told = f"getMetadata() {{ return {{ id: 't{number}', name: 't{number}', description: 'd' }}; }}"
        called_tool = f"execute() {{ const number = {number}; return this.api.callTool('t' + ({called})); }}"
        code = f"module.exports = {{ {told}, getSchema() {{ return {{}}; }}, {called_tool} }};"
        (vault.root / f"t{number}.tool.js").write_text(code)
    written = time.time_ns()
    # From here on the files are known without being read.
    wait_until(lambda: time.time_ns() - written > 200_000_000)
    vault.registry.refresh()
    with paperagents.open_vault(vault.root) as again:
        error = again.run("t1", {}).error
    assert error is not None
    assert error["code"] == "too-deep"


def test_its_environment_is_what_was_set_and_nothing_else(vault: Vault) -> None:
    (vault.root / "asks.tool.js").write_text(
        "module.exports = { getMetadata() { return { id: 'asks', description: 'd' }; }, getSchema() { return {}; },"
        " execute() { return ['constructor', 'toString'].map(name => this.api.environment.get(name) ?? null); } };"
    )
    assert vault.run("asks", {}).data == [None, None]


def test_loading_a_package_is_also_a_global_function(vault: Vault) -> None:
    (vault.root / "asks.tool.js").write_text(
        "const importx = 'a name of its own';"
        "module.exports = { getMetadata() { return { id: 'asks', description: 'd' }; }, getSchema() { return {}; },"
        " execute() { return [typeof globalThis.importx, typeof loadModule, importx]; } };"
    )
    assert vault.run("asks", {}).data == ["function", "function", "a name of its own"]


def test_a_call_that_it_does_not_catch_fails_it_as_a_step_fails_a_chain(vault: Vault) -> None:
    (vault.root / "two.tool.js").write_text(TOOL.replace("tool-id", "t-two"), encoding="utf-8")
    (vault.root / "t.tool.js").write_text(TOOL.replace("match: 'ENOENT'", "match: 'EPIPE'"), encoding="utf-8")
    vault.environments.confirm("tool-id")
    for given, tool, arguments in (("call", "t-two", {"input": ""}), ("read", "read_file", {"filePath": "none.md"})):
        direct, record = vault.run(tool, arguments).error, vault.run("tool-id", {"input": given})
        assert direct is not None
        assert (record.status, record.exit_code) == ("failed", 1)
        assert record.error == {**direct, "step": 1, "block": "custom_function"}


def test_a_call_that_it_catches_and_tells_in_its_own_words_is_its_own_error(vault: Vault) -> None:
    error = vault.run("tool-id", {"input": "reword"}).error
    assert error is not None
    assert error["code"] == "javascript-error"
    assert "My own: file-not-found" in str(error["message"])


def test_a_dry_run_asks_the_mocks_and_keeps_nothing(vault: Vault) -> None:
    assert vault.plan("tool-id", {"input": "bridge"}).data == "mock x"
    assert vault.run("tool-id", {"input": "bridge"}).data == "real x"
    vault.plan("tool-id", {"input": "abc"})
    data = vault.run("tool-id", {"input": "abc"}).data
    assert isinstance(data, dict)
    assert data["runs"] == 1


def test_a_bridge_may_also_be_executed_by_its_name(vault: Vault) -> None:
    whole = "return { ask: { real: (given, api) => given.a + api.getInfo().id, mock: given => given } }"
    code = TOOL.replace("api.bridge('ask', 'x')", "api.bridge.execute('ask', { a: 'is ' })").replace(BRIDGES, whole)
    (vault.root / "t.tool.js").write_text(code, encoding="utf-8")
    vault.environments.confirm("tool-id")
    assert vault.run("tool-id", {"input": "bridge"}).data == "is tool-id"
    assert vault.plan("tool-id", {"input": "bridge"}).data == {"a": "is "}


def test_it_knows_what_it_says_about_itself(vault: Vault) -> None:
    told = "id: 'tool-id', name: '工具', version: '1.0.0', author: '作者', category: 'c', tags: ['t'], description: 'd'"
    code = TOOL.replace("id: 'tool-id', name: '工具', description: '功能说明'", told)
    (vault.root / "t.tool.js").write_text(code.replace("api.bridge('ask', 'x')", "api.getInfo()"), encoding="utf-8")
    vault.environments.confirm("tool-id")
    about = {"id": "tool-id", "name": "工具", "description": "d", "version": "1.0.0", "author": "作者", "category": "c",
             "tags": ["t"]}  # fmt: skip
    assert vault.run("tool-id", {"input": "bridge"}).data == {**about, "dry_run": False}
    assert vault.plan("tool-id", {"input": "bridge"}).data == {**about, "dry_run": True}


def test_a_plan_names_the_step_that_the_question_will_name(vault: Vault) -> None:
    (vault.root / "two.md").write_text(
        "---\ntool: true\nname: two\nsteps:\n  - {name: read_file, parameters: {filePath: two.md}}\n"
        "  - {name: tool-id, parameters: {input: write}}\n---\n"
    )
    planned = vault.plan("two").planned
    vault.run("two")
    (question,) = vault.history.questions()
    assert planned is not None
    assert [(each["step"], each["tool"]) for each in planned] == [(1, "read_file"), (2, "write_file")]
    assert question.step == 2


def test_a_plan_names_the_calls_of_tools_that_call_nothing_themselves(vault: Vault) -> None:
    (vault.root / "up.md").write_text("---\ntool: true\nname: up\ncustom_function: return input.words + '!';\n---\n")
    (vault.root / "chain.md").write_text(
        "---\ntool: true\nname: chain\nsteps:\n  - {name: up, parameters: {words: a}}\n"
        "  - {name: up, parameters: {words: '{{prev_step.output}}'}}\n"
        "  - {name: tool-id, parameters: {input: bridge}}\n"
        "  - {name: tool-id, parameters: {input: write}}\n---\n"
    )
    record = vault.plan("chain")
    assert record.planned is not None
    assert [(each["step"], each["tool"], each["would_ask"]) for each in record.planned] == [
        (1, "up", False), (2, "up", False), (3, "tool-id", False), (4, "write_file", True),
    ]  # fmt: skip
    assert record.planned[1]["arguments"] == {"words": "a!"}


def test_a_secret_that_is_taken_for_the_name_of_a_tool_is_masked(vault: Vault) -> None:
    vault.run("tool-id", {"input": "abc"})
    record = vault.run("very-secret-key", {})
    assert record.tool == "***"
    assert record.error is not None
    assert record.error["code"] == "unknown-tool"
    assert "very-secret-key" not in str([record.as_json(), vault.history.runs()])


def test_without_its_variables_it_does_not_start(vault: Vault) -> None:
    vault.environments.set("tool-id", {"API_KEY": None})
    error = vault.run("tool-id", {"input": "abc"}).error
    assert error is not None
    assert error["code"] == "MISSING_ENV_VAR"


def failing(vault: Vault, methods: str) -> JsonObject:
    """The error of a tool that fails, and makes more mistakes while it does."""
    (vault.root / "fails.tool.js").write_text(
        "module.exports = { getMetadata() { return { id: 'fails', description: 'd' }; }, getSchema() { return {}; },"
        f" execute() {{ throw new Error('the first'); }}, {methods} }};"
    )
    error = vault.run("fails", {}).error
    assert error is not None
    return error


@pytest.mark.parametrize(
    "mistake",
    [
        "cleanup() { throw new Error('the second'); }",
        "getBusinessErrors() { return 5; }",
        "getBusinessErrors() { throw new Error('the second'); }",
        "getBusinessErrors() { return [null, { match() { throw new Error('the second'); } }]; }",
    ],
)
def test_a_second_mistake_does_not_hide_the_first(vault: Vault, mistake: str) -> None:
    assert "the first" in str(failing(vault, mistake)["message"])


def test_a_failure_with_a_name_keeps_it_when_cleaning_up_fails(vault: Vault) -> None:
    named = "getBusinessErrors() { return [{ code: 'NAMED', match: 'first' }]; }"
    assert failing(vault, f"{named}, cleanup() {{ throw new Error('the second'); }}")["code"] == "NAMED"


def test_a_failure_of_cleaning_up_has_its_name_too(vault: Vault) -> None:
    named = "getBusinessErrors() { return [{ code: 'NAMED', match: 'second', retryable: true }]; }"
    error = failing(vault, f"{named}, cleanup() {{ throw new Error('the second'); }}, execute() {{ return 1; }}")
    assert (error["code"], error["retryable"]) == ("NAMED", True)


@pytest.mark.parametrize(("sought", "code"), [("the first", "LATER"), ("another", "javascript-error")])
def test_a_name_may_be_found_out_later(vault: Vault, sought: str, code: str) -> None:
    matching = f"async match(error) {{ return error.message === '{sought}'; }}"
    assert failing(vault, f"async getBusinessErrors() {{ return [{{ code: 'LATER', {matching} }}]; }}")["code"] == code


@pytest.mark.parametrize(
    "before",
    [
        "code: 'BEFORE', match: e => e.response.status === 429",
        "code: 'BEFORE', get match() { throw 5; }",
        "match: 'the'",
    ],
)
def test_an_entry_that_names_nothing_does_not_hide_a_later_one(vault: Vault, before: str) -> None:
    named = f"getBusinessErrors() {{ return [{{ {before} }}, {{ code: 'NAMED', match: /first/ }}]; }}"
    assert failing(vault, named)["code"] == "NAMED"


@pytest.mark.parametrize(("rule", "valid"), [("minimum: 1", True), ("minimum: 10", False), ("enum: [5, 6]", True)])
def test_what_is_set_is_checked_again_before_it_is_used(vault: Vault, rule: str, *, valid: bool) -> None:
    (vault.root / "asks.tool.js").write_text(
        "module.exports = { getMetadata() { return { id: 'asks', description: 'd' }; }, getSchema() { return {"
        f" parameters: {{}}, environment: {{ properties: {{ NUMBER: {{ type: 'number', {rule} }} }} }} }}; }},"
        " execute() { return this.api.environment.get('NUMBER'); } };"
    )
    vault.environments.set("asks", {"NUMBER": "5"})
    run = vault.run("asks", {})
    assert run.success == valid
    assert run.error is None or (run.error["code"], "5" in str(run.error)) == ("INVALID_ENV_VAR", False)


def test_defaults_of_variables_keep_their_type(vault: Vault) -> None:
    (vault.root / "asks.tool.js").write_text(
        "module.exports = { getMetadata() { return { id: 'asks', description: 'd' }; }, getSchema() { return {"
        " parameters: {}, environment: { properties: { YES: { type: 'boolean', default: true },"
        " LIST: { type: 'array', default: ['a'] } } } }; }, execute() { return this.api.environment.all(); } };"
    )
    assert vault.run("asks", {}).data == {"YES": True, "LIST": ["a"]}


def test_a_package_that_is_not_declared_cannot_be_loaded(vault: Vault) -> None:
    error = vault.run("tool-id", {"input": "load"}).error
    assert error is not None
    assert "lodash" in str(error["message"])


def test_its_time_is_limited(vault: Vault) -> None:
    vault.__dict__["services"] = replace(vault.services, module_limits=vault.limits.lowered_to(seconds=0.2))
    error = vault.run("tool-id", {"input": "loop"}).error
    assert error is not None
    assert error["code"] == "sandbox-timeout"


@pytest.mark.parametrize(("limit", "asked", "seconds"), [(2.0, 0.2, "0.2"), (0.2, 50, "0.2")])
def test_it_can_ask_for_less_time_but_not_for_more(vault: Vault, limit: float, asked: float, seconds: str) -> None:
    code = TOOL.replace("description: '功能说明'", f"description: 'd', timeout: {asked}")
    (vault.root / "t.tool.js").write_text(code, encoding="utf-8")
    vault.environments.confirm("tool-id")
    vault.__dict__["services"] = replace(vault.services, module_limits=vault.limits.lowered_to(seconds=limit))
    error = vault.run("tool-id", {"input": "loop"}).error
    assert error is not None
    assert (error["code"], f" {seconds} s" in str(error["message"])) == ("sandbox-timeout", True)


def test_it_can_ask_for_a_yes_before_it_runs(vault: Vault) -> None:
    code = TOOL.replace("description: '功能说明'", "description: 'd', approval: 'always'")
    (vault.root / "t.tool.js").write_text(code, encoding="utf-8")
    vault.environments.confirm("tool-id")
    assert vault.run("tool-id", {"input": "abc"}).status == "waiting"
    assert vault.run("tool-id", {"input": "abc"}, approver=lambda _: Denied(reason="no")).status == "denied"
    assert vault.services.storage.load("tool-id") == {}
    assert vault.run("tool-id", {"input": "abc"}, approver=lambda _: Approved()).success


def test_odd_values_survive_in_what_it_keeps(vault: Vault) -> None:
    odd: JsonObject = {
        "quotes": "\"'\\",
        "lines": "a\r\n\x00b",
        "key with 'quotes'": 1,
        "__proto__": 2,
        "long": "x" * 1_000_000,
    }
    vault.services.storage.save("tool-id", odd)
    assert vault.services.storage.load("tool-id") == odd


ODD = "quotes \"' backslash \\\\ lines \\n\\r\\n tab \\t zero \\u0000 {{date}} ${x} 工具 \U0001f600"


def keeper(vault: Vault) -> None:
    """A tool that keeps what it is given, and gives back what it has kept and its variables."""
    (vault.root / "keep.tool.js").write_text(
        """module.exports = {
  getMetadata() { return { id: 'keep', description: 'd' }; },
  getSchema() {
    return { parameters: { type: 'object' },
             environment: { type: 'object', properties: { KEY: { type: 'string' } } } };
  },
  async execute({ key, value }) {
    const { storage, environment } = this.api;
    if (value === 'long') storage.setItem(key, 'x'.repeat(1e7));
    else if (value !== undefined) storage.setItem(key, value);
    if (value !== undefined) return null;
    if (storage.getItem(key)?.length === 1e7) return { kept: 'long' };
    return { kept: storage.getItem(key), size: (environment.get('KEY') ?? '').length };
  }
};
""",
        encoding="utf-8",
    )
    vault.registry.refresh()


@pytest.mark.parametrize("value", [ODD, "long", {"__proto__": 1}, [None]])
def test_whatever_it_keeps_comes_back_as_it_was(vault: Vault, value: JsonValue) -> None:
    keeper(vault)
    assert vault.run("keep", {"key": str(ODD), "value": value}).success
    kept = vault.run("keep", {"key": str(ODD)}).data
    assert isinstance(kept, dict)
    assert kept["kept"] == value


@pytest.mark.parametrize("named", [True, False])
def test_what_it_kept_before_it_failed_and_while_cleaning_up_stays_kept(vault: Vault, *, named: bool) -> None:
    match = "the first" if named else "another"
    methods = (
        f"getBusinessErrors() {{ return [{{ code: 'NAMED', match: '{match}' }}]; }}, init() {{ this.keep('init'); }},"
    )
    methods += "cleanup() { this.keep('cleanup'); }, keep(key) { this.api.storage.set(key, this.api.getInfo().id); }"
    assert failing(vault, methods)["code"] == ("NAMED" if named else "javascript-error")
    assert vault.services.storage.load("fails") == {"init": "fails", "cleanup": "fails"}


def test_what_cannot_be_kept_does_not_hide_the_first_mistake(vault: Vault) -> None:
    error = failing(vault, "init() { this.api.storage.set('map', new Map([[1, 2]])); }")
    assert "the first" in str(error["message"])


def test_runs_at_the_same_time_lose_nothing_of_what_they_keep(vault: Vault) -> None:
    keeper(vault)
    (vault.root / "all.md").write_text(
        "---\ntool: true\nname: all\ndescription: d\nsteps:\n  - tool: keep\n    for_each: [a, b, c, d, e, f]\n"
        "    max_parallel: 3\n    parameters: {key: '{{item}}', value: 1}\n---\n"
    )
    assert vault.run("all").success
    assert sorted(vault.services.storage.load("keep")) == ["a", "b", "c", "d", "e", "f"]


@pytest.mark.parametrize("value", [ODD, "\\", "'\"\n\r\x00", "y" * 10_000_000])
def test_whatever_its_variables_are_it_sees_them_as_they_are(vault: Vault, value: str) -> None:
    keeper(vault)
    vault.environments.set("keep", {"KEY": value})
    again = paperagents.open_vault(vault.root)
    assert again.environments.values("keep") == {"KEY": value}
    seen = again.run("keep", {"key": "k"}).data
    again.close()
    assert isinstance(seen, dict)
    assert seen["size"] == len(value.encode("utf-16-le")) // 2


@pytest.mark.parametrize("damage", ["{", "[]", '"text"', "\ufffd"])
def test_damaged_keepings_are_reported_and_left_as_they_are(vault: Vault, damage: str) -> None:
    keeper(vault)
    vault.run("keep", {"key": "k", "value": 1})
    with vault.database.transaction() as connection:
        connection.execute("UPDATE tool_storage SET content = ? WHERE tool = 'keep'", (damage,))
    error = vault.run("keep", {"key": "k", "value": 2}).error
    assert error is not None
    assert error["code"] == "storage-unreadable"
    rows = vault.database.rows("SELECT content FROM tool_storage WHERE tool = 'keep'")
    assert [row["content"] for row in rows] == [damage]


@pytest.mark.parametrize("damage", [b"{", b"[]", b"\xff\xfe"])
def test_a_damaged_file_of_variables_is_reported_and_left_as_it_is(vault: Vault, tmp_path: Path, damage: bytes) -> None:
    keeper(vault)
    file = tmp_path / "config" / "paperagents" / "environments.json"
    file.write_bytes(damage)
    with pytest.raises(PaperError) as caught:
        vault.environments.set("keep", {"KEY": "new"})
    assert caught.value.code == "environment-unreadable"
    assert file.read_bytes() == damage


@pytest.mark.parametrize("strange", [[], {"keep": {"KEY": 5}}])
def test_what_is_not_understood_about_another_vault_holds_nobody_up_and_stays(
    vault: Vault, tmp_path: Path, strange: object
) -> None:
    keeper(vault)
    file = tmp_path / "config" / "paperagents" / "environments.json"
    file.write_text(json.dumps({"/v": strange}))
    vault.environments.set("keep", {"KEY": "new"})
    assert vault.environments.values("keep") == {"KEY": "new"}
    assert json.loads(file.read_text())["/v"] == strange


def test_looking_at_a_hundred_tools_has_no_effect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = tmp_path / "many"
    (root / ".paper").mkdir(parents=True)
    attempts = [
        f"require('fs').writeFileSync({str(tmp_path / 'effect')!r}, 'x');",
        f"Deno.writeTextFileSync({str(tmp_path / 'effect')!r}, 'x');",
        f"import('node:fs').then(fs => fs.writeFileSync({str(tmp_path / 'effect')!r}, 'x'));",
        "fetch('http://127.0.0.1:9/');",
        "",
    ]
    for number in range(99):
        code = TOOL.replace("'tool-id'", f"'tool-{number}'").replace(
            "getBridges()", DEPENDS if number % 2 else "getBridges()"
        )
        (root / f"t{number}.tool.js").write_text(attempts[number % 5] + code, encoding="utf-8")
    (root / "loop.tool.js").write_text(attempts[0] + "for (;;);" + TOOL, encoding="utf-8")
    with paperagents.open_vault(root) as vault:
        entries = [entry for entry in vault.registry.entries() if entry.kind == "javascript"]
        assert len(entries) == 100
        shown = [vault.run(entry.id, mode="manual").data for entry in entries if entry.valid]
        assert all(isinstance(each, str) and "# 工具" in each for each in shown)
        broken = next(entry for entry in entries if entry.file == "loop.tool.js")
        assert not broken.valid
        assert vault.packages.pools.pids() == ()
    assert not (tmp_path / "effect").exists()
    assert not packages_of(root).exists()


DEPENDS = "getDependencies() { return { lodash: '4' }; }, getBridges()"


@pytest.mark.parametrize(("retryable", "runs"), [(True, 3), (False, 1)])
def test_a_step_tries_again_only_what_the_tool_calls_retryable(vault: Vault, *, retryable: bool, runs: int) -> None:
    keeper(vault)
    code = (vault.root / "keep.tool.js").read_text().replace("async execute", FAILS_AT_FIRST % str(retryable).lower())
    (vault.root / "keep.tool.js").write_text(code)
    (vault.root / "c.md").write_text(
        "---\ntool: true\nname: c\ndescription: d\nsteps:\n"
        "  - {tool: keep, retry: {attempts: 3, delay: 0.001}, parameters: {key: k}}\n---\n"
    )
    vault.registry.refresh()
    run = vault.run("c")
    assert run.error is not None
    assert (run.error["code"], len(run.execution_log)) == ("BUSY", runs)


FAILS_AT_FIRST = (
    "getBusinessErrors() { return [{ code: 'BUSY', description: 'b', match: 'busy', retryable: %s }]; },\n"
    "  async execute() { throw new Error('busy'); }, async other"
)


def test_a_bridge_without_values_is_tried_with_made_up_ones(vault: Vault) -> None:
    mocked = "getMockArgs(name) { return ['made up for ' + name]; }, getBridges()"
    code = TOOL.replace("getBridges()", mocked).replace("api.bridge('ask', 'x')", "api.bridge('ask')")
    (vault.root / "t.tool.js").write_text(code, encoding="utf-8")
    vault.environments.confirm("tool-id")
    vault.registry.refresh()
    assert vault.plan("tool-id", {"input": "bridge"}).data == "mock made up for ask"


def test_a_bridge_that_is_called_without_values_gets_none(vault: Vault) -> None:
    whole = "return { 'a:b': { real: (given, api) => [typeof given, typeof api?.getInfo], mock: () => 1 } }"
    code = TOOL.replace("api.bridge('ask', 'x')", "api.bridge.execute('a:b')").replace(BRIDGES, whole)
    (vault.root / "t.tool.js").write_text(code, encoding="utf-8")
    vault.environments.confirm("tool-id")
    assert vault.run("tool-id", {"input": "bridge"}).data == ["undefined", "function"]


def test_a_missing_file_has_the_name_that_lists_of_business_errors_look_for(vault: Vault) -> None:
    error = vault.run("tool-id", {"input": "read"}).error
    assert error is not None
    assert (error["code"], error["message"]) == ("FILE_NOT_FOUND", "文件不存在")


def test_a_failed_call_that_no_business_error_names_is_told_as_it_failed(vault: Vault) -> None:
    (vault.root / "t.tool.js").write_text(TOOL.replace("match: 'ENOENT'", "match: 'EPIPE'"), encoding="utf-8")
    vault.environments.confirm("tool-id")
    error = vault.run("tool-id", {"input": "read"}).error
    assert error is not None
    assert error["code"] == "file-not-found"
    assert "ENOENT" not in str(error["message"])


@pytest.mark.parametrize(
    ("thrown", "message"),
    [
        ("new Error('开始日期不能晚于结束日期')", "开始日期不能晚于结束日期"),
        ("new Error('No.')", "No."),
        ("'just words'", "just words"),
        ("Object.assign(new Error('own class'), { name: 'DateError' })", "own class"),
        ("new RangeError('The end comes first')", "The end comes first"),
        ("TypeError('No list')", "No list"),
    ],
)
def test_what_the_author_throws_is_told_as_the_author_wrote_it(vault: Vault, thrown: str, message: str) -> None:
    (vault.root / "t.tool.js").write_text(TOOL.replace("new Error('something else')", thrown), encoding="utf-8")
    vault.environments.confirm("tool-id")
    record = vault.run("tool-id", {"input": "fail_other"})
    assert record.error is not None
    assert (record.error["code"], record.error["message"]) == ("javascript-error", message)
    assert record.execution_log[0]["message"] == message


def test_what_a_tool_gives_that_is_no_json_is_told_by_its_place_in_the_answer(vault: Vault) -> None:
    code = TOOL.replace("throw new Error('something else')", "return { sums: [1, NaN] }")
    (vault.root / "t.tool.js").write_text(code, encoding="utf-8")
    vault.environments.confirm("tool-id")
    error: Any = vault.run("tool-id", {"input": "fail_other"}).error
    assert (error["code"], error["details"]["path"]) == ("sandbox-value", "data.sums[1]")


def test_a_mistake_of_the_program_still_tells_its_place_and_a_tool_is_told_its_own_way_to_the_network(
    vault: Vault,
) -> None:
    code = TOOL.replace("throw new Error('something else')", "return await fetch('https://example.com')")
    (vault.root / "t.tool.js").write_text(code, encoding="utf-8")
    vault.environments.confirm("tool-id")
    error = vault.run("tool-id", {"input": "fail_other"}).error
    assert error is not None
    assert "t.tool.js:" in str(error["message"])
    assert "this.api.callTool('rest_request'" in str(error["message"])
