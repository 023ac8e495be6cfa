// The learned world: exported functions of named tensors (the export of the Python package), `observe` and `step`, and
// `act` if a policy learned in it.

import { draw } from "./noise.js";

const ARRAYS = { float32: Float32Array, int32: Int32Array, uint8: Uint8Array, bool: Uint8Array };
const STATE = "state_", NEXT = "next_", POLICY_TEMPERATURE = 1;

const sizeOf = ({ shape }) => shape.reduce((product, side) => product * side, 1);

/**
 * A world model beside a real game. Its tracker follows the real frames; its prediction goes on alone since it was put
 * back on the tracker's state.
 */
export class Model {
  /** `ort` is ONNX Runtime; `functions` describes the functions as export.json does; `sessions` runs them by name. */
  constructor(ort, functions, sessions) {
    Object.assign(this, { ort, functions, sessions });
    this.tracked = this.predicted = this.zeros(functions.observe);
    this.memory = functions.act ? this.zeros(functions.act) : null; // the policy's
    this.memoryAlone = null; // while it chooses at the prediction
  }

  /** Return the state before an episode of a function. */
  zeros({ outputs }) {
    const states = outputs.filter(({ name }) => name.startsWith(NEXT));
    return Object.fromEntries(states.map((output) => [output.name.slice(NEXT.length), this.tensor(output, new ARRAYS[output.dtype](sizeOf(output)))]));
  }

  /** Compile the functions of some bytes by name; all take their weights from the same bytes. */
  static async load(ort, functions, files, weights, processor = "wasm") {
    const sessions = {}, externalData = [{ path: "weights", data: weights }];
    for (const name of Object.keys(functions)) {
      sessions[name] = await ort.InferenceSession.create(files[name], { executionProviders: [processor], externalData, logSeverityLevel: 3 });
    }
    return new Model(ort, functions, sessions);
  }

  /**
   * Take in a real frame, and the action that led to it unless an episode begins. Return what the model sees there, with
   * the `choice` of the policy if there is one.
   */
  async observe(frame, action, isFirst, key) {
    const given = { observation: frame, action: [action], is_first: [isFirst] };
    const outputs = await this.run("observe", this.tracked, given, key);
    this.tracked = nextState(outputs);
    if (!this.memory) return seen(outputs);
    const { choice, memory } = await this.act({ ...this.tracked, ...this.memory }, isFirst, `${key}/act`);
    this.memory = memory;
    return { ...seen(outputs), choice };
  }

  /** Let the policy, if there is one, choose at the prediction, because there is no real frame; return its choice. */
  async choose(key) {
    if (!this.memory) return undefined;
    const { choice, memory } = await this.act({ ...this.predicted, ...(this.memoryAlone ?? this.memory) }, false, key);
    this.memoryAlone = memory;
    return choice;
  }

  /**
   * Return the `choice` of the policy at a state, with the `memory` that it has then: the action, the probability of
   * each if it gives them, and the value.
   */
  async act(state, isFirst, key) {
    const given = { is_first: [isFirst], temperature: [POLICY_TEMPERATURE] };
    const outputs = await this.run("act", state, given, key);
    const { action, logits, value } = outputs;
    const choice = { action: action.data[0], probabilities: logits && softmax([...logits.data]), value: value?.data[0] };
    return { choice, memory: nextState(outputs) };
  }

  /** Predict the next frame under an action, from the prediction before, and return it with reward and continuation. */
  async step(action, { temperature, calls }, key) {
    const outputs = await this.run("step", this.predicted, { action: [action], temperature: [temperature], calls: [calls] }, key);
    this.predicted = nextState(outputs);
    return seen(outputs);
  }

  /** Return the last frames of `count` samples of so many steps under one action; the prediction stays where it is. */
  async branch(action, settings, count, steps, key) {
    const saved = this.save(), frames = [];
    for (let sample = 0; sample < count; sample++) {
      let seen;
      this.load(saved);
      for (let i = 0; i < steps; i++) seen = await this.step(action, settings, `${key}/${sample}/${i}`);
      frames.push(seen.frame);
    }
    this.load(saved);
    return frames;
  }

  /** Predict on from the real state. */
  putBack() {
    this.predicted = this.tracked;
    this.memoryAlone = null;
  }

  /** Return all states; tensors are never changed, so this copies nothing. */
  save() {
    return { tracked: this.tracked, predicted: this.predicted, memory: this.memory, memoryAlone: this.memoryAlone };
  }

  load(saved) {
    Object.assign(this, saved);
  }

  async run(name, state, given, key) {
    const feeds = {};
    for (const input of this.functions[name].inputs) {
      const values = input.draw ? draw(input.draw, sizeOf(input), `${key}/${input.name}`) : given[input.name];
      feeds[input.name] = state[input.name] ?? this.tensor(input, ARRAYS[input.dtype].from(values));
    }
    return this.sessions[name].run(feeds);
  }

  tensor({ dtype, shape }, values) {
    return new this.ort.Tensor(dtype, values, shape);
  }
}

function nextState(outputs) {
  const names = Object.keys(outputs).filter((name) => name.startsWith(NEXT + STATE));
  return Object.fromEntries(names.map((name) => [name.slice(NEXT.length), outputs[name]]));
}

function softmax(logits) {
  const most = Math.max(...logits), weights = logits.map((logit) => Math.exp(logit - most));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

function seen({ frame, reward, continuation }) {
  return { frame: frame.data, reward: reward.data[0], continuation: continuation.data[0] };
}
