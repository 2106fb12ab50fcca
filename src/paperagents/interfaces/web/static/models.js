// Choosing a model: the list of what runs on this computer, or of OpenRouter, and one press takes it.

import { make, notice, onClick, piece, Refusal, say, send } from "./dom.js";

onClick("[data-choose-model]", (_, event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  openChooser();
});

function openChooser() {
  const list = make("div", { class: "model-choice" });
  const close = make("button", { type: "button", class: "close", "aria-label": say("close"), onclick: () => dialog.close() }, "✕");
  const dialog = make("dialog", { class: "chooser", "aria-labelledby": "chooser-heading" }, make("div", { class: "chooser-head" }, make("h2", { id: "chooser-heading", tabindex: "-1" }, say("choose-model")), close), list);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => act(event.target, dialog, list).catch((error) => refuse(error, list)));
  list.addEventListener("input", (event) => event.target.id === "model-filter" && filter(list, event.target.value));
  document.body.append(dialog);
  dialog.showModal();
  show("local", list).catch((error) => refuse(error, list));
}

async function show(where, list) {
  list.replaceChildren(make("p", { class: "quiet", role: "status" }, say(`looking-${where}`)));
  list.replaceChildren(await piece(`/models/${where}`, "POST"));
  list.querySelector("#model-filter, [data-choose], [aria-pressed=true]").focus();
}

async function act(target, dialog, list) {
  const tab = target.closest("[data-models]");
  const model = target.closest("[data-choose]");
  if (tab) await show(tab.dataset.models, list);
  if (!model) return;
  const wanted = { base_url: model.dataset.baseUrl, model: model.dataset.choose };
  const { answer } = await send("PUT", "/model", wanted);
  tellEverywhere(answer);
  if (answer.needs_key) return askKey(dialog, list);
  dialog.close();
  notice(say("model-chosen", { model: answer.model }));
}

/** What the page says about the model, without losing what is being written on it. */
function tellEverywhere({ base_url, model }) {
  for (const each of document.querySelectorAll("[data-model-name]")) each.textContent = model;
  for (const [id, value] of [["setting-llm.base_url", base_url], ["setting-llm.model", model]]) {
    const field = document.getElementById(id);
    if (field) field.value = value;
  }
}

function askKey(dialog, list) {
  const input = make("input", { type: "password", id: "chooser-key", autocomplete: "new-password", required: true });
  const link = make("a", { href: "https://openrouter.ai/keys", target: "_blank", rel: "noreferrer noopener" }, "openrouter.ai/keys");
  const form = make("form", { class: "chooser-key" }, make("label", { for: "chooser-key" }, say("key-wanted")), input, make("p", { class: "hint" }, link), make("button", { class: "button", type: "submit" }, say("save-key")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    saveKey(dialog, input).catch((error) => refuse(error, list));
  });
  list.replaceChildren(form);
  input.focus();
}

async function saveKey(dialog, input) {
  await send("PUT", "/settings/llm.api_key", { value: input.value.trim() });
  dialog.close();
  notice(say("key-set"));
}

function filter(list, written) {
  const words = written.toLowerCase().split(/\s+/).filter(Boolean);
  for (const each of list.querySelectorAll(".model-list li")) {
    const name = each.textContent.toLowerCase();
    each.hidden = !words.every((word) => name.includes(word));
  }
}

function refuse(error, list) {
  if (!(error instanceof Refusal)) throw error;
  list.append(make("p", { class: "field-error", role: "alert" }, error.message));
}
