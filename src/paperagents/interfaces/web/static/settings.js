// Settings: each is saved by itself; what it cannot be is said beside it.

import { announce, notice, Refusal, say, send } from "./dom.js";

export function startSettings() {
  for (const form of document.querySelectorAll("[data-setting]")) form.addEventListener("submit", (event) => save(event, form));
  for (const button of document.querySelectorAll("[data-revoke]")) button.addEventListener("click", () => revoke(button));
}

async function save(event, form) {
  event.preventDefault();
  const control = form.elements.value;
  const told = form.querySelector(".field-error");
  told.hidden = true;
  control.removeAttribute("aria-invalid");
  try {
    await send("PUT", `/settings/${encodeURIComponent(form.dataset.setting)}`, { value: control.value });
    if (control.type === "password") {
      control.value = "";
      control.placeholder = say("key-set");
    }
    notice(say("saved"));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    told.textContent = error.message;
    told.hidden = false;
    control.setAttribute("aria-invalid", "true");
    control.focus();
  }
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
