// The palette: Ctrl-K finds tools, agents, notes, runs and places by a few letters; Enter opens, Ctrl-Enter runs.

import { calmly, make, say, send } from "./dom.js";

/** Where the page of a tool learns that it is to run at once; no link can say so. */
export const AT_ONCE = "run-at-once";

export function startPalette() {
  document.addEventListener("keydown", (event) => {
    const isWriting = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      openPalette();
    } else if (event.key === "/" && !isWriting && !event.ctrlKey && !event.metaKey && !event.altKey && !document.querySelector("dialog[open]")) {
      event.preventDefault();
      const search = document.getElementById("search");
      if (search) search.focus();
      else openPalette();
    }
  });
  for (const button of document.querySelectorAll("[data-palette]")) button.addEventListener("click", openPalette);
}

function openPalette() {
  if (document.querySelector("dialog[open]")) return;
  const list = make("ul", { id: "palette-list", role: "listbox", "aria-label": say("palette") });
  const input = make("input", { type: "search", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list", "aria-label": say("palette"), placeholder: say("palette"), autocomplete: "off", spellcheck: "false" });
  const keys = make("p", { class: "quiet keys" }, say("palette-keys"));
  const dialog = make("dialog", { class: "palette", "aria-label": say("palette") }, input, list, keys);
  let found = [];
  let chosen = 0;

  const renew = calmly(async () => {
    const asked = input.value;
    const { answer } = await send("GET", `/palette?${new URLSearchParams({ q: asked })}`);
    if (asked !== input.value) return;
    found = answer;
    chosen = 0;
    list.replaceChildren(...(found.length ? found.map(row) : [make("li", { class: "quiet", role: "option", "aria-selected": "false" }, say("palette-none"))]));
    choose(0);
  }, 40);

  function row(each, number) {
    const item = make("li", { id: `palette-${number}`, role: "option", "aria-selected": "false" }, make("span", { class: "palette-kind" }, say(`palette.${each.kind}`)), make("bdi", {}, each.title), make("small", { dir: "auto" }, each.detail));
    item.addEventListener("click", () => go(each, false));
    item.addEventListener("mousemove", () => chosen !== number && choose(number));
    return item;
  }

  function choose(number) {
    if (!found.length) return input.removeAttribute("aria-activedescendant");
    list.children[chosen]?.setAttribute("aria-selected", "false");
    chosen = (number + found.length) % found.length;
    list.children[chosen].setAttribute("aria-selected", "true");
    list.children[chosen].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", `palette-${chosen}`);
  }

  function go(each, isRun) {
    if (isRun && each.kind === "tool") sessionStorage.setItem(AT_ONCE, each.id);
    dialog.close();
    location.assign(each.href);
  }

  input.addEventListener("input", renew);
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter" && !event.isComposing && found[chosen]) {
      event.preventDefault();
      go(found[chosen], event.ctrlKey || event.metaKey);
    }
  });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  input.focus();
  renew();
}
