// A conversation with an agent: what it says appears as it is said, its questions come up here, its calls are below.

import { announce, calmly, copy, piece, Refusal, say, send, together } from "./dom.js";
import { events } from "./events.js";
import { actOnRun, watchRun } from "./run.js";

const LONGEST_LIVE = 100_000;
const NEAR = 80;

function startChat(chat) {
  const slot = document.getElementById("run-slot");
  const live = document.getElementById("live");
  const thinks = document.getElementById("thinks");
  const form = document.getElementById("ask");
  const stop = document.getElementById("stop");
  const message = document.getElementById("message");
  const problem = document.getElementById("chat-problem");
  const run = () => slot.querySelector(".run");
  const calls = document.getElementById("calls");
  const told = chat.querySelector("section.chat");
  let isFollowing = true;
  const reasoning = document.getElementById("reasoning");
  const editing = document.getElementById("editing");
  let asking = "";
  let sent = "";
  let forkAt = null; // the turn before which a new conversation begins
  const isOurs = (event) => event.run_id === run()?.dataset.run;

  const renew = calmly(async () => {
    const fresh = await piece(`/conversations/${encodeURIComponent(chat.dataset.conversation)}`);
    document.getElementById("conversation").replaceChildren(fresh);
    live.hidden = true;
    live.textContent = "";
    reasoning.hidden = true;
    reasoning.lastElementChild.textContent = "";
    giveBack();
    follow();
  }, 60);

  /** What was asked and did not get into the conversation is in the field again. */
  function giveBack() {
    if (!sent || !["failed", "denied", "cancelled"].includes(run()?.dataset.status)) return;
    const isKept = [...chat.querySelectorAll(".turn.person")].some((each) => each.dataset.source === sent);
    if (!isKept && !message.value) message.value = sent;
    sent = "";
  }

  /** How far the end of what was said, or the beginning of what must be seen below it, is out of sight. */
  function behind() {
    const edge = form.getBoundingClientRect().top - 8;
    const seen = calls.getBoundingClientRect();
    if (calls.open && !calls.hidden) return Math.min(seen.bottom - edge, seen.top - 16);
    return (calls.hidden ? told.getBoundingClientRect() : seen).bottom - edge;
  }

  /** Whoever reads further up is left there; whoever reads the end stays at the end. */
  function follow() {
    if (isFollowing && behind() > 0) scrollBy(0, behind());
  }

  events.listen((event) => {
    if (event.type === "connected") return renew();
    if (event.type === "approval-requested") asking = event.run_id;
    if (!isOurs(event)) return;
    if (event.type === "model-text") {
      live.hidden = false;
      live.textContent = (live.textContent + event.text).slice(-LONGEST_LIVE);
      follow();
    } else if (event.type === "model-reasoning") {
      reasoning.hidden = false;
      reasoning.lastElementChild.textContent = (reasoning.lastElementChild.textContent + event.text).slice(-LONGEST_LIVE);
      follow();
    } else if (event.type === "step-finished") renew();
    else if (["run-finished", "approval-requested", "run-refused"].includes(event.type)) {
      // At once, and not only when the panel is drawn anew: a turn sent in between would run beside the open question.
      if (event.type === "approval-requested") run().dataset.status = "waiting";
      busy(false);
      renew();
      if (event.status !== "succeeded") showCalls();
      else hideCalls();
    }
  });

  function busy(isBusy) {
    thinks.hidden = !isBusy;
    thinks.textContent = say("thinks");
    form.querySelector("[type=submit]").disabled = isBusy;
    stop.hidden = !isBusy || !run();
    if (!isBusy) announce("");
  }

  /** What went wrong, or waits, must be seen; once all went well, the answer is what somebody wants to see. */
  function showCalls() {
    calls.open = true;
    calls.dataset.opened = "";
  }

  function hideCalls() {
    if (!("opened" in calls.dataset)) return;
    delete calls.dataset.opened;
    calls.open = false;
  }

  /** A new turn would push the open question out of sight. */
  function answerFirst() {
    problem.textContent = say("answer-first");
    problem.hidden = false;
    showCalls();
    slot.querySelector(".question")?.scrollIntoView({ block: "center" });
  }

  /** A run that could not begin, without a model for instance, is one that is shown with its reason, like any other. */
  async function begin(call) {
    try {
      return (await send("POST", "/api/runs?wait=0.2", call)).answer;
    } catch (error) {
      if (error instanceof Refusal && error.problem.run_id) return error.problem;
      throw error;
    }
  }

  async function ask() {
    const query = message.value.trim();
    if (!query || form.querySelector("[type=submit]").disabled) return;
    if (run()?.dataset.status === "waiting") return answerFirst();
    problem.hidden = true;
    isFollowing = true;
    busy(true);
    try {
      if (forkAt !== null) await fork();
      sent = query;
      const call = { tool: `agent:${chat.dataset.agent}`, arguments: { query, conversation: chat.dataset.conversation } };
      const answer = await begin(call);
      message.value = "";
      document.getElementById("starters")?.remove();
      document.getElementById("about-agent").open = false;
      const panel = `/runs/${encodeURIComponent(answer.run_id)}/panel`;
      slot.replaceChildren(await piece(panel));
      // Its question may have come before its panel was here to be told of it.
      if (asking === answer.run_id && run().dataset.status === "running") slot.replaceChildren(await piece(panel));
      calls.hidden = false;
      calls.open = false;
      const address = new URLSearchParams({ conversation: chat.dataset.conversation, run: answer.run_id });
      history.replaceState(null, "", `${location.pathname}?${address}`);
      watchRun(slot);
      renew();
      const status = run().dataset.status;
      busy(status === "running");
      if (!["running", "succeeded"].includes(status)) showCalls();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      busy(false);
      problem.textContent = together(error.message, error.problem.hint);
      problem.hidden = false;
    }
  }

  async function fork() {
    const { answer } = await send("POST", `/conversations/${encodeURIComponent(chat.dataset.conversation)}/fork`, { turn: forkAt });
    chat.dataset.conversation = answer.conversation;
    edit(null);
  }

  function edit(turn, text = message.value) {
    forkAt = turn;
    editing.hidden = turn === null;
    message.value = text;
    message.focus();
  }

  /** Copy, ask again, edit: what can be done with a turn. */
  async function actOnTurn(button) {
    const turn = button.closest(".turn-actions").previousElementSibling;
    if ("copyTurn" in button.dataset) return copy(button, turn.dataset.source);
    const questions = [...chat.querySelectorAll(".turn.person")].filter((each) => Number(each.dataset.turn) <= Number(turn.dataset.turn));
    const question = questions.at(-1);
    if (!question) return;
    edit(Number(question.dataset.turn), question.dataset.source);
    if (!("again" in button.dataset)) return;
    // One that nobody has answered is asked where it stands.
    if (question === turn) edit(null);
    await ask();
  }

  chat.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy-turn], [data-edit-turn], [data-again]");
    const starter = event.target.closest("[data-starter]");
    if (button) actOnTurn(button);
    if (!starter) return;
    message.value = starter.textContent;
    ask();
  });
  document.getElementById("stop-editing").addEventListener("click", () => {
    edit(null);
    message.value = "";
  });
  // Also where nobody told its end: the server was away.
  slot.addEventListener("paper-status", () => {
    const status = run().dataset.status;
    busy(status === "running");
    if (status === "succeeded") hideCalls();
    else if (status !== "running") showCalls();
  });
  stop.addEventListener("click", async () => {
    await actOnRun(slot.querySelector('[data-action="cancel"]'));
    busy(run().dataset.status === "running");
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  message.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      ask();
    }
  });
  addEventListener("scroll", () => (isFollowing = behind() < NEAR), { passive: true });
  if (run()?.dataset.status === "running") busy(true);
  if (matchMedia("(max-width: 800px)").matches) for (const each of chat.parentElement.parentElement.querySelectorAll("#conversations, #about-agent")) each.open = false;
  follow();
}

startChat(document.getElementById("chat"));
