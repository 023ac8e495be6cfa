// The page: it keeps the newest parts of the scene, and draws those that have changed.

import { Connection } from "./connection.js";
import { byId, fillPairs, fillTable, make, setText } from "./dom.js";
import { bindDrawing } from "./drawing.js";
import { bindEpisodes, drawEpisodes, makeEpisodes } from "./episodes.js";
import { bindGamepad } from "./gamepad.js";
import { Input } from "./input.js";
import { bindLatents, drawLatents, makeLatentButtons } from "./latents.js";
import { bindBox, bindTimeline, drawBox, drawPolicy, drawTimeline } from "./panels.js";
import { bindVibration } from "./vibration.js";
import { worlds } from "./worlds.js";

const state = { parts: {}, frames: {}, role: {}, watchesHelp: false };
const connection = new Connection({ scene: drawScene, fresh, role: showRole, state: showConnection });
const send = (message) => connection.send(message);
const input = new Input(send, wants);
const vibrate = bindVibration(byId("vibration"));

const PRESSES = ["space", "return"]; // the keys that press a button

/** Forget what was drawn as soon as there is something new; until then keys mean what they meant. */
function fresh() {
  state.isOld = true;
}

function drawScene(parts, frames) {
  if (state.isOld) Object.assign(state, { parts: {}, frames: {}, isOld: false });
  Object.assign(state.parts, parts);
  Object.assign(state.frames, frames);
  if ("guide" in parts) showGuide(parts.guide);
  if ("touch" in parts) showTouch(parts.touch);
  if ("choices" in parts) makeSettings(parts.choices);
  if ("guide" in parts || "touch" in parts || "choices" in parts) enableControls();
  if ("header" in parts) showHeader(parts.header);
  if ("settings" in parts || "choices" in parts) showSettings(state.parts.settings);
  if (parts.pulse && state.role.plays) vibrate(parts.pulse[0]);
  if (parts.film && state.role.plays) download(parts.film);
  if ("episodes" in parts && state.parts.guide) drawEpisodes(parts.episodes, state.parts.guide.episodes.heads);
  if ("info" in parts) {
    byId("info").hidden = !parts.info;
    fillPairs(byId("info"), parts.info ?? []);
  }
  byId("worlds").classList.toggle("drawing", Boolean(state.parts.drawing));
  showHelp();
  byId("screen").hidden = !state.parts.columns;
  if (state.parts.columns) drawPanes(new Set([...Object.keys(parts), ...Object.keys(frames)]));
}

/** Draw the panes that have changed; without `changed` all of them. */
function drawPanes(changed) {
  const { parts, frames } = state, all = !changed;
  for (const [id, name] of [["timeline", "timeline"], ["policy", "policy"], ["box", "box"]]) byId(id).hidden = !parts[name];
  byId("screen").classList.toggle("box", Boolean(parts.box));
  if (parts.latents) for (const id of ["timeline", "policy"]) byId(id).hidden = true; // the pane needs the place
  byId("below").hidden = parts.latents ? !parts.box : !(parts.timeline || parts.policy || parts.box);
  byId("latents").hidden = !parts.latents;
  byId("screen").classList.toggle("inside", Boolean(parts.latents));
  worlds.draw(parts, frames, changed ?? new Set(Object.keys(frames)));
  if (parts.latents && (all || changed.has("latents"))) drawLatents(parts.latents, frames.latents, state.role.plays);
  if (parts.timeline && !parts.latents && (all || ["timeline", "later", "length"].some((name) => changed.has(name)))) {
    drawTimeline(byId("timeline"), parts.timeline, parts.error, parts.later, parts.length);
  }
  if (parts.policy && !parts.latents && (all || changed.has("policy"))) drawPolicy(byId("policy"), parts.policy);
  if (parts.box && (all || changed.has("box"))) drawBox(byId("box"), parts.box);
}

// ---- header, help, commands

function showHeader(header) {
  document.title = `${header.title} - worldmodels`;
  setText(byId("title"), header.title);
  setText(byId("notice"), header.notice || header.source);
  byId("notice").classList.toggle("new", Boolean(header.notice));
  const you = header.player === "you";
  setPill("player", you ? `${state.role.plays === false ? "a person plays" : "you play"}` : `${header.player} plays`, you ? "quiet" : "real");
  const clock = { running: "good", paused: "model", "episode over": "alert" }[header.clock];
  setPill("clock", header.branches ? "branches" : header.clock, clock);
  fillPairs(byId("facts"), header.facts);
  setText(byId("totals"), header.totals);
}

/** Load down a film that the one who plays has asked for. */
function download(name) {
  const link = make("a");
  link.href = `film/${name}?${new URLSearchParams({ token: location.hash.slice(1) })}`;
  link.download = name;
  link.click();
}

function setPill(id, text, role) {
  setText(byId(id), text);
  byId(id).style.color = byId(id).style.borderColor = `var(--${role})`;
}

function showGuide(guide) {
  setText(byId("help-title"), guide.title);
  setText(byId("rules"), guide.rules);
  setText(byId("notes"), guide.notes);
  fillTable(byId("help-actions"), guide.actions);
  fillTable(byId("help-commands"), guide.commands);
  fillTable(byId("help-inside"), guide.inside);
  byId("inside-title").hidden = !guide.inside.length;
  makeLatentButtons(input, guide.latents);
  makeEpisodes(input, guide.episodes);
  byId("commands").replaceChildren(...guide.buttons.map(([key, name, text]) => {
    const button = make("button", "", "", make("b", "", name), text);
    button.type = "button";
    button.dataset.key = key;
    input.bind(button, key);
    return button;
  }));
}

/** Show rules and keys: while the session loads or waits to begin, and when somebody asks for them. */
function showHelp() {
  const { kind = "", text = "" } = state.parts.status ?? {};
  const before = kind === "loading" || kind === "ready";
  byId("help").hidden = !(before || state.parts.help || state.watchesHelp);
  setText(byId("status"), kind === "ready" && !state.role.plays ? "Ready: waiting for the one who plays" : text);
  byId("begin").hidden = !(kind === "ready" ? state.role.plays : !before && (state.parts.help || state.watchesHelp));
  setText(byId("begin"), kind === "ready" ? "Begin" : "Close");
  if (kind === "working" || kind === "waiting") {
    setText(byId("notice"), kind === "working" ? `${text} ...` : state.role.plays ? text : "Waiting for the one who plays");
    byId("notice").classList.add("new");
  } else if (state.parts.header) {
    setText(byId("notice"), state.parts.header.notice || state.parts.header.source);
    byId("notice").classList.toggle("new", Boolean(state.parts.header.notice));
  }
}

// ---- settings and touch

function makeSettings(choices) {
  byId("settings").replaceChildren(...choices.map((values, i) => {
    const slider = make("input"), label = make("label", "", "", make("span"), slider, make("output"));
    Object.assign(slider, { type: "range", min: 0, max: values.length - 1, step: 1 });
    slider.addEventListener("input", () => send({ setting: i, value: Number(slider.value) }));
    for (const end of ["change", "pointerup"]) slider.addEventListener(end, () => slider.blur()); // keys go to the game
    return label;
  }));
}

function showSettings({ rows, chosen }) {
  rows.forEach(([name, text], i) => {
    const [title, slider, output] = byId("settings").children[i].children;
    setText(title, name);
    setText(output, text);
    title.classList.toggle("chosen", i === chosen);
    if (document.activeElement !== slider) slider.value = state.parts.choices[i].indexOf(text);
  });
}

function showTouch(buttons) {
  const made = buttons.map(({ key, label, meaning, place }) => {
    const button = make("button", "", place ? label : meaning);
    button.type = "button";
    button.dataset.place = place;
    button.dataset.key = key;
    button.setAttribute("aria-label", meaning);
    if (!place) input.bind(button, key);
    return button;
  });
  const pad = make("div", "pad", "", ...made.filter((button) => button.dataset.place));
  input.bindPad(pad, [...pad.children]);
  byId("directions").replaceChildren(pad);
  byId("specials").replaceChildren(...made.filter((button) => !button.dataset.place));
  byId("touch").hidden = !made.length;
}

// ---- who plays, and the connection

function showRole(role) {
  state.role = role;
  const { plays, asks, played, watching, asking } = role;
  const others = watching === 1 ? "1 viewer watches" : `${watching} viewers watch`;
  const [text, button] = plays
    ? [asking ? `${asking} of ${watching} who watch would like to play` : watching ? others : "", watching ? "Hand over" : ""]
    : !played ? ["Nobody plays, so the session waits.", "Play"]
    : [asks ? "You watch, and have asked to play." : "You watch.", asks ? "Ask no longer" : "Ask to play"];
  setText(byId("role-text"), text);
  setText(byId("role-button"), button);
  byId("role").hidden = !text;
  byId("role").classList.toggle("calls", plays ? asking > 0 : !played);
  enableControls();
  if (state.parts.header) showHeader(state.parts.header);
  if (state.parts.guide) showHelp();
  if (state.parts.columns) drawPanes();
}

function enableControls() {
  for (const control of document.querySelectorAll("#commands button, #touch button, #episodes button, #settings input")) {
    control.disabled = !state.role.plays && !state.parts.guide?.help.includes(control.dataset.key);
  }
}

function showConnection(text) {
  setText(byId("lost"), text);
  byId("lost").hidden = !text;
}

// ---- what the person does

/** Say who takes a key, as `Input` asks; help is everybody's own who watches, and the end is asked about. */
function wants(key) {
  const { guide, help, branches, latents, episodes, drawing, status } = state.parts;
  if (!guide?.keys.includes(key) || byId("quit").open) return null;
  const button = byId("role-button"), isReached = document.activeElement === button;
  if (isReached && PRESSES.includes(key)) return null; // of the button, by the browser
  if (isReached) button.blur();
  if (key === "tab" && state.role.plays && button.textContent && !isReached) {
    button.focus();
    return false;
  }
  if (!state.role.plays) {
    if (!guide.help.includes(key) && !(guide.quit.includes(key) && state.watchesHelp)) return null;
    toggleOwnHelp();
    return false;
  }
  if (guide.quit.includes(key) && !help && !branches && !latents && !episodes && !drawing && status?.kind !== "loading") {
    byId("quit").showModal();
    byId("stay").focus();
    return false;
  }
  return true;
}

function toggleOwnHelp() {
  state.watchesHelp = !state.watchesHelp;
  showHelp();
}

byId("role-button").addEventListener("click", () => {
  send({ wish: state.role.plays ? "hand over" : "play" });
  byId("role-button").blur();
});
byId("begin").addEventListener("click", () => {
  byId("begin").blur();
  if (state.watchesHelp) toggleOwnHelp();
  else input.tap(state.parts.guide.help[0]);
});
byId("stay").addEventListener("click", () => byId("quit").close());
byId("end").addEventListener("click", () => {
  byId("quit").close();
  input.tap(state.parts.guide.quit[0]);
});
bindGamepad(
  send,
  () => (!state.role.plays ? null : state.parts.box ? "numbers" : state.parts.guide ? "keys" : null),
  () => state.parts.pad ?? {},
  input,
);
bindLatents(send, () => (state.role.plays ? state.parts.latents : null));
bindTimeline(byId("timeline"), send, () => (state.role.plays ? [state.parts.timeline?.length ?? 0, state.parts.length] : [0, 0]));
bindDrawing(byId("worlds"), send, () => (state.role.plays && state.parts.drawing ? state.parts.columns : null));
bindEpisodes(send, () => state.role.plays);
bindBox(byId("box"), send, () => (state.role.plays ? state.parts.box : null));
const drawAgain = () => state.parts.columns && drawPanes();
addEventListener("resize", drawAgain);
// A text that wraps or a panel that opens gives the canvases beside it another size, to which their pixels would be stretched.
const sizes = new ResizeObserver(drawAgain);
for (const id of ["worlds", "timeline", "policy", "box", "classes", "likely"]) sizes.observe(byId(id));
sizes.observe(document.documentElement);
connection.open();
