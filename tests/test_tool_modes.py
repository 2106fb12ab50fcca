"""A tool can be used in six modes, from Python as from the command line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import paperagents
from paperagents.errors import UsageError
from paperagents.vault import Vault

TOOL = """\
module.exports = {
  getMetadata() { return { id: 'greet', name: 'Greet', description: 'Greets somebody.' }; },
  getSchema() {
    return {
      parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      environment: { type: 'object', properties: { TONE: { type: 'string', minLength: 2, description: 'How' } } }
    };
  },
  async execute({ name }) { return this.api.callTool('write_file', { filePath: 'hi.md', content: 'Hi ' + name }); }
};
"""


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PAPER_LANGUAGE", "en")
    (tmp_path / "vault" / ".paper").mkdir(parents=True)
    (tmp_path / "vault" / "greet.tool.js").write_text(TOOL, encoding="utf-8")
    with paperagents.open_vault(tmp_path / "vault") as opened:
        yield opened


def test_execute_is_the_usual_mode(vault: Vault) -> None:
    assert vault.run("greet", {"name": "Ada"}, mode="execute").status == vault.run("greet", {"name": "Ada"}).status


def test_a_dry_run_shows_what_would_happen(vault: Vault) -> None:
    plan = vault.run("greet", {"name": "Ada"}, mode="dryrun")
    assert (plan.status, plan.planned and plan.planned[0]["tool"]) == ("planned", "write_file")
    assert not (vault.root / "hi.md").exists()


def test_the_manual_is_made_from_the_file(vault: Vault) -> None:
    data = vault.run("greet", mode="manual").data
    assert isinstance(data, str)
    assert data.startswith("# Greet")


def test_configuring_sets_variables_and_never_tells_them(vault: Vault) -> None:
    told = vault.run("greet", {"TONE": "loud"}, mode="configure").data
    assert told == {
        "TONE": {"required": False, "configured": True, "value": "***", "description": "How", "default": None}
    }
    assert vault.environments.values("greet") == {"TONE": "loud"}
    assert vault.run("greet", {"TONE": ""}, mode="configure").success
    assert vault.environments.values("greet") == {}


@pytest.mark.parametrize(
    ("changes", "code"), [({"TONE": "x"}, "variable-does-not-fit"), ({"TON": "y"}, "unknown-variable")]
)
def test_a_variable_that_does_not_fit_is_refused(vault: Vault, changes: dict[str, str], code: str) -> None:
    with pytest.raises(UsageError) as caught:
        vault.run("greet", changes, mode="configure")
    assert caught.value.code == code


def test_a_variable_that_does_not_fit_is_told_by_what_it_must_be_and_not_by_its_value(vault: Vault) -> None:
    (vault.root / "greet.tool.js").write_text(TOOL.replace("minLength: 2", "pattern: '^soft$'"), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        vault.run("greet", {"TONE": "hunter2"}, mode="configure")
    assert '"pattern": "^soft$"' in caught.value.message
    assert "hunter2" not in str(caught.value.as_json())


def test_the_log_lists_the_runs_of_the_tool(vault: Vault) -> None:
    run = vault.run("greet", {"name": "Ada"})
    vault.run("read_file", {"filePath": "greet.tool.js"})
    log = vault.run("greet", mode="log").data
    assert isinstance(log, list)
    assert [each["run_id"] for each in log if isinstance(each, dict)] == [run.run_id]


def test_rebuilding_a_tool_without_packages_says_so(vault: Vault) -> None:
    error = vault.run("greet", mode="rebuild").error
    assert error is not None
    assert error["code"] == "npm-nothing-to-install"


def test_an_unknown_mode_is_told_with_those_there_are(vault: Vault) -> None:
    with pytest.raises(UsageError) as caught:
        vault.run("greet", mode="sing")  # type: ignore[arg-type]  # wrong on purpose
    assert "dryrun" in str(caught.value.hint)
