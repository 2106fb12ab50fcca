// Every page: the list of tools, the count of open questions, and the parts that the page has.

import { calmly, notice, piece, Refusal, say, send } from "./dom.js";
import { openEvents } from "./events.js";
import { answer, answerAll } from "./approval.js";
import { editFile, followChoices } from "./change_set.js";
import { startChat } from "./chat.js";
import { startEditor } from "./editor.js";
import { startEntry } from "./entries.js";
import { followQuestions } from "./inbox.js";
import { actOnRun, copyResult, loadMore, loadMoreRows, loadRow, undoRun, watchRun } from "./run.js";
import { startSettings } from "./settings.js";
import { startTool } from "./tool.js";
import { decideTrust } from "./trust.js";

const events = openEvents();

function start() {
  followSidebar();
  followQuestions(events);
  followChoices();
  document.addEventListener("click", (event) => act(event).catch(tell));
  document.addEventListener("toggle", (event) => open(event).catch(tell), true);
  const slot = document.getElementById("run-slot");
  const watch = (where) => watchRun(where, events);
  if (slot) watch(slot);
  const form = document.getElementById("tool-form");
  if (form) startTool(form, watch, events);
  if (document.querySelector(".editor")) startEditor();
  if (document.querySelector("[data-setting], [data-variable], [data-revoke]")) startSettings();
  const chat = document.getElementById("chat");
  if (chat) startChat(chat, events, watch);
  if (document.getElementById("entry-data")) startEntry(watch);
  const compare = document.getElementById("compare-form");
  if (compare) limitChoice(compare);
}

async function act(event) {
  const choice = event.target.closest(".choice a");
  // Back to what is seen now, which need not be what was loaded.
  if (choice) choice.search = new URLSearchParams({ back: location.pathname + location.search }).toString();
  const target = event.target.closest("[data-answer], [data-answer-all], [data-action], [data-undo], [data-edit-file], [data-copy], [data-trust], [data-undo-in], [data-more], [data-more-rows]");
  if (!target) return;
  if (target.dataset.answer) await answer(target);
  else if (target.dataset.answerAll) await answerAll(target);
  else if (target.dataset.action) await actOnRun(target);
  else if (target.dataset.undo) await undoRun(target);
  else if (target.matches("[data-edit-file]")) await editFile(target);
  else if (target.dataset.copy) await copyResult(target);
  else if (target.dataset.trust) await decideTrust(target);
  else if (target.dataset.undoIn) await undoInNote(target);
  else {
    event.preventDefault();
    await (target.hasAttribute("data-more") ? loadMore(target) : loadMoreRows(target));
  }
}

/** What a run changed in a note is taken back by a run, which shows what it would do and asks. */
async function undoInNote(button) {
  const { answer } = await send("POST", `/api/runs/${encodeURIComponent(button.dataset.run)}/undo?wait=1`, { files: [button.dataset.undoIn] });
  location.assign(`/runs/${encodeURIComponent(answer.run_id)}`);
}

async function open(event) {
  if (event.target.open && event.target.matches?.(".row > details, details[data-load]")) await loadRow(event.target);
}

function tell(error) {
  if (!(error instanceof Refusal)) throw error;
  notice(error.message);
}

// --- the list of tools

function followSidebar() {
  const search = document.getElementById("side-search");
  const list = document.getElementById("side-tools");
  const renew = calmly(async () => {
    const query = new URLSearchParams({ q: search.value, current: search.dataset.current });
    const fresh = await piece(`/sidebar?${query}`);
    const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    list.replaceChildren(fresh);
    if (focused) list.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  }, 80);
  search.addEventListener("input", renew);
  search.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") list.querySelector("a")?.focus();
  });
  events.listen((event) => {
    if (event.type === "vault-changed" || event.type === "connected") renew();
  });
  list.querySelector('[aria-current="page"]')?.scrollIntoView({ block: "nearest" });
}

function limitChoice(form) {
  const button = document.getElementById("compare-button");
  const renew = () => {
    const chosen = form.querySelectorAll("input[name=run]:checked").length;
    button.disabled = chosen !== 2;
    document.getElementById("chosen-count").textContent = say("chosen", { count: chosen });
    document.getElementById("chosen-bar").hidden = chosen === 0;
  };
  form.addEventListener("change", renew);
  renew();
}

start();
