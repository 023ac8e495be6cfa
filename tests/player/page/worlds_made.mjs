// A real game and a learned world that can be computed by head, for tests of the player's logic.

const frameOf = (value) => new Uint8Array(12).fill(value);

/** A line: an action moves to the right by itself; the episode ends at 40 with a reward of 1. */
export class Line {
  seed(seed) {
    this.start = seed;
    this.reset();
  }
  reset() {
    this.place = this.start;
    this.reward = 0;
  }
  step(action) {
    this.place += action;
    this.reward = this.terminated ? 1 : 0;
  }
  get terminated() {
    return this.place >= 40;
  }
  truncated = false;
  frame = () => frameOf(this.place);
  save = () => [this.place, this.reward];
  load = ([place, reward]) => Object.assign(this, { place, reward });
}

/** The bytes of recorded episodes as worldmodels publish writes them: `frames` has those of each, as changes. */
export function recordOf(shape, episodes, frames) {
  const head = new TextEncoder().encode(JSON.stringify({ shape, episodes })), bytes = new Uint8Array(4 + head.length + frames.length);
  new DataView(bytes.buffer).setUint32(0, head.length, true);
  bytes.set(head, 4);
  bytes.set(frames, 4 + head.length);
  return bytes;
}

/** Two recorded episodes of one grey pixel: 5 7 10 13 and an end that pays 1, and the beginning of one, 250 1. */
export const RECORD = recordOf(
  [1, 1, 1],
  [
    { actions: [2, 3, 3], rewards: [0, 0, 1], ended: true, held_out: true },
    { actions: [1], rewards: [0.5], ended: false, held_out: false },
  ],
  [5, 2, 3, 3, 250, 7],
);

/** A model of the line that moves twice as far, pays 0.5 for each step, and expects the end from 30 on. */
export class Doubled {
  /** `policy` gives the action that the policy of this world chooses at a place. */
  constructor(policy = null) {
    this.policy = policy;
  }
  moments = new Map();
  keys = [];
  async observe(frame, action, isFirst, key) {
    this.keys.push(key);
    this.tracked = frame[0];
    return { ...this.seen(this.tracked, 0, 1), ...(this.policy && { choice: { action: this.policy(this.tracked) } }) };
  }
  async step(action, settings, key) {
    this.keys.push(key);
    this.settings = { ...settings };
    this.predicted += 2 * action;
    return this.seen(this.predicted, 0.5, this.predicted >= 30 ? 0.2 : 0.9);
  }
  async choose(key) {
    this.keys.push(key);
    return this.policy ? { action: this.policy(this.predicted) } : undefined;
  }
  async branch(action, settings, count, steps) {
    return Array.from({ length: count }, (_, i) => frameOf(this.predicted + 2 * action * steps + i));
  }
  async putBack() {
    this.predicted = this.tracked;
  }
  async save(moment) {
    this.moments.set(moment, [this.tracked, this.predicted]);
  }
  async load(moment) {
    [this.tracked, this.predicted] = this.moments.get(moment);
  }
  seen = (value, reward, continuation) => ({ frame: frameOf(value), reward, continuation });
}
