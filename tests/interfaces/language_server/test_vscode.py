"""The extension for VS Code, with stand-ins for the editor and its client: it starts the server, and its commands."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

EXTENSION = Path(__file__).parents[3] / "editors" / "vscode"
NODE = shutil.which("node")
pytestmark = [pytest.mark.process, pytest.mark.skipif(NODE is None, reason="there is no Node here")]
STAGE = """
const seen = { commands: {}, requests: [], terminal: [], warnings: [] };
const state = { trusted: true };
const stand_ins = {
  "vscode": {
    workspace: {
      get isTrusted() { return state.trusted; },
      getConfiguration: () => ({ get: () => ["/opt/my paper/paper", "--vault", "v"] }),
      openTextDocument: async ({ content }) => content,
    },
    commands: { registerCommand: (name, call) => { seen.commands[name] = call; return {}; } },
    window: {
      activeTextEditor: { document: { uri: { toString: () => "file:///v/a.md" } } },
      showInputBox: async ({ validateInput }) => {
        if (validateInput("[]") === undefined) throw new Error("a list is no object");
        return '{"query": "x"}';
      },
      showTextDocument: async (content) => { seen.shown = JSON.parse(content); },
      showWarningMessage: (text) => { seen.warnings.push(text); },
      createTerminal: () => ({ show() {}, sendText: (text) => seen.terminal.push(text) }),
    },
    ViewColumn: { Beside: -2 },
  },
  "vscode-languageclient/node": {
    LanguageClient: class {
      constructor(id, name, server, options) { seen.server = server; seen.middleware = options.middleware; }
      async start() {}
      async sendRequest(method, params) {
        seen.requests.push([method, params]);
        if (method === "workspace/executeCommand") return { status: "succeeded" };
        const call = { uri: "file:///v/a.md", tool: "a", arguments: {} };
        return [{ command: { command: "paper.run", arguments: [call] } }];
      }
    },
  },
};
const Module = require("node:module");
const load = Module._load;
Module._load = (name, ...rest) => stand_ins[name] ?? load(name, ...rest);
(async () => {
  await require(process.argv[1]).activate({ subscriptions: [] });
  await seen.commands["paper.runFile"]();
  await seen.commands["paper.approvals"]();
  await seen.commands["paper.undo"]();
  state.trusted = false;
  const before = seen.requests.length;
  await seen.commands["paper.runFile"]();
  seen.lens = seen.middleware.executeCommand("paper.run", [], () => "ran") ?? null;
  seen.ranUntrusted = seen.requests.length > before;
  seen.commands = Object.keys(seen.commands);
  console.log(JSON.stringify(seen));
})();
"""


@pytest.fixture(scope="module")
def seen() -> Any:
    done = subprocess.run(
        [str(NODE), "-e", STAGE, str(EXTENSION / "extension.js")],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_command_of_the_palette_is_there(seen: Any) -> None:
    contributed = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))["contributes"]["commands"]
    assert sorted(seen["commands"]) == sorted(each["command"] for each in contributed)


def test_the_server_is_started_by_the_command_that_was_chosen(seen: Any) -> None:
    assert seen["server"] == {"command": "/opt/my paper/paper", "args": ["--vault", "v", "lsp"]}


def test_a_tool_is_run_with_the_arguments_that_were_typed(seen: Any) -> None:
    wanted = {"uri": "file:///v/a.md", "tool": "a", "arguments": {"query": "x"}}
    assert seen["requests"][-1] == ["workspace/executeCommand", {"command": "paper.run", "arguments": [wanted]}]
    assert seen["shown"] == {"status": "succeeded"}


def test_approvals_and_undo_happen_in_the_terminal(seen: Any) -> None:
    program = "'/opt/my paper/paper' --vault v"
    assert seen["terminal"] == [f"{program} approvals list", f"{program} undo last"]


def test_nothing_is_run_in_a_workspace_that_is_not_trusted(seen: Any) -> None:
    assert (seen["ranUntrusted"], seen["lens"], len(seen["warnings"])) == (False, None, 2)
