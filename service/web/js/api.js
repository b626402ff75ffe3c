// The API: docs/api.md. A refusal becomes a Problem with its words in both languages.

import { words } from "./i18n.js";

export const BASE = "/api/v1";

export class Problem extends Error {
  constructor(body, status) {
    super(body.en || body.detail || `HTTP ${status}`);
    this.body = body;
    this.code = body.code || "http";
    this.status = status;
  }

  /** What to tell a person, with everything that is wrong. */
  get text() {
    const wrong = (this.body.violations || []).map(words).filter(Boolean);
    return wrong.length ? wrong.join(" ") : words(this.body) || this.message;
  }
}

async function answer(response) {
  const text = await response.text();
  const body = text && response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : {};
  if (!response.ok) throw new Problem(body, response.status);
  return body;
}

async function call(method, path, body) {
  const options = { method };
  if (body instanceof FormData) options.body = body;
  else if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers = { "content-type": "application/json" };
  }
  let response;
  try {
    response = await fetch(BASE + path, options);
  } catch {
    throw new Problem({ code: "offline", es: "No hay conexión con Tapete.", en: "Tapete cannot be reached." }, 0);
  }
  return answer(response);
}

export const get = (path) => call("GET", path);
export const post = (path, body = {}) => call("POST", path, body);
export const put = (path, body) => call("PUT", path, body);
export const remove = (path) => call("DELETE", path);

const of = (id) => `/matches/${encodeURIComponent(id)}`;
export const matches = {
  state: (id) => get(of(id)),
  create: (body) => post("/matches", body),
  events: (id, after = 0) => get(`${of(id)}/events?after=${after}&limit=2000`),
  moves: (id, query = "") => get(`${of(id)}/moves${query}`),
  declare: (id, action) => post(`${of(id)}/declare`, action),
  answer: (id, question, option) => post(`${of(id)}/answer`, { question, option }),
  correct: (id, event, move) => post(`${of(id)}/correct`, { event, move }),
  undo: (id) => post(`${of(id)}/undo`),
  redo: (id) => post(`${of(id)}/redo`),
  dismiss: (id, illegal) => post(`${of(id)}/dismiss`, { illegal }),
  remove: (id) => remove(of(id)),
  drawing: (id, seq, lang) => `${BASE}${of(id)}/drawing?seq=${seq}&lang=${lang}`,
  exported: (id, format) => `${BASE}${of(id)}/export?format=${format}`,
};
