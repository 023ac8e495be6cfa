// What the page draws: frames, the map of their difference, and the time line.

import { FAR } from "./playthrough.js";

const MOST_ERROR = 64, STEP = 3;
const COLOURS = [[0, 12, 14, 18], [64, 30, 66, 130], [128, 112, 118, 124], [192, 206, 182, 84], [255, 255, 243, 150]];

/** The colour of each strength of difference, 256 times red, green and blue: as in the Python player. */
const MAP = Array.from({ length: 256 }, (_, level) => {
  const above = Math.max(1, COLOURS.findIndex(([place]) => place >= level));
  const [low, high] = [COLOURS[above - 1], COLOURS[above]], share = (level - low[0]) / (high[0] - low[0]);
  return [1, 2, 3].map((i) => Math.round(low[i] + (high[i] - low[i]) * share));
});

/** Return a grey frame, of one number for each pixel, in three colours; others are as they are. */
export function inColour(frame, [, , channels]) {
  return channels === 3 ? frame : Uint8Array.from({ length: 3 * frame.length }, (_, i) => frame[Math.floor(i / 3)]);
}

/** Return the difference of two frames as colours; small ones are spread out. */
export function differenceMap(a, b) {
  const found = new Uint8Array(a.length);
  for (let i = 0; i < a.length; i += 3) {
    const largest = Math.max(Math.abs(a[i] - b[i]), Math.abs(a[i + 1] - b[i + 1]), Math.abs(a[i + 2] - b[i + 2]));
    found.set(MAP[Math.round((largest / 255) ** 0.7 * 255)], i);
  }
  return found;
}

/** Draw a frame of red, green and blue on a canvas, which takes its height and width. */
export function drawFrame(canvas, frame, [height, width]) {
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const image = new ImageData(width, height);
  for (let from = 0, to = 0; from < frame.length; from += 3, to += 4) {
    image.data[to] = frame[from];
    image.data[to + 1] = frame[from + 1];
    image.data[to + 2] = frame[from + 2];
    image.data[to + 3] = 255;
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
}

/** Draw the newest errors as bars, with a line where a model counts as having left reality, and the marks of events. */
export function drawTimeline(canvas, history) {
  const ratio = devicePixelRatio, width = canvas.clientWidth, height = canvas.clientHeight;
  Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
  const context = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
  const fill = (role, ...place) => {
    context.fillStyle = style.getPropertyValue(`--${role}`);
    context.fillRect(...place);
  };
  context.scale(ratio, ratio);
  const high = (error) => Math.min(error / MOST_ERROR, 1) * (height - 20);
  const bottom = height - 14, shown = history.slice(-Math.floor(width / STEP));
  fill("line", 0, bottom - high(FAR), width, 1);
  shown.forEach(({ mark, error, diverged, reward, modelReward }, i) => {
    const x = width - STEP * (shown.length - i);
    if (mark) return fill(mark === "episode" ? "real" : "text", x, 2, 1, height - 4);
    fill(diverged ? "alert" : "difference", x, bottom - high(error), STEP - 1, high(error));
    if (Math.abs(modelReward) > 0.1) fill("model", x, bottom + 2, STEP, 4);
    if (reward) fill("real", x, bottom + 8, STEP, 4);
  });
}
