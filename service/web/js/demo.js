// The demonstration's controls: shown when the server says that its table is simulated.

import { post } from "./api.js";
import { h, toast } from "./dom.js";
import { icon } from "./emblems.js";
import { t, words } from "./i18n.js";
import { store } from "./store.js";

const SPEEDS = [0.5, 1, 2, 4, 8];

/** Begin or steer the demonstration; once it has begun, the table is shown. */
export async function tellDemo(body) {
  try {
    await post("/demo", body); // its state is pushed; the answer may come after newer news
    if (body.game) location.hash = "#/table";
  } catch (problem) {
    toast(problem.text || String(problem), "bad");
  }
}

/** The rail, or null where there is no demonstration. */
export function drawDemo(demo) {
  if (!demo) return null;
  const playing = !demo.paused;
  const speeds = SPEEDS.includes(demo.speed) ? SPEEDS : [...SPEEDS, demo.speed].sort((a, b) => a - b);
  return h("section", { class: "demo", "aria-label": t("demo.title") },
    h("div", { class: "bar" },
      h("strong", { class: "grow" }, t("demo.title")),
      h("label", {}, t("demo.game"),
        h("select", { "data-focus": "demo-game", on: { change: (event) => tellDemo({ game: event.target.value, speed: demo.speed }) } },
          store.games.map((one) => h("option", { value: one.name, selected: one.name === demo.game }, words(one.title))))),
      h("button", { type: "button", "data-focus": "demo-play", on: { click: () => tellDemo({ paused: playing }) } },
        icon(playing ? "pause" : "play"), t(playing ? "demo.pause" : "demo.play")),
      h("button", { type: "button", "data-focus": "demo-step", on: { click: () => tellDemo({ step: true }) } }, icon("step"), t("demo.step")),
      h("label", {}, t("demo.speed"),
        h("select", { "data-focus": "demo-speed", on: { change: (event) => tellDemo({ speed: Number(event.target.value) }) } },
          speeds.map((one) => h("option", { value: one, selected: one === demo.speed }, `× ${one}`)))),
      h("label", {}, h("span", { class: "demo-step" }), h("progress", { max: 1, value: 0 })),
      h("span", { class: "demo-helped" })),
  );
}

/** What changes with every move is written into the rail as it stands: a list that somebody has opened stays open. */
export function drawProgress(node, demo) {
  const bar = node.querySelector(".demo progress");
  if (!demo || !bar) return;
  bar.max = Math.max(1, demo.steps);
  bar.value = demo.step;
  node.querySelector(".demo-step").textContent = t("demo.progress", { step: demo.step, steps: demo.steps });
  const helped = node.querySelector(".demo-helped");
  helped.textContent = demo.helped ? t("demo.helped", { n: demo.helped }) : "";
  helped.hidden = !demo.helped;
}
