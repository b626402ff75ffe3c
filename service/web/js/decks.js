// Teaching a deck: show the cards, confirm what was proposed, see what is missing. Every step is kept at once.

import { recall, remember } from "./i18n.js";

const API = "/api/v1/decks";
const SUITS = ["oros", "copas", "espadas", "bastos"];
const WORDS = {
  es: {
    other: "English", title: "Tu baraja", none: "Aún no has enseñado ninguna baraja.",
    what: "Enseña a Tapete la baraja de tu mesa: coloca las cartas boca arriba en filas, sin que se tapen, y haz fotos. Con una foto de cada carta basta; otra con distinta luz la mejora.",
    name: "Nombre de la baraja", size: "Cartas", begin: "Empezar", open: "Abrir", back: "Todas las barajas",
    look: "Mirar con la cámara", photos: "Añadir fotos…", looking: "Mirando…", reading: (n, all) => `Leyendo foto ${n} de ${all}…`,
    progress: (n, all) => `${n} de ${all} cartas`, missing: "Faltan", complete: "¡Completa! Ya puedes jugar con ella.",
    doubtful: "¿Qué carta es?", throw: "Quitar", another: "Otra…", found: (n, sure) => `${n} cartas vistas, ${sure} seguras.`,
    export: "Guardar en un archivo", remove: "Borrar", sure: "¿Borrar esta baraja y sus fotos?", lost: "Sin conexión con Tapete.",
    size40: "40 (sin ochos ni nueves)", size48: "48", size50: "50 (con comodines)", looks: (n) => `${n} fotos`,
  },
  en: {
    other: "Español", title: "Your deck", none: "You have not taught any deck yet.",
    what: "Teach Tapete the deck on your table: lay the cards face up in rows, none covering another, and take pictures. One picture of each card is enough; another in other light improves it.",
    name: "Name of the deck", size: "Cards", begin: "Begin", open: "Open", back: "All decks",
    look: "Look through the camera", photos: "Add photos…", looking: "Looking…", reading: (n, all) => `Reading photo ${n} of ${all}…`,
    progress: (n, all) => `${n} of ${all} cards`, missing: "Missing", complete: "Complete! You can play with it now.",
    doubtful: "Which card is it?", throw: "Remove", another: "Another…", found: (n, sure) => `${n} cards seen, ${sure} for sure.`,
    export: "Save as a file", remove: "Delete", sure: "Delete this deck and its pictures?", lost: "No connection to Tapete.",
    size40: "40 (no eights or nines)", size48: "48", size50: "50 (with jokers)", looks: (n) => `${n} pictures`,
  },
};
const main = document.getElementById("main");
let language = recall("tapete.language") === "en" ? "en" : "es";
let deck = null;
let busy = false;
const t = (key, ...rest) => (typeof WORDS[language][key] === "function" ? WORDS[language][key](...rest) : WORDS[language][key]);

function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

function say(text) {
  const said = document.getElementById("said");
  said.replaceChildren(el("p", {}, text));
  clearTimeout(say.timer);
  say.timer = setTimeout(() => said.replaceChildren(), 6000);
}

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(API + path, options);
  } catch {
    throw new Error(t("lost"));
  }
  if (answer.status === 204) return null;
  const body = await answer.json();
  if (!answer.ok) throw new Error(body[language] ?? body.detail ?? String(answer.status));
  return body;
}

const json = (method, body) => ({ method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
const at = (name, rest = "") => `/${encodeURIComponent(name)}${rest}`;

function act(doing) {
  return async (event) => {
    event?.preventDefault?.();
    if (busy) return;
    busy = true;
    try {
      await doing(event);
    } catch (error) {
      say(error.message);
    } finally {
      busy = false;
    }
  };
}

async function list() {
  deck = null;
  location.hash = "";
  const { decks } = await ask("");
  const name = el("input", { type: "text", id: "name", maxlength: 40, required: true, autocomplete: "off" });
  const size = el("select", { id: "size" }, ...[40, 48, 50].map((n) => el("option", { value: n }, t(`size${n}`))));
  main.replaceChildren(
    el("h1", {}, t("title")),
    el("p", {}, t("what")),
    el("form", { class: "deck-panel", onsubmit: act(async () => show(await ask("", json("POST", { name: name.value.trim(), size: Number(size.value) })))) },
      el("div", { class: "deck-row" },
        el("label", { for: "name" }, t("name")), name, el("label", { for: "size" }, t("size")), size,
        el("button", { class: "deck-button main", type: "submit", id: "begin" }, t("begin")))),
    ...(decks.length ? decks.map(card) : [el("p", {}, t("none"))]),
  );
}

function card(entry) {
  const known = Object.keys(entry.known).length;
  return el("section", { class: "deck-panel" },
    el("h2", {}, entry.name),
    el("p", {}, t("progress", known, known + entry.missing.length)),
    el("div", { class: "deck-row" }, el("button", { class: "deck-button", type: "button", onclick: () => show(entry) }, t("open"))));
}

function bar(progress) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 100 1");
  svg.setAttribute("preserveAspectRatio", "none");
  const rect = document.createElementNS(space, "rect");
  rect.setAttribute("width", String(100 * progress));
  rect.setAttribute("height", "1");
  svg.append(rect);
  return el("div", { class: "deck-bar", role: "progressbar", "aria-label": t("title"), "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": Math.round(100 * progress) }, svg);
}

function suits(entry) {
  const wanted = new Set([...entry.missing, ...Object.keys(entry.known)]);
  const rows = SUITS.map((suit) => el("div", { class: "deck-suit" },
    el("b", {}, suit),
    ...Array.from({ length: 12 }, (_, n) => `${n + 1}-${suit}`).filter((label) => wanted.has(label)).map((label) => {
      const count = entry.known[label] ?? 0;
      return el("span", { class: count ? "known" : "", title: count ? t("looks", count) : t("missing") }, label.split("-")[0], count ? " ✓" : "");
    })));
  return el("div", { class: "deck-suits" }, ...rows);
}

function doubt(look) {
  const crop = `${API}${at(deck.name, `/looks/${look.id}/crop`)}`;
  const decide = (label) => act(async () => show(await ask(at(deck.name, `/looks/${look.id}`), json("PUT", { label }))));
  const labels = [look.label, ...look.alternatives.map(([label]) => label)].filter((label, n, all) => label && all.indexOf(label) === n);
  const all = [...SUITS.flatMap((suit) => Array.from({ length: 12 }, (_, n) => `${n + 1}-${suit}`)), "comodin"];
  const other = el("select", { "aria-label": t("another"), onchange: (event) => event.target.value && decide(event.target.value)() },
    el("option", { value: "" }, t("another")), ...all.map((label) => el("option", { value: label }, label.replace("-", " "))));
  return el("div", { class: "deck-look", "data-look": look.id },
    el("img", { src: crop, alt: "" }),
    el("div", { class: "choices" },
      ...labels.map((label) => el("button", { class: "deck-button", type: "button", onclick: decide(label) }, label.replace("-", " "))),
      other,
      el("button", { class: "deck-button bad", type: "button", onclick: decide(null) }, t("throw"))));
}

function show(entry) {
  deck = entry;
  location.hash = encodeURIComponent(entry.name);
  const known = Object.keys(entry.known).length;
  const doubtful = entry.looks.filter((look) => look.state === "proposed");
  const files = el("input", { type: "file", id: "files", accept: "image/*", multiple: true, hidden: true, onchange: act(upload) });
  main.replaceChildren(
    el("div", { class: "deck-row" }, el("button", { class: "deck-button", type: "button", onclick: act(list) }, "← ", t("back"))),
    el("h1", {}, entry.name),
    el("section", { class: "deck-panel" },
      bar(entry.progress),
      el("p", {}, entry.missing.length ? t("progress", known, known + entry.missing.length) : t("complete")),
      suits(entry),
      el("div", { class: "deck-row" },
        el("button", { class: "deck-button main", type: "button", id: "look", onclick: act(look) }, t("look")),
        el("button", { class: "deck-button", type: "button", onclick: () => files.click() }, t("photos")),
        files)),
    doubtful.length ? el("section", { class: "deck-panel" }, el("h2", {}, t("doubtful")), el("div", { class: "deck-looks" }, ...doubtful.map(doubt))) : "",
    el("div", { class: "deck-row" },
      el("a", { class: "deck-button", href: `${API}${at(entry.name, "/export")}`, download: `${entry.name}.zip` }, t("export")),
      el("button", { class: "deck-button bad", type: "button", onclick: act(remove) }, t("remove"))),
  );
}

function taught(answer) {
  const sure = answer.found.filter((look) => look.state === "confirmed").length;
  show(answer.deck);
  say(t("found", answer.found.length, sure));
}

async function look() {
  say(t("looking"));
  taught(await ask(at(deck.name, "/look"), { method: "POST" }));
}

async function upload(event) {
  const files = [...event.target.files];
  const errors = [];
  for (const [number, file] of files.entries()) {
    say(t("reading", number + 1, files.length));
    const form = new FormData();
    form.append("image", file);
    try {
      taught(await ask(at(deck.name, "/pictures"), { method: "POST", body: form }));
    } catch (error) {
      errors.push(`${file.name}: ${error.message}`);
    }
  }
  if (errors.length) say(errors.join(" · "));
}

async function remove() {
  if (!confirm(t("sure"))) return;
  await ask(at(deck.name), { method: "DELETE" });
  await list();
}

async function start() {
  document.documentElement.lang = language;
  document.getElementById("language").textContent = t("other");
  const wanted = decodeURIComponent(location.hash.slice(1));
  try {
    if (wanted) show(await ask(at(wanted)));
    else await list();
  } catch (error) {
    say(error.message);
    if (wanted) await list().catch(() => {});
  }
}

document.getElementById("language").onclick = () => {
  language = language === "es" ? "en" : "es";
  remember("tapete.language", language);
  start();
};
start();
