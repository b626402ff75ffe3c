// The live table: the camera's picture with the readings drawn over it, and what is the matter where there is none.

import { BASE } from "./api.js";
import { h, region, s } from "./dom.js";
import { icon } from "./emblems.js";
import { lang, recall, remember, t, words } from "./i18n.js";
import { labelWords, shortLabel } from "./pieces.js";
import { store } from "./store.js";

const SIGN = { accepted: "✓", seen: "", unsure: "?", illegal: "✕" };
const NEAR = "tapete.near";
const NARROW = 560; // on a phone the close-up is less wide than the camera's picture, so that the pieces are larger
const PHONE = 5 / 4;
const BLIND = new Set(["lost", "frozen", "black"]);

const points = (corners) => corners.map(([x, y]) => `${x},${y}`).join(" ");
const middle = (corners) => [0, 1].map((k) => corners.reduce((sum, one) => sum + one[k], 0) / corners.length);

/** Outlines as SVG. `unit` is image pixels per pixel of the screen; `pick` makes every piece a button. */
export function outlines(size, marks, { illegal = [], lift = [], pick = null, unit = size[0] / 900 } = {}) {
  const svg = s("svg", { class: "marks", viewBox: `0 0 ${size[0]} ${size[1]}`, role: pick ? "group" : "img", "aria-label": t("table.title"), css: { "--unit": unit } });
  marks.forEach((mark, i) => mark.corners?.length && svg.append(outline(mark, i, unit, pick)));
  for (const piece of lift) if (piece.corners?.length) svg.append(lifted(piece));
  for (const flag of illegal) if (flag.nearest?.corners) svg.append(nearest(flag));
  return svg;
}

function outline(mark, i, unit, pick) {
  const [x, y] = middle(mark.corners);
  // A card's middle is its picture: its name goes to its lower part.
  const low = mark.corners.length === 4 ? (Math.max(...mark.corners.map((one) => one[1])) - y) * 0.5 : 0;
  const name = t("table.piece", { label: labelWords(mark.label) || t(`kind.${mark.kind}`), status: t(`mark.${mark.status}`) });
  const sides = mark.corners.map((one, k) => Math.hypot(one[0] - mark.corners.at(k - 1)[0], one[1] - mark.corners.at(k - 1)[1]));
  const room = Math.min(...sides) / unit;
  const sign = SIGN[mark.status] || "";
  // A name that is wider than its piece would lie over the next one: then the sign alone says how it stands.
  const short = shortLabel(mark.label, mark.kind);
  const large = room > 120;
  const fits = short && room > 34 && short.length * (large ? 9.5 : 7.6) < Math.max(...sides) / unit;
  const words = [fits && short, (!fits || room > 70 || mark.status !== "accepted") && sign].filter(Boolean).join(" ");
  const props = { class: `mark ${mark.status}` };
  if (pick) {
    const choose = () => pick(mark, [x, y]);
    const key = (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose();
    };
    Object.assign(props, { tabindex: 0, role: "button", "aria-label": name, "data-focus": `piece-${i}`, on: { click: choose, keydown: key } });
  }
  return s("g", props, s("polygon", { points: points(mark.corners) }), words && s("text", { x, y: y + (fits ? low : 0), class: `label${fits ? "" : " sign"}${large ? "" : " small"}` }, words));
}

/** A piece that the players are asked to take away. */
function lifted(piece) {
  const [x, y] = middle(piece.corners);
  return s("g", { class: "mark lift" }, s("polygon", { points: points(piece.corners) }), s("text", { x, y, class: "label small" }, t("mark.lift")));
}

function nearest(flag) {
  const corners = flag.nearest.corners;
  const to = middle(corners);
  const from = flag.pieces[0] && middle(flag.pieces[0].corners);
  return s("g", { class: "mark nearest" },
    from && s("path", { class: "way", d: `M${from[0]} ${from[1]} L${to[0]} ${to[1]}` }),
    s("polygon", { points: points(corners) }),
    s("text", { x: to[0], y: to[1], class: "label small" }, t("mark.nearest")));
}

/** The part of the picture in which the pieces lie, with room around it, as [x, y, width, height] of the same shape. */
export function closeUp(size, marks, before, ratio = size[0] / size[1]) {
  const corners = marks.flatMap((mark) => mark.corners || []);
  if (!corners.length) return [0, 0, ...size];
  const [xs, ys] = [corners.map((one) => one[0]), corners.map((one) => one[1])];
  const [left, right, upper, lower] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  // Where the pieces still lie well inside the part shown now, it stays: a picture that jumps tires the eyes.
  if (before && Math.abs(before[2] / before[3] - ratio) < 0.01 && left > before[0] && upper > before[1] && right < before[0] + before[2] && lower < before[1] + before[3]
    && Math.max((right - left) / before[2], (lower - upper) / before[3]) > 0.34) return before;
  let high = Math.max((lower - upper) * 1.35, ((right - left) * 1.35) / ratio, size[1] * 0.3);
  if (high > size[1] * 0.86) high = size[1];
  const wide = high * ratio;
  if (wide > size[0] || (right - left) * 1.1 > wide) return [0, 0, ...size];
  const clamp = (value, low, top) => Math.min(Math.max(value, low), top);
  return [clamp((left + right - wide) / 2, 0, size[0] - wide), clamp((upper + lower - high) / 2, 0, size[1] - high), wide, high];
}

/** The marks to draw: the referee's, else the plain reading. */
export function marksOf(table) {
  if (table.marks.length) return table.marks;
  return (table.state?.pieces || []).map((one) => ({ corners: one.corners, kind: one.kind, label: one.label ?? "", status: "seen" }));
}

export function sizeOf(table) {
  return table.state?.size || table.camera.size || [1280, 720];
}

export class TableView {
  /** `pick(mark, at)` is called for a piece that is tapped; with `near` the view may come close to the pieces. */
  constructor(pick = null, near = false) {
    this.pick = pick;
    this.near = near;
    this.part = null;
    this.live = h("img", { class: "live", alt: t("table.title") });
    this.live.hidden = true;
    this.over = h("div", { class: "over" });
    this.state = h("div", { class: "table-state" });
    this.chips = h("div", { class: "table-chips" });
    this.frame = h("div", { class: "zoomer" }, this.live, this.over);
    this.zoom = h("div", { class: "table-zoom" });
    this.node = h("div", { class: "table-view" }, this.frame, this.state, this.chips, this.zoom);
    this.key = "";
    this.again = () => {};
    this.watch = new ResizeObserver(() => this.again());
    this.watch.observe(this.node);
  }

  /** Let the connection of the live picture go: it would otherwise stay open. */
  stop() {
    this.live.removeAttribute("src");
    this.key = "";
    this.watch.disconnect();
  }

  /** Show the whole table or only where the pieces are. */
  fit(size, marks) {
    const close = this.near && recall(NEAR) !== "off";
    const shape = this.node.clientWidth < NARROW ? Math.min(PHONE, size[0] / size[1]) : size[0] / size[1];
    this.part = close ? closeUp(size, marks, this.part, shape) : [0, 0, ...size];
    const [x, y, width, height] = this.part;
    this.node.style.setProperty("--view", `${width} / ${height}`);
    const scale = size[0] / width;
    this.frame.style.transform = scale === 1 ? "none" : `scale(${scale}) translate(${(-x / size[0]) * 100}%, ${(-y / size[1]) * 100}%)`;
    return width / Math.max(1, this.node.clientWidth);
  }

  draw(match) {
    this.again = () => this.draw(match);
    const table = store.table;
    if (!table) return;
    const camera = table.camera;
    const sees = camera.size !== null && camera.source !== null;
    const key = sees && store.connection === "open" ? `${camera.source}|${camera.size}` : "";
    if (key !== this.key) {
      this.key = key;
      this.live.hidden = !key;
      if (key) this.live.src = `${BASE}/table/stream?at=${Date.now()}`;
      else this.live.removeAttribute("src");
    }
    const size = sizeOf(table);
    this.node.style.setProperty("--ratio", `${size[0]} / ${size[1]}`);
    const blind = BLIND.has(camera.status) || store.connection !== "open";
    this.node.classList.toggle("blind", blind && sees);
    this.node.classList.toggle("moving", table.moving);
    const mine = !match || table.match === match.id;
    const marks = mine && sees ? marksOf(table) : [];
    const illegal = mine && match ? match.illegal : [];
    const lift = mine && sees && match?.instruction?.code === "lift" ? match.instruction.pieces : [];
    const unit = this.fit(size, marks);
    region(this.over, [marks, illegal, lift, size, unit, lang()], () => (sees ? outlines(size, marks, { illegal, lift, pick: this.pick, unit }) : []));
    region(this.zoom, [this.near && sees && marks.length > 0, recall(NEAR), lang()], () => this.near && sees && marks.length > 0 && h("button", {
      class: "btn tiny", type: "button", "aria-pressed": recall(NEAR) === "off" ? "false" : "true", "data-focus": "near",
      on: { click: () => { remember(NEAR, recall(NEAR) === "off" ? "on" : "off"); this.draw(match); } },
    }, icon("near"), h("span", { class: "word" }, t("table.near"))));
    region(this.state, [camera.status, camera.es, camera.en, camera.source, sees, lang(), table.eyes, store.connection], () => this.say(table, sees));
    const empty = mine && match && sees && table.state && !table.state.pieces.length && camera.status === "ok";
    region(this.chips, [table.moving, empty, blind, sees, mine, lang()], () => {
      if (!sees || blind) return [];
      return [
        table.moving && h("span", { class: "chip busy" }, icon("hand"), t("table.busy")),
        !table.moving && empty && h("span", { class: "chip" }, t("table.empty")),
      ];
    });
  }

  say(table, sees) {
    const camera = table.camera;
    if (store.connection !== "open") {
      return h("div", { class: "table-empty" }, h("span", { class: "spinner" }), h("h3", {}, t("table.offline")), h("p", {}, t("table.offline.text")));
    }
    const button = h("button", { class: "btn", type: "button", on: { click: () => dispatchEvent(new Event("tapete-camera")) } }, icon("camera"), t(camera.source === null ? "camera.choose" : "camera.change"));
    if (camera.source === null) {
      return h("div", { class: "table-empty" }, icon("none"), h("h3", {}, t("table.none")), h("p", {}, t("table.none.text")), button);
    }
    if (BLIND.has(camera.status)) {
      return h("div", { class: "table-empty", role: "alert" }, icon("none"), h("h3", {}, t("table.lost")),
        h("p", {}, words(camera) || t("table.lost.text")), button);
    }
    if (!sees) return h("div", { class: "table-empty" }, h("span", { class: "spinner" }), h("h3", {}, t("table.opening")));
    if (table.eyes && table.eyes !== "ok") {
      return h("p", { class: "table-warn" }, h("b", {}, t("table.eyes")), ` ${table.eyes}`);
    }
    return [];
  }
}
