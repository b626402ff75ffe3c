// Pieces drawn from their labels, for questions and lists: a person recognises a picture faster than a name.

import { h, s } from "./dom.js";
import { suit } from "./emblems.js";
import { lang, t } from "./i18n.js";

const SUITS_EN = { oros: "coins", copas: "cups", espadas: "swords", bastos: "clubs" };
const FIGURES = { 10: { es: "sota", en: "jack" }, 11: { es: "caballo", en: "knight" }, 12: { es: "rey", en: "king" } };

const CIRCUIT = /^g((?:[NESW]\d{0,2}){2})p((?:[NESW]\d{0,2}){2})$/;
const portsOf = (text) => [...text.matchAll(/([NESW])(\d{0,2})/g)].map(([, side, at]) => [side, at ? Number(at) / 100 : 0.5]);

/** The two lines of a circuit card (green, pink) from its short name `gNSpEW`, each as its two ports; null for others. */
function circuit(label) {
  const found = CIRCUIT.exec(label || "");
  return found && [portsOf(found[1]), portsOf(found[2])];
}

/** A label in words: `7-copas` → 7 de copas. */
export function labelWords(label) {
  const lines = circuit(label);
  if (lines) return lines.map((ports, i) => `${t(i ? "circuit.pink" : "circuit.green")} ${ports.map(([side]) => t(`side.${side}`)).join("–")}`).join(", ");
  const card = /^(\d+)-(oros|copas|espadas|bastos)$/.exec(label || "");
  if (!card) return label === "comodin" ? (lang() === "es" ? "comodín" : "joker") : label || "";
  const figure = FIGURES[card[1]]?.[lang()];
  const value = figure ? `${card[1]} (${figure})` : card[1];
  return lang() === "es" ? `${value} de ${card[2]}` : `${value} of ${card[2]} (${SUITS_EN[card[2]]})`;
}

/** A short label for the live picture. */
export function shortLabel(label, kind) {
  if (kind === "loom" || kind === "circuit_card" || kind === "back") return "";
  const card = /^(\d+)-(oros|copas|espadas|bastos)$/.exec(label || "");
  return card ? `${card[1]} ${card[2]}` : label || t(`kind.${kind}`);
}

/** The piece as a small drawing, or null where a label has none. */
export function piece(label) {
  const card = /^(\d+)-(oros|copas|espadas|bastos)$/.exec(label || "");
  if (card) {
    return h("span", { class: `mini-card ink-${card[2]}`, "aria-hidden": "true" },
      h("b", {}, card[1]), suit(card[2]));
  }
  if (label === "comodin") {
    return h("span", { class: "mini-card ink-comodin", "aria-hidden": "true" }, h("b", {}, "★"), suit("comodin"));
  }
  const lines = circuit(label);
  if (lines) return circuitCard(lines);
  const tile = /^(\d+)-(\d+)-(\d+)$/.exec(label || "");
  if (!tile) return null;
  const at = [[50, 30], [77, 76], [23, 76]];
  return s("svg", { class: "mini-tile", viewBox: "0 0 100 92", "aria-hidden": "true" },
    s("path", { d: "M50 5 Q54 5 57 10 L95 78 Q98 87 90 87 L10 87 Q2 87 5 78 L43 10 Q46 5 50 5Z" }),
    at.map(([x, y], i) => s("text", { x, y, "text-anchor": "middle", "dominant-baseline": "central" }, tile[i + 1])),
  );
}

const WIDE = 63;
const HIGH = 88;

/** Where a port is on the card: positions count along the side, clockwise. */
function port([side, at]) {
  return { N: [at * WIDE, 0], E: [WIDE, at * HIGH], S: [WIDE - at * WIDE, HIGH], W: [0, HIGH - at * HIGH] }[side];
}

function circuitCard(lines) {
  return s("svg", { class: "mini-circuit", viewBox: "-3 -3 69 94", "aria-hidden": "true" },
    s("rect", { width: WIDE, height: HIGH, rx: 5 }),
    lines.map((ports, i) => {
      const [from, to] = ports.map(port);
      return s("path", { class: i ? "pink" : "green", d: `M${from.join(" ")} Q${WIDE / 2} ${HIGH / 2} ${to.join(" ")}` });
    }));
}
