// Open questions: how many there are, on every page and in its title; the list of them; a word to who looks elsewhere.

import { calmly, notice, piece, say, textOf } from "./dom.js";
import { events } from "./events.js";

const CALLS = ["approval-requested", "run-started", "run-finished", "connected", "events-missed"];

let lastFocus = "";

/** Moved to its new place, a question loses the focus; while its run goes on it may even be away for a moment. */
function keepFocus() {
  document.addEventListener("focusin", (event) => (lastFocus = event.target.id));
}

export function followQuestions() {
  const badge = document.getElementById("waiting-count");
  const inbox = document.getElementById("inbox");
  const title = document.title.replace(/^\(\d+\) /, "");
  const answered = new Set();
  const renew = calmly(async () => {
    const count = Number(await textOf("/approvals/count"));
    badge.textContent = String(count);
    badge.hidden = count === 0;
    document.title = count ? `(${count}) ${title}` : title;
    if (inbox) await renewInbox(inbox, answered);
  }, 120, true); // the count is in the title
  events.listen((event) => {
    // A question belongs to the run that a person started: runs below it begin and end by the thousand.
    if (CALLS.includes(event.type) && !event.run_id?.includes(".")) renew();
    if (event.type === "approval-requested") tellAway(event.approval);
    if (event.type === "rule-made") notice(event.words);
  });
  document.addEventListener("paper-answered", (event) => {
    answered.add(event.detail);
    renew();
  });
  if (inbox) keepFocus();
  offerNotifications(document.getElementById("notify-me"));
}

/** New questions come, answered ones go; those that stay are not touched: somebody may be writing there. */
async function renewInbox(inbox, answered) {
  const fresh = await piece("/approvals/list");
  const name = (question) => `${question.dataset.question} ${question.dataset.digest}`;
  const shown = new Map([...inbox.querySelectorAll(".question")].map((each) => [name(each), each]));
  for (const question of fresh.querySelectorAll(".question")) {
    const same = shown.get(name(question));
    if (!same) continue;
    question.replaceWith(same);
    shown.delete(name(question));
  }
  const isOver = [...shown.values()].some((each) => !answered.has(each.dataset.question) && !each.isAnswering);
  inbox.replaceChildren(fresh);
  if (document.activeElement === document.body) document.getElementById(lastFocus)?.focus();
  if (isOver) notice(say("closed-with-run"));
}

// --- notifications of the browser: only after a click, and only where nobody looks at the page

function offerNotifications(button) {
  if (!button || !("Notification" in window) || Notification.permission !== "default") return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const isAllowed = (await Notification.requestPermission()) === "granted";
    button.hidden = isAllowed;
    notice(say(isAllowed ? "notified" : "not-notified"));
  });
}

function tellAway(approval) {
  if (!document.hidden || !("Notification" in window) || Notification.permission !== "granted") return;
  // One for each question, also where several pages are open.
  const told = new Notification(say("asks"), { body: approval.tool, tag: approval.id });
  told.addEventListener("click", () => {
    window.focus();
    location.assign("/approvals");
  });
}
