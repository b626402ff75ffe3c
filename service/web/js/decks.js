// Teaching a deck (or tiles, cords, circuits): show the pieces, confirm what was proposed, see what is missing. Every step is kept at once.

import { recall, remember } from "./i18n.js";
import "./theme.js";
import { COLORS, KINDS, KIND_WORDS } from "./deckkinds.js";

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
    kind: "Qué es", use: "Jugar con esto", unuse: "Dejar de jugar con esto", inuse: "en uso", backs: "Añadir foto de los reversos…",
    taken: (n) => `Lo ya aprendido (${n}): corrige lo que esté mal`, damaged: "Sus archivos están dañados: bórrala y enséñala otra vez.",
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
    kind: "What it is", use: "Play with this", unuse: "No longer play with this", inuse: "in use", backs: "Add a photo of the backs…",
    taken: (n) => `What was learnt (${n}): put right what is wrong`, damaged: "Its files are damaged: delete it and teach it again.",
  },
};
const main = document.getElementById("main");
let language = recall("tapete.language") === "en" ? "en" : "es";
let deck = null;
let busy = false;
const k = (kind, key, ...rest) => { // a word that depends on what is taught
  const word = KIND_WORDS[language][kind][key] ?? WORDS[language][key];
  return typeof word === "function" ? word(...rest) : word;
};
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
  const { decks, damaged } = await ask("");
  const name = el("input", { type: "text", id: "name", maxlength: 40, required: true, autocomplete: "off" });
  const size = el("select", { id: "size" }, ...[40, 48, 50].map((n) => el("option", { value: n }, t(`size${n}`))));
  const sized = el("span", { class: "deck-row" }, el("label", { for: "size" }, t("size")), size);
  const what = el("p", { id: "what" }, t("what"));
  const kind = el("select", { id: "kind", onchange: () => { sized.hidden = kind.value !== "cards"; what.textContent = k(kind.value, "what"); } },
    ...KINDS.map((one) => el("option", { value: one }, k(one, "kind"))));
  main.replaceChildren(
    el("h1", {}, t("title")),
    what,
    el("form", { class: "deck-panel", onsubmit: act(async () => show(await ask("", json("POST", { name: name.value.trim(), size: Number(size.value), kind: kind.value })))) },
      el("div", { class: "deck-row" },
        el("label", { for: "kind" }, t("kind")), kind, el("label", { for: "name" }, t("name")), name, sized,
        el("button", { class: "deck-button main", type: "submit", id: "begin" }, t("begin")))),
    ...damaged.map((broken) => el("section", { class: "deck-panel" }, el("h2", {}, broken), el("p", {}, t("damaged")),
      el("div", { class: "deck-row" }, el("button", { class: "deck-button bad", type: "button", onclick: act(() => forget(broken)) }, t("remove"))))),
    ...(decks.length ? decks.map(card) : [el("p", {}, t("none"))]),
  );
}

function state(entry) {
  if (entry.kind === "tronix") return k("tronix", "progress", entry.learnt.cards, entry.learnt.backs);
  const known = Object.keys(entry.known).length;
  return entry.missing.length ? k(entry.kind, "progress", known, known + entry.missing.length) : k(entry.kind, "complete");
}

function card(entry) {
  return el("section", { class: "deck-panel" },
    el("h2", {}, entry.name),
    el("p", {}, k(entry.kind, "kind"), ": ", state(entry), entry.in_use ? ` · ${t("inuse")}` : ""),
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

function pieces(entry) {
  if (entry.kind === "cards") return suits(entry);
  if (entry.kind === "trama") return cords(entry);
  const labels = [...new Set([...Object.keys(entry.known), ...entry.missing])].sort();
  return el("div", { class: "deck-labels" }, ...labels.map((label) => {
    const count = entry.known[label] ?? 0;
    return el("span", { class: count ? "known" : "", title: count ? t("looks", count) : t("missing") }, label, count ? " ✓" : "");
  }));
}

function cords(entry) {
  return el("div", { class: "deck-labels" }, ...COLORS.map((color) => {
    const rgb = entry.learnt.colors[color];
    const swatch = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    swatch.setAttribute("viewBox", "0 0 1 1");
    const fill = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    fill.setAttribute("width", "1");
    fill.setAttribute("height", "1");
    fill.setAttribute("fill", rgb ? `rgb(${rgb.map(Math.round).join(",")})` : "none");
    swatch.append(fill);
    return el("span", { class: rgb ? "known" : "" }, swatch, ` ${color}`, rgb ? " ✓" : "");
  }));
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
  const cards = [...SUITS.flatMap((suit) => Array.from({ length: 12 }, (_, n) => `${n + 1}-${suit}`)), "comodin"];
  const all = deck.kind === "cards" ? cards : [...new Set([...deck.missing, ...Object.keys(deck.known)])].sort();
  const shown = (label) => (deck.kind === "cards" ? label.replace("-", " ") : label);
  const other = el("select", { "aria-label": t("another"), onchange: (event) => event.target.value && decide(event.target.value)() },
    el("option", { value: "" }, t("another")), ...all.map((label) => el("option", { value: label }, shown(label))));
  return el("div", { class: "deck-look", "data-look": look.id },
    el("img", { src: crop, alt: "" }),
    el("div", { class: "choices" },
      ...labels.map((label) => el("button", { class: "deck-button", type: "button", onclick: decide(label) }, shown(label))),
      other,
      el("button", { class: "deck-button bad", type: "button", onclick: decide(null) }, t("throw"))));
}

function show(entry) {
  deck = entry;
  location.hash = encodeURIComponent(entry.name);
  const doubtful = entry.looks.filter((look) => look.state === "proposed");
  const files = el("input", { type: "file", id: "files", accept: "image/*", multiple: true, hidden: true, onchange: act(upload) });
  const backs = el("input", { type: "file", id: "backs", accept: "image/*", hidden: true, onchange: act((event) => upload(event, true)) });
  const taken = entry.looks.filter((look) => look.state === "confirmed");
  main.replaceChildren(
    el("div", { class: "deck-row" }, el("button", { class: "deck-button", type: "button", onclick: act(list) }, "← ", t("back"))),
    el("h1", {}, entry.name),
    el("section", { class: "deck-panel" },
      bar(entry.progress),
      el("p", {}, state(entry)),
      el("p", {}, k(entry.kind, "what")),
      pieces(entry),
      el("div", { class: "deck-row" },
        el("button", { class: "deck-button main", type: "button", id: "look", onclick: act(look) }, t("look")),
        el("button", { class: "deck-button", type: "button", onclick: () => files.click() }, t("photos")),
        entry.kind === "tronix" && entry.learnt.backs < entry.learnt.cards
          ? el("button", { class: "deck-button", type: "button", onclick: () => backs.click() }, t("backs")) : "",
        files, backs)),
    doubtful.length ? el("section", { class: "deck-panel" }, el("h2", {}, k(entry.kind, "doubtful")), el("div", { class: "deck-looks" }, ...doubtful.map(doubt))) : "",
    taken.length && entry.kind !== "cards" ? el("details", { class: "deck-panel" }, el("summary", {}, t("taken", taken.length)), el("div", { class: "deck-looks" }, ...taken.map(doubt))) : "",
    el("div", { class: "deck-row" },
      entry.kind === "cards" ? "" : el("button", { class: "deck-button", type: "button", id: "use", "aria-pressed": String(entry.in_use), onclick: act(use) }, t(entry.in_use ? "unuse" : "use")),
      el("a", { class: "deck-button", href: `${API}${at(entry.name, "/export")}`, download: `${entry.name}.zip` }, t("export")),
      el("button", { class: "deck-button bad", type: "button", onclick: act(remove) }, t("remove"))),
  );
}

function taught(answer) {
  const sure = answer.found.filter((look) => look.state === "confirmed").length;
  show(answer.deck);
  say(k(answer.deck.kind, "found", answer.found.length, sure));
}

async function look() {
  say(t("looking"));
  taught(await ask(at(deck.name, "/look"), { method: "POST" }));
}

async function upload(event, backs = false) {
  const files = [...event.target.files];
  const errors = [];
  for (const [number, file] of files.entries()) {
    say(t("reading", number + 1, files.length));
    const form = new FormData();
    form.append("image", file);
    if (backs === true) form.append("backs", "true");
    try {
      taught(await ask(at(deck.name, "/pictures"), { method: "POST", body: form }));
    } catch (error) {
      errors.push(`${file.name}: ${error.message}`);
    }
  }
  if (errors.length) say(errors.join(" · "));
}

async function use() {
  show(await ask(at(deck.name, "/use"), json("PUT", { use: !deck.in_use })));
}

async function forget(name) {
  if (!confirm(t("sure"))) return;
  await ask(at(name), { method: "DELETE" });
  await list();
}

const remove = () => forget(deck.name);

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
