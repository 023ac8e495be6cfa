// A film of what is played: the three pictures side by side, as WebM, which the browser saves as a file.

const SIDE = 192, GAP = 8, TYPE = "video/webm", SECONDS = 10;

/** This browser makes no films; the text is a sentence for people. */
export class FilmError extends Error {}

export class Film {
  /** Begin a film of some canvases; `done` gets it as a Blob after ten seconds. Throws FilmError. */
  constructor(canvases, done) {
    if (!globalThis.MediaRecorder?.isTypeSupported(TYPE)) throw new FilmError("This browser makes no WebM films.");
    this.canvases = canvases;
    this.canvas = Object.assign(document.createElement("canvas"), { width: canvases.length * (SIDE + GAP) - GAP, height: SIDE });
    this.add();
    const parts = [], recorder = new MediaRecorder(this.canvas.captureStream(), { mimeType: TYPE, videoBitsPerSecond: 4e6 });
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.onstop = () => done(new Blob(parts, { type: TYPE }));
    recorder.start();
    setTimeout(() => recorder.stop(), SECONDS * 1000);
  }

  /** Take what the canvases show now into the film. */
  add() {
    const context = this.canvas.getContext("2d");
    context.imageSmoothingEnabled = false;
    this.canvases.forEach((canvas, i) => context.drawImage(canvas, i * (SIDE + GAP), 0, SIDE, SIDE));
  }
}

/** Let the browser save a film. */
export function save(film, name) {
  const address = URL.createObjectURL(film);
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
