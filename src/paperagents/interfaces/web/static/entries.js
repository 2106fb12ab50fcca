// An entry of the store: changed, deleted after a yes, brought back.

import { makeForm } from "./form.js";
import { make, notice, pageData, piece, Refusal, say, send, together } from "./dom.js";
import { watchRun } from "./run.js";

const PATIENCE = 30; // seconds

function startEntry() {
  const data = pageData("entry-data");
  const form = document.getElementById("entry-form");
  if (form) editEntry(form, data);
  document.getElementById("delete-entry")?.addEventListener("click", (event) => removeEntry(event.target, data).catch(tell));
  for (const button of document.querySelectorAll("[data-restore]")) button.addEventListener("click", () => restore(button, data).catch(tell));
}

function address({ kind, identifier }) {
  return `/entries/${encodeURIComponent(kind)}/${encodeURIComponent(identifier)}`;
}

function tell(error) {
  if (!(error instanceof Refusal)) throw error;
  notice(together(error.message, error.problem.hint));
}

function editEntry(form, { kind, identifier, schema, values }) {
  const view = makeForm(schema, values);
  const problems = make("div", { class: "form-problems", role: "alert", hidden: true });
  const save = make("button", { type: "submit", class: "button" }, say("save"));
  form.append(problems, view.node, make("div", { class: "form-end" }, save));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    save.disabled = true;
    problems.hidden = true;
    view.show([]);
    try {
      const given = view.value();
      const place = { kind, identifier: identifier ?? given.identifier ?? "" };
      if (!place.identifier) throw new Refusal({ message: say("identifier-first") });
      if (!identifier) await requireNew(place);
      await send("PUT", `/api${address(place)}?wait=${PATIENCE}`, changesIn(given, schema, values));
      location.assign(address(place));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const list = error.problem.details?.problems ?? [];
      const homeless = view.show(list.map((each) => (each.parameter === "id" ? { ...each, parameter: "identifier" } : each)));
      problems.textContent = list.length && !homeless.length ? say("problems", { count: list.length }) : together(error.message, error.problem.hint);
      problems.hidden = false;
    } finally {
      save.disabled = false;
    }
  });
}

/** A new entry does not take the place of another. */
async function requireNew(place) {
  const known = await send("GET", `/api${address(place)}`).catch((error) => error);
  if (known.answer) throw new Refusal({ message: say("entry-exists", { id: place.identifier }) });
}

/** Just what was changed: what somebody else changes meanwhile stays. A text that was emptied is empty. */
function changesIn(given, schema, values) {
  const changes = {};
  for (const [name, field] of Object.entries(schema.properties)) {
    const now = given[name] ?? (field.enum ? undefined : "");
    if (name !== "identifier" && now !== undefined && now !== (values[name] ?? "")) changes[name] = now;
  }
  return changes;
}

/** Deleting is asked like every deletion. */
function removeEntry(button, data) {
  const leave = () => location.assign(`/entries/${encodeURIComponent(data.kind)}`);
  return ask(button, ["DELETE", `/api${address(data)}?wait=${PATIENCE}`], leave);
}

/** Bringing a version back is a change, and asked, too. */
function restore(button, data) {
  const body = { version: Number(button.dataset.restore) };
  return ask(button, ["POST", `/api${address(data)}/restore?wait=${PATIENCE}`, body], () => location.reload());
}

/** Start a run that asks; the question comes up here. */
async function ask(button, request, leave) {
  button.disabled = true;
  const slot = document.getElementById("run-slot");
  const look = () => slot.querySelector(".run[data-status=succeeded]") && leave();
  try {
    const { answer } = await send(...request);
    slot.replaceChildren(await piece(`/runs/${encodeURIComponent(answer.run_id)}/panel`));
    slot.addEventListener("paper-status", look);
    watchRun(slot);
    look();
  } finally {
    button.disabled = false;
  }
}

if (document.getElementById("entry-data")) startEntry();
