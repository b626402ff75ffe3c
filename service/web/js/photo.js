// Photo mode: a picture, its reading, and what it is worth. No match.

import { post } from "./api.js";
import { h, region } from "./dom.js";
import { icon } from "./emblems.js";
import { lang, number, signed, t, words } from "./i18n.js";
import { labelWords, piece } from "./pieces.js";
import { store } from "./store.js";
import { outlines } from "./tableview.js";
import { photoCards } from "./trama.js";

export function photoPage(name, main) {
  const state = { game: name || "trama", file: null, url: null, size: null, busy: false, result: null, reading: null, problem: null };
  const result = h("div", { class: "photo-result", "aria-live": "polite" });
  const picker = h("div", {});
  const drop = h("div", { class: "drop panel" });
  const chosen = { buttons: [], objective: "", open: true }; // what Trama needs besides the looms
  let turn = 0;

  /** What a photograph alone does not say. */
  function setup() {
    if (state.game !== "trama") return null;
    const looms = state.reading?.pieces.filter((one) => one.kind === "loom").length ?? 0;
    const found = {};
    if (chosen.objective) found.objective = chosen.objective;
    if (looms && chosen.buttons.some((own) => own?.length)) found.buttons = Array.from({ length: looms }, (_, i) => chosen.buttons[i] || []);
    return Object.keys(found).length ? found : null;
  }

  async function send(path, more = null) {
    const body = new FormData();
    body.append("image", state.file, state.file.name || "photo.jpg");
    body.append("game", state.game);
    if (more) body.append("setup", JSON.stringify(more));
    return post(path, body);
  }

  async function read() {
    if (!state.file) return;
    const mine = (turn += 1);
    const more = setup();
    Object.assign(state, { busy: true, problem: null });
    draw();
    let changes;
    try {
      const scored = await send("/score", more);
      changes = { result: scored, reading: scored.reading, problem: null };
    } catch (problem) {
      changes = { problem, result: null, reading: null };
      if (problem.code === "cannot_score") {
        try {
          changes.reading = await send("/read");
        } catch {
          // the refusal to score already says what is wrong
        }
      }
    }
    if (mine !== turn) return;
    Object.assign(state, { busy: false, ...changes });
    draw();
  }

  function take(file) {
    if (!file) return;
    if (state.url) URL.revokeObjectURL(state.url);
    Object.assign(state, { file, result: null, reading: null, size: null });
    chosen.buttons = [];
    state.url = URL.createObjectURL(file);
    const probe = new Image();
    probe.addEventListener("load", () => {
      state.size = [probe.naturalWidth, probe.naturalHeight];
      draw();
    });
    probe.src = state.url;
    read();
  }

  const input = (capture) => h("input", {
    type: "file", accept: "image/*", capture: capture ? "environment" : null, class: "visually-hidden", tabindex: -1, "aria-hidden": "true",
    on: { change: (event) => take(event.target.files[0]) },
  });
  const camera = input(true);
  const file = input(false);
  drop.append(camera, file,
    h("p", { class: "drop-text" }, icon("photo"), h("span", {}, t("photo.drop"))),
    h("div", { class: "row" },
      h("button", { class: "btn main big", type: "button", on: { click: () => camera.click() } }, icon("camera"), t("photo.take")),
      h("button", { class: "btn big", type: "button", on: { click: () => file.click() } }, t("photo.choose"))));
  drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over-it"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over-it"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over-it");
    take(event.dataTransfer.files[0]);
  });
  const paste = (event) => take([...(event.clipboardData?.files || [])].find((one) => one.type.startsWith("image/")));
  addEventListener("paste", paste);
  main.append(h("div", { class: "photo" }, h("header", { class: "hero" }, h("h1", {}, t("photo.title")), h("p", {}, t("photo.lead"))), picker, drop, result));

  function score(one) {
    return h("section", { class: "panel stack photo-score" },
      h("h2", { class: "row" }, h("span", { class: "grow" }, one.name || t("photo.player", { n: one.player + 1 })),
        h("span", { class: "photo-total" }, number(one.total))),
      h("table", { class: "causes" }, h("tbody", {}, one.lines.map((line) => h("tr", {},
        h("th", { scope: "row" }, words(line) || line.cause), h("td", {}, signed(line.points)))))));
  }

  function drawResult() {
    if (!state.url) return [];
    const pieces = state.reading?.pieces || [];
    const marks = pieces.map((one) => ({ corners: one.corners || boxed(one.box), kind: one.kind, label: one.label ?? "", status: (one.confidence ?? 1) < 0.6 ? "unsure" : "accepted" }));
    return [
      h("figure", { class: "photo-picture" }, h("img", { src: state.url, alt: t("photo.alt") }),
        state.size && outlines(state.size, marks, { unit: state.size[0] / Math.max(300, result.clientWidth * (innerWidth > 1000 ? 0.6 : 1)) }), state.busy && h("p", { class: "photo-busy" }, h("span", { class: "spinner" }), t("photo.reading"))),
      h("div", { class: "stack" },
        state.problem && h("div", { class: `doubt ${state.reading ? "question" : "illegal"}`, role: "alert" },
          h("h2", {}, state.reading && t("photo.noscore")), h("p", { class: "reason" }, state.problem.text)),
        (state.result?.score || []).map(score),
        state.game === "trama" && state.reading && photoCards(pieces.filter((one) => one.kind === "loom").length, chosen, () => { draw(); read(); }),
        (state.result?.notes || []).map((one) => h("p", { class: "note" }, words(one))),
        state.reading && h("section", { class: "panel stack" }, h("h2", {}, `${t("photo.pieces")} (${pieces.length})`),
          pieces.length ? h("ul", { class: "piece-list" }, pieces.map((one) => h("li", {}, piece(one.label),
            h("span", {}, labelWords(one.label) || t(`kind.${one.kind}`), " ", h("span", { class: "muted small" }, t("photo.sure", { n: Math.round((one.confidence ?? 1) * 100) }))))))
            : h("p", { class: "muted" }, t("photo.nothing")))),
    ];
  }

  function boxed(box) {
    return box ? [[box[0], box[1]], [box[2], box[1]], [box[2], box[3]], [box[0], box[3]]] : [];
  }

  function draw() {
    drop.classList.toggle("has-photo", Boolean(state.url));
    region(picker, [store.games, state.game, lang()], () => h("fieldset", { class: "stack" }, h("legend", {}, h("b", {}, t("photo.game"))),
      h("div", { class: "counts" }, store.games.map((one) => h("label", {}, h("input", {
        type: "radio", name: "photo-game", value: one.name, checked: one.name === state.game, "data-focus": `game-${one.name}`,
        on: { change: () => { Object.assign(state, { game: one.name, result: null, reading: null }); draw(); read(); } },
      }), h("span", { class: "wide-choice" }, h("img", { src: `/art/${one.name}.svg`, alt: "", width: 72, height: 44 }), words(one.title)))))));
    region(result, [state.url, state.size, state.busy, state.result, state.reading, state.problem?.text, chosen.objective, chosen.buttons, lang()], drawResult);
  }

  return {
    name: "page-photo",
    title: () => t("photo.title"),
    draw,
    leave() {
      removeEventListener("paste", paste);
      if (state.url) URL.revokeObjectURL(state.url);
    },
  };
}
