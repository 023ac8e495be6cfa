import assert from "node:assert/strict";
import { test } from "node:test";
import { RecordError, RecordedGame } from "../../../worldmodels/player/page/recorded.js";
import { RECORD, recordOf } from "./worlds_made.mjs";

function begun(seed = 0) {
  const game = new RecordedGame(RECORD, 4);
  game.seed(seed);
  return game;
}

const seen = (game) => [game.frame()[0], game.reward, game.terminated, game.truncated];

test("the recorded actions show the recorded frames, rewards and ends", () => {
  const game = begun(), shown = [seen(game)];
  while (game.action !== undefined) {
    game.step(game.action);
    shown.push(seen(game));
  }
  assert.deepEqual(shown, [[5, 0, false, false], [7, 0, false, false], [10, 0, false, false], [13, 1, true, false]]);
});

test("a change of a frame goes round at 256, and an episode of which only the beginning is there is cut", () => {
  const game = begun(1);
  game.step(1);
  assert.deepEqual(seen(game), [1, 0.5, false, true]);
});

test("the episodes follow each other, from the one of the seed on", () => {
  const game = begun(3), titles = [game.title];
  game.reset();
  assert.deepEqual([...titles, game.title], ["recorded episode 2 of 2", "recorded episode 1 of 2, which the model never saw"]);
});

test("another action leaves the record, which stands still until it goes on there", () => {
  const game = begun();
  game.step(2);
  game.step(1);
  game.step(3);
  assert.deepEqual([game.frozen, ...seen(game)], [true, 7, 0, false, false]);
  assert.equal(game.rejoin(), 1);
  game.step(3);
  assert.deepEqual([game.frozen, ...seen(game)], [false, 10, 0, false, false]);
});

test("a moment is saved and found again", () => {
  const game = begun();
  game.step(2);
  const saved = game.save();
  game.step(0);
  game.reset();
  game.load(saved);
  assert.deepEqual([game.index, game.at, game.frozen], [0, 1, false]);
});

test("what worldmodels publish did not write is a sentence", () => {
  const episode = { actions: [1], rewards: [0], ended: false, held_out: false };
  const wrong = [
    new Uint8Array(2),
    RECORD.subarray(0, RECORD.length - 1),
    new TextEncoder().encode("abcdefghij"),
    recordOf([1, 1, 1], [], []),
    recordOf([1, 1, 2], [episode], [0, 0, 0, 0]),
    recordOf([1, 1], [episode], [0, 0]),
    recordOf([1, 1, 1], [{ ...episode, actions: [4] }], [0, 0]),
    recordOf([1, 1, 1], [{ ...episode, rewards: [] }], [0, 0]),
    recordOf([1, 1, 1], [{ ...episode, rewards: ["<b>"] }], [0, 0]),
    recordOf([1, 1, 1], [null], [0]),
  ];
  for (const bytes of wrong) assert.throws(() => new RecordedGame(bytes, 4), RecordError);
});
