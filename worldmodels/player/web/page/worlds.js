// The worlds: columns of frames side by side, or branches, or a game alone beside its rules.

import { ROW, drawRows, writeAcross } from "./bars.js";
import { byId, fillTable, make, setText } from "./dom.js";

const GAP = 14, LINES = 48, BRANCH_LINE = 20, MOST_ROWS = 8, NARROW = 760, LOW = 560, CHAIN = 1.6, TIGHT = 220, TINY = 160, EDGE = 10;
const NUMBERS = { width: 64, height: 64 }; // the shape of a place for numbers alone

export class Worlds {
  constructor(area) {
    this.area = area;
    this.cells = [];
    this.kind = "";
  }

  /** Draw the parts `columns` or `branches`; `frames` holds the newest frame of each name. */
  draw(parts, frames, fresh) {
    const shown = parts.branches ?? parts.columns;
    const kind = `${parts.branches ? "branch" : parts.alone ? "alone" : "column"} ${shown.length}`;
    if (kind !== this.kind) this.build(kind, shown, parts);
    this.place(parts, shown, frames);
    shown.forEach((content, i) => this.fill(this.cells[i], content, frames, fresh, Boolean(parts.branches)));
    if (parts.alone) this.tell(shown[0]);
  }

  build(kind, shown, parts) {
    this.kind = kind;
    this.cells = shown.map(() => makeCell(Boolean(parts.branches)));
    this.area.classList.toggle("alone", parts.alone);
    this.area.replaceChildren(...this.cells.map((cell) => cell.element));
    if (parts.alone) {
      const table = make("table");
      fillTable(table, parts.guide.actions);
      this.values = [make("b"), make("b")];
      const pairs = make("div", "pairs", "", make("div", "return", "return", this.values[0]), make("div", "", "reward", this.values[1]));
      this.beside = make("aside", "card", "", pairs, make("p", "", parts.guide.rules), table);
      this.beside.id = "beside";
      this.area.append(this.beside);
    }
  }

  tell(column) {
    setText(this.values[0], column.total);
    setText(this.values[1], column.reward);
  }

  /** Make the frames as large as the area allows, for small ones in whole pixels of the screen. */
  place(parts, shown, frames) {
    const isLoading = shown.some((column) => column.wait);
    const first = parts.alone || parts.branches ? shown[0] : shown.find((column) => (isLoading ? column.frame : column.name !== "Real")) ?? shown[0];
    const { width, height } = frames[first.frame] ?? NUMBERS;
    const rows = first.frame ? Math.min(MOST_ROWS, Math.max(...shown.map((content) => content.rows.length))) : 0;
    const below = rows ? rows * ROW + 6 : 0;
    const lines = (parts.branches ? BRANCH_LINE : parts.alone ? 0 : LINES) + below;
    const narrow = innerWidth <= NARROW, scrolls = narrow || innerHeight <= LOW;
    const gap = narrow ? 8 : GAP;
    const beside = parts.alone && !scrolls ? 340 + 20 : 0;
    const across = this.area.clientWidth - beside;
    // Where the page scrolls, the worlds are as high as leaves the hands their place.
    const share = narrow && innerHeight > innerWidth ? 0.52 : parts.alone ? 0.58 : 0.62;
    const down = scrolls ? innerHeight * share : this.area.clientHeight;
    const count = shown.length;
    let best = { side: 0, columns: 1 };
    for (let columns = 1; columns <= count; columns++) {
      const lineCount = Math.ceil(count / columns);
      const side = Math.min((across - (columns - 1) * gap) / columns, (((down - (lineCount - 1) * gap) / lineCount - lines) * width) / height);
      // One line is best, as long as it costs little.
      if (side > best.side || (columns === count && CHAIN * side > best.side)) best = { side, columns };
    }
    const side = snapped(best.side, width);
    this.area.style.gridTemplateColumns = parts.alone ? "" : `repeat(${best.columns}, ${side}px)`;
    for (const cell of this.cells) {
      cell.width = side;
      cell.height = (side * height) / width;
      cell.below = below;
    }
  }

  fill(cell, content, frames, fresh, isBranch) {
    const image = frames[content.frame];
    size(cell.element, cell.width);
    cell.element.classList.toggle("tight", cell.width < TIGHT);
    cell.element.classList.toggle("tiny", cell.width < TINY);
    size(cell.frame, cell.width, cell.height);
    cell.frame.classList.toggle("ended", content.ended);
    if (image) {
      cell.frame.classList.toggle("smooth", image.width > cell.width);
      if (fresh.has(content.frame) || cell.shown !== image) show(cell, image);
    } else {
      cell.shown = null;
      cell.frame.classList.add("smooth");
      drawRows(cell.frame, content.rows, !isBranch || cell.width >= 260, isBranch ? 4 : EDGE);
      if (content.wait) writeAcross(cell.frame, content.wait);
    }
    cell.rows.hidden = !image || !cell.below;
    if (!cell.rows.hidden) {
      size(cell.rows, cell.width, cell.below);
      drawRows(cell.rows, content.rows);
    }
    if (isBranch) fillBranch(cell, content);
    else fillColumn(cell, content);
  }
}

/** Up to three screen pixels each, the pixels of a frame are equally large; beyond, nobody sees the difference. */
function snapped(side, width) {
  const zoom = (side * devicePixelRatio) / width;
  return zoom >= 2 && zoom < 3 ? (Math.floor(zoom) * width) / devicePixelRatio : Math.max(16, Math.floor(side));
}

function size(element, width, height) {
  const [w, h] = [`${width}px`, `${height}px`];
  if (element.style.width !== w) element.style.width = w;
  if (height !== undefined && element.style.height !== h) element.style.height = h;
}

function show(cell, image) {
  if (cell.frame.width !== image.width || cell.frame.height !== image.height) {
    Object.assign(cell.frame, { width: image.width, height: image.height });
  }
  cell.frame.getContext("2d").putImageData(image, 0, 0);
  cell.shown = image;
}

function makeCell(isBranch) {
  const texts = Object.fromEntries(
    ["name", "note", "total", "reward", "end", "error"].map((name) => [name, make("span", name)]));
  const cell = { frame: make("canvas", "frame"), rows: make("canvas"), texts, scale: make("span", "scale"), hand: make("span", "hand"), shown: null };
  cell.caption = make("span", "word", "reward ");
  cell.low = make("span", "low", "0");
  cell.high = make("span", "high", "255");
  const head = make("div", "head", "", texts.name, texts.note, texts.total);
  const foot = isBranch
    ? make("div", "foot", "", texts.name, texts.total)
    : make("div", "foot", "", cell.caption, texts.reward, texts.error, texts.end, cell.low, cell.scale, cell.high, cell.hand);
  cell.element = make("div", isBranch ? "cell branch" : "cell", "", ...(isBranch ? [] : [head]), cell.frame, cell.rows, foot);
  return cell;
}

function fillBranch({ texts }, branch) {
  setText(texts.name, branch.label);
  setText(texts.total, branch.total);
  texts.total.classList.toggle("ended", branch.ended);
}

function fillColumn({ texts, caption, low, high, scale, hand, width }, column) {
  for (const name of ["name", "note", "total", "reward"]) setText(texts[name], column[name]);
  // "goes on: 98%" has no room below a tiny frame, "98%" has.
  setText(texts.end, width < TINY ? column.end.split(" ").pop() : column.end);
  texts.name.style.borderColor = texts.total.style.color = column.colour;
  texts.end.classList.toggle("ended", column.ended);
  hand.hidden = !column.hand;
  if (column.hand) hand.style.background = column.hand;
  setText(texts.error, column.error ?? "");
  setText(caption, column.error !== null ? "mean" : column.reward ? "reward" : "");
  for (const element of [low, scale, high]) element.hidden = column.error === null;
  for (const element of [texts.reward, texts.end]) element.hidden = column.error !== null;
}

export const worlds = new Worlds(byId("worlds"));
