// A match: score, alarms and questions, the live table, the position, the controls, the history.

import { act } from "./act.js";
import { matches, put } from "./api.js";
import { cameraChoice } from "./cameras.js";
import { Controls } from "./controls.js";
import { pieceDialog } from "./correct.js";
import { dialog, h, region, toast } from "./dom.js";
import { drawDoubt } from "./doubt.js";
import { icon } from "./emblems.js";
import { drawFinished } from "./finished.js";
import { board, drawFacts } from "./facts.js";
import { History } from "./history.js";
import { lang, t, words } from "./i18n.js";
import { show } from "./live.js";
import { drawScores, drawTurn } from "./scoreboard.js";
import { gameCards } from "./start.js";
import { game, store, takeMatch } from "./store.js";
import { TableView } from "./tableview.js";

const here = (name, label) => h("section", { class: name, "aria-label": label });

export function chooseCamera(name) {
  dialog(t("camera.choose"), (close) => {
    const choice = cameraChoice(name);
    const use = async () => {
      try {
        const source = await choice.source();
        if (source !== undefined) await put("/table/camera", { source });
        close();
      } catch (problem) {
        toast(problem.text, "bad");
      }
    };
    return [
      h("div", { class: "sheet-head" }, h("h2", {}, t("camera.choose"))), choice.node,
      h("div", { class: "row" }, h("button", { class: "btn main", type: "button", on: { click: use } }, t("camera.use")),
        h("a", { class: "btn", href: "#/calibrate", on: { click: close } }, t("calibrate.title")),
        h("button", { class: "btn quiet", type: "button", on: { click: close } }, t("cancel"))),
    ];
  }, "wide");
}

export function playPage(id, main) {
  const wanted = id || null;
  let missing = false;
  let loading = false;
  const parts = {
    head: h("header", { class: "play-head" }),
    score: here("scores", t("score")),
    doubt: here("doubts", t("question")),
    turn: h("div", { class: "turn-box" }),
    facts: h("div", { class: "facts" }),
    drawing: here("drawing panel", t("drawing")),
    end: h("div", { class: "end" }),
    note: h("div", { class: "follow" }),
  };
  const view = new TableView((mark, at) => store.match && pieceDialog(store.match, mark, at), true);
  const controls = new Controls();
  const history = new History();
  const live = h("section", { class: "live-box", "aria-label": t("table.title") }, parts.note, view.node);
  const layout = h("div", { class: "play" }, parts.head, parts.end,
    h("div", { class: "side" }, parts.score, parts.doubt, parts.turn, parts.facts, controls.node, parts.drawing),
    h("div", { class: "middle" }, live, history.node));
  const exit = h("button", { class: "btn big-exit", type: "button", on: { click: () => big() } }, icon("cross"), t("score.normal"));
  layout.append(exit);
  const nothing = h("div", { class: "no-match" });
  main.append(nothing, layout);
  if (store.match && store.match.id !== wanted) store.match = null;
  const onCamera = () => chooseCamera(store.match?.game || store.games[0]?.name);
  addEventListener("tapete-camera", onCamera);
  show(wanted || store.table?.match || null, !wanted);
  load(wanted || store.table?.match);

  async function load(match) {
    if (!match || loading) return;
    loading = true;
    show(match, !wanted);
    try {
      takeMatch(await matches.state(match), match);
    } catch (problem) {
      missing = problem.status === 404;
      if (missing) draw();
    } finally {
      loading = false;
    }
  }

  function draw() {
    const match = store.match;
    layout.hidden = !match;
    nothing.hidden = Boolean(match);
    region(nothing, [Boolean(match), missing, store.games, lang()], () => (match ? [] : empty()));
    if (!match) return;
    region(parts.head, [match.id, game(match.game)?.title, match.can_undo, match.can_redo, match.status, lang()], () => head(match));
    drawScores(parts.score, match);
    drawFinished(parts.end, match);
    drawDoubt(parts.doubt, match);
    drawTurn(parts.turn, match);
    drawFacts(parts.facts, match);
    controls.draw(match);
    view.draw(match);
    history.draw(match);
    region(parts.note, [store.table?.match === match.id, match.status, lang()], () =>
      store.table && store.table.match !== match.id && match.status === "playing"
        ? h("p", { class: "row panel" }, h("span", { class: "grow" }, t("table.notfollowed")),
          h("button", { class: "btn", type: "button", on: { click: () => act(() => put("/table/match", { match: match.id })) } }, t("table.follow")))
        : []);
    region(parts.drawing, [match.id, match.seq, lang()], () => [
      h("h2", {}, t("drawing")),
      board(match) || h("img", { src: matches.drawing(match.id, match.seq, lang()), alt: t("drawing.alt") }),
    ]);
  }

  function empty() {
    if (missing) return h("p", { class: "panel" }, t("error.notfound"));
    return [h("header", { class: "hero" }, h("h1", {}, t("table.nomatch")), h("p", {}, t("table.nomatch.text"))), gameCards()];
  }

  function head(match) {
    const step = (name, possible) => h("button", {
      class: "btn", type: "button", disabled: !possible, "data-focus": name, id: `btn-${name}`,
      on: { click: () => act(() => matches[name](match.id)) },
    }, icon(name), h("span", { class: "word" }, t(name)));
    return [
      h("h1", {}, words(game(match.game)?.title) || match.game),
      h("span", { class: "chip" }, t(`status.${match.status}`)),
      h("div", { class: "row tools" }, step("undo", match.can_undo), step("redo", match.can_redo),
        h("button", { class: "btn", type: "button", "data-focus": "big", on: { click: big } }, icon("expand"),
          h("span", { class: "word" }, t("score.big"))),
        h("button", { class: "btn", type: "button", "data-focus": "camera", on: { click: onCamera } }, icon("camera"),
          h("span", { class: "word" }, t("camera.change")))),
    ];
  }

  function big() {
    const on = layout.classList.toggle("big-score");
    if (on) document.documentElement.requestFullscreen?.().catch(() => {});
    else if (document.fullscreenElement) document.exitFullscreen();
    if (on) exit.focus();
  }

  const small = () => !document.fullscreenElement && layout.classList.remove("big-score");
  document.addEventListener("fullscreenchange", small);

  const escape = (event) => {
    if (event.key === "Escape") layout.classList.remove("big-score");
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || document.querySelector("dialog[open]");
    if (typing || !store.match || !(event.ctrlKey || event.metaKey)) return;
    if (event.key === "z" && store.match.can_undo) act(() => matches.undo(store.match.id));
    if (event.key === "y" && store.match.can_redo) act(() => matches.redo(store.match.id));
  };
  addEventListener("keydown", escape);

  return {
    name: "page-play",
    title: () => words(game(store.match?.game)?.title),
    draw() {
      if (!store.match && !missing && store.table?.match && !wanted) load(store.table.match);
      draw();
    },
    leave() {
      view.stop();
      removeEventListener("tapete-camera", onCamera);
      removeEventListener("keydown", escape);
      document.removeEventListener("fullscreenchange", small);
    },
  };
}
