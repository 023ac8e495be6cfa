// The inside of a model: a row of classes for each group of latents and the chosen group, or the pictures of a drawing;
// and what probes read.

import { write, writeRight } from "./bars.js";
import { byId, colour, fillPairs, make, prepare, setText } from "./dom.js";

const MARKS = 14, LINE = 15, VALUE = 44, NAME = 66;
const HEADS = [["true", "real"], ["seen", "reconstruction"], ["model", "model"], ["known", "quiet"]];

/** Draw the part `latents`; `image` holds the probabilities, a row for each group, or the pictures of a drawing. */
export function drawLatents(part, image, plays) {
  fillPairs(byId("latents-facts"), part.facts);
  for (const id of ["classes", "likely"]) byId(id).hidden = !part.likely.length;
  if (part.classes.length && image) drawClasses(byId("classes"), part, image);
  else if (part.likely.length && image) drawPictures(byId("classes"), image);
  if (part.likely.length) drawLikely(byId("likely"), part.likely);
  setText(byId("latents-words"), part.words.join("; "));
  byId("latents-words").hidden = !part.words.length;
  fillReadings(byId("readings").firstChild, part.readings);
  part.buttons.forEach(({ text, enabled }, i) => {
    const button = byId("latents-buttons").children[i];
    setText(button.lastChild, text);
    button.disabled = !(plays && enabled);
  });
}

/** Make a button for each command, of its key and the key's name. */
export function makeLatentButtons(input, names) {
  byId("latents-buttons").replaceChildren(...names.map(([key, name]) => {
    const button = make("button", "", "", make("b", "", name), make("span"));
    button.type = "button";
    button.dataset.key = key;
    input.bind(button, key);
    return button;
  }));
}

/** Let a finger or the mouse choose a group. */
export function bindLatents(send, part) {
  byId("classes").addEventListener("pointerdown", (event) => {
    const shown = part();
    if (!shown?.classes.length) return;
    event.preventDefault();
    const share = event.offsetY / byId("classes").clientHeight;
    send({ group: Math.min(shown.classes.length - 1, Math.max(0, Math.floor(share * shown.classes.length))) });
  });
}

function drawClasses(canvas, { classes, held, chosen }, image) {
  const { context, width, height } = prepare(canvas);
  const wide = (width - MARKS) / image.width, high = height / classes.length;
  context.imageSmoothingEnabled = false;
  context.drawImage(asCanvas(image), MARKS, 0, width - MARKS, height);
  classes.forEach((own, group) => {
    const top = group * high, size = Math.max(3, wide);
    context.strokeStyle = colour("model");
    context.lineWidth = size > 6 ? 2 : 1;
    context.strokeRect(MARKS + own * wide + 0.5, top + 0.5, size - 1, high - 1);
    context.fillStyle = colour("alert");
    if (held[group]) context.fillRect(MARKS - 5, top + 1, 4, high - 2);
  });
  context.strokeStyle = colour("text");
  context.lineWidth = 1;
  context.strokeRect(MARKS - 0.5, chosen * high + 0.5, width - MARKS, high - 1);
  write(context, "›", 1, (chosen + 0.5) * high, "text");
}

function drawPictures(canvas, image) {
  const { context, width, height } = prepare(canvas);
  const zoom = Math.min(width / image.width, height / image.height);
  context.imageSmoothingEnabled = false;
  context.drawImage(asCanvas(image), 0, 0, image.width * zoom, image.height * zoom);
}

function asCanvas(image) {
  const canvas = new OffscreenCanvas(image.width, image.height);
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

function drawLikely(canvas, rows) {
  const { context, width, height } = prepare(canvas);
  const shown = rows.slice(0, Math.max(1, Math.floor(height / LINE))), step = Math.min(22, height / shown.length);
  shown.forEach(({ name, share, own, colour: source }, i) => {
    const middle = (i + 0.5) * step, room = width - NAME - VALUE, role = own ? "model" : "quiet";
    const tint = source ?? colour(role);
    write(context, name, 0, middle, role);
    context.fillStyle = colour("line");
    context.fillRect(NAME, middle - step / 2 + 1, room, step - 2);
    context.fillStyle = tint;
    context.fillRect(NAME, middle - step / 2 + 2, (room * share) / 1000, step - 4);
    writeRight(context, `${(share / 10).toFixed(0)} %`, width, middle, tint);
  });
}

function fillReadings(table, readings) {
  table.parentElement.hidden = !readings.length;
  const head = make("tr", "", "", make("th"), ...HEADS.map(([text, role]) => tinted(make("th", "", text), role)));
  table.replaceChildren(head, ...readings.map(({ name, unit, texts, known }) => {
    const cell = make("td", "", name);
    cell.title = unit;
    const row = make("tr", known ? "known" : "", "", cell);
    row.append(...texts.map((text, i) => tinted(make("td", "", text), known ? HEADS[i][1] : "quiet")));
    return row;
  }));
}

function tinted(element, role) {
  element.style.color = `var(--${role})`;
  return element;
}
