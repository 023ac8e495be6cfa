import assert from "node:assert/strict";
import { test } from "node:test";
import { Model } from "../../../worldmodels/player/page/model.js";

class Tensor {
  constructor(dtype, data, shape) {
    Object.assign(this, { dtype, data, shape });
  }
}

const SEEN = [{ name: "frame", dtype: "uint8", shape: [1, 2] }, { name: "reward", dtype: "float32", shape: [1] }, { name: "continuation", dtype: "float32", shape: [1] }];
const NEXT = { name: "next_state_sum", dtype: "float32", shape: [1] }, STATE = { ...NEXT, name: "state_sum" }, ACTION = { name: "action", dtype: "int32", shape: [1] };
const FUNCTIONS = {
  observe: { inputs: [{ name: "observation", dtype: "uint8", shape: [1, 2] }, { name: "is_first", dtype: "bool", shape: [1] }, STATE], outputs: [...SEEN, NEXT] },
  step: { inputs: [ACTION, STATE, { name: "calls", dtype: "int32", shape: [] }, { name: "noise_0", dtype: "float32", shape: [2], draw: "uniform" }], outputs: [...SEEN, NEXT] },
};

const WITH_POLICY = {
  ...FUNCTIONS,
  act: { inputs: [{ name: "is_first", dtype: "bool", shape: [1] }, STATE, { ...STATE, name: "state_agent" }, { name: "temperature", dtype: "float32", shape: [] }], outputs: [{ ...NEXT, name: "next_state_agent" }] },
};

/** A model whose state is a sum of actions, or what was observed last. */
function made(functions = FUNCTIONS) {
  const given = [];
  const outputs = (sum) => ({ frame: new Tensor("uint8", Uint8Array.of(sum, sum), [1, 2]), reward: { data: [1] }, continuation: { data: [0.5] }, next_state_sum: new Tensor("float32", Float32Array.of(sum), [1]) });
  const sessions = {
    observe: { run: async (feeds) => (given.push(feeds), outputs(feeds.is_first.data[0] ? 0 : feeds.observation.data[0])) },
    step: { run: async (feeds) => (given.push(feeds), outputs(feeds.state_sum.data[0] + feeds.action.data[0])) },
    act: { run: async (feeds) => ({ action: { data: [feeds.state_sum.data[0] % 2] }, logits: { data: [Math.log(1), Math.log(3)] }, value: { data: [0.25] }, next_state_agent: new Tensor("float32", Float32Array.of(feeds.state_agent.data[0] + 1), [1]) }) },
  };
  return { model: new Model({ Tensor }, functions, sessions), given };
}

test("the prediction goes on alone while the tracker follows the real frames", async () => {
  const { model } = made(), settings = { temperature: 1, calls: 2 };
  await model.step(3, settings, "a");
  await model.observe(Uint8Array.of(9, 9), 3, false, "a");
  assert.deepEqual([...(await model.step(4, settings, "b")).frame], [7, 7]);
  model.putBack();
  const saved = model.save();
  assert.deepEqual(await model.step(4, settings, "c"), { frame: Uint8Array.of(13, 13), reward: 1, continuation: 0.5 });
  model.load(saved);
  assert.deepEqual([...(await model.step(1, settings, "d")).frame], [10, 10]);
});

test("a function gets the inputs of its description, by their types, and noise by its key", async () => {
  const { model, given } = made();
  await model.step(3, { temperature: 1, calls: 2 }, "a");
  await model.step(3, { temperature: 1, calls: 2 }, "a");
  await model.step(3, { temperature: 1, calls: 2 }, "b");
  assert.deepEqual(Object.keys(given[0]), ["action", "state_sum", "calls", "noise_0"]);
  assert.deepEqual([given[0].calls.data, given[0].calls.shape], [Int32Array.of(2), []]);
  assert.deepEqual(given[0].noise_0.data, given[1].noise_0.data);
  assert.notDeepEqual(given[0].noise_0.data, given[2].noise_0.data);
});

test("a policy chooses at each real frame, and its memory is saved", async () => {
  const { model } = made(WITH_POLICY);
  const { choice } = await model.observe(Uint8Array.of(7, 7), 0, false, "a");
  assert.equal(choice.action, 1);
  assert.equal(choice.value, 0.25);
  choice.probabilities.forEach((share, i) => assert.ok(Math.abs(share - [0.25, 0.75][i]) < 1e-12));
  const saved = model.save();
  await model.observe(Uint8Array.of(8, 8), 0, false, "b");
  assert.equal(model.memory.state_agent.data[0], 2);
  model.load(saved);
  assert.equal(model.memory.state_agent.data[0], 1);
  assert.equal((await made().model.observe(Uint8Array.of(7, 7), 0, false, "a")).choice, undefined);
});

test("without a real frame the policy chooses at the prediction, with a memory that ends when it is put back", async () => {
  const { model } = made(WITH_POLICY), settings = { temperature: 1, calls: 1 };
  await model.observe(Uint8Array.of(7, 7), 0, false, "a");
  model.putBack();
  await model.step(3, settings, "b");
  assert.equal((await model.choose("c")).action, 0); // at 10, and not at 7
  await model.choose("d");
  assert.deepEqual([model.memory, model.memoryAlone].map(({ state_agent: { data } }) => data[0]), [1, 3]);
  model.putBack();
  assert.equal(model.memoryAlone, null);
  assert.equal(await made().model.choose("a"), undefined);
});

test("branches are samples of their own, and the prediction stays where it is", async () => {
  const { model, given } = made(), settings = { temperature: 1, calls: 1 };
  await model.step(3, settings, "a");
  const frames = await model.branch(2, settings, 3, 4, "b");
  assert.deepEqual(frames.map((frame) => frame[0]), [11, 11, 11]); // 3 and 4 times 2
  const noises = given.slice(1).map((feeds) => String(feeds.noise_0.data));
  assert.equal(new Set(noises).size, 12);
  assert.equal((await model.step(1, settings, "c")).frame[0], 4);
});
