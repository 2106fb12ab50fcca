// The rows of a run while it goes on: each is found by the path of its step, rounds are counted, time is counted.

import { calmly, piece, say } from "./dom.js";

const TICK = 200;
const TOKEN = /^turn\/\d+|\/call\/[^/[~:]+|\[\d+\]|~\d+|:post|\/[^/[~:]+|^[^/[~:]+/g;
const OUTCOMES = ["error", "denied", "success", "skipped"];
const ICONS = { running: "M12 4.5a7.5 7.5 0 1 1-7.5 7.5", success: "M5 12.5l4.5 4.5L19 7.5", error: "M7 7l10 10M17 7L7 17", denied: "M7 17L17 7", skipped: "M6 7l6 5-6 5zM17 7v10" };

/** The paths of the rows that lead to a row, the nearest last. */
function prefixes(path) {
  let at = "";
  return (path.match(TOKEN) ?? [path]).map((token) => (at += token));
}

/** What happens in a run, put into its rows; false where there is no row for it yet. */
export function showEvent(run, event) {
  const lists = run.querySelectorAll(`.timeline[data-run="${CSS.escape(event.run_id)}"]`);
  if (event.run_id !== run.dataset.run) tellBelow(run, event);
  let isKnown = true;
  for (const list of lists) isKnown = showIn(list, event) && isKnown;
  return isKnown;
}

function showIn(list, event) {
  list.known ??= new Map([...list.querySelectorAll(".row")].filter((row) => row.closest(".timeline") === list).map((row) => [row.dataset.path, row]));
  const way = prefixes(event.path);
  const nearest = way.findLast((path) => list.known.has(path));
  const row = nearest && list.known.get(nearest);
  if (!row) return false;
  const part = way[way.indexOf(nearest) + 1]?.slice(nearest.length) ?? "";
  if (/^(\[|\/call-)/.test(part)) {
    count(row, Number(/\d+/.exec(part)[0]), event);
    // Drawn before it had any, it has no place to unfold them into.
    if (!row.querySelector(":scope > details > [data-rows]")) return false;
  } else if (part) {
    if (event.type === "step-started") mark(row, "running");
    return false;
  } else if (event.type === "step-started") mark(row, "running");
  else mark(row, event.entry.status, event.entry.duration_ms);
  settleAbove(list, nearest);
  return true;
}

/** A row that consists of others has an outcome when all of them have one. */
function settleAbove(list, path) {
  for (const above of prefixes(path).slice(0, -1).reverse()) {
    const row = list.known.get(above);
    if (!row || row.rounds) continue;
    const states = [...row.querySelectorAll(":scope > .rows > .row")].map((each) => each.dataset.state);
    const isOver = states.every((each) => OUTCOMES.includes(each));
    mark(row, isOver ? OUTCOMES.find((each) => states.includes(each)) : "running");
  }
}

// --- rounds: which are over, which run; a set, because what was told before the row was drawn is told again

function count(row, number, event) {
  row.rounds ??= { done: new Set(readRanges(row.dataset.done ?? "")), running: new Map(), failed: new Set(), before: Number(row.dataset.failed ?? 0) };
  const { done, running, failed } = row.rounds;
  const open = running.get(number) ?? new Set();
  if (event.type === "step-started") {
    running.set(number, open.add(event.path));
    done.delete(number);
  } else {
    open.delete(event.path);
    if (!open.size) {
      running.delete(number);
      done.add(number);
    }
    if (event.entry.status === "error") failed.add(number);
    else failed.delete(number);
  }
  row.dataset.total = String(Math.max(Number(row.dataset.total ?? 0), event.rounds ?? 0, number + (event.rounds ? 1 : 0)));
  drawSoon(row);
}

function readRanges(written) {
  return written.split(" ").filter(Boolean).flatMap((each) => {
    const [first, last = first] = each.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, place) => first + place);
  });
}

const dirty = new Set();

function drawSoon(row) {
  if (!dirty.size) requestAnimationFrame(drawCounts);
  dirty.add(row);
}

function drawCounts() {
  for (const row of dirty) {
    const { done, failed, before } = row.rounds;
    const total = Math.max(Number(row.dataset.total), done.size);
    const words = [say("row-count", { done: done.size, total })];
    if (failed.size + before) words.push(say("row-failed", { count: failed.size + before }));
    row.querySelector(".row-count").textContent = words.join(" · ");
    const isOver = done.size >= total && total > 0 && Number(row.dataset.total) > 0;
    mark(row, isOver ? (failed.size + before ? "error" : "success") : "running");
    const list = row.querySelector(":scope > details[open] > [data-rows]");
    if (list) (list.renew ??= calmly(() => loadRows(list), 400))();
  }
  dirty.clear();
}

/** The rounds of a row that was unfolded; those that somebody has asked for besides stay. */
export async function loadRows(list) {
  if (list.querySelectorAll(":scope > .row").length > 100) return;
  const opened = new Set([...list.querySelectorAll("details[open]")].map((each) => each.dataset.keep));
  const fresh = await piece(list.dataset.rows);
  if (opened.size) return;
  list.replaceChildren(fresh);
}

// --- how a row stands

function mark(row, state, took = null) {
  if (state === "running" && row.dataset.state !== "running") row.began = performance.now();
  if (row.dataset.state !== state) {
    row.classList.replace(row.dataset.state, state) || row.classList.add(state);
    row.dataset.state = state;
    row.querySelector(".dot path, .dot circle")?.replaceWith(path(ICONS[state] ?? ICONS.denied));
    row.querySelector("[data-state-word]").textContent = say(`state.${state}`);
    if (state !== "running") row.querySelector(".row-now").textContent = "";
    const box = row.closest(".run")?.querySelector(`[data-box="${CSS.escape(row.dataset.path)}"]`);
    if (box && row.closest(".timeline").parentElement.matches(".timeline-card")) box.setAttribute("class", `box ${box.classList[1]} ${state}`);
  }
  const shown = took ?? (state === "running" ? null : performance.now() - (row.began ?? performance.now()));
  if (shown !== null) row.querySelector(".took").textContent = duration(shown);
  const details = row.querySelector(":scope > details");
  if (state !== "running" && !row.dataset.total && !details.dataset.load && !details.open) {
    const query = new URLSearchParams({ part: "true", path: row.dataset.path });
    details.dataset.load = `/runs/${encodeURIComponent(row.closest("[data-run]").dataset.run)}/row?${query}`;
  }
}

function path(drawn) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "path");
  made.setAttribute("d", drawn);
  return made;
}

/** What happens in a run below is told in the row that it is. */
function tellBelow(run, event) {
  if (event.type !== "step-started") return;
  const top = run.querySelector(".timeline");
  const way = event.run_id.slice(run.dataset.run.length + 1).split(".")[0];
  const row = prefixes(way).map((each) => top.querySelector(`.row[data-path="${CSS.escape(each)}"]`)).findLast(Boolean);
  if (row?.dataset.state === "running") row.querySelector(".row-now").textContent = `› ${event.name}`;
}

// --- time that is counted

export function duration(milliseconds) {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Begins, unless it has begun: while something runs, its time is counted. */
export function countTime() {
  if (countTime.timer) return;
  countTime.timer = setInterval(() => {
    if (document.hidden) return;
    for (const row of document.querySelectorAll('.row[data-state="running"]')) {
      row.began ??= performance.now() - Number(row.dataset.elapsed ?? 0);
      row.querySelector(".took").textContent = duration(performance.now() - row.began);
    }
    const took = document.querySelector(".run-took[data-elapsed]");
    if (!took) return;
    took.began ??= performance.now() - Number(took.dataset.elapsed);
    took.textContent = duration(performance.now() - took.began);
  }, TICK);
}
