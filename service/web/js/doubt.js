// What stops the game: something illegal, a question, an instruction. Each with its reason and its picture.

import { act } from "./act.js";
import { matches } from "./api.js";
import { h, region } from "./dom.js";
import { icon } from "./emblems.js";
import { lang, t, words } from "./i18n.js";
import { labelWords, piece } from "./pieces.js";

/** A sentence in which no tile's name is broken at the end of a line. */
const whole = (text) => text.split(/(\d-\d-\d[,.:;]?)/).map((part, i) => (i % 2 ? h("span", { class: "nobr" }, part) : part));

const crop = (url) => url && h("img", { class: "crop", src: url, alt: t("crop.alt") });

function illegal(match, flag) {
  return h("article", { class: "doubt illegal", "data-illegal": flag.id, role: "alert" },
    h("h2", {}, icon("stop"), t("illegal")),
    h("div", { class: "doubt-body" }, crop(flag.evidence),
      h("div", { class: "stack" },
        flag.violations.map((one) => h("p", { class: "reason" }, whole(words(one)))),
        flag.nearest && h("p", {}, whole(t("illegal.nearest", { what: words(flag.nearest) }))),
        h("p", { class: "small" }, t("illegal.fix")))),
    h("div", { class: "row" }, h("button", {
      class: "btn tiny", type: "button", "data-focus": `dismiss-${flag.id}`,
      on: { click: () => act(() => matches.dismiss(match.id, flag.id)) },
    }, t("illegal.dismiss"))));
}

function question(match, asked) {
  return h("article", { class: "doubt question", "data-question": asked.id, "aria-labelledby": `text-${asked.id}` },
    h("h2", {}, icon("ask"), t("question")),
    h("div", { class: "doubt-body" }, crop(asked.crop),
      h("div", { class: "stack" }, h("p", { class: "reason", id: `text-${asked.id}` }, words(asked)),
        h("p", { class: "small" }, t("question.text")))),
    h("div", { class: "answers" }, asked.options.map((one) => h("button", {
      class: "btn answer", type: "button", "data-option": one.id, "data-focus": `${asked.id}-${one.id}`,
      on: { click: () => act(() => matches.answer(match.id, asked.id, one.id)) },
    }, piece(one.label), h("span", {}, h("b", {}, words(one) || labelWords(one.label)),
      one.probability !== null && one.probability !== undefined
        && h("span", { class: "small" }, t("question.sure", { n: Math.round(one.probability * 100) })))))));
}

export function drawDoubt(node, match) {
  region(node, [match.illegal, match.questions, match.instruction, lang()], () => [
    ...match.illegal.map((one) => illegal(match, one)),
    ...match.questions.map((one) => question(match, one)),
    match.instruction && h("article", { class: "doubt instruction", role: "status" },
      h("h2", {}, icon("hand"), t("instruction")), h("p", { class: "reason" }, words(match.instruction))),
  ]);
}
