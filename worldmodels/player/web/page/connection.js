// The connection to the server: scenes in, what the person does out, and again after it was lost.

const FIRST_WAIT = 300, LONGEST_WAIT = 5000; // milliseconds until the next attempt
const SILENCE = 9000; // milliseconds without a message after which the server does not answer: it sends one every 3 seconds

/** A name by which the server knows this page again after a lost connection. */
function pageName() {
  if (!sessionStorage.page) {
    const numbers = crypto.getRandomValues(new Uint8Array(16));
    sessionStorage.page = Array.from(numbers, (number) => number.toString(16).padStart(2, "0")).join("");
  }
  return sessionStorage.page;
}

/** Take a message apart, as `scene.py` describes it: {number, parts, frames: {name: ImageData}}; `known` is what the page has. */
async function decode(data, known) {
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const { number, parts, timeline, frames, shrunk } = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const [first, end, added] = timeline ?? [0, 0, null];
  known.timeline = added && [...(known.timeline ?? []).slice(first, end), ...added];
  if (timeline === null || first || added.length) parts.timeline = known.timeline;
  const pixels = bytes.subarray(4 + length);
  const shown = shrunk ? await sketches(pixels, frames, shrunk) : exactFrames(pixels, frames, known.frames);
  return { number, parts, frames: shown };
}

/** Return all frames that the page has exactly, for some of them may have been shown as sketches since. */
function exactFrames(bytes, shapes, known) {
  let from = 0;
  for (const [name, height, width, isChange] of shapes) {
    const rgb = bytes.slice(from, from + 3 * width * height), before = known[name]?.rgb;
    if (isChange) for (let i = 0; i < rgb.length; i++) rgb[i] ^= before[i];
    const pixels = new Uint32Array(width * height);
    for (let i = 0, j = 0; i < pixels.length; i++, j += 3) {
      pixels[i] = 0xff000000 | (rgb[j + 2] << 16) | (rgb[j + 1] << 8) | rgb[j];
    }
    known[name] = { rgb, image: new ImageData(new Uint8ClampedArray(pixels.buffer), width, height) };
    from += rgb.length;
  }
  return Object.fromEntries(Object.entries(known).map(([name, { image }]) => [name, image]));
}

/** Return the frames of a picture with the planes Y, Cb and Cr of each, one below the other. */
async function sketches(webp, shapes, shrunk) {
  if (!shapes.length) return {};
  const picture = await createImageBitmap(new Blob([webp], { type: "image/webp" }), { colorSpaceConversion: "none" });
  const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  context.drawImage(picture, 0, 0);
  const { data } = context.getImageData(0, 0, picture.width, picture.height);
  const frames = {};
  let top = 0;
  for (const [name, height, width] of shapes) {
    const plane = 4 * picture.width * Math.ceil(height / shrunk), image = new ImageData(width, height);
    for (let y = 0, i = 0; y < height; y++) {
      for (let x = 0; x < width; x++, i += 4) {
        const at = 4 * (top + Math.floor(y / shrunk) * picture.width + Math.floor(x / shrunk));
        const luma = data[at], blue = data[at + plane] - 128, red = data[at + 2 * plane] - 128;
        image.data[i] = luma + 1.402 * red;
        image.data[i + 1] = luma - 0.344136 * blue - 0.714136 * red;
        image.data[i + 2] = luma + 1.772 * blue;
        image.data[i + 3] = 255;
      }
    }
    frames[name] = image;
    top += (3 * plane) / 4;
  }
  return frames;
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
    this.heard = null; // when the last message came, while the connection is open
    this.quiet = false;
    setInterval(() => this.listen(), 500);
    // The link of a server that was started again, pasted into the same tab, changes only what stands behind the #.
    addEventListener("hashchange", () => this.again());
  }

  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** Connect anew, by the link that stands there now. */
  again() {
    clearTimeout(this.timer);
    this.socket?.close();
    this.socket = null;
    this.wait = FIRST_WAIT;
    this.open();
  }

  async open() {
    const link = location.hash, isCurrent = () => link === location.hash;
    const query = new URLSearchParams({ token: link.slice(1), page: pageName() });
    try {
      const answer = await fetch(`check?${query}`);
      if (!isCurrent()) return;
      if (!answer.ok) return this.on.state(await answer.text());
    } catch {
      return isCurrent() && this.retry();
    }
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/socket?${query}`);
    const known = { frames: {}, timeline: null };
    let drawn = Promise.resolve();
    this.socket = socket;
    this.over = "";
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.heard = Date.now();
      this.on.fresh();
      this.on.state("");
    };
    socket.onmessage = ({ data }) => {
      this.heard = Date.now();
      this.listen();
      // One after the other, since each holds only what has changed since the one before.
      if (typeof data === "string") this.tell(JSON.parse(data));
      else drawn = drawn.then(() => decode(data, known)).then((scene) => socket === this.socket && this.draw(scene));
    };
    socket.onclose = () => {
      if (socket !== this.socket) return;
      this.heard = null;
      if (this.over) this.on.state(this.over);
      else this.retry();
    };
  }

  /** Say for how long the server has been silent, until it is heard again. */
  listen() {
    if (this.heard === null) return (this.quiet = false);
    const silent = Date.now() - this.heard;
    if (silent >= SILENCE) this.on.state(`The server does not answer (${Math.floor(silent / 1000)} s).`);
    else if (this.quiet) this.on.state("");
    this.quiet = silent >= SILENCE;
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
    this.timer = setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
  }
}
