"""What a person sees from outside: small cases that once went wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import paperagents
from paperagents.approval.question import Approved, ApproveEverything
from paperagents.definitions.json_value import JsonObject
from paperagents.tags import resolve_vault_references_simple
from paperagents.vault import Vault

ECHO = "---\ntool: true\nname: echo\ndescription: d\ncustom_function: return input;\n---\n"
WRITER = (
    "---\ntool: true\nname: writer\ndescription: d\n---\n"
    "```yaml\ntool: write_file\nparameters: {filePath: n.md, content: x}\n```\n"
)


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = tmp_path / "vault"
    (root / ".paper").mkdir(parents=True)
    (root / "echo.md").write_text(ECHO)
    (root / "writer.md").write_text(WRITER)
    with paperagents.open_vault(root) as opened:
        yield opened


def add(vault: Vault, frontmatter: str, body: str = "") -> None:
    text = f"---\ntool: true\nname: t\ndescription: d\n{frontmatter}\n---\n{body}"
    (vault.root / "t.md").write_text(text, encoding="utf-8")


def test_the_postprocess_block_of_a_chain_sees_the_steps(vault: Vault) -> None:
    steps = "steps:\n  - {tool: echo, name: a, parameters: {v: 1}}\n  - {tool: echo, name: b, parameters: {v: 2}}"
    add(vault, steps, "```js\n// @postprocess\nreturn context.steps;\n```\n")
    assert vault.run("t").data == {"a": {"output": {"v": 1}}, "b": {"output": {"v": 2}}}


def test_an_approval_in_a_nested_tool_stands_in_the_record_of_the_run(vault: Vault) -> None:
    add(vault, "steps:\n  - {tool: echo}\n  - {tool: writer}")
    waiting = vault.run("t")
    (request,) = vault.history.questions()
    assert waiting.error is not None
    assert (request.run_id, request.step) == (waiting.run_id, waiting.error["step"])
    entry = vault.run("t", approver=ApproveEverything()).execution_log[1]
    assert (entry["hitl_required"], entry["hitl_confirmed"]) == (True, True)
    assert "--yes" in str(entry["message"])
    run_below = str(entry["message"]).split()[3].rstrip(".")
    assert vault.history.record(run_below).parent_run is not None


def test_escaped_braces_in_javascript_stay_braces(vault: Vault) -> None:
    parameter = "parameters: [{name: t, type: string, description: d}]"
    add(vault, parameter, '```js\n// @postprocess\nreturn "\\{{t}} {{t}}";\n```\n')
    assert vault.run("t", {"t": "x/"}).data == "{{t}} x/"


def test_a_condition_about_items_is_asked_for_each_of_them(vault: Vault) -> None:
    add(vault, 'steps:\n  - {tool: echo, for_each: [1, 2, 3], if: item > 1, parameters: {v: "{{item}}"}}')
    run = vault.run("t")
    assert run.data == [None, {"v": 2}, {"v": 3}]
    assert [entry["status"] for entry in run.execution_log] == ["skipped", "success", "success"]


def test_a_failing_condition_points_into_the_file(vault: Vault) -> None:
    add(vault, "steps:\n  - tool: echo\n    if: nosuch > 1")
    error = vault.run("t").error
    assert error is not None
    details = error["details"]
    assert isinstance(details, dict)
    assert isinstance(details["stack"], list)
    frame = details["stack"][0]
    assert isinstance(frame, dict)
    assert (frame["file"], frame["line"], frame["column"]) == ("t.md", 7, 9)


def test_a_missing_entry_of_a_list_is_told_with_the_number_of_entries(vault: Vault) -> None:
    add(
        vault,
        'steps:\n  - {tool: echo, parameters: {a: [1]}}\n  - {tool: echo, parameters: {v: "prev_step.output.a[5]"}}',
    )
    error = vault.run("t").error
    assert error is not None
    assert "1 entry" in str(error["message"])


def test_a_text_that_doubles_without_end_runs_out_of_memory(vault: Vault) -> None:
    add(vault, "custom_function: 'let s = \"xxxxxxxxxxxxxxxx\"; for (let i = 0; i < 40; i++) s += s; return s.length;'")
    error = vault.run("t").error
    assert error is not None
    assert error["code"] == "sandbox-memory"


def test_secrets_are_masked_however_they_are_written(vault: Vault) -> None:
    key = 's"q\nü/&secret77'
    environment = "environment: [{name: KEY, type: string, description: d}]"
    call = "```yaml\ntool: echo\nparameters: {k: '{{env.KEY}}'}\n```\n"
    code = "console.log(output); return [JSON.stringify(output), encodeURIComponent(output.k), output.k];"
    add(vault, environment, f"{call}```js\n// @postprocess\n{code}\n```\n")
    vault.environments.set("t", {"KEY": key})
    record = vault.run("t")
    assert record.success
    assert "secret77" not in str(record.as_json())


def test_secret_headers_are_not_in_the_database_of_a_run_that_is_over(vault: Vault) -> None:
    request: JsonObject = {
        "url": "http://127.0.0.1:9/",
        "method": "POST",
        "headers": {"Authorization": "Bearer HDRSECRET1"},
    }
    run = vault.run("rest_request", request, approver=ApproveEverything())
    vault.close()
    assert run.status == "failed"
    assert "HDRSECRET1" not in str(run.as_json())
    kept = b"".join(file.read_bytes() for file in (vault.root / ".paper").iterdir() if file.is_file())
    assert b"HDRSECRET1" not in kept


KEYED_REQUEST = """
```js
// @preprocess
console.log(input.key); return input;
```

```yaml
tool: rest_request
parameters: {url: "http://127.0.0.1:9/", method: METHOD, headers: {Authorization: "Bearer {{key}}"}}
```
"""


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_argument_that_turns_out_to_be_a_key_is_nowhere_in_the_record(vault: Vault, method: str) -> None:
    parameter = "parameters: [{name: key, type: string, description: d}]"
    add(vault, parameter, KEYED_REQUEST.replace("METHOD", method))
    run = vault.run("t", {"key": "LATESECRET1"})
    assert "LATESECRET1" not in str(run.as_json())
    if method == "POST":
        (question,) = vault.history.questions()
        run = vault.answer(question.id, Approved())
    assert run.status == "failed"
    assert "LATESECRET1" not in str(run.as_json())
    assert "LATESECRET1" not in str(vault.history.record(run.run_id).as_json())


def test_a_password_in_an_address_is_not_in_the_record(vault: Vault) -> None:
    run = vault.run("rest_request", {"url": "http://anna:ADDRSECRET1@127.0.0.1:9/"})
    assert run.status == "failed"
    assert "ADDRSECRET1" not in str(run.as_json())


def test_two_open_vaults_do_not_touch_each_other(vault: Vault, tmp_path: Path) -> None:
    text = '{{<vaultref id="x" />}}'
    (tmp_path / "other").mkdir()
    vault.entries.put("datavault", "x", {"content": "of the first"})
    with paperagents.open_vault(tmp_path / "other") as other:
        other.entries.put("datavault", "x", {"content": "of the second"})
        assert resolve_vault_references_simple(text, lookup=vault.vault_content) == "of the first"
        assert resolve_vault_references_simple(text, lookup=other.vault_content) == "of the second"
        assert resolve_vault_references_simple(text) == "/* [MISSING_VAULT:x] */"
    assert resolve_vault_references_simple(text) == "/* [MISSING_VAULT:x] */"


@pytest.mark.parametrize("path", ["logs/runs.log", "runs.txt", "/logs/runs.md", "runs.yaml", "runs.yml"])
def test_a_log_goes_to_a_note_or_a_plain_text_file(vault: Vault, path: str) -> None:
    add(vault, f"log: {path}\ncustom_function: return 1;")
    assert vault.run("t", approver=lambda _: Approved()).success
    assert 'status: "success"' in (vault.root / path.removeprefix("/")).read_text()


@pytest.mark.parametrize("path", ["run.sh", "run.py", ".hidden.log", "../out.log", "t.tool.js", ".paper/a.log"])
def test_a_log_goes_nowhere_else(vault: Vault, path: str) -> None:
    add(vault, f"log: {path}\ncustom_function: return 1;")
    error = vault.run("t").error
    assert error is not None
    assert error["code"] == "broken-file"


@pytest.mark.parametrize("path", ["writer.md", "/writer.md", "//writer.md"])
def test_a_log_is_never_written_into_another_tool(vault: Vault, path: str) -> None:
    add(vault, f"log: {path}\ncustom_function: return 1;")
    assert vault.run("t", approver=lambda _: Approved()).success
    assert (vault.root / "writer.md").read_text() == WRITER


def test_a_misspelt_argument_is_named_beside_the_one_that_is_missing(vault: Vault) -> None:
    add(vault, "parameters: [{name: items, type: string, description: d}]\ncustom_function: return 1;")
    error = vault.run("t", {"itmes": "a"}).error
    assert error is not None
    assert error["message"] == "'items' is missing; is it meant by 'itmes'?"
