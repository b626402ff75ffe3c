// The rail on top: brand, places, language, theme, voice; the demonstration's controls; connection notices.

import { drawDemo, drawProgress } from "./demo.js";
import { h, region, toast } from "./dom.js";
import { icon } from "./emblems.js";
import { lang, setLang, t } from "./i18n.js";
import { store, update } from "./store.js";
import { nextTheme, theme } from "./theme.js";
import { setVoice, voiceOn } from "./voice.js";

const top = document.getElementById("top");
const notices = document.getElementById("notices");
const ICON = { auto: "half", light: "sun", dark: "moon" };
let last = "starting";

function place(path, target, text) {
  const here = path === target.slice(1) || (target === "#/table" && path.startsWith("/match/"));
  return h("a", { href: target, "aria-current": here ? "page" : null, "data-focus": target }, text);
}

function rail(path) {
  const now = theme();
  return h("div", { class: "bar" },
    h("a", { class: "brand", href: "#/", "data-focus": "brand" },
      h("img", { src: "/art/icon.svg", alt: "", width: 37, height: 37 }), "Tapete", h("small", {}, t("tagline"))),
    h("nav", { "aria-label": t("nav.main") },
      place(path, "#/", t("nav.new")), place(path, "#/table", t("nav.table")), place(path, "#/photo", t("nav.photo"))),
    h("div", { class: "tools" },
      h("button", {
        type: "button", "aria-pressed": voiceOn() ? "true" : "false", "aria-label": t("voice"), "data-focus": "voice",
        title: t(voiceOn() ? "voice.on" : "voice.off"), on: { click: () => setVoice(!voiceOn()) },
      }, icon(voiceOn() ? "voice" : "mute")),
      h("button", {
        type: "button", "aria-label": `${t("theme")}: ${t(`theme.${now}`)}`, title: `${t("theme")}: ${t(`theme.${now}`)}`,
        "data-focus": "theme",
        on: { click: () => { nextTheme(); update({}); } },
      }, icon(ICON[now])),
      h("div", { class: "langs", role: "group", "aria-label": t("language") },
        ["es", "en"].map((one) => h("button", {
          type: "button", lang: one, "aria-pressed": lang() === one ? "true" : "false", "data-focus": `lang-${one}`,
          title: one === "es" ? "Español" : "English", on: { click: () => setLang(one) },
        }, one.toUpperCase(), h("span", { class: "visually-hidden" }, one === "es" ? " – Español" : " – English"))))),
  );
}

export function drawShell(path) {
  document.getElementById("skip").textContent = t("skip");
  const demo = store.demo;
  const fixed = demo && [demo.game, demo.paused, demo.speed, store.games.length];
  region(top, [path, theme(), lang(), voiceOn(), fixed], () => [rail(path), drawDemo(demo)]);
  drawProgress(top, demo);
  const state = store.connection;
  if (state === "open" && last === "lost") toast(t("connection.back"));
  if (state !== "starting") last = state;
  region(notices, [state, lang()], () => {
    if (state === "open") return [];
    const kind = state === "lost" ? "lost" : "wait";
    return h("p", { class: `notice ${kind}`, role: "status" }, h("span", { class: "spinner" }), t(`connection.${state}`));
  });
}
