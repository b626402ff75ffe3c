// Putting right what was read or noted wrongly: a past move, or a piece on the table.

import { act } from "./act.js";
import { matches } from "./api.js";
import { dialog, h, toast } from "./dom.js";
import { icon } from "./emblems.js";
import { t, words } from "./i18n.js";
import { picker } from "./picker.js";
import { labelWords, piece } from "./pieces.js";
import { store, takeMatch } from "./store.js";

function head(title, close) {
  return h("div", { class: "sheet-head" }, h("h2", {}, title),
    h("button", { class: "btn quiet", type: "button", "aria-label": t("close"), on: { click: close } }, icon("cross")));
}

/** The name of the piece in a move's notation: a tile, a card, or a circuit card as its eyes name it. */
function labelIn(move) {
  const lines = /=([NESW]{2})\/([NESW]{2})/.exec(move);
  return lines ? `g${lines[1]}p${lines[2]}` : /(\d-\d-\d|\d+-(?:oros|copas|espadas|bastos))/.exec(move)?.[1];
}

/** How much two moves have in common: the likely corrections come first. */
function alike(a, b) {
  const bits = (text) => text.split(/[\s@=,/-]+/);
  const mine = new Set(bits(a));
  return bits(b).reduce((sum, bit) => sum + (mine.has(bit) ? 1 : 0), 0) - Math.abs(a.length - b.length) * 0.05;
}

async function change(match, event, move, close) {
  try {
    const { state, changes } = await matches.correct(match.id, event, move);
    takeMatch(state, state.id);
    toast(t("correct.done", { what: words(changes) }));
    close();
  } catch (problem) {
    toast(problem.text || String(problem), "bad");
  }
}

/** What a past move really was: from the legal moves of that moment, written, or never played. */
export function correctDialog(match, move) {
  dialog(t("correct.title"), (close) => {
    const list = h("ul", { class: "suggestions" });
    const find = h("input", { type: "text", "aria-label": t("correct.find"), placeholder: t("correct.find"), autocomplete: "off" });
    const write = h("input", { type: "text", value: move.move, "aria-label": t("correct.write"), spellcheck: "false", autocomplete: "off" });
    let options = [];
    let alone = new Map(); // how many of the moves are said in the same words
    const show = () => {
      const wanted = find.value.toLowerCase().split(/\s+/).filter(Boolean);
      const fit = options.filter((one) => wanted.every((bit) => `${one.move} ${words(one)}`.toLowerCase().includes(bit))).slice(0, 24);
      list.replaceChildren(...(fit.length ? fit.map((one) => h("li", {}, h("button", {
        class: "btn suggestion", type: "button", "data-move": one.move, on: { click: () => change(match, move.event, one.move, close) },
      }, piece(labelIn(one.move)), h("span", {}, words(one), alone.get(words(one)) > 1 && h("code", {}, one.move)))))
        : [h("li", { class: "muted" }, t("correct.none"))]));
    };
    find.addEventListener("input", show);
    matches.moves(match.id, `?before=${move.event}&limit=2000`).then(({ moves }) => {
      options = moves.filter((one) => one.move !== move.move)
        .map((one) => ({ ...one, near: alike(move.move, one.move) })).sort((a, b) => b.near - a.near);
      alone = options.reduce((seen, one) => seen.set(words(one), (seen.get(words(one)) || 0) + 1), new Map());
      show();
    }, () => show());
    return [
      head(t("correct.title"), close),
      h("div", { class: "stack" },
        h("p", {}, t("correct.was", { what: words(move) })),
        move.evidence && h("img", { class: "evidence-large low", src: move.evidence, alt: t("crop.alt") }),
        find, list,
        h("p", {}, h("button", { class: "btn bad", type: "button", "data-strike": move.event, on: { click: () => change(match, move.event, null, close) } },
          icon("cross"), t("correct.strike"))),
        h("details", {}, h("summary", {}, t("correct.write")),
          h("form", { class: "row", on: { submit: (event) => { event.preventDefault(); change(match, move.event, write.value.trim(), close); } } },
            h("span", { class: "grow" }, write), h("button", { class: "btn", type: "submit" }, t("correct.apply"))))),
    ];
  });
}

/** A piece that was tapped: what else it could be, or the move that laid it. */
export function pieceDialog(match, mark, at) {
  const seen = store.table?.state?.pieces.find((one) => {
    const x = one.corners.reduce((sum, corner) => sum + corner[0], 0) / one.corners.length;
    const y = one.corners.reduce((sum, corner) => sum + corner[1], 0) / one.corners.length;
    return Math.hypot(x - at[0], y - at[1]) < 12;
  });
  const others = (seen?.alternatives || []).slice(0, 5);
  const laid = [...match.moves].reverse().find((one) => mark.label && one.source !== "declared" && sameTile(one.move, mark.label));
  dialog(t("piece.title"), (close) => {
    const say = async (label) => {
      const done = await act(() => matches.declare(match.id, { call: "reading", at, label }));
      if (!done) return;
      toast(t("piece.done", { label: labelWords(label) }));
      close();
    };
    const pick = picker(mark.kind, mark.label, say);
    return [
      head(t("piece.title"), close),
      h("div", { class: "stack" },
        h("p", { class: "row" }, piece(mark.label), h("span", {}, seen
          ? t("piece.read", { label: labelWords(mark.label) || t(`kind.${mark.kind}`), n: Math.round((seen.confidence ?? 1) * 100) })
          : labelWords(mark.label))),
        others.length > 0 && h("div", { class: "answers" }, others.map((one) => h("button", {
          class: "btn answer", type: "button", on: { click: () => say(one.label) },
        }, piece(one.label), h("span", {}, h("b", {}, labelWords(one.label)), h("span", { class: "small" }, t("question.sure", { n: Math.round(one.probability * 100) })))))),
        laid && h("p", {}, h("button", { class: "btn", type: "button", on: { click: () => { close(); correctDialog(match, laid); } } }, t("piece.event"))),
        pick && [h("h3", {}, t("piece.write")), pick]),
    ];
  });
}

/** Whether a move lays this piece, however it was turned. */
function sameTile(move, label) {
  if (move.includes(label)) return true;
  const tile = /(\d)-(\d)-(\d)/.exec(move);
  if (!tile) return false;
  const [a, b, c] = tile.slice(1);
  return [`${a}-${b}-${c}`, `${b}-${c}-${a}`, `${c}-${a}-${b}`].includes(label);
}
