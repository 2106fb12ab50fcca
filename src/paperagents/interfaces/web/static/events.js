// What happens in the vault, over the one WebSocket of this page; it comes back by itself after a loss.

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;
const PATIENCE = 1_500; // a short gap is nobody's worry

function openEvents() {
  const listeners = new Set();
  let pause = FIRST_PAUSE;
  let hasBeenOpen = false;
  let about = "";
  let last = Number(document.documentElement.dataset.event);
  let current = null;
  let telling = null;
  const away = document.getElementById("away");
  const tellConnection = (isAway) => {
    clearTimeout(telling);
    document.documentElement.dataset.connection = isAway ? "lost" : "open";
    if (!isAway) away.hidden = true;
    else telling = setTimeout(() => (away.hidden = false), PATIENCE);
  };
  const tell = (event) => {
    for (const listener of [...listeners]) listener(event);
  };
  const read = (events) => {
    for (const event of events) {
      last = event.seq;
      tell(event);
    }
  };
  const connect = (isSwitch = false) => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const wanted = new URLSearchParams({ about });
    // What happened while the page, or another connection, was on its way is told as well.
    if (!hasBeenOpen || isSwitch) wanted.set("after", last);
    const socket = new WebSocket(`${scheme}://${location.host}/api/events?${wanted}`);
    current = socket;
    socket.addEventListener("open", () => {
      pause = FIRST_PAUSE;
      tellConnection(false);
      // Whatever happened meanwhile is looked up: nothing is lost with a connection.
      if (hasBeenOpen && !isSwitch) tell({ type: "connected" });
      hasBeenOpen = true;
    });
    socket.addEventListener("message", (message) => socket === current && read(JSON.parse(message.data)));
    socket.addEventListener("close", () => {
      if (socket !== current) return;
      tellConnection(true);
      setTimeout(() => connect(), pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE);
    });
  };
  // Not before the scripts of the page have said which run it shows.
  document.addEventListener("DOMContentLoaded", () => connect());
  return {
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** From now on the inside of this run is told, too. */
    follow: (run) => {
      if (run === about) return;
      about = run;
      if (!current) return;
      const old = current;
      connect(true);
      if (old.readyState === WebSocket.CONNECTING) old.addEventListener("open", () => old.close());
      else old.close();
    },
  };
}

export const events = openEvents();
