// The connection to the server: scenes in, what the person does out, and again after it was lost.

const FIRST_WAIT = 300, LONGEST_WAIT = 5000; // milliseconds until the next attempt

/** A name by which the server knows this page again after a lost connection. */
function pageName() {
  if (!sessionStorage.page) {
    const numbers = crypto.getRandomValues(new Uint8Array(16));
    sessionStorage.page = Array.from(numbers, (number) => number.toString(16).padStart(2, "0")).join("");
  }
  return sessionStorage.page;
}

/** Take a message apart, as `scene.py` describes it: {number, parts, frames: {name: ImageData}}. */
async function decode(data) {
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  let from = 4 + length;
  const frames = {};
  for (const [name, height, width] of head.frames) {
    frames[name] = toImage(bytes, from, width, height);
    from += 3 * width * height;
  }
  return { number: head.number, parts: head.parts, frames };
}

function toImage(rgb, from, width, height) {
  const pixels = new Uint32Array(width * height);
  for (let i = 0; i < pixels.length; i++, from += 3) {
    pixels[i] = 0xff000000 | (rgb[from + 2] << 16) | (rgb[from + 1] << 8) | rgb[from];
  }
  return new ImageData(new Uint8ClampedArray(pixels.buffer), width, height);
}

export class Connection {
  /**
   * `on` has four functions: scene(parts, frames) draws what has changed, fresh() forgets what was drawn, role(role),
   * and state(text) says what is wrong with the connection, or nothing.
   */
  constructor(on) {
    this.on = on;
    this.wait = FIRST_WAIT;
    this.socket = null;
  }

  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  async open() {
    const query = new URLSearchParams({ token: location.hash.slice(1), page: pageName() });
    try {
      const answer = await fetch(`check?${query}`);
      if (!answer.ok) return this.on.state(await answer.text());
    } catch {
      return this.retry();
    }
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/socket?${query}`);
    let drawn = Promise.resolve();
    this.socket = socket;
    this.over = "";
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.on.fresh();
      this.on.state("");
    };
    socket.onmessage = ({ data }) => {
      // One after the other, since each holds only what has changed since the one before.
      if (typeof data === "string") this.tell(JSON.parse(data));
      else drawn = drawn.then(() => decode(data)).then((scene) => this.draw(scene));
    };
    socket.onclose = () => (this.over ? this.on.state(this.over) : this.retry());
  }

  draw({ number, parts, frames }) {
    this.on.scene(parts, frames);
    this.send({ seen: number });
  }

  tell(message) {
    if (message.role) this.on.role(message.role);
    if (message.ended) this.over = message.ended;
  }

  retry() {
    this.on.state("The connection is lost. Trying again ...");
    setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
  }
}
