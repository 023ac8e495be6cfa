// Recorded episodes as a game, where no browser can run the environment: they are reality as long as the actions are the
// recorded ones. Another action leaves the record, and reality stands still.

/** The recorded episodes are not as this page knows them; the text is a sentence for people. */
export class RecordError extends Error {}

export class RecordedGame {
  recorded = true;

  /**
   * `bytes` are the length of the head, the head as JSON, and the frames as changes, as worldmodels publish writes
   * them; `actions` is how many there are. Throws RecordError.
   */
  constructor(bytes, actions) {
    const start = 4 + (bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true));
    const { shape, episodes } = headOf(bytes.subarray(4, start));
    if (!isHead(shape, episodes, actions)) throw damaged("their head has another form");
    const size = shape.reduce((product, side) => product * side, 1);
    const frames = episodes.reduce((sum, episode) => sum + episode.actions.length + 1, 0);
    if (bytes.length !== start + size * frames) throw damaged(`they have ${bytes.length - start} bytes of frames`);
    Object.assign(this, { shape, episodes, index: -1, at: 0, frozen: false });
    this.frames = summed(bytes.slice(start), size, episodes);
  }

  /** Choose the episode of a seed, and begin it. */
  seed(seed) {
    this.index = (seed % this.episodes.length) - 1;
    this.reset();
  }

  /** Begin the next episode. */
  reset() {
    Object.assign(this, { index: (this.index + 1) % this.episodes.length, at: 0, frozen: false });
  }

  /** Show the next frame if this is the recorded action, and stand still if it is not. */
  step(action) {
    if (!this.frozen && action === this.action) this.at += 1;
    else this.frozen = true;
  }

  /** The recorded action of the next step; none at the end of the record. */
  get action() {
    return this.episodes[this.index].actions[this.at];
  }

  /** Go on where the record was left, and return at which step that is. */
  rejoin() {
    this.frozen = false;
    return this.at;
  }

  frame() {
    return this.frames[this.index][this.at];
  }

  get reward() {
    return this.at && !this.frozen ? this.episodes[this.index].rewards[this.at - 1] : 0;
  }

  /** Whether the episode is over; one of which only the beginning was recorded is cut. */
  get terminated() {
    return this.isLast && this.episodes[this.index].ended;
  }

  get truncated() {
    return this.isLast && !this.episodes[this.index].ended;
  }

  get isLast() {
    return this.action === undefined && !this.frozen;
  }

  /** The name of the episode for people. */
  get title() {
    const heldOut = this.episodes[this.index].held_out ? ", which the model never saw" : "";
    return `recorded episode ${this.index + 1} of ${this.episodes.length}${heldOut}`;
  }

  save = () => ({ index: this.index, at: this.at, frozen: this.frozen });
  load = (state) => Object.assign(this, state);
}

const damaged = (why) => new RecordError(`The recorded episodes are damaged: ${why}.`);

function headOf(bytes) {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) ?? {};
  } catch {
    throw damaged("their head is no JSON");
  }
}

function isHead(shape, episodes, actions) {
  const isSize = (side) => Number.isInteger(side) && side > 0 && side <= 4096;
  const isAction = (action) => Number.isInteger(action) && action >= 0 && action < actions;
  const isEpisode = (one) =>
    Array.isArray(one?.actions) && one.actions.length > 0 && one.actions.every(isAction) &&
    Array.isArray(one.rewards) && one.rewards.length === one.actions.length && one.rewards.every(Number.isFinite);
  const isShape = Array.isArray(shape) && shape.length === 3 && shape.every(isSize) && [1, 3].includes(shape[2]);
  return isShape && Array.isArray(episodes) && episodes.length > 0 && episodes.every(isEpisode);
}

/** Return the frames of each episode: the first stands there, and each other as its change, modulo 256. */
function summed(bytes, size, episodes) {
  let place = 0;
  return episodes.map(({ actions }) => Array.from({ length: actions.length + 1 }, (_, step) => {
    const frame = bytes.subarray(place, place + size);
    if (step) for (let i = 0; i < size; i++) frame[i] += bytes[place - size + i];
    place += size;
    return frame;
  }));
}
