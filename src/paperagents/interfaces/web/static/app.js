// Every page: the list of tools, the palette, the count of open questions. What else a page has is a script of its own.

import { calmly, onClick, piece, say, send } from "./dom.js";
import { events } from "./events.js";
import { followQuestions } from "./inbox.js";
import { startPalette } from "./palette.js";

function start() {
  followSidebar();
  startPalette();
  const groups = document.getElementById("groups");
  if (groups) followSearch(groups);
  followQuestions();
  const compare = document.getElementById("compare-form");
  if (compare) limitChoice(compare);
  onClick("[data-pin]", pin);
  onClick("[data-undo-in]", undoInNote);
  // Back to what is seen now, which need not be what was loaded.
  onClick(".choice a", (choice) => (choice.search = new URLSearchParams({ back: location.pathname + location.search }).toString()));
}

/** What a run changed in a note is taken back by a run, which shows what it would do and asks. */
async function undoInNote(button) {
  const { answer } = await send("POST", `/api/runs/${encodeURIComponent(button.dataset.run)}/undo?wait=1`, { files: [button.dataset.undoIn] });
  location.assign(`/runs/${encodeURIComponent(answer.run_id)}`);
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
