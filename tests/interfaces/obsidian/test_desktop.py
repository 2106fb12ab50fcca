"""The plugin on a computer: it starts a real ``paper serve`` for its vault, pairs itself, and ends it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from paperagents.interfaces.command_line.obsidian_command import plugin_folder

NODE = shutil.which("node")
pytestmark = [pytest.mark.process, pytest.mark.skipif(NODE is None, reason="there is no Node here")]
STAGE = """
const [main, folder, program] = process.argv.slice(1);
const kept = new Map();
const seen = { notices: [] };
class FileSystemAdapter { getBasePath() { return folder; } }
class Base { constructor(app) { this.app = app; } }
class Plugin extends Base {
  registerView() {} addSettingTab() {} addCommand() {} registerEvent() {} registerDomEvent() {} registerInterval() {}
  addRibbonIcon() { return { addClass() {}, setAttribute() {}, dataset: {} }; }
}
globalThis.window = { setInterval: () => 0, setTimeout };
const obsidian = {
  FileSystemAdapter, Plugin,
  FuzzySuggestModal: Base, ItemView: Base, Modal: Base, PluginSettingTab: Base, Setting: Base,
  Notice: class { constructor(text) { seen.notices.push(text); } },
  Platform: { isDesktopApp: true }, getLanguage: () => "en", setIcon() {},
  requestUrl: async ({ url, method, headers, body, contentType }) => {
    const more = contentType ? { "content-type": contentType } : {};
    const response = await fetch(url, { method, body, headers: { ...headers, ...more } });
    return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
  },
};
const Module = require("node:module");
const load = Module._load;
Module._load = (name, ...rest) => (name === "obsidian" ? obsidian : load(name, ...rest));
(async () => {
  kept.set("paper-agents", { program });
  const app = {
    vault: { adapter: new FileSystemAdapter() },
    loadLocalStorage: (key) => kept.get(key) ?? null,
    saveLocalStorage: (key, value) => kept.set(key, value),
    workspace: { on() {}, onLayoutReady() {}, getLeavesOfType: () => [] },
  };
  const plugin = new (require(main))(app);
  await plugin.onload();
  await plugin.begin();
  if (plugin.server.child) {
    const { child } = plugin.server;
    seen.tools = (await plugin.entries()).map((each) => each.id);
    seen.first = plugin.server.settings.token;
    plugin.onunload();
    await new Promise((resolve) => child.once("exit", resolve));
    await plugin.begin();
    seen.second = plugin.server.settings.token;
    plugin.onunload();
  }
  seen.kept = kept.get("paper-agents");
  console.log(JSON.stringify(seen));
})();
"""


def start_plugin(tmp_path: Path, program: str) -> Any:
    """What the plugin has seen when it ended."""
    vault = tmp_path / "vault"
    (vault / ".paper").mkdir(parents=True)
    (vault / "a.md").write_text(
        "---\ntool: true\nname: mine\ndescription: x\ncustom_function: return 1\n---\n", "utf-8"
    )
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    done = subprocess.run(
        [str(NODE), "-e", STAGE, str(plugin_folder() / "main.js"), str(vault), program],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_server_is_started_paired_once_and_ended(tmp_path: Path) -> None:
    program = tmp_path / "paper"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m paperagents "$@"\n', "utf-8")
    program.chmod(0o755)
    seen = start_plugin(tmp_path, str(program))
    assert seen["notices"] == []
    assert "mine" in seen["tools"]
    assert seen["first"] == seen["second"], "the second server of the same vault takes the token of the first"
    assert seen["kept"]["address"] == "", "whoever listens there later gets no token"


def test_a_program_that_is_not_there_is_told(tmp_path: Path) -> None:
    seen = start_plugin(tmp_path, str(tmp_path / "missing"))
    assert len(seen["notices"]) == 1
    assert "could not be started" in seen["notices"][0]
