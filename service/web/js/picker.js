// Naming a piece by pointing, not by typing: all the cards, three numbers of a tile, the faces of a circuit card.

import { h } from "./dom.js";
import { suit } from "./emblems.js";
import { t } from "./i18n.js";
import { labelWords, piece } from "./pieces.js";

const SUITS = ["oros", "copas", "espadas", "bastos"];

function cards(choose) {
  const button = (label, text) => h("button", {
    type: "button", class: "pick", "data-label": label, "aria-label": labelWords(label), on: { click: () => choose(label) },
  }, text);
  return h("div", { class: "pick-cards" }, SUITS.map((name) => h("div", { class: `pick-row ink-${name}`, role: "group", "aria-label": name },
    suit(name), Array.from({ length: 12 }, (_, i) => button(`${i + 1}-${name}`, i + 1)))),
  h("p", {}, button("comodin", `★ ${labelWords("comodin")}`)));
}

function tile(label, choose) {
  const values = (/^(\d)-(\d)-(\d)$/.exec(label) || [0, 0, 0, 0]).slice(1);
  const selects = values.map((value, i) => h("select", { "aria-label": t("piece.corner", { n: i + 1 }) },
    Array.from({ length: 6 }, (_, n) => h("option", { value: n, selected: String(n) === String(value) }, n))));
  return h("form", { class: "row pick-tile", on: { submit: (event) => { event.preventDefault(); choose(selects.map((one) => one.value).join("-")); } } },
    selects, h("button", { class: "btn", type: "submit" }, t("correct.apply")));
}

const FACES = ["gNEpSW", "gSWpNE", "gNWpES", "gESpNW", "gNSpEW", "gEWpNS"]; // of the deck that is printed

function circuits(choose) {
  return h("div", { class: "row pick-circuits" }, FACES.map((label) => h("button", {
    type: "button", class: "btn", "data-label": label, "aria-label": labelWords(label), title: labelWords(label), on: { click: () => choose(label) },
  }, piece(label))));
}

/** A way to say what a piece is, or null for a kind that has none but its alternatives. */
export function picker(kind, label, choose) {
  if (kind === "card" || kind === "back") return cards(choose);
  if (kind === "circuit_card") return circuits(choose);
  return kind === "tile" ? tile(label, choose) : null;
}
