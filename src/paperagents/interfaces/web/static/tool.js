// The page of a tool: its form, examples, JSON as another view, and starting a run.

import { makeForm } from "./form.js";
import { announce, calmly, make, pageData, piece, readJson, Refusal, say, send, together } from "./dom.js";
import { events } from "./events.js";
import { AT_ONCE } from "./palette.js";
import { offerRetry, watchRun } from "./run.js";

const LONGEST_DRAFT = 1_000_000; // browsers keep about five
const FIRST_ANSWER = 0.4; // seconds in which a wrong call is refused, and a quick one is done

function startTool(form) {
  const { schema, examples, filling } = pageData("tool-data");
  followTool(form, [schema, examples]);
  const view = twoViews(schema, filling);
  const draft = keepDraft(form, view);
  const problems = make("div", { class: "form-problems", role: "alert", hidden: true, tabindex: "-1" });
  const run = make("button", { type: "submit", class: "button" }, say("run"));
  const dry = make("button", { type: "button", class: "button quiet-button", onclick: () => begin(true) }, say("dry-run"));
  document.getElementById("form-switch").append(view.switcher);
  form.append(problems, fillings(examples, filling, view, draft), view.node, make("div", { class: "form-end" }, run, dry, make("span", { class: "quiet keys" }, "Ctrl ⏎")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    begin(false);
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      begin(false);
    }
  });

  const slot = document.getElementById("run-slot");
  // Where the server is busy, the form hears only after the run has begun that it was filled in wrongly.
  slot.tellRefusal = async (runId) => {
    slot.replaceChildren();
    history.replaceState(null, "", location.pathname);
    const { answer } = await send("GET", `/api/runs/${encodeURIComponent(runId)}`);
    refuse(new Refusal(answer.error));
  };

  // Said by the palette of this very tab, never by a link; what changes something asks as always.
  const atOnce = sessionStorage.getItem(AT_ONCE);
  sessionStorage.removeItem(AT_ONCE);
  if (atOnce === form.dataset.tool) begin(false);

  async function begin(isDry) {
    if (run.disabled) return;
    run.disabled = true;
    dry.disabled = true;
    problems.hidden = true;
    view.show([]);
    try {
      const { answer } = await send("POST", `/api/runs?wait=${FIRST_ANSWER}`, { tool: form.dataset.tool, arguments: view.value(), dry_run: isDry });
      if (isDry) return showPlan(answer);
      draft.forget();
      await showRun(answer.run_id);
    } catch (error) {
      refuse(error);
    } finally {
      run.disabled = false;
      dry.disabled = false;
    }
  }

  async function showRun(runId) {
    const panel = await piece(`/runs/${encodeURIComponent(runId)}/panel`);
    if ("refused" in panel.querySelector(".run").dataset) return slot.tellRefusal(runId);
    slot.replaceChildren(panel);
    history.replaceState(null, "", `${location.pathname}?run=${encodeURIComponent(runId)}`);
    watchRun(slot);
    offerRetry(slot);
    if (matchMedia("(max-width: 800px)").matches) slot.scrollIntoView({ block: "start" });
  }

  function refuse(error) {
    if (!(error instanceof Refusal)) throw error;
    const list = error.problem.details?.problems ?? [];
    const homeless = view.show(list);
    problems.hidden = false;
    problems.textContent = list.length && !homeless.length ? say("problems", { count: list.length }) : together(error.message, error.problem.hint);
    if (homeless.length === list.length) problems.focus();
  }
}

function showPlan(record) {
  const steps = (record.planned ?? []).map((each) =>
    make("li", { class: "step" }, make("p", {}, make("strong", {}, each.tool), " ", each.would_ask ? make("span", { class: "tag" }, say("would-ask")) : ""), make("pre", { class: "request", tabindex: "0" }, each.preview || JSON.stringify(each.arguments, null, 2))),
  );
  const error = record.error ? make("p", { class: "failure-message" }, record.error.message) : null;
  const panel = make("section", { class: "card", "aria-label": say("plan") }, make("h2", {}, say("plan")), make("p", { class: "quiet" }, say("plan-about")), error, make("ol", {}, ...steps));
  document.getElementById("run-slot").replaceChildren(panel);
  announce(say("plan"));
}

/** A form that is older than its tool says so; the new one takes over what was typed. */
function followTool(form, shown) {
  const bar = document.getElementById("tool-changed");
  const compare = calmly(async () => {
    const now = await send("GET", `/api/tools/${encodeURIComponent(form.dataset.tool)}`).catch((error) => error);
    if (now.answer) bar.hidden = JSON.stringify([now.answer.parameters ?? {}, now.answer.examples ?? []]) === JSON.stringify(shown);
    else if (now.problem?.code) bar.hidden = false;
  }, 200);
  bar.querySelector("button").addEventListener("click", () => location.reload());
  events.listen((event) => ["vault-changed", "connected"].includes(event.type) && compare());
}

/** What was typed and not sent is there again after a reload, or on the way back; secrets are not kept. */
function keepDraft(form, view) {
  const name = `draft ${location.pathname}`;
  const kept = sessionStorage.getItem(name);
  sessionStorage.removeItem(name);
  const isBack = ["reload", "back_forward"].includes(performance.getEntriesByType("navigation")[0]?.type);
  let isTyped = Boolean(kept && isBack);
  if (isTyped) view.restore(JSON.parse(kept));
  form.addEventListener("input", () => (isTyped = true));
  addEventListener("pagehide", () => {
    const draft = isTyped && !form.querySelector("input[type=password]") ? JSON.stringify(view.draft()) : "";
    if (draft && draft.length <= LONGEST_DRAFT) sessionStorage.setItem(name, draft);
  });
  return { begin: () => (isTyped = true), forget: () => (isTyped = false) };
}

/** Form and JSON: two views of one value. */
function twoViews(schema, filling) {
  const form = makeForm(schema, filling);
  const raw = make("textarea", { class: "raw-json", spellcheck: "false", "aria-label": "JSON" });
  const rawError = make("p", { class: "field-error", role: "alert", hidden: true });
  const rawBox = make("div", { hidden: true }, raw, rawError);
  const asForm = make("button", { type: "button", "aria-pressed": "true", onclick: () => turn(false) }, say("form"));
  const asJson = make("button", { type: "button", "aria-pressed": "false", onclick: () => turn(true) }, "JSON");
  const node = make("div", {}, form.node, rawBox);
  const parsed = () => {
    try {
      const value = readJson(raw.value || "{}");
      rawError.hidden = true;
      return value;
    } catch (error) {
      rawError.textContent = error.message;
      rawError.hidden = false;
      raw.focus();
      throw new Refusal({ message: say("not-json") });
    }
  };
  const turn = (toJson) => {
    if (toJson === !rawBox.hidden) return;
    try {
      if (toJson) raw.value = JSON.stringify(form.value(), null, 2);
      else form.fill(parsed());
    } catch (error) {
      if (error instanceof Refusal) return;
      throw error;
    }
    rawBox.hidden = !toJson;
    form.node.hidden = toJson;
    asForm.setAttribute("aria-pressed", String(!toJson));
    asJson.setAttribute("aria-pressed", String(toJson));
  };
  return {
    node,
    switcher: make("div", { class: "switch", role: "group", "aria-label": say("view") }, asForm, asJson),
    value: () => (rawBox.hidden ? form.value() : parsed()),
    fill: (value) => {
      form.fill(value);
      raw.value = JSON.stringify(value, null, 2);
    },
    draft: () => ({ json: rawBox.hidden ? JSON.stringify(form.value()) : raw.value, isRaw: !rawBox.hidden }),
    restore: ({ json, isRaw }) => {
      if (isRaw) turn(true);
      if (isRaw) raw.value = json;
      else form.fill(readJson(json));
    },
    show: (problems) => (rawBox.hidden ? form.show(problems) : problems),
  };
}

function fillings(examples, filling, view, draft) {
  const bar = make("div", { class: "form-tools" });
  const fill = (value) => () => {
    view.fill(value);
    draft.begin();
    announce(say("filled"));
  };
  if (filling) bar.append(make("button", { type: "button", class: "button quiet-button small", onclick: fill({}) }, say("start-fresh")));
  examples.slice(0, 8).forEach((each, number) => {
    bar.append(make("button", { type: "button", class: "button quiet-button small", onclick: fill(each.input) }, each.name ?? say("example", { number: number + 1 })));
  });
  return bar.childElementCount ? bar : "";
}

startTool(document.getElementById("tool-form"));
