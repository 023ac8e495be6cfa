// A link to what was played: the world, the seed of its levels, and all that was pressed. It is the part behind #.
//
// Events are [what, value]: "action" with its number, "put back", "new episode", "temperature" and "calls". In the link
// an action is a letter, the first one a, with how often it follows itself; x, r, T and C are the others, as the keys are.

const LETTERS = { "put back": "x", "new episode": "r", temperature: "T", calls: "C" };
const ACTIONS = [..."abcdefghijklmnopqstuvwyzABDEFGHIJKLMNOPQRSUVWXYZ"], MOST_EVENTS = 20000, MOST_SEED = 2 ** 53;
const WHATS = Object.fromEntries(Object.entries(LETTERS).map(([what, letter]) => [letter, what]));

/** A link that does not fit; the text is a sentence for people. */
export class LinkError extends Error {}

export function writeLink({ world, seed, events }) {
  let keys = "";
  for (let i = 0, next; i < events.length; i = next) {
    const [what, value] = events[i];
    for (next = i + 1; what === "action" && events[next]?.[0] === what && events[next][1] === value; next++);
    if (what === "action") keys += ACTIONS[value] + (next - i > 1 ? next - i : "");
    else keys += LETTERS[what] + (value ?? "");
  }
  return `#${new URLSearchParams({ world, seed, ...(keys && { keys }) })}`;
}

/** Read what `writeLink` wrote; nothing behind # is a link to nothing, null. Throws LinkError. */
export function readLink(text) {
  if (text.length < 2) return null;
  const parts = new URLSearchParams(text.slice(1));
  const seed = Number(parts.get("seed") ?? 0);
  if (!Number.isInteger(seed) || seed < 0 || seed >= MOST_SEED) throw new LinkError(`A seed is a whole number from 0. This link has '${parts.get("seed")}'.`);
  return { world: parts.get("world") ?? "", seed, events: readKeys(parts.get("keys") ?? "") };
}

/** Throw LinkError if a world has fewer actions than a link takes. */
export function checkActions(events, count) {
  if (events.some(([what, value]) => what === "action" && value >= count)) throw new LinkError("The keys of this link are those of another world.");
}

function readKeys(keys) {
  const events = [];
  if (!/^(?:[xr]|[TC]\d{1,3}(?:\.\d{1,3})?|(?![xrTC])[a-zA-Z]\d{0,5})*$/.test(keys)) throw new LinkError("The keys of this link are damaged.");
  for (const [, letter, number] of keys.matchAll(/([a-zA-Z])([\d.]*)/g)) {
    const action = ACTIONS.indexOf(letter), isAction = action >= 0;
    const count = isAction ? Number(number || 1) : 1;
    const event = isAction ? ["action", action] : number ? [WHATS[letter], Number(number)] : [WHATS[letter]];
    if (events.length + count > MOST_EVENTS) throw new LinkError(`A link has at most ${MOST_EVENTS} events.`);
    for (let i = 0; i < count; i++) events.push(event);
  }
  return events;
}
