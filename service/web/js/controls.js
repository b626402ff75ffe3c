// What the camera cannot know, as buttons. The server offers only what is legal now; the page adds nothing to that.

import { act } from "./act.js";
import { matches } from "./api.js";
import { h, region } from "./dom.js";
import { lang, t, words } from "./i18n.js";
import { cards, pattern } from "./trama.js";

/** An action with what the person filled in: into {holes} of its texts, or as keys of its own. */
export function filled(action, values) {
  const result = structuredClone(action);
  for (const [name, value] of Object.entries(values)) {
    let used = false;
    for (const [key, text] of Object.entries(result)) {
      if (typeof text === "string" && text.includes(`{${name}}`)) {
        result[key] = text.replaceAll(`{${name}}`, String(value));
        used = true;
      }
    }
    if (!used) result[name] = value;
  }
  return result;
}

function input(field) {
  const label = words(field) || field.name;
  const choices = field.choices || field.options;
  if (choices) {
    return h("label", { class: "field" }, label, h("select", { name: field.name }, choices.map((one) => {
      const value = one.value ?? one.id ?? one;
      return h("option", { value }, words(one) || String(value));
    })));
  }
  const numeric = field.type === "int" || field.type === "float";
  return h("label", { class: "field" }, label, h("input", {
    type: numeric ? "number" : "text", name: field.name, required: true, min: field.min, max: field.max,
    inputmode: numeric ? "numeric" : null, value: field.default ?? (numeric ? field.min ?? "" : ""), "data-focus": `field-${field.name}`,
  }));
}

function value(field, text) {
  return field.type === "int" || field.type === "float" ? Number(text) : text;
}

/** Who says it above what is said: `Ana: ¡Truco!`. */
function spoken(text) {
  const [by, ...rest] = text.split(": ");
  return rest.length ? h("span", { class: "said" }, h("span", { class: "by" }, by), h("span", {}, rest.join(": "))) : text;
}

export class Controls {
  constructor() {
    this.colors = null; // of Trama's cords, once they are known
    this.body = h("div", { class: "controls" });
    this.node = h("section", { class: "panel stack controls-box", "aria-label": t("controls") }, h("h2", {}, t("controls")), this.body);
  }

  draw(match) {
    this.node.hidden = !match.controls.length;
    if (match.game === "trama" && !this.colors) {
      cards().then((box) => { this.colors = box.colors; this.draw(match); }, () => {});
    }
    region(this.body, [match.id, match.controls, Boolean(this.colors), lang()], () => {
      const groups = new Map();
      for (const one of match.controls) groups.set(one.group, [...(groups.get(one.group) || []), one]);
      return [...groups].map(([group, some]) => h("div", { class: `group group-${group}` }, some.map((one) => this.control(match, one))));
    });
  }

  control(match, one) {
    const send = (action) => act(() => matches.declare(match.id, action));
    if (!one.fields.length) {
      const card = match.game === "trama" && match.position.cards?.find((some) => one.id.endsWith(some.id) && one.action.move?.endsWith(` ${some.id}`));
      return h("button", {
        class: `btn ${words(one).length > 24 ? "long" : "big"} control-${one.id}`, type: "button", "data-control": one.id, "data-focus": `control-${one.id}`,
        on: { click: () => send(one.action) },
      }, card && this.colors && pattern(card, this.colors), spoken(words(one)));
    }
    const submit = (event) => {
      event.preventDefault();
      const values = Object.fromEntries(one.fields.map((field) => [field.name, value(field, event.target.elements[field.name].value)]));
      send(filled(one.action, values));
    };
    return h("form", { class: "control-form", "data-control": one.id, on: { submit } },
      h("b", {}, words(one)), one.fields.map(input), h("button", { class: "btn main", type: "submit" }, t("declare")));
  }
}
