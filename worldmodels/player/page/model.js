// The learned world: two exported functions, `observe` and `step`, of named tensors (the export of the Python package).

import { draw } from "./noise.js";

const ARRAYS = { float32: Float32Array, int32: Int32Array, uint8: Uint8Array, bool: Uint8Array };
const STATE = "state_", NEXT = "next_";

const sizeOf = ({ shape }) => shape.reduce((product, side) => product * side, 1);

/**
 * A world model beside a real game. Its tracker follows the real frames; its prediction goes on alone since it was put
 * back on the tracker's state.
 */
export class Model {
  /** `ort` is ONNX Runtime; `functions` describes both functions as export.json does; `sessions` runs them by name. */
  constructor(ort, functions, sessions) {
    Object.assign(this, { ort, functions, sessions });
    this.initial = Object.fromEntries(
      functions.observe.outputs.filter(({ name }) => name.startsWith(NEXT)).map((output) => [
        output.name.slice(NEXT.length),
        this.tensor(output, new ARRAYS[output.dtype](sizeOf(output))),
      ]),
    );
    this.tracked = this.predicted = this.initial;
  }

  /** Compile the functions of some bytes by name. */
  static async load(ort, functions, files) {
    const sessions = {};
    for (const name of Object.keys(functions)) {
      sessions[name] = await ort.InferenceSession.create(files[name], { executionProviders: ["wasm"] });
    }
    return new Model(ort, functions, sessions);
  }

  /** Take in a real frame, and the action that led to it unless an episode begins. */
  async observe(frame, action, isFirst, key) {
    const given = { observation: frame, action: [action], is_first: [isFirst] };
    const outputs = await this.run("observe", this.tracked, given, key);
    this.tracked = nextState(outputs);
    return seen(outputs);
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
  }

  /** Return both states; tensors are never changed, so this copies nothing. */
  save() {
    return { tracked: this.tracked, predicted: this.predicted };
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

function seen({ frame, reward, continuation }) {
  return { frame: frame.data, reward: reward.data[0], continuation: continuation.data[0] };
}
