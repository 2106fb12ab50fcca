// A run as it goes on: steps appear as they happen, the diagram is lit, questions come up, nothing is lost.

import { announce, calmly, notice, piece, Refusal, say, send, textOf } from "./dom.js";
import { askQuestion } from "./approval.js";

const SHOWN_STEPS = 200;
const ENDS = new Set(["run-finished", "run-refused"]);
const cameUp = new Set();

/** Keep the run in this slot up to date; `events` tells what happens. */
export function watchRun(slot, events) {
  const run = () => slot.querySelector(".run");
  if (!run()) return;
  const renew = calmly(() => replaceRun(slot), 60);
  const addSteps = calmly(() => appendSteps(slot), 150);
  const isOurs = (event) => event.run_id === run()?.dataset.run || event.run_id?.startsWith(`${run()?.dataset.run}.`);
  slot.stopWatching?.();
  if (run().dataset.status === "running" || run().dataset.status === "waiting") events.follow(run().dataset.run);
  slot.stopWatching = events.listen((event) => {
    if (event.type === "events-missed" || event.type === "connected") return renew();
    if (!isOurs(event)) return;
    if (event.type === "step-started" && event.run_id === run().dataset.run) lightSoon(slot, event);
    else if (event.type === "step-finished" && event.run_id === run().dataset.run) addSteps();
    else if (event.type === "run-started" && run().dataset.status === "waiting") renew();
    else if (event.type === "approval-requested" || (ENDS.has(event.type) && event.run_id === run().dataset.run)) renew();
  });
  openQuestion(slot);
  if (run().dataset.status === "running") renew();
}

async function replaceRun(slot) {
  const old = slot.querySelector(".run");
  if (!old) return;
  const kept = new Map([...old.querySelectorAll("details[data-keep]")].map((each) => [each.dataset.keep, each.open]));
  const view = old.querySelector("input[name=view]:checked")?.value;
  const fresh = await piece(`/runs/${encodeURIComponent(old.dataset.run)}/panel`);
  const renewed = fresh.querySelector(".run");
  // A question that somebody is just answering stays as it is.
  if (renewed.dataset.status === "waiting" && old.dataset.digests === renewed.dataset.digests && old.dataset.digests.trim()) return;
  for (const [name, isOpen] of kept) {
    const same = renewed.querySelector(`details[data-keep="${CSS.escape(name)}"]`);
    if (same) same.open = isOpen;
  }
  const chosen = view && renewed.querySelector(`input[name=view][value="${CSS.escape(view)}"]`);
  if (chosen) chosen.checked = true;
  if (old.dataset.status !== renewed.dataset.status) announce(renewed.querySelector(".status-word").textContent);
  old.replaceWith(renewed);
  if (slot.lastStarted) light(slot, slot.lastStarted);
  openQuestion(slot);
}

async function appendSteps(slot) {
  const run = slot.querySelector(".run");
  const list = run?.querySelector("[data-steps-list]");
  if (!list || run.dataset.status !== "running") return;
  const have = list.querySelectorAll(":scope > li[data-number]").length;
  if (have >= SHOWN_STEPS) return;
  const fresh = await piece(`/runs/${encodeURIComponent(run.dataset.run)}/steps?first=${have}`);
  list.querySelector(".live")?.remove();
  list.append(fresh);
  run.querySelector("[data-step-count]").textContent = list.querySelectorAll(":scope > li[data-number]").length;
}

function lightSoon(slot, event) {
  if (!slot.lightPlanned) requestAnimationFrame(() => ((slot.lightPlanned = false), light(slot, slot.lastStarted)));
  slot.lightPlanned = true;
  slot.lastStarted = event;
}

/** The step that runs now: in the list and in the diagram. */
function light(slot, event) {
  const run = slot.querySelector(".run");
  if (run?.dataset.status !== "running" || run.dataset.run !== event.run_id) return;
  const now = run.querySelector("[data-now]");
  now.hidden = false;
  now.textContent = say("now", { step: event.step, name: event.name });
  for (const box of run.querySelectorAll(".box.lit")) box.classList.remove("lit");
  for (const box of run.querySelectorAll(`.box[data-step="${Number(event.step)}"]`)) {
    const isThis = box.dataset.name === event.name || run.querySelectorAll(`.box[data-step="${Number(event.step)}"]`).length === 1;
    if (isThis) box.classList.add("lit");
  }
}

/** Each question comes up once; one that was closed stays in its place. */
function openQuestion(slot) {
  const question = slot.querySelector(".question");
  const name = question && `${question.dataset.question} ${question.dataset.digest}`;
  if (!question || cameUp.has(name) || document.querySelector("dialog[open]")) return;
  cameUp.add(name);
  askQuestion(question);
}

/** Buttons of a run: stop it, go on with it. */
export async function actOnRun(button) {
  const run = button.closest(".run");
  const slot = run.parentElement;
  button.disabled = true;
  try {
    await send("POST", `/api/runs/${encodeURIComponent(run.dataset.run)}/${button.dataset.action}?wait=2`);
    await replaceRun(slot);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    notice(error.message);
  } finally {
    button.disabled = false;
  }
}

/** The members of a value, or the data of a step, that were not there yet. */
export async function loadMore(link) {
  const item = link.closest("li");
  item.replaceWith(await piece(link.getAttribute("href")));
}

export async function loadStep(details) {
  const path = details.dataset.load;
  delete details.dataset.load;
  const summary = details.querySelector("summary");
  details.replaceChildren(summary, await piece(path));
}

export async function loadSteps(link) {
  const list = link.closest("section").querySelector("[data-steps-list]");
  const run = link.closest(".run");
  const first = Number(new URL(link.href).searchParams.get("first"));
  const fresh = await piece(`/runs/${encodeURIComponent(run.dataset.run)}/steps?first=${first}`);
  const count = fresh.querySelectorAll("li[data-number]").length;
  list.append(fresh);
  const left = Number(run.dataset.steps) - first - count;
  if (left <= 0) return link.remove();
  link.href = `/runs/${encodeURIComponent(run.dataset.run)}?first=${first + count}`;
  link.textContent = say("more-steps", { count: left });
}

/** Copy a result, as the download gives it. */
export async function copyResult(button) {
  await navigator.clipboard.writeText(await textOf(button.dataset.copy));
  const before = button.textContent;
  button.textContent = say("copied");
  setTimeout(() => (button.textContent = before), 2000);
}
