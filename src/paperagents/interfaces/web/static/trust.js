// Trusting what the vault brings along: by the digests of the things that are shown, and so nothing else.

import { onClick, send } from "./dom.js";

async function decideTrust(button) {
  button.disabled = true;
  try {
    await send("POST", `/api/trust/${button.dataset.trust}`, { digests: button.dataset.digests.trim().split(" ") });
  } finally {
    button.disabled = false;
  }
  location.reload();
}

onClick("[data-trust]", decideTrust);
