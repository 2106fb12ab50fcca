// Tags by regular expressions, one per tool and form, as the documented registry of patterns has them.
// Reads file names from standard input, a line each; answers each with {milliseconds, found}.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const ATTRIBUTES = /(\w+)=["']([^"']*)["']|\b(\w+)(?=\s|$)/g;
const selfClosing = (word) => new RegExp(`{{<${word}\\s+([^>]*)\\s*\\/>}}`, "g");
const block = (word) => new RegExp(`{{<${word}>}}([\\s\\S]*?){{<\\/${word}>}}`, "g");
const hybridBlock = (word) => new RegExp(`{{<${word}\\s+([^>]*)>}}([\\s\\S]*?){{<\\/${word}>}}`, "g");

// Every tool in both forms, so that the same calls can be found.
const both = (word) => ({ selfClosing: selfClosing(word), block: block(word) });

const TOOLS = {
  reasoning_text: both("reasoning_text"),
  memory: both("memory"),
  task: both("task"),
  goal: both("goal"),
  datavault: { ...both("datavault"), hybridBlock: hybridBlock("datavault") },
  js_execute: both("js_execute"),
  final_output: both("final_output"),
  subagent: { ...both("subagent"), hybridBlock: hybridBlock("subagent") },
  vaultref: { reference: /{{<vaultref\s+id=["']([^"']+)["']\s*\/>}}/gi },
};

function parseAttributes(text) {
  const attributes = {};
  for (const match of text.matchAll(ATTRIBUTES)) {
    if (match[1]) attributes[match[1]] = match[2];
    else if (match[3]) attributes[match[3]] = true;
  }
  return attributes;
}

function operation(toolId, form, match) {
  const isBlock = form === "block" || form === "hybridBlock";
  const attributes = form === "block" || form === "reference" ? "" : match[1];
  const content = form === "block" ? match[1] : form === "hybridBlock" ? match[2] : "";
  return {
    toolId,
    type: isBlock ? "block" : "self_closing",
    raw: match[0],
    content,
    attributes: parseAttributes(attributes),
    index: match.index,
  };
}

function extractAll(text) {
  const found = {};
  for (const [toolId, patterns] of Object.entries(TOOLS)) {
    for (const [form, pattern] of Object.entries(patterns)) {
      for (const match of text.matchAll(pattern)) (found[toolId] ??= []).push(operation(toolId, form, match));
    }
  }
  return found;
}

const texts = new Map();
function textOf(file) {
  if (!texts.has(file)) texts.set(file, readFileSync(file, "utf8"));
  return texts.get(file);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { file, rounds } = JSON.parse(line);
  const text = textOf(file);
  const start = process.hrtime.bigint();
  let found;
  for (let round = 0; round < rounds; round += 1) found = extractAll(text);
  const milliseconds = Number(process.hrtime.bigint() - start) / 1e6 / rounds;
  const calls = Object.values(found).flat().map(({ toolId, content, attributes }) => ({ toolId, content, attributes }));
  console.log(JSON.stringify({ milliseconds, count: calls.length, calls: calls.length < 50 ? calls : [] }));
}
