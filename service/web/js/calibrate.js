// Where the table is: four corners over the live picture, the readings as they will be seen, advice on the light.

import { BASE, get, put } from "./api.js";
import { h, region, s, toast } from "./dom.js";
import { lang, t, words } from "./i18n.js";
import { store } from "./store.js";
import { TableView, sizeOf } from "./tableview.js";

const INSET = 0.06;

function whole([w, h2]) {
  const [dx, dy] = [w * INSET, h2 * INSET];
  return [[dx, dy], [w - dx, dy], [w - dx, h2 - dy], [dx, h2 - dy]];
}

/** A bar and the word for it; sharpness and freedom from glare are good when full, light in the middle. */
const FULL = { low: 0.35, high: 0.65, optimum: 1 };
const LIGHT = { low: 0.25, high: 0.8, optimum: 0.5 };
function meter(name, value, range, verdicts) {
  const verdict = verdicts[value < range.low ? 0 : value <= range.high ? 1 : 2];
  return h("label", { class: "meter" }, t(`quality.${name}`), h("meter", { min: 0, max: 1, ...range, value }), h("b", {}, t(`quality.is.${verdict}`)));
}

export function calibratePage(_, main) {
  const view = new TableView();
  const area = s("svg", { class: "area", preserveAspectRatio: "none", "aria-hidden": "true" }, s("polygon", {}));
  const handles = [0, 1, 2, 3].map((i) => h("button", {
    class: "corner", type: "button", "data-corner": i, on: { pointerdown: (event) => drag(event, i), keydown: (event) => nudge(event, i) },
  }, i + 1));
  const stage = h("div", { class: "corners" }, view.node, area, handles);
  const advice = h("div", { class: "stack", "aria-live": "polite" });
  let corners = null;
  let size = [1280, 720];
  let quality = null;

  const layout = () => {
    area.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
    area.firstChild.setAttribute("points", corners.map((one) => one.join(",")).join(" "));
    handles.forEach((handle, i) => {
      handle.style.left = `${(corners[i][0] / size[0]) * 100}%`;
      handle.style.top = `${(corners[i][1] / size[1]) * 100}%`;
      const where = `${Math.round(corners[i][0])}, ${Math.round(corners[i][1])}`;
      handle.setAttribute("aria-label", `${t("calibrate.corner", { n: i + 1, where: t(`corner.${i}`) })} (${where})`);
    });
  };

  function move(i, x, y) {
    corners[i] = [Math.min(size[0], Math.max(0, x)), Math.min(size[1], Math.max(0, y))];
    layout();
  }

  function drag(event, i) {
    const handle = event.currentTarget;
    handle.setPointerCapture(event.pointerId);
    const follow = (now) => {
      const box = stage.getBoundingClientRect();
      move(i, ((now.clientX - box.left) / box.width) * size[0], ((now.clientY - box.top) / box.height) * size[1]);
    };
    const stop = () => {
      handle.removeEventListener("pointermove", follow);
      handle.removeEventListener("pointerup", stop);
    };
    handle.addEventListener("pointermove", follow);
    handle.addEventListener("pointerup", stop);
  }

  function nudge(event, i) {
    const step = (event.shiftKey ? 0.002 : 0.01) * size[0];
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (!by) return;
    event.preventDefault();
    move(i, corners[i][0] + by[0], corners[i][1] + by[1]);
  }

  async function save() {
    try {
      await put("/table/calibration", { corners: corners.map((one) => one.map((v) => Math.round(v * 10) / 10)) });
      toast(t("calibrate.saved"));
      location.hash = "#/table";
    } catch (problem) {
      toast(problem.text, "bad");
    }
  }

  /** The printed mat's markers say where the table is; the corners go there, to be looked at and kept. */
  async function findMat() {
    try {
      corners = (await get("/table/mat")).corners;
      layout();
      toast(t("calibrate.mat.found"));
    } catch (problem) {
      toast(problem.text || String(problem), "bad");
    }
  }

  main.append(h("div", { class: "calibrate" },
    h("header", { class: "stack" }, h("h1", {}, t("calibrate.title")), h("p", {}, t("calibrate.text"))),
    stage,
    h("aside", { class: "panel stack" }, h("h2", {}, t("calibrate.light")), advice,
      h("p", { class: "small muted" }, t("calibrate.mat")),
      h("div", { class: "row" },
        h("a", { class: "btn tiny", href: `${BASE}/print/mat.pdf`, target: "_blank", rel: "noopener" }, t("calibrate.mat.print")),
        h("button", { class: "btn tiny", type: "button", id: "find-mat", on: { click: findMat } }, t("calibrate.mat.find"))),
      h("div", { class: "row" },
        h("button", { class: "btn main big", type: "button", on: { click: save } }, t("calibrate.save")),
        h("button", { class: "btn", type: "button", on: { click: () => { corners = whole(size); layout(); } } }, t("calibrate.whole")),
        h("a", { class: "btn quiet", href: "#/table" }, t("calibrate.skip"))))));

  const ask = async () => {
    try {
      quality = await get("/table/quality");
      drawAdvice();
    } catch {
      quality = null;
    }
  };
  const timer = setInterval(ask, 1500);
  ask();

  function drawAdvice() {
    const seen = store.table?.state?.pieces.length ?? 0;
    region(advice, [quality, seen, lang()], () => quality && [
      ["blur", "glare"].map((name) => meter(name, 1 - quality[name], FULL, ["bad", "fair", "good"])),
      meter("exposure", quality.exposure, LIGHT, ["dark", "good", "bright"]),
      h("ul", { class: "advice" }, quality.advice.length ? quality.advice.map((one) => h("li", {}, words(one)))
        : h("li", { class: "fine" }, `✓ ${t("calibrate.fine")}`)),
      h("p", {}, t("calibrate.reading", { n: seen })),
    ]);
  }

  return {
    name: "page-calibrate",
    title: () => t("calibrate.title"),
    draw() {
      if (!store.table) return;
      const now = sizeOf(store.table);
      if (!corners || now[0] !== size[0] || now[1] !== size[1]) {
        size = now;
        corners = store.table.calibration?.corners?.map((one) => [...one]) || whole(size);
        layout();
      }
      view.draw(null);
      drawAdvice();
    },
    leave() {
      clearInterval(timer);
      view.stop();
    },
  };
}
