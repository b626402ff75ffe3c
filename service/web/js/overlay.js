// The overlay for a stream: score and last event of the match on the table. `/overlay?lang=en` fixes the language.

import { scorerOf } from "./act.js";
import { get } from "./api.js";
import { h, region } from "./dom.js";
import { emblem, icon } from "./emblems.js";
import { bigNumber } from "./facts.js";
import { lang, number, setLang, signed, t, words } from "./i18n.js";
import { connect, show } from "./live.js";
import { store, subscribe, update } from "./store.js";

const board = document.getElementById("board");
const wanted = new URLSearchParams(location.search).get("lang");
if (wanted) setLang(wanted, false);

function last(match) {
  if (match.illegal.length) return h("p", { class: "o-last bad" }, icon("stop"), " ", match.illegal[0].violations.map(words).join(" "));
  if (match.questions.length) return h("p", { class: "o-last ask" }, icon("ask"), " ", words(match.questions[0]));
  if (match.outcome) {
    const names = match.outcome.winners.map((one) => match.scorers[one]);
    return h("p", { class: "o-last" }, names.length === 1 ? t("finished.winner", { name: names[0] }) : t("finished.winners", { names: names.join(" + ") }));
  }
  const move = match.moves.at(-1);
  if (!move) return null;
  const points = move.points.reduce((sum, one) => sum + one.points, 0);
  return h("p", { class: "o-last" }, words(move), points !== 0 && h("span", { class: "o-points" }, signed(points)));
}

function draw() {
  const match = store.match;
  region(board, [match, lang()], () => {
    if (!match) return [];
    const turn = scorerOf(match, match.turn);
    return [
      h("div", { class: "o-scores" }, match.score.map((one) => h("div", { class: `o-score${one.player === turn ? " turn" : ""}` },
        emblem(one.player), h("span", { class: "o-name" }, one.name), match.position?.toros && h("span", { class: "o-name" }, `${t("truco.toros")} ${match.position.toros[one.player]}`), h("span", { class: "o-total" }, number(bigNumber(match, one)))))),
      last(match),
    ];
  });
}

show(null, true);
subscribe(draw);
get("/games").then((games) => update({ games }), () => {});
connect();
