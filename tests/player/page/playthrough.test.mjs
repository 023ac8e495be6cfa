import assert from "node:assert/strict";
import { test } from "node:test";
import { Playthrough, imageError } from "../../../worldmodels/player/page/playthrough.js";
import { RecordedGame } from "../../../worldmodels/player/page/recorded.js";
import { Doubled, Line, RECORD } from "./worlds_made.mjs";

const begun = (...events) => begunIn(new Line(), 5, ...events);

async function begunIn(game, seed, ...events) {
  const model = new Doubled((place) => place % 4), playthrough = new Playthrough(game, model, { temperature: 1, calls: 2 });
  await playthrough.begin(seed);
  for (const event of events) await playthrough.do(event);
  return { playthrough, model, get state() { return playthrough.state; } };
}

const places = ({ state }) => [state.predicted.frame[0], state.real.frame[0]];

test("the error is the mean over all numbers", () => {
  assert.equal(imageError(Uint8Array.of(0, 10, 255), Uint8Array.of(5, 0, 255)), 5);
});

test("the same action moves both worlds, and the error grows", async () => {
  const one = await begun(["action", 3], ["action", 4]);
  assert.deepEqual(places(one), [19, 12]);
  assert.deepEqual(one.state.history.map(({ mark, error }) => [mark, error]), [["episode", 0], ["", 3], ["", 7]]);
  assert.deepEqual([one.state.step, one.state.sincePutBack, one.state.action], [2, 2, 4]);
  assert.equal(one.state.predicted.total, 1);
  assert.equal(one.state.real.total, 0);
});

test("put back, the model predicts on from the real state", async () => {
  const one = await begun(["action", 3], ["put back"], ["action", 1]);
  assert.deepEqual(places(one), [10, 9]);
  assert.equal(one.state.sincePutBack, 1);
  assert.equal(one.state.predicted.total, 0.5); // of the real return, 0, since when it was put back
});

test("the step from which the model has left reality is marked once until it is put back", async () => {
  const one = await begun(["action", 9], ["action", 1], ["action", 1], ["put back"], ["action", 10]);
  assert.deepEqual(one.state.history.map(({ diverged }) => diverged), [false, false, true, false, false, true]);
});

test("what comes after a predicted end is not paid", async () => {
  const one = await begun(["action", 10], ["action", 5], ["action", 1], ["action", 1]);
  assert.equal(one.state.predicted.ended, true);
  assert.equal(one.state.predicted.total, 1);
});

test("the real end, and the next episode", async () => {
  const one = await begun(["action", 14], ["action", 14], ["action", 14]);
  assert.equal(one.state.ended, true);
  assert.equal(one.state.real.total, 1);
  await one.playthrough.do(["new episode"]);
  assert.deepEqual([one.state.ended, one.state.episode, one.state.step, ...places(one)], [false, 2, 0, 5, 5]);
});

test("back undoes any event, settings and events too, and samples go on as they did", async () => {
  const one = await begun(["action", 3], ["temperature", 0.5], ["put back"], ["action", 2]);
  const after = places(one), keys = one.model.keys.slice(-2);
  for (let i = 0; i < 3; i++) assert.equal(await one.playthrough.back(), true);
  assert.deepEqual(places(one), [11, 8]);
  assert.equal(one.playthrough.settings.temperature, 1);
  assert.deepEqual(one.state.events, [["action", 3]]);
  for (const event of [["temperature", 0.5], ["put back"], ["action", 2]]) await one.playthrough.do(event);
  assert.deepEqual(places(one), after);
  assert.deepEqual(one.model.keys.slice(-2), keys);
  for (let i = 0; i < 4; i++) await one.playthrough.back();
  assert.equal(await one.playthrough.back(), false);
});

test("the same events of the same seed ask for the same samples", async () => {
  const events = [["action", 1], ["calls", 1], ["action", 2], ["put back"], ["action", 3]];
  const [one, other] = [await begun(...events), await begun(...events)];
  assert.deepEqual(one.model.keys, other.model.keys);
  assert.equal(new Set(one.model.keys).size, one.model.keys.length);
  assert.deepEqual(one.model.settings, { temperature: 1, calls: 1 });
});

test("the model goes on alone where a recorded episode is left, and X goes on there", async () => {
  const one = await begunIn(new RecordedGame(RECORD, 4), 0, ["action", 2], ["action", 1], ["action", 3]);
  assert.deepEqual(places(one), [17, 7]);
  assert.deepEqual(one.state.history.map(({ error }) => error), [0, 2, 0, 0]);
  assert.deepEqual([one.state.step, one.state.real.total, one.state.predicted.total], [3, 0, 1.5]);
  assert.deepEqual([one.state.tracked.choice, one.state.choice], [{ action: 3 }, { action: 1 }]); // 17 and 7 modulo 4
  await one.playthrough.do(["put back"]);
  assert.deepEqual([one.state.step, one.state.choice, ...places(one)], [1, undefined, 7, 7]);
  await one.playthrough.do(["action", 3]);
  assert.deepEqual(places(one), [13, 10]);
});

test("back undoes that a recorded episode was left", async () => {
  const one = await begunIn(new RecordedGame(RECORD, 4), 0, ["action", 2], ["action", 1]);
  await one.playthrough.back();
  assert.deepEqual([one.playthrough.game.frozen, ...places(one)], [false, 9, 7]);
});
