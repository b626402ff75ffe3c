// The page: which part of it is shown (by the address after #), and what surrounds it.

import { get } from "./api.js";
import { calibratePage } from "./calibrate.js";
import { h, region } from "./dom.js";
import { t } from "./i18n.js";
import { connect, show } from "./live.js";
import { photoPage } from "./photo.js";
import { playPage } from "./play.js";
import { drawShell } from "./shell.js";
import { demoPage, newPage, startPage } from "./start.js";
import { store, subscribe, update } from "./store.js";
import "./theme.js";
import { startVoice } from "./voice.js";

const PAGES = [
  [/^\/?$/, startPage],
  [/^\/new\/(\w+)$/, newPage],
  [/^\/match\/(m_\w+)$/, playPage],
  [/^\/table$/, playPage],
  [/^\/demo$/, demoPage],
  [/^\/calibrate$/, calibratePage],
  [/^\/photo(?:\/(\w+))?$/, photoPage],
];

const main = document.getElementById("main");
let page = null;

function lostPage() {
  return { draw: (node) => region(node, ["lost"], () => h("p", { class: "panel" }, t("error.page"))) };
}

/** Leave the old page and set up the one that the address names. */
function turn(focus = true) {
  const path = decodeURIComponent(location.hash.slice(1)) || "/";
  page?.leave?.();
  main.replaceChildren();
  const [pattern, make] = PAGES.find(([one]) => one.test(path)) || [null, lostPage];
  const wanted = pattern ? pattern.exec(path)[1] : undefined;
  show(null, path === "/table");
  page = make(wanted, main);
  main.className = page.name || "";
  if (focus) {
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  draw();
}

function draw() {
  drawShell(location.hash.slice(1) || "/");
  page?.draw(main);
  document.title = page?.title ? `${page.title()} · Tapete` : "Tapete";
}

addEventListener("hashchange", () => turn());
addEventListener("tapete-language", () => turn(false));
subscribe(draw);

async function begin() {
  try {
    update({ games: await get("/games") });
  } catch {
    setTimeout(begin, 1500);
  }
}

startVoice();
turn(false);
begin();
connect();

// A demonstration begins on the table, not at the choice of games.
const stop = subscribe(() => {
  if (store.connection !== "open" || !store.table) return;
  stop();
  if (store.demo && store.table.match && !location.hash) location.hash = "#/table";
});
