// Trama's cards: drawn from their data, chosen for a table, and given their buttons for a photograph.

import { get } from "./api.js";
import { h, s } from "./dom.js";
import { t } from "./i18n.js";

let box = null;

/** The box of cards; asked for once. */
export async function cards() {
  box ??= await get("/games/trama/cards");
  return box;
}

const strand = (x1, y1, x2, y2, color) => [
  s("path", { d: `M${x1} ${y1}L${x2} ${y2}`, stroke: "#00000055", "stroke-width": 10 }),
  s("path", { d: `M${x1} ${y1}L${x2} ${y2}`, stroke: color, "stroke-width": 8 }),
];

/** A pattern: two neighbours, or one cord over and under two others. */
export function pattern(card, colors) {
  const [a, b] = [colors[card.a] || "#888888", colors[card.b] || "#888888"];
  const parts = card.kind === "adjacent"
    ? [strand(30, 4, 30, 40, a), strand(50, 4, 50, 40, b)]
    : [strand(28, 3, 28, 41, b), strand(54, 3, 54, 41, b), strand(10, 22, 72, 22, a),
      [28, 54].map((x, i) => (card.passes[i] === "under" ? strand(x, 11, x, 33, b) : []))];
  return s("svg", { class: "pattern", viewBox: "0 0 82 44", "aria-hidden": "true" }, parts);
}

function picture(card, colors) {
  return card.patterns ? card.patterns.map((one) => pattern(one, colors)) : pattern(card, colors);
}

function choice(card, colors, type, name, checked, change) {
  return h("label", { class: "pattern-card" },
    h("input", { type, name, value: card.id, checked, on: { change } }),
    h("span", { class: "pattern-face" }, picture(card, colors), h("span", {}, card.name || card.id)));
}

/** A few cards of a list, by chance. */
function some(list, count) {
  const left = [...list];
  return Array.from({ length: count }, () => left.splice(Math.floor(Math.random() * left.length), 1)[0].id);
}

/** Which cards lie on the table: four of each kind and an objective. `setup()` is what the match needs. */
export function tableCards() {
  const node = h("div", { class: "stack" });
  const chosen = { adjacent: [], interlaced: [], objective: null };

  function draw() {
    const group = (kind) => h("fieldset", { class: "stack" },
      h("legend", {}, h("b", {}, t(`trama.${kind}`)), " ", h("span", { class: "muted small" }, `${chosen[kind].length} / 4`)),
      h("div", { class: "pattern-cards" }, box[kind].map((card) => choice(card, box.colors, "checkbox", kind, chosen[kind].includes(card.id), (event) => {
        chosen[kind] = chosen[kind].filter((id) => id !== card.id);
        if (event.target.checked) chosen[kind] = [...chosen[kind], card.id].slice(-4);
        draw();
        node.querySelector(`input[value="${card.id}"]`)?.focus();
      }))));
    node.replaceChildren(
      h("p", { class: "small muted" }, t("trama.cards.text")),
      h("p", {}, h("button", { class: "btn tiny", type: "button", on: { click: deal } }, t("trama.deal"))),
      group("adjacent"), group("interlaced"),
      h("fieldset", { class: "stack" }, h("legend", {}, h("b", {}, t("trama.objective"))),
        h("div", { class: "pattern-cards" }, box.objectives.map((card) =>
          choice(card, box.colors, "radio", "objective", chosen.objective === card.id, () => { chosen.objective = card.id; })))));
  }

  function deal() {
    chosen.adjacent = some(box.adjacent, 4);
    chosen.interlaced = some(box.interlaced, 4);
    [chosen.objective] = some(box.objectives, 1);
    draw();
  }

  cards().then(deal, () => node.replaceChildren());
  return {
    node,
    setup: () => (chosen.adjacent.length === 4 && chosen.interlaced.length === 4 && chosen.objective ? { ...chosen } : {}),
  };
}

/** For a photograph: which cards carry each weaver's buttons, and the shared objective. */
export function photoCards(looms, chosen, change) {
  if (!box) {
    cards().then(change, () => {});
    return null;
  }
  const every = [...box.adjacent, ...box.interlaced];
  return h("details", { class: "panel", open: chosen.open, on: { toggle: (event) => { chosen.open = event.target.open; } } },
    h("summary", {}, h("b", {}, t("photo.setup"))),
    h("label", { class: "field" }, t("trama.objective"), h("select", {
      on: { change: (event) => { chosen.objective = event.target.value; change(); } },
    }, h("option", { value: "" }, "—"), box.objectives.map((card) => h("option", { value: card.id, selected: card.id === chosen.objective }, card.name)))),
    Array.from({ length: looms }, (_, i) => h("fieldset", { class: "stack" },
      h("legend", {}, h("b", {}, t("trama.buttons.of", { n: i + 1 }))),
      h("div", { class: "pattern-cards" }, every.map((card) => choice(card, box.colors, "checkbox", `loom-${i}`, (chosen.buttons[i] || []).includes(card.id), (event) => {
        const own = (chosen.buttons[i] || []).filter((id) => id !== card.id);
        chosen.buttons[i] = event.target.checked ? [...own, card.id] : own;
        change();
      }))))));
}
