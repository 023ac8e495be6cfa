// Files of the page: fetched with progress, unpacked, compared with their SHA-256, and kept in the browser's cache.

const CACHE = "worldmodels";
const GZIP = [0x1f, 0x8b];

/** A file is missing or is not the one that the page names; the text is a sentence for people. */
export class FetchError extends Error {}

/**
 * Return the bytes of a file {path, sha256, bytes}, unpacked. `base` is the address of the page's folder, and
 * `progress` is called with the number of bytes that arrived.
 */
export async function fetchFile({ path, sha256 }, base, progress = () => {}) {
  const address = `${new URL(path, base).href}?${sha256.slice(0, 16)}`; // a new content is a new address
  const cache = await globalThis.caches?.open(CACHE).catch(() => null);
  const kept = await cache?.match(address);
  const response = kept ?? (await fetch(address));
  if (!response.ok) throw new FetchError(`'${path}' cannot be fetched: the server answered ${response.status}.`);
  const packed = await received(response, progress);
  const bytes = await unpacked(packed);
  if (!(await isIntact(bytes, sha256))) {
    await cache?.delete(address);
    throw new FetchError(`'${path}' is damaged: its SHA-256 differs from the page's list. Load the page again.`);
  }
  if (cache && !kept) await cache.put(address, new Response(packed)).catch(() => {}); // a full disk keeps nothing
  return bytes;
}

async function received(response, progress) {
  const parts = [];
  for (let reader = response.body.getReader(), part; !(part = await reader.read()).done; ) {
    parts.push(part.value);
    progress(part.value.length);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Unpack what begins as gzip does; some servers have unpacked it on the way. */
async function unpacked(bytes) {
  if (!GZIP.every((byte, i) => bytes[i] === byte)) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Compare with a SHA-256; a page without a secure address has no way to, and takes the file as it is. */
async function isIntact(bytes, sha256) {
  if (!globalThis.crypto?.subtle) return true;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("") === sha256;
}
