import assert from "node:assert/strict";
import { test } from "node:test";
import { hasGpu, machineText } from "../../../worldmodels/player/page/processors.js";

const gpu = (adapter) => ({ requestAdapter: async () => adapter });

test("a graphics processor counts unless the main one computes it", async () => {
  assert.equal(await hasGpu(gpu({ info: { isFallbackAdapter: false } })), true);
  assert.equal(await hasGpu(gpu({ info: {} })), true);
  assert.equal(await hasGpu(gpu({ info: { isFallbackAdapter: true } })), false);
  assert.equal(await hasGpu(gpu({ isFallbackAdapter: true })), false); // older browsers
  assert.equal(await hasGpu(gpu(null)), false);
  assert.equal(await hasGpu({ requestAdapter: () => Promise.reject(new Error("blocked")) }), false);
  assert.equal(await hasGpu(null), false);
});

test("the page says where the world runs", () => {
  assert.equal(machineText("webgpu", 1), "on the graphics processor (WebGPU)");
  assert.equal(machineText("wasm", 1), "in WebAssembly, with one thread");
  assert.equal(machineText("wasm", 3), "in WebAssembly, with 3 threads");
});
