// A playthrough steps the real game and the learned world beside it under the same actions, as the Python player's does.

export const HISTORY = 300; // steps on the time line
const BRANCHES = 3, BRANCH_STEPS = 20;
export const FAR = 10; // error, 0 to 255, from which a model counts as having left reality

/** Return the mean absolute difference over pixels and channels, 0 to 255. */
export function imageError(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs(a[i] - b[i]);
  return sum / a.length;
}

export class Playthrough {
  /**
   * `game` is a game of the engine or a recorded one, `model` a learned world, `settings` {temperature, calls}; `begin`
   * comes first.
   */
  constructor(game, model, settings) {
    Object.assign(this, { game, model, settings });
  }

  /** Begin the first episode of a seed; it is forgotten what was before. */
  async begin(seed) {
    this.seed = seed;
    this.game.seed(seed);
    this.saved = [];
    this.state = { events: [], history: [], steps: 0, episode: 0 };
    await this.placeOnFirst();
  }

  /** Do an event of a link, or of a key. */
  async do([what, value]) {
    await this.remember();
    this.state.events.push(value === undefined ? [what] : [what, value]);
    if (what === "action") await this.step(value);
    else if (what === "put back") await this.putBack();
    else if (what === "new episode") await this.newEpisode();
    else this.settings[what] = value;
  }

  async newEpisode() {
    this.game.reset();
    await this.placeOnFirst();
  }

  async placeOnFirst() {
    const frame = this.game.frame();
    const seen = await this.model.observe(frame, 0, true, this.key("observe"));
    await this.model.putBack();
    Object.assign(this.state, {
      episode: this.state.episode + 1, step: 0, sincePutBack: 0, action: null, ended: false, left: false,
      real: { frame, reward: 0, total: 0 }, tracked: seen, choice: undefined, predicted: { ...seen, total: 0, ended: false },
    });
    this.note("episode");
  }

  /** Step both worlds, the model first: it may not see the real result of the action. */
  async step(action) {
    const { state } = this;
    state.steps += 1;
    const predicted = await this.model.step(action, this.settings, this.key("predict"));
    this.game.step(action);
    await this.observe(action);
    const before = state.predicted, total = before.total + (before.ended ? 0 : predicted.reward);
    state.predicted = { ...predicted, total, ended: before.ended || predicted.continuation < 0.5 };
    Object.assign(state, {
      action, step: state.step + 1, sincePutBack: state.sincePutBack + 1, ended: this.game.terminated || this.game.truncated,
    });
    this.note();
  }

  /** Take in what an action led to; where a recorded episode was left, there is nothing new. */
  async observe(action) {
    const { state, game } = this;
    if (game.frozen) {
      state.choice = await this.model.choose(this.key("choose"));
      state.real = { ...state.real, reward: 0 };
      return;
    }
    const frame = game.frame();
    state.tracked = await this.model.observe(frame, action, false, this.key("observe"));
    state.real = { frame, reward: game.reward, total: state.real.total + game.reward };
  }

  /**
   * Put the model on the real state: from here on the difference of the returns is its error since now. A recorded
   * episode that was left goes on there.
   */
  async putBack() {
    await this.model.putBack();
    const { state } = this;
    if (this.game.frozen) Object.assign(state, { choice: undefined, step: this.game.rejoin() });
    state.predicted = { ...state.tracked, total: state.real.total, ended: state.tracked.continuation < 0.5 };
    Object.assign(state, { sincePutBack: 0, left: false });
    this.note("put back");
  }

  /** Go back to before the last event; return whether that is remembered. */
  async back() {
    const moment = this.saved.pop();
    if (!moment) return false;
    this.game.load(moment.game);
    await this.model.load(moment.count);
    this.state = { ...moment.state, history: [...moment.state.history], events: this.state.events.slice(0, moment.count) };
    Object.assign(this.settings, moment.settings);
    return true;
  }

  /** Return three samples of the future under the last action; nothing changes. Without one, `idle` is taken. */
  async branch(idle) {
    const action = this.state.action ?? idle;
    return { action, steps: BRANCH_STEPS, frames: await this.model.branch(action, this.settings, BRANCHES, BRANCH_STEPS, this.key("branch")) };
  }

  async remember() {
    const { state, saved } = this, count = state.events.length;
    await this.model.save(count);
    const settings = { temperature: this.settings.temperature, calls: this.settings.calls };
    saved.push({ count, game: this.game.save(), settings, state: { ...state, history: [...state.history] } });
    if (saved.length > HISTORY) saved.shift();
  }

  note(mark = "") {
    const { state } = this, error = this.game.frozen ? 0 : imageError(state.real.frame, state.predicted.frame);
    const diverged = !state.left && error >= FAR;
    state.left ||= diverged;
    const { predicted: { reward: modelReward, continuation }, real: { reward } } = state;
    state.history.push({ mark, error, diverged, reward, modelReward, continuation });
    if (state.history.length > HISTORY) state.history.shift();
  }

  key(use) {
    return `${this.seed}/${use}/${this.state.steps}/${this.state.events.length}`;
  }
}
