// Lets a published world predict under ONNX Runtime for browsers: each line of standard input is a call, and each line
// of standard output what it returned, with the noise that it drew, and what the policy chose. `page` is the page's folder.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { gunzipSync } from "node:zlib";

const [, , page, name] = process.argv;
const { Model } = await import(`${page}/model.js`);
const { draw } = await import(`${page}/noise.js`);
const { script, runtime } = JSON.parse(readFileSync(`${page}/page.json`, "utf8"));
const { functions, weights } = JSON.parse(readFileSync(`${page}/worlds/${name}/world.json`, "utf8"));
const read = ({ path }) => gunzipSync(readFileSync(`${page}/${path}`));

const ort = await import(`${page}/${script}`);
Object.assign(ort.env.wasm, { numThreads: 1, wasmBinary: read(runtime) });
const files = Object.fromEntries(Object.entries(functions).map(([one, { file }]) => [one, read(file)]));
const model = await Model.load(ort, functions, files, read(weights));

/** Return the noise of a function's draws, one array after the other. */
function noise(one, key) {
  const draws = functions[one]?.inputs.filter((input) => input.draw) ?? [];
  return draws.map((input) => [...draw(input.draw, input.shape.reduce((a, b) => a * b, 1), `${key}/${input.name}`)]);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { frame, action, isFirst, temperature, calls, alone } = JSON.parse(line);
  const { choice } = await model.observe(Uint8Array.from(frame), action.before, isFirst, line);
  if (!alone) model.putBack();
  const seen = await model.step(action.next, { temperature, calls }, line);
  const observed = { noise: noise("observe", line), choice, choiceNoise: noise("act", `${line}/act`) };
  console.log(JSON.stringify({ frame: [...seen.frame], reward: seen.reward, continuation: seen.continuation, noise: noise("step", line), observed }));
}
