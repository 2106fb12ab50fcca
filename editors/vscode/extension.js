// Starts `paper lsp` for the notes of a workspace. Everything it says comes from there.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function program() {
  const [command, ...first] = vscode.workspace.getConfiguration("paper").get("command");
  return { command, first };
}

async function activate(context) {
  const { command, first } = program();
  client = new LanguageClient(
    "paper",
    "Paper Agents",
    { command, args: [...first, "lsp"] },
    {
      documentSelector: [
        { scheme: "file", language: "markdown" },
        { scheme: "file", pattern: "**/*.tool.js" },
      ],
      middleware: {
        // The lenses; a folder that the person does not trust runs nothing, not even what would ask first.
        executeCommand: (name, values, next) => (vscode.workspace.isTrusted ? next(name, values) : refuse()),
      },
    },
  );
  context.subscriptions.push(
    vscode.commands.registerCommand("paper.runFile", () => runOpenFile("paper.run")),
    vscode.commands.registerCommand("paper.dryRunFile", () => runOpenFile("paper.dryRun")),
    vscode.commands.registerCommand("paper.approvals", () => inTerminal("approvals", "list")),
    vscode.commands.registerCommand("paper.undo", () => inTerminal("undo", "last")),
  );
  await client.start();
}

/** Runs the tool of the open file as its first lens would, with what is asked for. */
async function runOpenFile(command) {
  const document = vscode.window.activeTextEditor?.document;
  if (!document) return;
  if (!vscode.workspace.isTrusted) {
    refuse();
    return;
  }
  const uri = document.uri.toString();
  const lenses = (await client.sendRequest("textDocument/codeLens", { textDocument: { uri } })) ?? [];
  const call = lenses.map((lens) => lens.command).find((each) => each?.command === command)?.arguments[0];
  if (!call) {
    vscode.window.showWarningMessage("Paper: this file is no tool that can be run.");
    return;
  }
  const written = await vscode.window.showInputBox({
    title: call.tool,
    prompt: "Arguments as a JSON object",
    value: "{}",
    validateInput: (text) => (readObject(text) ? undefined : "A JSON object, for example {\"query\": \"garden\"}"),
  });
  if (written === undefined) return;
  const record = await client.sendRequest("workspace/executeCommand", {
    command,
    arguments: [{ ...call, arguments: readObject(written) }],
  });
  await showRecord(record);
}

function refuse() {
  vscode.window.showWarningMessage("Paper: this workspace is not trusted, so nothing of it is run.");
}

function readObject(text) {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function showRecord(record) {
  if (!record) return;
  const content = JSON.stringify(record, null, 2);
  const document = await vscode.workspace.openTextDocument({ content, language: "json" });
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
}

/** What asks and shows differences does so in the terminal, as it always does. */
function inTerminal(...words) {
  const { command, first } = program();
  const cwd = vscode.workspace.workspaceFolders?.[0]?.uri;
  const terminal = vscode.window.createTerminal({ name: "Paper", cwd });
  terminal.show();
  terminal.sendText([command, ...first, ...words].map(quote).join(" "));
}

function quote(word) {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
