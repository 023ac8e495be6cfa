import assert from "node:assert/strict";
import { test } from "node:test";
import { differenceMap, inColour } from "../../../worldmodels/player/page/view.js";

test("equal pixels are dark, and the largest difference of the three colours counts", () => {
  const a = Uint8Array.of(10, 20, 30, 0, 0, 0, 0, 0, 0), b = Uint8Array.of(10, 20, 30, 0, 255, 1, 95, 0, 3);
  const map = differenceMap(a, b);
  assert.deepEqual([...map.slice(0, 6)], [12, 14, 18, 255, 243, 150]);
  assert.deepEqual([...map.slice(6)], [112, 118, 124]); // 95 of 255 stands half way up
});

test("a grey frame has its number in each colour, and another one stays as it is", () => {
  assert.deepEqual([...inColour(Uint8Array.of(7, 200), [1, 2, 1])], [7, 7, 7, 200, 200, 200]);
  assert.deepEqual([...inColour(Uint8Array.of(1, 2, 3), [1, 1, 3])], [1, 2, 3]);
});
