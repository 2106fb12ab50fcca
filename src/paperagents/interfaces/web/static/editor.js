// The editor of a note: problems as one types, a preview of the form, saving that overwrites nobody.

import { keepingLineEnds, makeForm } from "./form.js";
import { calmly, make, notice, pageData, Refusal, say, send, textOf } from "./dom.js";
import { colour, insert, typeLikeCode } from "./code.js";
import { events } from "./events.js";
import { startExplanations } from "./explanation.js";
import { AT_ONCE } from "./palette.js";
import { offsetOf } from "./places.js";
import { startSuggestions } from "./suggestions.js";

function startEditor() {
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

  async function examine() {
    const checked = text.value;
    const { answer } = await send("POST", "/edit/check", { file: file(), content: content() });
    if (checked === text.value) show(answer);
  }
  const check = calmly(examine, 200);

  function show({ problems, count, document: definition }) {
    known = problems;
    tool = definition?.parameters ? definition.id : null;
    saveAndRun.hidden = !tool;
    listProblems(problems, count, goTo, repair);
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
    const at = offsetOf(text.value, line, column);
    text.focus();
    text.setSelectionRange(at, at);
    const height = Number.parseFloat(getComputedStyle(text).lineHeight);
    text.scrollTop = Math.max((line - 8) * height, 0);
  }

  /** Carry out a repair as if it were typed; from the end on, so that the places before it stay where they are. */
  function repair({ edits }) {
    text.focus();
    const before = text.value;
    for (const each of edits.toSorted((a, b) => b.line - a.line || b.column - a.column)) {
      text.setSelectionRange(offsetOf(before, each.line, each.column), offsetOf(before, each.end_line, each.end_column));
      insert(each.text);
    }
  }

  const repairs = (line) => {
    const here = known.filter((each) => each.line <= line && line <= each.end_line);
    return here.flatMap((each) => each.fixes.map((fix) => ({ label: fix.title, documentation: each.message, accept: () => repair(fix) })));
  };

  /** The problems at a place, as an explanation shows them. */
  const problemsAt = ({ line, column }) => {
    const isHere = (each) => !isBefore(line, column, each.line, each.column) && !isBefore(each.end_line, each.end_column, line, column);
    return known.filter(isHere).map((each) => make("div", { class: `problem ${each.severity}` }, make("p", { dir: "auto" }, each.message), ...fixButtons(each, repair)));
  };

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
    // What was just typed may not have been looked at yet, and it may be another tool now.
    await examine();
    const wanted = tool;
    if (!wanted || (!save.disabled && !(await keep()))) return;
    sessionStorage.setItem(AT_ONCE, wanted);
    location.assign(`/tools/${encodeURIComponent(wanted)}`);
  });
  const draft = () => ({ file: file() || "draft.md", content: text.value });
  // Before the keys of the text: an open list comes first.
  startSuggestions(text, draft, repairs);
  startExplanations(text, draft, problemsAt, goTo);
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

function listProblems(problems, count, goTo, repair) {
  const list = document.getElementById("problems");
  list.replaceChildren(
    ...problems.slice(0, 100).map((each) =>
      make(
        "li",
        { class: each.severity },
        make("button", { type: "button", onclick: () => goTo(each.line, each.column) }, make("span", { class: "position" }, `${each.line}:${each.column}`), " ", make("span", { dir: "auto" }, each.message)),
        each.hint ? make("span", { class: "hint", dir: "auto" }, each.hint) : null,
        ...fixButtons(each, repair),
      ),
    ),
  );
  document.getElementById("problem-count").textContent = String(count);
  document.getElementById("no-problems").hidden = count > 0;
}

function fixButtons(problem, repair) {
  return problem.fixes.map((fix) => make("button", { type: "button", class: "fix", onclick: () => repair(fix) }, fix.title));
}

function isBefore(line, column, otherLine, otherColumn) {
  return line < otherLine || (line === otherLine && column < otherColumn);
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

startEditor();
