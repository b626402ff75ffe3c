// A phone as the table's camera: its pictures go to the server one by one, each after the answer to the last.

import { recall, remember } from "./i18n.js";

const WORDS = {
  es: {
    what: "Pon el teléfono encima de la mesa, mirando hacia abajo, y pulsa el botón. La imagen va solo a tu ordenador.",
    go: "Usar esta cámara", stop: "Parar", turn: "Cambiar de cámara", other: "English",
    idle: "La cámara está apagada.", sending: "Enviando imágenes a Tapete.", slow: "Enviando; la red va despacio.",
    lost: "Sin conexión con Tapete. Lo intento de nuevo…", taken: "Otro teléfono es ahora la cámara.",
    refused: "El navegador no deja usar la cámara. Permítelo en sus ajustes y vuelve a pulsar.",
    insecure: "El navegador solo presta la cámara a páginas seguras: abre el enlace https que muestra Tapete.",
  },
  en: {
    what: "Put the phone above the table, looking down, and press the button. The picture goes to your own computer only.",
    go: "Use this camera", stop: "Stop", turn: "Other camera", other: "Español",
    idle: "The camera is off.", sending: "Sending pictures to Tapete.", slow: "Sending; the network is slow.",
    lost: "No connection to Tapete. Trying again…", taken: "Another phone is the camera now.",
    refused: "The browser does not allow the camera. Allow it in its settings and press again.",
    insecure: "Browsers lend the camera to secure pages only: open the https link that Tapete shows.",
  },
};
const WIDTH = 1280;
const QUALITY = 0.85;
const GAP = 66; // milliseconds between frames: fifteen a second are plenty

const $ = (id) => document.getElementById(id);
let language = recall("tapete.language") === "en" ? "en" : "es";
let stream = null;
let socket = null;
let facing = "environment";
let state = "idle";
let lock = null;

function show(next = state) {
  state = next;
  const words = WORDS[language];
  document.documentElement.lang = language;
  $("what").textContent = words.what;
  $("state").textContent = words[state];
  $("go").textContent = stream ? words.stop : words.go;
  $("turn").textContent = words.turn;
  $("turn").hidden = !stream;
  $("language").textContent = words.other;
}

async function open() {
  if (!navigator.mediaDevices?.getUserMedia) return show("insecure");
  try {
    stream = await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: { facingMode: facing, width: { ideal: WIDTH }, height: { ideal: 720 } },
    });
  } catch {
    stream = null;
    return show("refused");
  }
  $("view").srcObject = stream;
  await $("view").play();
  try {
    lock = await navigator.wakeLock?.request("screen");
  } catch {
    lock = null; // the screen may go dark; the page says so when the pictures stop
  }
  await choose();
  connect();
}

/** Ask the server to look through the phone; a demo or another camera steps aside. */
async function choose() {
  await fetch("/api/v1/table/camera", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ source: "phone" }),
  }).catch(() => show("lost"));
}

function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const mine = new WebSocket(`${scheme}://${location.host}/api/v1/phone`);
  socket = mine;
  mine.onopen = () => { show("sending"); send(mine); };
  mine.onmessage = () => setTimeout(() => send(mine), GAP);
  mine.onclose = (event) => {
    if (socket !== mine || !stream) return;
    if (event.code === 1000 && event.reason) { close(); return show("taken"); }
    show("lost");
    setTimeout(() => stream && socket === mine && connect(), 1500);
  };
}

function send(mine) {
  const view = $("view");
  if (!stream || socket !== mine || mine.readyState !== WebSocket.OPEN) return;
  if (!view.videoWidth) { setTimeout(() => send(mine), GAP); return; }
  const scale = Math.min(1, WIDTH / view.videoWidth);
  const canvas = send.canvas ??= document.createElement("canvas");
  canvas.width = Math.round(view.videoWidth * scale);
  canvas.height = Math.round(view.videoHeight * scale);
  canvas.getContext("2d").drawImage(view, 0, 0, canvas.width, canvas.height);
  canvas.toBlob(async (blob) => {
    if (!blob || mine.readyState !== WebSocket.OPEN) return;
    show(mine.bufferedAmount > 200_000 ? "slow" : "sending");
    mine.send(await blob.arrayBuffer());
  }, "image/jpeg", QUALITY);
}

function close() {
  stream?.getTracks().forEach((track) => track.stop());
  stream = null;
  lock?.release().catch(() => {});
  const old = socket;
  socket = null;
  old?.close();
  $("view").srcObject = null;
}

$("go").onclick = () => {
  if (stream) { close(); show("idle"); } else open();
};
$("turn").onclick = async () => {
  facing = facing === "environment" ? "user" : "environment";
  close();
  await open();
};
$("language").onclick = () => {
  language = language === "es" ? "en" : "es";
  remember("tapete.language", language);
  show();
};
show();
