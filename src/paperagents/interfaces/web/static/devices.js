// Pairing: a code to scan for as long as it is good, and the devices that may come in.

import { announce, notice, piece, Refusal, say } from "./dom.js";

const PAUSE = 2_000;

function startDevices() {
  const button = document.getElementById("pair-button");
  button.addEventListener("click", () => pair(button).catch(tell));
  document.getElementById("device-list").addEventListener("click", (event) => {
    const target = event.target.closest("[data-revoke-device]");
    if (target) revoke(target).catch(tell);
  });
}

async function pair(button) {
  const place = document.getElementById("pairing");
  const known = listed();
  place.replaceChildren(await piece("/devices/code", "POST"));
  const shown = place.firstElementChild;
  button.lastChild.textContent = say("pair-again");
  const until = Date.now() + Number(shown.dataset.minutes) * 60_000;
  // Another press shows another code, and this one is void.
  while (shown.isConnected && Date.now() < until) {
    await new Promise((done) => setTimeout(done, PAUSE));
    await renewDevices();
    const made = [...listed()].find((name) => !known.has(name));
    if (!made) continue;
    shown.remove();
    announce(say("paired", { name: made }));
    notice(say("paired", { name: made }));
  }
  if (shown.isConnected) shown.remove();
}

function listed() {
  return new Set([...document.querySelectorAll("[data-device]")].map((each) => each.dataset.device));
}

async function renewDevices() {
  const list = document.getElementById("device-list");
  const fresh = await piece("/devices");
  // What has not changed keeps the focus.
  if (fresh.textContent.trim() !== list.textContent.trim()) list.replaceChildren(fresh);
}

async function revoke(button) {
  await piece(`/devices/${encodeURIComponent(button.dataset.revokeDevice)}`, "DELETE");
  await renewDevices();
  announce(say("revoked"));
  notice(say("revoked"));
  document.getElementById("pair-button").focus();
}

function tell(error) {
  if (!(error instanceof Refusal)) throw error;
  notice(error.message);
}

startDevices();
