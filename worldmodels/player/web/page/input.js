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
