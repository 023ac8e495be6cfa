// The panels below the worlds: the time line, the policy's probabilities, and the numbers of an action.

import { write, writeRight } from "./bars.js";
import { colour, prepare } from "./dom.js";

const LABELS = 108, EPISODE = 2;
const ROWS = 6, HEAD = 34, KEYS = 36, VALUE = 46, BETWEEN = 14, EDGE = 12;

/**
 * Draw the time line: entries are those of `snapshot_parts.py`, the oldest first; without reality there is no `error`.
 * `length` entries fill it from its left on; 0 shows the newest, to the right.
 */
export function drawTimeline(canvas, entries, error, later, length) {
  const { context, width, height } = prepare(canvas);
  const { left, right, step } = plot(width, length);
  const shown = length ? entries : entries.slice(-Math.floor((right - left) / step));
  const first = length ? left : right - step * shown.length;
  const rows = rowsOf([...(error ? [[error.name, 4]] : []), ["rewards", 2], ["goes on", 3]], height);
  const [continues, rewards, errors] = [...rows].reverse();
  const fill = (role, x, y, w, h) => {
    context.fillStyle = colour(role);
    context.fillRect(x, y, w, h);
  };
  for (const { name, top, high, bottom } of rows) {
    write(context, name, EDGE, top + high / 2, "quiet");
    fill("line", left, bottom, right - left, 1);
  }
  if (errors) {
    writeRight(context, error.scale[1], left - 4, errors.top + 3, colour("quiet"));
    writeRight(context, error.scale[0], left - 4, errors.bottom - 3, colour("quiet"));
    fill("line", left, errors.bottom - errors.high * error.far, right - left, 1);
  }
  const at = (i) => Math.floor(first + step * i); // whole pixels, so that bars touch
  shown.forEach(([mark, diverged, level, models], i) => {
    const x = at(i), wide = at(i + 1) - x;
    if (mark) return fill(mark === EPISODE ? "real" : "text", x, 8, 1, height - 16);
    models.forEach(([off, goesOn, seen, modelLevel], k) => {
      const part = (row) => ({ high: row.high / models.length - (models.length > 1 ? 1 : 0), bottom: row.top + (row.high * (k + 1)) / models.length });
      const bar = (row, share, role) => fill(role, x, part(row).bottom - (part(row).high * share) / 100, wide, (part(row).high * share) / 100);
      if (errors) bar(errors, off, "difference");
      bar(continues, goesOn, goesOn < 50 ? "alert" : "good");
      if (errors && seen !== null) fill("reconstruction", x, part(errors).bottom - (part(errors).high * seen) / 100 - 1, wide, 2);
      if (k === 0) reward(modelLevel, rewards.bottom, "model");
    });
    if (errors) reward(level, rewards.top + rewards.high / 2 - 1, "real");
    if (errors && diverged) fill("alert", x, errors.top, 2, errors.high);
    function reward(size, bottom, role) {
      const high = ((rewards.high / (errors ? 2 : 1) - 2) * Math.abs(size)) / 2;
      if (size) fill(size > 0 ? role : "alert", x, bottom - high, wide + 1, high);
    }
  });
  if (later) fill("model", Math.max(left, first + step * (shown.length - later)) - 1, 4, 3, height - 8);
}

function plot(width, length) {
  const left = LABELS, right = width - 10, widest = right - left >= 720 ? 3 : 2;
  return { left, right, step: length ? (right - left) / length : widest };
}

/** Let the present be dragged along the time line: `send` gets messages, `current()` gives its entries and its length. */
export function bindTimeline(canvas, send, current) {
  let dragging = false, sent = null;
  const seek = (event) => {
    const [entries, length] = current(), { left, right, step } = plot(canvas.clientWidth, length);
    const back = length ? entries - 1 - Math.floor((event.offsetX - left) / step) : Math.floor((right - 1 - event.offsetX) / step);
    go(Math.min(Math.max(back, 0), entries - 1));
  };
  const go = (back) => {
    if (back !== sent) send({ seek: back });
    sent = back;
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (!current()[0]) return;
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    [dragging, sent] = [true, null];
    seek(event);
  });
  canvas.addEventListener("pointermove", (event) => dragging && current()[0] && seek(event));
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) canvas.addEventListener(end, () => (dragging = false));
}

/** Return the rows of the time line below each other, by their shares of the height. */
function rowsOf(shares, height) {
  const unit = (height - 8 * (shares.length + 1)) / shares.reduce((sum, [, share]) => sum + share, 0);
  let top = 8;
  return shares.map(([name, share]) => {
    const row = { name, top, high: share * unit, bottom: top + share * unit };
    top = row.bottom + 8;
    return row;
  });
}

/** Draw the policy's probability of each action, and the return that it expects. */
export function drawPolicy(canvas, { value, bars }) {
  const { context, width, height } = prepare(canvas);
  head(context, "policy", value, width);
  const top = HEAD, bottom = height - 24, step = (width - 2 * EDGE) / bars.length;
  const best = Math.max(...bars.map(([, share]) => share));
  bars.forEach(([sign, share], i) => {
    const x = EDGE + i * step, high = ((bottom - top) * share) / 1000;
    context.fillStyle = colour("line");
    context.fillRect(x, bottom, step - 2, 1);
    context.fillStyle = colour(share === best ? "real" : "quiet");
    context.fillRect(x, bottom - high, step - 2, high);
    context.textAlign = "center";
    context.fillStyle = colour(share === best ? "text" : "quiet");
    context.fillText(sign, x + step / 2 - 1, height - 12);
  });
}

/** Draw the numbers of an action as bars, with what the policy would do. */
export function drawBox(canvas, box) {
  const { context, width, height } = prepare(canvas);
  head(context, "action", box.value, width);
  if (box.rows.some((row) => row.choice !== null)) {
    context.fillStyle = colour("real");
    context.fillRect(EDGE + 60, 12, 2, 11);
    write(context, "policy", EDGE + 67, 18, "quiet");
  }
  places(box.rows, width, height).forEach((place, i) => {
    const row = box.rows[i], chosen = i === box.slider, middle = place.top + place.high / 2;
    write(context, row.keys || String(i), place.left - KEYS, middle, chosen ? "model" : row.keys ? "text" : "quiet");
    writeRight(context, row.bars[0].text, place.left + place.width + VALUE, middle, colour("text"));
    const at = (share) => place.left + (share / 1000) * place.width;
    const fill = (role, x, y, w, h) => {
      context.fillStyle = colour(role);
      context.fillRect(x, y, w, h);
    };
    const [from, length] = row.bars[0].span;
    fill("line", place.left, place.top + 2, place.width, place.high - 4);
    fill(chosen ? "model" : "quiet", at(from), place.top + 2, Math.max(1, (length / 1000) * place.width), place.high - 4);
    if (row.zero !== null) fill("text", at(row.zero), place.top + 2, 1, place.high - 4);
    if (row.choice !== null) fill("real", at(row.choice) - 1, place.top, 3, place.high);
  });
}

/** Let the bars of an action be dragged: `send` gets messages, `current()` the box that is drawn. */
export function bindBox(canvas, send, current) {
  const dragged = new Map(); // the number that each pointer drags
  const drag = (event) => {
    const place = places(current().rows, canvas.clientWidth, canvas.clientHeight)[dragged.get(event.pointerId)];
    const share = (event.offsetX - place.left) / place.width;
    send({ axis: dragged.get(event.pointerId), value: Math.min(1, Math.max(-1, 2 * share - 1)) });
  };
  canvas.addEventListener("pointerdown", (event) => {
    const number = places(current()?.rows ?? [], canvas.clientWidth, canvas.clientHeight).findIndex(
      ({ left, top, width, high }) =>
        event.offsetX >= left - 8 && event.offsetX <= left + width + 8 && event.offsetY >= top && event.offsetY < top + high);
    if (number < 0) return;
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    dragged.set(event.pointerId, number);
    drag(event);
  });
  canvas.addEventListener("pointermove", (event) => dragged.has(event.pointerId) && current() && drag(event));
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
    canvas.addEventListener(end, (event) => {
      if (dragged.has(event.pointerId)) send({ axis: dragged.get(event.pointerId), value: null });
      dragged.delete(event.pointerId);
    });
  }
}

/** Return where the bar of each number lies: columns of at most `ROWS`. */
function places(numbers, width, height) {
  const columns = Math.ceil(numbers.length / ROWS), rows = Math.min(numbers.length, ROWS);
  const high = Math.min(30, (height - HEAD - 8) / rows), across = (width - 2 * EDGE - (columns - 1) * BETWEEN) / columns;
  return numbers.map((_, i) => ({
    left: EDGE + Math.floor(i / rows) * (across + BETWEEN) + KEYS,
    top: HEAD + (i % rows) * high,
    width: across - KEYS - VALUE,
    high,
  }));
}

function head(context, name, value, width) {
  write(context, name, EDGE, 18, "quiet");
  if (value) writeRight(context, `value ${value}`, width - EDGE, 18, colour("text"));
}
