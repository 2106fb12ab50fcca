// Writing YAML, Markdown and JavaScript: Enter keeps the indentation, Tab indents, and three colours tell what is what.

import { piecesOf, rangeOf } from "./places.js";

const LONGEST_COLOURED = 100_000;
const WORDS = /\b(?:async|await|break|case|catch|class|const|continue|else|export|false|for|function|if|import|in|let|new|null|of|return|switch|this|throw|true|try|typeof|undefined|while)\b/;
const PARTS = [
  ["comment", /(?:^|\s)(?:#(?!#* )|\/\/).*$/],
  ["name", /^[ \t-]*[\w$-]+(?=:(?:\s|$))|^#{1,6} .*$|^(?:---|```.*)$|\[\[[^\]\n]*\]\]|\{\{[^}\n]*\}\}/],
  ["text", /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`/],
  ["word", new RegExp(`${WORDS.source}|\\b\\d+(?:\\.\\d+)?\\b`)],
];
const PATTERN = new RegExp(PARTS.map(([name, part]) => `(?<${name}>${part.source})`).join("|"), "gm");

/** Colour the copy of the text behind the field: by ranges, nothing of the text becomes an element. */
export function colour(text) {
  const editor = text.closest(".editor");
  const isShort = Boolean(globalThis.Highlight && CSS.highlights) && text.value.length <= LONGEST_COLOURED;
  editor.classList.toggle("coloured", isShort);
  if (!isShort) return;
  const ranges = Object.fromEntries(PARTS.map(([name]) => [name, []]));
  const pieces = piecesOf(text);
  for (const found of text.value.matchAll(PATTERN)) {
    const name = Object.keys(found.groups).find((each) => found.groups[each] !== undefined);
    const range = rangeOf(pieces, found.index, found.index + found[0].length);
    if (range) ranges[name].push(range);
  }
  for (const [name, each] of Object.entries(ranges)) CSS.highlights.set(`code-${name}`, new Highlight(...each));
}

/** Enter, Tab and Shift-Tab as in an editor of code; after Escape, Tab leaves the field. */
export function typeLikeCode(text) {
  let leaves = false;
  text.addEventListener("keydown", (event) => {
    if (event.key === "Escape") leaves = true;
    else if (event.key === "Tab" && !leaves && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      indent(text, event.shiftKey);
    } else if (event.key === "Enter" && !event.isComposing && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      const before = text.value.slice(0, text.selectionStart).split("\n").at(-1);
      // The next field of an item stands below its first.
      const beside = before.replace(/^([ \t]*)- (?=[\w-]+:)/, "$1  ");
      const deeper = /(?:[:{[(]|[:] [|>]-?)[ \t]*$/.test(before) ? "  " : "";
      insert(`\n${/^[ \t]*/.exec(beside)[0]}${deeper}`);
    } else if (!["Shift", "Tab"].includes(event.key)) leaves = false;
  });
  text.addEventListener("blur", () => (leaves = false));
}

function indent(text, isBack) {
  const { selectionStart: start, selectionEnd: end, value } = text;
  if (start === end && !isBack) return insert("  ");
  const begin = value.lastIndexOf("\n", start - 1) + 1;
  const lines = value.slice(begin, end).split("\n");
  const moved = lines.map((line) => (isBack ? line.replace(/^(?: {1,2}|\t)/, "") : line && `  ${line}`)).join("\n");
  text.setSelectionRange(begin, end);
  if (moved === value.slice(begin, end)) return text.setSelectionRange(start, end);
  insert(moved);
  if (start === end) text.setSelectionRange(Math.max(begin, start - (lines.join("\n").length - moved.length)), text.selectionEnd);
  else text.setSelectionRange(begin, begin + moved.length);
}

/** As if typed: it can be undone. */
export function insert(words) {
  // The only way to change a field that its undo knows of.
  document.execCommand(words ? "insertText" : "delete", false, words);
}
