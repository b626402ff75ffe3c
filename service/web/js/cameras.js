// The choice of a camera: every one found with its picture, a simulated table, an address, none.

import { BASE, Problem, get } from "./api.js";
import { h } from "./dom.js";
import { icon } from "./emblems.js";
import { playFile } from "./filecamera.js";
import { t } from "./i18n.js";
import { store } from "./store.js";

let count = 0;

const SOON = 700; // milliseconds to the next picture of the camera in use,
const LATER = 2500; // and of another one, which has to be opened each time

/** A small live picture: it is fetched again and again while it is shown. */
function thumbnail(camera) {
  const face = h("span", { class: "thumb" }, icon("camera"));
  const used = () => store.table?.camera.source === camera.source && store.table.camera.status === "ok";
  if (camera.kind !== "device" && !used()) return face;
  const picture = new Image();
  picture.alt = "";
  let fails = 0;
  const fetch = () => {
    const path = used() ? "/table/snapshot" : `/cameras/${encodeURIComponent(camera.source)}/thumbnail`;
    picture.src = `${BASE}${path}?at=${Date.now()}`;
  };
  const again = (wait) => setTimeout(() => face.isConnected && store.connection === "open" && fetch(), wait);
  picture.addEventListener("load", () => {
    fails = 0;
    if (!picture.isConnected) face.replaceChildren(picture);
    again(used() ? SOON : LATER);
  });
  picture.addEventListener("error", () => {
    fails += 1;
    if (fails < 3) again(LATER);
  });
  fetch();
  return face;
}

/** `node` to show, `source()`: undefined to leave the camera as it is, null for none, else its name. */
export function cameraChoice(game) {
  const group = `camera-${(count += 1)}`;
  const list = h("div", { class: "cameras", role: "radiogroup", "aria-label": t("new.camera") });
  const status = h("p", { class: "small muted", role: "status" });
  const address = h("input", { type: "url", placeholder: "http://192.168.1.20:8080/video", "aria-label": t("camera.url.label") });
  const file = h("input", { type: "file", accept: "image/*,video/*", "aria-label": t("camera.file") });
  let current = store.table?.camera.source ?? null;
  let chosen = current;
  let stopped = false;

  function extras() {
    address.hidden = chosen !== "url";
    file.hidden = chosen !== "file";
  }

  function face(value, thumb, title, text, extra) {
    return h("div", { class: "camera" },
      h("input", {
        type: "radio", name: group, value: value ?? "", checked: value === chosen, "aria-label": title,
        on: { change: () => { chosen = value; extras(); } },
      }),
      h("div", { class: "face" }, thumb, h("span", { class: "about" }, h("b", {}, title), text && h("span", {}, text), extra)));
  }

  function link(href, name, title, text) {
    return h("a", { class: "camera", href }, h("span", { class: "face" }, h("span", { class: "thumb" }, icon(name)),
      h("span", { class: "about" }, h("b", {}, title), h("span", {}, text))));
  }

  async function search() {
    status.textContent = t("camera.searching");
    const [listed, house] = await Promise.all([
      get("/cameras").catch(() => ({ cameras: [] })), get("/lan").catch(() => ({ enabled: false })),
    ]);
    const found = listed.cameras;
    if (stopped) return;
    const devices = found.filter((one) => one.kind === "device");
    const demo = found.find((one) => one.kind === "demo" && one.source === `demo:${game}`);
    const known = new Set(["phone", ...found.map((one) => one.source)]);
    status.textContent = devices.length ? "" : t("camera.nodevice");
    extras();
    list.replaceChildren(
      ...devices.map((one) => face(one.source, thumbnail(one), t("camera.device", { n: Number(one.source) + 1 }),
        one.source === current ? t("camera.now") : "")),
      ...(current !== null && !known.has(current)
        ? [face(current, thumbnail({ source: current, kind: "other" }), current, t("camera.now"))] : []),
      ...(demo ? [face(demo.source, h("span", { class: "thumb" }, h("img", { src: `/art/${game}.svg`, alt: "" })),
        t("camera.demo"), t("camera.demo.text"))] : []),
      face("url", h("span", { class: "thumb" }, icon("link")), t("camera.url"), t("camera.url.text")),
      face("phone", h("span", { class: "thumb" }, house.enabled ? h("img", { class: "qr", src: `${BASE}/lan/qr.svg`, alt: t("camera.phone.qr") }) : icon("phone")),
        t("camera.phone"), t(house.enabled ? "camera.phone.text" : "camera.phone.off"),
        h("a", { class: "over-face", href: "/phone", target: "_blank", rel: "noopener" }, t("camera.phone.here"))),
      face("file", h("span", { class: "thumb" }, icon("film")), t("camera.file"), t("camera.file.text")),
      link(`#/photo/${game}`, "photo", t("camera.photo"), t("camera.photo.text")),
      face(null, h("span", { class: "thumb" }, icon("none")), t("camera.none"), t("camera.none.text")),
    );
  }

  extras();
  search();
  return {
    node: h("div", { class: "stack" }, list, address, file, h("div", { class: "row" },
      h("button", { class: "btn tiny", type: "button", on: { click: search } }, t("camera.search")), status)),
    async source() {
      if (chosen === "file") {
        if (!file.files.length) return undefined;
        await playFile(file.files[0]).catch(() => { throw new Problem({ code: "not_an_image", es: "El navegador no puede leer ese archivo.", en: "The browser cannot read that file." }, 0); });
        return "phone";
      }
      if (chosen === "url") return address.value.trim() || undefined;
      return chosen === current ? undefined : chosen;
    },
    stop: () => { stopped = true; },
  };
}
