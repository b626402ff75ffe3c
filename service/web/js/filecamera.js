// A picture or a video of this device as the table's camera: the browser sends it, as a phone does with its frames.
// It goes on while this page is open; a video that is over stands still at its last frame.

import { BASE } from "./api.js";

const GAP = 66; // milliseconds between frames
const WIDTH = 1280;
let running = null;

/** Show a file to the table; one that was shown before stops. Rejects with `null` where the browser cannot read it. */
export async function playFile(file) {
  running?.stop();
  running = send(await (file.type.startsWith("video/") ? video(file) : picture(file)));
}

function video(file) {
  const film = document.createElement("video");
  const url = URL.createObjectURL(file);
  const stop = () => {
    film.pause();
    film.removeAttribute("src");
    URL.revokeObjectURL(url);
  };
  film.muted = true;
  film.playsInline = true;
  return new Promise((resolve, reject) => {
    film.addEventListener("loadeddata", () => {
      film.play().catch(() => {});
      resolve({ size: [film.videoWidth, film.videoHeight], draw: (context, w, h) => context.drawImage(film, 0, 0, w, h), stop });
    }, { once: true });
    film.addEventListener("error", () => {
      if (film.hasAttribute("src")) reject(null);
    }, { once: true });
    film.src = url;
  });
}

async function picture(file) {
  const image = await createImageBitmap(file).catch(() => Promise.reject(null));
  return { size: [image.width, image.height], draw: (context, w, h) => context.drawImage(image, 0, 0, w, h), stop: () => image.close() };
}

/** Frames one by one, each after the answer to the last: a slow table never builds up a backlog. */
function send(source) {
  const canvas = document.createElement("canvas");
  const scale = Math.min(1, WIDTH / Math.max(...source.size));
  [canvas.width, canvas.height] = source.size.map((side) => Math.max(2, Math.round(side * scale)));
  const context = canvas.getContext("2d");
  let stopped = false;
  let socket = null;

  function frame() {
    if (stopped || socket?.readyState !== WebSocket.OPEN) return;
    source.draw(context, canvas.width, canvas.height);
    canvas.toBlob((blob) => blob && socket?.readyState === WebSocket.OPEN && socket.send(blob), "image/jpeg", 0.9);
  }

  function open() {
    if (stopped) return;
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${BASE}/phone`);
    socket.addEventListener("open", frame);
    socket.addEventListener("message", () => setTimeout(frame, GAP));
    socket.addEventListener("close", (event) => {
      if (event.code === 1000) stop(); // a phone took over
      else setTimeout(open, 1500);
    });
  }

  function stop() {
    if (stopped) return;
    stopped = true;
    source.stop();
    socket?.close();
  }

  open();
  return { stop };
}
