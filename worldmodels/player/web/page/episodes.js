// The list of recorded episodes, over the worlds: a touched line begins.

import { byId, make, setText } from "./dom.js";

/** Write what stays: `guide` has the title, the keys, and a key and a text for each button. */
export function makeEpisodes(input, guide) {
  setText(byId("episodes-title"), guide.title);
  setText(byId("episodes-keys"), guide.keys);
  byId("episodes-buttons").replaceChildren(...guide.buttons.map(([key, text]) => {
    const button = make("button", "", text);
    button.type = "button";
    input.bind(button, key);
    return button;
  }));
}

/** Draw the part `episodes`, or hide the list if there is none; `heads` are those of its columns. */
export function drawEpisodes(part, heads) {
  byId("episodes").hidden = !part;
  if (!part) return;
  setText(byId("episodes-order"), part.order);
  const row = ([line, ...texts]) => {
    const element = make("tr", line === part.chosen ? "chosen" : "", "", ...texts.map((text) => make("td", "", text)));
    element.dataset.line = line;
    return element;
  };
  const head = make("tr", "", "", ...heads.map((text) => make("th", "", text)));
  byId("episodes").querySelector("table").replaceChildren(head, ...part.rows.map(row));
}

/** Let a finger or the mouse begin an episode: `plays()` says whether this viewer may. */
export function bindEpisodes(send, plays) {
  byId("episodes").addEventListener("click", (event) => {
    const row = event.target.closest("[data-line]");
    if (row && plays()) send({ episode: Number(row.dataset.line) });
  });
}
