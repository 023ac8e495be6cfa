import assert from "node:assert/strict";
import { test } from "node:test";
import { bindGamepad } from "../../../worldmodels/player/web/page/gamepad.js";

const KEYS = { 0: "space", 1: "k", 8: "x", 9: "c", 12: "up", 13: "down", 14: "left", 15: "right" };

/** Bind a gamepad of buttons by their places and two axes; `shows` takes what it does now, and returns what was sent. */
function bound() {
  const sent = [], pad = { connected: true, axes: [0, 0], buttons: [] };
  let look, connect;
  globalThis.requestAnimationFrame = (next) => (look = next);
  globalThis.addEventListener = (name, act) => (connect = act);
  Object.defineProperty(globalThis, "navigator", { value: { getGamepads: () => [null, pad] }, configurable: true });
  const input = { press: (button, key) => sent.push(`+${key}`), release: (button) => sent.push(`-${button}`) };
  bindGamepad(() => sent.push("numbers"), () => "keys", () => KEYS, input);
  connect();
  const shows = (axes, ...places) => {
    Object.assign(pad, { axes, buttons: [] });
    for (const place of places) pad.buttons[place] = { pressed: true };
    look();
    return sent.splice(0);
  };
  return { shows, pad };
}

test("cross and stick are directions, and a stick lets go later than it presses", () => {
  const { shows } = bound();
  assert.deepEqual(shows([0.4, 0]), []);
  assert.deepEqual(shows([0.6, -0.6]), ["+up", "+right"]);
  assert.deepEqual(shows([0.4, -0.3]), ["-gamepad 12"]);
  assert.deepEqual(shows([0.3, 0], 14), ["+left", "-gamepad 15"]);
});

test("buttons are the actions, Start and Back, each once for as long as it is held", () => {
  const { shows } = bound();
  assert.deepEqual(shows([0, 0], 0, 9), ["+space", "+c"]);
  assert.deepEqual(shows([0, 0], 0, 9), []);
  assert.deepEqual(shows([0, 0], 1, 8, 3), ["-gamepad 0", "+k", "+x", "-gamepad 9"]);
});

test("a gamepad that was unplugged is no longer looked at", () => {
  const { shows, pad } = bound();
  shows([0, 0], 0);
  pad.connected = false;
  assert.deepEqual(shows([1, 0], 1), []);
});
