// Small tools for the document.

export const byId = (id) => document.getElementById(id);

/** Make an element with a class, a text and children. */
export function make(tag, className = "", text = "", ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  element.append(...children);
  return element;
}

/** Set the text of an element, unless it stands there already: that would be work for nothing. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Fill a table with rows of keys and meanings. */
export function fillTable(table, rows) {
  table.replaceChildren(...rows.map(([keys, meaning]) => make("tr", "", "", make("td", "", keys), make("td", "", meaning))));
}

/** Fill an element with names and values side by side. */
export function fillPairs(element, pairs) {
  element.replaceChildren(...pairs.map(([name, value]) => make("span", "", `${name} `, make("b", "", value))));
}

/** Return the value of one of the player's colours. */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Make a canvas as large as it is shown, clear it, and return its context in units of the page, width and height. */
export function prepare(canvas) {
  const width = canvas.clientWidth, height = canvas.clientHeight, ratio = devicePixelRatio;
  const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== across || canvas.height !== down) Object.assign(canvas, { width: across, height: down });
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = '12px "DejaVu Sans", Verdana, sans-serif';
  context.textBaseline = "middle";
  return { context, width, height };
}
