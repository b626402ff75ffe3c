// The start: the games, the saved matches, and the set-up of a new one.

import { matches, put } from "./api.js";
import { cameraChoice } from "./cameras.js";
import { tellDemo } from "./demo.js";
import { h, region, toast } from "./dom.js";
import { emblem, icon } from "./emblems.js";
import { lang, moment, recall, remember, t, words } from "./i18n.js";
import { game, store } from "./store.js";
import { tableCards } from "./trama.js";

const NAMES = "tapete.names";
const CARDS = new Set(["truco", "trichon"]);

function howMany(counts) {
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  if (low === high) return t("players.exact", { n: low });
  if (counts.length === high - low + 1) return t("players.many", { low, high });
  if (counts.length > 3) return t("players.many", { low, high });
  return t("players.list", { list: counts.join(" / ") });
}

function card(href, picture, title, text, more) {
  return h("li", { class: `to-${picture}` }, h("a", { class: "game-card", href, "data-focus": href },
    h("img", { src: `/art/${picture}.svg`, alt: "", width: 360, height: 220 }),
    h("div", {}, h("h2", {}, title), h("p", {}, text), more && h("p", { class: "muted small" }, more))));
}

function line(match) {
  const here = store.table?.match === match.id;
  const target = here ? "#/table" : `#/match/${match.id}`;
  return h("li", { class: "panel match-line" },
    h("img", { src: `/art/${match.game}.svg`, alt: "", width: 74, height: 45 }),
    h("span", { class: "who" },
      h("b", {}, `${words(game(match.game)?.title) || match.game} · ${match.players.join(", ")}`),
      h("span", { class: "small muted" }, `${moment(match.created)} · ${t(`status.${match.status}`)}`,
        here && h("b", {}, ` · ${t("start.ontable")}`))),
    h("span", { class: "totals" }, match.totals.join(" – ")),
    h("a", { class: "btn", href: target, "data-focus": `open-${match.id}` }, t("start.open")),
    h("button", {
      class: "btn quiet", type: "button", "aria-label": `${t("start.delete")}: ${match.players.join(", ")}`,
      "data-focus": `delete-${match.id}`, on: { click: () => forget(match) },
    }, icon("cross")));
}

async function forget(match) {
  if (!confirm(t("start.delete.sure"))) return;
  try {
    await matches.remove(match.id);
  } catch (problem) {
    toast(problem.text, "bad");
  }
}

/** The games to choose from, and the photograph without a match. */
export function gameCards() {
  return h("ul", { class: "games" },
    store.games.map((one) =>
      card(`#/new/${one.name}`, one.name, words(one.title), t(`about.${one.name}`), howMany(one.players))),
    card("#/photo", "photo", t("start.photo.title"), t("start.photo.text"), ""),
    card("#/demo", "demo", t("start.demo.title"), t("start.demo.text"), ""));
}

/** Whoever has no pieces and no camera at hand watches a game: the first one there is, the rail offers the others. */
export function demoPage() {
  tellDemo({ game: store.demo?.game ?? "triominos" });
  return { name: "page-demo", draw: (node) => region(node, [lang()], () => h("p", { class: "notice wait", role: "status" }, h("span", { class: "spinner" }), t("start.demo.wait"))) };
}

export function startPage() {
  return {
    name: "page-start",
    draw(node) {
      region(node, [lang(), store.games, store.matches, store.table?.match], () => [
        h("header", { class: "hero" }, h("h1", {}, t("start.title")), h("p", {}, t("start.lead"))),
        gameCards(),
        h("section", { class: "section" },
          h("h2", {}, t("start.recent")),
          store.matches.length
            ? h("ul", { class: "matches" }, store.matches.slice(0, 30).map(line))
            : h("p", { class: "muted" }, t("start.none"))),
        h("section", { class: "section" },
          h("h2", {}, t("start.stream")),
          h("p", { class: "muted" }, `${t("start.stream.text")} `,
            h("a", { href: `/overlay?lang=${lang()}`, target: "_blank", rel: "noopener", "data-focus": "overlay" }, `${location.origin}/overlay`))),
      ]);
    },
  };
}

function option(info, one) {
  const name = `option-${one.name}`;
  if (one.type === "bool") {
    return h("label", { class: "check" },
      h("input", { type: "checkbox", name, checked: one.default === true }), h("span", {}, words(one)));
  }
  if (one.choices) {
    return h("label", { class: "field" }, words(one), h("select", { name }, one.choices.map((choice) =>
      h("option", { value: choice, selected: choice === one.default }, t(`choice.${choice}`)))));
  }
  const number = one.type === "int" || one.type === "float";
  return h("label", { class: "field" }, words(one),
    h("input", { type: number ? "number" : "text", name, step: one.type === "float" ? "any" : 1, value: one.default }));
}

/** Only what differs from the usual is sent. */
function chosenOptions(info, form) {
  const result = {};
  for (const one of info.options) {
    const input = form.elements[`option-${one.name}`];
    let value = input.value;
    if (one.type === "bool") value = input.checked;
    else if (one.type === "int" || one.type === "float") value = Number(input.value);
    if (value !== one.default) result[one.name] = value;
  }
  return result;
}

function keptNames() {
  try {
    const names = JSON.parse(recall(NAMES) || "[]");
    return Array.isArray(names) ? names.map(String) : [];
  } catch {
    return [];
  }
}

function nameFields(info, count) {
  const kept = keptNames();
  return Array.from({ length: count }, (_, i) => {
    const label = info.teams && count > 2 ? t("new.name.team", { n: i + 1, team: (i % 2) + 1 }) : t("new.name", { n: i + 1 });
    return h("div", { class: "name" }, emblem(info.teams ? i % 2 : i),
      h("label", { class: "field" }, label, h("input", {
        type: "text", name: `player-${i}`, maxlength: 40, autocomplete: "off", value: kept[i] || "",
        placeholder: t("new.default", { n: i + 1 }),
      })));
  });
}

/** What a table must say at the start and no camera sees: who deals first, or who begins. */
const FIRST = { truco: ["dealer", "new.dealer"], trichon: ["first", "new.first"] };

function firstSeat(info, count) {
  if (!FIRST[info.name]) return [];
  return [h("fieldset", {}, h("legend", { class: "small muted" }, t(FIRST[info.name][1])),
    h("div", { class: "counts" }, Array.from({ length: count }, (_, i) => h("label", {},
      h("input", { type: "radio", name: "seat", value: i, checked: i === 0, "aria-label": t("new.name", { n: i + 1 }) }),
      h("span", { "aria-hidden": "true" }, emblem(info.teams ? i % 2 : i), i + 1)))))];
}

export function newPage(name, main) {
  let built = false;
  let choice = null;
  let cards = null;

  function build(info) {
    const names = h("div", { class: "names" }, nameFields(info, info.players[0]));
    const first = h("div", {}, firstSeat(info, info.players[0]));
    const counts = info.players.length > 1 && h("fieldset", {}, h("legend", { class: "small muted" }, t("new.count")),
      h("div", { class: "counts" }, info.players.map((count, i) => h("label", {},
        h("input", {
          type: "radio", name: "count", value: count, checked: i === 0, "aria-label": t("players.exact", { n: count }),
          on: { change: () => { names.replaceChildren(...nameFields(info, count)); first.replaceChildren(...firstSeat(info, count)); } },
        }), h("span", { "aria-hidden": "true" }, count)))));
    choice = cameraChoice(info.name);
    cards = info.name === "trama" ? tableCards() : null;
    const form = h("form", { on: { submit: (event) => begin(event, info, form) } },
      h("section", { class: "panel stack" }, h("h2", {}, t("new.players")), counts, names,
        h("p", { class: "small muted" }, t("new.seat0")), first),
      h("section", { class: "panel stack" }, h("h2", {}, t("new.options")),
        h("p", { class: "small muted" }, t("new.options.text")), info.options.map((one) => option(info, one))),
      cards && h("section", { class: "panel stack wide" }, h("h2", {}, t("trama.cards")), cards.node),
      h("section", { class: "panel stack wide" }, h("h2", {}, t("new.camera")), choice.node,
        CARDS.has(info.name) && h("p", {}, h("a", { href: "/decks" }, t("new.decks")))),
      h("div", { class: "row wide" }, h("button", { class: "btn main big", type: "submit" }, t("new.begin")),
        h("a", { class: "btn quiet", href: "#/" }, t("back"))));
    main.append(h("div", { class: "setup" },
      h("div", { class: "setup-head" }, h("img", { src: `/art/${info.name}.svg`, alt: "", width: 120, height: 73 }),
        h("h1", {}, t("new.title", { game: words(info.title) }))), form));
  }

  async function begin(event, info, form) {
    event.preventDefault();
    const inputs = [...form.querySelectorAll('[name^="player-"]')];
    const players = inputs.map((input, i) => input.value.trim() || t("new.default", { n: i + 1 }));
    remember(NAMES, JSON.stringify(inputs.map((input) => input.value.trim())));
    try {
      const source = await choice.source();
      if (source !== undefined) await put("/table/camera", { source });
      if (source?.startsWith("demo:")) { // a simulated table brings its own players
        location.hash = "#/table";
        return;
      }
      const seat = FIRST[info.name] ? { [FIRST[info.name][0]]: Number(form.elements.seat.value) } : {};
      const setup = { ...seat, ...cards?.setup() };
      const state = await matches.create({ game: info.name, players, options: chosenOptions(info, form), setup });
      const fresh = source !== undefined && source !== null;
      location.hash = fresh && !store.table?.calibration ? "#/calibrate" : state.id ? "#/table" : "#/";
    } catch (problem) {
      toast(problem.text || String(problem), "bad");
    }
  }

  return {
    name: "page-new",
    title: () => words(game(name)?.title),
    draw() {
      const info = game(name);
      if (built || !info) return;
      built = true;
      build(info);
    },
    leave: () => choice?.stop(),
  };
}
