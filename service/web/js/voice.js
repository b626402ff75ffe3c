// Spoken announcements by the browser, and a short sound for something illegal. Off until somebody switches it on.

import { lang, recall, remember, t, words } from "./i18n.js";
import { onChange } from "./live.js";
import { update } from "./store.js";

const KEY = "tapete.voice";
let on = recall(KEY) === "on";
let audio = null;

export const voiceOn = () => on;

export function setVoice(next) {
  on = next;
  remember(KEY, on ? "on" : "off");
  if (on) say(t("voice.on"));
  else globalThis.speechSynthesis?.cancel();
  update({});
}

/** Say a sentence in the chosen language. */
export function say(text) {
  if (!on || !text || !globalThis.speechSynthesis) return;
  const spoken = new SpeechSynthesisUtterance(text);
  spoken.lang = lang() === "es" ? "es-ES" : "en-GB";
  const voice = speechSynthesis.getVoices().find((one) => one.lang.toLowerCase().startsWith(lang()));
  if (voice) spoken.voice = voice;
  speechSynthesis.speak(spoken);
}

/** Two falling notes. */
function buzz() {
  if (!on) return;
  audio ??= new AudioContext();
  for (const [start, pitch] of [[0, 330], [0.16, 220]]) {
    const tone = audio.createOscillator();
    const gain = audio.createGain();
    tone.type = "triangle";
    tone.frequency.value = pitch;
    gain.gain.setValueAtTime(0.25, audio.currentTime + start);
    gain.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + start + 0.22);
    tone.connect(gain).connect(audio.destination);
    tone.start(audio.currentTime + start);
    tone.stop(audio.currentTime + start + 0.24);
  }
}

/** What changed between two states of a match, in sentences: this is both spoken and put into the live region. */
export function news(before, now) {
  const said = [];
  const known = new Set(before ? before.illegal.map((one) => one.id) : []);
  const illegal = now.illegal.filter((one) => !known.has(one.id));
  for (const one of illegal) said.push(`${t("illegal")}. ${one.violations.map(words).join(" ")}`);
  if (before) {
    for (const move of now.moves.slice(before.moves.length)) {
      const points = move.points.reduce((sum, line) => sum + line.points, 0);
      said.push(words(move) + (points ? `: ${t("score.points", { n: points })}` : ""));
    }
    if (now.turn !== before.turn && now.turn !== null) said.push(t("turn", { name: now.players[now.turn] }));
  }
  const asked = new Set(before ? before.questions.map((one) => one.id) : []);
  for (const one of now.questions) if (!asked.has(one.id)) said.push(words(one));
  if (now.outcome && !before?.outcome) {
    const names = now.outcome.winners.map((one) => now.scorers[one]);
    said.push(names.length === 1 ? t("finished.winner", { name: names[0] }) : t("finished.title"));
  }
  return { said, illegal: illegal.length > 0 };
}

export function startVoice() {
  onChange((before, now) => {
    const { said, illegal } = news(before, now);
    if (!said.length) return;
    document.getElementById(illegal ? "alarm" : "announcer").textContent = said.join(". ");
    if (illegal) buzz();
    for (const sentence of said) say(sentence);
  });
}
