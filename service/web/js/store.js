// What the page knows, in one place; whoever shows something subscribes to it.

export const store = {
  connection: "starting", // starting, open, lost
  games: [],
  matches: [],
  match: null, // the match that is shown
  table: null,
  demo: null,
};

const listeners = new Set();

export function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let waiting = false;

/** Pictures nobody sees are not waited for: a hidden page has no frames. */
const soon = (work) => (document.hidden ? setTimeout(work, 50) : requestAnimationFrame(work));

/** Change something; the listeners hear of it once per frame at most. */
export function update(changes) {
  Object.assign(store, changes);
  if (waiting) return;
  waiting = true;
  soon(() => {
    waiting = false;
    for (const listener of [...listeners]) listener(store);
  });
}

/** Take in a newer state of a match: the one shown, and its line in the list. */
export function takeMatch(state, wanted) {
  const line = {
    id: state.id, game: state.game, players: state.players, created: state.created, updated: state.updated,
    status: state.status, totals: state.score.map((one) => one.total),
  };
  const others = store.matches.filter((one) => one.id !== state.id);
  const changes = { matches: [line, ...others].sort((a, b) => b.created - a.created) };
  if (wanted === state.id && (!store.match || store.match.id !== state.id || store.match.seq <= state.seq)) {
    changes.match = state;
  }
  update(changes);
}

export const game = (name) => store.games.find((one) => one.name === name);
