// The editor of a note: problems as one types, a preview of the form, saving that overwrites nobody.

import { keepingLineEnds, makeForm } from "./form.js";
import { calmly, make, notice, pageData, Refusal, say, send, textOf } from "./dom.js";
import { colour, typeLikeCode } from "./code.js";
import { AT_ONCE } from "./palette.js";

export function startEditor(events) {
  const editor = document.querySelector(".editor");
  const text = document.getElementById("content");
  const save = document.getElementById("save");
  const state = document.getElementById("save-state");
  const name = document.getElementById("file-name");
  const original = editor.dataset.ending === "crlf" ? "\r\n" : null;
  const conflict = document.getElementById("conflict");
  const first = text.value;
  const saveAndRun = document.getElementById("save-run");
  let saved = name ? null : first;
  let known = [];
  let tool = null;
  let isSaving = false;
  const file = () => (name ? name.value : editor.dataset.file);
  const content = () => (original ? keepingLineEnds(text.value, original) : text.value);

  const check = calmly(async () => {
    const checked = text.value;
    const { answer } = await send("POST", "/edit/check", { file: file(), content: content() });
    if (checked === text.value) show(answer);
  }, 200);

  function show({ problems, document: definition }) {
    known = problems;
    tool = definition?.parameters ? definition.id : null;
    saveAndRun.hidden = !tool;
    listProblems(problems, goTo);
    mark(text, problems);
    colour(text);
    preview(definition);
  }

  function changed() {
    save.disabled = text.value === saved;
    state.textContent = save.disabled ? "" : say("unsaved");
    numbers(text);
    // At once: the letters that are seen are those behind the field.
    mark(text, known);
    colour(text);
  }

  function goTo(line, column) {
    const lines = text.value.split("\n");
    const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    // Columns count characters, positions in a text field count units of two bytes.
    const at = before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
    text.focus();
    text.setSelectionRange(at, at);
    const height = Number.parseFloat(getComputedStyle(text).lineHeight);
    text.scrollTop = Math.max((line - 8) * height, 0);
  }

  async function keep() {
    if (save.disabled) return;
    if (!file().trim()) {
      name.focus();
      return notice(say("name-first"));
    }
    const keeping = text.value;
    save.disabled = true;
    conflict.hidden = true;
    isSaving = true;
    try {
      const { answer, response } = await send("PUT", "/edit/save", { file: file(), content: content(), digest: editor.dataset.digest });
      if (answer.status === "denied") return disagree(answer.error.details?.reason ?? answer.error.message, response.headers.get("etag"));
      if (!answer.success) throw new Refusal(answer.error);
      editor.dataset.digest = response.headers.get("etag");
      editor.dataset.file = file();
      saved = keeping;
      if (name) location.replace(`/edit?file=${encodeURIComponent(file())}`);
      notice(say("saved"));
      changed();
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      save.disabled = false;
      notice(error.message);
    } finally {
      isSaving = false;
    }
  }

  /** Another has changed the file: the person looks, and decides. */
  function disagree(reason, theirs) {
    save.disabled = false;
    document.getElementById("conflict-reason").textContent = reason;
    const look = document.getElementById("conflict-look");
    look.href = `/edit?file=${encodeURIComponent(file())}`;
    look.hidden = theirs === "absent";
    conflict.hidden = false;
    conflict.dataset.digest = theirs;
    conflict.scrollIntoView({ block: "nearest" });
  }

  document.getElementById("conflict-overwrite").addEventListener("click", () => {
    editor.dataset.digest = conflict.dataset.digest;
    keep();
  });
  text.addEventListener("input", () => {
    changed();
    check();
  });
  name?.addEventListener("input", check);
  text.addEventListener("scroll", () => scrollTogether(text));
  save.addEventListener("click", keep);
  // Saved, then run by the form of the tool with its last values: what changes something asks as always.
  saveAndRun.addEventListener("click", async () => {
    const wanted = tool;
    if (!save.disabled && !(await keep())) return;
    sessionStorage.setItem(AT_ONCE, wanted);
    location.assign(`/tools/${encodeURIComponent(wanted)}`);
  });
  typeLikeCode(text);
  const compare = calmly(async () => {
    if (name) return;
    const theirs = await textOf(`/edit/digest?file=${encodeURIComponent(file())}`);
    // What is being saved here is no change from outside.
    if (isSaving || theirs === editor.dataset.digest) return;
    if (text.value === saved && theirs !== "absent") location.reload();
    else disagree(theirs === "absent" ? conflict.dataset.gone : conflict.dataset.changed, theirs);
  }, 200);
  events.listen((event) => ["vault-changed", "connected", "run-finished"].includes(event.type) && compare());
  document.addEventListener("keydown", (event) => {
    if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      keep();
    }
  });
  addEventListener("beforeunload", (event) => {
    if (text.value !== (saved ?? first)) event.preventDefault();
  });
  changed();
  show(pageData("checked"));
  if (new URLSearchParams(location.search).has("line")) goTo(Number(editor.dataset.line), Number(editor.dataset.column));
}

function listProblems(problems, goTo) {
  const list = document.getElementById("problems");
  list.replaceChildren(
    ...problems.slice(0, 100).map((each) =>
      make(
        "li",
        { class: each.severity },
        make("button", { type: "button", onclick: () => goTo(each.line, each.column) }, make("span", { class: "position" }, `${each.line}:${each.column}`), " ", make("span", { dir: "auto" }, each.message)),
        each.hint ? make("span", { class: "hint", dir: "auto" }, each.hint) : null,
      ),
    ),
  );
  document.getElementById("problem-count").textContent = String(problems.length);
  document.getElementById("no-problems").hidden = problems.length > 0;
}

/** Wavy lines below what is wrong, in a copy of the text behind the text. */
function mark(text, problems) {
  const backdrop = document.querySelector(".backdrop");
  const lines = text.value.split("\n");
  const byLine = new Map();
  for (const each of problems.slice(0, 200)) byLine.set(each.line, [...(byLine.get(each.line) ?? []), each]);
  const parts = [];
  let plain = "";
  lines.forEach((line, number) => {
    const characters = [...line];
    let done = 1;
    for (const each of (byLine.get(number + 1) ?? []).sort((a, b) => a.column - b.column)) {
      if (each.column < done) continue;
      const end = each.end_line === each.line ? Math.max(each.end_column, each.column + 1) : characters.length + 1;
      parts.push(plain + characters.slice(done - 1, each.column - 1).join(""));
      parts.push(make("mark", { class: each.severity }, characters.slice(each.column - 1, end - 1).join("") || " "));
      plain = "";
      done = end;
    }
    plain += `${characters.slice(done - 1).join("")}\n`;
  });
  backdrop.replaceChildren(...parts, plain);
  scrollTogether(text);
}

function numbers(text) {
  const gutter = document.querySelector(".gutter");
  const count = text.value.split("\n").length;
  if (Number(gutter.dataset.count) === count) return;
  gutter.dataset.count = String(count);
  gutter.textContent = Array.from({ length: count }, (_, number) => number + 1).join("\n");
}

function scrollTogether(text) {
  document.querySelector(".gutter").scrollTop = text.scrollTop;
  const backdrop = document.querySelector(".backdrop");
  backdrop.scrollTop = text.scrollTop;
  backdrop.scrollLeft = text.scrollLeft;
}

function preview(definition) {
  const slot = document.getElementById("preview");
  if (!definition) return slot.replaceChildren(make("p", { class: "quiet" }, say("no-preview")));
  const parts = [make("p", {}, make("strong", {}, definition.name ?? "")), make("p", { class: "quiet", dir: "auto" }, definition.description ?? "")];
  if (definition.parameters) {
    const form = makeForm(definition.parameters, definition.examples?.[0]?.input ?? {});
    parts.push(make("div", { class: "preview-form" }, form.node));
  }
  slot.replaceChildren(...parts);
}
