// Settings, and the variables of a tool: each is saved by itself; what it cannot be is said beside it.

import { announce, notice, Refusal, say, send } from "./dom.js";

export function startSettings() {
  for (const form of document.querySelectorAll("[data-setting], [data-variable]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      // An empty field that shows no value is no wish to remove it: there is a button for that.
      if (form.elements.value.value || form.elements.value.type !== "password") save(form, form.elements.value.value);
      else form.elements.value.focus();
    });
    form.querySelector("[data-remove]")?.addEventListener("click", () => save(form, ""));
  }
  for (const button of document.querySelectorAll("[data-revoke]")) button.addEventListener("click", () => revoke(button));
}

async function save(form, value) {
  const control = form.elements.value;
  const told = form.querySelector(".field-error");
  told.hidden = true;
  control.removeAttribute("aria-invalid");
  try {
    if (form.dataset.variable) await setVariable(form, value);
    else await send("PUT", `/settings/${encodeURIComponent(form.dataset.setting)}`, { value });
    if (control.type === "password") control.value = "";
    if (form.dataset.setting && control.type === "password") control.placeholder = say("key-set");
    notice(say(form.dataset.variable && !value ? "removed" : "saved"));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    told.textContent = error.message;
    told.hidden = false;
    control.setAttribute("aria-invalid", "true");
    control.focus();
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
