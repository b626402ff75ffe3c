// The score, large enough to be read from two metres, and whose turn it is.

import { scorerOf } from "./act.js";
import { dialog, h, region } from "./dom.js";
import { emblem, icon } from "./emblems.js";
import { lang, number, signed, t } from "./i18n.js";
import { bigNumber, extras } from "./facts.js";

const totals = new Map(); // match and scorer → the total shown last, to show what was added

function added(match, score) {
  const key = `${match.id}/${score.player}`;
  const before = totals.get(key);
  const now = bigNumber(match, score);
  totals.set(key, now);
  const gain = before === undefined ? 0 : now - before;
  return gain ? h("span", { class: `gain ${gain > 0 ? "up" : "down"}`, "aria-hidden": "true" }, signed(gain)) : null;
}

/** The lines of a score added up by cause. */
export function byCause(lines) {
  const sums = new Map();
  for (const line of lines) {
    const name = line[lang()] || line.cause;
    const one = sums.get(name) || { name, count: 0, points: 0 };
    one.count += 1;
    one.points += line.points;
    sums.set(name, one);
  }
  return [...sums.values()].sort((a, b) => Math.abs(b.points) - Math.abs(a.points));
}

function breakdown(score) {
  const causes = byCause(score.lines);
  dialog(t("score.detail", { name: score.name }), (close) => [
    h("div", { class: "sheet-head" }, h("h2", {}, t("score.detail", { name: score.name })),
      h("button", { class: "btn quiet", type: "button", "aria-label": t("close"), on: { click: close } }, icon("cross"))),
    causes.length
      ? h("table", { class: "causes" }, h("tbody", {}, causes.map((one) => h("tr", {},
        h("th", { scope: "row" }, one.name, one.count > 1 && h("span", { class: "muted" }, ` × ${one.count}`)),
        h("td", {}, signed(one.points))))),
      h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, t("photo.total")), h("td", {}, number(score.total)))))
      : h("p", { class: "muted" }, t("score.nothing")),
  ]);
}

export function drawScores(node, match) {
  const turn = scorerOf(match, match.turn);
  const best = match.outcome ? match.outcome.winners : [];
  node.dataset.count = match.score.length;
  region(node, [match.id, match.score.map((one) => [one.total, one.name, one.lines.length]), turn, best, match.position, lang()], () =>
    match.score.map((score) => h("button", {
      type: "button", class: `score p${score.player % 5}${turn === score.player ? " turn" : ""}${best.includes(score.player) ? " won" : ""}`,
      "data-focus": `score-${score.player}`, "data-score": score.player,
      on: { click: () => breakdown(score) },
    },
    h("span", { class: "score-name" }, emblem(score.player), h("span", { class: "who" }, score.name),
      turn === score.player && h("span", { class: "turn-flag" }, t("turn.short"))),
    h("span", { class: "total", css: { "--len": Math.max(2, number(bigNumber(match, score)).length) } }, number(bigNumber(match, score)),
      h("span", { class: "visually-hidden" }, ` ${t(match.game === "truco" ? "truco.unit" : "score.unit")}`), added(match, score)),
    h("span", { class: "score-extra" }, extras(match, score.player)))));
}

export function drawTurn(node, match) {
  region(node, [match.turn, match.players, match.status, match.moves.length > 0, lang()], () => {
    if (match.status === "finished") return [];
    const nobody = match.game === "trama" ? t("turn.all") : match.moves.length ? "" : t("turn.open");
    const text = match.turn === null ? nobody : t("turn", { name: match.players[match.turn] });
    if (!text) return [];
    return h("p", { class: "turn-line" }, match.turn !== null && emblem(scorerOf(match, match.turn)), h("b", {}, text));
  });
}
