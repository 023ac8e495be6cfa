// The page: which worlds there are, what was loaded, and the player.

import { Controls, keyName } from "./controls.js";
import { Engine } from "./engine.js";
import { fetchFile } from "./files.js";
import { Film, save } from "./film.js";
import { bindGamepad } from "./gamepad.js";
import { checkActions, readLink, writeLink } from "./link.js";
import { Playthrough } from "./playthrough.js";
import { hasGpu, machineText } from "./processors.js";
import { RecordedGame } from "./recorded.js";
import { ModelError, RemoteModel } from "./remote_model.js";
import { CALLS, RATES, Session, TEMPERATURES } from "./session.js";
import { askForThreads, runsModules, threads } from "./threads.js";
import { differenceMap, drawFrame, drawTimeline, inColour } from "./view.js";

const BASE = new URL(".", import.meta.url), SEEDS = 1e6, LABELS = { left: "←", right: "→", up: "↑", down: "↓" };
const byId = (id) => document.getElementById(id);
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
let session = null, world = null, film = null;

/** Make an element with properties and children. */
function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function say(text, isWrong = false) {
  byId("message").textContent = text;
  byId("message").classList.toggle("wrong", isWrong);
}

const json = async (path) => (await fetch(new URL(path, BASE))).json();

// ---- loading

async function open() {
  if (!runsModules()) return say("This browser has no WebAssembly with vectors. A newer one has.", true);
  await askForThreads();
  const page = await json("page.json");
  let link = null;
  for (const entry of page.worlds) {
    const button = make("button", { type: "button" }, `Play ${entry.title}`);
    button.addEventListener("click", () => attempt(() => load(page, entry, link?.world === entry.name ? link : null)));
    byId("list").append(button);
  }
  link = readLink(location.hash);
  const wanted = link && page.worlds.find(({ name }) => name === link.world);
  if (wanted && link.events.length) say(`This link shows what somebody played in ${wanted.title}, and then you play on.`);
  else if (wanted && self !== self.top) await load(page, wanted, null); // Play was pressed in the page around this one
}

/** Do something; what goes wrong is a sentence in the page. */
async function attempt(act) {
  try {
    await act();
  } catch (error) {
    session = null;
    say(error instanceof RangeError ? "There is not enough memory for this world." : error.message, true);
    for (const id of ["choice", "list"]) byId(id).hidden = false;
    for (const id of ["player", "progress"]) byId(id).hidden = true;
  }
}

/** Load a world, and play it, on WebGPU if the machine has one and it holds out. */
async function load(page, entry, link) {
  if (!(await hasGpu())) return loadOn("wasm", page, entry, link);
  try {
    await loadOn("webgpu", page, entry, link);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const played = session && { seed: session.playthrough.seed, events: session.playthrough.state.events };
    await loadOn("wasm", page, entry, played ?? link, "the graphics processor failed, so the learned world goes on in WebAssembly");
  }
}

async function loadOn(processor, page, entry, link, notice = "") {
  byId("list").hidden = true;
  world = await json(entry.path);
  checkActions(link?.events ?? [], world.buttons.length);
  const runtime = processor === "webgpu" ? page.gpu : page;
  const reality = world.game ? page.engine : world.episodes;
  const files = { reality, binary: runtime.runtime, weights: world.weights, ...Object.fromEntries(Object.entries(world.functions).map(([name, { file }]) => [name, file])) };
  const all = Object.values(files).reduce((sum, { bytes }) => sum + bytes, 0);
  let arrived = 0;
  byId("progress").hidden = false;
  say(`Loading ${megabytes(all)}; a second visit takes them from this browser's cache.`);
  const progress = (bytes) => (byId("progress").value = (arrived += bytes) / all);
  const got = Object.fromEntries(await Promise.all(Object.entries(files).map(async ([name, file]) => [name, await fetchFile(file, BASE, progress)])));
  say("Starting the learned world.");
  const model = new RemoteModel(new Worker(new URL("worker.js", BASE), { type: "module" }));
  const { reality: real, binary, weights, ...functions } = got;
  try {
    const script = new URL(runtime.script, BASE).href;
    const count = await model.start({ runtime: script, binary, processor, threads: threads(), functions: world.functions, files: functions, weights });
    const game = world.game ? (await Engine.load(real)).open(world.game, world.options) : new RecordedGame(real, world.buttons.length);
    byId("machine").textContent = `The learned world runs ${machineText(processor, count)}. Nothing that you do here leaves this machine.`;
    await play(game, model, link, notice);
  } finally {
    model.stop();
  }
}

async function play(game, model, link, notice) {
  const settings = { temperature: 1, calls: world.calls || 1 };
  const playthrough = new Playthrough(game, model, settings);
  await playthrough.begin(link?.seed ?? Math.floor(Math.random() * SEEDS));
  session = new Session(playthrough, new Controls(world.buttons, world.keys), { rate: world.rate, events: link?.events ?? [], ...(notice && { end: notice }) });
  if (!link && world.calls) await chooseCalls(model, playthrough);
  byId("choice").hidden = true;
  byId("player").hidden = false;
  say(notice || (game.recorded ? "A recording plays. Press a key of the game, and the model goes on alone." : ""));
  showControls();
  for (;;) await tick();
}

/** Draw frames in as many calls of the network as this machine has time for. */
async function chooseCalls(model, playthrough) {
  const times = [];
  for (let i = 0; i < 4; i++) {
    const start = performance.now();
    await model.step(0, { temperature: 1, calls: 1 }, `trial ${i}`);
    times.push(performance.now() - start);
  }
  await model.putBack();
  const calls = Math.floor((0.8 * 1000) / session.rate / Math.min(...times.slice(1)));
  const possible = Math.max(1, Math.min(calls, world.calls));
  if (possible !== world.calls) await playthrough.do(["calls", possible]);
}

async function tick() {
  const start = performance.now();
  if (!document.hidden) await session.tick();
  const time = performance.now() - start;
  if (!session.paused && !document.hidden) session.took(time);
  draw();
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, 1000 / session.rate - time)));
}

// ---- drawing

function draw() {
  const { state, settings, game } = session.playthrough, { real, predicted } = state;
  const [model, reality] = [predicted.frame, real.frame].map((frame) => inColour(frame, game.shape));
  drawFrame(byId("model"), model, game.shape);
  drawFrame(byId("real"), reality, game.shape);
  drawFrame(byId("difference"), game.frozen ? new Uint8Array(model.length) : differenceMap(model, reality), game.shape);
  byId("model").classList.toggle("ended", predicted.ended);
  byId("real").classList.toggle("ended", state.ended);
  byId("model-total").textContent = `return ${predicted.total.toFixed(1)}`;
  byId("real-name").textContent = game.recorded ? "Recorded" : "Real";
  byId("real").classList.toggle("frozen", Boolean(game.frozen));
  byId("real-total").textContent = game.frozen ? "stands still" : `return ${real.total.toFixed(1)}`;
  byId("error").textContent = game.frozen ? "-" : `${state.history.at(-1).error.toFixed(1)} of 255`;
  const action = state.action === null ? "-" : world.meanings[state.action];
  byId("facts").textContent = `${game.title} · step ${state.step} · ${state.sincePutBack} steps alone · action ${action} · ${session.clock}`;
  byId("facts").setAttribute("aria-live", session.paused ? "polite" : "off"); // a screen reader says each step of its own
  byId("policy").textContent = choiceText(session.choice);
  drawTimeline(byId("timeline"), state.history);
  film?.add();
  drawBranches();
  if (session.notice) {
    say(session.notice);
    session.notice = "";
  }
  for (const slider of byId("settings").querySelectorAll("input")) showSetting(slider, settings);
}

/** Say which actions the policy finds best, and the return that it expects. */
function choiceText(choice) {
  if (!choice) return "";
  const likely = (choice.probabilities ?? []).map((share, action) => [share, world.meanings[action]]).sort(([a], [b]) => b - a).slice(0, 3);
  const parts = likely.map(([share, meaning]) => `${meaning} ${Math.round(100 * share)} %`);
  if (choice.value !== undefined) parts.push(`expects a return of ${choice.value.toFixed(1)}`);
  return `policy: ${parts.join(" · ")}`;
}

/** Show the futures of a branch, if there is one. */
function drawBranches() {
  const { branches, playthrough: { game: { shape } } } = session;
  byId("branches").hidden = !branches;
  if (!branches) return;
  const action = world.meanings[branches.action];
  byId("branches-text").textContent = `Three samples of ${branches.steps} steps from here, action ${action}. Any key ends this.`;
  branches.frames.forEach((frame, i) => drawFrame(byId("branches").querySelectorAll("canvas")[i], inColour(frame, shape), shape));
}

function showSetting(slider, settings) {
  const { what, values } = slider, value = what === "rate" ? session.rate : settings[what];
  if (document.activeElement !== slider) slider.value = values.indexOf(value);
  slider.nextSibling.textContent = value;
}

// ---- controls

function showControls() {
  byId("commands").replaceChildren(...session.commands.map(([key, name, text, help]) => pressable(key, help, make("b", {}, name), text)));
  for (const [text, title, act] of [["copy link", "a link that shows what you played", copyLink], ["film", "ten seconds as a WebM film", makeFilm]]) {
    const button = make("button", { type: "button", title }, text);
    button.addEventListener("click", () => (act(), button.blur()));
    byId("commands").append(button);
  }
  const settings = [["temperature", "model temperature", TEMPERATURES], ["rate", "steps a second", RATES]];
  if (world.calls) settings.splice(1, 0, ["calls", "calls for each frame", CALLS]);
  byId("settings").replaceChildren(...settings.map(([what, name, values]) => {
    const slider = Object.assign(make("input"), { type: "range", min: 0, max: values.length - 1, what, values });
    slider.addEventListener("input", () => (what === "rate" ? (session.rate = values[slider.value]) : session.set(what, values[slider.value])));
    slider.addEventListener("pointerup", () => slider.blur()); // keys go to the game
    return make("label", {}, name, slider, make("output"));
  }));
  const touch = Object.entries(world.keys).map(([button, [key]]) => {
    const element = pressable(key, world.names[button], LABELS[button] ?? world.names[button]);
    element.dataset.button = button;
    return element;
  });
  const isMove = ({ dataset }) => dataset.button in LABELS;
  byId("touch").replaceChildren(make("div", { className: "moves" }, ...touch.filter(isMove)), ...touch.filter((one) => !isMove(one)));
  byId("rules").textContent = world.rules;
  const rows = [...Object.entries(world.keys).map(([button, keys]) => [keys.map((key) => LABELS[key] ?? key).join(" "), world.names[button]]), ...session.commands.map(([, name, , help]) => [name, help])];
  rows.push(["Gamepad", "cross or stick, and buttons; Start pauses, Back puts the model back"]);
  byId("keys").replaceChildren(...rows.map((row) => make("tr", {}, ...row.map((text) => make("td", {}, text)))));
}

/** Make a button that holds a key for as long as it is pressed. */
function pressable(key, title, ...children) {
  const button = make("button", { type: "button", title }, ...children);
  button.setAttribute("aria-label", title);
  const press = (pressed) => (event) => {
    event.preventDefault();
    button.classList.toggle("down", pressed);
    session?.press(key, pressed);
  };
  button.addEventListener("pointerdown", press(true));
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) button.addEventListener(end, press(false));
  button.addEventListener("click", (event) => event.detail === 0 && (session?.press(key, true), session?.press(key, false))); // by keyboard
  return button;
}

async function copyLink() {
  const { seed, state } = session.playthrough;
  history.replaceState(null, "", writeLink({ world: world.name, seed, events: state.events }));
  const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  say(copied ? "The link is copied: it shows what you played." : "The link is in the address of this page: it shows what you played.");
}

function makeFilm() {
  try {
    film ??= new Film(["model", "real", "difference"].map(byId), (made) => {
      film = null;
      save(made, `${world.name}.webm`);
      say("The film is saved.");
    });
    say("The next ten seconds become a film.");
  } catch (error) {
    say(error.message, true);
  }
}

function onKey(event, pressed) {
  const isControl = event.target.closest?.("input, summary, button");
  const name = keyName(event.key), presses = isControl && (name === "space" || name === "return" || event.target.matches("input"));
  if (!session || event.ctrlKey || event.metaKey || event.altKey || presses) return;
  if (event.repeat && !["n", "backspace"].includes(name)) return event.preventDefault();
  if (session.press(name, pressed)) event.preventDefault();
}

/** Keys that a gamepad holds, by its buttons. */
const padKeys = new Map();
const padInput = {
  press: (button, key) => (padKeys.set(button, key), session?.press(key, true)),
  release: (button) => session?.press(padKeys.get(button), false),
};

bindGamepad(() => {}, () => session && "keys", () => world.pad, padInput);
addEventListener("keydown", (event) => onKey(event, true));
addEventListener("keyup", (event) => onKey(event, false));
addEventListener("blur", () => session?.controls.releaseAll());
document.addEventListener("visibilitychange", () => session?.controls.releaseAll());
attempt(open);
