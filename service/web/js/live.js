// The WebSocket: hello, then every change in order. Reconnects by itself and resumes where it was.

import { BASE, matches } from "./api.js";
import { store, takeMatch, update } from "./store.js";

const WAITS = [400, 800, 1600, 3000];
let socket = null;
let epoch = "";
let seq = -1;
let failures = 0;
const onMatch = new Set();
const shown = { id: null, follow: true };

/** Which match the page shows; with `follow` the one on the table, whatever it is. */
export function show(id, follow = false) {
  shown.id = id;
  shown.follow = follow;
}

/** Called with (state before, state now, new events) of the match that is shown. */
export function onChange(listener) {
  onMatch.add(listener);
}

export function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const resume = epoch ? `?epoch=${encodeURIComponent(epoch)}&after=${seq}` : "";
  socket = new WebSocket(`${scheme}://${location.host}${BASE}/events${resume}`);
  socket.addEventListener("open", () => {
    failures = 0;
  });
  socket.addEventListener("message", (event) => take(JSON.parse(event.data)));
  socket.addEventListener("close", () => {
    update({ connection: store.connection === "starting" ? "starting" : "lost" });
    setTimeout(connect, WAITS[Math.min(failures, WAITS.length - 1)]);
    failures += 1;
    if (failures > 1) update({ connection: "lost" });
  });
}

function take(message) {
  const gap = message.type !== "hello" && (message.epoch !== epoch || message.seq !== seq + 1);
  if (gap && message.seq > seq) {
    epoch = ""; // something was missed: start over from the whole state
    socket.close();
    return;
  }
  epoch = message.epoch;
  seq = message.seq;
  if (store.connection !== "open") update({ connection: "open" });
  if (message.type === "hello") hello(message);
  else if (message.type === "match") changed(message.match, message.events);
  else if (message.type === "table") update({ table: message.table });
  else if (message.type === "demo") update({ demo: message.demo });
  else if (message.type === "deleted") {
    update({ matches: store.matches.filter((one) => one.id !== message.id) });
    if (store.match?.id === message.id) update({ match: null });
  }
}

function hello(message) {
  update({ table: message.table, matches: message.matches, demo: message.demo });
  if (message.match && (shown.follow || shown.id === message.match.id)) changed(message.match, []);
  // A match that is looked at but does not lie on the table is not in the greeting: what was missed of it is asked for.
  else if (shown.id) matches.state(shown.id).then((state) => state.id === shown.id && changed(state, []), () => {});
}

function changed(state, events) {
  if (shown.follow && state.id === store.table?.match) shown.id = state.id;
  const before = store.match?.id === state.id ? store.match : null;
  takeMatch(state, shown.id);
  if (state.id === shown.id) for (const listener of onMatch) listener(before, state, events);
}
