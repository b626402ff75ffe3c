// Light or dark: as the system, or as chosen here; remembered.

import { recall, remember } from "./i18n.js";

const KEY = "tapete.theme";
const NEXT = { auto: "light", light: "dark", dark: "auto" };
const system = matchMedia("(prefers-color-scheme: dark)");

export const theme = () => (recall(KEY) in NEXT ? recall(KEY) : "auto");

export function applyTheme() {
  const chosen = theme();
  const dark = chosen === "dark" || (chosen === "auto" && system.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

export function nextTheme() {
  remember(KEY, NEXT[theme()]);
  applyTheme();
}

system.addEventListener("change", applyTheme);
applyTheme();
