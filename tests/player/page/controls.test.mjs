import assert from "node:assert/strict";
import { test } from "node:test";
import { Controls, keyName } from "../../../worldmodels/player/page/controls.js";

// Left, stand still, right, up, right and up, fire, and fire once more.
const BUTTONS = [["left"], [], ["right"], ["up"], ["right", "up"], ["d"], ["d"]];
const KEYS = { left: ["left", "a"], right: ["right", "d"], up: ["up", "w"], d: ["space", "j"] };

function pressed(...keys) {
  const controls = new Controls(BUTTONS, KEYS);
  for (const key of keys) controls.handle(key, true);
  return controls;
}

test("keys of the browser have the names of the tables", () => {
  assert.deepEqual(["ArrowLeft", " ", "X", "Backspace", "Enter"].map(keyName), ["left", "space", "x", "backspace", "return"]);
});

test("held keys mean the action with most of them, and nothing held stands still", () => {
  assert.equal(pressed().choose(), 1);
  assert.equal(pressed("d").choose(), 2);
  assert.equal(pressed("right", "up").choose(), 4);
  assert.equal(pressed("left", "right").choose(), 2); // the newer one
  assert.equal(pressed("right", "left").choose(), 0);
});

test("a tap counts for one step", () => {
  const controls = pressed("right");
  controls.handle("right", false);
  assert.equal(controls.choose(), 2);
  assert.equal(controls.choose(), 1);
});

test("a held special action takes turns with a held move", () => {
  const controls = pressed("right", "space");
  assert.deepEqual([1, 2, 3, 4].map(() => controls.choose()), [5, 2, 5, 2]);
});

test("foreign keys are left alone, and who looks away lets go", () => {
  const controls = pressed("right");
  assert.equal(controls.handle("q", true), false);
  controls.releaseAll();
  assert.equal(controls.choose(), 1);
});
