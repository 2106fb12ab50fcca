// Small things every page needs: elements made of text, requests, sentences, notices.

const LONGEST_PAUSE = 2_000;
const sentences = JSON.parse(document.getElementById("texts").textContent);

/** A sentence in the reader's language, with its values filled in; `{count:file|files}` is a word for one, or for several. */
export function say(key, values = {}) {
  const sentence = sentences[key] ?? key;
  return sentence.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (whole, name, one, several) => {
    if (!(name in values)) return whole;
    return several === undefined ? String(values[name]) : Number(values[name]) === 1 ? one : several;
  });
}

/** Several sentences one after the other; where another follows, one without a sign at its end gets a full stop. */
export function together(...told) {
  const said = told.filter(Boolean);
  return said.map((each, place) => (place === said.length - 1 || /[.!?:…。！？：]$/.test(each) ? each : `${each}.`)).join(" ");
}

/** An element. Children that are texts become text and nothing else. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** The JSON in a data block of the page. */
export function pageData(id) {
  return readJson(document.getElementById(id).textContent);
}

/** JSON, with every number as it is written. */
export function readJson(text) {
  return JSON.parse(text, (_, value, written) => (typeof value === "number" && written ? exactNumber(written.source) : value));
}

/** A number; one that would be changed by reading it goes on as it is written, or as the text where there is no way to. */
export function exactNumber(text) {
  const number = Number(text);
  if (Number.isFinite(number) && (Number.isSafeInteger(number) || !/^-?\d+$/.test(text))) return number;
  return JSON.rawJSON && /^-?[1-9]\d*$/.test(text) ? JSON.rawJSON(text) : text;
}

/** An answer of the server that is not what was hoped for. */
export class Refusal extends Error {
  constructor(problem) {
    super(problem.message ?? problem.title ?? say("failed"));
    this.problem = problem;
  }
}

/** A JSON request; of a run how it stands, without its result. Raises Refusal with the server's words. */
export async function send(method, path, body) {
  const { response, text } = await asked(path, method, { accept: "application/json", prefer: "return=minimal" }, body);
  const answer = text ? JSON.parse(text) : null;
  if (isRefused(response)) throw new Refusal(answer ?? {});
  return { answer, response };
}

/** A piece of a page, made and escaped by the server. */
export async function piece(path, method = "GET", body = undefined) {
  const { response, text } = await asked(path, method, { accept: "text/html" }, body);
  if (isRefused(response)) throw new Refusal({ message: say("failed") });
  const template = document.createElement("template");
  template.innerHTML = text;
  return template.content;
}

/** The text at an address. */
export async function textOf(path) {
  const { response, text } = await asked(path);
  if (isRefused(response)) throw new Refusal({ message: say("failed") });
  return text;
}

/** Ask, and read the whole answer. The status of a refusal comes in a header: see RefuseQuietly. */
async function asked(path, method = "GET", headers = {}, body = undefined) {
  const options = { method, headers: { ...headers, "x-paper-status": "wanted" } };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  try {
    const response = await fetch(path, options);
    return { response, text: await response.text() };
  } catch {
    throw new Refusal({ message: say("unreachable") });
  }
}

function isRefused(response) {
  return !response.ok || response.headers.has("x-paper-status");
}

/** Copy a text; the button says so for a moment. */
export async function copy(button, text) {
  await navigator.clipboard.writeText(text);
  const before = button.textContent;
  button.textContent = say("copied");
  setTimeout(() => (button.textContent = before), 2000);
}

/** On a click on what the selector means, now or later on this page; what the server refuses is told. */
export function onClick(selector, work) {
  document.addEventListener("click", async (event) => {
    const target = event.target.closest(selector);
    if (target) await tellRefusal(() => work(target, event));
  });
}

export async function tellRefusal(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    notice(error.message);
  }
}

let fading;

/** Tell something in passing; `link` leads to more of it. */
export function notice(text, link = null) {
  const box = document.getElementById("notice");
  box.replaceChildren(text, ...(link ? [" ", make("a", { href: link.href }, link.text)] : []));
  box.hidden = false;
  clearTimeout(fading);
  fading = setTimeout(() => (box.hidden = true), 6000);
}

/** Tell something to those who listen instead of looking. */
export function announce(text) {
  document.getElementById("said").textContent = text;
}

/** Call at most once in a while, and once more after the last wish; on a page that nobody sees, when somebody does. */
export function calmly(work, pause, isSeenElsewhere = false) {
  let waiting = null;
  let busy = false;
  const turn = async () => {
    // Of tens of open pages one is looked at.
    if (document.hidden && !isSeenElsewhere) return document.addEventListener("visibilitychange", turn, { once: true });
    waiting = null;
    busy = true;
    const began = performance.now();
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    } finally {
      busy = false;
      // What takes long is done less often.
      lasted = performance.now() - began;
      if (again) {
        again = false;
        plan();
      }
    }
  };
  let lasted = 0;
  let again = false;
  const plan = () => {
    if (busy) again = true;
    else if (waiting === null) waiting = setTimeout(turn, Math.min(Math.max(pause, 3 * lasted), LONGEST_PAUSE));
  };
  return plan;
}
