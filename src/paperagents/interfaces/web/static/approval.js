// Yes or no to exactly what is shown. No answer is ever given by a key that closes things, or by accident.

import { makeForm } from "./form.js";
import { make, notice, readJson, Refusal, say, send } from "./dom.js";

const FIRST_MOMENT = 500;

/** Show a question as a dialog. Closing it decides nothing: the question stays where it was. */
export function askQuestion(question) {
  const copy = question.cloneNode(true);
  const heading = copy.querySelector("h2");
  heading.id = `${heading.id}-dialog`;
  copy.setAttribute("aria-labelledby", heading.id);
  const close = make("button", { type: "button", class: "close", "aria-label": say("later") }, "✕");
  const dialog = make("dialog", { "aria-labelledby": heading.id }, make("div", { class: "close-row" }, close), copy);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  // It may come up under a hand that is typing or clicking something else: the first moment decides nothing.
  heading.tabIndex = -1;
  heading.focus();
  const answers = copy.querySelectorAll("[data-answer]");
  for (const each of answers) each.disabled = true;
  setTimeout(() => answers.forEach((each) => (each.disabled = false)), FIRST_MOMENT);
}

/** A question that is no longer asked does not stay open; one that is just being answered here closes by itself. */
export function closeAnswered(asked) {
  const question = document.querySelector("dialog[open] .question");
  if (!question || question.isAnswering) return;
  if (asked.some((each) => each.dataset.question === question.dataset.question)) return;
  question.closest("dialog").close();
  notice(say("answered-elsewhere"));
}

/** Answer as the button says. */
export async function answer(button) {
  const question = button.closest(".question");
  switch (button.dataset.answer) {
    case "deny": return give(question, "deny", { reason: question.querySelector(".reason").value });
    // Once the arguments stand in a form, a yes is a yes to what stands there.
    case "approve": return give(question, "approve", question.editForm ? { arguments: question.editForm.value() } : {});
    case "run": return give(question, "approve", { for_run: true });
    case "always": return give(question, "approve", { always: true });
    case "edit": return edit(question);
  }
}

async function give(question, word, more) {
  const buttons = question.querySelectorAll(".decide button");
  for (const each of buttons) each.disabled = true;
  question.isAnswering = true;
  const told = question.querySelector(".answer-problem");
  told.hidden = true;
  try {
    const body = { digest: question.dataset.digest, ...more };
    await send("POST", `/api/approvals/${encodeURIComponent(question.dataset.question)}/${word}?wait=0`, body);
    leave(question);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    for (const each of buttons) each.disabled = false;
    question.isAnswering = false;
    if (["unknown-approval", "approval-changed", "run-is-running"].includes(error.problem.code)) {
      notice(say("answered-elsewhere"));
      leave(question);
      return;
    }
    const problems = error.problem.details?.problems ?? [];
    const form = question.editForm;
    const homeless = form ? form.show(problems) : problems;
    told.textContent = form && problems.length && !homeless.length ? say("problems", { count: problems.length }) : error.message;
    told.hidden = false;
  }
}

function leave(question) {
  const id = question.dataset.question;
  question.closest("dialog")?.close();
  for (const same of document.querySelectorAll(`.question[data-question="${CSS.escape(id)}"]`)) same.remove();
  document.dispatchEvent(new CustomEvent("paper-answered"));
}

/** The arguments as a form, to change before saying yes. */
async function edit(question) {
  if (question.editForm || question.isFetching) return;
  const shown = readJson(question.querySelector(".arguments-data").textContent);
  question.isFetching = true;
  const { answer: tool } = await send("GET", `/api/tools/${encodeURIComponent(question.dataset.tool)}`).finally(() => (question.isFetching = false));
  const form = makeForm(tool.parameters ?? {}, shown);
  question.editForm = form;
  const box = make("div", { class: "edit-box" }, form.node);
  question.querySelector(".decide").before(box);
  question.querySelector('[data-answer="approve"]').textContent = say("approve-changed");
  question.querySelector(".answer-list").hidden = true;
  form.node.querySelector("input, textarea, select")?.focus();
  // The buttons stand above everything at the lower end; what is changed must not lie below them.
  box.scrollIntoView({ block: "start" });
}
