// Settings, saved card by card, and the variables of a tool, each by itself; what it cannot be is said beside it.

import { announce, notice, Refusal, say, send } from "./dom.js";

function startSettings() {
  for (const form of document.querySelectorAll("[data-settings]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      saveCard(form);
    });
  }
  for (const form of document.querySelectorAll("[data-variable]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      // An empty field that shows no value is no wish to remove it: there is a button for that.
      if (form.elements.value.value) saveVariable(form, form.elements.value.value);
      else form.elements.value.focus();
    });
    form.querySelector("[data-remove]")?.addEventListener("click", () => saveVariable(form, ""));
  }
  for (const button of document.querySelectorAll("[data-revoke]")) button.addEventListener("click", () => revoke(button));
}

/** Everything in a card that was changed, in the order in which it stands there: a key is for the address above it. */
async function saveCard(form) {
  const changed = [...form.querySelectorAll("[data-setting]")].filter(isChanged);
  const saved = [];
  for (const control of changed) saved.push(await saveOne(control));
  form.querySelector("[aria-invalid]")?.focus();
  if (saved.every(Boolean)) notice(say("saved"));
}

function isChanged(control) {
  if (control.hasAttribute("aria-invalid")) return true;
  if (control.type === "password") return control.value !== "";
  return control.matches("select") ? !control.selectedOptions[0]?.defaultSelected : control.value !== control.defaultValue;
}

function saveOne(control) {
  return attempt(control, control.closest(".setting").querySelector(".field-error"), async () => {
    await send("PUT", `/settings/${encodeURIComponent(control.dataset.setting)}`, { value: control.value });
    if (control.type === "password") {
      control.value = "";
      control.placeholder = say("key-set");
    } else if (control.matches("select")) for (const option of control.options) option.defaultSelected = option.selected;
    else control.defaultValue = control.value;
  });
}

async function saveVariable(form, value) {
  const control = form.elements.value;
  const isSaved = await attempt(control, form.querySelector(".field-error"), async () => {
    await setVariable(form, value);
    control.value = "";
  });
  if (isSaved) notice(say(value ? "saved" : "removed"));
  else control.focus();
}

/** Do it, or say beside the field why not; the answer is whether it was done. */
async function attempt(control, told, work) {
  told.hidden = true;
  control.removeAttribute("aria-invalid");
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    told.textContent = error.message;
    told.hidden = false;
    control.setAttribute("aria-invalid", "true");
    return false;
  }
}

async function setVariable(form, value) {
  const { variable, tool } = form.dataset;
  const { answer } = await send("PUT", `/api/environment/${encodeURIComponent(tool)}`, { [variable]: value });
  const isSet = answer[variable].configured;
  form.querySelector("[data-state]").hidden = !isSet;
  form.querySelector("[data-remove]").hidden = !isSet;
  if (!isSet) form.elements.value.focus();
}

async function revoke(button) {
  try {
    await send("DELETE", `/api/rules/${encodeURIComponent(button.dataset.revoke)}`);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // What is revoked elsewhere is revoked.
    if (error.problem.code !== "unknown-rule") return notice(error.message);
  }
  button.closest("li").remove();
  announce(say("revoked"));
  notice(say("revoked"));
}

startSettings();
