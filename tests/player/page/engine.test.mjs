// The module of the games refuses what it must, and goes back to a saved state. ENGINE names the module's file.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Engine, GameError } from "../../../worldmodels/player/page/engine.js";

const engine = await Engine.load(readFileSync(process.env.ENGINE));

function begun(name = "coinrun", options = {}, seed = 7) {
  const game = engine.open(name, options);
  game.seed(seed);
  return game;
}

test("a frame has three bytes for each pixel and is a copy", () => {
  const game = begun(), before = game.frame(), kept = before.slice();
  assert.equal(before.length, 64 * 64 * 3);
  assert.equal(game.frame(512).length, 512 * 512 * 3);
  for (let i = 0; i < 20; i++) game.step(7);
  assert.deepEqual(before, kept);
  assert.notDeepEqual(game.frame(), kept);
});

test("levels lie in the range that the options give", () => {
  const game = begun("maze", { num_levels: 2, start_level: 30 });
  const seen = new Set();
  for (let i = 0; i < 40; i++) {
    seen.add(game.level);
    game.reset();
  }
  assert.deepEqual([...seen].sort(), [30, 31]);
});

test("what cannot be is a sentence", () => {
  const says = (text, act) => assert.throws(act, (error) => error instanceof GameError && error.message.includes(text));
  says("There is no game 'pong'.", () => engine.open("pong"));
  says("There is no distribution mode 'odd'.", () => engine.open("maze", { distribution_mode: "odd" }));
  says("BigFish has no distribution mode 'memory'.", () => engine.open("bigfish", { distribution_mode: "memory" }));
  says("There is no option 'colour'.", () => engine.open("maze", { colour: 1 }));
  says("num_levels is 0", () => engine.open("maze", { num_levels: -1 }));
  says("the first episode has not begun", () => engine.open("maze").step(0));
  says("the first episode has not begun", () => engine.open("maze").frame());
  says("received 15.", () => begun().step(15));
});

test("a step after the end of an episode is refused, and the next level begins", () => {
  const game = begun("bossfight");
  while (!game.terminated && !game.truncated) game.step(4);
  assert.throws(() => game.step(4), GameError);
  game.reset();
  game.step(4);
  assert.equal(game.terminated, false);
});

test("a saved state is where the game goes on, in another game, too", () => {
  const game = begun("starpilot");
  for (let i = 0; i < 30; i++) game.step(i % 9);
  const state = game.save(), other = begun("starpilot", {}, 8);
  other.load(state);
  for (let i = 0; i < 30; i++) {
    game.step((i * 5) % 15);
    other.step((i * 5) % 15);
    assert.deepEqual(other.frame(), game.frame());
  }
});

test("a damaged state changes nothing", () => {
  const game = begun("heist"), before = game.frame(), state = game.save();
  for (const wrong of [new Uint8Array(0), state.slice(1), state.map((byte, i) => (i === 40 ? byte ^ 1 : byte))]) {
    assert.throws(() => game.load(wrong), GameError);
  }
  assert.deepEqual(game.frame(), before);
});

test("what is no module is refused", async () => {
  await assert.rejects(Engine.load(Uint8Array.of(1, 2, 3)), WebAssembly.CompileError);
});
