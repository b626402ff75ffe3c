// The live table: the camera's picture with the readings drawn over it, and what is the matter where there is none.

import { BASE } from "./api.js";
import { h, region, s } from "./dom.js";
import { icon } from "./emblems.js";
import { lang, t, words } from "./i18n.js";
import { labelWords, shortLabel } from "./pieces.js";
import { store } from "./store.js";

const SIGN = { accepted: "✓", seen: "", unsure: "?", illegal: "✕" };
const BLIND = new Set(["lost", "frozen", "black"]);

const points = (corners) => corners.map(([x, y]) => `${x},${y}`).join(" ");
const middle = (corners) => [0, 1].map((k) => corners.reduce((sum, one) => sum + one[k], 0) / corners.length);

/** Outlines as SVG. `pick` makes every piece a button. */
export function outlines(size, marks, { illegal = [], pick = null } = {}) {
  const [width, height] = size;
  const scale = Math.max(width, height) / 1000;
  const svg = s("svg", { class: "marks", viewBox: `0 0 ${width} ${height}`, role: pick ? "group" : "img", "aria-label": t("table.title") });
  svg.style.setProperty("--scale", scale);
  marks.forEach((mark, i) => {
    if (!mark.corners?.length) return;
    const [x, y] = middle(mark.corners);
    const text = shortLabel(mark.label, mark.kind);
    const sign = SIGN[mark.status] || "";
    const name = t("table.piece", { label: labelWords(mark.label) || t(`kind.${mark.kind}`), status: t(`mark.${mark.status}`) });
    const sides = mark.corners.map((one, k) => Math.hypot(one[0] - mark.corners.at(k - 1)[0], one[1] - mark.corners.at(k - 1)[1]));
    const room = Math.min(...sides) / scale;
    const props = { class: `mark ${mark.status}` };
    if (pick) Object.assign(props, {
      tabindex: 0, role: "button", "aria-label": name, "data-focus": `piece-${i}`,
      on: { click: () => pick(mark, [x, y]), keydown: (event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), pick(mark, [x, y])) },
    });
    svg.append(s("g", props,
      s("polygon", { points: points(mark.corners) }),
      room > 26 && s("text", { x, y, class: room > 60 ? "label" : "label small" }, `${text}${sign && text ? " " : ""}${sign}`),
    ));
  });
  for (const flag of illegal) {
    const corners = flag.nearest?.corners;
    if (!corners) continue;
    const to = middle(corners);
    const from = flag.pieces[0] ? middle(flag.pieces[0].corners) : null;
    svg.append(s("g", { class: "mark nearest" },
      from && s("path", { class: "way", d: `M${from[0]} ${from[1]} L${to[0]} ${to[1]}` }),
      s("polygon", { points: points(corners) }),
      s("text", { x: to[0], y: to[1], class: "label small" }, t("mark.nearest"))));
  }
  return svg;
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
  /** `pick(mark, at)` is called for a piece that is tapped. */
  constructor(pick = null) {
    this.pick = pick;
    this.live = h("img", { class: "live", alt: t("table.title") });
    this.live.hidden = true;
    this.over = h("div", { class: "over" });
    this.state = h("div", { class: "table-state" });
    this.chips = h("div", { class: "table-chips" });
    this.node = h("div", { class: "table-view" }, this.live, this.over, this.state, this.chips);
    this.key = "";
  }

  /** Let the connection of the live picture go: it would otherwise stay open. */
  stop() {
    this.live.removeAttribute("src");
    this.key = "";
  }

  draw(match, { still = false } = {}) {
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
    const mine = !match || table.match === match.id;
    const marks = mine && sees ? marksOf(table) : [];
    const illegal = mine && match ? match.illegal : [];
    region(this.over, [marks, illegal, size, lang()], () => sees ? outlines(size, marks, { illegal, pick: this.pick }) : []);
    region(this.state, [camera.status, camera.es, camera.en, camera.source, sees, lang(), table.eyes], () => this.say(table, sees));
    const empty = mine && match && sees && table.state && !table.state.pieces.length && camera.status === "ok";
    region(this.chips, [table.moving, empty, blind, sees, mine, still, lang()], () => {
      if (!sees || blind) return [];
      return [
        table.moving && h("span", { class: "chip busy" }, icon("hand"), t("table.busy")),
        !table.moving && empty && h("span", { class: "chip" }, t("table.empty")),
      ];
    });
  }

  say(table, sees) {
    const camera = table.camera;
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
