// Drawings of our own: the four suits as the players' emblems, and small icons. Constants only.

import { drawn, h, s } from "./dom.js";

const SUITS = {
  oros: `<circle cx="16" cy="16" r="13" class="e1"/><circle cx="16" cy="16" r="9.4" class="e2"/>
    <path class="e1" d="M16 8.4l1.9 4.3 4.6-1-2.1 4.3 2.1 4.3-4.6-1L16 23.6l-1.9-4.3-4.6 1 2.1-4.3-2.1-4.3 4.6 1z"/>
    <circle cx="16" cy="16" r="2.3" class="e2"/>`,
  copas: `<path class="e1" d="M5 4h22c.4 8-2.6 13-8.4 14.6V24c3.6.5 5.9 1.7 6.4 4H7c.5-2.3 2.800-3.500 6.400-4v-5.400C7.600 17 4.600 12 5 4z"/>
    <path class="e2" d="M8 7h16c-.1 1.600-.4 3-.8 4.200H8.800C8.400 10 8.100 8.600 8 7z"/><circle cx="16" cy="15" r="1.700" class="e2"/>`,
  espadas: `<path class="e1" d="M16 1.500l3.400 4.500v13.500h6v3.200h-6.600v4.600a2.900 2.900 0 1 1-5.600 0v-4.600H6.600v-3.200h6V6z"/>
    <path class="e2" d="M15.200 6.500h1.600v12.600h-1.600z"/>`,
  bastos: `<path class="e1" d="M12.800 30c.4-7-3.900-11.500-3.400-18C9.800 6 12 2 16 2s6.200 4 6.600 10c.5 6.500-3.800 11-3.400 18z"/>
    <path class="e1" d="M10 13L5.300 9.600l1.500-2.100 4.200 3zM22.400 16l4.800-3-1.400-2.200-4.600 2.900zM11.500 21l-4.200-1.500.8-2.400 4.400 1.500z"/>
    <path class="e2" d="M14.600 7.500c-1.500 4-.9 8.200.7 12.200h1.500c-1.700-4.200-2.200-8-1-12.200z"/>`,
  comodin: `<path class="e1" d="M16 2l4 8.600 9.300 1.200-6.900 6.400 1.800 9.300L16 22.900l-8.200 4.600 1.800-9.300-6.900-6.400 9.300-1.200z"/>
    <circle cx="16" cy="16" r="3.600" class="e2"/>`,
};
const ORDER = ["oros", "copas", "espadas", "bastos", "comodin"];

export const suitOf = (player) => ORDER[player % ORDER.length];

/** The emblem of a suit as an inline SVG. */
export function suit(name, label = "") {
  const body = SUITS[name] || SUITS.comodin;
  const node = drawn(`<svg class="suit suit-${name in SUITS ? name : "comodin"}" viewBox="0 0 32 32">${body}</svg>`);
  if (label) {
    node.setAttribute("role", "img");
    node.setAttribute("aria-label", label);
  } else node.setAttribute("aria-hidden", "true");
  return node;
}

/** A player's sign: never by colour alone. */
export const emblem = (player) => h("span", { class: `emblem p${player % 5}` }, suit(suitOf(player)));

const ICONS = {
  camera: "M4 8h4l2-3h8l2 3h4a2 2 0 0 1 2 2v13a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V10a2 2 0 0 1 2-2zm10 3.500a5 5 0 1 0 0 10 5 5 0 0 0 0-10z",
  undo: "M11 5L4 11.500 11 18v-4.300c7 0 10 2 12 6.300 0-8-4-11.500-12-11.700z",
  redo: "M17 5l7 6.500L17 18v-4.300c-7 0-10 2-12 6.300 0-8 4-11.500 12-11.700z",
  voice: "M3 10h5l7-6v20l-7-6H3zm15-1.500c3 1.500 3 9.500 0 11zM19 4c8 3 8 17 0 20v-2.600c5.400-3 5.400-11.800 0-14.800z",
  mute: "M3 10h5l7-6v20l-7-6H3zm14.500.500l2-2 3 3 3-3 2 2-3 3 3 3-2 2-3-3-3 3-2-2 3-3z",
  sun: "M14 9a5 5 0 1 1 0 10 5 5 0 0 1 0-10zM13 2h2v4h-2zm0 20h2v4h-2zM2 13h4v2H2zm20 0h4v2h-4zM5 6.400L6.400 5l2.900 2.900-1.400 1.400zm13.700 13.700l1.400-1.400 2.900 2.900-1.400 1.400zM5 21.600l2.900-2.900 1.400 1.400L6.400 23zM18.700 7.900L21.600 5 23 6.400l-2.900 2.900z",
  moon: "M17 3a11.500 11.500 0 1 0 8 16A10 10 0 0 1 17 3z",
  half: "M14 3a11 11 0 1 0 0 22 11 11 0 0 0 0-22zm0 2.500v17a8.500 8.500 0 0 1 0-17z",
  photo: "M3 5h22v18H3zm2.500 2.500v9l5-5 5 5 3-3 4 4v-10zM19 9a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
  pause: "M7 5h5v18H7zm9 0h5v18h-5z",
  play: "M8 4l15 10L8 24z",
  step: "M6 4l11 10L6 24zm13 0h4v20h-4z",
  expand: "M4 4h8v3H9l4.500 4.500-2 2L7 9v3H4zm20 20h-8v-3h3l-4.500-4.500 2-2L21 19v-3h3z",
  hand: "M10 13V5.500a1.700 1.700 0 0 1 3.400 0V11h.8V4a1.700 1.700 0 0 1 3.400 0v7h.8V6a1.700 1.700 0 0 1 3.400 0v11c0 5-3 8.500-7.500 8.500-4 0-5.800-2-7.600-5.500L4 14.500c-.8-1.800 1.500-3 2.700-1.500z",
  ask: "M14 3c4.500 0 7.500 2.700 7.500 6.500 0 3.300-2 5-4 6.300-1.600 1-2 1.600-2 3.200h-3.500c0-3 1.200-4.300 3.200-5.600 1.600-1 2.500-2 2.500-3.700 0-2-1.500-3.400-3.800-3.400-2.400 0-3.900 1.500-4 3.700H6.500C6.600 5.800 9.600 3 14 3zm-2 18h3.800v3.800H12z",
  stop: "M9 3h10l6 6v10l-6 6H9l-6-6V9zm-1.500 9v4h13v-4z",
  cross: "M6 8l2-2 6 6 6-6 2 2-6 6 6 6-2 2-6-6-6 6-2-2 6-6z",
  check: "M11.500 22L4 14.500l2.500-2.500 5 5L21.500 6.500 24 9z",
  near: "M12 3a9 9 0 0 1 7 14.600l6 6-2 2-6-6A9 9 0 1 1 12 3zm0 2.800a6.200 6.200 0 1 0 0 12.400 6.200 6.200 0 0 0 0-12.400zM10.800 8.500h2.400v2.300h2.300v2.400h-2.300v2.300h-2.400v-2.300H8.500v-2.400h2.300z",
  pen: "M4 19.500L17.500 6l4.500 4.500L8.500 24H4zM19 4.500l2-2L25.500 7l-2 2z",
  plus: "M12.500 5h3v7.500H23v3h-7.500V23h-3v-7.500H5v-3h7.500z",
  link: "M12 9l4-4a5 5 0 0 1 7 7l-4 4-2-2 4-4a2.200 2.200 0 0 0-3-3l-4 4zm4 10l-4 4a5 5 0 0 1-7-7l4-4 2 2-4 4a2.200 2.200 0 0 0 3 3l4-4zm-5.500-3.500l6-6 2 2-6 6z",
  film: "M3 5h22v18H3zm2 2v2h2V7zm0 4v2h2v-2zm0 4v2h2v-2zm0 4v2h2v-2zm16-12v2h2V7zm0 4v2h2v-2zm0 4v2h2v-2zm0 4v2h2v-2zM9 8v12h10V8zm3.500 2.500l5 3.500-5 3.500z",
  phone: "M8 2h12a2 2 0 0 1 2 2v20a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2zm.500 3v16h11V5zM12.500 22.500h3v1.500h-3z",
  none: "M5 3l20 20-2 2-3-3H4a2 2 0 0 1-2-2V10a2 2 0 0 1 2-2h2L3 5zm5.500 2H18l2 3h4a2 2 0 0 1 2 2v11z",
};

export function icon(name) {
  return s("svg", { class: "icon", viewBox: "0 0 28 28", "aria-hidden": "true" },
    s("path", { d: ICONS[name], "fill-rule": "evenodd" }));
}
