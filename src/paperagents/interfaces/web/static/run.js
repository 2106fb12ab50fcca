// A run as it goes on: steps appear as they happen, the diagram is lit, questions come up, nothing is lost.

import { announce, calmly, make, notice, piece, Refusal, say, send, textOf } from "./dom.js";
import { askQuestion, closeAnswered } from "./approval.js";

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
  // An answer may be longer on its way than the next question.
  const askNext = () => openQuestion(slot);
  document.addEventListener("paper-answered", askNext);
  const stopListening = events.listen((event) => {
    if (event.type === "events-missed" || event.type === "connected") return renew();
    if (!isOurs(event)) return;
    if (event.type === "step-started" && event.run_id === run().dataset.run) lightSoon(slot, event);
    else if (event.type === "step-finished" && event.run_id === run().dataset.run) {
      run().dataset.steps = String(Number(run().dataset.steps) + 1);
      addSteps();
    }
    else if (event.type === "run-started" && run().dataset.status === "waiting") renew();
    else if (event.type === "approval-requested" || (ENDS.has(event.type) && event.run_id === run().dataset.run)) renew();
  });
  slot.stopWatching = () => {
    stopListening();
    document.removeEventListener("paper-answered", askNext);
  };
  openQuestion(slot);
  if (run().dataset.status === "running") renew();
}

async function replaceRun(slot) {
  const old = slot.querySelector(".run");
  if (!old) return;
  const fresh = await piece(`/runs/${encodeURIComponent(old.dataset.run)}/panel`);
  const renewed = fresh.querySelector(".run");
  if (slot.tellRefusal && old.dataset.status === "running" && "refused" in renewed.dataset) return slot.tellRefusal(old.dataset.run);
  closeAnswered([...renewed.querySelectorAll(".question")]);
  // A question that somebody is just answering stays as it is.
  if (renewed.dataset.status === "waiting" && old.dataset.digests === renewed.dataset.digests && old.dataset.digests.trim()) return;
  // As it is now, not as it was before the server was asked: somebody may have opened something meanwhile.
  const kept = new Map([...old.querySelectorAll("details[data-keep]")].map((each) => [each.dataset.keep, each.open]));
  const view = old.querySelector("input[name=view]:checked")?.value;
  for (const [name, isOpen] of kept) {
    const same = renewed.querySelector(`details[data-keep="${CSS.escape(name)}"]`);
    if (same) same.open = isOpen;
  }
  const chosen = view && renewed.querySelector(`input[name=view][value="${CSS.escape(view)}"]`);
  if (chosen) chosen.checked = true;
  // Steps that somebody has asked for stay.
  renewed.querySelector("[data-steps-list]").append(...shownSteps(old).filter((each) => Number(each.dataset.number) >= nextStep(renewed)));
  tellSteps(renewed);
  if (old.dataset.status !== renewed.dataset.status) announce(renewed.querySelector(".status-word").textContent);
  old.replaceWith(renewed);
  if (old.dataset.status !== renewed.dataset.status) {
    slot.dispatchEvent(new CustomEvent("paper-status"));
    offerRetry(slot);
  }
  if (slot.lastStarted) light(slot, slot.lastStarted);
  openQuestion(slot);
}

async function appendSteps(slot) {
  const run = slot.querySelector(".run");
  if (run?.dataset.status !== "running") return;
  if (shownSteps(run).length < SHOWN_STEPS) await fetchSteps(run);
  tellSteps(run);
}

/** One request at a time: two would bring the same steps twice. */
function fetchSteps(run) {
  run.fetching ??= addFetched(run).finally(() => (run.fetching = undefined));
  return run.fetching;
}

async function addFetched(run) {
  const fresh = await piece(`/runs/${encodeURIComponent(run.dataset.run)}/steps?first=${nextStep(run)}`);
  run.querySelector("[data-steps-list]").append(fresh);
}

function shownSteps(run) {
  return [...run.querySelectorAll("[data-steps-list] > li[data-number]")];
}

/** The place in the log of the first step that is not shown yet. */
function nextStep(run) {
  return Number(shownSteps(run).at(-1)?.dataset.number ?? -1) + 1;
}

/** How many steps there are; those that are not shown are one press away, also while more of them come. */
function tellSteps(run) {
  const next = nextStep(run);
  const total = Math.max(next, Number(run.dataset.steps));
  const more = run.querySelector("[data-more-steps]");
  run.querySelector("[data-step-count]").textContent = String(total);
  more.parentElement.hidden = next >= total;
  more.href = `/runs/${encodeURIComponent(run.dataset.run)}?first=${next}`;
  more.textContent = say("more-steps", { count: total - next });
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

/** A request that was answered with an error: once more, or not, as at a terminal. Closing it is a no. */
export function offerRetry(slot) {
  const failure = slot.querySelector("[data-failed-request]");
  if (!failure || document.querySelector("dialog[open]")) return;
  const shown = failure.cloneNode(true);
  const heading = make("h2", { id: "retry-heading", tabindex: "-1" }, say("request-failed"));
  const dialog = make("dialog", { "aria-labelledby": heading.id });
  const again = () => {
    dialog.close();
    slot.querySelector('[data-action="resume"]')?.click();
  };
  const abort = make("button", { type: "button", class: "button quiet-button", onclick: () => dialog.close() }, say("abort"));
  const retry = make("button", { type: "button", class: "button", onclick: again }, say("retry"));
  shown.prepend(heading);
  shown.append(make("div", { class: "main-answers" }, abort, retry));
  dialog.append(shown);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  heading.focus();
}

/** Buttons of a run: stop it, go on with it. */
export async function actOnRun(button) {
  const run = button.closest(".run");
  const slot = run.parentElement;
  button.disabled = true;
  // What is asked once more comes up once more.
  cameUp.clear();
  try {
    await send("POST", `/api/runs/${encodeURIComponent(run.dataset.run)}/${button.dataset.action}?wait=2`);
    await replaceRun(slot);
    if (button.dataset.action === "resume") offerRetry(slot);
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
  try {
    details.replaceChildren(summary, await piece(path));
  } catch (error) {
    details.dataset.load = path; // to be asked for again
    throw error;
  }
}

export async function loadSteps(link) {
  const run = link.closest(".run");
  await fetchSteps(run);
  tellSteps(run);
}

/** Copy a result, as the download gives it. */
export async function copyResult(button) {
  await navigator.clipboard.writeText(await textOf(button.dataset.copy));
  const before = button.textContent;
  button.textContent = say("copied");
  setTimeout(() => (button.textContent = before), 2000);
}
