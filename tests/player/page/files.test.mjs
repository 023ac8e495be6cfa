import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { FetchError, fetchFile } from "../../../worldmodels/player/page/files.js";

const CONTENT = Buffer.from("a world ".repeat(1000));
const FILE = { path: "worlds/a.onnx.gz", sha256: createHash("sha256").update(CONTENT).digest("hex") };
const BASE = "http://here/page/";

/** Answer requests with a body, and keep responses as a browser does; return the addresses that were asked for. */
function serve(body, status = 200) {
  const asked = [], kept = new Map();
  globalThis.fetch = async (address) => (asked.push(address), new Response(body, { status }));
  const cache = {
    match: async (address) => kept.get(address)?.clone(),
    put: async (address, response) => kept.set(address, response),
    delete: async (address) => kept.delete(address),
  };
  globalThis.caches = { open: async () => cache };
  return { asked, kept };
}

test("a packed file arrives unpacked, with progress, and once", async () => {
  const packed = gzipSync(CONTENT), { asked } = serve(packed);
  let arrived = 0;
  assert.deepEqual(Buffer.from(await fetchFile(FILE, BASE, (bytes) => (arrived += bytes))), CONTENT);
  assert.equal(arrived, packed.length);
  assert.deepEqual(Buffer.from(await fetchFile(FILE, BASE)), CONTENT);
  assert.deepEqual(asked, [`http://here/page/worlds/a.onnx.gz?${FILE.sha256.slice(0, 16)}`]);
});

test("a file that the server unpacked is taken as it is", async () => {
  serve(CONTENT);
  assert.deepEqual(Buffer.from(await fetchFile(FILE, BASE)), CONTENT);
});

test("a damaged or missing file is a sentence, and is not kept", async () => {
  const { kept } = serve(gzipSync(CONTENT.subarray(1)));
  await assert.rejects(fetchFile(FILE, BASE), (error) => error instanceof FetchError && error.message.includes("is damaged"));
  assert.equal(kept.size, 0);
  serve("", 404);
  await assert.rejects(fetchFile(FILE, BASE), /'worlds\/a.onnx.gz' cannot be fetched: the server answered 404/);
});
