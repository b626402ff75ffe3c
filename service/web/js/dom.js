// A few lines instead of a framework: elements from descriptions, and regions that are redrawn only when they change.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
    else if (name === "css") for (const [key, one] of Object.entries(value)) node.style.setProperty(key, one);
    else if (name === "value") node.value = value;
    else if (value === true) node.setAttribute(name, "");
    else node.setAttribute(name, String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** An HTML element: h("p", {class: "x", on: {click}}, "text", child). Styles go through the CSSOM, as the CSP wants. */
export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** The same for SVG. */
export function s(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/** SVG from a constant of this program; never from data. */
export function drawn(markup) {
  const holder = document.createElement("template");
  holder.innerHTML = markup.trim();
  return holder.content.firstElementChild;
}

const shown = new WeakMap();

/** Redraw a region only if what it depends on has changed; focus stays on the element with the same data-focus. */
export function region(node, depends, draw) {
  const key = JSON.stringify(depends);
  if (shown.get(node) === key) return;
  shown.set(node, key);
  const active = node.contains(document.activeElement) ? document.activeElement : null;
  const name = active?.dataset.focus;
  const typed = active && "value" in active ? active.value : null;
  const result = draw();
  node.replaceChildren(...[result].flat(Infinity).filter(Boolean));
  if (!name) return;
  const again = node.querySelector(`[data-focus="${CSS.escape(name)}"]`);
  again?.focus({ preventScroll: true });
  if (again && typed !== null && again.tagName === "INPUT") again.value = typed;
}

/** A dialog in the top layer: `build(close)` gives its content. Escape and the veil close it. */
export function dialog(label, build, kind = "") {
  const back = document.activeElement;
  const box = h("dialog", { class: `sheet ${kind}`, "aria-label": label });
  const close = () => box.close();
  box.append(...[build(close)].flat());
  box.addEventListener("click", (event) => event.target === box && close());
  box.addEventListener("close", () => {
    box.remove();
    if (back?.isConnected) back.focus({ preventScroll: true });
  });
  document.body.append(box);
  box.showModal();
  return box;
}

/** A short message that goes away by itself. */
export function toast(text, kind = "") {
  const node = h("p", { class: `toast ${kind}` }, text);
  document.getElementById("toasts").append(node);
  document.getElementById(kind === "bad" ? "alarm" : "announcer").textContent = text;
  setTimeout(() => node.remove(), kind === "bad" ? 7000 : 4500);
}
