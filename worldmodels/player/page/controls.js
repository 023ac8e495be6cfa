// Keys of a game: which are held down, and which action they mean. The rules are those of the Python player.

const DIRECTIONS = ["left", "right", "up", "down"];

const NAMES = { arrowleft: "left", arrowright: "right", arrowup: "up", arrowdown: "down", " ": "space", enter: "return" };

/** Return the name of a key as the tables of keys have it. */
export const keyName = (key) => NAMES[key.toLowerCase()] ?? key.toLowerCase();

export class Controls {
  /** `buttons` has the buttons of each action, and `keys` the keys of each button. */
  constructor(buttons, keys) {
    this.actions = buttons.map((names, action) => ({ names, action })).filter(({ names }, action) => {
      return buttons.findIndex((other) => String(other) === String(names)) === action;
    });
    this.idle = this.actions.find(({ names }) => !names.length)?.action ?? 0;
    this.buttonOf = new Map(Object.entries(keys).flatMap(([button, list]) => list.map((key) => [key, button])));
    this.held = []; // buttons, the newest last
    this.tapped = []; // that came up before a step took them
    this.fresh = new Set();
    this.lastWasSpecial = false;
  }

  /** Take a key that goes down or up; return whether it is one of the game. */
  handle(key, pressed) {
    const button = this.buttonOf.get(key);
    if (button === undefined) return false;
    if (pressed && !this.held.includes(button)) {
      this.held.push(button);
      this.fresh.add(button);
    } else if (!pressed && this.held.includes(button)) {
      this.held = this.held.filter((other) => other !== button);
      if (this.fresh.has(button)) this.tapped.push(button);
    }
    return true;
  }

  /** Whether a key went down since the last step. */
  get touched() {
    return this.fresh.size > 0;
  }

  /** Return the action of the step that comes now; a held special action takes turns with a held move. */
  choose() {
    const down = [...this.held, ...this.tapped];
    let best = this.best(down);
    const isSpecial = (name) => !DIRECTIONS.includes(name);
    const isFresh = best.names.some((name) => isSpecial(name) && this.fresh.has(name));
    if (this.lastWasSpecial && !isFresh && best.names.length && best.names.every(isSpecial)) {
      const moves = this.best(down.filter((name) => !isSpecial(name)));
      if (moves.names.length) best = moves;
    }
    this.lastWasSpecial = best.names.some(isSpecial);
    this.tapped = [];
    this.fresh.clear();
    return best.action;
  }

  releaseAll() {
    this.held = [];
    this.tapped = [];
    this.fresh.clear();
  }

  /** Special actions win over moves, then more buttons over fewer, then newer over older. */
  best(down) {
    const rank = ({ names }) => [
      names.filter((name) => !DIRECTIONS.includes(name)).length,
      names.length,
      Math.max(-1, ...names.map((name) => down.indexOf(name))),
    ];
    const fitting = this.actions.filter(({ names }) => names.every((name) => down.includes(name)));
    const none = { names: [], action: this.idle };
    return fitting.reduce((best, one) => (compare(rank(one), rank(best)) > 0 ? one : best), none);
  }
}

function compare(one, other) {
  const at = one.findIndex((value, i) => value !== other[i]);
  return at < 0 ? 0 : one[at] - other[at];
}
