import assert from "node:assert/strict";
import { test } from "node:test";
import { LinkError, readLink, writeLink } from "../../../worldmodels/player/page/link.js";

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

test("what is no link is a sentence", () => {
  for (const wrong of ["#seed=-1", "#seed=x", "#seed=1e20", "#seed=0.5", "#keys=p", "#keys=h3%3Cscript%3E", "#keys=T", "#keys=h99999"]) {
    assert.throws(() => readLink(wrong), LinkError, wrong);
  }
});
