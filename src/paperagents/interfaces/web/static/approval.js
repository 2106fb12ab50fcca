// Yes or no to exactly what is shown. No answer is ever given by a key that closes things, or by accident.

import { makeForm } from "./form.js";
import { calmly, make, notice, onClick, piece, readJson, Refusal, say, send } from "./dom.js";
import { chosenFiles } from "./change_set.js";

const FIRST_MOMENT = 500;
const GONE = ["unknown-approval", "approval-changed", "run-is-running"];

onClick("[data-answer]", answer);
onClick("[data-answer-all]", answerAll);

/** Show a question as a dialog. Closing it decides nothing: the question stays where it was. */
export function askQuestion(question) {
  const copy = question.cloneNode(true);
  for (const each of copy.querySelectorAll("[id]")) each.id = `${each.id}-dialog`;
  for (const each of copy.querySelectorAll("[aria-controls]")) each.setAttribute("aria-controls", `${each.getAttribute("aria-controls")}-dialog`);
  const heading = copy.querySelector(".wish");
  copy.setAttribute("aria-labelledby", heading.id);
  const close = make("button", { type: "button", class: "close", "aria-label": say("later") }, "✕");
  const dialog = make("dialog", { "aria-labelledby": heading.id }, make("div", { class: "close-row" }, close), copy);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  // It may come up under a hand that is typing or clicking something else: the first moment decides nothing.
  heading.focus();
  const answers = copy.querySelectorAll("[data-answer]");
  for (const each of answers) each.disabled = true;
  setTimeout(() => answers.forEach((each) => (each.disabled = false)), FIRST_MOMENT);
  return dialog;
}

/** A question of a run that is no longer asked does not stay open; one that is being answered here closes by itself. */
export function closeAnswered(run, asked) {
  const question = document.querySelector("dialog[open] .question");
  if (!question || question.isAnswering || question.dataset.run !== run) return;
  if (asked.some((each) => each.dataset.question === question.dataset.question)) return;
  question.closest("dialog").close();
  notice(say("answered-elsewhere"));
}

/** Answer as the button says. */
async function answer(button) {
  const question = button.closest(".question");
  switch (button.dataset.answer) {
    case "deny": return give(question, "deny", { reason: question.querySelector(".reason").value });
    case "approve": return give(question, "approve", approval(question));
    case "run": return give(question, "approve", { ...approval(question), for_run: true });
    case "always": return give(question, "approve", { ...approval(question), always: true, ...ruleOf(question) });
    case "together": return give(question, "approve", { ...approval(question), together: true });
    case "edit": return edit(question);
    case "other": return showOthers(question, button);
  }
}

/** The same answer to all questions of a run that are shown, one after the other. */
async function answerAll(button) {
  const questions = [...button.closest(".question-group").querySelectorAll(".question")];
  button.disabled = true;
  for (const question of questions) {
    await give(question, button.dataset.answerAll, button.dataset.answerAll === "approve" ? approval(question) : { reason: "" });
    // What was not taken stays, with what is wrong beside it.
    if (question.isConnected) break;
  }
  button.disabled = false;
}

/** What a yes is about: once arguments, files or hunks were changed here, it is about what stands here. */
function approval(question) {
  if (question.editForm) return { arguments: question.editForm.value() };
  const files = chosenFiles(question);
  return files ? { files } : {};
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
    const path = `/runs/${encodeURIComponent(question.dataset.run)}`;
    if (document.getElementById("inbox")) notice(say(`said-${word}`), { text: say("see-run"), href: path });
    leave(question);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    for (const each of buttons) each.disabled = false;
    question.isAnswering = false;
    if (GONE.includes(error.problem.code)) {
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

/** The question goes; in a list the next one gets the focus, so that a person need not look for it. */
function leave(question) {
  const id = question.dataset.question;
  const inbox = question.closest("#inbox");
  const before = inbox ? [...inbox.querySelectorAll(".question")] : [];
  const next = before[before.indexOf(question) + 1] ?? before[before.indexOf(question) - 1];
  question.closest("dialog")?.close();
  for (const same of document.querySelectorAll(`.question[data-question="${CSS.escape(id)}"]`)) same.remove();
  if (inbox) (next?.querySelector(".wish") ?? document.querySelector("h1")).focus();
  document.dispatchEvent(new CustomEvent("paper-answered", { detail: id }));
}

// --- other answers: a reason, changes, the rest of the run, a rule

function showOthers(question, button) {
  const others = question.querySelector(".other-answers");
  others.hidden = !others.hidden;
  button.setAttribute("aria-expanded", String(!others.hidden));
  if (others.hidden) return;
  const rule = others.querySelector(".rule");
  if (rule && !rule.isFollowed) followRule(rule);
  others.scrollIntoView({ block: "nearest" });
}

function ruleOf(question) {
  const rule = question.querySelector(".rule");
  const value = (name) => rule.querySelector(`[name="${name}"]`)?.value ?? "";
  return { path: value("path"), until: value("until") };
}

/** A rule is said in words before somebody agrees to it, also a wider one. */
function followRule(rule) {
  rule.isFollowed = true;
  const words = rule.querySelector(".rule-words");
  const renew = calmly(async () => {
    const query = new URLSearchParams(ruleOf(rule.closest(".question")));
    const { answer: told } = await send("GET", `/api/approvals/${encodeURIComponent(rule.dataset.ruleOf)}/rule?${query}`);
    words.textContent = told.words;
    words.classList.toggle("field-error", !told.possible);
    rule.querySelector("[data-answer]").disabled = !told.possible;
  }, 150);
  rule.addEventListener("input", renew);
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
  question.querySelector(".other-answers").hidden = true;
  form.node.addEventListener("input", calmly(() => showDiff(question, form), 300));
  form.node.querySelector("input, textarea, select")?.focus();
  // The buttons stand above everything at the lower end; what is changed must not lie below them.
  box.scrollIntoView({ block: "start" });
}

/** What a file would become is shown also when it is changed here; of everything else the form itself says it. */
async function showDiff(question, form) {
  if (question.dataset.tool !== "write_file") return;
  question.querySelector(".effect").replaceChildren(await piece("/approvals/diff", "POST", { arguments: form.value() }));
}
