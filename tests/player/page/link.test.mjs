import assert from "node:assert/strict";
import { test } from "node:test";
import { LinkError, checkActions, readLink, writeLink } from "../../../worldmodels/player/page/link.js";

const EVENTS = [["calls", 2], ["action", 7], ["action", 7], ["action", 7], ["put back"], ["action", 0], ["temperature", 0.25], ["new episode"], ["action", 14]];

test("a link is short, and says what was pressed", () => {
  const link = writeLink({ world: "coinrun", seed: 12, events: EVENTS });
  assert.equal(link, "#world=coinrun&seed=12&keys=C2h3xaT0.25ro");
  assert.deepEqual(readLink(link), { world: "coinrun", seed: 12, events: EVENTS });
});

test("a link without keys, and none at all", () => {
  assert.deepEqual(readLink(writeLink({ world: "maze", seed: 0, events: [] })), { world: "maze", seed: 0, events: [] });
  assert.equal(readLink(""), null);
});

test("actions from 15 on have the letters that the other events leave free", () => {
  const events = [14, 15, 17, 18, 23, 24, 26, 47, 47].map((action) => ["action", action]);
  const link = writeLink({ world: "pong", seed: 0, events });
  assert.equal(link, "#world=pong&seed=0&keys=opstzADZ2");
  assert.deepEqual(readLink(link).events, events);
});

test("a link with an action that a world lacks is a sentence", () => {
  checkActions([["action", 5], ["calls", 8]], 6);
  assert.throws(() => checkActions([["action", 6]], 6), LinkError);
});

test("what is no link is a sentence", () => {
  for (const wrong of ["#seed=-1", "#seed=x", "#seed=1e20", "#seed=0.5", "#keys=c%21", "#keys=h3%3Cscript%3E", "#keys=T", "#keys=h99999"]) {
    assert.throws(() => readLink(wrong), LinkError, wrong);
  }
});
