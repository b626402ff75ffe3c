// Doing something to a match: what became of it is shown, a refusal is told.

import { toast } from "./dom.js";
import { takeMatch } from "./store.js";

/** Run `work`; its new state of the match is taken in. Null where it was refused. */
export async function act(work) {
  try {
    const state = await work();
    if (state?.seq !== undefined) takeMatch(state, state.id);
    return state;
  } catch (problem) {
    toast(problem.text || String(problem), "bad");
    return null;
  }
}

/** Which scorer (player or team) a player belongs to. */
export function scorerOf(match, player) {
  if (player === null || player === undefined) return null;
  return match.scorers.length === match.players.length ? player : player % match.scorers.length;
}
