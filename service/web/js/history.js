// The past: moves with their evidence and points by cause, the whole log, the score as a graph.

import { scorerOf } from "./act.js";
import { matches } from "./api.js";
import { correctDialog } from "./correct.js";
import { dialog, h, region } from "./dom.js";
import { emblem, icon } from "./emblems.js";
import { graph } from "./graph.js";
import { clock, lang, signed, t, words } from "./i18n.js";
import { labelWords } from "./pieces.js";

const SOURCE = { camera: "camera", declared: "hand", answer: "ask" };
const TABS = ["title", "graph", "log"];

function causes(match, move) {
  const names = new Map();
  for (const score of match.score) for (const line of score.lines) names.set(line.cause, words(line));
  return move.points.filter((one) => one.points).map((one) =>
    h("span", { class: `points ${one.points < 0 ? "minus" : ""}` }, h("b", {}, signed(one.points)), ` ${names.get(one.cause) || one.cause}`));
}

function picture(url, what) {
  if (!url) return null;
  return h("button", {
    class: "evidence", type: "button", "aria-label": t("history.evidence", { what }), "data-focus": `evidence-${url}`,
    on: { click: () => dialog(what, (close) => [
      h("div", { class: "sheet-head" }, h("h2", {}, what),
        h("button", { class: "btn quiet", type: "button", "aria-label": t("close"), on: { click: close } }, icon("cross"))),
      h("img", { src: url, alt: t("crop.alt"), class: "evidence-large" })]) },
  }, h("img", { src: url, alt: "", loading: "lazy", width: 56, height: 56 }));
}

function move(match, one) {
  const text = words(one);
  return h("li", { class: "move", "data-event": one.event },
    h("span", { class: "ply muted" }, (one.ply ?? 0) + 1),
    one.player !== null && one.player !== undefined ? emblem(scorerOf(match, one.player)) : h("span", { class: "emblem nobody" }),
    h("span", { class: "what" }, h("span", {}, text,
      h("span", { class: "source", title: t(`history.source.${one.source}`) }, icon(SOURCE[one.source] || "camera"),
        h("span", { class: "visually-hidden" }, t(`history.source.${one.source}`)))),
    h("span", { class: "row points-row" }, causes(match, one))),
    picture(one.evidence, text), correction(match, one));
}

/** The way to put a past move right. */
function correction(match, one) {
  return h("button", {
    class: "btn tiny", type: "button", "data-focus": `correct-${one.event}`, "aria-label": t("history.correct.of", { what: words(one) }),
    on: { click: () => correctDialog(match, one) },
  }, icon("pen"), h("span", { class: "word" }, t("history.correct")));
}

function aside(one) {
  return h("li", { class: "move aside" }, h("span", { class: "ply" }, "—"), icon("cross"),
    h("span", { class: "what" }, h("s", {}, words(one)),
      h("span", { class: "small" }, t("history.aside.why", { why: (one.violations || []).map(words).join(" ") }))),
    picture(one.evidence, words(one)));
}

/** What an event without a sentence says: a call by its button's words, a reading by its piece. */
function told(match, data) {
  const control = match.controls.find((one) => one.action?.call && one.action.call === data.call);
  return labelWords(data.reading?.label ?? data.label) || (control ? words(control) : "");
}

export class History {
  constructor() {
    this.tab = "title";
    this.log = { key: "", events: [] };
    this.tabs = h("div", { class: "tabs", role: "tablist", "aria-label": t("history.title") });
    this.body = h("div", { class: "tab-body", role: "tabpanel", id: "history-panel", tabindex: 0 });
    this.node = h("section", { class: "panel history", "aria-label": t("history.title") }, this.tabs, this.body);
    this.match = null;
  }

  draw(match) {
    this.match = match;
    region(this.tabs, [this.tab, lang()], () => TABS.map((one) => h("button", {
      type: "button", role: "tab", id: `tab-${one}`, "aria-selected": this.tab === one ? "true" : "false", "aria-controls": "history-panel",
      tabindex: this.tab === one ? 0 : -1, "data-focus": `tab-${one}`,
      on: { click: () => this.choose(one), keydown: (event) => this.arrow(event, one) },
    }, t(`history.${one}`))));
    this.body.setAttribute("aria-labelledby", `tab-${this.tab}`);
    if (this.tab === "log") this.fetch(match);
    const depends = this.tab === "log" ? this.log.events : [match.moves, match.set_aside, match.score.map((one) => one.total)];
    region(this.body, [this.tab, match.id, depends, lang()], () => this[`draw_${this.tab}`](match));
  }

  choose(tab) {
    this.tab = tab;
    this.draw(this.match);
  }

  arrow(event, tab) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    this.choose(TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length]);
    this.tabs.querySelector('[aria-selected="true"]').focus();
  }

  draw_title(match) {
    const moves = [...match.moves].reverse();
    return [
      moves.length ? h("ol", { class: "moves", reversed: true }, moves.map((one) => move(match, one)))
        : h("p", { class: "muted" }, t("history.none")),
      match.set_aside.length > 0 && [h("h3", {}, t("history.aside")), h("ul", { class: "moves" }, match.set_aside.map(aside))],
    ].flat().filter(Boolean);
  }

  draw_graph(match) {
    return graph(match);
  }

  draw_log(match) {
    return h("ol", { class: "moves log", reversed: true }, [...this.log.events].reverse().map((one) => this.event(match, one)));
  }

  event(match, one) {
    const url = one.evidence ? `/api/v1/matches/${match.id}/evidence/${one.seq}` : null;
    const name = t(`event.${one.kind}`);
    const data = one.data || {};
    const played = match.moves.find((move) => move.event === one.seq);
    const text = data.violations ? data.violations.map(words).join(" ") : words(data) || (played ? words(played) : told(match, data));
    return h("li", { class: `move event-${one.kind}` }, h("span", { class: "ply muted" }, one.seq),
      h("span", { class: "what" }, h("span", {}, h("b", {}, name), text && ` · ${text}`),
        h("span", { class: "small muted" }, clock(one.time))), picture(url, `${name} ${text}`), played && correction(match, played));
  }

  async fetch(match) {
    const key = `${match.id}/${match.seq}`;
    if (this.log.key === key) return;
    this.log.key = key;
    try {
      const { events } = await matches.events(match.id);
      this.log = { key, events };
      if (this.match?.id === match.id) this.draw(this.match);
    } catch {
      this.log.key = "";
    }
  }
}
