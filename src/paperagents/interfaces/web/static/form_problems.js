// What is wrong with a form, each problem beside the field it is about.

import { make, say } from "./dom.js";

/** No field has a problem any more. */
export function clearProblems(fields) {
  for (const { control, error } of fields.values()) {
    control.removeAttribute("aria-invalid");
    error.hidden = true;
    error.textContent = "";
  }
}

/** Every problem beside its field; the answer is those that have none. */
export function showProblems(fields, problems) {
  clearProblems(fields);
  const homeless = [];
  let first = null;
  for (const problem of problems) {
    const field = nearest(fields, String(problem.parameter ?? ""));
    if (!field) {
      homeless.push(problem);
      continue;
    }
    field.error.append(field.error.hidden ? "" : " ", problem.message);
    field.error.hidden = false;
    if (problem.code === "argument-missing") field.error.append(...offersOf(field));
    field.control.setAttribute("aria-invalid", "true");
    const fold = field.node.closest("details.more-fields");
    if (fold) fold.open = true;
    if (!first || field.control.compareDocumentPosition(first) & Node.DOCUMENT_POSITION_FOLLOWING) first = field.control;
  }
  (first?.matches("input, textarea, select") ? first : first?.querySelector("input, textarea, select, button"))?.focus();
  return homeless;
}

/** What an empty field is missing may be nothing itself. */
function offersOf(field) {
  return (field.offers ?? []).map((value) => {
    const choose = () => {
      field.choose(value);
      field.control.removeAttribute("aria-invalid");
      field.error.hidden = true;
      (field.control.matches("input, textarea") ? field.control : field.control.querySelector("button"))?.focus();
    };
    return make("button", { type: "button", class: "button quiet-button small", onclick: choose }, say("use-empty", { value: emptyName(value) }));
  });
}

function nearest(fields, path) {
  const steps = path.split(".");
  while (steps.length) {
    const field = fields.get(steps.join("."));
    // The fields of a variant that was left are still known, but nobody sees them.
    if (field?.node.isConnected && steps[0] !== "") return field;
    steps.pop();
  }
  return null;
}

/** What an empty value is called. */
export function emptyName(value) {
  return value === null ? "null" : say(value === "" ? "empty-text" : Array.isArray(value) ? "empty-list" : "empty-object");
}
