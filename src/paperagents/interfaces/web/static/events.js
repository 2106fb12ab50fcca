// What happens in the vault, over the one WebSocket of this page; it comes back by itself after a loss.

const LONGEST_PAUSE = 10_000;

export function openEvents() {
  const listeners = new Set();
  let pause = 500;
  let hasBeenOpen = false;
  const tell = (event) => {
    for (const listener of [...listeners]) listener(event);
  };
  const connect = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/events`);
    socket.addEventListener("open", () => {
      pause = 500;
      document.documentElement.dataset.connection = "open";
      // Whatever happened meanwhile is looked up: nothing is lost with a connection.
      if (hasBeenOpen) tell({ type: "connected" });
      hasBeenOpen = true;
    });
    socket.addEventListener("message", (message) => tell(JSON.parse(message.data)));
    socket.addEventListener("close", () => {
      document.documentElement.dataset.connection = "lost";
      setTimeout(connect, pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE);
    });
  };
  connect();
  return {
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
