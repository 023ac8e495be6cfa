// A session: the clock, the keys and the settings of a playthrough. It knows nothing of the document.

export const TEMPERATURES = [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2];
export const CALLS = [1, 2, 3, 4, 5, 8];
export const RATES = [1, 2, 3, 5, 8, 10, 15, 20, 30];
const END_TICKS = 15; // that the end of an episode is shown
const LATE_TICKS = 10; // in a row that take too long, after which frames are drawn in fewer calls

/** Keys of the player, their names on buttons, and what they do: as the Python player's. */
export const COMMANDS = [
  ["x", "X", "put back", "put the model back on the real state"],
  ["c", "C", "pause", "pause or run; paused, each action key is one step"],
  ["n", "N", "step", "one step, then pause"],
  ["backspace", "Back", "back", "one step back, of both worlds"],
  ["b", "B", "branch", "branch: three samples of the future from here, under the last action"],
  ["r", "R", "new", "new episode"],
];
const NEXT_RECORD = ["r", "R", "next", "next recorded episode"];
/** The key of worlds in which a policy learned. */
const POLICY = ["p", "P", "policy", "let the policy play, and take over again; any action key takes over"];

export class Session {
  /** `rate` is in steps a second; `events` of a link are played before the person plays, and `end` is said after them. */
  constructor(playthrough, controls, { rate = 15, events = [], end = "this is where the link ends" } = {}) {
    Object.assign(this, { playthrough, controls, rate, end });
    this.replay = [...events];
    this.fromLink = events.length > 0;
    this.paused = this.oneStep = false;
    this.waiting = []; // commands, which are done between steps
    this.endTicks = END_TICKS;
    this.late = 0;
    this.notice = "";
    this.branches = null; // {action, steps, frames}
    this.policyPlays = this.personPlays = false; // while neither does, a recorded episode plays by itself
  }

  get commands() {
    const commands = this.playthrough.game.recorded ? COMMANDS.with(-1, NEXT_RECORD) : COMMANDS;
    return this.choice ? [...commands, POLICY] : commands;
  }

  /** What the policy chooses now, if there is one. */
  get choice() {
    const { choice, tracked } = this.playthrough.state;
    return choice ?? tracked.choice;
  }

  /** Whether the next action is the recorded one. */
  get recordPlays() {
    const { game } = this.playthrough;
    return Boolean(game.recorded) && !game.frozen && !this.personPlays && !this.policyPlays;
  }

  /** The action of the step that comes now. */
  get action() {
    if (this.policyPlays) return this.choice.action;
    return this.recordPlays ? this.playthrough.game.action : this.controls.choose();
  }

  /** Take a key by its name; return whether it means something. */
  press(key, pressed) {
    if (pressed && key !== "b") this.branches = null;
    if (this.controls.handle(key, pressed)) {
      if (pressed) this.takeOver();
      return true;
    }
    const command = this.commands.find(([name]) => name === key);
    if (command && pressed) this.command(key);
    return Boolean(command);
  }

  command(key) {
    const event = (what, notice) => this.waiting.push(async () => {
      await this.playthrough.do(what);
      this.personPlays = this.controls.held.length > 0;
      this.notice = notice;
      this.endTicks = END_TICKS;
    });
    if (key === "x") event(["put back"], "put back on the real state");
    else if (key === "r") event(["new episode"], "");
    else if (key === "c") this.paused = !this.paused;
    else if (key === "n") this.paused = this.oneStep = true;
    else if (key === "backspace") this.waiting.push(() => this.back());
    else if (key === "b") this.waiting.push(() => this.branch());
    else if (key === "p") this.togglePolicy();
  }

  /** Change "temperature" or "calls". */
  set(what, value) {
    if (what === "calls") this.late = -Infinity; // the person has chosen
    this.waiting.push(() => this.playthrough.do([what, value]));
  }

  /** Let the person play, instead of a link or the policy. */
  takeOver() {
    if (this.replay.length) this.notice = "you play on from here";
    else if (this.policyPlays) this.notice = "you play";
    else if (this.recordPlays) this.notice = "the model goes on alone; X goes back to the recording";
    this.replay = [];
    this.policyPlays = false;
    this.personPlays = true;
  }

  togglePolicy() {
    if (this.policyPlays) return this.takeOver();
    this.replay = [];
    this.policyPlays = true;
    this.notice = "the policy plays";
  }

  async back() {
    this.paused = true;
    this.replay = [];
    this.endTicks = END_TICKS;
    this.notice = (await this.playthrough.back()) ? "" : "this is as far back as it goes";
    this.personPlays = false;
  }

  /** Show three samples of the future under the last action, and stand still meanwhile; once more ends it. */
  async branch() {
    this.paused = true;
    this.branches = this.branches ? null : await this.playthrough.branch(this.controls.idle);
  }

  /** Do what waits, and the step of a tick if there is one. */
  async tick() {
    for (const work of this.waiting.splice(0)) await work();
    const { playthrough } = this, steps = !this.paused || this.oneStep || this.controls.touched;
    this.oneStep = false;
    if (!steps) return;
    if (this.replay.length) await this.replayOne();
    else if (!playthrough.state.ended) await playthrough.do(["action", this.action]);
    else if (--this.endTicks <= 0) {
      this.endTicks = END_TICKS;
      this.personPlays = this.controls.held.length > 0;
      await playthrough.do(["new episode"]);
    }
  }

  async replayOne() {
    const [event] = this.replay.splice(0, 1), { state } = this.playthrough;
    if (event[0] !== "action" || !state.ended) await this.playthrough.do(event);
    if (this.replay.length) return;
    this.paused = true;
    this.notice = `${this.end}: C plays on`;
  }

  /** Say how long a tick took, in milliseconds; a machine that is too slow gets frames of fewer calls. */
  took(time) {
    const { settings } = this.playthrough, isLate = time > 1100 / this.rate;
    this.late = isLate ? this.late + 1 : Math.min(this.late, 0);
    if (this.late < LATE_TICKS || !(settings.calls > 1) || this.replay.length) return;
    this.late = 0;
    this.waiting.push(() => this.playthrough.do(["calls", settings.calls - 1]));
    this.notice = `${settings.calls - 1} calls for each frame, as fast as this machine is`;
  }

  get clock() {
    if (this.playthrough.state.ended) return "episode over";
    if (this.replay.length) return "the link's keys";
    if (this.paused) return "paused";
    if (this.policyPlays) return "the policy plays";
    return this.recordPlays ? "the recording plays" : "running";
  }
}
