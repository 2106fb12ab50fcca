// A run as it goes on: its rows follow what happens, questions come up, nothing is lost.

import { announce, calmly, copy, make, notice, onClick, piece, Refusal, say, send, tellRefusal, textOf } from "./dom.js";
import { askQuestion, closeAnswered } from "./approval.js";
import { events } from "./events.js";
import "./models.js";
import { countTime, loadRows, showEvent } from "./timeline.js";

const ENDS = new Set(["run-finished", "run-refused"]);
const cameUp = new Set();

/** Keep the run in this slot up to date. */
export function watchRun(slot) {
  const run = () => slot.querySelector(".run");
  if (!run()) return;
  const renew = calmly(() => replaceRun(slot), 60);
  const renewRows = calmly(() => replaceRows(slot), 250);
  const isOurs = (event) => event.run_id === run()?.dataset.run || event.run_id?.startsWith(`${run()?.dataset.run}.`);
  slot.stopWatching?.();
  if (run().dataset.status === "running" || run().dataset.status === "waiting") events.follow(run().dataset.run);
  // An answer may be longer on its way than the next question.
  const askNext = () => openQuestion(slot);
  document.addEventListener("paper-answered", askNext);
  const stopListening = events.listen((event) => {
    if (event.type === "events-missed" || event.type === "connected") return renew();
    // What was taken back, or made again, is seen at once.
    if (ENDS.has(event.type) && event.run_id === slot.undo) return renew();
    if (!isOurs(event)) return;
    if (event.type.startsWith("step-")) {
      if (run().dataset.status === "running" && !showEvent(run(), event)) renewRows();
      if (event.type === "step-finished" && event.run_id === run().dataset.run) countStep(run());
    }
    else if (event.type === "run-started" && run().dataset.status === "waiting") renew();
    else if (event.type === "approval-requested" || (ENDS.has(event.type) && event.run_id === run().dataset.run)) renew();
  });
  slot.stopWatching = () => {
    stopListening();
    document.removeEventListener("paper-answered", askNext);
  };
  countTime();
  openQuestion(slot);
  if (run().dataset.status === "running") renew();
}

function countStep(run) {
  run.dataset.steps = String(Number(run.dataset.steps) + 1);
  run.querySelector("[data-step-count]").textContent = run.dataset.steps;
}

/** The rows as the server knows them: where something happened that none of them stands for. */
async function replaceRows(slot) {
  const run = slot.querySelector(".run");
  if (run?.dataset.status !== "running") return;
  const fresh = (await piece(`/runs/${encodeURIComponent(run.dataset.run)}/timeline`)).querySelector(".timeline");
  const old = run.querySelector(".timeline-card > .timeline");
  keepOpened(old, fresh);
  old.replaceWith(fresh);
}

/** What somebody has opened stays open, with what was loaded into it where that is still true. */
function keepOpened(old, fresh) {
  for (const each of old.querySelectorAll("details[data-keep]")) {
    const same = fresh.querySelector(`details[data-keep="${CSS.escape(each.dataset.keep)}"]`);
    if (!same || same.open === each.open) continue;
    const isLoaded = each.open && !each.dataset.load && same.dataset.load && same.parentElement.dataset.state === each.parentElement.dataset.state;
    if (isLoaded) same.replaceWith(each.cloneNode(true));
    else same.open = each.open;
  }
}

async function replaceRun(slot) {
  const old = slot.querySelector(".run");
  if (!old) return;
  const fresh = await piece(`/runs/${encodeURIComponent(old.dataset.run)}/panel`);
  const renewed = fresh.querySelector(".run");
  if (slot.tellRefusal && old.dataset.status === "running" && "refused" in renewed.dataset) return slot.tellRefusal(old.dataset.run);
  closeAnswered(old.dataset.run, [...renewed.querySelectorAll(".question")]);
  // A question that somebody is just answering stays as it is.
  if (renewed.dataset.status === "waiting" && old.dataset.digests === renewed.dataset.digests && old.dataset.digests.trim()) return;
  // As it is now, not as it was before the server was asked: somebody may have opened something meanwhile.
  const view = old.querySelector("input[name=view]:checked")?.value;
  const chosen = view && renewed.querySelector(`input[name=view][value="${CSS.escape(view)}"]`);
  if (chosen) chosen.checked = true;
  keepOpened(old, renewed);
  if (old.dataset.status !== renewed.dataset.status) announce(renewed.querySelector(".status-word").textContent);
  old.replaceWith(renewed);
  if (old.dataset.status !== renewed.dataset.status) {
    slot.dispatchEvent(new CustomEvent("paper-status"));
    offerRetry(slot);
  }
  openQuestion(slot);
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
    const body = button.dataset.action === "done" ? {} : undefined;
    await send("POST", `/api/runs/${encodeURIComponent(run.dataset.run)}/${button.dataset.action}?wait=2`, body);
    await replaceRun(slot);
    if (button.dataset.action === "resume") offerRetry(slot);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    notice(error.message);
  } finally {
    button.disabled = false;
  }
}

/** Take back what a run changed: a run of its own, which asks like any other. */
async function undoRun(button) {
  const slot = button.closest(".run").parentElement;
  button.disabled = true;
  try {
    const { answer: undo } = await send("POST", `/api/runs/${encodeURIComponent(button.dataset.undo)}/undo?wait=10`);
    slot.undo = undo.run_id;
    if (undo.status === "failed") return notice(undo.error.message);
    const question = (await piece(`/runs/${encodeURIComponent(undo.run_id)}/panel`)).querySelector(".question");
    if (!question) return await replaceRun(slot);
    const dialog = askQuestion(question);
    const asked = dialog.querySelector(".question");
    dialog.addEventListener("close", () => {
      if (!asked.isAnswering) notice(say("undo-waits"), { text: say("inbox"), href: "/approvals" });
    });
  } finally {
    button.disabled = false;
  }
}

/** The members of a value that were not there yet. */
async function loadMore(link, event) {
  event.preventDefault();
  const item = link.closest("li");
  item.replaceWith(await piece(link.getAttribute("href")));
}

/** The data of a row, and its rounds, when it is opened. */
async function loadRow(details) {
  const path = details.dataset.load;
  const list = details.querySelector(":scope > [data-rows]");
  delete details.dataset.load;
  try {
    if (path) details.querySelector(".row-data").replaceChildren(await piece(path));
    if (list && !list.childElementCount) await loadRows(list);
  } catch (error) {
    if (path) details.dataset.load = path; // to be asked for again
    throw error;
  }
}

async function loadMoreRows(link, event) {
  event.preventDefault();
  // One request at a time: two would bring the same rows twice.
  if (link.isLoading) return;
  link.isLoading = true;
  const fresh = await piece(link.getAttribute("href")).finally(() => (link.isLoading = false));
  link.closest("li").replaceWith(fresh);
}

/** Copy a result, as the download gives it. */
async function copyResult(button) {
  await copy(button, await textOf(button.dataset.copy));
}

onClick("[data-action]", actOnRun);
onClick("[data-undo]", undoRun);
onClick("[data-copy]", copyResult);
onClick("[data-more]", loadMore);
onClick("[data-more-rows]", loadMoreRows);
document.addEventListener("toggle", ({ target }) => target.open && target.matches?.(".row > details, details[data-load]") && tellRefusal(() => loadRow(target)), true);
const shown = document.getElementById("run-slot");
if (shown) watchRun(shown);
