// The end: who won, why, and the report to keep.

import { matches } from "./api.js";
import { h, region } from "./dom.js";
import { emblem } from "./emblems.js";
import { lang, number, t } from "./i18n.js";

function headline(match) {
  const names = match.outcome.winners.map((one) => match.scorers[one]);
  if (names.length === 0 || (names.length === match.scorers.length && names.length > 1)) return t("finished.draw");
  return names.length === 1 ? t("finished.winner", { name: names[0] }) : t("finished.winners", { names: names.join(" + ") });
}

/** El Truco is won by toros; everything else by points. */
const final = (match, i) => match.position?.toros?.[i] ?? match.outcome.totals[i] ?? match.score[i].total;

export function drawFinished(node, match) {
  region(node, [match.id, match.outcome, match.scorers, lang()], () => match.outcome && h("section", { class: "finished panel" },
    h("p", { class: "muted" }, t("finished.title")),
    h("h2", {}, match.outcome.winners.length === 1 && emblem(match.outcome.winners[0]), headline(match)),
    h("p", { class: "final" }, match.scorers.map((name, i) => `${name} ${number(final(match, i))}`).join("  ·  ")),
    h("div", { class: "row" },
      h("a", { class: "btn main", href: matches.exported(match.id, "html"), download: "" }, t("finished.report")),
      h("a", { class: "btn", href: `${matches.exported(match.id, "pdf")}&lang=${lang()}`, download: "" }, t("finished.pdf")),
      h("a", { class: "btn", href: matches.exported(match.id, "json"), download: "" }, t("finished.json")),
      h("a", { class: "btn", href: `#/new/${match.game}` }, t("finished.again")))));
}
