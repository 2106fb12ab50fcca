// Suggestions while one writes: a list at the caret, with what the language service knows to stand there.

import { insert } from "./code.js";
import { announce, calmly, make, notice, say, send } from "./dom.js";
import { offsetOf, placeOf, pointOf, putAt } from "./places.js";

const LONGEST_SENT = 200_000;
// After a letter, a dot, opening braces, a key or the dash of an item: where somebody can want a word.
const WANTED = /[\p{L}\p{N}_$.]$|\{\{<?\s?$|\{\{<[^}]*\s$|^\s*(?:- )?[\w-]+: ["']?$|^\s*- $/u;

/** Suggests words while one types, and on Ctrl-Space; `repairs` gives what Ctrl-. offers. */
export function startSuggestions(text, draft, repairs) {
  /** Whether an answer that is under way is still wanted: after typing, or because somebody asked for it. */
  let wanted = null;
  text.addEventListener("keydown", (event) => event.key === "Escape" && (wanted = null));
  const list = openableList(text);

  const renew = calmly(async () => {
    const [at, value] = [text.selectionStart, text.value];
    const { answer } = await send("POST", "/api/language/completion", { ...draft(), ...placeOf(value, at) });
    if (!wanted || value !== text.value || at !== text.selectionStart || document.activeElement !== text) return;
    const found = fitting(answer.items, value, at);
    list.show(found, wanted === "asked" || found.some((each) => each.typed));
    if (wanted === "asked" && !found.length) notice(say("no-suggestions"));
    wanted = null;
  }, 60);

  function fitting(items, value, at) {
    const line = placeOf(value, at).line;
    const found = items.map((each) => {
      const start = offsetOf(value, line, each.start);
      const typed = value.slice(start, at).toLowerCase();
      return { ...each, typed, accept: () => replace(start, offsetOf(text.value, line, each.end), each.insert) };
    });
    const begin = found.filter((each) => each.label.toLowerCase().startsWith(each.typed));
    const have = found.filter((each) => !begin.includes(each) && each.label.toLowerCase().includes(each.typed));
    const isWhole = begin.length === 1 && begin[0].label.toLowerCase() === begin[0].typed;
    return isWhole ? [] : [...begin, ...have];
  }

  function replace(start, end, words) {
    text.setSelectionRange(start, end);
    insert(words);
  }

  function ask() {
    text.focus();
    wanted = "asked";
    renew();
  }

  text.addEventListener("input", (event) => {
    const before = text.value.slice(0, text.selectionStart).split("\n").at(-1);
    // A whole word is one that was taken from the list.
    const isWord = event.data?.length > 1 && /\w$/.test(event.data);
    const isTyped = event.inputType === "insertCompositionText" || (event.inputType === "insertText" && !isWord);
    const isCorrected = list.isOpen() && event.inputType?.startsWith("delete");
    wanted = (isTyped || isCorrected) && text.value.length <= LONGEST_SENT && WANTED.test(before) ? "typed" : null;
    if (wanted) renew();
    else list.close();
  });
  text.addEventListener("keydown", (event) => {
    if (!event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.code === "Space") ask();
    else if (event.key === ".") {
      list.show(repairs(placeOf(text.value, text.selectionStart).line), true);
      if (!list.isOpen()) notice(say("no-fixes"));
    } else return;
    event.preventDefault();
  });
  document.getElementById("suggest").addEventListener("click", ask);
}

/** A list of things to choose at the caret; the focus stays in the text. */
function openableList(text) {
  const options = make("ul", { id: "suggestion-list", role: "listbox", "aria-label": say("suggestions") });
  const about = make("p", { class: "suggestion-about", dir: "auto" });
  const box = make("div", { class: "suggestions", hidden: true }, options, about);
  let items = [];
  let chosen = -1;

  function show(found, isFirstChosen) {
    items = found;
    if (!items.length) return close();
    options.replaceChildren(...items.map(option));
    box.hidden = false;
    text.setAttribute("aria-controls", options.id);
    choose(isFirstChosen ? 0 : -1);
    putAt(box, pointOf(text, text.selectionStart));
    announce(say("suggestion-count", { count: items.length }));
  }

  function option(each, number) {
    const row = make("li", { id: `suggestion-${number}`, role: "option", "aria-selected": "false" }, make("bdi", {}, each.label), make("small", { dir: "auto" }, each.detail && each.detail !== each.label ? each.detail : ""));
    row.addEventListener("click", () => accept(number));
    return row;
  }

  function choose(number) {
    options.children[chosen]?.setAttribute("aria-selected", "false");
    chosen = number;
    about.textContent = items[chosen]?.documentation ?? "";
    if (chosen < 0) return text.removeAttribute("aria-activedescendant");
    options.children[chosen].setAttribute("aria-selected", "true");
    options.children[chosen].scrollIntoView({ block: "nearest" });
    text.setAttribute("aria-activedescendant", `suggestion-${chosen}`);
  }

  function accept(number) {
    const item = items[number];
    close();
    item.accept();
  }

  function close() {
    box.hidden = true;
    [items, chosen] = [[], -1];
    for (const name of ["aria-controls", "aria-activedescendant"]) text.removeAttribute(name);
  }

  function pressed(event) {
    if (box.hidden || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) choose(chosen < 0 ? (step > 0 ? 0 : items.length - 1) : (chosen + step + items.length) % items.length);
    else if (event.key === "Escape") close();
    else if (chosen >= 0 && !event.shiftKey && ["Enter", "Tab"].includes(event.key)) accept(chosen);
    else {
      if (["ArrowLeft", "ArrowRight", "Home", "End", "Enter", "Tab"].includes(event.key)) close();
      return;
    }
    event.preventDefault();
    // The list comes before what the key does in the text.
    event.stopImmediatePropagation();
  }

  text.setAttribute("aria-autocomplete", "list");
  text.setAttribute("aria-haspopup", "listbox");
  text.addEventListener("keydown", pressed);
  // A touch on the list leaves the focus, and with it the keyboard of a phone, where it is.
  box.addEventListener("mousedown", (event) => event.preventDefault());
  for (const each of ["blur", "scroll", "pointerdown"]) text.addEventListener(each, close);
  addEventListener("resize", close);
  document.querySelector("main").append(box);
  return { show, close, isOpen: () => !box.hidden };
}
