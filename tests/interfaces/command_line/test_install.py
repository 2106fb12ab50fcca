"""``paper install`` and what the other commands say about tools with npm packages."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from tests.interfaces.command_line.conftest import Paper, Write
from tests.trusting import trust_settings

from paperagents.npm.packages import packages_of
from paperagents.npm.process import deno_installers
from paperagents.sandbox import landlock

pytestmark = pytest.mark.npm

TOOL = """\
const ms = require('ms');
module.exports = {
  getMetadata() { return { id: 'duration', name: 'Duration', description: 'Reads a duration.' }; },
  getSchema() { return { parameters: { type: 'object', properties: { text: { type: 'string' } } } }; },
  getDependencies() { return { ms: '^2.1.3' }; },
  async execute({ text }) { return ms(text); }
};
"""


@pytest.fixture(autouse=True)
def downloads(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp().parent / "npm-downloads"))


@pytest.mark.usefixtures("vault")
def test_the_first_run_waits_for_a_yes_to_the_packages_and_then_goes_on(paper: Paper, write: Write) -> None:
    write("duration.tool.js", TOOL)
    first = paper("run", "duration", "-p", "text=2m", "--json")
    assert (first.code, first.document["status"]) == (3, "waiting")
    question = paper("approvals", "list", "--json").document[0]
    assert question["tool"] == "install_packages"
    assert "ms@2." in question["preview"]
    done = paper("approvals", "approve", question["id"], "--json")
    assert (done.code, done.document["data"]) == (0, 120000)
    assert [each["name"] for each in done.document["execution_log"]] == ["install_packages", "duration"]
    assert paper("run", "duration", "-p", "text=1s", "--json").document["data"] == 1000


def test_installing_and_rebuilding_ask_and_answer_with_the_packages(paper: Paper, write: Write, vault: Path) -> None:
    write("duration.tool.js", TOOL)
    assert paper("install", "duration").code == 3
    assert not list(packages_of(vault).iterdir())
    done = paper("install", "duration", "--yes", "--json")
    assert done.code == 0
    assert done.document["data"]["packages"][0].startswith("ms@2.")
    assert paper("install", "duration").code == 0
    assert paper("install", "duration", "--rebuild").code == 3
    assert paper("install", "duration", "--rebuild", "--yes").code == 0
    assert paper("run", "duration", "-p", "text=1h", "--json").document["data"] == 3_600_000


def test_grants_are_shown_and_agreed_on_together_with_the_packages(paper: Paper, write: Write, vault: Path) -> None:
    write("duration.tool.js", TOOL)
    (vault / ".paper" / "settings.toml").write_text('[npm.duration]\nread = ["notes"]\nenv = ["SOME_NAME"]\n')
    trust_settings(vault)
    assert "`notes`" in paper("show", "duration").out
    shown = paper("show", "duration", "--json").document
    assert (shown["dependencies"], shown["grants"]) == ({"ms": "^2.1.3"}, {"read": ["notes"], "env": ["SOME_NAME"]})
    assert paper("install", "duration", "--yes").code == 0
    assert paper("run", "duration", "-p", "text=1s").code == 0
    assert "duration may use: read notes; env SOME_NAME" in paper("approvals", "rules").out
    (vault / ".paper" / "settings.toml").write_text('[npm.duration]\nread = ["/"]\n')
    trust_settings(vault)
    assert paper("run", "duration", "-p", "text=1s").code == 3
    (vault / ".paper" / "settings.toml").write_text('[npm.duration]\nread = ["../other"]\n')
    trust_settings(vault)
    refused = paper("run", "duration", "-p", "text=1s", "--yes", "--json")
    assert (refused.code, refused.document["error"]["code"]) == (1, "npm-grant")


def test_a_changed_file_asks_anew_for_what_it_may_touch(paper: Paper, write: Write, vault: Path) -> None:
    write("duration.tool.js", TOOL)
    (vault / ".paper" / "settings.toml").write_text('[npm.duration]\nread = ["notes"]\n')
    trust_settings(vault)
    assert paper("install", "duration", "--yes").code == 0
    assert paper("run", "duration", "-p", "text=1s").code == 0
    write("duration.tool.js", TOOL.replace("return ms(text)", "return ms(text) + 1"))
    changed = paper("run", "duration", "-p", "text=1s", "--json")
    assert (changed.code, changed.document["status"]) == (3, "waiting")
    question = paper("approvals", "list", "--json").document[0]
    assert paper("approvals", "approve", question["id"], "--json").document["data"] == 1001
    assert paper("run", "duration", "-p", "text=1s").code == 0
    rules = paper("approvals", "rules", "--json").document
    assert [(each["tool"], each["by"]) for each in rules] == [("install_packages", "duration")]
    assert paper("approvals", "revoke", rules[0]["id"]).code == 0
    assert paper("run", "duration", "-p", "text=1s").code == 3


def test_without_grants_a_changed_file_runs_on(paper: Paper, write: Write) -> None:
    write("duration.tool.js", TOOL)
    assert paper("install", "duration", "--yes").code == 0
    write("duration.tool.js", TOOL.replace("return ms(text)", "return ms(text) + 1"))
    assert paper("run", "duration", "-p", "text=1s", "--json").document["data"] == 1001


def test_packages_that_came_with_a_vault_do_not_count(paper: Paper, write: Write, vault: Path) -> None:
    write("duration.tool.js", TOOL)
    assert paper("install", "duration", "--yes").code == 0
    installed = packages_of(vault)
    for brought in (vault / ".paper" / "cache" / "npm", vault / "node_modules"):
        shutil.copytree(installed, brought, symlinks=True)
    shutil.rmtree(installed)
    assert paper("run", "duration", "-p", "text=1s").code == 3


@pytest.mark.usefixtures("vault")
def test_the_doctor_says_whether_deno_is_there_and_held(paper: Paper) -> None:
    walls = {each["name"]: each for each in paper("doctor", "--json").document["npm_walls"]}
    assert walls["deno"]["stands"]
    assert walls["deno-landlock"]["stands"] == bool(landlock.version())
    assert "deno" in paper("doctor").out


def test_examples_of_a_tool_that_is_not_installed_say_what_to_do(paper: Paper, write: Write, vault: Path) -> None:
    example = "getExamples() { return [{ input: { text: '1s' }, output: 1000 }]; },"
    write("duration.tool.js", TOOL.replace("getDependencies()", example + "getDependencies()"))
    result = paper("test", "duration", "--json")
    assert (result.code, result.document[0]["passed"]) == (1, False)
    assert result.document[0]["difference"].startswith("npm-not-installed")
    assert not packages_of(vault).exists()
    assert paper("install", "duration", "--yes").code == 0
    assert paper("test", "duration").code == 0


@pytest.mark.usefixtures("vault")
def test_a_run_goes_on_where_the_packages_are_not_yet(
    paper: Paper, write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Another machine works for the same vault, and has its own packages."""
    call = "await this.api.callTool('write_file', { filePath: 'a.md', content: 'a' }); return ms(text)"
    write("duration.tool.js", TOOL.replace("return ms(text)", call))
    assert paper("run", "duration", "-p", "text=1s").code == 3
    first = paper("approvals", "list", "--json").document[0]
    assert paper("approvals", "approve", first["id"]).code == 3
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    second = paper("approvals", "list", "--json").document[0]
    assert second["tool"] == "write_file"
    done = paper("approvals", "approve", second["id"], "--json")
    assert (done.code, done.document["data"]) == (0, 1000)


@pytest.mark.usefixtures("vault")
def test_a_dry_run_before_installing_shows_what_would_be_asked(paper: Paper, write: Write) -> None:
    write("duration.tool.js", TOOL)
    plan = paper("run", "duration", "-p", "text=1s", "--dry-run", "--json")
    assert (plan.code, plan.document["status"]) == (0, "planned")
    assert [(each["tool"], each["would_ask"]) for each in plan.document["planned"]] == [("install_packages", True)]


@pytest.mark.usefixtures("vault")
def test_a_registry_that_does_not_answer_is_told(paper: Paper, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", "http://127.0.0.1:9/")
    write("duration.tool.js", TOOL)
    failed = paper("install", "duration", "--yes", "--json")
    assert (failed.code, failed.document["error"]["code"]) == (1, "npm-install-failed")
    assert failed.document["error"]["retryable"]


@pytest.mark.usefixtures("vault")
def test_a_tool_without_packages_needs_no_installation(paper: Paper, write: Write) -> None:
    write("duration.tool.js", TOOL.replace("const ms = require('ms');", "").replace("ms: '^2.1.3'", ""))
    failed = paper("install", "duration", "--json")
    assert (failed.code, failed.document["error"]["code"]) == (1, "npm-nothing-to-install")


@pytest.mark.usefixtures("vault")
def test_a_tool_there_is_not_is_wrong_usage(paper: Paper, write: Write) -> None:
    write("duration.tool.js", TOOL)
    wrong = paper("install", "duratoin", "--json")
    assert (wrong.code, wrong.document["error"]["code"]) == (2, "unknown-tool")
    assert wrong.document["error"]["details"]["nearest"] == ["duration"]


@pytest.mark.usefixtures("vault")
def test_without_deno_it_is_told_what_to_install(paper: Paper, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    from paperagents.npm.process import deno_program  # noqa: PLC0415  its memory is cleared here

    deno_program.cache_clear()
    monkeypatch.setitem(sys.modules, "deno", None)
    write("duration.tool.js", TOOL)
    failed = paper("run", "duration", "-p", "text=1s", "--yes", "--json")
    walls = paper("doctor", "--json").document["npm_walls"]
    deno_program.cache_clear()
    assert failed.document["error"]["code"] == "deno-missing"
    assert "paper install --deno" in failed.document["error"]["hint"]
    assert [each["stands"] for each in walls] == [False, False]
    assert "paper install --deno" in walls[0]["reason"]


def test_deno_is_brought_by_one_command(paper: Paper) -> None:
    answer = paper("install", "--deno", "--json")
    assert answer.code == 0
    assert Path(answer.document["deno"]).name.startswith("deno")


def test_deno_is_brought_in_the_version_and_with_the_hashes_that_it_was_tested_with() -> None:
    (pip, *_) = deno_installers()
    assert pip[:4] == [sys.executable, "-m", "pip", "install"]
    assert "--require-hashes" in pip
    tested = (Path(__file__).parents[3] / "requirements" / "test.txt").read_text("utf-8")
    assert Path(pip[-1]).read_text("utf-8") in tested


def test_an_installation_of_nothing_is_wrong_usage(paper: Paper) -> None:
    assert paper("install").code == 2


NODE = """\
const path = require('path');
const { createHash } = require('node:crypto');
module.exports = {
  getMetadata() { return { id: 'node', name: 'Node', description: 'Uses what Node brings along.' }; },
  getSchema() { return { parameters: { type: 'object', properties: { text: { type: 'string' } } } }; },
  async execute({ text }) { return [path.basename(text), createHash('sha256').update(text).digest('hex').slice(0, 8)]; }
};
"""


@pytest.mark.usefixtures("vault")
def test_modules_that_node_brings_along_need_no_packages_and_no_question(paper: Paper, write: Write) -> None:
    write("node.tool.js", NODE)
    assert paper("check").code == 0
    assert paper("run", "node", "-p", "text=a/b.txt", "--json").document["data"] == ["b.txt", "5550000d"]


@pytest.mark.usefixtures("vault")
def test_a_file_of_node_can_still_touch_nothing(paper: Paper, write: Write) -> None:
    write("node.tool.js", NODE.replace("path.basename(text)", "require('fs').readFileSync('/etc/hostname')"))
    failed = paper("run", "node", "-p", "text=a", "--json")
    assert (failed.code, failed.document["error"]["code"]) == (1, "npm-not-granted")
