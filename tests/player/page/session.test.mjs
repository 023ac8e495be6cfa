import assert from "node:assert/strict";
import { test } from "node:test";
import { Controls } from "../../../worldmodels/player/page/controls.js";
import { Playthrough } from "../../../worldmodels/player/page/playthrough.js";
import { RecordedGame } from "../../../worldmodels/player/page/recorded.js";
import { Session } from "../../../worldmodels/player/page/session.js";
import { Doubled, Line, RECORD } from "./worlds_made.mjs";

async function begun(options, policy, game = new Line()) {
  const playthrough = new Playthrough(game, new Doubled(policy), { temperature: 1, calls: 3 });
  await playthrough.begin(0);
  return new Session(playthrough, new Controls([[], ["right"]], { right: ["right"] }), options);
}

async function ticks(session, count) {
  for (let i = 0; i < count; i++) await session.tick();
}

const events = (session) => session.playthrough.state.events.map((event) => event.join(" "));

test("a held key moves at each tick, and C pauses", async () => {
  const session = await begun();
  session.press("right", true);
  await ticks(session, 2);
  session.press("right", false);
  await ticks(session, 1);
  assert.deepEqual(events(session), ["action 1", "action 1", "action 0"]);
  session.press("c", true);
  await ticks(session, 5);
  assert.equal(session.clock, "paused");
  assert.equal(events(session).length, 3);
});

test("paused, an action key and N are one step each", async () => {
  const session = await begun();
  session.press("n", true);
  await ticks(session, 3);
  session.press("right", true);
  await ticks(session, 3);
  assert.deepEqual(events(session), ["action 0", "action 1"]);
});

test("X puts back, R begins anew, Back goes back and pauses", async () => {
  const session = await begun();
  for (const key of ["x", "r"]) {
    session.press(key, true);
    await ticks(session, 1);
  }
  assert.deepEqual(events(session), ["put back", "action 0", "new episode", "action 0"]);
  session.press("backspace", true);
  await ticks(session, 2);
  assert.deepEqual(events(session), ["put back", "action 0", "new episode"]);
  assert.equal(session.paused, true);
});

test("the end of an episode is shown for a second, and the next one begins", async () => {
  const session = await begun();
  session.press("right", true);
  await ticks(session, 40);
  assert.equal(session.clock, "episode over");
  await ticks(session, 14);
  assert.equal(session.playthrough.state.episode, 1);
  await ticks(session, 1);
  assert.equal(session.playthrough.state.episode, 2);
});

test("a link's events are played, and then the person plays on", async () => {
  const link = [["temperature", 0.5], ["action", 1], ["put back"], ["action", 1]];
  const session = await begun({ events: link });
  assert.equal(session.clock, "the link's keys");
  await ticks(session, 6);
  assert.deepEqual(session.playthrough.state.events, link);
  assert.equal(session.playthrough.settings.temperature, 0.5);
  assert.equal(session.clock, "paused");
});

test("what is said after the last event of a link can be chosen", async () => {
  const session = await begun({ events: [["action", 1]], end: "a reason" });
  await ticks(session, 1);
  assert.equal(session.notice, "a reason: C plays on");
});

test("a key takes over from a link", async () => {
  const session = await begun({ events: Array(9).fill(["action", 0]) });
  await ticks(session, 2);
  session.press("right", true);
  await ticks(session, 1);
  assert.deepEqual(events(session), ["action 0", "action 0", "action 1"]);
});

test("a slow machine gets fewer calls, until the person chooses", async () => {
  const session = await begun({ rate: 10 });
  for (let i = 0; i < 10; i++) session.took(120);
  await ticks(session, 1);
  assert.equal(session.playthrough.settings.calls, 2);
  for (let i = 0; i < 30; i++) session.took(i % 9 ? 120 : 90);
  await ticks(session, 1);
  assert.equal(session.playthrough.settings.calls, 2); // never ten in a row
  session.set("calls", 3);
  for (let i = 0; i < 30; i++) session.took(120);
  await ticks(session, 1);
  assert.equal(session.playthrough.settings.calls, 3);
});

test("B shows three futures and stands still, and once more or any key ends that", async () => {
  const session = await begun();
  session.press("right", true);
  await ticks(session, 1);
  session.press("right", false);
  session.press("b", true);
  await ticks(session, 3);
  assert.deepEqual(session.branches.frames.map((frame) => frame[0]), [42, 43, 44]); // 2, and 20 times 2
  assert.deepEqual([session.branches.action, session.branches.steps, session.paused], [1, 20, true]);
  assert.deepEqual(events(session), ["action 1"]);
  session.press("b", true);
  await ticks(session, 1);
  assert.equal(session.branches, null);
  session.press("b", true);
  await ticks(session, 1);
  session.press("x", true);
  assert.equal(session.branches, null);
});

test("P lets the policy play, and P or an action key takes over", async () => {
  const session = await begun({}, (place) => (place < 2 ? 1 : 3));
  assert.equal(session.commands.at(-1)[0], "p");
  session.press("p", true);
  await ticks(session, 3);
  assert.equal(session.clock, "the policy plays");
  session.press("p", true);
  await ticks(session, 1);
  session.press("p", true);
  session.press("right", true);
  await ticks(session, 1);
  assert.deepEqual(events(session), ["action 1", "action 1", "action 3", "action 0", "action 1"]);
  assert.equal(session.notice, "you play");
});

test("the policy chooses anew at the moment that Back leads to", async () => {
  const session = await begun({}, (place) => place + 1);
  session.press("p", true);
  await ticks(session, 2);
  session.press("backspace", true);
  await ticks(session, 1);
  assert.equal(session.choice.action, 2);
  session.press("n", true);
  await ticks(session, 1);
  assert.deepEqual(events(session), ["action 1", "action 2"]);
});

test("the policy takes over from a link", async () => {
  const session = await begun({ events: Array(9).fill(["action", 0]) }, () => 1);
  await ticks(session, 1);
  session.press("p", true);
  await ticks(session, 1);
  assert.deepEqual(events(session), ["action 0", "action 1"]);
});

test("a world without a policy has no key for one", async () => {
  const session = await begun();
  assert.equal(session.press("p", true), false);
  assert.equal(session.policyPlays, false);
});

test("a recording plays by itself until a key is pressed, and X lets it go on there", async () => {
  const session = await begun({}, undefined, new RecordedGame(RECORD, 4));
  await ticks(session, 1);
  assert.equal(session.clock, "the recording plays");
  session.press("right", true);
  session.press("right", false);
  await ticks(session, 2);
  assert.deepEqual([session.clock, session.notice], ["running", "the model goes on alone; X goes back to the recording"]);
  session.press("x", true);
  await ticks(session, 2);
  assert.deepEqual(events(session), ["action 2", "action 1", "action 0", "put back", "action 3", "action 3"]);
  assert.equal(session.clock, "episode over");
});

test("R begins the next recorded episode, which plays", async () => {
  const session = await begun({}, undefined, new RecordedGame(RECORD, 4));
  session.press("right", true);
  session.press("right", false);
  await ticks(session, 1);
  assert.equal(session.commands.at(-1)[3], "next recorded episode");
  session.press("r", true);
  await ticks(session, 1);
  assert.deepEqual(events(session), ["action 1", "new episode", "action 1"]);
  assert.equal(session.playthrough.game.index, 1);
});

test("a key that is held at the end of a recording leaves the next one", async () => {
  const session = await begun({}, undefined, new RecordedGame(RECORD, 4));
  await ticks(session, 3);
  assert.equal(session.clock, "episode over");
  session.press("right", true);
  await ticks(session, 15);
  session.controls.choose = () => 0;
  await ticks(session, 1);
  assert.equal(session.playthrough.game.frozen, true);
});

test("after a link that left a recording the person plays, and one that did not goes on with it", async () => {
  for (const [action, then] of [[0, "action 0"], [2, "action 3"]]) {
    const session = await begun({ events: [["action", action]] }, undefined, new RecordedGame(RECORD, 4));
    await ticks(session, 1);
    session.press("c", true);
    await ticks(session, 1);
    assert.equal(events(session)[1], then);
  }
});

test("the policy leaves a recording, and plays on at the prediction", async () => {
  const session = await begun({}, (place) => (place === 5 ? 1 : 0), new RecordedGame(RECORD, 4));
  session.press("p", true);
  await ticks(session, 2);
  assert.deepEqual(events(session), ["action 1", "action 0"]); // at 5, and at the prediction of 7
  assert.equal(session.playthrough.game.frozen, true);
});
