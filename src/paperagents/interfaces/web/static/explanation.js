// What there is to say about a word in the editor: where one points with the mouse, on F1, or by a button.

import { make, notice, Refusal, say, send } from "./dom.js";
import { offsetUnder, placeOf, pointOf, putAt } from "./places.js";

const REST = 400;

/** `problemsAt` gives the elements for the problems at a place, `goTo` moves to a place of this very file. */
export function startExplanations(text, draft, problemsAt, goTo) {
  const box = make("div", { class: "explanation", role: "dialog", "aria-label": say("explanation"), tabindex: "-1", hidden: true });
  let timer = null;
  let shownAt = null;

  async function find(offset) {
    const [value, place] = [text.value, placeOf(text.value, offset)];
    const { answer } = await send("POST", "/api/language/hover", { ...draft(), ...place });
    const elsewhere = answer.definitions.filter((each) => each.file !== draft().file || each.line !== place.line);
    return value === text.value ? { markdown: answer.markdown, definition: elsewhere[0], problems: problemsAt(place) } : null;
  }

  async function explain(offset, isAsked) {
    const found = await find(offset).catch(unlessRefused);
    const parts = found ? [...found.problems, ...render(found.markdown), ...(found.definition ? [link(found.definition)] : [])] : [];
    if (!parts.length && isAsked) notice(say("no-explanation"));
    if (!parts.length) return close();
    box.replaceChildren(...parts);
    box.hidden = false;
    shownAt = offset;
    putAt(box, pointOf(text, offset));
    box.scrollTop = 0;
    if (isAsked) box.focus({ preventScroll: true });
  }

  function link(place) {
    const words = say("defined-in", { place: `${place.file}:${place.line}` });
    if (place.file !== draft().file) return make("a", { href: addressOf(place) }, words);
    return make("button", { type: "button", class: "link", onclick: () => (close(), goTo(place.line, place.column)) }, words);
  }

  async function follow() {
    const place = (await find(text.selectionStart).catch(unlessRefused))?.definition;
    if (!place) return;
    if (place.file === draft().file) goTo(place.line, place.column);
    else location.assign(addressOf(place));
  }

  function close() {
    clearTimeout(timer);
    const hadFocus = box.contains(document.activeElement);
    box.hidden = true;
    shownAt = null;
    if (hadFocus) text.focus();
  }

  const closeSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => box.matches(":hover, :focus-within") || close(), REST);
  };
  text.addEventListener("mousemove", (event) => {
    clearTimeout(timer);
    if (event.buttons) return;
    timer = setTimeout(() => {
      const offset = offsetUnder(text, event.clientX, event.clientY);
      if (offset === null) closeSoon();
      else if (offset !== shownAt) explain(offset, false);
    }, REST);
  });
  for (const each of [text, box]) each.addEventListener("mouseleave", closeSoon);
  for (const each of ["input", "scroll", "mousedown"]) text.addEventListener(each, close);
  text.addEventListener("click", (event) => (event.ctrlKey || event.metaKey) && follow());
  text.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    if (event.key !== "F1") return;
    event.preventDefault();
    explain(text.selectionStart, true);
  });
  box.addEventListener("keydown", (event) => event.key === "Escape" && close());
  box.addEventListener("focusout", closeSoon);
  document.getElementById("explain").addEventListener("click", () => explain(text.selectionStart, true));
  document.querySelector("main").append(box);
}

function addressOf(place) {
  return `/edit?${new URLSearchParams({ file: place.file, line: place.line, column: place.column })}`;
}

function unlessRefused(error) {
  if (!(error instanceof Refusal)) throw error;
  return null;
}

// --- Markdown of manuals: nothing in it becomes an element that is not named here

const ITEM = /^(?:[-*]|\d+\.) /;

export function render(markdown) {
  const lines = markdown.split("\n");
  const parts = [];
  let at = 0;
  const take = (isPart) => {
    const begin = at;
    while (at < lines.length && isPart(lines[at])) at += 1;
    return lines.slice(begin, at);
  };
  while (at < lines.length) {
    const line = lines[at];
    const fence = /^`{3,}/.exec(line)?.[0];
    if (fence) {
      at += 1;
      parts.push(make("pre", {}, make("code", {}, take((each) => !each.startsWith(fence)).join("\n"))));
      at += 1;
    } else if (line.startsWith("|")) parts.push(table(take((each) => each.startsWith("|"))));
    else if (ITEM.test(line)) parts.push(make("ul", {}, ...take((each) => ITEM.test(each)).map(item)));
    else {
      at += 1;
      const heading = /^#{1,6} (.*)/.exec(line)?.[1];
      if (heading) parts.push(make("p", {}, make("strong", {}, heading)));
      else if (line.trim()) parts.push(make("p", { dir: "auto" }, ...inline(line)));
    }
  }
  return parts;
}

function item(line) {
  return make("li", { dir: "auto" }, ...inline(line.replace(ITEM, "")));
}

function table(lines) {
  const cells = (line) => line.slice(1, -1).split(/(?<!\\)\|/).map((each) => each.trim().replaceAll("\\|", "|"));
  const row = (line, tag) => make("tr", {}, ...cells(line).map((each) => make(tag, { dir: "auto" }, ...inline(each))));
  return make("table", {}, row(lines[0], "th"), ...lines.slice(2).map((each) => row(each, "td")));
}

function inline(words) {
  return words.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (/^`[^`]+`$/.test(part)) return make("code", {}, part.slice(1, -1));
    return /^\*\*[^*]+\*\*$/.test(part) ? make("strong", {}, part.slice(2, -2)) : part;
  });
}
