// Keys of the keyboard and buttons that act like keys: they go down, are held, and come up.

const NAMES = {
  ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down",
  " ": "space", Enter: "return", PageUp: "page up", PageDown: "page down",
};

/** The name of a key as the player's controls know it. */
function nameOf(event) {
  const name = NAMES[event.key] ?? event.key.toLowerCase();
  return event.shiftKey && /^f\d+$/.test(name) ? `shift+${name}` : name;
}

const OPPOSITE = { left: "right", right: "left", up: "down", down: "up" };
const NEAR = 48, BETWEEN = 16; // pixels from a finger to a button that it presses, and from the nearest one to a second one

/** The button that is nearest to a pointer, and a second one if the pointer is between the two. */
function under(buttons, { clientX, clientY }) {
  const away = (button) => {
    const { left, right, top, bottom } = button.getBoundingClientRect();
    return Math.hypot(Math.max(left - clientX, clientX - right, 0), Math.max(top - clientY, clientY - bottom, 0));
  };
  const [first, second] = buttons.map((button) => [away(button), button]).sort(([a], [b]) => a - b);
  if (!first || first[0] > NEAR) return [];
  const isBetween = second && second[0] <= NEAR && second[0] - first[0] < BETWEEN;
  return isBetween && OPPOSITE[first[1].dataset.place] !== second[1].dataset.place ? [first[1], second[1]] : [first[1]];
}

export class Input {
  /**
   * `send` gets messages; `wants(key)` says of a key that goes down whether it goes to the session (true), is dealt with
   * here (false), or is left to the browser (null).
   */
  constructor(send, wants) {
    this.send = send;
    this.wants = wants;
    this.held = new Map(); // what holds a key: the place of a key of the keyboard, or a button
    addEventListener("keydown", (event) => this.keyDown(event));
    addEventListener("keyup", (event) => this.release(event.code));
    addEventListener("blur", () => this.releaseAll());
    document.addEventListener("visibilitychange", () => document.hidden && this.releaseAll());
  }

  keyDown(event) {
    if (this.held.has(event.code)) event.preventDefault(); // it repeats
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    const wanted = this.wants(nameOf(event));
    if (wanted !== null) event.preventDefault();
    if (wanted) this.press(event.code, nameOf(event));
  }

  /** Let a button act like a key for as long as it is held. */
  bind(button, key) {
    button.addEventListener("pointerdown", (event) => {
      event.preventDefault(); // it must not take the keyboard
      button.setPointerCapture(event.pointerId);
      if (this.wants(key)) this.press(button, key);
      button.classList.toggle("down", this.held.has(button));
    });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
      button.addEventListener(end, () => this.release(button));
    }
    // A click without a pointer comes from the keyboard or from a screen reader.
    button.addEventListener("click", (event) => event.detail === 0 && this.tap(key));
    button.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  /** Let fingers slide over a pad of directions; between two buttons both are pressed. */
  bindPad(area, buttons) {
    const fingers = new Set();
    const press = (event, wanted) => {
      for (const button of buttons) {
        const source = `${event.pointerId} ${button.dataset.place}`, { key } = button.dataset;
        if (!wanted.includes(button)) this.release(source);
        else if (!this.held.has(source) && this.wants(key)) this.press(source, key);
        button.classList.toggle("down", [...this.held.values()].includes(key));
      }
    };
    area.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      area.setPointerCapture(event.pointerId);
      fingers.add(event.pointerId);
      press(event, under(buttons, event));
    });
    area.addEventListener("pointermove", (event) => fingers.has(event.pointerId) && press(event, under(buttons, event)));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
      area.addEventListener(end, (event) => fingers.delete(event.pointerId) && press(event, []));
    }
    for (const button of buttons) button.addEventListener("click", (event) => event.detail === 0 && this.tap(button.dataset.key));
    area.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  tap(key) {
    this.press(key, key);
    this.release(key);
  }

  press(source, key) {
    this.release(source);
    this.held.set(source, key);
    this.send({ key, pressed: true });
  }

  release(source) {
    if (!this.held.has(source)) return;
    this.send({ key: this.held.get(source), pressed: false });
    this.held.delete(source);
    if (source instanceof HTMLElement) source.classList.remove("down");
  }

  releaseAll() {
    for (const source of [...this.held.keys()]) this.release(source);
    this.send({ wish: "release" });
  }
}
