// The list of recorded episodes, over the worlds: a touched line begins.

import { byId, make, setText } from "./dom.js";

/** Draw the part `episodes`, or hide the list if there is none; `guide` has its title, its keys and the heads of its columns. */
export function drawEpisodes(part, [title, keys, heads]) {
  byId("episodes").hidden = !part;
  if (!part) return;
  setText(byId("episodes-title"), title);
  setText(byId("episodes-order"), part.order);
  setText(byId("episodes-keys"), keys);
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
