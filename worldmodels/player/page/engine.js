// The real games: a WebAssembly module of the same C++ sources as the Python package (envs/native/page/engine.cpp).

const SIDE = 64; // pixels of the picture that models see

/** A value from outside is not allowed, or a game failed; the text is a sentence for people. */
export class GameError extends Error {}

export class Engine {
  /** Compile and start the module of some bytes; it takes no more than memory from the page. */
  static async load(bytes) {
    const refuse = (name) => () => {
      throw new GameError(`The games called '${name}', which a page does not have.`);
    };
    const module = await WebAssembly.compile(bytes);
    const imports = {};
    for (const { module: owner, name } of WebAssembly.Module.imports(module)) (imports[owner] ??= {})[name] = refuse(name);
    imports.env.emscripten_notify_memory_growth = () => {}; // views of the memory are made anew at each use
    const { exports } = await WebAssembly.instantiate(module, imports);
    exports._initialize();
    return new Engine(exports);
  }

  constructor(calls) {
    this.calls = calls;
  }

  /**
   * Make a game by the options of `worldmodels.envs.EnvConfig`: `distribution_mode`, and numbers or true and false by
   * name. Throws GameError.
   */
  open(name, { distribution_mode: mode = "easy", ...options } = {}) {
    const given = [];
    const keep = (bytes) => (given.push(this.copy(bytes)), given.at(-1));
    const text = (value) => keep(new TextEncoder().encode(`${value}\0`));
    const values = Int32Array.from(Object.values(options), Number);
    const names = Object.keys(options).join("\0");
    const game = this.calls.engine_open(text(name), text(mode), text(names), keep(new Uint8Array(values.buffer)), values.length);
    for (const place of given) this.calls.free(place);
    if (!game) throw new GameError(this.error());
    return new Game(this, game);
  }

  /** Copy bytes into the module's memory and return their place, which the caller frees. */
  copy(bytes) {
    const place = this.calls.malloc(bytes.length || 1);
    if (!place) throw new GameError("There is no more memory for the games.");
    new Uint8Array(this.calls.memory.buffer, place, bytes.length).set(bytes);
    return place;
  }

  /** Return a copy of bytes of the module's memory. */
  read(place, size) {
    if (!place) throw new GameError(this.error());
    return new Uint8Array(this.calls.memory.buffer, place, size).slice();
  }

  error() {
    const memory = new Uint8Array(this.calls.memory.buffer), start = this.calls.engine_error();
    return new TextDecoder().decode(memory.slice(start, memory.indexOf(0, start)));
  }
}

export class Game {
  constructor(engine, place) {
    this.engine = engine;
    this.place = place;
    this.shape = [SIDE, SIDE, 3]; // of the frames that models see: height, width and colours
  }

  /** Start the choice of levels afresh, as `env.reset(seed=...)` does, and begin the first of them. */
  seed(seed) {
    this.engine.calls.engine_seed(this.place, seed >>> 0, Math.floor(seed / 2 ** 32));
    this.reset();
  }

  /** Begin the next level. */
  reset() {
    this.try("engine_reset");
  }

  /** Advance by an action, 0 to 14. Throws GameError, also after the end of an episode. */
  step(action) {
    this.try("engine_step", action);
  }

  /** Return the moment as red, green and blue of each pixel, row by row; 64 pixels a side for models, 512 for people. */
  frame(side = SIDE) {
    return this.engine.read(this.engine.calls.engine_frame(this.place, side), side * side * 3);
  }

  get reward() {
    return this.ask("reward");
  }

  get terminated() {
    return Boolean(this.ask("terminated"));
  }

  get truncated() {
    return Boolean(this.ask("truncated"));
  }

  /** The seed of the level that is shown. */
  get level() {
    return this.ask("level");
  }

  /** The name of the level for people. */
  get title() {
    return `level ${this.level}`;
  }

  get levelComplete() {
    return Boolean(this.ask("level_complete"));
  }

  /** Return everything that the future depends on, the choice of the next levels included. */
  save() {
    const place = this.engine.calls.engine_save(this.place);
    return this.engine.read(place, this.ask("state_size"));
  }

  /** Go back to what `save` gave. Throws GameError for anything else, and then changes nothing. */
  load(state) {
    const place = this.engine.copy(state);
    try {
      this.try("engine_load", place, state.length);
    } finally {
      this.engine.calls.free(place);
    }
  }

  close() {
    this.engine.calls.engine_close(this.place);
  }

  ask(what) {
    return this.engine.calls[`engine_${what}`](this.place);
  }

  try(name, ...values) {
    if (!this.engine.calls[name](this.place, ...values)) throw new GameError(this.engine.error());
  }
}
