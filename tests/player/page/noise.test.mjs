import assert from "node:assert/strict";
import { test } from "node:test";
import { draw, random } from "../../../worldmodels/player/page/noise.js";

const mean = (values, of = (x) => x) => values.reduce((sum, value) => sum + of(value), 0) / values.length;

test("the same key draws the same numbers, and another key others", () => {
  assert.deepEqual(draw("normal", 9, "5/predict/1"), draw("normal", 9, "5/predict/1"));
  assert.notDeepEqual(draw("normal", 9, "5/predict/1"), draw("normal", 9, "5/predict/2"));
  const firsts = Array.from({ length: 4000 }, (_, i) => random(`0/predict/${i}`)());
  assert.equal(new Set(firsts).size, 4000);
  assert.ok(Math.abs(mean(firsts) - 0.5) < 0.02);
});

test("normal numbers have mean 0, variance 1 and a tail", () => {
  const values = [...draw("normal", 40001, "a")];
  assert.ok(Math.abs(mean(values)) < 0.02);
  assert.ok(Math.abs(mean(values, (x) => x * x) - 1) < 0.03);
  assert.ok(Math.abs(mean(values, (x) => x ** 4) - 3) < 0.2);
});

test("uniform numbers are from 0 to 1, 1 excluded", () => {
  const values = draw("uniform", 40000, "a");
  assert.ok(values.every((x) => x >= 0 && x < 1));
  assert.ok(Math.abs(mean([...values], (x) => x * x) - 1 / 3) < 0.01);
});
