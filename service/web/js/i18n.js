// Spanish and English; the choice is remembered. Sentences of the server come in both languages: `words` picks one.

import { en } from "./words-en.js";
import { es } from "./words-es.js";

const ALL = { es, en };
const KEY = "tapete.language";

function first() {
  const kept = recall(KEY);
  if (kept in ALL) return kept;
  return navigator.languages?.some((tag) => tag.toLowerCase().startsWith("es")) ? "es" : "en";
}

/** What this browser remembers (nothing, where it keeps nothing). */
export function recall(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // a private window: the choice lasts as long as the page
  }
}

let language = first();
document.documentElement.lang = language;

export const lang = () => language;

/** Change the language; `keep` remembers it. */
export function setLang(next, keep = true) {
  language = next in ALL ? next : "en";
  if (keep) remember(KEY, language);
  document.documentElement.lang = language;
  dispatchEvent(new Event("tapete-language"));
}

/** A sentence by its key, with {holes} filled in. */
export function t(key, holes = {}) {
  const text = ALL[language][key] ?? ALL.en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (hole, name) => (name in holes ? holes[name] : hole));
}

/** One of two sentences by number: t2("tile", 3) looks up tile.one or tile.many. */
export const tn = (key, n, holes = {}) => t(`${key}.${n === 1 ? "one" : "many"}`, { n, ...holes });

/** The server's words in the chosen language. */
export const words = (both) => (both && (both[language] || both.en || both.es)) || "";

export const number = (value) => new Intl.NumberFormat(language).format(value).replace("-", "−");
export const signed = (value) => (value > 0 ? `+${value}` : `${value}`.replace("-", "−"));
export const moment = (seconds) =>
  new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(seconds * 1000));
export const clock = (seconds) =>
  new Intl.DateTimeFormat(language, { timeStyle: "medium" }).format(new Date(seconds * 1000));
