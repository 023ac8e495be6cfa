// Bars of numbers: beside predictions, in branches, of the policy and of an action. Shares are thousandths of a length.

import { colour, prepare } from "./dom.js";

export const ROW = 17;
const NAME = 84, VALUE = 52, NARROWEST = 60;

/** Draw rows of bars one below the other, as many as fit, into a canvas without its edge. */
export function drawRows(canvas, rows, named = true, edge = 0) {
  const { context, width: across, height: down } = prepare(canvas);
  const width = across - 2 * edge, height = down - 2 * edge;
  context.translate(edge, edge);
  const room = Math.max(1, Math.floor(height / (named ? 15 : 2)));
  const shown = rows.length <= room ? rows : rows.slice(0, Math.max(1, room - 1));
  const step = Math.min(72, height / (shown.length + (shown.length < rows.length ? 1 : 0)));
  const widest = Math.max(0, ...shown.map((row) => context.measureText(row.name).width));
  const left = named ? Math.min(NAME, 10 + widest) : 0;
  shown.forEach((row, i) => {
    const middle = (i + 0.5) * step;
    if (named) write(context, row.name, 0, middle, "quiet", left - 4);
    const values = row.bars.length * VALUE + NARROWEST <= width - left ? row.bars : row.bars.slice(-1);
    let right = width;
    if (named && width - left >= NARROWEST + VALUE * values.length) {
      values.forEach((bar, k) => writeRight(context, bar.text, width - VALUE * (values.length - 1 - k), middle, bar.colour));
      right -= VALUE * values.length;
    }
    drawBars(context, row, left, middle, right - left, step);
  });
  if (shown.length < rows.length) {
    write(context, `and ${rows.length - shown.length} more`, 0, (shown.length + 0.5) * step, "quiet", width);
  }
}

function drawBars(context, row, left, middle, width, step) {
  const thick = Math.max(1, Math.min(15, Math.floor((step - 4) / row.bars.length) - 1));
  const high = row.bars.length * (thick + 1), top = middle - high / 2;
  const at = (share) => left + (share / 1000) * width;
  context.fillStyle = colour("line");
  context.fillRect(left, top - 2, width, high + 3);
  row.bars.forEach((bar, i) => {
    const y = top + i * (thick + 1);
    context.fillStyle = bar.colour;
    context.fillRect(at(bar.span[0]), y, Math.max(1, (bar.span[1] / 1000) * width), thick);
    if (bar.spread) {
      context.fillStyle = colour("text");
      context.fillRect(at(bar.spread[0]), y + thick / 2, at(bar.spread[1]) - at(bar.spread[0]), 1);
    }
  });
  if (row.zero !== null) {
    context.fillStyle = colour("quiet");
    context.fillRect(at(row.zero), top - 2, 1, high + 3);
  }
}

/** Write a text from the left, cut where it would be longer than `room`. */
export function write(context, text, x, y, role, room = Infinity) {
  let shown = text;
  while (shown.length > 1 && context.measureText(shown).width > room) shown = `${shown.slice(0, -2)}…`;
  context.textAlign = "left";
  context.fillStyle = colour(role);
  context.fillText(shown, x, y);
}

/** Write a text in the middle of an empty canvas. */
export function writeAcross(canvas, text) {
  const { context, width, height } = prepare(canvas);
  write(context, text, Math.max(8, (width - context.measureText(text).width) / 2), height / 2, "quiet", width - 16);
}

export function writeRight(context, text, x, y, fill) {
  context.textAlign = "right";
  context.fillStyle = fill;
  context.fillText(text, x, y);
}
