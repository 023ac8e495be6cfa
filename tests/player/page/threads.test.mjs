import assert from "node:assert/strict";
import { test } from "node:test";
import { threads } from "../../../worldmodels/player/page/threads.js";

function browser(crossOriginIsolated, hardwareConcurrency) {
  globalThis.self = { crossOriginIsolated };
  Object.defineProperty(globalThis, "navigator", { value: { hardwareConcurrency }, configurable: true });
}

test("the learned world gets each core but the page's own, at most four", () => {
  for (const [cores, expected] of [[undefined, 1], [1, 1], [2, 1], [3, 2], [5, 4], [16, 4]]) {
    browser(true, cores);
    assert.equal(threads(), expected);
  }
});

test("without the headers there is one thread", () => {
  browser(false, 8);
  assert.equal(threads(), 1);
});
