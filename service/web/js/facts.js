// What a game has besides its score: stock, hands, rounds, coins, boards. One function per game.

import { scorerOf } from "./act.js";
import { h, region, s } from "./dom.js";
import { emblem, suit } from "./emblems.js";
import { lang, t, tn } from "./i18n.js";

const fact = (label, value) => h("span", { class: "fact" }, h("span", { class: "muted" }, label), " ", h("b", {}, value));

/** The number that people at the table call the score: in El Truco the tantos of this toro, elsewhere the total. */
export function bigNumber(match, score) {
  return match.game === "truco" ? match.position?.tantos?.[score.player] ?? score.total : score.total;
}

/** Small things under a player's total. */
export function extras(match, scorer) {
  const at = match.position || {};
  if (match.game === "triominos" && at.hands) return tn("triominos.hand", at.hands[scorer]);
  if (match.game === "trichon" && at.hands) return tn("cards", at.hands[scorer]);
  if (match.game === "truco" && at.toros) return coins(at, scorer);
  if (match.game === "tronix" && at.hands) {
    const held = at.hands.reduce((sum, one, player) => sum + (scorerOf(match, player) === scorer ? one : 0), 0);
    const color = scorer ? "pink" : "green";
    return [h("span", { class: `team team-${color}` }, t(`circuit.${color}`)), t("tronix.held", { cards: tn("cards", held) })];
  }
  return "";
}

/** Coins as they lie on the table: malas first, then buenas. */
function coins(at, team) {
  const lying = at.coins?.[team];
  const heap = (half) => {
    const { big = 0, small = 0 } = lying?.[half] || {};
    if (!big && !small) return null;
    return h("span", { class: "coins" }, h("span", { class: "half" }, t(`truco.${half}`)),
      Array.from({ length: big }, () => h("span", { class: "coin big", role: "img", "aria-label": t("truco.coin.big") }, "5")),
      Array.from({ length: small }, () => h("span", { class: "coin", role: "img", "aria-label": t("truco.coin.small") }, "1")));
  };
  return [h("b", { class: "toros" }, `${t("truco.toros")}: ${at.toros[team]}`), heap("malas"), heap("buenas")];
}

const DRAW = {
  triominos: (match, at) => [
    fact(t("triominos.stock"), at.stock), h("span", { class: "fact" }, t("triominos.round", { n: at.round })),
  ],
  trichon: (match, at) => [fact(t("trichon.stock"), at.stock)],
  truco: (match, at) => [
    at.dealer !== undefined && h("span", { class: "fact" }, t("truco.dealer", { name: match.players[at.dealer] ?? "" })),
    (at.boards || []).map((one, i) => h("span", { class: "fact" },
      at.boards.length > 1 && h("b", {}, `${t("truco.board", { n: i + 1 })}: `), one.level && match.status !== "finished" && t("truco.level", { level: one.level.replaceAll("-", " ") }),
      one.pending && h("b", { class: "pending" }, ` · ${t("truco.pending", { name: who(match, one.pending.by), bid: one.pending.bid.replaceAll("-", " ") })}`))),
  ],
  tronix: (match, at) => [h("span", { class: "fact" }, t(`tronix.phase.${at.phase}`))],
  trama: (match, at) => [
    h("span", { class: "fact" }, t("trama.round", { n: at.round, of: at.rounds })),
    h("span", { class: "fact" }, h("b", {}, t(`trama.phase.${at.phase}`))),
    at.waiting_for?.length > 0 && h("span", { class: "fact" }, t("trama.waiting", { names: at.waiting_for.map((one) => match.players[one]).join(", ") })),
  ],
};

const who = (match, player) => match.players[player] ?? match.scorers[player] ?? "";

/** Trichón's board, 4 suits × 12: marks belong to nobody until a line is claimed; null for other games. */
export function board(match) {
  const at = match.position || {};
  if (match.game !== "trichon" || !at.board) return null;
  const names = { espada: "espadas", copa: "copas", oro: "oros", basto: "bastos" };
  return h("table", { class: "trichon-board" },
    h("caption", { class: "visually-hidden" }, t("trichon.board")),
    h("tbody", {}, at.board.map((row, r) => h("tr", {},
      h("th", { scope: "row" }, suit(names[at.rows[r]] || at.rows[r], at.rows[r])),
      row.map((cell, c) => h("td", {
        class: [cell && "marked", typeof cell?.line === "number" && `line l${cell.line}`, `${c + 1}-${names[at.rows[r]]}` === at.last && "last"].filter(Boolean).join(" "),
      }, cell ? mark(cell, match) : h("span", { class: "free" }, c + 1)))))));
}

function mark(cell, match) {
  const claimed = typeof cell.line === "number";
  const name = t(claimed ? "trichon.line" : "trichon.marked", { name: match.players[claimed ? cell.line : cell.mark] ?? "" });
  const shape = cell.wild ? "M10 1l2.600 6 6.400.6-4.800 4.300 1.400 6.300L10 14.900 4.400 18.200l1.400-6.300L1 7.600 7.400 7z"
    : cell.line === 1 ? "M10 3a7 7 0 1 0 .01 0z" : "M3 3L17 17M17 3L3 17";
  return s("svg", { viewBox: "0 0 20 20", role: "img", "aria-label": name, class: cell.wild ? "wild" : "" }, s("path", { d: shape }));
}

export function drawFacts(node, match) {
  region(node, [match.game, match.position, match.players, lang()], () => {
    const at = match.position || {};
    const seats = match.scorers.length === match.players.length ? [] : match.players.map((name, i) =>
      h("span", { class: "fact seat" }, emblem(scorerOf(match, i)), name));
    return [...seats, ...(DRAW[match.game]?.(match, at) || [])].flat().filter(Boolean);
  });
}
