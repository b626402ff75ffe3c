// The score over the game: one stepped line per scorer, told apart by dash and name as well as by colour.

import { h, s } from "./dom.js";
import { emblem } from "./emblems.js";
import { t } from "./i18n.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [640, 260, 42, 70, 14, 30];

/** Totals after each move: points belong to the move that earned them. */
export function curves(match) {
  const result = match.scorers.map(() => [0]);
  for (const move of match.moves) {
    const gains = match.scorers.map(() => 0);
    for (const one of move.points) if (gains[one.player] !== undefined) gains[one.player] += one.points;
    result.forEach((curve, i) => curve.push(curve.at(-1) + gains[i]));
  }
  match.score.forEach((score, i) => {
    if (result[i] && result[i].at(-1) !== score.total) result[i][result[i].length - 1] = score.total;
  });
  return result;
}

function ticks(low, high) {
  const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500].find((one) => (high - low) / one <= 5) || 1000;
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) found.push(at);
  return found;
}

export function graph(match) {
  const lines = curves(match);
  const every = lines.flat();
  const [low, high] = [Math.min(0, ...every), Math.max(5, ...every)];
  const count = Math.max(1, lines[0].length - 1);
  const x = (i) => LEFT + (i / count) * (WIDTH - LEFT - RIGHT);
  const y = (v) => HEIGHT - BOTTOM - ((v - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  return h("figure", { class: "graph" },
    s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${t("graph.alt")}: ${match.score.map((one) => `${one.name} ${one.total}`).join(", ")}` },
      ticks(low, high).map((at) => s("g", { class: "tick" },
        s("path", { d: `M${LEFT} ${y(at)}H${WIDTH - RIGHT}` }), s("text", { x: LEFT - 8, y: y(at) + 4, "text-anchor": "end" }, at))),
      s("text", { class: "axis", x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, `${t("graph.move")} 0 – ${count}`),
      lines.map((curve, i) => s("g", { class: `curve p${i % 5}` },
        s("path", { d: curve.map((v, k) => (k ? `H${x(k)}V${y(v)}` : `M${x(0)} ${y(v)}`)).join("") }),
        s("circle", { cx: x(curve.length - 1), cy: y(curve.at(-1)), r: 5 }),
        s("text", { x: x(curve.length - 1) + 9, y: y(curve.at(-1)) + 5 }, curve.at(-1))))),
    h("figcaption", { class: "row small" }, match.score.map((one) => h("span", { class: "row" }, emblem(one.player), one.name))));
}
