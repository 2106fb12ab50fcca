// Every page: the list of tools, the count of open questions, and the parts that the page has.

import { calmly, notice, piece, Refusal, say, send } from "./dom.js";
import { openEvents } from "./events.js";
import { answer, answerAll } from "./approval.js";
import { editFile, followChoices } from "./change_set.js";
import { startChat } from "./chat.js";
import { startDevices } from "./devices.js";
import { startEditor } from "./editor.js";
import { startEntry } from "./entries.js";
import { followQuestions } from "./inbox.js";
import { actOnRun, copyResult, loadMore, loadMoreRows, loadRow, undoRun, watchRun } from "./run.js";
import { startModels } from "./models.js";
import { startPalette } from "./palette.js";
import { startSettings } from "./settings.js";
import { startTool } from "./tool.js";
import { decideTrust } from "./trust.js";

const events = openEvents();

function start() {
  followSidebar();
  startPalette();
  startModels();
  const groups = document.getElementById("groups");
  if (groups) followSearch(groups);
  followQuestions(events);
  followChoices();
  document.addEventListener("click", (event) => act(event).catch(tell));
  document.addEventListener("toggle", (event) => open(event).catch(tell), true);
  const slot = document.getElementById("run-slot");
  const watch = (where) => watchRun(where, events);
  if (slot) watch(slot);
  const form = document.getElementById("tool-form");
  if (form) startTool(form, watch, events);
  if (document.querySelector(".editor")) startEditor(events);
  if (document.querySelector("[data-settings], [data-variable], [data-revoke]")) startSettings();
  if (document.getElementById("pair-button")) startDevices();
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
  const target = event.target.closest("[data-answer], [data-answer-all], [data-action], [data-undo], [data-edit-file], [data-copy], [data-trust], [data-undo-in], [data-pin], [data-more], [data-more-rows]");
  if (!target) return;
  if (target.dataset.answer) await answer(target);
  else if (target.dataset.answerAll) await answerAll(target);
  else if (target.dataset.action) await actOnRun(target);
  else if (target.dataset.undo) await undoRun(target);
  else if (target.matches("[data-edit-file]")) await editFile(target);
  else if (target.dataset.copy) await copyResult(target);
  else if (target.dataset.trust) await decideTrust(target);
  else if (target.dataset.pin) pin(target);
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

/** What is pinned stands first on the first page; kept in a cookie, so that the server knows before it answers. */
function pin(button) {
  const before = /(?:^|; )paper_pins=([^;]*)/.exec(document.cookie)?.[1] ?? "";
  const name = encodeURIComponent(button.dataset.pin);
  const others = before.split("~").filter((each) => each && each !== name);
  const isPinned = button.getAttribute("aria-pressed") !== "true";
  document.cookie = `paper_pins=${(isPinned ? [...others, name] : others).slice(-24).join("~")}; path=/; max-age=31536000; samesite=strict`;
  button.setAttribute("aria-pressed", String(isPinned));
}

// --- the list of tools

/** The first page finds as one types; where nobody searches, it shows what it showed before. */
function followSearch(groups) {
  const search = document.getElementById("search");
  const renew = calmly(async () => {
    const query = new URLSearchParams({ q: search.value, category: search.dataset.category ?? "" });
    const fresh = await piece(`/groups?${query}`);
    keepOpen(groups, fresh, search.value);
    groups.replaceChildren(fresh);
    for (const each of document.querySelectorAll(".home-waiting, .home-cards")) each.hidden = Boolean(search.value);
  }, 80);
  search.addEventListener("input", renew);
  events.listen((event) => event.type === "vault-changed" && renew());
  if (matchMedia("(hover: hover)").matches && !location.hash) search.focus({ preventScroll: true });
}

function keepOpen(old, fresh, query) {
  if (query) return;
  for (const each of old.querySelectorAll("details[data-group]")) {
    const same = fresh.querySelector(`details[data-group="${CSS.escape(each.dataset.group)}"]`);
    if (same && each.open) same.open = true;
  }
}

function followSidebar() {
  const search = document.getElementById("side-search");
  const list = document.getElementById("side-tools");
  const renew = calmly(async () => {
    const query = new URLSearchParams({ q: search.value, current: search.dataset.current });
    const fresh = await piece(`/sidebar?${query}`);
    const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    keepOpen(list, fresh, search.value);
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
